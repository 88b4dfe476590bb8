/* test_fast_path.c - the native reader and laps with traceevents: with nothing wrong, and with one thing wrong.
 *
 * If nothing is wrong with a lap, the reader makes many events at once (native/fast_path.h). What it makes is compared
 * with what the generator wrote down, and with what comes of the same dump when a damaged slot in each lap forces the
 * reader to go slot by slot.
 */
#include "harness.h"
#include "lib/tier.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

enum { UNKNOWN_CLASS = 9 };

static struct gen_options options_of(uint32_t seed)
{
    static const uint32_t clocks[] = {168000000, 1000000000, 32768, 3000000000};
    static const uint32_t slots[] = {16, 17, 33, 64, 250, 2000};
    struct gen_options options = {.seed = seed,
                                  .slots = slots[seed % 6],
                                  .chunks = seed % 3 + 1,
                                  .cpus = seed % 2 + 1,
                                  .hz = clocks[seed / 2 % 4],
                                  .boot = 1,
                                  .start = seed % 5 == 0 ? 0xFFFFF000 : 7,
                                  .traceevents = seed % 4 == 0 ? 100 : seed % 90 + 5,
                                  .shortest = seed % 7 == 0 ? 2 : 1,
                                  .longest = seed % 3 == 0 ? 1 : seed % 8 + 1,
                                  .stream = true,
                                  .unknown = true};
    options.events = (uint64_t)options.slots * options.chunks * 4 + 5;
    options.drops = seed % 8 == 1 ? 30 : 0;
    options.jumps = seed % 8 == 4; /* there are no records then: stamps ahead of one would be counted back from it */
    return options;
}

static void as_written_down(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 400; seed += tier_step(13)) {
        struct gen_options options = options_of(seed);
        struct list expected;
        struct bytes dump = make_dump(&options, &expected);
        struct decoded decoded;
        decode_bytes(&decoded, dump);
        assert_true(decoded.opened);
        assert_same(&decoded.list, &expected);
        assert_int_equal(decoded.trace.counts.gaps + decoded.trace.counts.damaged + decoded.trace.counts.unfinished, 0);
        decoded_free(&decoded);
        bytes_free(&dump);
        free(expected.item);
    }
}

/* Give slot n a tag that no slot has, in every image that has filled it. Returns in how many. */
static size_t damage_images(struct bytes dump, uint32_t n)
{
    size_t at = 0, size, damaged = 0;
    for (; (at = find_image(dump, at, &size)) != SIZE_MAX; at += size) {
        unsigned char *head = dump.data + at + HEADER + (size_t)(n - 1) * SLOT + 12;
        if (get32(dump.data + at + CHUNK_CURSOR) >> 16 <= n)
            continue;
        put32(head, get32(head) & ~0x300u);
        damaged++;
    }
    return damaged;
}

/* A damaged slot costs the event that it is part of, and nothing else changes. */
static void one_slot_is_damaged(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 200; seed += tier_step(13)) {
        struct gen_options options = options_of(seed);
        struct bytes dump;
        struct decoded whole, damaged;
        size_t n;
        options.jumps = false; /* damage of a CONTROL TIME may cost more than its slot */
        options.start = 7;
        options.drops = 0;
        options.unknown = seed % 2 == 0;
        options.texts = seed % 4 == 1;
        dump = make_dump(&options, NULL);
        decode_bytes(&whole, dump);
        n = damage_images(dump, 3 + seed % 14);
        decode_bytes(&damaged, dump);
        assert_true(n > 0 && is_part(&damaged.list, &whole.list));
        assert_true(count_events(&damaged.list) + n >= count_events(&whole.list));
        assert_in_range(damaged.trace.counts.damaged, 1, n); /* two images may show one lap */
        decoded_free(&whole);
        decoded_free(&damaged);
        bytes_free(&dump);
    }
}

/* Large events nearly fill the room that a batch has for payloads. Then as many small ones follow as fill a batch. */
static void payloads_fill_a_batch(void **state)
{
    enum { LARGE = 112 /* slots */, SMALL = 3000 };
    (void)state;
    for (uint32_t n = 28; n <= 33; n++) {
        struct bytes dump = empty_chunk(n * LARGE + 2 * SMALL);
        struct decoded decoded;
        uint32_t slot = 1;
        for (uint32_t i = 0; i < n * LARGE; i++) {
            uint32_t part = i % LARGE == 0 ? 1 : i % LARGE == LARGE - 1 ? 3 : 2;
            set_traceevent(dump, slot++, part << 30 | UNKNOWN_CLASS << 10 | 0x101, 5, 1, 2);
        }
        for (uint32_t i = 0; i < SMALL; i++)
            set_words(dump, slot++, 0x109, 0, 6, i);
        for (uint32_t i = 0; i < SMALL; i++)
            set_traceevent(dump, slot++, UNKNOWN_CLASS << 10 | 0x102, 6, i, 2);
        set_cursor(dump, 1, slot);
        decode_bytes(&decoded, dump);
        assert_int_equal(count_events(&decoded.list), n + 2 * SMALL);
        decoded_free(&decoded);
        bytes_free(&dump);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_written_down),
        cmocka_unit_test(one_slot_is_damaged),
        cmocka_unit_test(payloads_fill_a_batch),
    };
    return cmocka_run_group_tests_name("native reader, fast path", tests, NULL, NULL);
}
