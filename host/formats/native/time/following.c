/* following.c - the first stamps of the lap behind one: see following.h. */
#include "formats/native/time/following.h"

#include "formats/native/time/set_back.h"

#define SLOTS_READ 64u /* of the next lap */

/* The last slot of the next lap that is looked at. Its first one is `first`. */
static uint32_t last_read(const struct native_lap_times *times, uint32_t first)
{
    uint32_t last = native_part_last(times->loader->index, times->behind);
    return last - first < SLOTS_READ ? last : first + SLOTS_READ - 1u;
}

/* Whether a slot of the next lap is a COARSE slot that is believed. */
static bool is_coarse_following(const struct native_lap_times *times, const struct native_image *image, uint32_t slot,
                                const unsigned char *at)
{
    struct native_anchors anchors;
    if (!native_is_control(at, TLOG_CONTROL_COARSE))
        return false;
    anchors = native_anchors_of_lap(times->loader->index, times->behind);
    return native_anchors_believe(&anchors, image, slot, at);
}

/* Whether a slot of the next lap, which is loaded, tells a whole stamp that its seal does not contradict. */
static bool tells_following(const struct native_lap_times *times, const struct native_image *image, uint32_t slot,
                            uint64_t *stamp)
{
    const struct native_view *view = &times->loader->other;
    const unsigned char *at = native_view_slot(view, slot);
    bool time = native_is_control(at, TLOG_CONTROL_TIME), coarse = is_coarse_following(times, image, slot, at);
    if (native_slot_tag(at) != native_tag(times->behind->lap) || !native_has_slot(image, slot)
        || native_is_torn(image, slot) || (!time && !coarse && !native_is_record(at)))
        return false;
    if (image->sealed && native_view_group_difference(view, image, native_group_of(image->layout, slot)) != 0)
        return false;
    *stamp = time ? native_told_stamp(at) : coarse ? native_coarse_stamp(at) : native_stamp_in(image, at);
    *stamp += times->lap->trail.wraps * NATIVE_WRAP + times->lap->trail.set_back;
    return true;
}

/* If seals confirm both laps, and the next one steps back by less than half a wrap, a wrap was not seen between them:
 * add it. */
static void unwrap_following(const struct native_lap_times *times, struct native_following *following)
{
    struct native_trail trail = {.n = 0};
    uint64_t stamp, latest;
    for (uint32_t i = times->lap->last; i >= times->lap->first && trail.n < NATIVE_TRAIL; i--) {
        if (native_times_tell_all(times, i, &stamp))
            native_trail_add(&trail, stamp);
    }
    latest = native_trail_second_latest(&trail);
    for (uint32_t i = 0; i < 2u; i++) {
        if (!times->proven || following->limit == INT64_MAX || following->n < 2u || following->stamp[i] >= latest
            || latest - following->stamp[i] >= NATIVE_WRAP / 2u)
            return;
    }
    for (uint32_t i = 0; i < following->n; i++)
        following->stamp[i] += NATIVE_WRAP;
    following->limit += NATIVE_WRAP;
    following->wraps++;
}

/* The last whole stamp of the lap, as it is raised; 0: there is none. */
static uint64_t last_whole(const struct native_lap_times *times)
{
    uint64_t stamp;
    for (uint32_t i = times->lap->last; i >= times->lap->first; i--) {
        if (native_times_tell_all(times, i, &stamp))
            return stamp;
    }
    return 0;
}

/* If the clock was set back ahead of the next lap, or in it, raise the stamps behind. */
static void set_following_back(const struct native_lap_times *times, struct native_following *following)
{
    uint64_t raised = times->lap->trail.wraps * NATIVE_WRAP + times->lap->trail.set_back, added = 0;
    struct native_step step = {.from = last_whole(times) - raised,
                               .proof = times->proven && following->limit != INT64_MAX ? NATIVE_STEP_PROVEN
                                        : times->lap->trail.set_back > 0               ? NATIVE_STEP_LIKELY
                                                                                       : NATIVE_STEP_ALONE};
    if (last_whole(times) < raised || !native_anchors_all_counted(times->anchors) || times->lap->broken)
        return;
    for (uint32_t i = 0; i < following->n; i++) {
        step.to = following->stamp[i] - raised;
        step.next = i + 1u < following->n ? following->stamp[i + 1u] - raised : NATIVE_STAMP_UNKNOWN;
        if (native_is_set_back(&step))
            added += step.from - step.to;
        following->stamp[i] += added;
        if (i == 0 && following->limit != INT64_MAX)
            following->limit += added;
        step.before = step.to < step.from ? 0 : step.from;
        step.from = step.to;
    }
}

struct native_following native_following_read(const struct native_lap_times *times)
{
    struct native_following following = {.limit = INT64_MAX, .wraps = times->lap->trail.wraps};
    const struct native_image *image;
    uint32_t first, last;
    if (times->behind == NULL)
        return following;
    image = &times->loader->index->images[times->behind->image];
    if (native_view_reserve(&times->loader->other, image) != 0)
        return following;
    first = native_part_first(times->loader->index, times->behind);
    last = last_read(times, first);
    native_view_load_slots(&times->loader->other, image, first, last);
    for (uint32_t slot = first; slot <= last && following.n < NATIVE_FOLLOWING; slot++) {
        if (!tells_following(times, image, slot, &following.stamp[following.n]))
            continue;
        if (image->sealed && following.n > 0 && following.stamp[following.n] < following.stamp[following.n - 1u])
            break; /* a wrap was not seen there: stamps behind it do not tell when this lap was */
        if (image->sealed && following.n == 0)
            following.limit = following.stamp[0];
        following.begins =
            following.begins
            || (following.n == 0 && native_is_traceevent(native_head(native_view_slot(&times->loader->other, slot))));
        following.n++;
    }
    set_following_back(times, &following);
    unwrap_following(times, &following);
    return following;
}
