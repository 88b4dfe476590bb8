/* lap_times.h - the times of a lap that is not clean: wraps of the clock that were not seen are added, and slots whose
 * times contradict the others are damaged (target/FORMAT.md, "Reading a damaged dump").
 *
 * As few slots as possible are left out, so that the times of the others never go back. A slot that could be left out
 * in the place of another one is left out as well: a gap is better than an event that may be wrong.
 */
#ifndef NATIVE_LAP_TIMES_H
#define NATIVE_LAP_TIMES_H

#include "formats/native/time/unseen_wraps.h"

#define NATIVE_FOLLOWING 32u /* stamps of the next lap that are taken into account */

/* A lap that is not clean, and what its times are judged by. */
struct native_lap_times {
    struct native_loader *loader; /* ranked has room for all slots of the lap and NATIVE_FOLLOWING more */
    struct native_lap *lap;
    const struct native_image *image;     /* that most slots are from */
    const struct native_anchors *anchors; /* of the lap */
    const struct native_part *behind;     /* the first part of the lane's next lap; NULL: there is none */
    struct native_span span;              /* where its stamps must lie */
    bool proven;                          /* a seal confirms all slots that are not damaged */
};

/* Settle the times of all slots: add the wraps that are missing, damage the slots whose times are not believed, and
 * mark those ahead of which the clock wrapped unseen. Reports damage. Sets lap->base_stamp. */
void native_lap_times_settle(const struct native_lap_times *times);

#endif
