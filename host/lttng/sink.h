/* sink.h - one file of an LTTng 1.0 trace that is written: blocks of one size, filled event by event.
 *
 * The first error sticks in the trace; after it, nothing is written.
 */
#ifndef LTTNG_SINK_H
#define LTTNG_SINK_H

#include "lttng/block.h"

struct trace;

struct lttng_sink {
    struct trace *trace;
    struct lttng_header form; /* what the headers of all blocks have in common; size: of a block */
    uint32_t arch_type;
    int fd; /* -1 = not open */
    bool compact;
    uint32_t at; /* in the block; 0 = it has no event yet */
    uint64_t begin, last;
    unsigned char *block;
};

/* Create the file below a directory. 0, or -1 after trace_fail(). */
int lttng_sink_open(struct lttng_sink *sink, int directory, const char *path);

/* Add an event of that time, not before the last one's. False if no block can hold it; nothing is written then.
 * With heartbeats, one is put before it if its stamp alone could not tell its time. */
bool lttng_sink_event(struct lttng_sink *sink, uint32_t id, uint64_t tsc, const unsigned char *payload, size_t n);

/* Write the last block; a file without events gets one with a heartbeat at time tsc. 0, or -1 after trace_fail(). */
int lttng_sink_close(struct lttng_sink *sink, uint64_t tsc);

/* Close and free without writing. */
void lttng_sink_drop(struct lttng_sink *sink);

#endif
