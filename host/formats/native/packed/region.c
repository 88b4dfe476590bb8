/* region.c - the head of a compressed region, and its groups put into an image: see region.h.
 *
 * Every number of the input is checked before it is used.
 */
#include "formats/native/packed/region.h"

#include "base/bytes.h"
#include "base/crc32.h"
#include "base/cursor.h"
#include "formats/native/bytes/chunk.h"
#include "formats/native/bytes/slot.h"
#include "formats/native/packed/unpack.h"

/* The seal's CRC of a lost group is the right one with all bits inverted: no single wrong byte of a group does that. */
#define WRONG 0xFFFFFFFFu

#define VERSION             (TLOG_PACK_VERSION | TLOG_PACK_HEAD_BYTES << 16)
#define MAGIC_AND_TAG_BYTES 8u /* of a chunk's header: left out in a region, for they are the same in all chunks */

/* ---- head -------------------------------------------------------------------------------------------------------- */

struct head {
    unsigned char bytes[TLOG_PACK_HEAD_BYTES]; /* mended */
    unsigned char header[TLOG_HEADER_BYTES];   /* the chunk's, as it is in an image */
    unsigned char claims[sizeof(struct tlog_claims)];
    struct native_layout layout;
    struct native_region told;
};

/* Mend one damaged byte of the head. False if more are damaged. */
static bool mend(struct head *head)
{
    uint32_t right = get_le32(head->bytes + TLOG_PACK_CRC_BYTES);
    uint32_t difference = crc32_of(head->bytes, TLOG_PACK_CRC_BYTES) ^ right;
    struct crc32_error error;
    head->told.mended_at = NATIVE_MEND_NONE;
    if (difference == 0)
        return true;
    error = crc32_locate(difference, TLOG_PACK_CRC_BYTES);
    if (error.at == CRC32_NOWHERE)
        return false;
    head->bytes[error.at] ^= error.bits;
    head->told.mended_at = error.at;
    return true;
}

/* Take the chunk's header and claims out of the head, where the cursor is. */
static void read_chunk(struct head *head, struct cursor *cursor)
{
    put_le32(head->header, TLOG_WIRE_MAGIC);
    put_le32(head->header + 4, TLOG_WIRE_TAG);
    cursor_get(cursor, head->header + MAGIC_AND_TAG_BYTES, TLOG_HEADER_BYTES - MAGIC_AND_TAG_BYTES);
    cursor_get(cursor, head->claims, sizeof head->claims);
    head->told.chunk = native_read_header(head->header);
}

/* Whether the chunk's own check is right, and this decoder knows its format. */
static bool is_chunk_right(const struct head *head)
{
    const struct tlog_chunk *chunk = &head->told.chunk;
    return native_check(head->header) == chunk->check
           && (chunk->format & 0xFFFFFFu) == (TLOG_WIRE_VERSION | TLOG_HEADER_BYTES << 16);
}

/* Whether the sizes of chunk and region agree with each other. The layout is known then. */
static bool check_sizes(struct head *head)
{
    const struct tlog_chunk *chunk = &head->told.chunk;
    uint64_t slots, groups, seal_end;
    if (chunk->slots == 0 || chunk->slots > TLOG_SLOTS_MAX || chunk->emergency > TLOG_SLOTS_MAX)
        return false;
    head->layout = (struct native_layout){(uint16_t)chunk->slots, (uint16_t)chunk->emergency};
    slots = (uint64_t)chunk->slots + chunk->emergency;
    groups = native_groups(head->layout);
    seal_end = native_seal_offset(head->layout) + native_seal_size(head->layout);
    return chunk->buf_size >= seal_end && chunk->buf_size <= seal_end + 12u && head->told.size % 4u == 0
           && head->told.size > TLOG_PACK_HEAD_BYTES + groups * TLOG_PACK_GROUP_BYTES
           && head->told.size <= TLOG_PACK_HEAD_BYTES + slots * TLOG_SLOT_BYTES + groups * TLOG_PACK_GROUP_BYTES;
}

/* Whether all of the first bytes of a head are right but for one. More are not mended: so only then is it worth while
 * to look for the wrong one, which takes as long as thousands of other bytes of an input. */
static bool may_be_head(const unsigned char *bytes)
{
    uint64_t wrong = get_le64(bytes) ^ ((uint64_t)VERSION << 32 | TLOG_PACK_MAGIC);
    unsigned n = 0;
    for (; wrong != 0; wrong >>= 8)
        n += (wrong & 0xFFu) != 0;
    return n <= 1u;
}

/* Read a head: 0, or an enum native_region_error. */
static int read_head(struct head *head, const unsigned char *bytes, size_t size)
{
    struct cursor cursor = cursor_in_memory(head->bytes, sizeof head->bytes, false);
    bool whole;
    if (size < TLOG_PACK_HEAD_BYTES || !may_be_head(bytes))
        return NATIVE_REGION_NONE;
    memcpy(head->bytes, bytes, TLOG_PACK_HEAD_BYTES);
    whole = mend(head);
    if (cursor_32(&cursor) != TLOG_PACK_MAGIC || cursor_32(&cursor) != VERSION)
        return NATIVE_REGION_NONE;
    head->told.size = cursor_32(&cursor);
    read_chunk(head, &cursor);
    return whole && is_chunk_right(head) && check_sizes(head) ? 0 : NATIVE_REGION_BROKEN;
}

int native_region_read_head(const unsigned char *bytes, size_t size, struct native_region *region)
{
    struct head head;
    int result = read_head(&head, bytes, size);
    if (result == 0)
        *region = head.told;
    return result;
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

/* What is needed to bring the groups of a region into an image. */
struct walk {
    const struct head *head;
    const unsigned char *bytes; /* the region */
    size_t size;                /* bytes of it that are there, a multiple of 4 */
    uint32_t seed;              /* the CRC of what each group's CRC begins with */
    unsigned char *image;
};

/* A group of the region, as its first word tells: FORMAT.md, 7.1. */
struct group {
    const unsigned char *header; /* that word; the payload follows, then the CRC */
    uint32_t number, words;      /* words: of the payload */
    uint32_t bits;               /* bits 15..8 of the head of its first slot, in their places */
};

/* Bytes of the group in the region. */
static size_t group_size(const struct group *group)
{
    return TLOG_PACK_GROUP_BYTES + 4u * (size_t)group->words;
}

/* Whether there is a group at an offset of the region: whether its number and size are possible, and its CRC right. */
static bool read_group(const struct walk *walk, size_t at, struct group *group)
{
    struct cursor cursor = cursor_in_memory(walk->bytes, walk->size, false);
    uint32_t word, payload, crc;
    cursor.at = at;
    word = cursor_32(&cursor);
    *group = (struct group){walk->bytes + at, word >> 16, word & 0xFFu, word & 0xFF00u};
    if (cursor.bad || group->words == 0 || group->number >= native_groups(walk->head->layout)
        || group->words > 4u * native_group_slots(walk->head->layout, group->number))
        return false;
    payload = 4u * group->words;
    if (!cursor_skip(&cursor, payload) || cursor_left(&cursor) < 4u)
        return false;
    crc = crc32_more(crc32_more(walk->seed, group->header + 4, payload), group->header, 4);
    return cursor_32(&cursor) == crc;
}

/* Put a group's slots into the image. False if its payload is damaged although its CRC is right. */
static bool place_group(const struct walk *walk, const struct group *group)
{
    unsigned char *to = walk->image + native_group_offset(walk->head->layout, group->number);
    uint32_t slots = native_group_slots(walk->head->layout, group->number);
    if (group->words < 4u * slots)
        return native_unpack(group->header + 4, group->words, group->bits, slots, to);
    memcpy(to, group->header + 4, 4u * (size_t)group->words); /* the target could not make it smaller */
    return true;
}

/* Fill a lost group with slots without a tag, which no lap has. */
static void put_lost_slots(const struct walk *walk, size_t group)
{
    memset(walk->image + native_group_offset(walk->head->layout, group), 0,
           native_group_size(walk->head->layout, group));
}

/* Put all groups of the region into the image, and note which ones came. They follow each other without gaps. Where
 * there is no group the next one is searched for at every word. Each group tells its number, so none of them is lost
 * because another one is damaged. */
static void place_groups(const struct walk *walk, bool *came)
{
    struct group group;
    size_t at = TLOG_PACK_HEAD_BYTES;
    while (at < walk->size) {
        if (read_group(walk, at, &group)) {
            came[group.number] = came[group.number] || place_group(walk, &group);
            at += group_size(&group);
        } else {
            at += 4;
        }
    }
}

/* ---- image ------------------------------------------------------------------------------------------------------- */

/* Put header, end mark and claims; all else is 0. */
static void put_frame(const struct walk *walk)
{
    const struct head *head = walk->head;
    memset(walk->image, 0, head->told.chunk.buf_size);
    memcpy(walk->image, head->header, sizeof head->header);
    put_le32(walk->image + native_slot_offset(head->layout.slots + 1u) + NATIVE_HEAD, TLOG_TAG_MASK);
    memcpy(walk->image + native_claims_offset(head->layout), head->claims, sizeof head->claims);
}

/* Put the CRC of each group into the seal's table. Returns how many groups did not come: they are filled, and their
 * CRCs are wrong on purpose. */
static int put_group_crcs(const struct walk *walk, const bool *came)
{
    struct native_layout layout = walk->head->layout;
    int lost = 0;
    for (size_t group = 0; group < native_groups(layout); group++) {
        uint32_t crc;
        if (!came[group])
            put_lost_slots(walk, group);
        crc = crc32_of(walk->image + native_group_offset(layout, group), native_group_size(layout, group));
        put_le32(walk->image + native_group_crc_offset(layout, group), came[group] ? crc : crc ^ WRONG);
        lost += !came[group];
    }
    return lost;
}

/* Put the seal, which repeats words of the header. The table of groups behind it is there already. */
static void put_seal(const struct walk *walk)
{
    const struct tlog_chunk *chunk = &walk->head->told.chunk;
    const uint32_t words[] = {TLOG_WIRE_SEAL,    chunk->cursor,         chunk->lap,          chunk->dropped,
                              chunk->reported,   chunk->emergency_used, chunk->dropped_high, chunk->lap_high,
                              chunk->extra_high, chunk->extra,          chunk->trigger};
    unsigned char *seal = walk->image + native_seal_offset(walk->head->layout);
    const unsigned char *table = seal + sizeof(struct tlog_seal);
    uint32_t crc;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        put_le32(seal + 4u * i, words[i]);
    crc = crc32_more(crc32_of(seal, sizeof words), walk->head->claims, sizeof walk->head->claims);
    crc = crc32_more(crc, table, 4u * native_groups(walk->head->layout));
    put_le32(seal + sizeof words, crc);
}

int native_region_unpack(const unsigned char *bytes, size_t size, unsigned char *image, size_t image_size)
{
    struct head head;
    struct walk walk = {.head = &head, .bytes = bytes, .image = image};
    bool came[2u * TLOG_GROUPS(TLOG_SLOTS_MAX)] = {false};
    int result = read_head(&head, bytes, size);
    if (result != 0)
        return result;
    if (image_size < head.told.chunk.buf_size)
        return NATIVE_REGION_ROOM;
    walk.size = (size < head.told.size ? size : head.told.size) & ~(size_t)3;
    walk.seed = crc32_of(head.bytes + TLOG_PACK_CHUNK_AT, TLOG_PACK_CRC_BYTES - TLOG_PACK_CHUNK_AT);
    put_frame(&walk);
    place_groups(&walk, came);
    result = put_group_crcs(&walk, came);
    put_seal(&walk);
    return result;
}
