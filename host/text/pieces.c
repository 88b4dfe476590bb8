/* pieces.c - see pieces.h. Only those arguments are understood that this program's own types have. */
#include "text/pieces.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool pieces_new(struct pieces *pieces, size_t n)
{
    free(pieces->piece);
    pieces->n = 0;
    pieces->piece = calloc(n + 1u, sizeof *pieces->piece);
    return pieces->piece != NULL;
}

/* ---- print formats ----------------------------------------------------------------------------------------------- */

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " ");
}

/* The field whose name begins here, or NULL. *at goes behind the name. */
static const struct trace_field *take_field(const struct trace_type *type, const char **at)
{
    size_t n = strspn(*at, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
    const char *name = *at;
    *at += n;
    for (unsigned i = 0; i < type->nfields; i++) {
        if (strncmp(type->fields[i].name, name, n) == 0 && type->fields[i].name[n] == '\0')
            return &type->fields[i];
    }
    return NULL;
}

/* A text in quotation marks without escapes. False: there is none. */
static bool take_quoted(const char **at, const char **text, size_t *length)
{
    const char *end;
    *at = skip_blanks(*at);
    end = **at == '"' ? strchr(*at + 1, '"') : NULL;
    if (end == NULL || memchr(*at, '\\', (size_t)(end - *at)) != NULL)
        return false;
    *text = *at + 1;
    *length = (size_t)(end - *text);
    *at = end + 1;
    return true;
}

/* ? "a" : "b" behind a field. */
static bool take_choice(struct piece *piece, const char **at)
{
    *at = skip_blanks(*at + 1);
    if (!take_quoted(at, &piece->choice[0], &piece->choice_length[0]))
        return false;
    *at = skip_blanks(*at);
    if (**at != ':')
        return false;
    ++*at;
    piece->what = CHOICE;
    return take_quoted(at, &piece->choice[1], &piece->choice_length[1]);
}

bool pieces_symbol(const char **at, uint64_t *number, const char **name, size_t *length)
{
    char *end;
    *at = skip_blanks(*at);
    if (**at != '{')
        return false;
    *number = strtoull(*at + 1, &end, 0);
    end += strspn(end, " ");
    if (*end != ',')
        return false;
    *at = end + 1;
    if (!take_quoted(at, name, length))
        return false;
    *at = skip_blanks(*at);
    return *(*at)++ == '}';
}

/* The rest of __print_symbolic(REC->field, ...), or of __print_flags(REC->field, "|", ...): the names are kept as they
 * stand, with a comma before each. */
static bool take_symbols(struct piece *piece, bool are_flags, const char **at)
{
    uint64_t number;
    const char *name;
    size_t length;
    piece->what = are_flags ? FLAGS : SYMBOL;
    if (are_flags && (*(*at)++ != ',' || !take_quoted(at, &name, &length) || length != 1 || *name != '|'))
        return false;
    *at = skip_blanks(*at);
    piece->choice[0] = *at;
    while (**at == ',') {
        ++*at;
        if (!pieces_symbol(at, &number, &name, &length))
            return false;
        *at = skip_blanks(*at);
    }
    piece->choice_length[0] = (size_t)(*at - piece->choice[0]);
    return *(*at)++ == ')' && piece->choice_length[0] <= PIECES_SYMBOLS_MOST;
}

/* Go behind a word, and blanks behind it, if it stands there. */
static bool skip_word(const char **at, const char *word)
{
    bool is_there = strncmp(*at, word, strlen(word)) == 0;
    if (is_there)
        *at = skip_blanks(*at + strlen(word));
    return is_there;
}

/* REC->field, as it is, with a choice behind it, or with names of its numbers; the conversion is known. */
static bool take_record(struct piece *piece, const struct trace_type *type, const char **at)
{
    bool is_text = piece->what == TEXT, are_flags = skip_word(at, "__print_flags(");
    bool is_symbolic = are_flags || skip_word(at, "__print_symbolic(");
    if (!skip_word(at, "REC->"))
        return false;
    piece->field = take_field(type, at);
    *at = skip_blanks(*at);
    if (piece->field == NULL || (is_symbolic && !is_text))
        return false;
    if (is_symbolic)
        return take_symbols(piece, are_flags, at);
    if (is_text && **at == '?')
        return take_choice(piece, at);
    return (**at == ',' || **at == '\0') && (!is_text || piece->field->kind == TRACE_CHARS);
}

/* The next argument, behind its comma, for a piece whose conversion is known. False: it is not understood. */
static bool take_argument(struct piece *piece, const struct trace_type *type, const char **at)
{
    *at = skip_blanks(*at + (**at == ','));
    skip_word(at, "(void *)");
    if (!skip_word(at, "__get_str("))
        return take_record(piece, type, at);
    piece->field = take_field(type, at);
    *at = skip_blanks(*at);
    return *(*at)++ == ')' && piece->field != NULL && piece->what == TEXT;
}

/* The conversion that begins behind a percent sign: to what it wants, and in a form for 64 bits. False: another one. */
static bool take_conversion(struct piece *piece, const char **at)
{
    size_t flags = strspn(*at, "0123456789.");
    const char *letter = *at + flags;
    size_t lengths = strspn(letter, "hlz");
    letter += lengths;
    if (flags > 3u)
        return false;
    piece->is_int = lengths == 0;
    snprintf(piece->conversion, sizeof piece->conversion, "%%%.*sll%c", (int)flags, *at, *letter);
    piece->what = *letter == 's' ? TEXT : NUMBER;
    if (letter[0] == 'p' && strchr("sfSF", letter[1]) != NULL && letter[1] != '\0') {
        piece->what = letter[1] == 'S' || letter[1] == 'F' ? OFFSET : FUNCTION;
        letter++;
    } else if (strchr("duxXs", *letter) == NULL || *letter == '\0' || (*letter == 's' && letter != *at)) {
        return false;
    }
    *at = letter + 1;
    return true;
}

/* Take the quoted format apart: texts and conversions. A text ends behind the first sign of %%. Escapes are not
 * understood. */
static bool take_format(struct pieces *pieces, const char *at, const char *end)
{
    size_t n = 1;
    for (const char *c = at; c < end; c++)
        n += *c == '%';
    if (!pieces_new(pieces, n))
        return false;
    while (at <= end) {
        struct piece *piece = &pieces->piece[pieces->n++];
        const char *percent = memchr(at, '%', (size_t)(end - at));
        piece->text = at;
        piece->length = (size_t)((percent != NULL ? percent : end) - at);
        piece->what = NOTHING;
        if (percent == NULL)
            return true;
        at = percent + 1;
        if (*at == '%') {
            piece->length++;
            at++;
        } else if (!take_conversion(piece, &at)) {
            return false;
        }
    }
    return false;
}

bool pieces_take(struct pieces *pieces, const struct trace_type *type)
{
    const char *at = type->print, *text;
    size_t length;
    bool is_bprint = strcmp(type->system, "ftrace") == 0 && strcmp(type->name, "bprint") == 0;
    if (!take_quoted(&at, &text, &length) || !take_format(pieces, text, text + length))
        return false;
    for (unsigned i = 0; i < pieces->n; i++) {
        struct piece *piece = &pieces->piece[i];
        if (piece->what == TEXT && is_bprint)
            piece->what = FORMAT;
        if (piece->what != NOTHING && !take_argument(piece, type, &at))
            return false;
    }
    return *skip_blanks(at) == '\0';
}
