/* pack_harness.c - chunks to be packed, and the check of what comes back: see pack_harness.h. */
#define _GNU_SOURCE
#include "pack_harness.h"

#include "base/bytes.h"
#include "base/crc32.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* ---- chunks ------------------------------------------------------------------------------------------------------ */

static uint32_t state = 1;

uint32_t noise(void)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

/* How many words the table of groups takes with the zeros behind it. */
static uint32_t padded(uint32_t groups)
{
    return (groups + 3u) / 4u * 4u;
}

void set_check(struct tlog_chunk *chunk)
{
    const uint32_t *words = &chunk->magic;
    uint32_t factor = 1;
    chunk->check = 0;
    for (unsigned i = 0; i < 15; i++) {
        factor *= 0x9E3779B1u;
        chunk->check += (words[i] ^ words[i] >> 16) * factor;
    }
}

struct tlog_chunk *new_chunk(uint32_t slots, uint32_t emergency)
{
    uint32_t groups = TLOG_GROUPS(slots) + TLOG_GROUPS(emergency);
    uint32_t size = TLOG_HEADER_BYTES + (slots + 1u + emergency) * TLOG_SLOT_BYTES + 32u + 48u + 4u * padded(groups);
    struct tlog_chunk *chunk = calloc(1, size);
    assert_non_null(chunk);
    chunk->magic = TLOG_WIRE_MAGIC;
    chunk->tag = TLOG_WIRE_TAG;
    chunk->format = TLOG_WIRE_VERSION | TLOG_HEADER_BYTES << 16 | 4u << 24;
    chunk->self = 0x20001230u;
    chunk->slots = slots;
    chunk->emergency = emergency;
    chunk->buf_size = size;
    chunk->freq = 25000000u;
    chunk->boot = 7;
    set_check(chunk);
    chunk->emergency_used = emergency; /* what was not used is packed as empty slots */
    chunk->cursor = (slots + 1u) << TLOG_CURSOR_SHIFT | TLOG_TAG_ODD;
    chunk->lap = TLOG_LAP_FIRST;
    chunk->dropped = 5;
    chunk->reported = 4;
    return chunk;
}

uint32_t *slots_of(struct tlog_chunk *chunk)
{
    return (uint32_t *)(chunk + 1);
}

/* How many slots a group has. */
static uint32_t slots_in(const struct tlog_chunk *chunk, uint32_t group)
{
    uint32_t groups = TLOG_GROUPS(chunk->slots);
    uint32_t all = group < groups ? chunk->slots : chunk->emergency;
    uint32_t left = all - (group < groups ? group : group - groups) * TLOG_GROUP_SLOTS;
    return left < TLOG_GROUP_SLOTS ? left : TLOG_GROUP_SLOTS;
}

uint32_t all_groups(const struct tlog_chunk *chunk)
{
    return TLOG_GROUPS(chunk->slots) + TLOG_GROUPS(chunk->emergency);
}

/* The offset of a group in the chunk. */
static size_t group_at(const struct tlog_chunk *chunk, uint32_t group)
{
    uint32_t groups = TLOG_GROUPS(chunk->slots);
    uint32_t emergency = chunk->slots + 1u + (group - groups) * TLOG_GROUP_SLOTS;
    return TLOG_HEADER_BYTES + (group < groups ? group * TLOG_GROUP_SLOTS : emergency) * TLOG_SLOT_BYTES;
}

void seal(struct tlog_chunk *chunk)
{
    unsigned char *bytes = (unsigned char *)chunk;
    uint32_t *end = slots_of(chunk) + 4u * chunk->slots, *claims = end + 4u * (1u + chunk->emergency), *at = claims + 8;
    uLong crc;
    memcpy(end, (uint32_t[4]){0, 0, 0, TLOG_TAG_MASK}, 16);
    memcpy(at,
           (uint32_t[11]){TLOG_WIRE_SEAL, chunk->cursor, chunk->lap, chunk->dropped, chunk->reported,
                          chunk->emergency_used, chunk->dropped_high, chunk->lap_high, chunk->extra_high, chunk->extra,
                          chunk->trigger},
           44);
    for (uint32_t i = 0; i < all_groups(chunk); i++)
        at[12u + i] = (uint32_t)crc32(0, bytes + group_at(chunk, i), slots_in(chunk, i) * TLOG_SLOT_BYTES);
    crc = crc32(crc32(0, (unsigned char *)at, 44), (unsigned char *)claims, 32);
    at[11] = (uint32_t)crc32(crc, (unsigned char *)(at + 12), 4u * all_groups(chunk));
}

/* ---- slots ------------------------------------------------------------------------------------------------------- */

void fill_noise(uint32_t *slots, uint32_t count)
{
    for (uint32_t i = 0; i < 4u * count; i++)
        slots[i] = noise();
}

void fill_events(uint32_t *slots, uint32_t count)
{
    static const uint8_t codes[] = {0x15, 0x03, 0x13, 0x16, 0x36, 0x09, 0x52, 0x62};
    uint32_t low = noise(), high = 5, code = 0;
    for (uint32_t i = 0; i < count; i++, slots += 4) {
        uint32_t before = low;
        code = noise() % 4u ? (code + 1u) % 8u : noise() % 8u;
        low += noise() % 64u ? 100u + noise() % 200u : 0x80000000u;
        high = (high & 0x7FFFFFFFu) + (low < before);
        slots[0] = code == 5 ? noise() % 300u : 0;
        slots[1] = high | (low & TLOG_HIGH_MIRROR);
        slots[2] = low;
        slots[3] = noise() % 5u << 16 | TLOG_TAG_ODD | codes[code];
    }
}

void fill_mixture(uint32_t *slots, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++, slots += 4) {
        uint32_t kind = noise() % 8u;
        fill_events(slots, 1);
        if (kind == 0)
            memcpy(slots, (uint32_t[4]){0, 0, 0, TLOG_SLOT_EMPTY}, 16);
        else if (kind <= 2)
            slots[3] =
                noise() % 2u << 30 | (noise() & 0x30000u) | noise() % 3u << TLOG_CLASS_SHIFT | noise() % 4u << 8 | 5u;
        else if (kind == 3)
            slots[noise() % 4u] ^= 1u << noise() % 32u;
        else if (kind == 4)
            fill_noise(slots, 1);
        else if (kind <= 6 && i > 8u)
            memcpy(slots, slots - 4u * (1u + noise() % 8u), 16);
    }
}

/* ---- both ways --------------------------------------------------------------------------------------------------- */

struct packed pack(const struct tlog_chunk *chunk)
{
    uint32_t room = TLOG_PACK_BYTES(chunk->slots, chunk->emergency);
    struct tlog_pack *work = malloc(sizeof *work);
    uint32_t *region = malloc(room);
    int32_t size, again;
    assert_non_null(work);
    assert_non_null(region);
    memset(work, (int)noise(), sizeof *work);
    size = tlog_pack(chunk, region, room, work);
    assert_true(size > 0 && (uint32_t)size <= room && size % 4 == 0);
    region = realloc(region, (size_t)size);
    assert_non_null(region);
    again = tlog_pack(chunk, region, (uint32_t)size, work);
    assert_int_equal(again, size);
    free(work);
    return (struct packed){(unsigned char *)region, (size_t)size};
}

/* Check a group of an image: it is as it was, or it is lost. Then its slots bear no tag, and no single wrong byte
 * explains its CRC. Returns whether it is lost. */
static bool check_group(const struct tlog_chunk *chunk, const unsigned char *image, uint32_t group)
{
    size_t table = chunk->buf_size - 4u * padded(all_groups(chunk));
    size_t at = group_at(chunk, group), size = slots_in(chunk, group) * TLOG_SLOT_BYTES;
    uint32_t wrong = crc32_of(image + at, size) ^ get_le32(image + table + 4u * group);
    if (wrong == 0) {
        assert_memory_equal(image + at, (const unsigned char *)chunk + at, size);
        return false;
    }
    for (size_t slot = 0; slot < size; slot += 16)
        assert_memory_equal(image + at + slot, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16);
    assert_int_equal(crc32_locate(wrong, (uint32_t)size).at, CRC32_NOWHERE);
    return true;
}

/* Check a whole image. Returns how many groups are lost. */
static uint32_t check_image(const struct tlog_chunk *chunk, const unsigned char *image, struct loss *loss)
{
    const unsigned char *right = (const unsigned char *)chunk;
    size_t table = chunk->buf_size - 4u * padded(all_groups(chunk));
    uint32_t count = 0;
    for (uint32_t i = 0; i < all_groups(chunk); i++) {
        loss->lost[i] = check_group(chunk, image, i);
        count += loss->lost[i];
    }
    assert_memory_equal(image, right, TLOG_HEADER_BYTES);
    assert_memory_equal(image + table - 80, right + table - 80, 76); /* claims, and the seal but for its CRC */
    return count;
}

int unpack_region(const struct tlog_chunk *chunk, struct packed packed, struct loss *loss)
{
    unsigned char *bytes = malloc(packed.size + !packed.size), *image = malloc(chunk->buf_size);
    int result;
    assert_non_null(bytes);
    assert_non_null(image);
    memcpy(bytes, packed.bytes, packed.size);
    memset(image, 0xA5, chunk->buf_size);
    *loss = (struct loss){0};
    result = native_region_unpack(bytes, packed.size, image, chunk->buf_size);
    if (result >= 0)
        assert_int_equal(result, check_image(chunk, image, loss));
    if (result == 0)
        assert_memory_equal(image, chunk, chunk->buf_size);
    free(bytes);
    free(image);
    return result;
}

size_t round_trip(struct tlog_chunk *chunk)
{
    static struct loss loss;
    struct packed packed;
    struct native_region region;
    seal(chunk);
    packed = pack(chunk);
    assert_int_equal(native_region_read_head(packed.bytes, packed.size, &region), 0);
    assert_int_equal(region.size, packed.size);
    assert_int_equal(region.chunk.buf_size, chunk->buf_size);
    assert_int_equal(region.mended_at, NATIVE_MEND_NONE);
    assert_int_equal(unpack_region(chunk, packed, &loss), 0);
    free(packed.bytes);
    return packed.size;
}

/* ---- damage ------------------------------------------------------------------------------------------------------ */

int group_of(struct packed packed, size_t at)
{
    size_t group = TLOG_PACK_HEAD_BYTES;
    if (at < group)
        return -1;
    for (int i = 0;; i++) {
        group += TLOG_PACK_GROUP_BYTES + 4u * packed.bytes[group];
        if (at < group)
            return i;
    }
}

struct tlog_chunk *small_chunk(void)
{
    struct tlog_chunk *chunk = new_chunk(75, 35);
    fill_events(slots_of(chunk), 75);
    fill_noise(slots_of(chunk) + 4u * 32u, 32);
    fill_mixture(slots_of(chunk) + 4u * 76u, 35);
    seal(chunk);
    return chunk;
}
