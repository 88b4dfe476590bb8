/* nesting.h - what begins and ends within a task, one inside the other: functions, and the spans that a firmware
 * defines.
 *
 *   functions   entered and left, as the events of Linux's function graph tracer
 *   spans       from the event NAME_begin to NAME_end, in one task, or in the interrupts that come while it runs
 *
 * A reader gives out these events with room for all fields; of a function only the address is set. Depths and times are
 * filled in here, when the mapping has found the task of each event.
 *
 * Vocabulary
 *   frame   a function or a span that has begun and not ended
 *   stack   the frames of one task on one CPU; functions and spans have stacks of their own
 *   depth   how many frames were on the stack when a function or a span began
 */
#ifndef EVENTS_NESTING_H
#define EVENTS_NESTING_H

#include "model/trace.h"

/* ---- functions --------------------------------------------------------------------------------------------------- */

extern const struct tlog_type funcgraph_entry;    /* func, depth */
extern const struct tlog_type funcgraph_exit;     /* func, calltime, rettime, overrun, depth */
extern const struct tlog_type funcgraph_function; /* ip, parent_ip: the form without a graph */

#define FUNCGRAPH_ENTRY_BYTES    12u
#define FUNCGRAPH_EXIT_BYTES     32u
#define FUNCGRAPH_FUNCTION_BYTES 16u

/* ---- spans ------------------------------------------------------------------------------------------------------- */

/* The fields of both types, by which they are known, and their print formats. A reader declares the type of a span's
 * end right behind that of its beginning. */
extern const struct tlog_field spans_begin_fields[], spans_end_fields[];
extern const char spans_begin_print[], spans_end_print[];

#define SPANS_BEGIN_FIELDS 1u /* depth */
#define SPANS_END_FIELDS   3u /* duration, depth, begun */
#define SPANS_BEGIN_BYTES  8u
#define SPANS_END_BYTES    16u

#define SPANS_BEGIN_SUFFIX "_begin" /* of the types' names, behind the span's */
#define SPANS_END_SUFFIX   "_end"

/* ---- both -------------------------------------------------------------------------------------------------------- */

struct nesting;

/* No stacks yet; the trace stays the caller's. NULL: no memory. */
struct nesting *nesting_new(struct trace *trace);

/* Fill in the functions and spans of a batch. room: the memory of its payloads. The end of a function or span also ends
 * all that began inside it and has not ended. The exit of a function whose entry is not known, because it was lost or
 * is deeper than 64 frames, has overrun 1 and calltime = rettime. A loss or damage empties all stacks of its CPU. 0, or
 * -1 after trace_fail(). */
int nesting_batch(struct nesting *nesting, unsigned cpu, const struct trace_batch *batch, unsigned char *room);

/* Tell the user of spans without a beginning, and of those without an end: all events have come. */
void nesting_tell(const struct nesting *nesting);

/* Free it; NULL is allowed. */
void nesting_free(struct nesting *nesting);

#endif
