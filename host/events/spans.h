/* spans.h - spans that a firmware defines: from the event NAME_begin to NAME_end, in one task or interrupt.
 *
 * A reader gives out both events with room for all fields. Depths and durations are filled in here, when the mapping
 * has found the task of each event.
 *
 * Vocabulary
 *   open    said of a span that has begun and not ended
 *   stack   the open spans of one task on one CPU
 *   depth   how many spans were open when a span began
 */
#ifndef EVENTS_SPANS_H
#define EVENTS_SPANS_H

#include "model/trace.h"

/* The fields of both types, by which they are known, and their print formats. A reader declares the type of a span's
 * end right behind that of its beginning. */
extern const struct trace_field spans_begin_fields[], spans_end_fields[];
extern const char spans_begin_print[], spans_end_print[];

#define SPANS_BEGIN_FIELDS 1u /* depth */
#define SPANS_END_FIELDS   3u /* duration, depth, begun */
#define SPANS_BEGIN_BYTES  8u
#define SPANS_END_BYTES    16u

#define SPANS_BEGIN_SUFFIX "_begin" /* of the types' names, behind the span's */
#define SPANS_END_SUFFIX   "_end"

struct spans;

/* No span is open; the trace stays the caller's. NULL: no memory. */
struct spans *spans_new(struct trace *trace);

/* Fill in the spans of a batch, whose payloads are in room. The end of a span also ends those that began in it and have
 * not ended. A loss or damage forgets all that is open on its CPU. 0, or -1 after trace_fail(). */
int spans_batch(struct spans *spans, unsigned cpu, const struct trace_batch *batch, unsigned char *room);

/* Tell the user of ends without a beginning, and of beginnings without an end: all events have come. */
void spans_tell(const struct spans *spans);

/* Free it; NULL is allowed. */
void spans_free(struct spans *spans);

#endif
