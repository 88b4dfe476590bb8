/* format.h - the formats of the types of events, as sections of a trace.dat file. */
#ifndef TRACEDAT_WRITE_FORMAT_H
#define TRACEDAT_WRITE_FORMAT_H

#include "model/trace.h"

struct tracedat_piece;

/* Add the formats of all types of the system ftrace. */
void tracedat_add_ftrace_events(struct tracedat_piece *piece, const struct trace *trace);

/* Add the formats of all other types, and last that of the writer's own event, "end_of_trace". */
void tracedat_add_event_formats(struct tracedat_piece *piece, const struct trace *trace);

#endif
