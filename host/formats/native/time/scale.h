/* scale.h - from stamps of any clock to ns: exact, at the cost of two multiplications each. */
#ifndef NATIVE_SCALE_H
#define NATIVE_SCALE_H

#include <stdbool.h>
#include <stdint.h>

#define NATIVE_NS_PER_S 1000000000u

/* From ticks to ns, rounded down, exactly: ns = base_ns + (d * 10^9 + rest) / hz for the d ticks since base, where
 * base_ns * hz + rest = base * 10^9 and rest < hz.
 *
 * The quotient v / hz is (v + 1) * reciprocal / 2^k with reciprocal = floor((2^k - 1) / hz), 2^k = 2^64 * 2^shift and
 * 2^shift <= hz < 2 * 2^shift, so that the reciprocal has 64 bits. With 2^k = reciprocal * hz + e, 0 < e <= hz, it is
 * (v + 1) / hz * (1 - e / 2^k): below (v + 1) / hz, so never too high, and not too low as long as (v + 1) * e <= 2^k.
 * That is so for v < 2^62, and v is below that because d < 2^32. */
struct native_scale {
    uint64_t hz; /* 10^9 if the clock is unknown: then ns are ticks */
    uint64_t reciprocal;
    unsigned shift;
    uint64_t base, base_ns, rest;
};

/* Ticks that a scale reaches from its base on. */
#define NATIVE_SCALE_SPAN ((uint64_t)1 << 32)

__extension__ typedef unsigned __int128 native_uint128;

/* Move the base of a scale to that stamp. The scale reaches NATIVE_SCALE_SPAN ticks from its base on. */
static inline void native_scale_move(struct native_scale *scale, uint64_t ticks)
{
    native_uint128 ns = (native_uint128)ticks * NATIVE_NS_PER_S / scale->hz;

    scale->base = ticks;
    scale->rest = (uint64_t)((native_uint128)ticks * NATIVE_NS_PER_S % scale->hz);
    scale->base_ns = ns > UINT64_MAX ? UINT64_MAX : (uint64_t)ns;
}

/* Make a scale for a clock of hz ticks per second, below 2^62; 0 = unknown. Its base is 0. */
static inline void native_scale_set(struct native_scale *scale, uint64_t hz)
{
    scale->hz = hz ? hz : NATIVE_NS_PER_S;
    scale->shift = 63u - (unsigned)__builtin_clzll(scale->hz);
    scale->reciprocal = (uint64_t)((((native_uint128)1 << (64u + scale->shift)) - 1u) / scale->hz);
    native_scale_move(scale, 0);
}

/* Whether the scale reaches a stamp. */
static inline bool native_scale_reaches(const struct native_scale *scale, uint64_t ticks)
{
    return ticks - scale->base < NATIVE_SCALE_SPAN;
}

/* The ns of a stamp that the scale reaches. UINT64_MAX: they need more than 64 bits. */
static inline uint64_t native_scale_near(const struct native_scale *scale, uint64_t ticks)
{
    uint64_t dividend = (ticks - scale->base) * NATIVE_NS_PER_S + scale->rest;
    uint64_t ns = (uint64_t)((native_uint128)(dividend + 1u) * scale->reciprocal >> 64) >> scale->shift;
    return __builtin_add_overflow(ns, scale->base_ns, &ns) ? UINT64_MAX : ns;
}

/* The ns of any stamp. Moves the scale if it does not reach it. */
static inline uint64_t native_scale_ns(struct native_scale *scale, uint64_t ticks)
{
    if (!native_scale_reaches(scale, ticks))
        native_scale_move(scale, ticks);
    return native_scale_near(scale, ticks);
}

#endif
