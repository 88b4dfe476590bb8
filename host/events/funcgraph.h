/* funcgraph.h - functions entered and left, in the words of Linux's function graph tracer.
 *
 * A reader gives out funcgraph_entry and funcgraph_exit events that only have the function; when the mapping has said
 * which task each belongs to, depths and times are filled in here.
 *
 * Vocabulary
 *   frame   a function that was entered and not left; a stack of them is kept per CPU and task
 *   depth   frames below
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

/* NULL: no memory. */
struct funcgraph *funcgraph_new(struct trace *trace);

/* Fill in the batch's entries and exits, whose payloads are in room. Functions that were entered above the one left
 * are taken for left as well. An exit whose entry is not known, because it was lost or is more than 64 frames up, has
 * overrun 1 and calltime = rettime. A loss ends all stacks of its CPU. 0, or -1 after trace_fail(). */
int funcgraph_batch(struct funcgraph *graph, unsigned cpu, const struct trace_batch *batch, unsigned char *room);

/* NULL is allowed. */
void funcgraph_free(struct funcgraph *graph);

#endif
