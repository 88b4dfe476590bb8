/* readers.h - the table of all readers. Each is defined in the folder of its format. */
#ifndef LIBRARY_READERS_H
#define LIBRARY_READERS_H

#include "model/module.h"

extern const struct trace_reader reader_native;
extern const struct trace_reader reader_tracedat;
extern const struct trace_reader reader_shark;
extern const struct trace_reader reader_kev;
extern const struct trace_reader reader_lttng;

/* The table ends with NULL and has the order of --list-formats. The order also decides ties: if several readers are
 * equally sure of an input, the first one is taken. */
extern const struct trace_reader *const library_readers[];

/* The reader of that name. NULL: there is none. */
const struct trace_reader *library_reader_named(const char *name);

#endif
