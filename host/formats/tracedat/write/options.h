/* options.h - the options of a trace.dat file that describe the trace. They are written last, when all events are
 * counted. */
#ifndef TRACEDAT_WRITE_OPTIONS_H
#define TRACEDAT_WRITE_OPTIONS_H

#include "formats/tracedat/ids.h"
#include "formats/tracedat/write/writer.h"

/* Add the head of an option. The caller adds the data, texts with their NUL, and then sets the size: it calls
 * tracedat_set_size_32() with what is returned here. */
size_t tracedat_begin_option(struct tracedat_piece *piece, enum tracedat_option_id id);

/* Add all options that are the same in all versions to writer->piece. All pages must be in the file. */
void tracedat_add_options(struct tracedat_writer *writer);

/* The name of the clock of the events; and a list of clocks with that name in brackets: "[local] global counter". */
const char *tracedat_clock_name(const struct tracedat_writer *writer);
const char *tracedat_clock_list(const struct tracedat_writer *writer);

#endif
