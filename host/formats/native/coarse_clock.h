/* coarse_clock.h - the coarse clock of a dump (target/FORMAT.md, 1.3): a second, slow clock. It tells how much time has
 * passed between two slots even where the firmware has not seen the clock wrap.
 *
 *   anchor   a CONTROL COARSE slot that is believed: it tells both the low word of the clock and the coarse clock
 */
#ifndef NATIVE_COARSE_CLOCK_H
#define NATIVE_COARSE_CLOCK_H

#include "formats/native/index.h"

struct native_anchor {
    uint64_t counted; /* its stamp, as the firmware counted wraps */
    uint64_t stamp;   /* its stamp by the coarse clock: not before `counted` */
    uint32_t count;   /* what the coarse clock showed */
    uint32_t part;    /* the first part of its lap */
    uint32_t slot;
    bool proven; /* a seal confirms the slot */
};

/* The anchors that matter for a lap. */
struct native_anchors {
    const struct native_anchor *first; /* the n anchors in the lap */
    uint32_t n;
    const struct native_anchor *ahead, *behind; /* the lane's next anchors on both sides of the lap, or NULL */
};

/* Find the anchors of all laps, and put them into the index, which is complete but for these. A slot is believed if a
 * seal proves it, or if the two clocks agree with each other from it to the slot ahead or behind. Returns 0, or -1
 * after trace_fail(). */
int native_anchors_find(struct native_index *index, struct native_view *view);

/* The anchors that matter for the lap whose first part is that one. */
struct native_anchors native_anchors_of_lap(const struct native_index *index, const struct native_part *part);

/* Whether the firmware has counted every wrap that the anchors of a lap tell. Without anchors they tell none. */
bool native_anchors_all_counted(const struct native_anchors *anchors);

#endif
