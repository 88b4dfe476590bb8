/* print_format.c - the print format of an event: see format.h.
 *
 *   "irq=%d name=%s", REC->irq, __get_str(name)
 *
 * It is a text with conversions, as for printf(), and an argument in C for each. Only what is common in such arguments
 * is understood. A print format with anything else in it is not used.
 */

#include "base/heap.h"
#include "base/text.h"
#include "formats/tracedat/read/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARGUMENTS_MAX = 64 }; /* further ones are not looked at */

static const char field_mark[] = "REC->"; /* stands before the name of a field */

/* The calls that get a text. mask: of a set of bits, which has become a text here. */
static const struct {
    const char *name;
    bool mask;
} getters[] = {{"__get_str", false},        {"__get_rel_str", false}, {"__get_bitmask", true},
               {"__get_rel_bitmask", true}, {"__get_cpumask", true},  {"__get_rel_cpumask", true}};

struct conversion {
    char letter;           /* d, u, x, s ..., or * for a width that is an argument of its own */
    bool nothing_for_zero; /* %.0u, which prints nothing for 0 */
};

/* A part of the print format. */
struct span {
    const char *from, *end;
};

/* The field of the name, which has length characters; NULL if there is none. */
static struct tracedat_field *find_field(struct tracedat_format *format, const char *name, size_t length)
{
    for (unsigned i = 0; i < format->nfields; i++) {
        if (strncmp(format->field[i].name, name, length) == 0 && format->field[i].name[length] == '\0')
            return &format->field[i];
    }
    return NULL;
}

/* The place behind the quoted text that begins here with its quotation mark. */
static const char *behind_text(const char *at)
{
    for (at++; *at != '\0' && *at != '"'; at++)
        at += at[0] == '\\' && at[1] != '\0';
    return at + (*at == '"');
}

/* ---- conversions and arguments ----------------------------------------------------------------------------------- */

/* Read the conversions in the texts between two places; a * in one counts as one, because it takes an argument, too.
 * Returns how many. */
static unsigned take_conversions(const char *at, const char *end, struct conversion *conversion)
{
    unsigned n = 0;
    while (at < end && n < ARGUMENTS_MAX) {
        const char *start;
        if (*at++ != '%')
            continue;
        start = at;
        at += strspn(at, "-+ #0123456789.hlLzt*");
        for (const char *c = start; c < at && n < ARGUMENTS_MAX; c++) {
            if (*c == '*')
                conversion[n++] = (struct conversion){.letter = '*'};
        }
        if (*at != '%' && *at != '\0' && n < ARGUMENTS_MAX)
            conversion[n++] = (struct conversion){*at, at - start == 2 && memcmp(start, ".0", 2) == 0};
        at += *at != '\0';
    }
    return n;
}

/* The end of the argument that begins here: the next comma outside of brackets and texts, or the end of the format. */
static const char *behind_argument(const char *at)
{
    int depth = 0;
    while (*at != '\0' && (*at != ',' || depth > 0)) {
        if (*at == '"') {
            at = behind_text(at);
            continue;
        }
        depth += *at == '(' || *at == '{' || *at == '[';
        depth -= *at == ')' || *at == '}' || *at == ']';
        at++;
    }
    return at;
}

/* Find the arguments; at: the comma in front of the first one. Returns how many. */
static unsigned take_arguments(const char *at, struct span *argument)
{
    unsigned n = 0;
    while (*at == ',' && n < ARGUMENTS_MAX) {
        at++;
        argument[n].from = at;
        at = behind_argument(at);
        argument[n++].end = at;
    }
    return n;
}

/* The field that the argument is, or is an element of. It may have casts and parentheses around it; with anything else
 * around it NULL is returned. *bare: nothing at all is around it. */
static struct tracedat_field *only_field(struct tracedat_format *format, struct span argument, bool *bare)
{
    const char *mark = text_find(argument.from, argument.end, field_mark);
    const char *name, *behind;
    size_t length;
    if (mark == NULL)
        return NULL;
    name = mark + strlen(field_mark);
    length = strspn(name, TRACEDAT_WORD_LETTERS);
    behind = name + length + strspn(name + length, "[0123456789]");
    *bare = true;
    for (const char *c = argument.from; c < argument.end; c++) {
        bool inside = c >= mark && c < behind;
        if (!inside && (strchr(TRACEDAT_WORD_LETTERS, *c) == NULL && strchr(" ()*", *c) == NULL))
            return NULL;
        *bare = *bare && (inside || *c == ' ');
    }
    return find_field(format, name, length);
}

/* Learn from the conversion of a field how it is shown. The writer of this program leaves out fields that are 0 by
 * "%.0u". */
static void learn(struct tracedat_field *field, const struct conversion *conversion, bool bare)
{
    if (strchr("xXp", conversion->letter) != NULL
        && (field->shape == TRACEDAT_SCALAR || field->shape == TRACEDAT_ARRAY))
        field->hex = true;
    if (conversion->letter == 'u' && conversion->nothing_for_zero && field->size == 4)
        field->optional = bare;
    if (conversion->letter == 's' && bare && field->pointer && field->shape == TRACEDAT_SCALAR && field->size >= 4)
        field->shape = TRACEDAT_POINTER_TEXT;
}

/* A field that is got by a call for a set of bits is one. */
static void learn_masks(struct tracedat_format *format)
{
    for (size_t i = 0; i < sizeof getters / sizeof getters[0]; i++) {
        size_t length = strlen(getters[i].name);
        for (const char *at = format->print; getters[i].mask && (at = strstr(at, getters[i].name)) != NULL;) {
            const char *name = at + length + strspn(at + length, "( ");
            struct tracedat_field *field = find_field(format, name, strspn(name, TRACEDAT_WORD_LETTERS));
            if (field != NULL && (field->shape == TRACEDAT_DATA_LOC_HEX || field->shape == TRACEDAT_REL_LOC_HEX))
                field->mask = true;
            at += length;
        }
    }
}

void tracedat_print_learn(struct tracedat_format *format)
{
    struct conversion conversion[ARGUMENTS_MAX];
    struct span argument[ARGUMENTS_MAX];
    const char *print = format->print, *end;
    unsigned nconversions, narguments;
    if (print == NULL)
        return;
    learn_masks(format);
    end = behind_argument(print);
    nconversions = take_conversions(print, end, conversion);
    narguments = take_arguments(end, argument);
    for (unsigned i = 0; i < nconversions && i < narguments; i++) {
        bool bare = false;
        struct tracedat_field *field = only_field(format, argument[i], &bare);
        if (field != NULL)
            learn(field, &conversion[i], bare);
    }
}

/* ---- the print format made anew ---------------------------------------------------------------------------------- */

/* The print format that is being made. */
struct made {
    char *to; /* in memory; room bytes */
    size_t used, room;
    bool failed; /* it cannot be made */
};

/* Append n characters and a NUL. */
static void put(struct made *made, const char *from, size_t n)
{
    if (made->failed || n >= made->room - made->used) {
        made->failed = true;
        return;
    }
    memcpy(made->to + made->used, from, n);
    made->used += n;
    made->to[made->used] = '\0';
}

/* Put the call that gets a field that is a text here, whatever it was in the record. */
static void put_call(struct made *made, const char *name, size_t length)
{
    put(made, "__get_str(", 10);
    put(made, name, length);
    put(made, ")", 1);
}

/* Each put_...() below copies or replaces one piece of the print format and returns the place behind that piece. */

/* NAME[3], an element of an array, is the field NAME_3. */
static const char *put_element(struct made *made, const struct tracedat_field *field, const char *name, size_t length)
{
    const char *open = name + length;
    char *close;
    unsigned long n = strtoul(open + 1, &close, 10);
    char number[16];
    int digits = snprintf(number, sizeof number, "_%lu", n);
    if (*open != '[' || close == open + 1 || *close != ']' || n >= field->count) {
        made->failed = true;
        return open;
    }
    put(made, "REC->", 5);
    put(made, name, length);
    put(made, number, (size_t)digits);
    return close + 1;
}

/* A field by its name, with the mark before it. Common fields keep their names. */
static const char *put_field(struct made *made, struct tracedat_format *format, const char *mark)
{
    const char *name = mark + strlen(field_mark);
    size_t length = strspn(name, TRACEDAT_WORD_LETTERS);
    const struct tracedat_field *field = find_field(format, name, length);
    if (field == NULL) {
        made->failed = strncmp(name, "common_", 7) != 0;
        put(made, mark, strlen(field_mark) + length);
        return name + length;
    }
    switch (field->shape) {
    case TRACEDAT_SCALAR:
    case TRACEDAT_CHARS:
    case TRACEDAT_BYTES:
        put(made, mark, strlen(field_mark) + length);
        break;
    case TRACEDAT_FLEXIBLE:
    case TRACEDAT_POINTER_TEXT:
        put_call(made, name, length);
        break;
    case TRACEDAT_ARRAY:
        return put_element(made, field, name, length);
    default:
        made->failed = true;
        break;
    }
    return name + length;
}

/* Whether the call gets a text, and the field is such a text here. */
static bool gets_text(const char *call, size_t length, const struct tracedat_field *field)
{
    for (size_t i = 0; i < sizeof getters / sizeof getters[0]; i++) {
        if (strlen(getters[i].name) == length && memcmp(call, getters[i].name, length) == 0)
            return getters[i].mask ? field->mask
                                   : field->shape == TRACEDAT_DATA_LOC || field->shape == TRACEDAT_REL_LOC;
    }
    return false;
}

/* A call such as __get_str(name). Other calls get something that is no text, for which there is no field here. */
static const char *put_getter(struct made *made, struct tracedat_format *format, const char *at)
{
    const char *name = at + strspn(at, TRACEDAT_WORD_LETTERS), *end;
    size_t call = (size_t)(name - at), length;
    const struct tracedat_field *field;
    if (*name == '(')
        name++;
    name += strspn(name, " ");
    length = strspn(name, TRACEDAT_WORD_LETTERS);
    field = find_field(format, name, length);
    end = name + length + strspn(name + length, " ");
    if (field == NULL || !gets_text(at, call, field) || *end != ')') {
        made->failed = true;
        return end;
    }
    put_call(made, name, length);
    return end + 1;
}

/* The next piece outside of quotation marks. */
static const char *put_piece(struct made *made, struct tracedat_format *format, const char *at)
{
    size_t word = strspn(at, TRACEDAT_WORD_LETTERS);
    if (strncmp(at, field_mark, strlen(field_mark)) == 0)
        return put_field(made, format, at);
    if (strncmp(at, "__get_", 6) == 0)
        return put_getter(made, format, at);
    if (strncmp(at, "REC", 3) == 0 && word == 3)
        made->failed = true; /* such as (REC)->name */
    word = word > 0 ? word : 1;
    put(made, at, word);
    return at + word;
}

/* "REC->a" becomes "__get_str(a)" at most, so 4 times the room is enough. */
char *tracedat_print_make(struct tracedat_format *format)
{
    struct made made = {0};
    const char *at = format->print;
    if (at == NULL || *at != '"')
        return NULL;
    made.room = strlen(at) * 4u + 64u;
    made.to = heap_alloc(made.room);
    while (made.to != NULL && *at != '\0' && !made.failed) {
        if (*at == '"') {
            const char *end = behind_text(at);
            put(&made, at, (size_t)(end - at));
            at = end;
        } else {
            at = put_piece(&made, format, at);
        }
    }
    if (made.failed || made.to == NULL) {
        heap_free(made.to);
        return NULL;
    }
    return made.to;
}
