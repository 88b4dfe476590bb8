/* time.h - cycle counts of LTTng traces to real time and back, exactly.
 *
 *   time = start_time + (tsc - start_tsc) / frequency
 *
 * rounded down to ns. (The document of 2008 multiplies by the frequency, which cannot be meant.) The frequency is a
 * fraction, freq / divisor: version 2.2 and later divide. Products have 128 bits: 64 + 30 + 32 at most.
 */
#ifndef LTTNG_TIME_H
#define LTTNG_TIME_H

#include "model/ticks.h"

struct lttng_clock {
    uint64_t freq; /* 0 = unknown: ticks are taken for ns */
    uint32_t divisor;
    uint64_t start_tsc;
    uint64_t start_ns; /* since 1970 */
};

/* ns of so many ticks, rounded down, or up; the highest value there is for more. */
static inline uint64_t lttng_span(const struct lttng_clock *clock, uint64_t ticks, bool up)
{
    uint64_t freq = ticks_clock(clock->freq);
    ticks_wide product = (ticks_wide)ticks * TICKS_NS_PER_S * clock->divisor;
    ticks_wide ns = (product + (up ? freq - 1u : 0u)) / freq;

    return ns > UINT64_MAX ? UINT64_MAX : (uint64_t)ns;
}

/* The real time of a cycle count; what lies before 1970 or beyond 64 bits is 0 or the highest value there is. */
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
