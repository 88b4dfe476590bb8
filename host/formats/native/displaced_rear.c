/* displaced_rear.c - the rear of an image that is not where it should be: see displaced_rear.h.
 *
 * If the seal is right, the CRCs of the groups tell where the break is: groups ahead of it are right where they stand,
 * groups behind it where the rear is. If bytes came in, the group with the break is put together of both sides.
 *
 * Without a seal the slots tell: the break is put where it makes most slots sound and in order, when those ahead of it
 * are read where they stand, and those behind it where the rear is. The slot with the break is torn, and cannot be
 * relied on.
 */
#include "formats/native/displaced_rear.h"

#include "formats/native/seal.h"

#include <stdlib.h>
#include <string.h>

#define GAIN_LEAST 3u   /* so many more sound slots are enough to believe in a break without an end mark */
#define NEAR       256u /* bytes: less than a chunk has, so that a seal so near to its place is of no other chunk */

/* ---- the image's bytes in both places ---------------------------------------------------------------------------- */

/* An image with a break. */
struct torn {
    const struct native_image *image;
    unsigned char *bytes; /* n bytes from the header on: as many as may belong to the image */
    size_t n;
    int32_t by; /* the rear is so many bytes further on than it should be */
};

/* Whether the rear has the bytes from an offset of the image on. */
static bool has_rear(const struct torn *torn, size_t offset, size_t size)
{
    int64_t at = (int64_t)offset + torn->by;
    return at >= 0 && (size_t)at + size <= torn->n;
}

/* Where the rear has the byte with that offset in the image. */
static const unsigned char *rear(const struct torn *torn, size_t offset)
{
    return torn->bytes + (int64_t)offset + torn->by;
}

/* ---- by the seal ------------------------------------------------------------------------------------------------- */

/* Whether the CRC of a group, which the seal in the rear has, is that of `slots`. */
static bool is_group(const struct torn *torn, size_t group, const unsigned char *slots)
{
    struct native_layout layout = torn->image->layout;
    return crc32_of(slots, native_group_size(layout, group))
           == get_le32(rear(torn, native_group_crc_offset(layout, group)));
}

static bool is_front_group(const struct torn *torn, size_t group)
{
    size_t at = native_group_offset(torn->image->layout, group);
    return at + native_group_size(torn->image->layout, group) <= torn->n && is_group(torn, group, torn->bytes + at);
}

static bool is_rear_group(const struct torn *torn, size_t group)
{
    size_t at = native_group_offset(torn->image->layout, group);
    return has_rear(torn, at, native_group_size(torn->image->layout, group)) && is_group(torn, group, rear(torn, at));
}

/* Whether the break is at an offset in a group: then the group is right, put together of both sides. */
static bool is_break(const struct torn *torn, size_t group, size_t offset)
{
    unsigned char slots[TLOG_GROUP_SLOTS * TLOG_SLOT_BYTES];
    size_t at = native_group_offset(torn->image->layout, group), size = native_group_size(torn->image->layout, group);
    memcpy(slots, torn->bytes + at, offset);
    memcpy(slots + offset, rear(torn, at + offset), size - offset);
    return is_group(torn, group, slots);
}

/* The offset of the break, by the CRCs of the groups. */
static uint32_t find_break_by_groups(const struct torn *torn)
{
    struct native_layout layout = torn->image->layout;
    size_t group = 0, at, size;
    while (group < native_groups(layout) && is_front_group(torn, group))
        group++;
    if (group == native_groups(layout))
        return (uint32_t)native_claims_offset(layout);
    at = native_group_offset(layout, group);
    size = native_group_size(layout, group);
    if (group == 0 && is_rear_group(torn, group))
        return TLOG_HEADER_BYTES;
    for (size_t offset = 1; offset < size && torn->by > 0 && at + size <= torn->n; offset++) {
        if (has_rear(torn, at + offset, size - offset) && is_break(torn, group, offset))
            return (uint32_t)(at + offset);
    }
    return (uint32_t)at;
}

/* Whether a right seal of the image stands at an offset from the header. If it is far from its place the first group
 * must be this chunk's. */
static bool is_seal(struct torn *torn, size_t at)
{
    struct native_layout layout = torn->image->layout;
    size_t place = native_seal_offset(layout);
    if (at + native_seal_size(layout) > torn->n || at < place - native_claims_offset(layout)
        || !native_seal_is_right(torn->bytes + at, native_seal_size(layout)))
        return false;
    torn->by = (int32_t)((int64_t)at - (int64_t)place);
    return (uint32_t)abs(torn->by) < NEAR || is_front_group(torn, 0);
}

/* Find the seal, the nearest to its place first. */
static bool find_seal(struct torn *torn)
{
    size_t place = native_seal_offset(torn->image->layout);
    for (size_t away = 1; away < NATIVE_DISPLACED_REACH; away++) {
        if (away + TLOG_HEADER_BYTES <= place && is_seal(torn, place - away))
            return true;
        if (is_seal(torn, place + away))
            return true;
    }
    return false;
}

/* ---- by the slots ------------------------------------------------------------------------------------------------ */

/* Whether a slot is sound, is no copy of the slot ahead of it, and is not earlier than that. */
static bool is_sound(const unsigned char *slot)
{
    const unsigned char *ahead = slot - TLOG_SLOT_BYTES;
    return native_is_sound(slot) && (int32_t)(native_low_stamp(slot) - native_low_stamp(ahead)) >= 0
           && memcmp(slot, ahead, TLOG_SLOT_BYTES) != 0;
}

static bool is_sound_front(const struct torn *torn, uint32_t slot)
{
    size_t at = native_slot_offset(slot);
    return at + TLOG_SLOT_BYTES <= torn->n && is_sound(torn->bytes + at);
}

static bool is_sound_rear(const struct torn *torn, uint32_t slot)
{
    size_t at = native_slot_offset(slot);
    return has_rear(torn, at - TLOG_SLOT_BYTES, 2u * TLOG_SLOT_BYTES) && is_sound(rear(torn, at));
}

/* Whether the slot behind slot `at` is later than the one ahead of it, if the break is in slot `at`. */
static bool follows(const struct torn *torn, uint32_t at)
{
    size_t ahead = native_slot_offset(at - 1u), behind = native_slot_offset(at + 1u);
    return at > 1u && has_rear(torn, behind, TLOG_SLOT_BYTES) && ahead + TLOG_SLOT_BYTES <= torn->n
           && (int32_t)(native_low_stamp(rear(torn, behind)) - native_low_stamp(torn->bytes + ahead)) >= 0;
}

/* The slot that the break is in; 0: it is ahead of all. *gain: so many more slots are sound then. */
static uint32_t find_break_by_slots(const struct torn *torn, uint32_t *gain)
{
    uint32_t slots = torn->image->layout.slots, now = 0, all = 0, most = 0, best = 0;
    for (uint32_t i = 1; i <= slots; i++) {
        all += is_sound_front(torn, i);
        now += is_sound_rear(torn, i);
    }
    most = now;
    for (uint32_t i = 1; i <= slots; i++) {
        now -= is_sound_rear(torn, i);
        if (now + follows(torn, i) >= most) {
            most = now + follows(torn, i);
            best = i;
        }
        now += is_sound_front(torn, i);
    }
    if (now > most)
        best = slots + 1u;
    most = now > most ? now : most;
    *gain = most - all;
    return best;
}

/* Find the end mark, the nearest to its place first. */
static bool find_mark(struct torn *torn)
{
    size_t place = native_slot_offset(torn->image->layout.slots + 1u);
    for (size_t away = 1; away < NATIVE_DISPLACED_REACH; away++) {
        torn->by = -(int32_t)away;
        if (away + TLOG_HEADER_BYTES <= place && has_rear(torn, place, TLOG_SLOT_BYTES)
            && native_is_end_mark(rear(torn, place)))
            return true;
        torn->by = (int32_t)away;
        if (has_rear(torn, place, TLOG_SLOT_BYTES) && native_is_end_mark(rear(torn, place)))
            return true;
    }
    return false;
}

/* Find the break without a seal, and set *displaced. */
static bool find_by_slots(struct torn *torn, struct native_displacement *displaced, bool bounded)
{
    uint32_t gain, slot;
    bool marked = find_mark(torn);
    if (!marked)
        torn->by = (int32_t)((int64_t)torn->n - (int64_t)torn->image->size);
    if ((!marked && (!bounded || torn->by <= 0)) || (uint32_t)abs(torn->by) >= NATIVE_DISPLACED_REACH)
        return false;
    slot = find_break_by_slots(torn, &gain);
    if (!marked && gain < GAIN_LEAST)
        return false;
    displaced->torn_slot = (uint16_t)(slot <= torn->image->layout.slots ? slot : 0);
    displaced->from = (uint32_t)native_slot_offset(slot > torn->image->layout.slots ? slot : slot + 1u);
    displaced->by = torn->by;
    return true;
}

/* ---- both -------------------------------------------------------------------------------------------------------- */

static void report(const struct native_view *view, const struct native_image *image)
{
    uint64_t at = image->offset + image->displaced.from;
    if (image->displaced.by > 0)
        trace_damage(view->trace, at, (uint64_t)image->displaced.by, 0,
                     "bytes that are not a chunk's have come into it");
    else
        trace_damage(view->trace, at, 0, 0, "a chunk has lost %u bytes here", (unsigned)-image->displaced.by);
}

bool native_displaced_rear_find(const struct native_view *view, struct native_image *image, uint32_t limit,
                                bool bounded, bool marked)
{
    struct torn torn = {image, malloc(limit), 0, 0};
    bool found;
    if (torn.bytes == NULL)
        return false;
    torn.n = input_read(view->in, image->offset, torn.bytes, limit);
    found = find_seal(&torn);
    if (found)
        image->displaced = (struct native_displacement){torn.by, find_break_by_groups(&torn), 0};
    else
        found = !marked && find_by_slots(&torn, &image->displaced, bounded && torn.n == limit);
    free(torn.bytes);
    if (found)
        report(view, image);
    return found;
}
