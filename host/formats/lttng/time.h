/* time.h - stamps of LTTng traces to real time, exactly.
 *
 *   time = start_time + (tsc - start_tsc) / frequency
 *
 * rounded down to ns. (The document of 2008 multiplies by the frequency, which cannot be meant.) The frequency is a
 * fraction, freq / divisor, since headers of version 2.2 and later have it so. Products fit in 128 bits: they have up
 * to 64 + 30 + 32.
 */
#ifndef LTTNG_TIME_H
#define LTTNG_TIME_H

#include "model/ticks.h"

#include <stdbool.h>

struct lttng_clock {
    uint64_t freq;      /* ticks in divisor seconds; 0 = unknown: ticks are taken for ns */
    uint32_t divisor;   /* not 0 */
    uint64_t start_tsc; /* stamp at start_ns */
    uint64_t start_ns;  /* real time, ns since 1970 */
};

/* ns of so many ticks, rounded down or up; UINT64_MAX for more than 64 bits can hold. */
static inline uint64_t lttng_span(const struct lttng_clock *clock, uint64_t ticks, bool up)
{
    uint64_t freq = ticks_clock(clock->freq);
    ticks_wide product = (ticks_wide)ticks * TICKS_NS_PER_S * clock->divisor;
    ticks_wide ns = (product + (up ? freq - 1u : 0u)) / freq;
    return ns > UINT64_MAX ? UINT64_MAX : (uint64_t)ns;
}

/* The real time of a full stamp, which may be before start_tsc; 0 for times before 1970, UINT64_MAX for times beyond 64
 * bits. */
static inline uint64_t lttng_ns(const struct lttng_clock *clock, uint64_t tsc)
{
    uint64_t span;
    if ((int64_t)(tsc - clock->start_tsc) < 0) {
        span = lttng_span(clock, clock->start_tsc - tsc, true);
        return span > clock->start_ns ? 0 : clock->start_ns - span;
    }
    span = lttng_span(clock, tsc - clock->start_tsc, false);
    return span > UINT64_MAX - clock->start_ns ? UINT64_MAX : clock->start_ns + span;
}

#endif
