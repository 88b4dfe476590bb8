/* native_scale.h - ticks of any clock to ns, exactly, at the cost of two multiplications. Private to the native reader.
 */
#ifndef NATIVE_SCALE_H
#define NATIVE_SCALE_H

#include <stdint.h>

#define NATIVE_NS_PER_S 1000000000u

/* From ticks to ns, rounded down, exactly: ns = base_ns + (d * 10^9 + rest) / hz for the d ticks since base, where
 * base_ns * hz + rest = base * 10^9 and rest < hz. With d < 2^33 the dividend v stays below 2^64. The quotient is
 * guessed as v * reciprocal / 2^64 with reciprocal = floor(2^64 / hz): it is never too high, and too low by 1 at most,
 * because v / hz - v * reciprocal / 2^64 < v / 2^64 < 1. */
struct native_scale {
    uint64_t hz; /* 10^9 if the clock is unknown: then ns are ticks */
    uint64_t reciprocal;
    uint64_t base, base_ns, rest;
};

#define NATIVE_SCALE_SPAN ((uint64_t)1 << 33)

__extension__ typedef unsigned __int128 native_wide;

static inline void native_scale_move(struct native_scale *scale, uint64_t ticks)
{
    native_wide ns = (native_wide)ticks * NATIVE_NS_PER_S / scale->hz;

    scale->base = ticks;
    scale->rest = (uint64_t)((native_wide)ticks * NATIVE_NS_PER_S % scale->hz);
    scale->base_ns = ns > UINT64_MAX ? UINT64_MAX : (uint64_t)ns;
}

static inline void native_scale_set(struct native_scale *scale, uint64_t hz)
{
    scale->hz = hz ? hz : NATIVE_NS_PER_S;
    scale->reciprocal = (uint64_t)((((native_wide)1 << 64) - (scale->hz == 1u)) / scale->hz);
    native_scale_move(scale, 0);
}

/* ns of ticks that are less than NATIVE_SCALE_SPAN after the base. More than 64 bits: the highest value there is. */
static inline uint64_t native_scale_near(const struct native_scale *scale, uint64_t ticks)
{
    uint64_t dividend = (ticks - scale->base) * NATIVE_NS_PER_S + scale->rest;
    uint64_t ns = (uint64_t)((native_wide)dividend * scale->reciprocal >> 64);

    ns += dividend - ns * scale->hz >= scale->hz;
    return __builtin_add_overflow(ns, scale->base_ns, &ns) ? UINT64_MAX : ns;
}

static inline uint64_t native_scale_ns(struct native_scale *scale, uint64_t ticks)
{
    if (ticks - scale->base >= NATIVE_SCALE_SPAN)
        native_scale_move(scale, ticks);
    return native_scale_near(scale, ticks);
}

#endif
