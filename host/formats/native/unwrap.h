/* unwrap.h - wraps of the clock that the firmware has not seen (target/FORMAT.md, 1.3).
 *
 * The firmware counts a wrap if it logs, or ticks, in each half wrap of the clock. If it was idle for longer the stamps
 * behind that may be one wrap too low, or several. Slots are in the order of time: so where stamps step back, and stay
 * back, a wrap was not seen. */
#ifndef NATIVE_UNWRAP_H
#define NATIVE_UNWRAP_H

#include "formats/native/slot.h"

#define NATIVE_TRAIL     5u  /* stamps that are remembered */
#define NATIVE_STEPS_MAX 16u /* steps of one lap that are marked */

/* What a slot tells of its time. */
struct native_told {
    uint64_t stamp; /* as the firmware counted wraps */
    uint64_t wraps; /* to be added */
    uint32_t slot;
    bool whole; /* it tells all of its stamp, not only the low word */
};

/* Where a lane stands. */
struct native_trail {
    uint64_t stamp[NATIVE_TRAIL]; /* of the last records, the latest first; n of them */
    uint32_t n;
    uint64_t wraps; /* how many were not seen so far */
};

/* Remember the stamp of a record. */
void native_trail_add(struct native_trail *trail, uint64_t stamp);

/* The second latest of the last stamps, or 0 if there are not two. */
uint64_t native_trail_second(const struct native_trail *trail);

/* The earliest of the last stamps, or 0 if there are fewer than are remembered. */
uint64_t native_trail_least(const struct native_trail *trail);

/* Set the wraps that n slots of a lap lack, which are in order, by their stamps alone. next: a stamp of the lap behind,
 * or NATIVE_STAMP_UNKNOWN. The trail goes on, but for its stamps. Where told[i].wraps grows, the clock wrapped. */
void native_unwrap(struct native_trail *trail, struct native_told *told, uint32_t n, uint64_t next);

#endif
