/* test_faults.c - the native reader and dumps with every fault of a kind: cuts at every byte, flips of every bit,
 * garbage of every length. The rule: each event that comes out is one that went in, and what does not come out is
 * reported.
 */
#include "harness.h"
#include "lib/tier.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A small dump that has everything: names, two CPUs with two chunks each, several laps, losses, a group that is not
 * full. */
static struct gen_options small_dump(bool sealed)
{
    return (struct gen_options){.events = 130,
                                .seed = 7,
                                .slots = 40,
                                .chunks = 2,
                                .cpus = 2,
                                .hz = 84000000,
                                .boot = 3,
                                .names = 3,
                                .drops = 15,
                                .start = 0xFFFF8000u,
                                .sealed = sealed};
}

/* ---- what a byte means ------------------------------------------------------------------------------------------- */

/* Whether these bits of a chunk of names are what a fact's head has for a moment: its room may be used again; or it is
 * being written, which a note tells. */
static bool is_state_of_fact(const unsigned char *image, size_t at, unsigned char bits)
{
    return at % SLOT == 13 && (bits == 0x80 || (bits == 2 && image[at - 1] != 0));
}

/* Whether a change of these bits need not be noticed, because they mean nothing, or mean the same as before. */
static bool is_meaningless(const unsigned char *image, size_t at, unsigned char bits)
{
    uint32_t slots = get32(image + CHUNK_SLOTS), used = get32(image + CHUNK_CURSOR) >> 16;
    size_t end = HEADER + SLOT * (size_t)slots, sealed = end + SLOT + CLAIMS + SEAL + 4 * (size_t)((slots + 31) / 32);
    bool in_second_lap = get32(image + CHUNK_LAP) >> 16 > 1;
    if (at == CHUNK_NEXT && get32(image + CHUNK_NEXT) == 1) /* of the only chunk of a ring 1 and 0 mean the same */
        return true;
    if (at == CHUNK_CURSOR + 1 && ((image[at] ^ bits) & 3) == 3) /* the cursor is parked, where it was */
        return true;
    if (at >= HEADER && at < end && image[CHUNK_PLACE + 2] == 1 && is_state_of_fact(image, at, bits))
        return true;
    if (at >= CHUNK_FLAGS && at < CHUNK_CURSOR) /* flags, lost_at, spare; but emergency_used is in the seal */
        return at < CHUNK_EMERGENCY_USED || at >= CHUNK_EMERGENCY_USED + 4;
    if (at >= sealed) /* behind the seal, to a multiple of 16 */
        return true;
    return at >= HEADER && at < end && !in_second_lap && (at - HEADER) / SLOT + 1 >= used; /* never written */
}

/* The offset of a byte of the dump in its image; *image is that. */
static size_t place_in_image(struct bytes dump, size_t at, const unsigned char **image)
{
    size_t size = 0, start = find_image(dump, 0, &size);
    while (start + size <= at)
        start = find_image(dump, start + size, &size);
    *image = dump.data + start;
    return at - start;
}

/* ---- cuts -------------------------------------------------------------------------------------------------------- */

/* Whether nothing proves that the dump was cut there: whole images are left, and so little of the next one that there
 * is no check. Where the last image is a ring's first chunk, in lap 2, it shows, because the ring's second chunk is
 * missing; where it has names, because there is no ring. */
static bool cut_is_between(struct bytes dump, size_t cut)
{
    size_t size = 0, end = 0, start, last = SIZE_MAX;
    while ((start = find_image(dump, end, &size)) != SIZE_MAX && start + size <= cut) {
        last = start;
        end = start + size;
    }
    if (last != SIZE_MAX && (get32(dump.data + last + CHUNK_PLACE) & 0xFFFF00) == 0 /* chunk 0, of role events */
        && get32(dump.data + last + CHUNK_LAP) >> 16 > 1)
        return false;
    if (last != SIZE_MAX && (get32(dump.data + last + CHUNK_PLACE) & 0x3F0000) == 0x10000)
        return false;
    return cut - end < CHUNK_NEXT;
}

static void check_cuts(bool sealed)
{
    struct gen_options options = small_dump(sealed);
    struct list expected;
    struct bytes dump = make_dump(&options, &expected);
    struct decoded decoded;
    size_t best = 0, silent = 0;
    for (size_t cut = 0; cut <= dump.n; cut += tier_step(61)) {
        decode_bytes(&decoded, (struct bytes){dump.data, cut});
        assert_true(is_part(&decoded.list, &expected));
        assert_true(count_events(&decoded.list) >= best);
        best = count_events(&decoded.list);
        if (decoded.opened && decoded.trace.counts.gaps == 0 && cut < dump.n) {
            assert_true(cut_is_between(dump, cut));
            silent++;
        }
        decoded_free(&decoded);
    }
    assert_int_equal(best, count_events(&expected));
    print_message("%zu cuts; %zu between images, of which nothing can be known\n", dump.n, silent);
    bytes_free(&dump);
    free(expected.item);
}

static void cuts_at_every_byte(void **state)
{
    (void)state;
    check_cuts(false);
    check_cuts(true);
}

/* An image is cut anywhere, and another one follows right behind. */
static void cuts_before_another_image(void **state)
{
    struct gen_options options = {
        .events = 30, .seed = 2, .slots = 40, .chunks = 1, .cpus = 1, .hz = 1000000, .boot = 1};
    struct list expected, expected_other;
    struct bytes dump = make_dump(&options, &expected), other;
    struct decoded decoded;
    (void)state;
    options.cpus = 2;
    other = make_dump(&options, &expected_other);
    other.data += dump.n; /* CPU 1 alone */
    other.n -= dump.n;
    for (size_t cut = HEADER; cut < dump.n; cut++) {
        struct bytes both = join((struct bytes){dump.data, cut}, other);
        size_t slots = (cut - HEADER) / SLOT < 30 ? (cut - HEADER) / SLOT : 30;
        decode_bytes(&decoded, both);
        assert_true(is_part(&decoded.list, &expected_other));
        assert_int_equal(count_events(&decoded.list), 30 + slots);
        assert_int_equal(decoded.trace.counts.damaged, 30 - slots);
        assert_int_equal(count_lost(&decoded.list, ITEM_DAMAGE), 30 - slots);
        assert_true(decoded.trace.counts.gaps > 0);
        decoded_free(&decoded);
        bytes_free(&both);
    }
    other.data -= dump.n;
    bytes_free(&other);
    bytes_free(&dump);
    free(expected.item);
    free(expected_other.item);
}

/* ---- flips ------------------------------------------------------------------------------------------------------- */

struct flips {
    size_t n, unnoticed, lost_most, altered, lossy, reserving;
};

static void count_altered(const struct decoded *decoded, const struct list *expected, struct flips *flips)
{
    flips->altered += !is_part(&decoded->list, expected);
}

/* How many slots a flip in the index of a cursor reserves, as far as a reader can know: up to 7 slots that are as they
 * were sealed may have been reserved since, and not filled (target/FORMAT.md, 2.6). What was in them is overwritten. */
static size_t reserved_by_flip(const unsigned char *image, size_t at, unsigned char bits)
{
    uint32_t index = get32(image + CHUNK_CURSOR) >> 16, flip = (uint32_t)bits << 8 * (at & 1u);
    bool higher = (at & ~(size_t)1) == CHUNK_CURSOR + 2 && image[CHUNK_PLACE + 2] != 1 && (index & flip) == 0;
    return higher && flip <= 7 && index + flip <= get32(image + CHUNK_SLOTS) + 1 ? flip : 0;
}

static void check_sealed_flip(const struct decoded *decoded, struct bytes dump, size_t bit, const struct list *expected,
                              struct flips *flips)
{
    size_t missing = count_events(expected) - count_events(&decoded->list), reserved;
    const unsigned char *image;
    size_t in_image = place_in_image(dump, bit / 8, &image);
    assert_true(decoded->opened);
    assert_true(is_part(&decoded->list, expected));
    reserved = reserved_by_flip(image, in_image, (unsigned char)(1u << bit % 8));
    if (reserved > 0) {
        assert_int_equal(decoded->trace.counts.unfinished, reserved);
        assert_in_range(missing, 0, reserved);
        flips->reserving++;
        return;
    }
    assert_in_range(missing, 0, 1);
    assert_int_equal(count_lost(&decoded->list, ITEM_LOSS) + missing * 0, count_lost(expected, ITEM_LOSS));
    assert_int_equal(decoded->trace.counts.damaged >= missing, 1);
    flips->lost_most = missing > flips->lost_most ? missing : flips->lost_most;
    if (decoded->trace.counts.gaps > 0)
        return;
    assert_int_equal(missing, 0);
    assert_true(is_meaningless(image, in_image, (unsigned char)(1u << bit % 8)));
    flips->unnoticed++;
}

/* The same without losses: where a blackout_end is damaged the count of the loss goes with it, and the lists of losses
 * could not be compared. */
static struct gen_options without_drops(bool sealed)
{
    struct gen_options options = small_dump(sealed);
    options.drops = 0;
    return options;
}

static void every_bit_sealed(void **state)
{
    struct gen_options options = without_drops(true);
    struct list expected;
    struct bytes dump = make_dump(&options, &expected);
    struct flips flips = {0};
    struct decoded decoded;
    (void)state;
    for (size_t bit = 0; bit < 8 * dump.n; bit += tier_step(151), flips.n++) {
        dump.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        decode_bytes(&decoded, dump);
        dump.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        check_sealed_flip(&decoded, dump, bit, &expected, &flips);
        decoded_free(&decoded);
    }
    print_message(
        "%zu flips in %zu bytes with seals: at most %zu event lost, %zu flips without meaning not noticed; %zu "
        "flips of a cursor show slots that were reserved and not filled\n",
        flips.n, dump.n, flips.lost_most, flips.unnoticed, flips.reserving);
    bytes_free(&dump);
    free(expected.item);
}

/* Without a seal an event whose parameter is changed is another event. But nothing breaks, and most of an image is
 * checked all the same. With a cursor that lacks a low bit an image looks as if it was read while the firmware logged:
 * then slots at the cursor count as overwritten. */
static void every_bit_unsealed(void **state)
{
    struct gen_options options = small_dump(false);
    struct list expected;
    struct bytes dump = make_dump(&options, &expected);
    struct flips flips = {0};
    struct decoded decoded;
    uint64_t overwritten;
    (void)state;
    decode_bytes(&decoded, dump);
    overwritten = decoded.trace.counts.overwritten;
    decoded_free(&decoded);
    for (size_t bit = 0; bit < 8 * dump.n; bit += tier_step(151), flips.n++) {
        dump.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        decode_bytes(&decoded, dump);
        dump.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        assert_true(decoded.opened);
        count_altered(&decoded, &expected, &flips);
        flips.unnoticed += decoded.trace.counts.gaps == 0;
        if (count_events(&decoded.list) + 2 < count_events(&expected)) {
            flips.lossy++;
            assert_true(decoded.trace.counts.gaps + decoded.trace.counts.unfinished > 0
                        || decoded.trace.counts.overwritten > overwritten);
        }
        assert_true(count_events(&decoded.list) + 41 >= count_events(&expected));
        decoded_free(&decoded);
    }
    print_message("%zu flips without seals: %zu noticed, %zu changed an event, %zu cost more than two events\n",
                  flips.n, flips.n - flips.unnoticed, flips.altered, flips.lossy);
    bytes_free(&dump);
    free(expected.item);
}

/* Any two bytes of a sealed dump are changed: the events of a group may be lost, but no wrong event may come. */
static void two_bytes_sealed(void **state)
{
    struct gen_options options = without_drops(true);
    struct list expected;
    struct bytes dump = make_dump(&options, &expected);
    struct decoded decoded;
    uint32_t random = 12345;
    size_t wrong = 0;
    (void)state;
    for (unsigned i = 0; i < 20000; i += tier_step(71)) {
        size_t at[2];
        unsigned char bits[2];
        for (unsigned k = 0; k < 2; k++) {
            random = random * 1664525u + 1013904223u;
            at[k] = (random >> 8) % dump.n;
            bits[k] = (unsigned char)(1u + (random & 0x7Fu));
            dump.data[at[k]] ^= bits[k];
        }
        decode_bytes(&decoded, dump);
        wrong += decoded.opened && !is_part(&decoded.list, &expected);
        for (unsigned k = 0; k < 2; k++)
            dump.data[at[k]] ^= bits[k];
        decoded_free(&decoded);
    }
    print_message("%u changes of two bytes with seals: %zu gave a wrong event\n", 20000u / tier_step(71), wrong);
    assert_int_equal(wrong, 0);
    bytes_free(&dump);
    free(expected.item);
}

/* ---- wiped headers ----------------------------------------------------------------------------------------------- */

/* The header of any chunk is wiped: its seal tells where its slots are, and the chunks beside it whose they are. */
static void wiped_headers(void **state)
{
    struct gen_options options = without_drops(true);
    struct list expected;
    struct bytes dump = make_dump(&options, &expected), copy = {malloc(dump.n), dump.n};
    struct decoded decoded;
    (void)state;
    for (size_t n = 64; n <= 128; n += 64) {
        for (size_t at = 0, size; (at = find_image(dump, at, &size)) != SIZE_MAX; at += size) {
            memcpy(copy.data, dump.data, dump.n);
            memset(copy.data + at, 0, n);
            decode_bytes(&decoded, copy);
            assert_same(&decoded.list, &expected);
            assert_true(decoded.trace.counts.gaps > 0);
            decoded_free(&decoded);
        }
    }
    bytes_free(&copy);
    bytes_free(&dump);
    free(expected.item);
}

/* Three slots at the end of a chunk without a seal are garbage, with times that rise: the next chunk loses nothing. */
static void garbage_late_in_a_lap(void **state)
{
    struct gen_options options = {.events = 70, .seed = 5, .slots = 40, .chunks = 2, .cpus = 1, .hz = 1000, .boot = 1};
    struct list expected;
    struct bytes dump = make_dump(&options, &expected);
    struct decoded decoded;
    (void)state;
    for (uint32_t slot = 38; slot <= 40; slot++)
        set_words(dump, slot, 0x109, 0x1000 + slot, slot, 0);
    decode_bytes(&decoded, dump);
    assert_true(is_part(&decoded.list, &expected));
    assert_int_equal(count_events(&decoded.list), 67);
    decoded_free(&decoded);
    bytes_free(&dump);
    free(expected.item);
}

/* ---- garbage ----------------------------------------------------------------------------------------------------- */

static struct bytes with_garbage(struct bytes dump, size_t n, uint32_t seed)
{
    struct bytes out = {calloc(1, dump.n + 16 * (n + 8)), 0};
    size_t at = 0, size = 0, start;
    srand(seed);
    while ((start = find_image(dump, at, &size)) != SIZE_MAX) {
        for (size_t i = 0; i < n; i++)
            out.data[out.n++] = (unsigned char)(rand() >> 8);
        memcpy(out.data + out.n, dump.data + start, size);
        out.n += size;
        at = start + size;
    }
    return out;
}

static void garbage_of_every_length(void **state)
{
    struct gen_options options = small_dump(false);
    struct list expected;
    struct bytes dump = make_dump(&options, &expected);
    struct decoded decoded;
    (void)state;
    for (size_t n = 0; n <= 64; n++) {
        struct bytes between = with_garbage(dump, n, (uint32_t)n);
        decode_bytes(&decoded, between);
        assert_same(&decoded.list, &expected);
        assert_int_equal(decoded.trace.counts.gaps, 0);
        decoded_free(&decoded);
        bytes_free(&between);
    }
    bytes_free(&dump);
    free(expected.item);
}

/* A header among garbage that looks like parts of headers, also across the ends of the pieces that are searched at
 * once. */
static void image_at_every_offset_of_a_search(void **state)
{
    struct gen_options options = {.events = 5, .seed = 1, .slots = 8, .chunks = 1, .cpus = 1, .hz = 1000, .boot = 1};
    struct list expected;
    struct bytes dump = make_dump(&options, &expected);
    struct bytes wide = {malloc(70000 + dump.n), 0};
    struct decoded decoded;
    (void)state;
    for (size_t at = 32600; at < 32900; at += tier_step(7)) {
        for (unsigned damage = 0; damage < 3; damage++) {
            memset(wide.data, 0xB7, 70000 + dump.n);
            for (size_t i = 0; i < at; i += 3)
                memcpy(wide.data + i, i % 2 ? "TLO" : "\xED\xB7\xD6", at - i < 3 ? at - i : 3);
            memcpy(wide.data + at, dump.data, dump.n);
            wide.data[at + damage * 3] ^= damage ? 1 : 0; /* a byte of magic or tag: the other one is enough */
            wide.n = at + dump.n + at % 7;
            decode_bytes(&decoded, wide);
            assert_same(&decoded.list, &expected);
            assert_int_equal(decoded.trace.counts.gaps, damage > 0);
            decoded_free(&decoded);
        }
    }
    bytes_free(&wide);
    bytes_free(&dump);
    free(expected.item);
}

/* Dumps in which many bytes are replaced, also with headers that are right. Anything may come of them but a crash and
 * times that go back. */
static void random_input(void **state)
{
    struct gen_options options = small_dump(false);
    struct bytes dump = make_dump(&options, NULL);
    struct bytes copy = {malloc(dump.n), dump.n};
    struct decoded decoded;
    (void)state;
    srand(99);
    for (unsigned i = 0; i < 3000; i += tier_step(7)) {
        unsigned changes = 1u << i % 12;
        memcpy(copy.data, dump.data, dump.n);
        for (unsigned k = 0; k < changes; k++)
            copy.data[(size_t)rand() % dump.n] = (unsigned char)(rand() >> 7);
        for (size_t at = 0, size = 0; i % 3 == 0 && (at = find_image(dump, at, &size)) != SIZE_MAX; at += size) {
            memcpy(copy.data + at, dump.data + at, 8);
            put32(copy.data + at + CHUNK_SIZE, (uint32_t)size);
            fix_header(copy.data + at);
        }
        decode_bytes(&decoded, copy);
        decoded_free(&decoded);
    }
    bytes_free(&copy);
    bytes_free(&dump);
}

/* Two runs, one behind the other, of one chunk; from..to of the second header is wiped. Returns which run is decoded,
 * 0: events of both. */
static unsigned run_decoded(size_t from, size_t to)
{
    struct gen_options options = {
        .events = 30, .seed = 7, .slots = 40, .chunks = 1, .cpus = 1, .hz = 84000000, .boot = 3, .sealed = true};
    struct list older, newer;
    struct bytes first = make_dump(&options, &older), second, both;
    struct decoded decoded;
    unsigned run;
    options.boot = 4;
    options.seed = 8;
    second = make_dump(&options, &newer);
    both = join(first, second);
    memset(both.data + first.n + from, 0, to - from);
    decode_bytes(&decoded, both);
    assert_true(decoded.trace.counts.gaps > 0);
    run = is_part(&decoded.list, &older) ? 3 : is_part(&decoded.list, &newer) ? 4 : 0;
    assert_true(run == 0 || count_events(&decoded.list) == 30);
    decoded_free(&decoded);
    bytes_free(&first);
    bytes_free(&second);
    bytes_free(&both);
    free(older.item);
    free(newer.item);
    return run;
}

/* A header is lost, and it could be of another run: the check decides, or its events are left out. */
static void lost_header_of_another_run(void **state)
{
    (void)state;
    assert_int_equal(run_decoded(0, 60), 4);
    assert_int_equal(run_decoded(8, 56), 4);
    assert_int_equal(run_decoded(0, 64), 3);
    assert_int_equal(run_decoded(40, 128), 3);
    assert_int_equal(run_decoded(0, 128), 3);
}

/* Likewise of the last of two CPUs: its place is legible, or not. */
static void lost_header_of_the_last_cpu(void **state)
{
    static const struct {
        size_t from, to, events;
    } cases[] = {{0, 40, 60}, {40, 104, 60}, {20, 64, 60}, {0, 64, 30}, {0, 128, 30}};
    struct gen_options options = {
        .events = 30, .seed = 7, .slots = 40, .chunks = 1, .cpus = 2, .hz = 84000000, .boot = 3, .sealed = true};
    struct list expected;
    struct bytes dump = make_dump(&options, &expected);
    struct decoded decoded;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bytes copy = join(dump, (struct bytes){NULL, 0});
        memset(copy.data + dump.n / 2 + cases[i].from, 0, cases[i].to - cases[i].from);
        decode_bytes(&decoded, copy);
        assert_true(is_part(&decoded.list, &expected));
        assert_int_equal(count_events(&decoded.list), cases[i].events);
        decoded_free(&decoded);
        bytes_free(&copy);
    }
    bytes_free(&dump);
    free(expected.item);
}

/* The end of an image is wiped, up to the next chunk of the ring: that one is not taken for bytes that came in. What
 * wiped the last slot and the mark may have begun in the slot ahead. */
static void wiped_end_before_next_chunk(void **state)
{
    struct gen_options options = {
        .events = 150, .seed = 7, .slots = 40, .chunks = 2, .cpus = 1, .hz = 84000000, .boot = 3, .start = 1000};
    struct list expected;
    struct bytes dump = make_dump(&options, &expected);
    struct decoded decoded;
    size_t mark = HEADER + 40 * SLOT;
    (void)state;
    memset(dump.data + mark - SLOT, 0, 2 * SLOT);
    decode_bytes(&decoded, dump);
    assert_true(is_part(&decoded.list, &expected));
    assert_int_equal(count_events(&decoded.list), count_events(&expected) - 2);
    decoded_free(&decoded);
    bytes_free(&dump);
    free(expected.item);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts_at_every_byte),
        cmocka_unit_test(wiped_end_before_next_chunk),
        cmocka_unit_test(lost_header_of_another_run),
        cmocka_unit_test(lost_header_of_the_last_cpu),
        cmocka_unit_test(cuts_before_another_image),
        cmocka_unit_test(every_bit_sealed),
        cmocka_unit_test(every_bit_unsealed),
        cmocka_unit_test(two_bytes_sealed),
        cmocka_unit_test(wiped_headers),
        cmocka_unit_test(garbage_late_in_a_lap),
        cmocka_unit_test(garbage_of_every_length),
        cmocka_unit_test(image_at_every_offset_of_a_search),
        cmocka_unit_test(random_input),
    };
    return cmocka_run_group_tests_name("native reader, faults", tests, NULL, NULL);
}
