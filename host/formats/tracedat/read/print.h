/* print.h - the print format of an event: what it tells about the fields, and the same for the fields of a type. */
#ifndef TRACEDAT_READ_PRINT_H
#define TRACEDAT_READ_PRINT_H

#include "formats/tracedat/read/format.h"

/* Learn from the print format which fields are shown as hex, only if they are not 0, or as the text they point to. */
void tracedat_print_learn(struct tracedat_format *format);

/* The print format in terms of the type that the fields become (type.h): the caller frees it. NULL if there is none or
 * it cannot be said in those terms; the fields are then shown one by one. */
char *tracedat_print_make(struct tracedat_format *format);

#endif
