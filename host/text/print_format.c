/* print_format.c - see print_format.h. Of arguments it understands those that this program's own types have, and fields
 * as kernels write them: with widths, parentheses, and casts that leave the number as it is. */
#include "text/print_format.h"

#include "base/heap.h"
#include "base/digits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FLAGS_MOST = 8 }; /* characters between a percent sign and what follows its width */

bool print_format_reserve(struct print_format *format, size_t n)
{
    heap_free(format->piece);
    format->n = 0;
    format->piece = heap_calloc(n + 1u, sizeof *format->piece);
    return format->piece != NULL;
}

/* ---- parsing ----------------------------------------------------------------------------------------------------- */

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " ");
}

/* The field whose name begins here, or NULL. *at goes behind the name. */
static const struct tlog_field *take_field(const struct tlog_type *type, const char **at)
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
    piece->kind = PIECE_CHOICE;
    return take_quoted(at, &piece->choice[1], &piece->choice_length[1]);
}

bool print_format_symbol(const char **at, uint64_t *number, const char **name, size_t *length)
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

bool print_format_next_symbol(const char **at, const char *end, uint64_t *number, const char **name, size_t *length)
{
    if (*at >= end)
        return false;
    ++*at; /* the comma */
    if (!print_format_symbol(at, number, name, length))
        return false;
    *at = skip_blanks(*at);
    return true;
}

/* The rest of __print_symbolic(REC->field, ...), or of __print_flags(REC->field, "|", ...): the names are kept as they
 * stand, with a comma before each. */
static bool take_symbols(struct piece *piece, bool are_flags, const char **at)
{
    uint64_t number;
    const char *name;
    size_t length;
    piece->kind = are_flags ? PIECE_FLAGS : PIECE_SYMBOL;
    if (are_flags && (*(*at)++ != ',' || !take_quoted(at, &name, &length) || length != 1 || *name != '|'))
        return false;
    *at = skip_blanks(*at);
    piece->choice[0] = *at;
    while (**at == ',') {
        ++*at;
        if (!print_format_symbol(at, &number, &name, &length))
            return false;
        *at = skip_blanks(*at);
    }
    piece->choice_length[0] = (size_t)(*at - piece->choice[0]);
    return *(*at)++ == ')' && piece->choice_length[0] <= PIECE_SYMBOLS_BYTES;
}

/* Go behind a word, and blanks behind it, if it stands there. */
static bool skip_word(const char **at, const char *word)
{
    bool is_there = strncmp(*at, word, strlen(word)) == 0;
    if (is_there)
        *at = skip_blanks(*at + strlen(word));
    return is_there;
}

/* Go behind casts and parentheses before a field. Casts to what is narrower are not understood. Returns how many
 * parentheses are open. */
static unsigned open_parentheses(const char **at)
{
    static const char *const casts[] = {
        "(unsigned long long)", "(long long)", "(unsigned long)", "(long)", "(unsigned int)",
        "(unsigned)",           "(int)",       "(u64)",           "(s64)",  "(void *)"};
    unsigned open = 0;
    while (**at == '(') {
        size_t i = 0;
        while (i < sizeof casts / sizeof casts[0] && !skip_word(at, casts[i]))
            i++;
        if (i < sizeof casts / sizeof casts[0])
            continue;
        *at = skip_blanks(*at + 1);
        open++;
    }
    return open;
}

/* REC->field, as it is, with a choice behind it, or with names of its numbers; the conversion is known. */
static bool take_record(struct piece *piece, const struct tlog_type *type, const char **at)
{
    bool is_text = piece->kind == PIECE_STRING, are_flags = skip_word(at, "__print_flags(");
    bool is_symbolic = are_flags || skip_word(at, "__print_symbolic(");
    if (!skip_word(at, "REC->"))
        return false;
    piece->field = take_field(type, at);
    *at = skip_blanks(*at);
    if (piece->field == NULL || (is_symbolic && (!is_text || piece->width > 0)))
        return false;
    if (is_symbolic)
        return take_symbols(piece, are_flags, at);
    if (is_text && **at == '?')
        return take_choice(piece, at);
    return !is_text || piece->field->kind == TLOG_KIND_CHARS;
}

/* The next argument, behind its comma, for a piece whose conversion is known. False: it is not understood. */
static bool take_argument(struct piece *piece, const struct tlog_type *type, const char **at)
{
    unsigned open;
    *at = skip_blanks(*at + (**at == ','));
    open = open_parentheses(at);
    if (skip_word(at, "__get_str(")) {
        piece->field = take_field(type, at);
        *at = skip_blanks(*at);
        if (*(*at)++ != ')' || piece->field == NULL || piece->kind != PIECE_STRING)
            return false;
    } else if (!take_record(piece, type, at)) {
        return false;
    }
    for (*at = skip_blanks(*at); open > 0 && **at == ')'; open--)
        *at = skip_blanks(*at + 1);
    return open == 0 && (**at == ',' || **at == '\0');
}

/* Take the flags, width and precision of a conversion, n characters. False: there is no room for what it puts. */
static bool take_width(struct piece *piece, const char *flags, size_t n)
{
    const char *digits = flags + strspn(flags, "-#0"), *point = memchr(flags, '.', n);
    unsigned long width = strtoul(digits, NULL, 10), precision = point != NULL ? strtoul(point + 1, NULL, 10) : 0;
    piece->width = (unsigned char)width;
    piece->left = flags[0] == '-';
    return n <= FLAGS_MOST && width < PIECE_NUMBER_BYTES && precision < PIECE_NUMBER_BYTES;
}

/* Take the conversion behind a percent sign: the kind of its piece, and its form for 64 bits. False: it is not
 * understood. */
static bool take_conversion(struct piece *piece, const char **at)
{
    size_t flags = strspn(*at, "-#0123456789.");
    const char *letter = *at + flags;
    size_t lengths = strspn(letter, "hlLz");
    letter += lengths;
    if (!take_width(piece, *at, flags))
        return false;
    piece->is_int = lengths == 0;
    snprintf(piece->conversion, sizeof piece->conversion, "%%%.*sll%c", (int)flags, *at, *letter);
    piece->kind = *letter == 's' ? PIECE_STRING : PIECE_NUMBER;
    if (letter[0] == 'p' && strchr("sfSF", letter[1]) != NULL && letter[1] != '\0') {
        piece->kind = letter[1] == 'S' || letter[1] == 'F' ? PIECE_OFFSET : PIECE_FUNCTION;
        letter++;
    } else if (strchr("duxXs", *letter) == NULL || *letter == '\0') {
        return false;
    } else if (*letter == 's' && (lengths > 0 || strcspn(*at, "#.") < flags)) {
        return false;
    }
    *at = letter + 1;
    return true;
}

/* Take the quoted format apart: texts and conversions. A text ends behind the first sign of %%. Escapes are not
 * understood. */
static bool take_format(struct print_format *format, const char *at, const char *end)
{
    size_t n = 1;
    for (const char *c = at; c < end; c++)
        n += *c == '%';
    if (!print_format_reserve(format, n))
        return false;
    while (at <= end) {
        struct piece *piece = &format->piece[format->n++];
        const char *percent = memchr(at, '%', (size_t)(end - at));
        piece->text = at;
        piece->length = (size_t)((percent != NULL ? percent : end) - at);
        piece->kind = PIECE_PLAIN;
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

bool print_format_parse(struct print_format *format, const struct tlog_type *type)
{
    const char *at = type->print, *text;
    size_t length;
    bool is_bprint = strcmp(type->system, "ftrace") == 0 && strcmp(type->name, "bprint") == 0;
    if (!take_quoted(&at, &text, &length) || !take_format(format, text, text + length))
        return false;
    for (unsigned i = 0; i < format->n; i++) {
        struct piece *piece = &format->piece[i];
        if (piece->kind == PIECE_STRING && is_bprint)
            piece->kind = PIECE_FORMAT;
        if (piece->kind != PIECE_PLAIN && !take_argument(piece, type, &at))
            return false;
    }
    return *skip_blanks(at) == '\0';
}

/* ---- names of numbers
 * --------------------------------------------------------------------------------------------- */

static void out_hex(struct out *out, uint64_t value)
{
    char text[DIGITS_MOST];
    out_bytes(out, text, (size_t)(put_hex(text, value) - text));
}

/* The name that a print format has for a number, else the number. */
static void put_symbol(struct out *out, const struct piece *piece, uint64_t value)
{
    const char *at = piece->choice[0], *end = at + piece->choice_length[0], *name;
    uint64_t number;
    size_t length;
    while (print_format_next_symbol(&at, end, &number, &name, &length)) {
        if (number == value) {
            out_printable(out, name, length);
            return;
        }
    }
    out_hex(out, value);
}

/* Put the names of the bits that are set, and the other bits as a number, as libtraceevent does. A name with several
 * bits is put if all of them are set and not named yet; 0 has no name. */
static void put_flags(struct out *out, const struct piece *piece, uint64_t value)
{
    const char *at = piece->choice[0], *end = at + piece->choice_length[0], *name, *between = "";
    uint64_t number;
    size_t length;
    while (print_format_next_symbol(&at, end, &number, &name, &length)) {
        if (number == 0 || (value & number) != number)
            continue;
        out_bytes(out, between, strlen(between));
        out_printable(out, name, length);
        between = "|";
        value &= ~number;
    }
    if (value != 0) {
        out_bytes(out, between, strlen(between));
        out_hex(out, value);
    }
}

void print_format_names(struct out *out, const struct piece *piece, uint64_t value)
{
    if (piece->kind == PIECE_FLAGS)
        put_flags(out, piece, value);
    else
        put_symbol(out, piece, value);
}
