/* queue.h - CPUs in the order of time: which one has the earliest event. */
#ifndef DECODE_QUEUE_H
#define DECODE_QUEUE_H

#include "decode/source.h"

/* A CPU in a queue, with the time of its next event. */
struct decode_queued {
    uint64_t time;
    unsigned cpu;
};

/* CPUs that have a next event, as a heap: none is later than those at 2 i + 1 and 2 i + 2. */
struct decode_queue {
    struct decode_queued *at; /* n of them; the first one is the earliest */
    unsigned n;
};

/* Queue all CPUs of a source that have a next event. next() puts it into the CPU's lane, and returns 1; 0: there is
 * none; -1 after trace_fail(). The queue has room for all CPUs. 0, or -1 as next(). */
int decode_queue_fill(struct decode_queue *queue, struct decode_source *source,
                      int (*next)(struct decode_source *source, unsigned cpu));

/* Make a queue of CPUs that are in any order. */
void decode_queue_begin(struct decode_queue *queue);

/* The first CPU's last event is done. Its next one is in the lane, unless has_event is false: then there is none. */
void decode_queue_next(struct decode_queue *queue, bool has_event, const struct decode_lane *lane);

/* The earliest time of all CPUs but the first one. */
uint64_t decode_queue_second(const struct decode_queue *queue);

#endif
