/* clock.h - the target's clock: which frequency it has, and its ticks as ns.
 *
 * Readers round down: ns = floor(ticks * 10^9 / hz). So with x = ns * hz / 10^9 the ticks of an event are x <= ticks <
 * x + hz / 10^9. Up to 1 GHz that range has one whole number, ceil(x). Above 1 GHz several ticks are in one ns; which
 * of them it was is kept as the event's rest: ticks - ceil(x). It is less than hz / 10^9, which fits 16 bits for every
 * clock that a record can tell (2^32 ticks per ms).
 *
 * In all functions hz is the clock's frequency; 0 = not known: then a tick is taken for a ns.
 */
#ifndef MODEL_CLOCK_H
#define MODEL_CLOCK_H

#include "model/trace.h"

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

/* Tell the user that times are ticks, if the clock's frequency hz is 0: not known. */
void clock_note_unknown(const struct trace *trace, uint64_t hz);

/* Choose the clock's frequency in Hz; 0 = not known. per_ms: whole ticks per millisecond, as a record of the input
 * tells them; 0 = no record does. The user's --clock-hz is more exact, and is taken if it makes the same ticks per
 * millisecond, or if no record tells any. Tells the user if it is not taken, and if no frequency is known. */
uint64_t clock_choose(const struct trace *trace, uint32_t per_ms);

#endif
