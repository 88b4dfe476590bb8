/* format.h - marker formats: text to fields. See lttng/marker.h. */
#ifndef LTTNG_FORMAT_H
#define LTTNG_FORMAT_H

#include "lttng/marker.h"

#define LTTNG_NAME_BYTES 48u /* of a field, with its NUL */

struct lttng_format {
    unsigned n;
    unsigned more; /* fields there was no place for */
    struct lttng_field field[LTTNG_FIELDS_MAX];
    char name[LTTNG_FIELDS_MAX][LTTNG_NAME_BYTES]; /* [A-Za-z0-9_]+, all different */
};

/* False if a conversion makes no sense. */
bool lttng_format_parse(struct lttng_format *format, const char *text, const struct lttng_sizes *sizes);

/* Copy with everything but letters, digits and "_" made "_"; at most room - 1 bytes. */
void lttng_plain_name(char *to, size_t room, const char *from, size_t n);

#endif
