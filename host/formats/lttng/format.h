/* format.h - marker formats: from text such as "name %s id #2u%u" to fields. */
#ifndef LTTNG_FORMAT_H
#define LTTNG_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LTTNG_FIELDS_MAX 32u /* of a marker; the rest of its payload is skipped */
#define LTTNG_NAME_BYTES 48u /* of a field's name, with its NUL */

/* How a field is shown. */
enum lttng_conversion { LTTNG_UNSIGNED, LTTNG_SIGNED, LTTNG_HEX, LTTNG_ADDRESS, LTTNG_OPTIONAL, LTTNG_TEXT };

struct lttng_field {
    enum lttng_conversion conversion;
    uint8_t size;    /* bytes in the trace: 1, 2, 4 or 8; 0 = a string */
    bool network;    /* big-endian, whatever the byte order of the trace */
    bool compact;    /* lies in the header of a compact event */
    uint16_t offset; /* in the model's payload; set when the type is declared */
};

/* Bytes of C's types on the traced machine, and the most that something is aligned to; 0 = nothing is aligned. */
struct lttng_sizes {
    uint8_t of_int, of_long, of_pointer, of_size_t, alignment;
};

struct lttng_format {
    unsigned n;    /* fields */
    unsigned more; /* fields behind the first LTTNG_FIELDS_MAX, which are not kept */
    struct lttng_field field[LTTNG_FIELDS_MAX];
    char name[LTTNG_FIELDS_MAX][LTTNG_NAME_BYTES]; /* [A-Za-z0-9_]+, all different */
};

/* Take a format apart. Returns false if one of its conversions makes no sense. */
bool lttng_format_parse(struct lttng_format *format, const char *text, const struct lttng_sizes *sizes);

/* Copy up to n bytes of a text, with "_" for all that is no letter, digit or "_"; at most room - 1 bytes, then a
 * NUL. */
void lttng_plain_name(char *to, size_t room, const char *from, size_t n);

#endif
