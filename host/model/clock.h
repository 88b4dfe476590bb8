/* clock.h - the target's clock: which frequency it has, and its ticks as ns.
 *
 * Readers turn ticks into ns and round down: ns = floor(ticks * 10^9 / hz). Up to 1 GHz the ticks follow from the ns
 * again: they are ceil(ns * hz / 10^9), the first tick in that ns. Above 1 GHz a ns has several ticks. Which of them it
 * was is kept as the event's rest: how many ticks it is after the first one. Example: at 4 GHz, ns 10 has the ticks 40
 * to 43, and tick 42 has the rest 2. A rest is less than hz / 10^9. It fits 16 bits for every clock that a record can
 * tell (2^32 ticks per ms).
 *
 * In all functions hz is the clock's frequency; 0 = not known: then each tick counts as one ns.
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

/* The rest of an event at `ticks`, which are `ns`: how many ticks it is after the first one in that ns. */
static inline uint16_t ticks_rest(uint64_t ticks, uint64_t ns, uint64_t hz)
{
    return hz <= TICKS_NS_PER_S ? 0 : (uint16_t)(ticks - ticks_first(ns, hz));
}

/* If hz is 0, tell the user that times are ticks. */
void clock_note_unknown(const struct trace *trace, uint64_t hz);

/* Choose the clock's frequency in Hz; 0 = not known. per_ms: whole ticks per millisecond, as a record of the input
 * tells them; 0 = no record does. The user's --clock-hz is more exact. It is taken if its whole ticks per millisecond
 * are per_ms, or if per_ms is 0. Tells the user if it is not taken, and if no frequency is known. */
uint64_t clock_choose(const struct trace *trace, uint32_t per_ms);

#endif
