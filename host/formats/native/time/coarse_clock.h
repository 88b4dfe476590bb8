/* coarse_clock.h - the coarse clock of a dump (target/FORMAT.md, 1.3): a second, slow clock. It tells how much time has
 * passed between two slots even where the firmware has not seen the clock wrap.
 *
 *   anchor   a CONTROL COARSE slot that is believed: it tells both the low word of the clock and the coarse clock
 */
#ifndef NATIVE_COARSE_CLOCK_H
#define NATIVE_COARSE_CLOCK_H

#include "formats/native/chunks/index.h"

struct native_anchor {
    uint64_t counted; /* its stamp, as the firmware counted wraps */
    uint64_t stamp;   /* its stamp by the coarse clock: not before `counted` */
    uint32_t count;   /* what the coarse clock showed */
    uint32_t part;    /* the first part of its lap */
    uint32_t slot;
    bool proven;  /* a seal confirms the slot */
    bool beside;  /* there is nothing between it and the COARSE slot ahead but a CONTROL TIME */
    bool watched; /* of one in its lane that is beside another the firmware may have looked in each half wrap between */
};

/* The anchors that matter for a lap. */
struct native_anchors {
    const struct native_anchor *first; /* the n anchors in the lap */
    uint32_t n;
    const struct native_anchor *ahead, *behind; /* the lane's next anchors on both sides of the lap, or NULL */
};

/* Whether the firmware may have looked at the clock in each half wrap between two counted stamps: then it saw a wrap
 * between them in the half behind it. */
static inline bool native_may_be_watched(uint64_t ahead, uint64_t behind)
{
    return ((ahead | behind) & NATIVE_WRAP / 2u) == 0 && behind / NATIVE_WRAP == ahead / NATIVE_WRAP + 1u;
}

/* Find the anchors of all laps, and put them into the index, which is complete but for these. A slot is believed if a
 * seal proves it, if the two clocks agree with each other from it to the slot ahead or behind, or if the firmware has
 * counted there just what the one ahead lacks. Returns 0, or -1
 * after trace_fail(). */
int native_anchors_find(struct native_index *index, struct native_view *view);

/* The anchors that matter for the lap whose first part is that one. */
struct native_anchors native_anchors_of_lap(const struct native_index *index, const struct native_part *part);

/* The anchor in that slot of a lap; NULL: there is none. */
const struct native_anchor *native_anchor_at(const struct native_anchors *anchors, uint32_t slot);

/* Whether a COARSE slot of a lap tells the wraps that the firmware has counted up to it: if it is an anchor. If the
 * rates of the two clocks are not known, or such that the coarse one cannot tell wraps, every COARSE slot does. */
bool native_anchors_believe(const struct native_anchors *anchors, const struct native_image *image, uint32_t number,
                            const unsigned char *slot);

/* Whether the firmware has counted every wrap that the anchors of a lap tell. Without anchors they tell none. */
bool native_anchors_all_counted(const struct native_anchors *anchors);

#endif
