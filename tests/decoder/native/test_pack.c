/* test_pack.c - the target's compressor and the decoder: whatever slots go in, the same come out. */
#define _GNU_SOURCE
#include "pack_harness.h"

#include "base/bytes.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

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

/* The key of a slot, the low half of its head, selects how it is written. All keys come, as the first slot of a group
 * and in the middle, as new ones and as known ones. */
static void test_every_key(void **unused)
{
    struct tlog_chunk *chunk = new_chunk(0x10000u / 32u, 0);
    (void)unused;
    for (uint32_t part = 0; part < 64; part++) {
        fill_events(slots_of(chunk), chunk->slots);
        for (uint32_t i = 0; i < chunk->slots; i++)
            slots_of(chunk)[4u * i + 3u] = (slots_of(chunk)[4u * i + 3u] & 0xFFFF0000u) | (part * 1024u + i / 2u);
        round_trip(chunk);
    }
    free(chunk);
}

/* One word of one slot, or its par1, differs from what is expected by a power of two or a neighbour of that, up or
 * down; in a group of records, and in a group of traceevents. */
static void test_every_difference(void **unused)
{
    struct tlog_chunk *chunk = new_chunk(64, 0);
    uint32_t *slots = slots_of(chunk);
    (void)unused;
    for (uint32_t trial = 0; trial < 32u * 3u * 2u * 5u * 2u; trial++) {
        uint32_t bit = trial % 32u, off = ((uint32_t)1 << bit) - 1u + trial / 32u % 3u, word = trial / 192u % 5u;
        for (uint32_t i = 0; i < 64; i++)
            memcpy(slots + 4u * i, (uint32_t[4]){9, 0, 1000u * i, 0x20101u + i % 2u + (trial >= 960u ? 0x400u : 0)},
                   16);
        off = trial / 96u % 2u ? 0u - off : off;
        slots[4u * (20u + trial % 7u) + (word == 4u ? 3u : word)] += word == 4u ? off << 16 : off;
        round_trip(chunk);
    }
    free(chunk);
}

/* Even noise may grow by a sixteenth at most, and not beyond what TLOG_PACK_BYTES() says. */
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

/* Try each size that is too small for the region of a chunk. */
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

/* The compressor says that there is too little room, and writes nothing behind it: the sanitizer would notice. */
static void test_room(void **unused)
{
    (void)unused;
    check_room(fill_events);
    check_room(fill_noise);
}

/* A header with one wrong bit is not compressed. */
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

/* ---- a writer during compression --------------------------------------------------------------------------------- */

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

/* Writers may still be filling slots of a chunk that is compressed. Here the chunk changes all the time; each word that
 * comes out must be one that was there at some moment. */
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
        assert_int_equal(
            native_region_unpack((unsigned char *)region, (size_t)size, (unsigned char *)image, chunk->buf_size), 0);
        for (uint32_t i = 0; i < 4u * SLOTS; i++)
            assert_true(image[32u + i] == versions[0][i] || image[32u + i] == versions[1][i]);
    }
    writer.stop = true;
    pthread_join(thread, NULL);
    free(image);
    free(chunk);
}

/* Each of the common codes is in the table where its hash says. */
static void test_common(void **unused)
{
    static const uint8_t common[16] = TLOG_PACK_COMMON;
    (void)unused;
    for (uint32_t i = 0; i < 16; i++)
        assert_int_equal(TLOG_PACK_COMMON_HASH((uint32_t)common[i]), i);
}

/* ---- examples ---------------------------------------------------------------------------------------------------- */

/* The example of target/FORMAT.md, 7.4, bit by bit. */
static void test_golden(void **unused)
{
    static const uint32_t slots[16] = {0, 0, 0x1F6Cu, 0x00090103u, 0, 0, 0x1F8Cu, 0x00090113u,
                                       0, 0, 0x2F8Cu, 0x00090103u, 5, 0, 0x2FADu, 0x00090113u};
    static const uint32_t payload[3] = {0xBED92971u, 0x00240043u, 0x00001148u};
    struct tlog_chunk *chunk = new_chunk(4, 0);
    struct packed packed;
    const unsigned char *group;
    uLong crc;
    (void)unused;
    memcpy(slots_of(chunk), slots, sizeof slots);
    round_trip(chunk);
    packed = pack(chunk);
    assert_int_equal(packed.size, 168 + 8 + sizeof payload);
    assert_memory_equal(packed.bytes, "TLPK\x02\0\xA8\0\xBC\0\0\0", 12);
    assert_memory_equal(packed.bytes + 12, (unsigned char *)chunk + 8, 120);
    assert_memory_equal(packed.bytes + 132, slots_of(chunk) + 4 * 5, 32);
    assert_int_equal(get_le32(packed.bytes + 164), crc32(0, packed.bytes, 164));
    group = packed.bytes + 168;
    assert_int_equal(get_le32(group), 0x00000103u);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(get_le32(group + 4u + 4u * i), payload[i]);
    crc = crc32(crc32(crc32(0, packed.bytes + 12, 152), group + 4, sizeof payload), group, 4);
    assert_int_equal(get_le32(group + 16), crc);
    free(packed.bytes);
    free(chunk);
}

/* The demo's chunks become a third of their size, or less; how much is printed. `make demo` leaves its dump. */
/* In its first lap a chunk has the mark of the slots that are formatted behind its cursor, which is packed as an empty
 * slot. */
static void empty_behind_cursor(struct tlog_chunk *chunk)
{
    if (chunk->lap != TLOG_LAP_FIRST || chunk->lap_high != 0 || (chunk->cursor & TLOG_TAG_ODD) == 0)
        return;
    for (uint32_t i = (chunk->cursor >> TLOG_CURSOR_SHIFT) - 1u; i < chunk->slots; i++) {
        uint32_t *slot = slots_of(chunk) + 4u * i;
        slot[0] = slot[1] = slot[2] = 0;
        slot[3] = TLOG_SLOT_EMPTY;
    }
}

static void test_demo(void **unused)
{
    const char *build = getenv("BUILD");
    char path[4096];
    static unsigned char bytes[1 << 20];
    size_t size, packed = 0;
    FILE *file;
    (void)unused;
    snprintf(path, sizeof path, "%s/demo/dump.bin", build != NULL ? build : "build");
    file = fopen(path, "rb");
    assert_non_null(file);
    size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    for (size_t at = 0; at < size;) {
        uint32_t chunk_size = get_le32(bytes + at + 24);
        struct tlog_chunk *chunk = malloc(chunk_size);
        assert_true(chunk != NULL && get_le32(bytes + at) == TLOG_WIRE_MAGIC && chunk_size <= size - at);
        memcpy(chunk, bytes + at, chunk_size);
        empty_behind_cursor(chunk);
        packed += round_trip(chunk);
        at += chunk_size;
        free(chunk);
    }
    print_message("demo: %zu bytes become %zu, a %.2fth\n", size, packed, (double)size / (double)packed);
    assert_true(packed * 3u <= size);
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
        cmocka_unit_test(test_late_writer),
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_demo),
        cmocka_unit_test(test_common),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
