/* test_pack_dumps.c - the native reader and dumps with compressed chunks: whole, damaged, cut, and unreadable ones. */
#define _GNU_SOURCE
#include "harness.h"
#include "lib/tier.h"
#include "model/module.h"
#include "pack_harness.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* ---- dumps with regions ------------------------------------------------------------------------------------------ */

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

/* Append the region of an image. */
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

/* Make a dump of the images of another one. Image i is packed if bit i % 32 of `which` is set. Ahead of each image
 * there are less than `garbage` bytes of garbage. */
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

/* A dump of any kind. */
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
    return options;
}

/* Fail unless the dump is decoded into that list, with so many damaged places and all slots whole. */
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

/* Dumps of all kinds, with all images packed or some of them, have the events of the plain dump, and no damage. In a
 * stream there are several images of each chunk. */
static void test_packed_dumps(void **unused)
{
    (void)unused;
    for (uint32_t seed = 1; seed <= 600; seed += tier_step(97)) {
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

/* Of two dumps of a run at different times several images show parts of one lap, and slots of one are copied into
 * another. Whichever images are packed, the same comes of them as of plain ones. */
static void test_two_times(void **unused)
{
    (void)unused;
    for (uint32_t seed = 1; seed <= 300; seed += tier_step(97)) {
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

/* A dump of three images, each of several groups, two of them in their second lap, with a loss. */
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

/* Fail unless the dump has only events of the whole one, in its order, and lacks at most `less` of them. told: damage
 * must be reported. */
static void expect_damaged(struct bytes dump, const struct list *whole, size_t less, bool told)
{
    struct decoded decoded;
    decode_bytes(&decoded, dump);
    assert_true(is_part(&decoded.list, whole));
    assert_true(count_events(&decoded.list) + less >= count_events(whole));
    assert_true(!told || decoded.trace.failed || decoded.trace.counts.gaps > 0);
    decoded_free(&decoded);
}

/* A wrong bit in a head costs nothing, any other one the slots of its group, and it is always reported. */
static void test_packed_flips(void **unused)
{
    struct list expected;
    struct bytes packed = small_dump(&expected, UINT32_MAX);
    (void)unused;
    for (size_t bit = 0; bit < 8u * packed.n; bit += tier_step(211)) {
        packed.data[bit / 8u] ^= (unsigned char)(1u << bit % 8u);
        expect_damaged(packed, &expected, bit / 8u < TLOG_PACK_HEAD_BYTES ? 0 : TLOG_GROUP_SLOTS, true);
        packed.data[bit / 8u] ^= (unsigned char)(1u << bit % 8u);
    }
    expect_list(packed, &expected, 0);
    bytes_free(&packed);
    free(expected.item);
}

/* Whether a region begins less than `least` bytes ahead of the end: too few to show that there is one. */
static bool ends_at_region(struct bytes dump, size_t end, size_t least)
{
    struct native_region region;
    for (size_t at = 0; at < dump.n; at += region.size) {
        assert_int_equal(native_region_read_head(dump.data + at, dump.n - at, &region), 0);
        if (end >= at && end < at + least)
            return true;
    }
    return end == dump.n;
}

/* The dump is cut anywhere, alone and with the whole dump right behind. A head that is not all there is not proved; a
 * piece of a region adds nothing where the whole one is, too. */
static void test_packed_cuts(void **unused)
{
    struct list expected;
    struct bytes packed = small_dump(&expected, UINT32_MAX);
    (void)unused;
    for (size_t cut = 0; cut < packed.n; cut += tier_step(5)) {
        struct bytes begin = {packed.data, cut}, both = join(begin, packed);
        expect_damaged(begin, &expected, SIZE_MAX / 2u, !ends_at_region(packed, cut, TLOG_PACK_HEAD_BYTES));
        expect_list(both, &expected, 0);
        bytes_free(&both);
    }
    bytes_free(&packed);
    free(expected.item);
}

/* Any part of the dump is overwritten, also by another part. */
static void test_packed_bursts(void **unused)
{
    (void)unused;
    for (unsigned trial = 0; trial < 3000; trial += tier_step(61)) {
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

/* A region is found at any offset if one of its first two words is intact, also across the end of a piece that is
 * searched at once. */
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

/* A plain image is cut, and regions of all chunks follow right behind: its piece adds nothing. */
static void test_region_behind_cut(void **unused)
{
    struct list expected;
    struct bytes plain = small_dump(&expected, 0), packed = small_dump(NULL, UINT32_MAX);
    size_t size;
    (void)unused;
    find_image(plain, 0, &size);
    for (size_t cut = 0; cut < size; cut += 7) {
        struct bytes both = join((struct bytes){plain.data, cut}, packed);
        expect_list(both, &expected, 0);
        bytes_free(&both);
    }
    bytes_free(&packed);
    bytes_free(&plain);
    free(expected.item);
}

/* Fail unless the dump cannot be opened for that reason. */
static void expect_failure(struct bytes dump, const char *why)
{
    struct decoded decoded;
    decode_bytes(&decoded, dump);
    assert_false(decoded.opened);
    assert_non_null(strstr(decoded.trace.error, why));
    decoded_free(&decoded);
}

/* It is reported why a region cannot be decoded, and nothing else is decoded in its place. */
static void test_unreadable_head(void **unused)
{
    struct tlog_chunk *chunk = small_chunk();
    struct packed packed = pack(chunk);
    struct bytes dump = {packed.bytes, packed.size};
    (void)unused;
    expect_failure((struct bytes){dump.data, 4}, "ends in the head of a compressed chunk");
    expect_failure((struct bytes){dump.data, 167}, "ends in the head of a compressed chunk");
    packed.bytes[20] ^= 1;
    packed.bytes[90] ^= 1;
    expect_failure(dump, "damaged beyond repair");
    assert_int_equal(probe_bytes(dump), TRACE_MINE_BROKEN);
    packed.bytes[20] ^= 1;
    packed.bytes[90] ^= 1;
    packed.bytes[4] = 3;
    put32(packed.bytes + 164, (uint32_t)crc32(0, packed.bytes, 164));
    expect_failure(dump, "compressed chunk of format version 3");
    assert_int_equal(probe_bytes(dump), TRACE_MINE);
    memcpy(packed.bytes, "KPLT\0\xA8\0\2", 8);
    expect_failure(dump, "big-endian compressed chunk");
    free(packed.bytes);
    free(chunk);
}

/* Damage of a group in which no lap has slots is reported, too. */
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
        cmocka_unit_test(test_packed_dumps),    cmocka_unit_test(test_large_packed_dump),
        cmocka_unit_test(test_two_times),       cmocka_unit_test(test_packed_flips),
        cmocka_unit_test(test_packed_cuts),     cmocka_unit_test(test_packed_bursts),
        cmocka_unit_test(test_found_anywhere),  cmocka_unit_test(test_region_behind_cut),
        cmocka_unit_test(test_unreadable_head), cmocka_unit_test(test_damage_without_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
