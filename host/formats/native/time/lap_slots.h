/* lap_slots.h - what the slots of a lap that is not clean tell of the time. */
#ifndef NATIVE_LAP_SLOTS_H
#define NATIVE_LAP_SLOTS_H

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

static inline enum native_state native_times_state(const struct native_lap_times *times, uint32_t slot)
{
    return (enum native_state)times->lap->state[slot - 1u];
}

static inline bool native_times_are_time(const struct native_lap_times *times, uint32_t slot)
{
    const unsigned char *at = native_lap_slot(times->lap, slot);
    return native_times_state(times, slot) == NATIVE_TRACEEVENT && native_is_control(at, TLOG_CONTROL_TIME);
}

/* Whether a slot has the low word only, but its whole stamp is known: that is then *stamp. */
static inline bool native_times_are_placed(const struct native_lap_times *times, uint32_t slot, uint64_t *stamp)
{
    return native_times_state(times, slot) == NATIVE_TRACEEVENT && !native_times_are_time(times, slot)
           && native_unseen_wraps_place(times->loader, slot, stamp);
}

/* Whether a slot tells a whole stamp, which is then *stamp. */
static inline bool native_times_tell_all(const struct native_lap_times *times, uint32_t slot, uint64_t *stamp)
{
    const unsigned char *at = native_lap_slot(times->lap, slot);
    bool record = native_times_state(times, slot) == NATIVE_RECORD;
    *stamp = record ? native_stamp(at) : native_told_stamp(at);
    return record || native_times_are_time(times, slot) || native_times_are_placed(times, slot, stamp);
}

#endif
