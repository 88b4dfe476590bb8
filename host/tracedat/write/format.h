/* format.h - the event formats of a trace.dat file. Private to the trace.dat writer.
 *
 * Vocabulary
 *   format  the text that tells a reader what fields an event has and how to print them
 *   system  the group an event belongs to; ftrace is the one with a section of its own
 */
#ifndef TRACEDAT_WRITE_FORMAT_H
#define TRACEDAT_WRITE_FORMAT_H

#include "model/trace.h"

struct tracedat_piece;

/* Content of the section of ftrace events. */
void tracedat_add_ftrace_events(struct tracedat_piece *piece, const struct trace *trace);

/* Content of the section of all other events. Ends with the one the writer adds itself, so there always is one. */
void tracedat_add_event_formats(struct tracedat_piece *piece, const struct trace *trace);

#endif
