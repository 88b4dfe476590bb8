/* test_pack.c - the compressor of the target against the decompressor of the host: what goes in comes out, whatever it
 * is; damage costs its group and is told. And the native reader with compressed dumps. The compressor is compiled into
 * this file, for the host, and so are the tools of the native reader's tests; names that both have are changed. */
#define _GNU_SOURCE
#include "native_harness.c"
#define codes gen_codes
#define put32 gen_put32
#define get32 gen_get32
#define seal  gen_seal
#include "gen_dump.c"
#undef codes
#undef put32
#undef get32
#undef seal
#include "unpack.h"
#include "tlog_pack.c"

#include "bytes.h"
#include "crc32.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define GROUP_BYTES (TLOG_GROUP_SLOTS * TLOG_SLOT_BYTES)

/* ---- chunks
 * ---------------------------------------------------------------------------------------------------------- */

static uint32_t state = 1;

static uint32_t noise(void)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

static uint32_t padded(uint32_t groups)
{
    return (groups + 3u) / 4u * 4u;
}

/* A sealed chunk with zero slots, in memory of exactly its size. Free with free(). */
static struct tlog_chunk *new_chunk(uint32_t slots, uint32_t emergency)
{
    uint32_t groups = TLOG_GROUPS(slots) + TLOG_GROUPS(emergency);
    uint32_t size = TLOG_HEADER_BYTES + (slots + 1u + emergency) * TLOG_SLOT_BYTES + 32u + 4u * padded(groups);
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
    chunk->crc = (uint32_t)crc32(0, (const unsigned char *)chunk, TLOG_CRC_BYTES);
    chunk->emergency_used = 3;
    chunk->cursor = (slots + 1u) << TLOG_CURSOR_SHIFT | TLOG_TAG_ODD;
    chunk->lap = TLOG_LAP_FIRST;
    chunk->dropped = 5;
    chunk->reported = 4;
    return chunk;
}

static uint32_t *slots_of(struct tlog_chunk *chunk)
{
    return (uint32_t *)(chunk + 1);
}

static uint32_t slots_in(const struct tlog_chunk *chunk, uint32_t group)
{
    uint32_t groups = TLOG_GROUPS(chunk->slots);
    uint32_t all = group < groups ? chunk->slots : chunk->emergency;
    uint32_t left = all - (group < groups ? group : group - groups) * TLOG_GROUP_SLOTS;

    return left < TLOG_GROUP_SLOTS ? left : TLOG_GROUP_SLOTS;
}

static uint32_t all_groups(const struct tlog_chunk *chunk)
{
    return TLOG_GROUPS(chunk->slots) + TLOG_GROUPS(chunk->emergency);
}

static size_t group_at(const struct tlog_chunk *chunk, uint32_t group)
{
    uint32_t groups = TLOG_GROUPS(chunk->slots);
    uint32_t emergency = chunk->slots + 1u + (group - groups) * TLOG_GROUP_SLOTS;

    return TLOG_HEADER_BYTES + (group < groups ? group * TLOG_GROUP_SLOTS : emergency) * TLOG_SLOT_BYTES;
}

/* End mark and seal, as tlog_dump() makes them. */
static void seal(struct tlog_chunk *chunk)
{
    unsigned char *bytes = (unsigned char *)chunk;
    uint32_t *end = slots_of(chunk) + 4u * chunk->slots, *at = end + 4u * (1u + chunk->emergency);

    memcpy(end, (uint32_t[4]){TLOG_TAG_MASK, 0, 0, 0}, 16);
    memcpy(at,
           (uint32_t[7]){TLOG_WIRE_SEAL, chunk->cursor, chunk->lap, chunk->dropped, chunk->reported,
                         chunk->emergency_used, 0},
           28);
    for (uint32_t i = 0; i < all_groups(chunk); i++)
        at[8u + i] = (uint32_t)crc32(0, bytes + group_at(chunk, i), slots_in(chunk, i) * TLOG_SLOT_BYTES);
    at[7] = (uint32_t)crc32(crc32(0, (unsigned char *)at, 28), (unsigned char *)(at + 8), 4u * all_groups(chunk));
}

/* ---- what stands in them
 * ---------------------------------------------------------------------------------------------- */

static void fill_noise(uint32_t *slots, uint32_t count)
{
    for (uint32_t i = 0; i < 4u * count; i++)
        slots[i] = noise();
}

/* Like a kernel's: few codes, few tasks, times that go up, now and then half a wrap. */
static void fill_events(uint32_t *slots, uint32_t count)
{
    static const uint8_t codes[] = {0x15, 0x03, 0x13, 0x16, 0x36, 0x09, 0x52, 0x62};
    uint32_t low = noise(), high = 5, code = 0;

    for (uint32_t i = 0; i < count; i++, slots += 4) {
        uint32_t before = low;

        code = noise() % 4u ? (code + 1u) % 8u : noise() % 8u;
        low += noise() % 64u ? 100u + noise() % 200u : 0x80000000u;
        high = (high & 0x7FFFFFFFu) + (low < before);
        slots[0] = noise() % 5u << 16 | TLOG_TAG_ODD | codes[code];
        slots[1] = high | (low & TLOG_HIGH_MIRROR);
        slots[2] = low;
        slots[3] = code == 5 ? noise() % 300u : 0;
    }
}

/* Every kind of slot beside every other: empty, unfinished, of both tags, of all classes, damaged, and repetitions. */
static void fill_mixture(uint32_t *slots, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++, slots += 4) {
        uint32_t kind = noise() % 8u;

        fill_events(slots, 1);
        if (kind == 0)
            memcpy(slots, (uint32_t[4]){TLOG_SLOT_EMPTY, 0, 0, 0}, 16);
        else if (kind <= 2)
            slots[0] =
                noise() % 2u << 30 | (noise() & 0x30000u) | noise() % 3u << TLOG_CLASS_SHIFT | noise() % 4u << 8 | 5u;
        else if (kind == 3)
            slots[noise() % 4u] ^= 1u << noise() % 32u;
        else if (kind == 4)
            fill_noise(slots, 1);
        else if (kind <= 6 && i > 8u)
            memcpy(slots, slots - 4u * (1u + noise() % 8u), 16);
    }
}

/* ---- both ways
 * -------------------------------------------------------------------------------------------------------- */

struct packed {
    unsigned char *bytes;
    size_t size;
};

/* Pack into memory of exactly the size that is always enough, then into as much as was needed. */
static struct packed pack(const struct tlog_chunk *chunk)
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

struct loss {
    const struct tlog_chunk *chunk;
    bool lost[4096]; /* by group */
    uint32_t count;
    uint32_t before; /* offset of the one before */
};

static void note_loss(void *context, const struct unpack_lost *lost)
{
    struct loss *loss = context;
    uint32_t group = 0;

    while (group_at(loss->chunk, group) != lost->offset)
        assert_true(++group < all_groups(loss->chunk));
    assert_int_equal(lost->slots, slots_in(loss->chunk, group));
    assert_true(lost->offset > loss->before);
    loss->before = lost->offset;
    loss->lost[group] = true;
    loss->count++;
}

/* An intact group is as it was, a lost one has only slots that are none, and a CRC that no single byte explains. */
static void check_image(const struct tlog_chunk *chunk, const unsigned char *image, const struct loss *loss)
{
    const unsigned char *right = (const unsigned char *)chunk;
    size_t table = chunk->buf_size - 4u * padded(all_groups(chunk));

    for (uint32_t i = 0; i < all_groups(chunk); i++) {
        size_t at = group_at(chunk, i), size = slots_in(chunk, i) * TLOG_SLOT_BYTES;
        uint32_t wrong = crc32_of(image + at, size) ^ get_le32(image + table + 4u * i);

        if (!loss->lost[i]) {
            assert_memory_equal(image + at, right + at, size);
            assert_int_equal(wrong, 0);
            continue;
        }
        for (size_t slot = 0; slot < size; slot += 16)
            assert_memory_equal(image + at + slot, "\0\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16);
        assert_int_not_equal(wrong, 0);
        assert_int_equal(crc32_locate(wrong, (uint32_t)size).at, CRC32_NOWHERE);
    }
    assert_memory_equal(image, right, TLOG_HEADER_BYTES);
    assert_memory_equal(image + table - 32, right + table - 32, 28);
}

/* Unpack from memory of exactly that size. What unpack_region() returned; the image was checked. */
static int unpack(const struct tlog_chunk *chunk, struct packed packed, struct loss *loss)
{
    unsigned char *bytes = malloc(packed.size + !packed.size), *image = malloc(chunk->buf_size);
    struct unpack_damage damage = {note_loss, loss};
    int result;

    assert_non_null(bytes);
    assert_non_null(image);
    memcpy(bytes, packed.bytes, packed.size);
    memset(image, 0xA5, chunk->buf_size);
    *loss = (struct loss){.chunk = chunk};
    result = unpack_region(bytes, packed.size, image, chunk->buf_size, damage);
    if (result >= 0) {
        assert_int_equal(result, loss->count);
        check_image(chunk, image, loss);
        if (result == 0)
            assert_memory_equal(image, chunk, chunk->buf_size);
    }
    free(bytes);
    free(image);
    return result;
}

static size_t round_trip(struct tlog_chunk *chunk)
{
    static struct loss loss;
    struct packed packed;
    struct unpack_info info;

    seal(chunk);
    packed = pack(chunk);
    assert_int_equal(unpack_peek(packed.bytes, packed.size, &info), 0);
    assert_int_equal(info.region_size, packed.size);
    assert_int_equal(info.image_size, chunk->buf_size);
    assert_int_equal(info.mended_at, UNPACK_INTACT);
    assert_int_equal(unpack(chunk, packed, &loss), 0);
    free(packed.bytes);
    return packed.size;
}

typedef void fill_slots(uint32_t *slots, uint32_t count);

static void check_fill(fill_slots *fill)
{
    for (uint32_t slots = 1; slots <= 100; slots++) {
        struct tlog_chunk *chunk = new_chunk(slots, slots % 3u ? 0 : slots);

        for (unsigned n = 0; n < 8; n++) {
            fill(slots_of(chunk), slots);
            fill(slots_of(chunk) + 4u * (slots + 1u), chunk->emergency);
            round_trip(chunk);
        }
        free(chunk);
    }
}

static void test_noise(void **unused)
{
    (void)unused;
    check_fill(fill_noise);
}

static void test_events(void **unused)
{
    (void)unused;
    check_fill(fill_events);
}

static void test_mixture(void **unused)
{
    (void)unused;
    check_fill(fill_mixture);
}

/* Half a word 0 is what selects how a slot is written: all of them, first and in the middle, known and not. */
static void test_every_key(void **unused)
{
    struct tlog_chunk *chunk = new_chunk(0x10000u / 32u, 0);

    (void)unused;
    for (uint32_t part = 0; part < 64; part++) {
        fill_events(slots_of(chunk), chunk->slots);
        for (uint32_t i = 0; i < chunk->slots; i++)
            slots_of(chunk)[4u * i] = (slots_of(chunk)[4u * i] & 0xFFFF0000u) | (part * 1024u + i / 2u);
        round_trip(chunk);
    }
    free(chunk);
}

/* par1, par2, data and times that are as expected, off by every power of two and its neighbours, up and down. */
static void test_every_difference(void **unused)
{
    struct tlog_chunk *chunk = new_chunk(64, 0);
    uint32_t *slots = slots_of(chunk);

    (void)unused;
    for (uint32_t trial = 0; trial < 32u * 3u * 2u * 5u * 2u; trial++) {
        uint32_t bit = trial % 32u, off = ((uint32_t)1 << bit) - 1u + trial / 32u % 3u, word = trial / 192u % 5u;

        for (uint32_t i = 0; i < 64; i++)
            memcpy(slots + 4u * i, (uint32_t[4]){0x20101u + i % 2u + (trial >= 960u ? 0x400u : 0), 0, 1000u * i, 9},
                   16);
        off = trial / 96u % 2u ? 0u - off : off;
        slots[4u * (20u + trial % 7u) + (word == 4u ? 0 : word)] += word == 4u ? off << 16 : off;
        round_trip(chunk);
    }
    free(chunk);
}

/* Not even noise may grow by more than a sixteenth, nor beyond what the header promises. */
static void test_growth(void **unused)
{
    (void)unused;
    for (uint32_t slots = 1; slots <= 300; slots += slots < 70 ? 1 : 23) {
        struct tlog_chunk *chunk = new_chunk(slots, slots % 2u ? slots / 3u : 0);
        size_t size;

        fill_noise(slots_of(chunk), slots);
        fill_noise(slots_of(chunk) + 4u * (slots + 1u), chunk->emergency);
        size = round_trip(chunk);
        assert_true(size <= TLOG_PACK_BYTES(slots, chunk->emergency));
        assert_true(size * 16u <= chunk->buf_size * 17u);
        free(chunk);
    }
}

static void check_room(fill_slots *fill)
{
    struct tlog_chunk *chunk = new_chunk(70, 40);
    static struct tlog_pack work;
    struct packed whole;

    fill(slots_of(chunk), 70);
    fill(slots_of(chunk) + 4u * 71u, 40);
    seal(chunk);
    whole = pack(chunk);
    for (uint32_t size = 0; size < whole.size; size++) {
        uint32_t *region = malloc(size + !size);

        assert_non_null(region);
        memset(region, 0x54, size);
        assert_int_equal(tlog_pack(chunk, region, size, &work), TLOG_PACK_ROOM);
        assert_true(size < 4 || region[0] != TLOG_PACK_MAGIC);
        free(region);
    }
    free(whole.bytes);
    free(chunk);
}

/* Too little room is said, and nothing is written beyond it: the sanitizer watches. */
static void test_room(void **unused)
{
    (void)unused;
    check_room(fill_events);
    check_room(fill_noise);
}

static void test_not_a_chunk(void **unused)
{
    struct tlog_chunk *chunk = new_chunk(4, 0);
    static struct tlog_pack work;
    uint32_t region[256];

    (void)unused;
    for (unsigned bit = 0; bit < 8u * 64u; bit++) {
        unsigned char *byte = (unsigned char *)chunk + bit / 8u;

        *byte ^= (unsigned char)(1u << bit % 8u);
        region[0] = TLOG_PACK_MAGIC;
        assert_int_equal(tlog_pack(chunk, region, sizeof region, &work), TLOG_PACK_CHUNK);
        assert_int_not_equal(region[0], TLOG_PACK_MAGIC);
        *byte ^= (unsigned char)(1u << bit % 8u);
    }
    assert_true(tlog_pack(chunk, region, sizeof region, &work) > 0);
    free(chunk);
}

/* ---- damage
 * ----------------------------------------------------------------------------------------------------------- */

/* Which group a byte of a region is in; -1: the head. */
static int group_of(struct packed packed, size_t at)
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

/* Groups that compress and one that does not, whole ones and short ones, and emergency slots. */
static struct tlog_chunk *small_chunk(void)
{
    struct tlog_chunk *chunk = new_chunk(75, 35);

    fill_events(slots_of(chunk), 75);
    fill_noise(slots_of(chunk) + 4u * 32u, 32);
    fill_mixture(slots_of(chunk) + 4u * 76u, 35);
    seal(chunk);
    return chunk;
}

static void test_flips(void **unused)
{
    struct tlog_chunk *chunk = small_chunk();
    struct packed packed = pack(chunk);
    static struct loss loss;

    (void)unused;
    for (size_t bit = 0; bit < 8u * packed.size; bit++) {
        int group = group_of(packed, bit / 8u), result;

        packed.bytes[bit / 8u] ^= (unsigned char)(1u << bit % 8u);
        result = unpack(chunk, packed, &loss);
        packed.bytes[bit / 8u] ^= (unsigned char)(1u << bit % 8u);
        assert_int_equal(result, group >= 0);
        assert_true(group < 0 || loss.lost[group]);
    }
    free(packed.bytes);
    free(chunk);
}

static void test_cuts(void **unused)
{
    struct tlog_chunk *chunk = small_chunk();
    struct packed packed = pack(chunk);
    static struct loss loss;

    (void)unused;
    for (size_t cut = 0; cut < packed.size; cut++) {
        int result = unpack(chunk, (struct packed){packed.bytes, cut}, &loss);

        if (cut < TLOG_PACK_HEAD_BYTES)
            assert_int_equal(result, UNPACK_NOTHING);
        else
            assert_int_equal(result, (int)all_groups(chunk) - group_of(packed, cut));
    }
    free(packed.bytes);
    free(chunk);
}

/* Any words are overwritten, with zeros, ones, noise, or what stands elsewhere in the region. */
static void test_bursts(void **unused)
{
    struct tlog_chunk *chunk = small_chunk();
    struct packed packed = pack(chunk), damaged = {malloc(packed.size), packed.size};
    static struct loss loss;

    (void)unused;
    assert_non_null(damaged.bytes);
    for (unsigned trial = 0; trial < 20000; trial++) {
        size_t from = TLOG_PACK_HEAD_BYTES + noise() % (packed.size - TLOG_PACK_HEAD_BYTES);
        size_t size = 1u + noise() % (packed.size - from), other = noise() % (packed.size - size + 1u);

        if (trial % 2u)
            size = size < 64u ? size : 1u + size % 64u;
        memcpy(damaged.bytes, packed.bytes, packed.size);
        if (trial % 4u < 2u)
            memcpy(damaged.bytes + from, packed.bytes + other, size);
        else
            memset(damaged.bytes + from, (int)(noise() % 3u * 0x7F), size);
        assert_true(unpack(chunk, damaged, &loss) >= 0);
        for (int i = 0; i < (int)all_groups(chunk); i++)
            assert_true(!loss.lost[i] || (i >= group_of(packed, from) && i <= group_of(packed, from + size - 1u)));
    }
    free(damaged.bytes);
    free(packed.bytes);
    free(chunk);
}

/* Words that are missing, or too many: what comes after them is found again. */
static void test_shifts(void **unused)
{
    struct tlog_chunk *chunk = small_chunk();
    struct packed packed = pack(chunk);
    static struct loss loss;
    unsigned char *bytes = malloc(packed.size);

    (void)unused;
    assert_non_null(bytes);
    for (size_t at = TLOG_PACK_HEAD_BYTES; at < packed.size - 4u; at += 4) {
        int last = (int)all_groups(chunk) - 1;

        memcpy(bytes, packed.bytes, at);
        memcpy(bytes + at, packed.bytes + at + 4, packed.size - at - 4u);
        assert_int_equal(unpack(chunk, (struct packed){bytes, packed.size - 4u}, &loss), 1);
        assert_true(loss.lost[group_of(packed, at)]);
        memcpy(bytes + at + 4, packed.bytes + at, packed.size - at - 4u); /* now one more, and the last group is cut */
        assert_true(unpack(chunk, (struct packed){bytes, packed.size}, &loss) <= 2);
        assert_true(loss.lost[last]);
    }
    free(bytes);
    free(packed.bytes);
    free(chunk);
}

/* Two bytes of the head: not to be put right, so there is no region. */
static void test_broken_head(void **unused)
{
    struct tlog_chunk *chunk = small_chunk();
    struct packed packed = pack(chunk);
    static struct loss loss;

    (void)unused;
    for (size_t a = 0; a < TLOG_PACK_HEAD_BYTES; a++) {
        for (size_t b = 0; b < a; b++) {
            packed.bytes[a] ^= 0x11;
            packed.bytes[b] ^= 0x11;
            assert_true(unpack(chunk, packed, &loss) < 0);
            packed.bytes[a] ^= 0x11;
            packed.bytes[b] ^= 0x11;
        }
    }
    assert_int_equal(unpack(chunk, packed, &loss), 0);
    free(packed.bytes);
    free(chunk);
}

/* A head whose CRC is right and whose numbers are not. */
static void test_lying_head(void **unused)
{
    static const struct {
        size_t at;
        uint32_t value;
    } lies[] = {{4, 2},   {8, 124},          {8, 1u << 31},     {8, 0xFFFFFFFFu}, {24, 0},
                {24, 76}, {24, 65535},       {24, 0xFFFFFFFFu}, {28, 65535},      {28, 0xFFFFFFFFu},
                {32, 0},  {32, 0xFFFFFFFFu}, {12, 0x04700002u}, {8, 1193}};
    struct tlog_chunk *chunk = small_chunk();
    struct packed packed = pack(chunk);
    static struct loss loss;
    unsigned char head[TLOG_PACK_HEAD_BYTES], constants[TLOG_CRC_BYTES];
    int result;

    (void)unused;
    assert_in_range(packed.size, 1100, 1300);
    memcpy(head, packed.bytes, sizeof head);
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        put_le32(packed.bytes + lies[i].at, lies[i].value);
        memcpy(constants, chunk, 8);
        memcpy(constants + 8, packed.bytes + 12, sizeof constants - 8u);
        put_le32(packed.bytes + 64, (uint32_t)crc32(0, constants, sizeof constants));
        put_le32(packed.bytes + 116, (uint32_t)crc32(0, packed.bytes, 116));
        result = unpack(chunk, packed, &loss);
        assert_true(result == UNPACK_NOTHING || result == UNPACK_BROKEN);
        memcpy(packed.bytes, head, sizeof head);
    }
    put_le32(packed.bytes + 64, 0x12345678u);
    put_le32(packed.bytes + 116, (uint32_t)crc32(0, packed.bytes, 116));
    assert_int_equal(unpack(chunk, packed, &loss), UNPACK_BROKEN);
    free(packed.bytes);
    free(chunk);
}

static void test_small_image(void **unused)
{
    struct tlog_chunk *chunk = small_chunk();
    struct packed packed = pack(chunk);
    unsigned char image[4096];

    (void)unused;
    for (size_t size = 0; size < chunk->buf_size; size += 13)
        assert_int_equal(unpack_region(packed.bytes, packed.size, image, size, (struct unpack_damage){0}), UNPACK_ROOM);
    assert_int_equal(unpack_region(packed.bytes, packed.size, image, sizeof image, (struct unpack_damage){0}), 0);
    free(packed.bytes);
    free(chunk);
}

/* Groups whose CRC is right and whose bits are anything: the sanitizer watches, and bits too many or too few are seen.
 */
static void test_any_payload(void **unused)
{
    struct tlog_chunk *chunk = new_chunk(32, 0);
    unsigned char bytes[TLOG_PACK_HEAD_BYTES + TLOG_PACK_GROUP_BYTES + GROUP_BYTES], *image = malloc(chunk->buf_size);
    struct packed packed;
    unsigned lost = 0;

    (void)unused;
    assert_non_null(image);
    seal(chunk);
    packed = pack(chunk);
    memcpy(bytes, packed.bytes, TLOG_PACK_HEAD_BYTES);
    for (unsigned trial = 0; trial < 200000; trial++) {
        uint32_t words = 1u + noise() % 127u, mask = noise() | (trial % 2u ? noise() : 0);
        size_t size = TLOG_PACK_HEAD_BYTES + TLOG_PACK_GROUP_BYTES + 4u * words;
        unsigned char *group = bytes + TLOG_PACK_HEAD_BYTES, *exact;
        uLong crc = crc32(0, bytes + 12, 104);
        int result;

        put_le32(bytes + 8, (uint32_t)size);
        put_le32(bytes + 116, (uint32_t)crc32(0, bytes, 116));
        put_le32(group, words | 0x100u);
        for (uint32_t i = 0; i < words; i++)
            put_le32(group + 4u + 4u * i, noise() & mask);
        put_le32(group + 4u + 4u * words, (uint32_t)crc32(crc32(crc, group + 4, 4u * words), group, 4));
        exact = malloc(size);
        assert_non_null(exact);
        memcpy(exact, bytes, size);
        result = unpack_region(exact, size, image, chunk->buf_size, (struct unpack_damage){0});
        free(exact);
        assert_true(result == 0 || result == 1);
        lost += (unsigned)result;
    }
    assert_true(lost > 150000);
    free(packed.bytes);
    free(image);
    free(chunk);
}

/* Four slots as a payload tells them: three of new codes, then one like slot `index`; `last` in the very last
 * bits, and then more words, or fewer. Whether the group is lost. */
static bool is_lost(uint32_t index, int more, uint32_t last)
{
    static uint32_t region[64];
    static struct loss loss;
    static struct tlog_pack work;
    struct tlog_chunk *chunk = new_chunk(4, 0);
    unsigned char *bytes = (unsigned char *)region, *image = malloc(chunk->buf_size);
    struct unpack_damage damage = {note_loss, &loss};
    int result;

    assert_non_null(image);
    assert_true(tlog_pack(chunk, region, sizeof region, &work) > 0);
    work.first = 31;
    work.at = 31;
    work.limit = 64;
    work.crc = work.seed;
    work.bits = work.fill = 0;
    for (uint32_t code = 0; code < 3; code++)
        put(&work, 1u | code << 2 | 1u << 12, 1 + 5 + 1 + 1 + 8); /* par1 and par2 as expected, a tick later */
    put(&work, index << 1, 1 + 2 + 1 + 1 + 8);
    put(&work, last << 2, 3);
    if (more > 0)
        put(&work, 0, 32);
    if (more < 0)
        work.at--;
    work.crc = crc_words(work.seed, region + 31, work.at - 31u);
    work.number = 0;
    work.word0[0] = TLOG_TAG_ODD;
    end_group(&work);
    finish(&work);
    loss = (struct loss){.chunk = chunk};
    result = unpack_region(bytes, get_le32(bytes + 8), image, chunk->buf_size, damage);
    assert_true(result == (int)loss.count && result >= 0);
    for (unsigned i = 0; i < 4 && result > 0; i++)
        assert_memory_equal(image + 112 + 16u * i, "\0\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16);
    free(image);
    free(chunk);
    return result > 0;
}

/* What no compressor writes is not taken for slots, even if it could be. */
static void test_strict(void **unused)
{
    (void)unused;
    assert_false(is_lost(0, 0, 0));
    assert_false(is_lost(2, 0, 0));
    assert_true(is_lost(3, 0, 0));  /* like itself */
    assert_true(is_lost(2, 0, 1));  /* bits behind the last slot */
    assert_true(is_lost(2, 1, 0));  /* a word behind it */
    assert_true(is_lost(2, -1, 0)); /* a word less than it needs */
}

static void test_no_slots(void **unused)
{
    struct tlog_chunk *chunk = new_chunk(1, 1);
    uint32_t region[64];
    static struct tlog_pack work;
    struct unpack_info info;

    (void)unused;
    chunk->slots = 0;
    chunk->buf_size -= TLOG_SLOT_BYTES;
    chunk->crc = (uint32_t)crc32(0, (const unsigned char *)chunk, TLOG_CRC_BYTES);
    assert_true(tlog_pack(chunk, region, sizeof region, &work) > 0);
    assert_int_equal(unpack_peek((unsigned char *)region, sizeof region, &info), UNPACK_BROKEN);
    free(chunk);
}

/* ---- a writer that comes late
 * ------------------------------------------------------------------------------------------ */

static struct {
    struct tlog_chunk *chunk;
    const uint32_t *versions[2];
    volatile bool stop;
} writer;

static void *keep_writing(void *unused)
{
    (void)unused;
    for (unsigned n = 0; !writer.stop; n++)
        for (uint32_t i = 0; i < 4u * writer.chunk->slots; i++)
            ((volatile uint32_t *)slots_of(writer.chunk))[i] = writer.versions[n % 2u][i];
    return unused;
}

/* While it is packed, the chunk changes all the time. Each word that comes out was there at some moment. */
static void test_late_writer(void **unused)
{
    enum { SLOTS = 64 };
    static uint32_t versions[2][4 * SLOTS], region[TLOG_PACK_BYTES(SLOTS, 0) / 4u];
    static struct tlog_pack work;
    struct tlog_chunk *chunk = new_chunk(SLOTS, 0);
    uint32_t *image = malloc(chunk->buf_size);
    pthread_t thread;

    (void)unused;
    assert_non_null(image);
    fill_events(versions[0], SLOTS);
    fill_events(versions[1], SLOTS);
    writer.chunk = chunk;
    memcpy(slots_of(chunk), versions[0], sizeof versions[0]);
    for (int n = 0; n < 2; n++)
        writer.versions[n] = versions[n];
    assert_int_equal(pthread_create(&thread, NULL, keep_writing, NULL), 0);
    for (unsigned trial = 0; trial < 20000; trial++) {
        int32_t size = tlog_pack(chunk, region, sizeof region, &work);

        assert_true(size > 0);
        assert_int_equal(unpack_region((unsigned char *)region, (size_t)size, (unsigned char *)image, chunk->buf_size,
                                       (struct unpack_damage){0}),
                         0);
        for (uint32_t i = 0; i < 4u * SLOTS; i++)
            assert_true(image[28u + i] == versions[0][i] || image[28u + i] == versions[1][i]);
    }
    writer.stop = true;
    pthread_join(thread, NULL);
    free(image);
    free(chunk);
}

/* Where a common code stands is where it is looked for, and each is once there. */
static void test_common(void **unused)
{
    static const uint8_t common[16] = TLOG_PACK_COMMON;

    (void)unused;
    for (uint32_t i = 0; i < 16; i++)
        assert_int_equal(TLOG_PACK_COMMON_HASH((uint32_t)common[i]), i);
}

/* ---- examples
 * ---------------------------------------------------------------------------------------------------------- */

/* The worked example of target/FORMAT.md, bit by bit as it stands there. */
static void test_golden(void **unused)
{
    static const uint32_t slots[16] = {0x00090103u, 0, 0x1F6Cu, 0, 0x00090113u, 0, 0x1F8Cu, 0,
                                       0x00090103u, 0, 0x2F8Cu, 0, 0x00090113u, 0, 0x2FADu, 5};
    static const uint32_t payload[3] = {0xBED92971u, 0x00240043u, 0x00001148u};
    struct tlog_chunk *chunk = new_chunk(4, 0);
    struct packed packed;
    const unsigned char *group;
    uLong crc;

    (void)unused;
    memcpy(slots_of(chunk), slots, sizeof slots);
    round_trip(chunk);
    packed = pack(chunk);
    assert_int_equal(packed.size, 120 + 8 + sizeof payload);
    assert_memory_equal(packed.bytes, "TLPK\x01\0\x78\0\x8C\0\0\0", 12);
    assert_memory_equal(packed.bytes + 12, (unsigned char *)chunk + 8, 104);
    assert_int_equal(get_le32(packed.bytes + 116), crc32(0, packed.bytes, 116));
    group = packed.bytes + 120;
    assert_int_equal(get_le32(group), 0x00000103u);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(get_le32(group + 4u + 4u * i), payload[i]);
    crc = crc32(crc32(crc32(0, packed.bytes + 12, 104), group + 4, sizeof payload), group, 4);
    assert_int_equal(get_le32(group + 16), crc);
    free(packed.bytes);
    free(chunk);
}

/* The demo's chunks at a third, at least; what they really are is printed. Passed over when the demo was not run. */
static void test_demo(void **unused)
{
    const char *build = getenv("BUILD");
    char path[4096];
    static unsigned char bytes[1 << 20];
    size_t size, packed = 0;
    FILE *file;

    (void)unused;
    snprintf(path, sizeof path, "%s/demo/dump.bin", build ? build : "build");
    file = fopen(path, "rb");
    if (!file)
        skip();
    size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    for (size_t at = 0; at < size;) {
        uint32_t chunk_size = get_le32(bytes + at + 28);
        struct tlog_chunk *chunk = malloc(chunk_size);

        assert_true(chunk && get_le32(bytes + at) == TLOG_WIRE_MAGIC && chunk_size <= size - at);
        memcpy(chunk, bytes + at, chunk_size);
        packed += round_trip(chunk);
        at += chunk_size;
        free(chunk);
    }
    print_message("demo: %zu bytes become %zu, a %.2fth\n", size, packed, (double)size / (double)packed);
    assert_true(packed * 3u <= size);
}

/* ---- through the reader ------------------------------------------------------------------------------------------ */

static void append(struct bytes *bytes, const unsigned char *data, size_t n)
{
    bytes->data = realloc(bytes->data, bytes->n + n + 1u);
    assert_non_null(bytes->data);
    memcpy(bytes->data + bytes->n, data, n);
    bytes->n += n;
}

static void append_garbage(struct bytes *bytes, size_t n)
{
    unsigned char *garbage = malloc(n + 1u);

    assert_non_null(garbage);
    for (size_t i = 0; i < n; i++)
        garbage[i] = (unsigned char)noise();
    append(bytes, garbage, n);
    free(garbage);
}

static void append_packed(struct bytes *bytes, const unsigned char *image, size_t size)
{
    struct tlog_chunk *chunk = malloc(size);
    struct packed packed;

    assert_non_null(chunk);
    memcpy(chunk, image, size);
    packed = pack(chunk);
    append(bytes, packed.bytes, packed.size);
    free(packed.bytes);
    free(chunk);
}

/* The images of a dump, those packed that `which` says: image i by bit i % 32. Garbage before each. */
static struct bytes pack_dump(struct bytes dump, uint32_t which, uint32_t garbage)
{
    struct bytes out = {malloc(1), 0};
    size_t size = 0;
    unsigned i = 0;

    for (size_t at = 0; (at = find_image(dump, at, &size)) != SIZE_MAX; at += size, i++) {
        append_garbage(&out, garbage ? noise() % garbage : 0);
        if (which >> i % 32u & 1u)
            append_packed(&out, dump.data + at, size);
        else
            append(&out, dump.data + at, size);
    }
    return out;
}

static struct gen_options any_options(uint32_t seed)
{
    static const uint32_t slots[] = {1, 2, 31, 32, 33, 64, 100, 1000};
    struct gen_options options = {.seed = seed,
                                  .slots = slots[noise() % 8u],
                                  .chunks = noise() % 4u + 1u,
                                  .cpus = noise() % 3u + 1u,
                                  .hz = 168000000,
                                  .boot = noise(),
                                  .names = noise() % 4u,
                                  .drops = noise() % 2u ? noise() % 300u : 0,
                                  .start = noise() % 2u ? noise() : 5u,
                                  .sealed = noise() % 2u,
                                  .stream = noise() % 2u,
                                  .uncounted = noise() % 2u,
                                  .jumps = noise() % 2u};

    options.events = noise() % (options.slots * options.chunks * 4u + 2u);
    if (options.stream && options.events % options.slots == 0) /* or the chunk that follows seems to be missing */
        options.events += options.slots > 1u ? 1u : 2u * options.chunks;
    return options;
}

static void expect_list(struct bytes dump, const struct list *expected, uint64_t gaps)
{
    struct decoded decoded;

    decode_bytes(&decoded, dump);
    assert_true(decoded.opened);
    assert_same(&decoded.list, expected);
    assert_int_equal(decoded.trace.counts.gaps, gaps);
    assert_int_equal(decoded.trace.counts.damaged + decoded.trace.counts.unfinished, 0);
    decoded_free(&decoded);
}

/* Dumps of all kinds, all images packed or some: the events are those of the plain dump, and nothing is damaged. In a
 * stream there are several images of each chunk. */
static void test_packed_dumps(void **unused)
{
    (void)unused;
    for (uint32_t seed = 1; seed <= 600; seed++) {
        struct gen_options options = any_options(seed);
        struct list expected;
        struct bytes dump = make_dump(&options, &expected);
        struct bytes packed = pack_dump(dump, seed % 2u ? UINT32_MAX : noise(), seed % 3u ? 50 : 0);

        assert_int_equal(probe_bytes(packed), TRACE_MINE);
        expect_list(packed, &expected, 0);
        bytes_free(&packed);
        bytes_free(&dump);
        free(expected.item);
    }
}

static void test_large_packed_dump(void **unused)
{
    struct gen_options options = {
        .events = 150000, .seed = 4, .slots = 65534, .chunks = 3, .cpus = 2, .hz = 25000000, .boot = 1, .drops = 2};
    struct list expected;
    struct bytes dump = make_dump(&options, &expected), packed = pack_dump(dump, UINT32_MAX, 100000);

    (void)unused;
    expect_list(packed, &expected, 0);
    bytes_free(&packed);
    bytes_free(&dump);
    free(expected.item);
}

/* Two dumps of one run, the first taken earlier: several images show parts of one lap, and are copied into each other.
 * Plain and packed ones in all ways give what plain ones give. */
static void test_two_times(void **unused)
{
    (void)unused;
    for (uint32_t seed = 1; seed <= 300; seed++) {
        struct gen_options options = any_options(seed);
        struct bytes early, late, both, packed;
        struct decoded decoded;

        options.stream = false;
        options.chunks = noise() % 2u + 1u;
        options.events += options.slots;
        late = make_dump(&options, NULL);
        options.events -= noise() % options.slots;
        early = make_dump(&options, NULL);
        both = seed % 2u ? join(early, late) : join(late, early);
        packed = pack_dump(both, seed % 3u ? noise() : UINT32_MAX, 10);
        decode_bytes(&decoded, both);
        expect_list(packed, &decoded.list, decoded.trace.counts.gaps);
        decoded_free(&decoded);
        bytes_free(&packed);
        bytes_free(&both);
        bytes_free(&late);
        bytes_free(&early);
    }
}

/* Three images of some groups, two of them in their second lap; a loss is in the dump, too. */
static struct bytes small_dump(struct list *expected, uint32_t which)
{
    struct gen_options options = {.events = 150,
                                  .seed = 9,
                                  .slots = 40,
                                  .chunks = 2,
                                  .cpus = 1,
                                  .hz = 1000000,
                                  .boot = 1,
                                  .names = 2,
                                  .drops = 20};
    struct bytes dump = make_dump(&options, expected), packed = pack_dump(dump, which, 0);

    bytes_free(&dump);
    return packed;
}

/* Only events that were there, in order, at most so many less; damage is told if it has to be. */
static void expect_damaged(struct bytes dump, const struct list *whole, size_t less, bool told)
{
    struct decoded decoded;

    decode_bytes(&decoded, dump);
    assert_true(is_part(&decoded.list, whole));
    assert_true(count_events(&decoded.list) + less >= count_events(whole));
    assert_true(!told || decoded.trace.failed || decoded.trace.counts.gaps > 0);
    decoded_free(&decoded);
}

/* A bit of the head costs nothing, another one the slots of its group, and it is always told. */
static void test_packed_flips(void **unused)
{
    struct list expected;
    struct bytes packed = small_dump(&expected, UINT32_MAX);

    (void)unused;
    for (size_t bit = 0; bit < 8u * packed.n; bit++) {
        packed.data[bit / 8u] ^= (unsigned char)(1u << bit % 8u);
        expect_damaged(packed, &expected, bit / 8u < TLOG_PACK_HEAD_BYTES ? 0 : TLOG_GROUP_SLOTS, true);
        packed.data[bit / 8u] ^= (unsigned char)(1u << bit % 8u);
    }
    expect_list(packed, &expected, 0);
    bytes_free(&packed);
    free(expected.item);
}

/* Whether a region begins less than `least` bytes before the end: so few that nothing shows that there is one. */
static bool ends_at_region(struct bytes dump, size_t end, size_t least)
{
    struct unpack_info info;

    for (size_t at = 0; at < dump.n; at += info.region_size) {
        assert_int_equal(unpack_peek(dump.data + at, dump.n - at, &info), 0);
        if (end >= at && end < at + least)
            return true;
    }
    return end == dump.n;
}

/* Cut anywhere, and cut with the whole dump behind it. */
static void test_packed_cuts(void **unused)
{
    struct list expected;
    struct bytes packed = small_dump(&expected, UINT32_MAX);

    (void)unused;
    for (size_t cut = 0; cut < packed.n; cut++) {
        struct bytes begin = {packed.data, cut}, both = join(begin, packed);

        expect_damaged(begin, &expected, SIZE_MAX / 2u, !ends_at_region(packed, cut, 4));
        expect_damaged(both, &expected, 0, !ends_at_region(packed, cut, 8));
        bytes_free(&both);
    }
    bytes_free(&packed);
    free(expected.item);
}

/* Any part overwritten, by what stands elsewhere in the dump, too. */
static void test_packed_bursts(void **unused)
{
    (void)unused;
    for (unsigned trial = 0; trial < 3000; trial++) {
        struct list expected;
        struct bytes packed = small_dump(&expected, UINT32_MAX);
        size_t from = noise() % packed.n, size = 1u + noise() % (packed.n - from),
               other = noise() % (packed.n - size + 1u);

        size = trial % 2u && size > 64u ? 1u + size % 64u : size;
        if (trial % 3u)
            memmove(packed.data + from, packed.data + other, size);
        else
            memset(packed.data + from, (int)(noise() % 3u * 0x7F), size);
        expect_damaged(packed, &expected, SIZE_MAX / 2u, false);
        bytes_free(&packed);
        free(expected.item);
    }
}

/* A region is found wherever it stands, by what is intact of its first two words: also where one search ends and the
 * next one begins. */
static void test_found_anywhere(void **unused)
{
    struct list expected;
    struct bytes packed = small_dump(&expected, UINT32_MAX);

    (void)unused;
    for (size_t before = 32768 - 140; before < 32768 + 20; before++) {
        for (size_t damaged = 0; damaged <= 8; damaged++) {
            struct bytes moved = {calloc(1, before + packed.n), before + packed.n};

            assert_non_null(moved.data);
            memcpy(moved.data + before, packed.data, packed.n);
            if (damaged < 8)
                moved.data[before + damaged] ^= 0x3C;
            expect_list(moved, &expected, damaged < 8);
            bytes_free(&moved);
        }
    }
    bytes_free(&packed);
    free(expected.item);
}

/* A plain image that was cut, and a region at once behind it. */
static void test_region_behind_cut(void **unused)
{
    struct list expected;
    struct bytes plain = small_dump(&expected, 0), packed = small_dump(NULL, UINT32_MAX);
    size_t size;

    (void)unused;
    find_image(plain, 0, &size);
    for (size_t cut = 0; cut < size; cut += 7) {
        struct bytes both = join((struct bytes){plain.data, cut}, packed);

        expect_damaged(both, &expected, 0, cut >= 8);
        bytes_free(&both);
    }
    bytes_free(&packed);
    bytes_free(&plain);
    free(expected.item);
}

static void expect_failure(struct bytes dump, const char *why)
{
    struct decoded decoded;

    decode_bytes(&decoded, dump);
    assert_false(decoded.opened);
    assert_non_null(strstr(decoded.trace.error, why));
    decoded_free(&decoded);
}

/* What cannot be decoded is said, and nothing else is decoded instead. */
static void test_unreadable_head(void **unused)
{
    struct tlog_chunk *chunk = small_chunk();
    struct packed packed = pack(chunk);
    struct bytes dump = {packed.bytes, packed.size};

    (void)unused;
    expect_failure((struct bytes){dump.data, 4}, "ends in the head of a compressed chunk");
    expect_failure((struct bytes){dump.data, 119}, "ends in the head of a compressed chunk");
    packed.bytes[20] ^= 1;
    packed.bytes[90] ^= 1;
    expect_failure(dump, "damaged beyond repair");
    assert_int_equal(probe_bytes(dump), TRACE_MINE_BROKEN);
    packed.bytes[20] ^= 1;
    packed.bytes[90] ^= 1;
    packed.bytes[4] = 2;
    put32(packed.bytes + 116, (uint32_t)crc32(0, packed.bytes, 116));
    expect_failure(dump, "compressed chunk of format version 2");
    assert_int_equal(probe_bytes(dump), TRACE_MINE);
    memcpy(packed.bytes, "KPLT\0\x78\0\1", 8);
    expect_failure(dump, "big-endian compressed chunk");
    free(packed.bytes);
    free(chunk);
}

/* Groups that no lap has slots of. */
static void test_damage_without_events(void **unused)
{
    struct gen_options options = {.events = 10, .seed = 2, .slots = 100, .chunks = 1, .cpus = 1, .hz = 1000, .boot = 1};
    struct list expected;
    struct bytes dump = make_dump(&options, &expected), packed = pack_dump(dump, UINT32_MAX, 0);

    (void)unused;
    packed.data[packed.n - 1u] ^= 1;
    expect_list(packed, &expected, 1);
    bytes_free(&packed);
    bytes_free(&dump);
    free(expected.item);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_noise),
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_mixture),
        cmocka_unit_test(test_every_key),
        cmocka_unit_test(test_every_difference),
        cmocka_unit_test(test_growth),
        cmocka_unit_test(test_room),
        cmocka_unit_test(test_not_a_chunk),
        cmocka_unit_test(test_flips),
        cmocka_unit_test(test_cuts),
        cmocka_unit_test(test_bursts),
        cmocka_unit_test(test_shifts),
        cmocka_unit_test(test_broken_head),
        cmocka_unit_test(test_lying_head),
        cmocka_unit_test(test_small_image),
        cmocka_unit_test(test_any_payload),
        cmocka_unit_test(test_late_writer),
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_demo),
        cmocka_unit_test(test_strict),
        cmocka_unit_test(test_no_slots),
        cmocka_unit_test(test_common),
        cmocka_unit_test(test_packed_dumps),
        cmocka_unit_test(test_large_packed_dump),
        cmocka_unit_test(test_two_times),
        cmocka_unit_test(test_packed_flips),
        cmocka_unit_test(test_packed_cuts),
        cmocka_unit_test(test_packed_bursts),
        cmocka_unit_test(test_found_anywhere),
        cmocka_unit_test(test_region_behind_cut),
        cmocka_unit_test(test_unreadable_head),
        cmocka_unit_test(test_damage_without_events),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
