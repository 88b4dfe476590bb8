/* test_beside.c - what stands beside a chunk: other runs, pieces of chunks, constants of the firmware. It changes
 * nothing that the chunk tells (target/FORMAT.md, 4). tests/judges/memory.py tries the same with images by chance. */
#include "harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

enum { CONSTANTS = 40 }; /* bytes of a header that firmware keeps to make headers of */

static const struct gen_options ring = {
    .events = 90, .seed = 3, .slots = 20, .chunks = 3, .cpus = 1, .hz = 1000, .boot = 5};

/* A dump whose images are all of one size, with the number of chunks in their headers. */
struct images {
    struct bytes dump;
    struct list expected;
    size_t size;
};

static struct images make_images(struct gen_options options)
{
    struct images images;
    images.dump = make_dump(&options, &images.expected);
    find_image(images.dump, 0, &images.size);
    for (size_t at = 0; at < images.dump.n; at += images.size) {
        unsigned char *image = images.dump.data + at;
        put32(image + CHUNK_PLACE, get32(image + CHUNK_PLACE) | options.chunks << 24);
        fix_header(image);
    }
    return images;
}

static void images_free(struct images *images)
{
    bytes_free(&images->dump);
    free(images->expected.item);
}

/* Fail the test unless a dump has these events, and so many damaged places. */
static void expect(struct bytes dump, const struct list *expected, uint64_t gaps)
{
    struct decoded decoded;
    decode_bytes(&decoded, dump);
    assert_same(&decoded.list, expected);
    assert_int_equal(decoded.trace.counts.gaps, gaps);
    decoded_free(&decoded);
}

/* Add n bytes of a value to a dump. */
static void pad(struct bytes *dump, size_t n, int value)
{
    dump->data = realloc(dump->data, dump->n + n);
    memset(dump->data + dump->n, value, n);
    dump->n += n;
}

static void append(struct bytes *dump, const unsigned char *data, size_t n)
{
    pad(dump, n, 0);
    memcpy(dump->data + dump->n - n, data, n);
}

/* ---- other runs -------------------------------------------------------------------------------------------------- */

/* A chunk of the newest run stands right behind chunk 0 of an earlier one, where that run's next chunk would be. */
static void chunk_behind_that_of_an_earlier_run(void **state)
{
    struct gen_options options = ring;
    struct images newer = make_images(options), older;
    struct bytes dump = {malloc(1), 0};
    (void)state;
    options.boot = 4;
    older = make_images(options);
    append(&dump, newer.dump.data, newer.size);
    pad(&dump, 100, 0x55);
    append(&dump, older.dump.data, older.size);
    append(&dump, newer.dump.data + newer.size, 2 * newer.size);
    expect(dump, &newer.expected, 0);
    bytes_free(&dump);
    images_free(&newer);
    images_free(&older);
}

/* Only the facts of the run that is decoded tell that the ring of their CPU is missing. */
static void facts_without_a_ring(void **state)
{
    (void)state;
    for (uint32_t boot = 4; boot <= 5; boot++) {
        struct gen_options options = {.slots = 20, .chunks = 1, .cpus = 1, .hz = 1000, .names = 3, .boot = boot};
        struct bytes names = make_dump(&options, NULL), events = empty_chunk(20), dump;
        struct item items[20];
        size_t n = add_range(items, 0, 1, 1, 19);
        for (size_t i = 0; i < n; i++)
            items[i].cpu = 1;
        find_image(names, 0, &names.n); /* the chunk of names alone */
        put32(events.data + CHUNK_PLACE, 1);
        put32(events.data + CHUNK_BOOT, 5);
        fix_header(events.data);
        fill_laps(events, 1, 20);
        dump = join(names, events);
        expect(dump, &(struct list){items, n, n}, boot == 5);
        bytes_free(&names);
        bytes_free(&events);
        bytes_free(&dump);
    }
}

/* ---- lost headers ------------------------------------------------------------------------------------------------ */

/* The header of any chunk of a sealed ring is lost, with or without emergency slots: the space tells which one it was,
 * and the seal all else. */
static void lost_header_of_any_chunk(void **state)
{
    struct images images = make_images((struct gen_options){
        .events = 190, .seed = 3, .slots = 64, .chunks = 3, .cpus = 1, .hz = 1000, .boot = 5, .sealed = true});
    (void)state;
    for (uint32_t emergency = 0; emergency <= 4; emergency += 4) {
        struct bytes dump = {malloc(1), 0};
        struct decoded sound, decoded;
        size_t size = images.size + SLOT * emergency;
        for (uint32_t number = 0; number < 3; number++) {
            struct bytes one = {malloc(images.size), images.size};
            memcpy(one.data, images.dump.data + number * images.size, one.n);
            if (emergency > 0)
                add_emergency(&one, emergency);
            put32(one.data + CHUNK_SELF, (uint32_t)(0x20000000 + number * size));
            put32(one.data + CHUNK_BUILD, 0x12345678);
            put32(one.data + CHUNK_NEXT, number < 2 ? (uint32_t)size : (uint32_t)(0 - 2 * size));
            fix_header(one.data);
            fix_seal(one.data);
            append(&dump, one.data, one.n);
            bytes_free(&one);
        }
        decode_bytes(&sound, dump);
        assert_int_equal(sound.trace.counts.gaps, 0);
        assert_int_equal(count_events(&sound.list), 190 + 3 * (emergency ? 3 : 0));
        for (size_t number = 0; number < 3; number++) {
            struct bytes copy = join(dump, (struct bytes){NULL, 0});
            memset(copy.data + number * size, 0, HEADER);
            decode_bytes(&decoded, copy);
            assert_same(&decoded.list, &sound.list);
            assert_int_equal(decoded.trace.counts.gaps, 1);
            assert_memory_equal(decoded.trace.build, sound.trace.build, sizeof sound.trace.build);
            decoded_free(&decoded);
            bytes_free(&copy);
        }
        decoded_free(&sound);
        bytes_free(&dump);
    }
    images_free(&images);
}

/* A chunk in lap 1 has lost its header. The mark that moves ahead of the cursor stands in a slot, and the end mark is
 * not there yet: the slots behind that mark are no emergency slots. */
static void lost_header_in_the_first_lap(void **state)
{
    struct images images = make_images((struct gen_options){
        .events = 36 + 29, .seed = 3, .slots = 36, .chunks = 3, .cpus = 1, .hz = 1000, .boot = 5, .sealed = true});
    unsigned char *image = images.dump.data + images.size, *mark = image + HEADER + 32 * SLOT;
    struct decoded decoded;
    (void)state;
    memset(mark, 0x55, 5 * SLOT); /* slots 33 to 36, and the end mark */
    memset(mark, 0, SLOT);
    put32(mark + 12, 0x300);
    fix_seal(image);
    expect(images.dump, &images.expected, 0);
    memset(image, 0, HEADER);
    decode_bytes(&decoded, images.dump);
    assert_true(is_part(&images.expected, &decoded.list));
    assert_int_equal(count_events(&decoded.list), count_events(&images.expected));
    assert_int_equal(decoded.trace.counts.gaps, 1);
    decoded_free(&decoded);
    images_free(&images);
}

/* A chunk of another run has lost its header, and near by are the constants of which the firmware makes headers: these
 * do not tell which chunk it was. */
static void constants_near_a_lost_header(void **state)
{
    struct gen_options options = ring;
    struct images run, lost;
    (void)state;
    options.sealed = true;
    run = make_images(options);
    options.events = 900;
    options.boot = 9;
    lost = make_images(options);
    for (size_t away = CONSTANTS; away <= HEADER; away++) {
        struct bytes dump = join(run.dump, (struct bytes){NULL, 0});
        pad(&dump, 200, 0);
        memcpy(dump.data + dump.n - away, run.dump.data, CONSTANTS);
        append(&dump, lost.dump.data, lost.size);
        memset(dump.data + dump.n - lost.size, 0, HEADER);
        pad(&dump, 100, 0x55);
        append(&dump, run.dump.data, run.dump.n);
        expect(dump, &run.expected, 0);
        bytes_free(&dump);
    }
    images_free(&run);
    images_free(&lost);
}

/* A header is lost between chunks of two runs, and an image elsewhere has the same seal. If that is of a chunk that was
 * opened, it shows the one whose header is lost. If not, nothing tells which one that was: all such chunks have one
 * seal. */
static void lost_header_and_the_same_seal(void **state)
{
    struct gen_options options = ring;
    (void)state;
    options.sealed = true;
    for (options.events = 10; options.events <= 30; options.events += 20) {
        struct images newer, older;
        struct bytes dump = {malloc(1), 0};
        options.boot = 5;
        newer = make_images(options);
        options.boot = 4;
        older = make_images(options);
        append(&dump, newer.dump.data, 2 * newer.size);
        memset(dump.data + newer.size, 0x55, HEADER);
        append(&dump, older.dump.data + 2 * newer.size, newer.size);
        pad(&dump, 100, 0x55);
        append(&dump, newer.dump.data + newer.size, 2 * newer.size);
        expect(dump, &newer.expected, options.events < 20);
        bytes_free(&dump);
        images_free(&newer);
        images_free(&older);
    }
}

/* The first words of a header, or less or more of it, stand right ahead of each chunk. */
static void first_words_ahead_of_a_chunk(void **state)
{
    struct images run = make_images(ring);
    (void)state;
    for (size_t n = 1; n <= CONSTANTS; n++) {
        struct bytes dump = {malloc(1), 0};
        for (size_t at = 0; at < run.dump.n; at += run.size) {
            append(&dump, run.dump.data, n);
            append(&dump, run.dump.data + at, run.size);
        }
        expect(dump, &run.expected, 0);
        bytes_free(&dump);
    }
    images_free(&run);
}

/* ---- pieces of chunks -------------------------------------------------------------------------------------------- */

/* Behind a piece of a chunk is the rear of another one: its seal, near to where that of the first one would be, is not
 * this chunk's. */
static void seal_of_another_chunk_behind_a_piece(void **state)
{
    struct gen_options options = ring;
    struct images run, other;
    size_t half = 10 * SLOT;
    (void)state;
    options.sealed = true;
    run = make_images(options);
    options.boot = 9;
    options.events = 70;
    other = make_images(options);
    for (size_t by = 1; by < 60; by++) {
        struct bytes dump = join(run.dump, (struct bytes){NULL, 0});
        pad(&dump, 100, 0x55);
        append(&dump, run.dump.data, HEADER);
        pad(&dump, half - by, 0);
        append(&dump, other.dump.data + HEADER + half, other.size - HEADER - half);
        pad(&dump, 100, 0x55);
        expect(dump, &run.expected, 0);
        bytes_free(&dump);
    }
    images_free(&run);
    images_free(&other);
}

/* The same of a chunk with few events: all that is behind the piece would be slots that were never written, and the
 * other chunk's end mark tells by how much they are displaced. */
static void seal_of_another_chunk_behind_few_events(void **state)
{
    enum { EVENTS = 3 };
    struct gen_options options = ring;
    struct images run, other;
    (void)state;
    options.sealed = true;
    options.events = EVENTS;
    run = make_images(options);
    options.boot = 9;
    options.events = 70;
    other = make_images(options);
    for (size_t have = HEADER; have < HEADER + EVENTS * SLOT; have++) {
        for (size_t by = 1; by < 60; by += 6) {
            struct bytes dump = join(run.dump, (struct bytes){NULL, 0});
            pad(&dump, 100, 0x55);
            append(&dump, run.dump.data, have);
            append(&dump, other.dump.data + have + by, other.size - have - by);
            pad(&dump, 100, 0x55);
            expect(dump, &run.expected, 0);
            bytes_free(&dump);
        }
    }
    images_free(&run);
    images_free(&other);
}

/* Of a chunk there are a whole image, and a piece, over the rear of which another chunk stands. Both end at the same
 * place, and so the other one's seal is where that of the first one would be. */
static void chunk_over_the_rear_of_another_one(void **state)
{
    struct gen_options options = ring;
    struct bytes small, large;
    struct list of_small, of_large, all;
    (void)state;
    options.sealed = true;
    options.chunks = 1;
    large = make_dump(&options, &of_large);
    options.slots = 10;
    small = make_dump(&options, &of_small);
    put32(large.data + CHUNK_PLACE, 1); /* CPU 1 */
    fix_header(large.data);
    all = (struct list){calloc(of_small.n + of_large.n, sizeof *all.item), 0, 0};
    for (size_t i = 0; i < of_small.n; i++)
        all.item[all.n++] = of_small.item[i];
    for (size_t i = 0; i < of_large.n; i++) {
        all.item[all.n] = of_large.item[i];
        all.item[all.n++].cpu = 1;
    }
    for (size_t have = HEADER; have <= large.n - small.n; have++) {
        struct bytes dump = join(large, large);
        dump.n -= small.n;
        memset(dump.data + large.n + have, 0x55, dump.n - large.n - have);
        append(&dump, small.data, small.n);
        expect(dump, &all, 0);
        bytes_free(&dump);
    }
    bytes_free(&small);
    bytes_free(&large);
    free(of_small.item);
    free(of_large.item);
    free(all.item);
}

/* ---- one event --------------------------------------------------------------------------------------------------- */

/* The only event that is left was logged when the clock had run for long. */
static void lone_event_after_a_long_time(void **state)
{
    struct bytes dump = empty_chunk(2);
    struct item items[] = {{.code = ITEM_LOSS, .count = 2}, user_event(5000)};
    (void)state;
    fill_laps(dump, 2, 3);
    set_record(dump, 1, 1, 4000); /* not finished */
    set_record(dump, 2, 2, 5000);
    put32(dump.data + HEADER + SLOT + 4, 0x100);
    items[0].time = items[1].time = (uint64_t)0x100 << 32 | 5000;
    expect_items(dump, items, 2, 0);
    bytes_free(&dump);
}

/* ---- what was overwritten ---------------------------------------------------------------------------------------- */

enum { SLOTS = 10, LATER = 10000 };

/* An image of a chunk of a ring of two, with a lap up to the cursor and the lap before behind it. */
static struct bytes image_of_two(uint32_t number, uint32_t lap, uint32_t index)
{
    struct bytes one = empty_chunk(SLOTS);
    put32(one.data + CHUNK_PLACE, number << 8 | 2u << 24);
    put32(one.data + CHUNK_SELF, (uint32_t)(0x20000000 + number * one.n));
    put32(one.data + CHUNK_NEXT, number == 0 ? (uint32_t)one.n : (uint32_t)-one.n);
    fix_header(one.data);
    set_cursor(one, lap, index);
    for (uint32_t slot = 1; slot <= SLOTS; slot++) {
        uint32_t of = slot < index ? lap : lap - 1;
        set_record(one, slot, of, (2 * of + number) * LATER + slot);
    }
    return one;
}

/* Slots that were no events are among those that were overwritten at two places: ahead of an image of the other chunk
 * at an earlier time, and behind it. */
static void slots_that_were_no_events_at_two_places(void **state)
{
    (void)state;
    for (uint32_t extra = 0; extra <= SLOTS + 2; extra++) {
        struct bytes zero = image_of_two(0, 3, 3), early = image_of_two(1, 1, SLOTS + 1),
                     late = image_of_two(1, 2, SLOTS + 1);
        struct bytes dump = join(early, zero);
        struct decoded decoded;
        append(&dump, late.data, late.n);
        put32(dump.data + early.n + CHUNK_EXTRA, extra);
        decode_bytes(&decoded, dump);
        assert_int_equal(decoded.trace.counts.gaps, 0);
        assert_int_equal(count_events(&decoded.list), 3 * SLOTS);
        assert_int_equal(count_lost(&decoded.list, ITEM_LOSS), SLOTS + 2 - extra);
        decoded_free(&decoded);
        bytes_free(&zero);
        bytes_free(&early);
        bytes_free(&late);
        bytes_free(&dump);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunk_behind_that_of_an_earlier_run),
        cmocka_unit_test(facts_without_a_ring),
        cmocka_unit_test(lost_header_of_any_chunk),
        cmocka_unit_test(lost_header_in_the_first_lap),
        cmocka_unit_test(constants_near_a_lost_header),
        cmocka_unit_test(lost_header_and_the_same_seal),
        cmocka_unit_test(first_words_ahead_of_a_chunk),
        cmocka_unit_test(seal_of_another_chunk_behind_a_piece),
        cmocka_unit_test(seal_of_another_chunk_behind_few_events),
        cmocka_unit_test(chunk_over_the_rear_of_another_one),
        cmocka_unit_test(lone_event_after_a_long_time),
        cmocka_unit_test(slots_that_were_no_events_at_two_places),
    };
    return cmocka_run_group_tests_name("native reader, what stands beside", tests, NULL, NULL);
}
