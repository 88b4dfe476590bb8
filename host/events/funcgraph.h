/* funcgraph.h - functions entered and left, as the events of Linux's function graph tracer.
 *
 * A reader gives out funcgraph_entry and funcgraph_exit events in which only the function is set; their payloads have
 * room for all fields. Depths and times are filled in here, when the mapping has found the task of each event.
 *
 * Vocabulary
 *   frame   a function that was entered and not left yet
 *   stack   the frames of one task on one CPU
 *   depth   how many frames are below a function's own
 */
#ifndef EVENTS_FUNCGRAPH_H
#define EVENTS_FUNCGRAPH_H

#include "model/trace.h"

extern const struct trace_type funcgraph_entry;    /* func, depth */
extern const struct trace_type funcgraph_exit;     /* func, calltime, rettime, overrun, depth */
extern const struct trace_type funcgraph_function; /* ip, parent_ip: the form without a graph */

#define FUNCGRAPH_ENTRY_BYTES    12u
#define FUNCGRAPH_EXIT_BYTES     32u
#define FUNCGRAPH_FUNCTION_BYTES 16u

struct funcgraph;

/* No stacks yet; the trace stays the caller's. NULL: no memory. */
struct funcgraph *funcgraph_new(struct trace *trace);

/* Fill in the entries and exits of a batch, whose payloads are in room. A function's exit also ends the functions that
 * it has entered and that were not left. An exit whose entry is not known, because the entry was lost or is deeper than
 * 64 frames, has overrun 1 and calltime = rettime. A loss or damage empties all stacks of its CPU. 0, or -1 after
 * trace_fail(). */
int funcgraph_batch(struct funcgraph *graph, unsigned cpu, const struct trace_batch *batch, unsigned char *room);

/* Free it; NULL is allowed. */
void funcgraph_free(struct funcgraph *graph);

#endif
