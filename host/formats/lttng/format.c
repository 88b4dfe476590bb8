/* format.c - marker formats: from text to fields. See format.h.
 *
 * A field is written "name #type%conversion". The type is how it lies in the trace: attributes (b: in the word of a
 * compact event, n: network byte order), a size (h l ll L z Z t, or the digits 1 2 4 8) and a letter. The conversion is
 * how it is printed, as in printf(). Without a type the field lies in the trace as the conversion expects it.
 *
 * The flag "-" of a conversion to decimal means "shown only if not 0" in traces that tlog-decode wrote. It has no
 * effect on the readers of LTTng.
 */
#include "formats/lttng/format.h"

#include <stdio.h>
#include <string.h>

/* What "#..." or "%..." say of a field. */
struct conversion {
    enum lttng_conversion kind;
    uint8_t size; /* bytes; 0 = a string */
    bool found, network, compact, minus;
};

/* ---- one conversion ---------------------------------------------------------------------------------------------- */

/* Read the size qualifier at *text and move *text behind it. 0 = there is none. "ll" is given as L, "hh" as 1. */
static char take_qualifier(const char **text)
{
    char c = **text;
    if (c == '\0' || strchr("hlLzZt1248", c) == NULL)
        return 0;
    ++*text;
    if (c == 'l' && **text == 'l') {
        ++*text;
        return 'L';
    }
    if (c == 'h' && **text == 'h') {
        ++*text;
        return '1';
    }
    return c;
}

/* Bytes of a number with a size qualifier. */
static uint8_t number_size(char size, const struct lttng_sizes *sizes)
{
    switch (size) {
    case 'h':
        return 2;
    case 'l':
        return sizes->of_long;
    case 'L':
        return 8;
    case 'z':
    case 'Z':
        return sizes->of_size_t;
    case 't':
        return sizes->of_pointer;
    case '1':
    case '2':
    case '4':
    case '8':
        return (uint8_t)(size - '0');
    default:
        return sizes->of_int;
    }
}

/* The letter that ends a type or conversion. Returns false if it is none that is known. */
static bool set_letter(struct conversion *conversion, char c, char size, const struct lttng_sizes *sizes)
{
    switch (c) {
    case 'd':
    case 'i':
        conversion->kind = LTTNG_SIGNED;
        break;
    case 'u':
    case 'o':
        conversion->kind = LTTNG_UNSIGNED;
        break;
    case 'x':
    case 'X':
        conversion->kind = LTTNG_HEX;
        break;
    case 'p':
        conversion->kind = LTTNG_ADDRESS;
        break;
    case 'c':
        conversion->kind = LTTNG_UNSIGNED;
        conversion->size = 1;
        return true;
    case 's':
        conversion->kind = LTTNG_TEXT;
        conversion->size = 0;
        return true;
    default:
        return false;
    }
    conversion->size = c == 'p' ? sizes->of_pointer : number_size(size, sizes);
    return conversion->size == 1 || conversion->size == 2 || conversion->size == 4 || conversion->size == 8;
}

/* Read the type or conversion at *text and move *text behind it. attributes: the characters that may come first. */
static bool parse_conversion(struct conversion *conversion, const char **text, const char *attributes,
                             const struct lttng_sizes *sizes)
{
    char size;
    *conversion = (struct conversion){.found = true};
    for (; **text != '\0' && strchr(attributes, **text) != NULL; ++*text) {
        conversion->compact |= **text == 'b';
        conversion->network |= **text == 'n';
        conversion->minus |= **text == '-';
    }
    size = take_qualifier(text);
    return **text != '\0' && set_letter(conversion, *(*text)++, size, sizes);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

void lttng_plain_name(char *to, size_t room, const char *from, size_t n)
{
    size_t i;
    for (i = 0; i < n && i < room - 1u && from[i] != '\0'; i++)
        to[i] = is_plain(from[i]) ? from[i] : '_';
    to[i] = '\0';
}

static bool is_taken(const struct lttng_format *format, const char *name)
{
    for (unsigned i = 0; i < format->n; i++) {
        if (strcmp(format->name[i], name) == 0)
            return true;
    }
    return false;
}

/* Name the next field after the text from from to end, which is before its type: up to the first blank. Names get a
 * number at their end where the format has one twice. */
static void name_field(struct lttng_format *format, const char *from, const char *end)
{
    char *name = format->name[format->n];
    size_t length;
    while (from < end && *from == ' ')
        from++;
    for (length = 0; from + length < end && from[length] != ' ';)
        length++;
    lttng_plain_name(name, LTTNG_NAME_BYTES - 8u, from, length);
    if (name[0] == '\0')
        snprintf(name, LTTNG_NAME_BYTES, "field_%u", format->n + 1u);
    length = strlen(name);
    for (unsigned i = 2; is_taken(format, name); i++)
        snprintf(name + length, LTTNG_NAME_BYTES - length, "_%u", i);
}

/* ---- a format ---------------------------------------------------------------------------------------------------- */

/* Add a field of the type stored, which may be missing, and the conversion print; its name is between from and end. */
static void add_field(struct lttng_format *format, const struct conversion *stored, const struct conversion *print,
                      const char *from, const char *end)
{
    const struct conversion *size = stored->found ? stored : print;
    bool hex = print->kind == LTTNG_HEX || print->kind == LTTNG_ADDRESS;
    struct lttng_field *field;
    if (format->n == LTTNG_FIELDS_MAX) {
        format->more++;
        return;
    }
    field = &format->field[format->n];
    *field = (struct lttng_field){.conversion = size->kind, .size = size->size, .network = stored->network};
    field->compact = stored->compact;
    if (print->kind == LTTNG_TEXT) {
        field->conversion = LTTNG_TEXT;
        field->size = 0;
    } else if (hex && field->size > 0) {
        field->conversion = print->kind;
    } else if (print->minus && field->conversion == LTTNG_UNSIGNED && field->size == 4) {
        field->conversion = LTTNG_OPTIONAL;
    }
    name_field(format, from, end);
    format->n++;
}

bool lttng_format_parse(struct lttng_format *format, const char *text, const struct lttng_sizes *sizes)
{
    struct conversion stored = {0}, print;
    const char *name = text, *name_end = NULL;
    format->n = format->more = 0;
    while (*text != '\0') {
        char c = *text++;
        if (c != '#' && c != '%')
            continue;
        if (*text == c) { /* ## and %% stand for themselves */
            text++;
            continue;
        }
        if (name_end == NULL)
            name_end = text - 1;
        if (!parse_conversion(c == '#' ? &stored : &print, &text, c == '#' ? "bn" : "-+ #0", sizes))
            return false;
        if (c == '#')
            continue;
        add_field(format, &stored, &print, name, name_end);
        stored.found = stored.network = stored.compact = false;
        name = text;
        name_end = NULL;
    }
    return true;
}
