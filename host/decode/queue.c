/* queue.c - see queue.h. */
#include "decode/queue.h"

/* Among equal times the lower CPU comes first, so the order does not depend on how events fell into batches. */
static bool is_before(const struct decode_queued *one, const struct decode_queued *other)
{
    return one->time < other->time || (one->time == other->time && one->cpu < other->cpu);
}

/* Put a CPU at place i, which is free, or move earlier ones up and put it where it belongs below. */
static void sink(struct decode_queue *queue, unsigned i, struct decode_queued cpu)
{
    struct decode_queued *at = queue->at;
    for (unsigned child; (child = 2u * i + 1u) < queue->n; i = child) {
        if (child + 1u < queue->n && is_before(&at[child + 1u], &at[child]))
            child++;
        if (!is_before(&at[child], &cpu))
            break;
        at[i] = at[child];
    }
    at[i] = cpu;
}

void decode_queue_begin(struct decode_queue *queue)
{
    for (unsigned i = queue->n / 2u; i > 0; i--)
        sink(queue, i - 1u, queue->at[i - 1u]);
}

int decode_queue_fill(struct decode_queue *queue, struct decode_source *source,
                      int (*next)(struct decode_source *source, unsigned cpu))
{
    for (unsigned cpu = 0; cpu < source->trace.ncpus; cpu++) {
        int got = next(source, cpu);
        if (got < 0)
            return -1;
        if (got > 0)
            queue->at[queue->n++] = (struct decode_queued){decode_lane_time(&source->lanes[cpu]), cpu};
    }
    decode_queue_begin(queue);
    return 0;
}

void decode_queue_next(struct decode_queue *queue, bool has_event, const struct decode_lane *lane)
{
    if (has_event)
        sink(queue, 0, (struct decode_queued){decode_lane_time(lane), queue->at[0].cpu});
    else if (--queue->n > 0)
        sink(queue, 0, queue->at[queue->n]);
}

uint64_t decode_queue_second(const struct decode_queue *queue)
{
    uint64_t time = queue->n > 1 ? queue->at[1].time : UINT64_MAX;
    return queue->n > 2 && queue->at[2].time < time ? queue->at[2].time : time;
}
