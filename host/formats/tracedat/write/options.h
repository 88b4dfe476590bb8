/* options.h - the options of a trace.dat file that describe the trace. They are written last, when all is counted. */
#ifndef TRACEDAT_WRITE_OPTIONS_H
#define TRACEDAT_WRITE_OPTIONS_H

#include "formats/tracedat/ids.h"
#include "formats/tracedat/write/writer.h"

/* Add the head of an option. The caller adds its data, and sets its size by giving what is returned to
 * tracedat_set_size_32(). Texts in an option have their NUL. */
size_t tracedat_begin_option(struct tracedat_piece *piece, enum tracedat_option_id id);

/* Add all options that do not depend on the version of the file, to writer->piece. All pages must be in the file. */
void tracedat_add_options(struct tracedat_writer *writer);

/* What the clock of the events is called: its name, and its name in brackets among those of others. */
const char *tracedat_clock_name(const struct tracedat_writer *writer);
const char *tracedat_clock_list(const struct tracedat_writer *writer);

#endif
