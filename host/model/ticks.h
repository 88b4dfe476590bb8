/* ticks.h - ticks of a clock to ns, and from an event's ns back to the ticks it was made of, exactly.
 *
 * Readers round down: ns = floor(ticks * 10^9 / hz). So with x = ns * hz / 10^9 the ticks are x <= ticks < x + hz /
 * 10^9. Up to 1 GHz that range is not longer than 1 and has one whole number, ceil(x). Above 1 GHz several ticks are in
 * one ns. Which of them it was is kept as the rest: ticks - ceil(x). It is less than hz / 10^9, which fits 16 bits for
 * every clock that a record can tell (2^32 ticks per ms).
 *
 * In all functions hz is the clock's frequency; 0 = not known, then ticks are taken for ns.
 */
#ifndef MODEL_TICKS_H
#define MODEL_TICKS_H

#include <stdint.h>

#define TICKS_NS_PER_S 1000000000u

/* The frequency to compute with. */
static inline uint64_t ticks_clock(uint64_t hz)
{
    return hz == 0 ? TICKS_NS_PER_S : hz;
}

__extension__ typedef unsigned __int128 ticks_wide;

/* Ticks in ns, rounded down; UINT64_MAX if they are more than that. */
static inline uint64_t ticks_ns(uint64_t ticks, uint64_t hz)
{
    ticks_wide ns = (ticks_wide)ticks * TICKS_NS_PER_S / ticks_clock(hz);
    return ns > UINT64_MAX ? UINT64_MAX : (uint64_t)ns;
}

/* The first tick in a ns. */
static inline uint64_t ticks_first(uint64_t ns, uint64_t hz)
{
    return (uint64_t)(((ticks_wide)ns * ticks_clock(hz) + TICKS_NS_PER_S - 1u) / TICKS_NS_PER_S);
}

/* The rest of ticks whose ns are ns: how many ticks they are after the first one in that ns. */
static inline uint16_t ticks_rest(uint64_t ticks, uint64_t ns, uint64_t hz)
{
    return hz <= TICKS_NS_PER_S ? 0 : (uint16_t)(ticks - ticks_first(ns, hz));
}

#endif
