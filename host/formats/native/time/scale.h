/* scale.h - from stamps of any clock to ns: exact, at the cost of two multiplications each. */
#ifndef NATIVE_SCALE_H
#define NATIVE_SCALE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NATIVE_NS_PER_S 1000000000u

/* From ticks to ns, rounded down, exactly: ns = base_ns + (d * 10^9 + rest) / hz for the d ticks since base, where
 * base_ns * hz + rest = base * 10^9 and rest < hz.
 *
 * The quotient v / hz is (v + 1) * reciprocal / 2^k with reciprocal = floor((2^k - 1) / hz), 2^k = 2^64 * 2^shift and
 * 2^shift <= hz < 2 * 2^shift, so that the reciprocal has 64 bits. With 2^k = reciprocal * hz + e, 0 < e <= hz, it is
 * (v + 1) / hz * (1 - e / 2^k): below (v + 1) / hz, so never too high, and not too low as long as (v + 1) * e <= 2^k.
 * That is so for v < 2^62, and v is below that because d < 2^32.
 *
 * A clock whose rate changes has pieces, each with its rate. The scale reaches to the end of the piece with its
 * base. */
struct native_scale {
    uint64_t hz; /* 10^9 if the clock is unknown: then ns are ticks */
    uint64_t reciprocal;
    unsigned shift;
    uint64_t base, base_ns, rest;
    uint64_t span;                   /* ticks that it reaches from its base on */
    uint64_t told_hz;                /* what the trace tells as the clock's rate: hz, or 10^9 if that changes */
    const struct native_rate *first; /* of a clock that changes: the pieces; else NULL */
    const struct native_rate *end;   /* behind the last one */
    const struct native_rate *rate;  /* the one with the base */
};

/* A piece of the time in which the clock has one rate: from `ticks` on to the next piece. */
struct native_rate {
    uint64_t ticks, ns, rest; /* ns * hz + rest = 10^9 * hz * time, rest < hz */
    uint64_t hz;
};

/* Ticks that a scale reaches at most. */
#define NATIVE_SCALE_SPAN ((uint64_t)1 << 32)

__extension__ typedef unsigned __int128 native_uint128;

/* Set the rate of a scale, below 2^62. */
static inline void native_scale_rate(struct native_scale *scale, uint64_t hz)
{
    scale->hz = hz;
    scale->shift = 63u - (unsigned)__builtin_clzll(hz);
    scale->reciprocal = (uint64_t)((((native_uint128)1 << (64u + scale->shift)) - 1u) / hz);
}

/* Go to the piece that a stamp is in. */
static inline void native_scale_piece(struct native_scale *scale, uint64_t ticks)
{
    size_t n = (size_t)(scale->end - scale->first), low = 0;
    while (n > 1u) {
        size_t half = n / 2u;
        low += scale->first[low + half].ticks <= ticks ? half : 0;
        n -= half;
    }
    if (scale->rate != &scale->first[low])
        native_scale_rate(scale, scale->first[low].hz);
    scale->rate = &scale->first[low];
    if (low + 1u < (size_t)(scale->end - scale->first) && scale->rate[1].ticks - ticks < scale->span)
        scale->span = scale->rate[1].ticks - ticks;
}

/* Move the base of a scale to that stamp. */
static inline void native_scale_move(struct native_scale *scale, uint64_t ticks)
{
    static const struct native_rate whole = {0, 0, 0, 0};
    const struct native_rate *rate = &whole;
    native_uint128 dividend, ns;

    scale->span = NATIVE_SCALE_SPAN;
    if (scale->first != NULL) {
        native_scale_piece(scale, ticks);
        rate = scale->rate;
    }
    dividend = (native_uint128)(ticks - rate->ticks) * NATIVE_NS_PER_S + rate->rest;
    ns = rate->ns + dividend / scale->hz;
    scale->base = ticks;
    scale->rest = (uint64_t)(dividend % scale->hz);
    scale->base_ns = ns > UINT64_MAX ? UINT64_MAX : (uint64_t)ns;
}

/* Make a scale for a clock of hz ticks per second, below 2^62; 0 = unknown. Its base is 0. */
static inline void native_scale_set(struct native_scale *scale, uint64_t hz)
{
    scale->first = scale->rate = scale->end = NULL;
    native_scale_rate(scale, hz ? hz : NATIVE_NS_PER_S);
    scale->told_hz = scale->hz;
    native_scale_move(scale, 0);
}

/* Make a scale for a clock that has these n pieces, one at least, of which the first begins at 0. */
static inline void native_scale_set_pieces(struct native_scale *scale, const struct native_rate *first, size_t n)
{
    native_scale_set(scale, NATIVE_NS_PER_S);
    scale->first = first;
    scale->end = first + n;
    native_scale_move(scale, 0);
}

/* Whether the scale reaches a stamp. */
static inline bool native_scale_reaches(const struct native_scale *scale, uint64_t ticks)
{
    return ticks - scale->base < scale->span;
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
