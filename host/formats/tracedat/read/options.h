/* options.h - what the options of a trace.dat file say about buffers, CPUs and times. */
#ifndef TRACEDAT_READ_OPTIONS_H
#define TRACEDAT_READ_OPTIONS_H

#include "formats/tracedat/read/file.h"

/* Take the content of an option, which the cursor is at the beginning of and ends with. Options that neither place nor
 * time an event are left alone: they describe the recording. Damage is told with trace_damage(). */
void tracedat_take_option(struct tracedat_file *file, unsigned id, struct cursor *cursor);

#endif
