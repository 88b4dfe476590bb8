/* waiting.h - which CPU comes next in the order of time: CPUs that wait with their next event, as a heap. */
#ifndef DECODE_WAITING_H
#define DECODE_WAITING_H

#include <stdbool.h>
#include <stdint.h>

/* A CPU, and the time of the event that it waits with. */
struct decode_waiter {
    uint64_t time;
    unsigned cpu;
};

/* None is later than those at 2 i + 1 and 2 i + 2. */
struct decode_waiting {
    struct decode_waiter *at; /* n of them; the first one is the next to come */
    unsigned n;
};

/* Among equal times the lower CPU comes first, so the order does not depend on how events fell into batches. */
static inline bool decode_waits_before(const struct decode_waiter *one, const struct decode_waiter *other)
{
    return one->time < other->time || (one->time == other->time && one->cpu < other->cpu);
}

/* Put a waiter where place i is free, or further below. */
static inline void decode_waiting_sink(struct decode_waiting *waiting, unsigned i, struct decode_waiter waiter)
{
    struct decode_waiter *at = waiting->at;
    for (unsigned child; (child = 2u * i + 1u) < waiting->n; i = child) {
        if (child + 1u < waiting->n && decode_waits_before(&at[child + 1u], &at[child]))
            child++;
        if (!decode_waits_before(&at[child], &waiter))
            break;
        at[i] = at[child];
    }
    at[i] = waiter;
}

/* Make a heap of waiters in any order. */
static inline void decode_waiting_sort(struct decode_waiting *waiting)
{
    for (unsigned i = waiting->n / 2u; i > 0; i--)
        decode_waiting_sink(waiting, i - 1u, waiting->at[i - 1u]);
}

/* The first one does not wait any more. */
static inline void decode_waiting_drop(struct decode_waiting *waiting)
{
    if (--waiting->n > 0)
        decode_waiting_sink(waiting, 0, waiting->at[waiting->n]);
}

/* The earliest time of all but the first one. */
static inline uint64_t decode_waiting_others(const struct decode_waiting *waiting)
{
    uint64_t time = waiting->n > 1 ? waiting->at[1].time : UINT64_MAX;
    return waiting->n > 2 && waiting->at[2].time < time ? waiting->at[2].time : time;
}

#endif
