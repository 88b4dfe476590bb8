/* test_repair.c - what is proved of damaged headers, and that sound dumps need no proof: repair.c never sees them. */
#include "base/heap.h"
#include "harness.h"
#include "lib/tier.h"

#include "formats/native/chunks/image_search.h"
#include "io/input.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- sound dumps ------------------------------------------------------------------------------------------------- */

static struct gen_options any_options(uint32_t seed)
{
    static const uint32_t slots[] = {1, 2, 31, 32, 33, 64, 100, 1000};
    struct gen_options options = {.seed = seed,
                                  .slots = slots[random64() % 8u],
                                  .chunks = (uint32_t)(random64() % 4u + 1u),
                                  .cpus = (uint32_t)(random64() % 3u + 1u),
                                  .hz = 168000000,
                                  .boot = (uint32_t)random64() | 1u,
                                  .names = (uint32_t)(random64() % 4u),
                                  .drops = random64() % 2u ? (uint32_t)(random64() % 300u) : 0,
                                  .garbage = random64() % 2u ? 100u : 0,
                                  .start = random64() % 2u ? random64() >> 20 : 5u,
                                  .sealed = random64() % 2u,
                                  .stream = random64() % 2u,
                                  .uncounted = random64() % 2u,
                                  .jumps = random64() % 2u};
    options.events = random64() % (options.slots * options.chunks * 4u + 2u);
    if (random64() % 2u)
        options.traceevents = 60;
    return options;
}

/* Whether the search for images leaves nothing to repair. */
static bool is_read(struct bytes dump)
{
    char name[] = "/tmp/test_repair.XXXXXX";
    int fd = mkstemp(name);
    struct trace trace;
    struct native_view view = {.trace = &trace};
    struct native_image_list list = {.image = NULL};
    bool read;
    assert_true(fd >= 0);
    unlink(name);
    assert_int_equal(write(fd, dump.data, dump.n), (ssize_t)dump.n);
    trace_init(&trace, "dump");
    view.in = input_adopt(&trace, "dump", fd);
    view.budget = native_view_budget(view.in);
    assert_int_equal(native_image_search(&list, &view), 0);
    read = native_image_list_is_read(&list);
    native_image_list_free_unread(&list);
    heap_free(list.image);
    heap_free(view.bytes);
    input_close(view.in);
    trace_free(&trace);
    return read;
}

static void sound_dumps_need_no_repair(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 400; seed += tier_step(7)) {
        struct gen_options options = any_options(seed);
        struct bytes dump = make_dump(&options, NULL);
        assert_true(is_read(dump));
        bytes_free(&dump);
    }
}

/* The opposite, so that the test before can fail. */
static void damaged_dumps_need_repair(void **state)
{
    struct gen_options options = {
        .events = 90, .seed = 3, .slots = 40, .chunks = 2, .cpus = 1, .hz = 1000000, .boot = 1};
    struct bytes dump = make_dump(&options, NULL);
    (void)state;
    for (size_t at = 0; at < CHUNK_NEXT; at++) {
        dump.data[at] ^= 0x10;
        assert_false(is_read(dump));
        assert_int_equal(probe_bytes(dump), TRACE_MINE);
        dump.data[at] ^= 0x10;
    }
    bytes_free(&dump);
}

/* ---- damaged headers --------------------------------------------------------------------------------------------- */

/* Whether a word of a header is as it was. */
static bool is_kept(const unsigned char *was, const unsigned char *now, unsigned at)
{
    return memcmp(was + at, now + at, 4) == 0;
}

/* Whether so much of a header is as it was that it may be proved: the check or the address, and 52 bits. */
static bool has_evidence(const unsigned char *was, const unsigned char *now)
{
    bool sizes = is_kept(was, now, CHUNK_SLOTS) && is_kept(was, now, CHUNK_EMERGENCY) && is_kept(was, now, CHUNK_SIZE);
    bool checked = is_kept(was, now, CHUNK_CHECK), placed = is_kept(was, now, CHUNK_SELF);
    unsigned bits = (is_kept(was, now, 8) ? 31u : 0) + (is_kept(was, now, CHUNK_PLACE) ? 4u : 0);
    bits += (sizes ? 64u : 0) + (is_kept(was, now, 36) ? 32u : 0) + (is_kept(was, now, CHUNK_SELF + 4) ? 32u : 0);
    bits += (checked ? 32u : 0) + (placed ? 32u : 0);
    return (checked || placed) && bits >= 52u;
}

/* Every stretch of a header is wiped, or inverted. Its chunk is decoded as it was, or not at all; the other chunks are
 * as they were. Returns how often it was. */
static unsigned wipe(struct bytes dump, const struct list *expected, size_t header, bool invert)
{
    unsigned repaired = 0;
    for (size_t from = 0; from < CHUNK_NEXT; from += tier_step(3)) {
        for (size_t to = from + 1; to <= CHUNK_NEXT; to++) {
            struct bytes copy = join(dump, (struct bytes){NULL, 0});
            struct decoded decoded;
            for (size_t at = header + from; at < header + to; at++)
                copy.data[at] = invert ? (unsigned char)~copy.data[at] : 0;
            decode_bytes(&decoded, copy);
            assert_true(is_part(&decoded.list, expected));
            if (count_events(&decoded.list) == count_events(expected)) {
                assert_true(has_evidence(dump.data + header, copy.data + header));
                repaired++;
            }
            decoded_free(&decoded);
            bytes_free(&copy);
        }
    }
    return repaired;
}

/* Without a seal, of a chunk between its siblings. One that has neither check nor address is never proved; nor is one
 * that has both but no more than magic, tag and format. */
static void wiped_headers(void **state)
{
    struct gen_options options = {
        .events = 150, .seed = 5, .slots = 40, .chunks = 3, .cpus = 1, .hz = 1000000, .boot = 9};
    struct list expected;
    struct bytes dump = make_dump(&options, &expected);
    size_t size, first = find_image(dump, 0, &size), second = find_image(dump, first + size, &size);
    (void)state;
    for (unsigned invert = 0; invert < 2; invert++) {
        unsigned repaired = wipe(dump, &expected, second, invert != 0);
        print_message("%u wiped headers are right again\n", repaired);
        assert_true(repaired > 0);
    }
    bytes_free(&dump);
    free(expected.item);
}

/* A header that has neither its check nor its address is never proved, though all the rest of it is right. */
static void neither_check_nor_address(void **state)
{
    struct gen_options options = {
        .events = 150, .seed = 5, .slots = 40, .chunks = 3, .cpus = 1, .hz = 1000000, .boot = 9};
    struct list expected;
    struct bytes dump = make_dump(&options, &expected);
    size_t size;
    (void)state;
    for (size_t at = find_image(dump, 0, &size); at != SIZE_MAX; at = find_image(dump, at + size, &size)) {
        struct bytes copy = join(dump, (struct bytes){NULL, 0});
        struct decoded decoded;
        put32(copy.data + at + CHUNK_CHECK, ~get32(copy.data + at + CHUNK_CHECK));
        put32(copy.data + at + CHUNK_SELF, ~get32(copy.data + at + CHUNK_SELF));
        decode_bytes(&decoded, copy);
        assert_true(is_part(&decoded.list, &expected));
        assert_true(count_events(&decoded.list) < count_events(&expected));
        assert_true(decoded.trace.counts.gaps > 0);
        decoded_free(&decoded);
        bytes_free(&copy);
    }
    bytes_free(&dump);
    free(expected.item);
}

/* ---- what only looks like a header ------------------------------------------------------------------------------- */

/* The first ten words of a header, as firmware has them as constants, at every offset beside a dump: they are no chunk,
 * and no damage. */
static void constants_of_headers(void **state)
{
    struct gen_options options = {
        .events = 60, .seed = 5, .slots = 40, .chunks = 2, .cpus = 1, .hz = 1000000, .boot = 9};
    struct list expected;
    struct bytes dump = make_dump(&options, &expected);
    (void)state;
    for (size_t at = 0; at < 64; at++) {
        unsigned char constants[200] = {0};
        struct bytes before = {constants, sizeof constants}, both;
        struct decoded decoded;
        memcpy(constants + at, dump.data, 40);
        memset(constants + at + 40, (int)at, sizeof constants - at - 40);
        both = join(before, dump);
        decode_bytes(&decoded, both);
        assert_same(&decoded.list, &expected);
        assert_int_equal(decoded.trace.counts.gaps, 0);
        assert_int_equal(decoded.trace.nunproved, 1);
        assert_int_equal(decoded.trace.unproved[0].offset, at);
        decoded_free(&decoded);
        bytes_free(&both);
    }
    bytes_free(&dump);
    free(expected.item);
}

/* A header, or the head of a region, in which the input ends, is told from its first four bytes on. */
static void headers_that_are_cut(void **state)
{
    static const unsigned char region[] = "TLPK\x02\x00\xA8";
    struct gen_options options = {
        .events = 60, .seed = 5, .slots = 40, .chunks = 2, .cpus = 1, .hz = 1000000, .boot = 9};
    struct list expected;
    struct bytes dump = make_dump(&options, &expected);
    (void)state;
    for (size_t n = 1; n < CHUNK_NEXT; n++) {
        for (unsigned packed = 0; packed < 2; packed++) {
            unsigned char piece[CHUNK_NEXT] = {0};
            struct bytes both;
            struct decoded decoded;
            memcpy(piece, packed ? region : dump.data, packed ? sizeof region : sizeof piece);
            both = join(dump, (struct bytes){piece, n});
            decode_bytes(&decoded, both);
            assert_same(&decoded.list, &expected);
            assert_int_equal(decoded.trace.counts.gaps, 0);
            assert_int_equal(decoded.trace.nunproved, n >= 4);
            decoded_free(&decoded);
            bytes_free(&both);
        }
    }
    bytes_free(&dump);
    free(expected.item);
}

/* The words of a header that never change, with one byte damaged, beside a dump: without a write position they are no
 * chunk, and no damage. Nor are the constants with the number of the run. */
static void headers_without_a_position(void **state)
{
    struct gen_options options = {
        .events = 60, .seed = 5, .slots = 40, .chunks = 2, .cpus = 1, .hz = 1000000, .boot = 9};
    struct list expected;
    struct bytes dump = make_dump(&options, &expected);
    (void)state;
    for (size_t at = 8; at <= CHUNK_NEXT; at++) {
        unsigned char piece[300];
        struct bytes both, behind = {piece, sizeof piece};
        struct decoded decoded;
        memset(piece, 0x55, sizeof piece);
        memcpy(piece + 100, dump.data, CHUNK_NEXT);
        piece[100 + at] ^= 0x10;
        if (at == CHUNK_NEXT) {
            memset(piece + 100 + CHUNK_SELF, 0x55, CHUNK_NEXT - CHUNK_SELF);
            put32(piece + 100 + CHUNK_BOOT, 9);
        }
        both = join(dump, behind);
        decode_bytes(&decoded, both);
        assert_same(&decoded.list, &expected);
        assert_int_equal(decoded.trace.counts.gaps, 0);
        assert_int_equal(decoded.trace.nunproved, 1);
        decoded_free(&decoded);
        bytes_free(&both);
    }
    bytes_free(&dump);
    free(expected.item);
}

/* ---- seals alone ------------------------------------------------------------------------------------------------- */

/* Zeros from a header on, of so many bytes: that is damage, though none of the slots that the seal speaks for may be
 * left; but not if another image has all of them. All events are there but `most`. */
static void seal_must_tell(struct bytes dump, const struct list *expected, size_t header, size_t zeros, size_t most)
{
    struct bytes copy = join(dump, (struct bytes){NULL, 0});
    struct decoded decoded;
    memset(copy.data + header, 0, zeros);
    decode_bytes(&decoded, copy);
    assert_true(decoded.opened);
    assert_true(decoded.trace.counts.gaps > 0 || count_events(&decoded.list) == count_events(expected));
    assert_true(is_part(&decoded.list, expected));
    assert_true(count_events(&decoded.list) + most >= count_events(expected));
    decoded_free(&decoded);
    bytes_free(&copy);
}

/* Whether all events are there, and no others. */
static void assert_same_events(const struct list *list, const struct list *expected)
{
    assert_true(is_part(list, expected));
    assert_int_equal(count_events(list), count_events(expected));
}

/* In dumps that have nothing but sealed images. Other images of the chunk, as in a stream, are no reason to be silent
 * about one that is lost, nor to leave out the groups of it that are right. */
static void a_seal_tells_of_a_chunk(void **state)
{
    const struct gen_options kinds[] = {{.events = 70, .slots = 20, .chunks = 2, .cpus = 1, .stream = true},
                                        {.events = 200, .slots = 50, .chunks = 2, .cpus = 1, .stream = true},
                                        {.events = 30, .slots = 20, .chunks = 1, .cpus = 2}};
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct gen_options options = kinds[i];
        struct bytes dump;
        struct decoded whole;
        size_t size;
        options.seed = 11;
        options.hz = 84000000;
        options.boot = 3;
        options.start = 1000;
        options.sealed = true;
        dump = make_dump(&options, NULL);
        decode_bytes(&whole, dump);
        for (size_t at = find_image(dump, 0, &size); at != SIZE_MAX; at = find_image(dump, at + size, &size)) {
            uint32_t first = options.slots < 32u ? options.slots : 32u;
            seal_must_tell(dump, &whole.list, at, HEADER + SLOT, first);
            seal_must_tell(dump, &whole.list, at, HEADER + SLOT * (size_t)options.slots, options.slots);
        }
        decoded_free(&whole);
        bytes_free(&dump);
    }
}

/* Bytes were lost from the seal of an image and from the header behind it, up to the word place: all events are there.
 */
static void a_break_between_images(void **state)
{
    struct gen_options options = {
        .events = 30, .seed = 11, .slots = 20, .chunks = 1, .cpus = 2, .hz = 84000000, .boot = 3, .sealed = true};
    struct list expected;
    struct bytes dump = make_dump(&options, &expected);
    size_t first, second = find_image(dump, 0, &first);
    (void)state;
    second += first;
    for (size_t before = 17; before <= 50; before += 3) {
        for (size_t behind = 1; behind < CHUNK_PLACE; behind++) {
            struct bytes copy = join((struct bytes){dump.data, second - before},
                                     (struct bytes){dump.data + second + behind, dump.n - second - behind});
            struct decoded decoded;
            decode_bytes(&decoded, copy);
            assert_true(decoded.trace.counts.gaps > 0);
            assert_same_events(&decoded.list, &expected);
            decoded_free(&decoded);
            bytes_free(&copy);
        }
    }
    bytes_free(&dump);
    free(expected.item);
}

/* End mark, notes and seal are zeros, but the table of groups is right: so is the last slot. */
static void a_table_without_a_seal(void **state)
{
    struct gen_options options = {
        .events = 30, .seed = 11, .slots = 20, .chunks = 1, .cpus = 1, .hz = 84000000, .boot = 3, .sealed = true};
    struct list expected;
    struct bytes dump = make_dump(&options, &expected);
    struct decoded decoded;
    (void)state;
    memset(dump.data + HEADER + SLOT * (size_t)options.slots, 0, SLOT + CLAIMS + SEAL);
    decode_bytes(&decoded, dump);
    assert_true(decoded.trace.counts.gaps > 0);
    assert_same_events(&decoded.list, &expected);
    decoded_free(&decoded);
    bytes_free(&dump);
    free(expected.item);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sound_dumps_need_no_repair),
        cmocka_unit_test(damaged_dumps_need_repair),
        cmocka_unit_test(wiped_headers),
        cmocka_unit_test(constants_of_headers),
        cmocka_unit_test(headers_without_a_position),
        cmocka_unit_test(neither_check_nor_address),
        cmocka_unit_test(headers_that_are_cut),
        cmocka_unit_test(a_seal_tells_of_a_chunk),
        cmocka_unit_test(a_break_between_images),
        cmocka_unit_test(a_table_without_a_seal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
