/* set_back.h - a clock that somebody has set back, to 0 or little more (target/FORMAT.md, 1.3).
 *
 * Slots are in the order of time. So behind such a step stamps are too low, nobody knows by how much. They are raised
 * by what makes the step 0: no time is invented.
 */
#ifndef NATIVE_SET_BACK_H
#define NATIVE_SET_BACK_H

#include "formats/native/chunks/lap.h"

struct native_anchors;

/* What is known of a step: nothing but its stamps; the clock was set back elsewhere in the lane; a seal confirms that
 * no stamp is damaged. */
enum native_proof { NATIVE_STEP_ALONE, NATIVE_STEP_LIKELY, NATIVE_STEP_PROVEN };

/* Two stamps that follow each other, as the firmware wrote them, and those around them. */
struct native_step {
    uint64_t before;   /* the stamp ahead of `from`; 0: there is none */
    uint64_t from, to; /* it leads from this stamp to that one */
    uint64_t next;     /* the stamp behind `to`, or NATIVE_STAMP_UNKNOWN */
    enum native_proof proof;
};

/* Whether the clock was set back there. Without proof it was not if one damaged byte of a stamp explains the step, or
 * bytes side by side that were wiped; and if nothing makes it likely, it was not if one stamp alone is out of order. */
bool native_is_set_back(const struct native_step *step);

/* Raise the stamps of a lap's slots by as much as the clock was set back ahead of them, in this lap and those before.
 * The loader's `set_backs` then has the places in this lap. Does nothing if a coarse clock tells wraps. */
void native_set_backs_add(struct native_loader *loader, struct native_lap *lap, const struct native_anchors *anchors,
                          struct native_span span, bool proven);

#endif
