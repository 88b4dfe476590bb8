/* ticks.h - ticks of a clock to ns, and from an event's ns back to the ticks it was made of, exactly.
 *
 * Readers round down: ns = floor(t * 10^9 / hz). So x <= t < x + hz / 10^9 with x = ns * hz / 10^9. Up to 1 GHz that
 * span is not longer than 1 and holds one whole number, ceil(x). Above 1 GHz several ticks share a ns; which of them it
 * was is kept as the rest: t - ceil(x), less than hz / 10^9 and thus of 16 bits for clocks that a record can tell (2^32
 * per ms).
 */
#ifndef MODEL_TICKS_H
#define MODEL_TICKS_H

#include <stdint.h>

#define TICKS_NS_PER_S 1000000000u

/* A clock of unknown frequency, hz = 0, has its ticks taken for ns. */
static inline uint64_t ticks_clock(uint64_t hz)
{
    return hz == 0 ? TICKS_NS_PER_S : hz;
}

__extension__ typedef unsigned __int128 ticks_wide;

/* The highest value there is for more ns than that. */
static inline uint64_t ticks_ns(uint64_t ticks, uint64_t hz)
{
    ticks_wide ns = (ticks_wide)ticks * TICKS_NS_PER_S / ticks_clock(hz);

    return ns > UINT64_MAX ? UINT64_MAX : (uint64_t)ns;
}

/* The first tick that lies in that ns. */
static inline uint64_t ticks_first(uint64_t ns, uint64_t hz)
{
    return (uint64_t)(((ticks_wide)ns * ticks_clock(hz) + TICKS_NS_PER_S - 1u) / TICKS_NS_PER_S);
}

static inline uint16_t ticks_rest(uint64_t ticks, uint64_t ns, uint64_t hz)
{
    return hz <= TICKS_NS_PER_S ? 0 : (uint16_t)(ticks - ticks_first(ns, hz));
}

#endif
