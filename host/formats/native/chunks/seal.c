/* seal.c - the seal of a chunk image: see seal.h. */
#include "formats/native/chunks/seal.h"

#include "formats/native/chunks/names_chunk.h"
#include "formats/native/chunks/write_position.h"

#include <string.h>

/* A seal's CRC protects what is ahead of it in the seal, the claims, and the table of groups, in this order. */
#define CRC_AT     (uint32_t) offsetof(struct tlog_seal, crc)
#define CLAIMS     (uint32_t)sizeof(struct tlog_claims)
#define GROUPS_MAX (2u * TLOG_GROUPS(TLOG_SLOTS_MAX))

#define NEAR 64u /* bytes that were lost ahead of a seal, or came in */

/* ---- the seal by itself ------------------------------------------------------------------------------------------ */

/* The bits in which the CRC in a seal of size bytes is wrong. The claims stand ahead of the seal. */
static uint32_t crc_difference(const unsigned char *seal, size_t size)
{
    unsigned char bytes[CRC_AT + CLAIMS + 4u * GROUPS_MAX];
    memcpy(bytes, seal, CRC_AT);
    memcpy(bytes + CRC_AT, seal - CLAIMS, CLAIMS);
    memcpy(bytes + CRC_AT + CLAIMS, seal + sizeof(struct tlog_seal), size - sizeof(struct tlog_seal));
    return crc32_of(bytes, CRC_AT + CLAIMS + size - sizeof(struct tlog_seal)) ^ native_read_seal(seal).crc;
}

/* The offset, from the claims on, of a byte that is counted in the order of the CRC: first the `protected` bytes that
 * it protects, then the CRC's own. */
static uint32_t offset_of(uint32_t at, uint32_t protected)
{
    if (at >= protected)
        return CLAIMS + CRC_AT + (at - protected);
    if (at < CRC_AT)
        return CLAIMS + at;
    return at < CRC_AT + CLAIMS ? at - CRC_AT : at + 4u;
}

bool native_seal_is_same(const struct tlog_seal *seal, const struct tlog_chunk *header)
{
    return seal->cursor == header->cursor && seal->lap == header->lap && seal->lap_high == header->lap_high
           && seal->dropped == header->dropped && seal->dropped_high == header->dropped_high
           && seal->reported == header->reported && seal->extra == header->extra
           && seal->extra_high == header->extra_high && seal->emergency_used == header->emergency_used;
}

bool native_seal_contradicts(const struct tlog_seal *seal, const struct native_image *image,
                             const struct tlog_chunk *header)
{
    struct native_position position;
    native_position_read(image, header->cursor, header->lap, header->lap_high, &position);
    return position.why == NULL && !position.doubtful && (header->cursor != seal->cursor || header->lap != seal->lap);
}

bool native_seal_is_right(const unsigned char *seal, size_t size)
{
    return native_read_seal(seal).magic == TLOG_WIRE_SEAL && crc_difference(seal, size) == 0;
}

/* Whether it is a single byte that is wrong, and one of the seal, not of the claims. */
static bool is_in_seal(const struct native_image *image, uint32_t difference)
{
    uint32_t protected = (uint32_t)(CLAIMS + native_seal_size(image->layout)) - 4u;
    struct crc32_error error = crc32_locate(difference, protected);
    return error.at != CRC32_NOWHERE && offset_of(error.at, protected) >= CLAIMS;
}

/* Whether the seal is an old one, and slots were claimed since then: its CRC is that of other notes. */
static bool is_outdated(const struct native_image *image, const struct tlog_chunk *header, const unsigned char *bytes,
                        uint32_t difference)
{
    struct tlog_seal seal = native_read_seal(bytes);
    bool noted = false;
    for (uint32_t at = 0; at < CLAIMS; at += 4u)
        noted = noted || get_le32(bytes - CLAIMS + at) != 0;
    return noted && seal.magic == TLOG_WIRE_SEAL && !native_seal_is_same(&seal, header)
           && !is_in_seal(image, difference);
}

/* Mend one damaged byte of the seal or the claims, in the view and whenever it is loaded again. False: more are
 * damaged. */
static bool mend(struct native_view *view, struct native_image *image, uint32_t difference)
{
    uint32_t protected = (uint32_t)(CLAIMS + native_seal_size(image->layout)) - 4u;
    struct crc32_error error = crc32_locate(difference, protected);
    if (error.at == CRC32_NOWHERE)
        return false;
    image->mend_at = (uint32_t)native_claims_offset(image->layout) + offset_of(error.at, protected);
    image->mend = error.bits;
    view->bytes[image->mend_at] ^= error.bits;
    trace_damage(view->trace, image->offset + image->mend_at, 0, 0,
                 "a byte of a chunk's seal was damaged; its CRC tells what it was");
    return true;
}

/* Whether these bytes are the image's seal, displaced: it tells what the header tells. */
static bool is_displaced(const unsigned char *bytes, const struct tlog_chunk *header)
{
    struct tlog_seal seal = native_read_seal(bytes);
    return seal.magic == TLOG_WIRE_SEAL && native_seal_is_same(&seal, header);
}

/* Whether the image's seal stands a few bytes ahead of its place or behind it, because bytes were lost ahead of it or
 * came in. Loads the bytes around it. */
static bool is_moved(struct native_view *view, const struct native_image *image, const struct tlog_chunk *header)
{
    size_t at = native_seal_offset(image->layout), size = native_seal_size(image->layout), from, n;
    unsigned char *bytes;
    bool found = false;
    if (image->packed)
        return false;
    from = at > NEAR + CLAIMS ? at - NEAR - CLAIMS : 0;
    if (native_view_reserve_bytes(view, at + NEAR + size) != 0)
        return false;
    bytes = view->bytes + from;
    n = input_read(view->in, native_input_offset(image, from), bytes, at + NEAR + size - from);
    native_view_will_change(view);
    for (size_t i = CLAIMS; i + size <= n && !found; i++)
        found = bytes[i] == (TLOG_WIRE_SEAL & 0xFFu) && is_displaced(bytes + i, header);
    return found;
}

/* A magic of 0 tells that the chunk was never sealed, or was not at rest when it should have been sealed again. */
enum native_seal native_seal_check(struct native_view *view, struct native_image *image,
                                   const struct tlog_chunk *header)
{
    size_t at = native_seal_offset(image->layout), size = native_seal_size(image->layout);
    const unsigned char *seal = view->bytes + at;
    uint32_t difference;
    if (image->available < at + size)
        return NATIVE_SEAL_NONE;
    native_view_load(view, image, at - CLAIMS, CLAIMS + size);
    if (native_read_seal(seal).magic == 0)
        return is_moved(view, image, header) ? NATIVE_SEAL_DAMAGED : NATIVE_SEAL_NONE;
    difference = crc_difference(seal, size);
    if (difference != 0 && is_outdated(image, header, seal, difference))
        return NATIVE_SEAL_NONE;
    if (difference != 0 && !mend(view, image, difference))
        return NATIVE_SEAL_DAMAGED;
    return native_read_seal(seal).magic == TLOG_WIRE_SEAL ? NATIVE_SEAL_RIGHT : NATIVE_SEAL_DAMAGED;
}

/* ---- the seal against the header --------------------------------------------------------------------------------- */

static bool is_group_right(const struct native_view *view, const struct native_image *image, size_t group)
{
    return native_view_group_difference(view, image, group) == 0;
}

bool native_seal_is_strange(struct native_view *view, const struct native_image *image, const struct tlog_chunk *header)
{
    struct tlog_seal seal = native_read_seal(view->bytes + native_seal_offset(image->layout));
    if (!native_seal_contradicts(&seal, image, header))
        return false;
    native_view_load(view, image, TLOG_HEADER_BYTES, native_claims_offset(image->layout) - TLOG_HEADER_BYTES);
    for (size_t group = 0; group < native_groups(image->layout); group++) {
        if (is_group_right(view, image, group))
            return false;
    }
    return true;
}

/* Whether the slots from one on, up to another, were reserved and not filled: then they are as they were before. Slots
 * are counted from lap 0 on; they are in view. */
static bool are_unfinished(const struct native_view *view, const struct native_image *image, uint64_t from, uint64_t to)
{
    uint32_t slots = image->layout.slots;
    while (from < to
           && native_slot_tag(native_view_slot(view, (uint32_t)(from % slots) + 1u)) == native_tag_before(from / slots))
        from++;
    return from >= to;
}

/* The header tells that the next slot is `now`; it was `then` when the chunk was sealed. Whether a group contradicts
 * that: it is as it was sealed, although one of its slots would have been filled since. So few slots may have been
 * reserved that none of them is filled. The slots are in view. */
static bool has_old_group(const struct native_view *view, const struct native_image *image,
                          const struct native_position *then, const struct native_position *now)
{
    uint32_t slots = image->layout.slots;
    uint64_t from = then->lap * slots + then->slot - 1u;
    uint64_t to = now->lap * slots + now->slot - 1u;
    bool few = to - from < NATIVE_UNFINISHED_MAX && to - from <= slots;
    if (to - from > slots)
        to = from + slots;
    while (from < to) {
        size_t slot = (size_t)(from % slots), group = slot / TLOG_GROUP_SLOTS;
        uint64_t next = from + native_group_slots(image->layout, group) - slot % TLOG_GROUP_SLOTS;
        if (is_group_right(view, image, group) && !(few && are_unfinished(view, image, from, next < to ? next : to)))
            return true;
        from = next;
    }
    return false;
}

/* Whether no normal slot was taken since the chunk was sealed. It may have been parked, or opened again. */
static bool is_at_rest(const struct tlog_seal *seal, const struct tlog_chunk *header)
{
    return header->lap == seal->lap && header->lap_high == seal->lap_high
           && (header->cursor == seal->cursor || header->cursor == (seal->cursor | TLOG_TAG_MASK)
               || seal->cursor == (header->cursor | TLOG_TAG_MASK));
}

/* How many events were dropped since the chunk was sealed; more than INT64_MAX: the header tells fewer than the
 * seal. */
static uint64_t count_dropped(const struct tlog_seal *seal, const struct tlog_chunk *header)
{
    return native_count(header->dropped, header->dropped_high) - native_count(seal->dropped, seal->dropped_high);
}

/* Whether emergency slots have been reserved since the chunk was sealed, as the header says: then all groups of these
 * slots have changed, but for slots that were not filled. */
static bool was_emergency_used(struct native_view *view, const struct native_image *image, const struct tlog_seal *seal,
                               const struct tlog_chunk *header)
{
    uint32_t then = seal->emergency_used, now = header->emergency_used;
    uint32_t first = native_first_emergency(image->layout);
    bool used = now > then && now <= image->layout.emergency, few = now - then < NATIVE_UNFINISHED_MAX;
    if (!used)
        return false;
    native_view_load(view, image, native_slot_offset(first), (size_t)image->layout.emergency * TLOG_SLOT_BYTES);
    for (uint32_t i = then; i < now && used; i++)
        used = !is_group_right(view, image, native_group_of(image->layout, first + i))
               || (few && native_slot_tag(native_view_slot(view, first + i)) == TLOG_TAG_EVEN);
    return used;
}

/* Whether more events may have been dropped although no slot was taken: by a chunk that is full and stops, which drops
 * all events, or by one that is, or was, parked when it dropped an event. */
static bool may_have_dropped(const struct native_image *image, const struct tlog_seal *seal,
                             const struct tlog_chunk *header)
{
    bool is_parked = ((header->cursor | seal->cursor) & TLOG_TAG_MASK) == TLOG_TAG_MASK;
    bool is_full = header->cursor >> TLOG_CURSOR_SHIFT > image->layout.slots;
    return (is_parked || (image->stops && is_full)) && count_dropped(seal, header) <= INT64_MAX;
}

/* Whether the header's counts contradict the seal. No normal slot was taken since the chunk was sealed. */
static bool are_counts_damaged(struct native_view *view, const struct native_image *image, const struct tlog_seal *seal,
                               const struct tlog_chunk *header)
{
    bool dropped = count_dropped(seal, header) != 0, used = header->emergency_used != seal->emergency_used;
    return header->reported != seal->reported || header->extra != seal->extra || header->extra_high != seal->extra_high
           || (dropped && !may_have_dropped(image, seal, header))
           || (used && !was_emergency_used(view, image, seal, header));
}

/* Whether the tags of all slots tell another position than the header. Slots beside it may be unfinished. */
static bool is_position_wrong(struct native_view *view, const struct native_image *image,
                              const struct native_position *now)
{
    struct native_position told = *now;
    if (native_position_fits(view, image, now))
        return false;
    native_position_correct(view, image, &told);
    return told.lap != now->lap || told.slot != now->slot;
}

/* The words of seal and header differ: whether the header's are damaged. If not, events were logged since. */
static bool is_header_damaged(struct native_view *view, const struct native_image *image, const struct tlog_seal *seal,
                              const struct tlog_chunk *header)
{
    struct native_position then, now;
    if (native_role(image) == TLOG_ROLE_NAMES)
        return native_names_chunk_is_damaged(view, image, seal, header);
    if (is_at_rest(seal, header))
        return are_counts_damaged(view, image, seal, header);
    native_view_load(view, image, TLOG_HEADER_BYTES, (size_t)native_slots_available(image) * TLOG_SLOT_BYTES);
    native_position_read(image, seal->cursor, seal->lap, seal->lap_high, &then);
    native_position_read(image, header->cursor, header->lap, header->lap_high, &now);
    if (now.why != NULL || now.doubtful || now.lap < then.lap || (now.lap == then.lap && now.slot < then.slot))
        return true;
    return has_old_group(view, image, &then, &now)
           || (is_position_wrong(view, image, &now) && native_position_fits(view, image, &then));
}

/* The high word of `reported`. The seal has only the low word, but `reported` is not far behind `dropped`. */
static uint32_t reported_high(const struct tlog_seal *seal)
{
    uint64_t dropped = native_count(seal->dropped, seal->dropped_high);
    uint64_t reported = dropped - (uint32_t)(seal->dropped - seal->reported);
    return (uint32_t)(reported >> 32) | (seal->reported & TLOG_COUNT_MIRROR);
}

void native_seal_restore(const struct tlog_seal *seal, struct tlog_chunk *header)
{
    header->cursor = seal->cursor;
    header->lap = seal->lap;
    header->lap_high = seal->lap_high;
    header->dropped = seal->dropped;
    header->dropped_high = seal->dropped_high;
    header->reported = seal->reported;
    header->reported_high = reported_high(seal);
    header->extra = seal->extra;
    header->extra_high = seal->extra_high;
    header->emergency_used = seal->emergency_used;
}

void native_seal_apply(struct native_view *view, struct native_image *image, struct tlog_chunk *header)
{
    struct tlog_seal seal = native_read_seal(view->bytes + native_seal_offset(image->layout));
    bool damaged = !native_seal_is_same(&seal, header)
                   && (image->displaced.by != 0 || is_header_damaged(view, image, &seal, header));
    image->sealed = damaged || (is_at_rest(&seal, header) && seal.emergency_used == header->emergency_used);
    if (!damaged)
        return;
    native_seal_restore(&seal, header);
    trace_damage(view->trace, image->offset + TLOG_CURSOR_OFFSET, 0, 0,
                 "the changing words of a chunk's header were damaged; the seal's are used");
}
