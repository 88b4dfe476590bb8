/* unseen_wraps.h - wraps of the clock that the firmware has not seen (target/FORMAT.md, 1.3).
 *
 * The firmware counts a wrap if it logs, or ticks, in each half wrap of the clock. If it was idle for longer, the
 * stamps behind that may be one wrap too low, or several. Slots are in the order of time: so where stamps step back,
 * and stay back, a wrap was not seen. A coarse clock tells how many there were.
 */
#ifndef NATIVE_UNSEEN_WRAPS_H
#define NATIVE_UNSEEN_WRAPS_H

#include "formats/native/coarse_clock.h"
#include "formats/native/lap.h"

/* A slot's stamp. */
struct native_counted_stamp {
    uint64_t stamp; /* as the firmware counted wraps */
    uint64_t wraps; /* to be added */
    uint32_t slot;
    bool whole; /* the slot tells its whole stamp, not only the low word */
};

/* The loader's `counted` has room for the stamps of the lap's slots, and for one stamp ahead of them and one behind. */
#define NATIVE_COUNTED_AROUND 2u

/* Add the wraps that are missing to the slots of a lap that tell wraps, and set lap->unseen. behind: the first part of
 * the lane's next lap, or NULL. */
void native_unseen_wraps_add(struct native_loader *loader, struct native_lap *lap, const struct native_anchors *anchors,
                             const struct native_part *behind, struct native_span span);

/* The lap's times are settled: mark the slots ahead of which the clock wrapped. */
void native_unseen_wraps_mark(struct native_lap *lap);

/* Remember the last stamps of a clean lap in its trail. */
void native_unseen_wraps_follow(struct native_lap *lap);

#endif
