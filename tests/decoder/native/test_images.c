/* test_images.c - the native reader and dumps of many images: of one chunk at several times, in any order, whole,
 * cut and damaged; of several runs; of many chunks that stand alone. */
#include "harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

/* ---- several images of one chunk --------------------------------------------------------------------------------- */

/* Images of the same chunk at n times, each with that lap and cursor. */
static struct bytes snapshots(const uint32_t (*when)[2], size_t n, bool sealed)
{
    struct bytes all = {malloc(1), 0}, one = empty_chunk(40);
    for (size_t i = 0; i < n; i++) {
        struct bytes more;
        fill_laps(one, when[i][0], when[i][1]);
        if (sealed)
            fix_seal(one.data);
        more = join(all, one);
        bytes_free(&all);
        all = more;
    }
    bytes_free(&one);
    return all;
}

static void copies_of_a_chunk(void **state)
{
    static const uint32_t pairs[][2][2] = {
        {{5, 20}, {5, 20}}, /* the same */
        {{5, 20}, {5, 30}}, /* the second one is later, in the same lap */
        {{5, 30}, {5, 20}}, /* the first one is later */
        {{5, 20}, {6, 10}}, /* the second one is in the next lap: together they show laps 4, 5 and 6 */
        {{6, 10}, {5, 20}}, /* the first one is */
        {{5, 41}, {6, 41}}, /* full both times */
    };
    (void)state;
    for (size_t i = 0; i < 6; i++) {
        for (unsigned sealed = 0; sealed < 2; sealed++) {
            struct bytes dump = snapshots(pairs[i], 2, sealed);
            const uint32_t *old = pairs[i][0], *new = pairs[i][1], *swap = old;
            struct item items[200] = {{.code = ITEM_LOSS}};
            size_t n = 1;
            if (old[0] * 100 + old[1] > new[0] * 100 + new[1]) {
                old = new;
                new = swap;
            }
            items[0].count = (old[0] - 2) * 40 + old[1] - 1;
            n = add_range(items, n, old[0] - 1, old[1], 40);
            if (new[0] > old[0])
                n = add_range(items, n, old[0], 1, 40);
            n = add_range(items, n, new[0], 1, new[1] - 1);
            items[0].time = items[1].time;
            expect_items(dump, items, n, 0);
            bytes_free(&dump);
        }
    }
}

/* Images in laps 5 and 8 show laps 4, 5, 7 and 8. What was overwritten between them is a loss in the middle. */
static void copies_far_apart(void **state)
{
    static const uint32_t when[2][2] = {{5, 20}, {8, 10}};
    struct bytes dump = snapshots(when, 2, true);
    struct item items[200] = {{.time = 4020, .code = ITEM_LOSS, .count = 139}};
    size_t n = add_range(items, 1, 4, 20, 40);
    (void)state;
    n = add_range(items, n, 5, 1, 19);
    items[n++] = (struct item){.time = 7010, .code = ITEM_LOSS, .count = 21 + 40 + 9};
    n = add_range(items, n, 7, 10, 40);
    n = add_range(items, n, 8, 1, 9);
    expect_items(dump, items, n, 0);
    bytes_free(&dump);
}

/* A slot that is damaged or unfinished in the image that is looked at first is taken from the other one. */
static void damaged_copies(void **state)
{
    static const uint32_t when[2][2] = {{5, 20}, {5, 30}};
    struct item items[60] = {{.time = 4020, .code = ITEM_LOSS, .count = 139}};
    size_t n = add_range(items, 1, 4, 20, 40);
    (void)state;
    n = add_range(items, n, 5, 1, 29);
    for (unsigned sealed = 0; sealed < 2; sealed++) {
        for (uint32_t slot = 1; slot <= 19; slot++) {
            struct bytes dump = snapshots(when, 2, sealed);
            unsigned char *older = dump.data + HEADER + (slot - 1) * SLOT, *newer = older + dump.n / 2;
            older[9] ^= 0x55; /* not noticed: the slot is taken from the newer image */
            expect_items(dump, items, n, 0);
            older[9] ^= 0x55;
            newer[sealed ? 9 : 13] ^= 3; /* its time, which the seal shows; or its tag, so that it is unfinished */
            expect_items(dump, items, n, sealed ? 1 : 0);
            bytes_free(&dump);
        }
    }
}

static void images_in_any_order(void **state)
{
    struct gen_options options = {.events = 400,
                                  .seed = 3,
                                  .slots = 20,
                                  .chunks = 4,
                                  .cpus = 2,
                                  .hz = 1000,
                                  .boot = 1,
                                  .names = 2,
                                  .sealed = true,
                                  .stream = true};
    struct list expected;
    struct bytes dump = make_dump(&options, &expected), mixed = {malloc(dump.n), 0};
    size_t at[64], size[64], n = 0, end = 0;
    struct decoded decoded;
    (void)state;
    while ((at[n] = find_image(dump, end, &size[n])) != SIZE_MAX) {
        end = at[n] + size[n];
        n++;
    }
    for (unsigned round = 0; round < 50; round++) {
        mixed.n = 0;
        for (size_t i = 0; i < n; i++) { /* the next one is any of those that are left */
            size_t k = i + random64() % (n - i), keep = at[k], keep_size = size[k];

            at[k] = at[i];
            size[k] = size[i];
            at[i] = keep;
            size[i] = keep_size;
            memcpy(mixed.data + mixed.n, dump.data + keep, keep_size);
            mixed.n += keep_size;
        }
        decode_bytes(&decoded, mixed);
        assert_same(&decoded.list, &expected);
        assert_int_equal(decoded.trace.counts.gaps, 0);
        decoded_free(&decoded);
    }
    bytes_free(&mixed);
    bytes_free(&dump);
    free(expected.item);
}

/* Of several runs the last one is decoded, even if its images come first. */
static void several_runs(void **state)
{
    struct gen_options options = {.events = 30, .seed = 3, .slots = 20, .chunks = 2, .cpus = 1, .hz = 1000, .boot = 8};
    struct list expected;
    struct bytes first = make_dump(&options, &expected), second, both;
    struct decoded decoded;
    (void)state;
    options.boot = 7;
    options.seed = 4;
    second = make_dump(&options, NULL);
    both = join(first, second);
    decode_bytes(&decoded, both);
    assert_same(&decoded.list, &expected);
    decoded_free(&decoded);
    bytes_free(&both);
    bytes_free(&first);
    bytes_free(&second);
    free(expected.item);
}

/* ---- many chunks ------------------------------------------------------------------------------------------------- */

enum { ALONE = 60 };

/* An image of a chunk that stands alone: an event, and behind it a slot that is damaged. */
static struct bytes chunk_alone(uint32_t number)
{
    struct bytes chunk = empty_chunk(2);
    put32(chunk.data + CHUNK_PLACE, get32(chunk.data + CHUNK_PLACE) | number << 8 | 2u << 16);
    put32(chunk.data + CHUNK_SELF, get32(chunk.data + CHUNK_SELF) + number * 0x1000u);
    fix_header(chunk.data);
    set_cursor(chunk, 1, 3);
    set_record(chunk, 1, 1, 10000 + number);
    set_words(chunk, 2, 0x100, 0, 20000, 0);
    return chunk;
}

/* Add n such images to a dump, which is freed. */
static struct bytes join_alone(struct bytes dump, uint32_t n)
{
    for (uint32_t number = 1; number <= n; number++) {
        struct bytes one = chunk_alone(number), more = join(dump, one);
        bytes_free(&one);
        bytes_free(&dump);
        dump = more;
    }
    return dump;
}

/* The damage events at the ends of many chunks may be more than the batch has room for, in which the last events
 * are. So there is every number of events ahead of them that leaves too little room. */
static void every_number_of_events_before_many_ends(void **state)
{
    struct item items[TRACE_BATCH_EVENTS + 2 * ALONE];
    (void)state;
    for (uint32_t events = TRACE_BATCH_EVENTS - 2 * ALONE - 8; events < TRACE_BATCH_EVENTS - ALONE + 8; events++) {
        struct bytes dump = empty_chunk(events);
        size_t n = add_range(items, 0, 1, 1, events);
        fill_laps(dump, 1, events + 1);
        dump = join_alone(dump, ALONE);
        for (uint32_t number = 1; number <= ALONE; number++)
            items[n++] = user_event(10000 + number);
        for (uint32_t number = 1; number <= ALONE; number++)
            items[n++] = (struct item){.time = 10000 + ALONE, .code = ITEM_DAMAGE, .count = 1};
        expect_items(dump, items, n, ALONE);
        bytes_free(&dump);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_of_a_chunk), cmocka_unit_test(copies_far_apart),
        cmocka_unit_test(damaged_copies),    cmocka_unit_test(images_in_any_order),
        cmocka_unit_test(several_runs),      cmocka_unit_test(every_number_of_events_before_many_ends),
    };
    return cmocka_run_group_tests_name("native reader, images", tests, NULL, NULL);
}
