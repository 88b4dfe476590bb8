/* coarse_clock.h - the coarse clock of a dump (target/FORMAT.md, 1.3): when its slots were logged, whatever wraps of
 * the clock the firmware has seen.
 *
 *   anchor   a CONTROL COARSE slot that is believed: it tells the low word of the clock and the coarse clock
 */
#ifndef NATIVE_COARSE_CLOCK_H
#define NATIVE_COARSE_CLOCK_H

#include "formats/native/index.h"

struct native_anchor {
    uint64_t counted; /* its stamp, as the firmware counted wraps */
    uint64_t stamp;   /* its stamp by the coarse clock: not before what was told */
    uint32_t count;   /* the coarse clock */
    uint32_t part;    /* the first part of its lap */
    uint32_t slot;
    bool proven; /* a seal speaks for it */
};

/* The anchors that matter for one lap, side by side: the last one ahead of it and the first one behind it too, if the
 * lane has these. */
struct native_anchors {
    const struct native_anchor *first;          /* of the lap itself */
    uint32_t n;                                 /* of the lap itself */
    const struct native_anchor *ahead, *behind; /* or NULL */
};

/* Fill the index's anchors; all the rest of it is there. An anchor is believed if a seal speaks for it, or if the two
 * clocks agree about the time from the one ahead to it, or from it to the one behind. Returns 0, or -1 after
 * trace_fail(). */
int native_anchors_find(struct native_index *index, struct native_view *view);

/* Those for the lap that begins with a part. */
struct native_anchors native_anchors_of_lap(const struct native_index *index, const struct native_part *part);

/* Whether no wrap can be missing in the lap: the firmware has counted each one that the coarse clock tells. */
bool native_anchors_all_counted(const struct native_anchors *anchors);

#endif
