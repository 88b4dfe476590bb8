/* seek.c - where in a hole an image is whose header is lost: see seek.h.
 *
 * A seal whose CRC is right tells how many groups there are; the end mark and the CRCs of the groups then tell how many
 * slots, and so where the header was. Without a seal an image next to the hole tells the number of slots, and the slots
 * tell by their tags where they are.
 *
 * What was searched once is not searched again when an image was found. All else that is looked at more often than
 * once is taken from the view's effort: when that is used up nothing more is found.
 */
#include "formats/native/seek.h"

#include "formats/native/seal.h"

#include <zlib.h>

#define SOUND_LEAST 3u  /* slots that tell an image without a seal */
#define TRIES       16u /* groups, and end marks, that are tried for a seal */

#define LAP_ZERO 0xFCFFu /* bits that are 0 in the words cursor and lap */

static const unsigned char seal_magic[4] = {'S', 'E', 'A', 'L'};

static bool is_mark(const struct native_hole *hole, size_t at)
{
    static const unsigned char mark[TLOG_SLOT_BYTES] = {[NATIVE_HEAD + 1] = TLOG_TAG_MASK >> 8};
    return at + sizeof mark <= hole->n && memcmp(hole->bytes + at, mark, sizeof mark) == 0;
}

/* ---- by the seal ------------------------------------------------------------------------------------------------- */

/* Whether what stands there can be a seal, by its first words. */
static bool may_be_seal(const struct native_hole *hole, size_t at)
{
    struct tlog_seal seal;
    if (at + sizeof seal + 4u > hole->n || memcmp(hole->bytes + at, seal_magic, sizeof seal_magic) != 0)
        return false;
    seal = native_read_seal(hole->bytes + at);
    return ((seal.cursor | seal.lap) & LAP_ZERO) == 0;
}

/* The number of groups with which the CRC of a seal is right; 0: none. */
static uint32_t count_groups(const struct native_hole *hole, size_t at)
{
    const unsigned char *seal = hole->bytes + at, *table = seal + sizeof(struct tlog_seal);
    size_t most = (hole->n - at - sizeof(struct tlog_seal)) / 4u, all = 2u * TLOG_GROUPS(TLOG_SLOTS_MAX);
    uint32_t right = native_read_seal(seal).crc;
    uLong crc = crc32(0, seal, offsetof(struct tlog_seal, crc));
    crc = crc32(crc, seal - sizeof(struct tlog_claims), sizeof(struct tlog_claims));
    for (size_t n = 1; n <= most && n <= all && native_view_spend(hole->view, 4); n++) {
        crc = crc32(crc, table + 4u * (n - 1u), 4);
        if ((uint32_t)crc == right)
            return (uint32_t)n;
    }
    return 0;
}

/* Whether a group of an image, which is in memory, is as the seal has it. */
static bool is_group_right(const struct native_hole *hole, const struct native_place *place, size_t group)
{
    int64_t at = place->at + (int64_t)native_group_offset(place->layout, group);
    size_t size = native_group_size(place->layout, group);
    const unsigned char *crc = hole->bytes + place->at + native_group_crc_offset(place->layout, group);
    return at >= 0 && native_view_spend(hole->view, size) && crc32_of(hole->bytes + at, size) == get_le32(crc);
}

/* Whether a seal can be that of an image of this layout: a group of normal slots is right. */
static bool is_layout(const struct native_hole *hole, size_t seal, struct native_place *place)
{
    size_t groups = TLOG_GROUPS((size_t)place->layout.slots), tried = 0;
    place->at = (int64_t)seal - (int64_t)native_seal_offset(place->layout);
    for (size_t group = groups; group-- > 0 && tried < TRIES; tried++) {
        if (is_group_right(hole, place, group))
            return true;
    }
    return false;
}

/* Find the number of normal slots, if there are so many emergency slots. */
static bool find_slots(const struct native_hole *hole, size_t seal, uint32_t groups, uint32_t emergency,
                       struct native_place *place)
{
    uint32_t normal = groups - TLOG_GROUPS(emergency);
    for (uint32_t n = TLOG_GROUP_SLOTS; n > 0; n--) {
        uint32_t slots = (normal - 1u) * TLOG_GROUP_SLOTS + n;
        if (slots > TLOG_SLOTS_MAX)
            continue;
        place->layout = (struct native_layout){(uint16_t)slots, (uint16_t)emergency};
        if (is_layout(hole, seal, place))
            return true;
    }
    return false;
}

/* Find the layout of the image that a seal with so many groups belongs to. */
static bool find_layout(const struct native_hole *hole, size_t seal, uint32_t groups, struct native_place *place)
{
    size_t end = seal - sizeof(struct tlog_claims) - TLOG_SLOT_BYTES;
    uint32_t tried = 0;
    for (uint32_t emergency = 0; TLOG_GROUPS(emergency) < groups && tried < TRIES; emergency++) {
        if (end < (size_t)emergency * TLOG_SLOT_BYTES || !native_view_spend(hole->view, TLOG_SLOT_BYTES))
            break;
        if (!is_mark(hole, end - (size_t)emergency * TLOG_SLOT_BYTES))
            continue;
        tried++;
        if (find_slots(hole, seal, groups, emergency, place))
            return true;
    }
    return false;
}

/* Whether an image belongs to what stands there: the seal is right, and so is a group. */
static bool is_seal_of(const struct native_hole *hole, size_t seal, struct native_place *place)
{
    uint32_t groups = may_be_seal(hole, seal) ? count_groups(hole, seal) : 0;
    return groups > 0 && find_layout(hole, seal, groups, place);
}

bool native_seek_seal(struct native_hole *hole, struct native_place *place)
{
    size_t ahead = sizeof(struct tlog_claims) + 2u * TLOG_SLOT_BYTES, at = ahead, end = hole->n;
    if (hole->from + hole->n < hole->to)
        end = hole->n > NATIVE_SEEK_SEAL_BYTES ? hole->n - NATIVE_SEEK_SEAL_BYTES : 0;
    if (hole->seals_from > hole->from + at)
        at = (size_t)(hole->seals_from - hole->from);
    while (at < end) {
        const unsigned char *magic = memchr(hole->bytes + at, seal_magic[0], end - at);
        at = magic != NULL ? (size_t)(magic - hole->bytes) : end;
        if (at < end && is_seal_of(hole, at, place)) {
            place->sealed = true;
            return true;
        }
        at++;
    }
    if (hole->from + end > hole->seals_from)
        hole->seals_from = hole->from + end;
    return false;
}

/* ---- by the slots ------------------------------------------------------------------------------------------------ */

/* How many slots are sound, if half of those are that were written; else 0. */
static uint32_t count_sound(const struct native_hole *hole, const struct native_place *place)
{
    struct native_slots slots = native_place_slots(hole, place);
    uint32_t sound = 0, written = 0;
    if (slots.from >= slots.to || !native_view_spend(hole->view, (uint64_t)(slots.to - slots.from) * TLOG_SLOT_BYTES))
        return 0;
    for (uint32_t i = slots.from; i < slots.to; i++) {
        const unsigned char *slot = native_place_slot(hole, place, i);
        if (native_head(slot) == TLOG_SLOT_EMPTY)
            continue;
        written++;
        sound += native_place_is_sound(slot);
    }
    return 2u * sound >= written ? sound : 0;
}

/* Keep a place if more slots are sound there than in the best one. */
static void try_place(const struct native_hole *hole, const struct native_place *place, struct native_place *best,
                      uint32_t *most)
{
    uint32_t sound = count_sound(hole, place);
    if (sound <= *most)
        return;
    *most = sound;
    *best = *place;
}

/* Forget the end marks that are ahead of what is still to be searched. */
static void drop_marks(struct native_hole *hole)
{
    unsigned n = 0;
    for (unsigned i = 0; i < hole->nmarks; i++) {
        if (hole->marks[i] >= hole->from + TLOG_SLOT_BYTES)
            hole->marks[n++] = hole->marks[i];
    }
    hole->nmarks = n;
}

/* Find the first end marks in what is in memory, as many as are tried. */
static void find_marks(struct native_hole *hole)
{
    size_t at = TLOG_SLOT_BYTES;
    drop_marks(hole);
    if (hole->marks_from > hole->from + at)
        at = (size_t)(hole->marks_from - hole->from);
    while (hole->nmarks < NATIVE_HOLE_MARKS && at + TLOG_SLOT_BYTES <= hole->n) {
        const unsigned char *tag = hole->bytes + at + NATIVE_HEAD + 1u;
        const unsigned char *next = memchr(tag, TLOG_TAG_MASK >> 8, hole->n - at - NATIVE_HEAD - 1u);
        at = next != NULL ? at + (size_t)(next - tag) : hole->n;
        if (is_mark(hole, at))
            hole->marks[hole->nmarks++] = hole->from + at;
        at++;
    }
    if (hole->from + at > hole->marks_from)
        hole->marks_from = hole->from + at;
}

bool native_seek_slots(struct native_hole *hole, struct native_layout layout, struct native_place *best)
{
    struct native_place place = {layout, 0, false};
    int64_t mark_at = (int64_t)native_slot_offset(layout.slots + 1u);
    uint32_t most = SOUND_LEAST - 1u;
    if (hole->begins)
        try_place(hole, &place, best, &most);
    place.at = (int64_t)hole->n - (int64_t)native_place_size(layout);
    if (hole->from + hole->n == hole->to)
        try_place(hole, &place, best, &most);
    find_marks(hole);
    for (unsigned i = 0; i < hole->nmarks; i++) {
        place.at = (int64_t)(hole->marks[i] - hole->from) - mark_at;
        try_place(hole, &place, best, &most);
    }
    return most >= SOUND_LEAST;
}

bool native_seek_layout(const struct native_hole *hole, struct native_layout *layout)
{
    for (size_t at = TLOG_HEADER_BYTES + TLOG_SLOT_BYTES; at < hole->n; at += TLOG_SLOT_BYTES) {
        size_t slots = (at - TLOG_HEADER_BYTES) / TLOG_SLOT_BYTES;
        if (slots > TLOG_SLOTS_MAX || !native_view_spend(hole->view, TLOG_SLOT_BYTES))
            return false;
        *layout = (struct native_layout){(uint16_t)slots, 0};
        if (is_mark(hole, at))
            return true;
    }
    return false;
}
