/* bprint.h - what trace_printk() would have printed. */
#ifndef TRACEDAT_READ_BPRINT_H
#define TRACEDAT_READ_BPRINT_H

#include "formats/tracedat/read/file.h"

/* Write what printf() makes of the format and the arguments, which the kernel packed into size bytes: a text of less
 * than room bytes, and a NUL. Returns its length. Where a conversion cannot be understood or the arguments end early,
 * the rest of the format is written as it is, and behind it all arguments in hex. */
size_t tracedat_bprint(const struct tracedat_file *file, char *to, size_t room, const char *format,
                       const unsigned char *args, size_t size);

#endif
