/* displaced_rear.c - the rear of an image that is not where it should be: see displaced_rear.h.
 *
 * If the seal is right, the CRCs of the groups tell where the break is: groups ahead of it are right where they stand,
 * groups behind it where the rear is. If bytes came in, the group with the break is put together of both sides.
 *
 * Without a seal the slots tell: see break_search.h.
 */
#include "formats/native/repair/displaced_rear.h"

#include "base/heap.h"
#include "formats/native/repair/break_search.h"
#include "formats/native/chunks/seal.h"

#include <stdlib.h>
#include <string.h>

#define NEAR 64 /* bytes: a rear so near to its place is of no other chunk, whatever shows it */

/* ---- by the seal ------------------------------------------------------------------------------------------------- */

/* Whether the CRC of a group, which the seal in the rear has, is that of `slots`. */
static bool is_group(const struct native_torn *torn, size_t group, const unsigned char *slots)
{
    struct native_layout layout = torn->image->layout;
    return crc32_of(slots, native_group_size(layout, group))
           == get_le32(native_torn_rear(torn, native_group_crc_offset(layout, group), 4));
}

static bool is_front_group(const struct native_torn *torn, size_t group)
{
    const unsigned char *slots = native_torn_front(torn, native_group_offset(torn->image->layout, group),
                                                   native_group_size(torn->image->layout, group));
    return slots != NULL && is_group(torn, group, slots);
}

static bool is_rear_group(const struct native_torn *torn, size_t group)
{
    const unsigned char *slots = native_torn_rear(torn, native_group_offset(torn->image->layout, group),
                                                  native_group_size(torn->image->layout, group));
    return slots != NULL && is_group(torn, group, slots);
}

/* Whether the break is at an offset in a group: then the group is right, put together of both sides. */
static bool is_break(const struct native_torn *torn, size_t group, size_t offset)
{
    unsigned char slots[TLOG_GROUP_SLOTS * TLOG_SLOT_BYTES];
    size_t at = native_group_offset(torn->image->layout, group), size = native_group_size(torn->image->layout, group);
    memcpy(slots, torn->bytes + at, offset);
    memcpy(slots + offset, native_torn_rear(torn, at + offset, size - offset), size - offset);
    return is_group(torn, group, slots);
}

/* The offset of the break, by the CRCs of the groups. */
static uint32_t find_break_by_groups(const struct native_torn *torn)
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
        if (native_torn_rear(torn, at + offset, size - offset) != NULL && is_break(torn, group, offset))
            return (uint32_t)(at + offset);
    }
    return (uint32_t)at;
}

/* The break that the groups tell. If the seal itself is not right, the slots of the group with the break are torn:
 * nothing will check them. */
static struct native_displacement break_by_groups(const struct native_torn *torn)
{
    struct native_layout layout = torn->image->layout;
    struct native_displacement displaced = {.by = torn->by, .from = find_break_by_groups(torn)};
    const unsigned char *seal = native_torn_rear(torn, native_seal_offset(layout), native_seal_size(layout));
    size_t group = 0;
    while (group + 1u < native_groups(layout) && native_group_offset(layout, group + 1u) <= displaced.from)
        group++;
    if (displaced.from < native_claims_offset(layout) && !native_seal_is_right(seal, native_seal_size(layout)))
        displaced.torn[0] = (struct native_slots){
            (uint16_t)native_group_first(layout, group),
            (uint16_t)(native_group_first(layout, group) + native_group_slots(layout, group) - 1u)};
    return displaced;
}

/* Whether a group is as the seal in the rear has it, by what is_right() looks at. */
static bool has_group(const struct native_torn *torn, bool (*is_right)(const struct native_torn *torn, size_t group))
{
    for (size_t group = 0; group < native_groups(torn->image->layout); group++) {
        if (is_right(torn, group))
            return true;
    }
    return false;
}

/* Whether a seal is this chunk's that is near to its place, and may be right or not. It tells what the header tells, as
 * something ahead of it may be lost that its CRC protects. Or it is right, and so is a group that has not moved; or one
 * that has, as the break may be in the header. */
static bool is_near_seal(const struct native_torn *torn, const unsigned char *seal, bool is_right)
{
    struct tlog_seal words = native_read_seal(seal);
    struct tlog_chunk header = native_read_header(torn->bytes);
    if (native_seal_is_same(&words, &header))
        return true;
    return is_right
           && (has_group(torn, is_front_group)
               || (!native_seal_contradicts(&words, torn->image, &header) && has_group(torn, is_rear_group)));
}

/* Whether a seal of the image stands at an offset from the header. If it is far from its place the first group must be
 * this chunk's. */
static bool is_seal(struct native_torn *torn, size_t at)
{
    struct native_layout layout = torn->image->layout;
    size_t place = native_seal_offset(layout), size = native_seal_size(layout);
    bool is_right;
    if (at + size > torn->n || at < place - native_claims_offset(layout)
        || get_le32(torn->bytes + at) != TLOG_WIRE_SEAL)
        return false;
    torn->by = (int32_t)((int64_t)at - (int64_t)place);
    is_right = native_seal_is_right(torn->bytes + at, size);
    return abs(torn->by) <= NEAR ? is_near_seal(torn, torn->bytes + at, is_right) : is_right && is_front_group(torn, 0);
}

/* Find the seal, the nearest to its place first. */
static bool find_seal(struct native_torn *torn)
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

/* Whether the end mark is in the rear. If bytes came in, there must be as many more of them. */
static bool is_mark(const struct native_torn *torn)
{
    const unsigned char *mark =
        native_torn_rear(torn, native_slot_offset(torn->image->layout.slots + 1u), TLOG_SLOT_BYTES);
    return mark != NULL && native_is_end_mark(mark)
           && (torn->by < 0 || (int64_t)torn->image->size + torn->by <= (int64_t)torn->n);
}

/* Find the end mark, the nearest to its place first. */
static bool find_mark(struct native_torn *torn)
{
    for (int32_t away = 1; away <= NEAR; away++) {
        torn->by = -away;
        if (is_mark(torn))
            return true;
        torn->by = away;
        if (is_mark(torn))
            return true;
    }
    return false;
}

/* Find the break without a seal. The end mark tells by how much the rear is displaced, or where the next chunk
 * begins. */
static bool find_by_slots(struct native_torn *torn, struct native_displacement *displaced, bool bounded, bool marked)
{
    if (!marked && find_mark(torn) && native_break_search(torn, displaced))
        return true;
    torn->by = (int32_t)((int64_t)torn->n - (int64_t)torn->image->size);
    return bounded && torn->by != 0 && abs(torn->by) <= NEAR && native_break_search(torn, displaced);
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
    unsigned char *bytes = image->displaced.by == 0 ? heap_alloc(limit) : NULL;
    struct native_torn torn = {image, bytes, 0, 0};
    bool found;
    if (bytes == NULL)
        return false;
    torn.n = input_read(view->in, image->offset, bytes, limit);
    found = find_seal(&torn);
    if (found)
        image->displaced = break_by_groups(&torn);
    else
        found = find_by_slots(&torn, &image->displaced, bounded && torn.n == limit, marked);
    heap_free(bytes);
    if (found)
        report(view, image);
    return found;
}
