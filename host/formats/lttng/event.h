/* event.h - the events of one file of a trace, in the order of time. */
#ifndef LTTNG_EVENT_H
#define LTTNG_EVENT_H

#include "formats/lttng/stream.h"

/* Go to the next event that is to be given out: its time is stream->tsc. Descriptions and heartbeats on the way are
 * used, damage is reported and left out. lttng_stream_start() was called before. Returns false at the end of the
 * file. */
bool lttng_event_next(struct lttng_stream *stream);

#endif
