/* unseen_wraps.h - wraps of the clock that the firmware has not seen (target/FORMAT.md, 1.3).
 *
 * The firmware counts a wrap if it logs, or ticks, in each half wrap of the clock. If it was idle for longer, the
 * stamps behind that may be one wrap too low, or several. Slots are in the order of time: so where stamps step back,
 * and stay back, a wrap was not seen. A coarse clock tells how many there were.
 */
#ifndef NATIVE_UNSEEN_WRAPS_H
#define NATIVE_UNSEEN_WRAPS_H

#include "formats/native/time/coarse_clock.h"
#include "formats/native/chunks/lap.h"
#include "formats/native/time/ranking.h"

/* A slot's stamp. */
struct native_counted_stamp {
    uint64_t stamp; /* as the firmware counted wraps */
    uint64_t wraps; /* to be added */
    uint32_t slot;
    bool whole;  /* the slot tells its whole stamp, not only the low word */
    bool placed; /* its whole stamp is known, even so: a wrap was not seen ahead of it, or a COARSE slot tells it */
    bool exact;  /* the coarse clock tells `wraps` */
};

/* The loader's `counted` has room for the stamps of the lap's slots, and for one stamp ahead of them and one behind. */
#define NATIVE_COUNTED_AROUND 2u

/* Add the wraps that are missing to the slots of a lap that tell wraps. The loader's `counted` then has the stamps of
 * the slots that were taken into account. behind: the first part of the lane's next lap, or NULL. proven: a seal
 * confirms all slots that are not damaged. */
void native_unseen_wraps_add(struct native_loader *loader, struct native_lap *lap, const struct native_anchors *anchors,
                             const struct native_part *behind, struct native_span span, bool proven);

/* Whether the whole stamp of a slot is known that tells only its low word; then it is *stamp. */
bool native_unseen_wraps_place(const struct native_loader *loader, uint32_t slot, uint64_t *stamp);

/* The stamps of a lap whose times are settled, in the loader's `ranked`. */
struct native_settled {
    uint64_t from;      /* the last stamp ahead of the lap */
    uint32_t n;         /* how many stamps the lap has */
    uint32_t following; /* how many of the next lap are behind them */
    uint64_t wraps;     /* that the firmware's count lacks at those; they have been added */
};

/* Set the marks of a lap, and make their slots NATIVE_WRAPPED. The loader's `counted` tells what wraps slots lack. If
 * there is no memory: after trace_fail() not all of them. */
void native_unseen_wraps_mark(const struct native_loader *loader, struct native_lap *lap,
                              struct native_settled settled);

/* Remember the last stamps of a clean lap in its trail. */
void native_unseen_wraps_follow(struct native_lap *lap);

#endif
