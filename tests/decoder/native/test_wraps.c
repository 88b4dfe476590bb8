/* test_wraps.c - the native reader and wraps of the clock that the firmware has not seen: with a coarse clock, among
 * traceevents, and between laps; and the order of laps by their numbers. test_counts.c has those of records. */
#include "harness.h"
#include "lib/tier.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#define WRAP (1ull << 32)

enum { CHUNK_COARSE_FREQ = 32, COARSE_HZ = 1000, RATIO = 1000000000 / COARSE_HZ, EVENTS = 40 };

/* A dump under construction, of a clock of 1 GHz. The firmware counts `seen` wraps. */
struct made {
    struct bytes dump;
    uint32_t slots, used;
    uint64_t time, seen;
    uint64_t times[4 * EVENTS];
    uint32_t n;
};

static struct made make(uint32_t slots, uint64_t start)
{
    struct made made = {.dump = empty_chunk(slots), .slots = slots, .time = start, .seen = start / WRAP};
    put32(made.dump.data + CHUNK_COARSE_FREQ, COARSE_HZ);
    fix_header(made.dump.data);
    return made;
}

/* A CONTROL TIME, which only firmware that logs traceevents has, and a COARSE slot. */
static void put_coarse(struct made *made, bool records)
{
    if (!records)
        set_traceevent(made->dump, ++made->used, 1u << 10 | 0x101, (uint32_t)made->time, (uint32_t)made->seen, 0);
    set_traceevent(made->dump, ++made->used, 1u << 10 | 0x10000 | 0x103, (uint32_t)made->time,
                   (uint32_t)(made->time / RATIO), (uint32_t)made->seen);
    set_cursor(made->dump, 1, made->used + 1);
}

/* So many records, or user events in slots of traceevents, 1000 ticks apart. */
static void put_events(struct made *made, uint32_t n, bool records)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t low = (uint32_t)made->time;
        made->times[made->n++] = made->time;
        if (records)
            set_words(made->dump, ++made->used, 0x109, (uint32_t)made->seen | (low & 0x80000000u), low, made->n - 1);
        else
            set_traceevent(made->dump, ++made->used, 9u << 10 | 0x101, low, made->n - 1, 0);
        made->time += 1000;
    }
    set_cursor(made->dump, 1, made->used + 1);
}

/* How many events have times that they were not logged at. */
static uint32_t count_wrong(const struct made *made, uint32_t *kept, uint32_t *marks, uint64_t *damaged)
{
    struct decoded decoded;
    uint32_t wrong = 0;
    decode_bytes(&decoded, made->dump);
    *kept = *marks = 0;
    *damaged = decoded.trace.counts.gaps + decoded.trace.counts.damaged;
    for (size_t i = 0; i < decoded.list.n; i++) {
        const struct item *item = &decoded.list.item[i];
        uint64_t number = item->code == ITEM_TRACEEVENT ? item->count & UINT32_MAX : item->par2;
        if (item->code == ITEM_MARK)
            ++*marks;
        if (item->code != 0x09 && item->code != ITEM_TRACEEVENT)
            continue;
        ++*kept;
        wrong += number >= made->n || made->times[number] != item->time;
    }
    decoded_free(&decoded);
    return wrong;
}

/* All events have their times, nothing is damaged, and so many wraps are marked at most. */
static void expect_exact(const struct made *made, uint32_t most)
{
    uint32_t kept, marks;
    uint64_t damaged;
    assert_int_equal(count_wrong(made, &kept, &marks, &damaged), 0);
    assert_int_equal(kept, made->n);
    assert_in_range(marks, 0, most);
    assert_int_equal(damaged, 0);
}

static const uint64_t gaps[] = {WRAP * 65 / 100, WRAP * 16 / 5, WRAP * 1004 / 10, WRAP * 177 / 100, WRAP * 50001 / 10};
static const uint64_t starts[] = {0x10000000, 0x60000000, 0x90000000, 0xF0000000};
enum { GAPS = sizeof gaps / sizeof gaps[0], STARTS = sizeof starts / sizeof starts[0], WAYS = 4 };

/* The firmware counts none of the gap's wraps until it logs the second COARSE slot (way 0); or not even there, with a
 * seal (1), and more behind it that does not count them either (2), or counts them (3). */
static struct made make_gap(uint64_t gap, uint64_t start, unsigned way, bool records)
{
    struct made made = make(4 * EVENTS, 7 * WRAP + start);
    put_coarse(&made, records);
    put_events(&made, EVENTS, records);
    made.time += gap;
    put_events(&made, EVENTS, records);
    made.seen += way == 0 ? made.time / WRAP - made.seen : 0;
    put_coarse(&made, records);
    if (way > 1) {
        put_events(&made, 2, records);
        made.seen += way == 3 ? made.time / WRAP - made.seen : 0;
        put_coarse(&made, records);
    }
    if (way > 0)
        fix_seal(made.dump.data);
    return made;
}

/* The firmware overlooks only gaps behind which bit 31 of the clock is what it was. */
static void gaps_with_a_coarse_clock(void **state)
{
    unsigned tried = 0;
    (void)state;
    for (unsigned i = 0; i < GAPS * STARTS * WAYS * 2; i++) {
        uint64_t gap = gaps[i % GAPS], start = starts[i / GAPS % STARTS], end = start + EVENTS * 1000;
        struct made made;
        if (((end ^ (end + gap)) >> 31 & 1) != 0)
            continue;
        made = make_gap(gap, start, i / GAPS / STARTS % WAYS, i / GAPS / STARTS / WAYS);
        expect_exact(&made, 1);
        bytes_free(&made.dump);
        tried++;
    }
    assert_true(tried > 60);
}

/* A wrong bit in a COARSE slot costs no event, and changes no time, where others speak against it. */
static void wrong_bits_in_coarse_slots(void **state)
{
    struct made made = make(4 * EVENTS, 7 * WRAP + 0x60000000);
    uint32_t at[4];
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        put_coarse(&made, true);
        at[i] = made.used;
        put_events(&made, 20, true);
    }
    expect_exact(&made, 0);
    for (uint32_t i = 0; i < 4; i++) {
        for (uint32_t bit = 0; bit < 64; bit++) {
            unsigned char *byte = made.dump.data + HEADER + (at[i] - 1) * SLOT + bit / 8;
            *byte ^= (unsigned char)(1u << bit % 8);
            expect_exact(&made, 0);
            *byte ^= (unsigned char)(1u << bit % 8);
        }
    }
    bytes_free(&made.dump);
}

/* Only steps back tell: the first gap is one, and marked. */
static void traceevents_without_a_coarse_clock(void **state)
{
    struct made made = make(4 * EVENTS, 0x60000000);
    uint32_t kept, marks;
    uint64_t damaged;
    (void)state;
    put32(made.dump.data + CHUNK_COARSE_FREQ, 0);
    fix_header(made.dump.data);
    put_events(&made, EVENTS, false);
    made.time += gaps[0];
    put_events(&made, EVENTS, false);
    expect_exact(&made, 1);
    count_wrong(&made, &kept, &marks, &damaged);
    assert_int_equal(marks, 1);
    bytes_free(&made.dump);
}

/* A wrong bit in a record's time harms that record alone, also as the last one ahead of traceevents, whose times are
 * counted from it. */
static void wrong_bits_in_records_among_traceevents(void **state)
{
    struct made made = make(4 * EVENTS, 7 * WRAP + 0x60000000);
    uint32_t kept, marks;
    uint64_t damaged;
    (void)state;
    put32(made.dump.data + CHUNK_COARSE_FREQ, 0);
    fix_header(made.dump.data);
    set_traceevent(made.dump, ++made.used, 1u << 10 | 0x101, (uint32_t)made.time, (uint32_t)made.seen, 0);
    for (uint32_t i = 0; i < 4; i++)
        put_events(&made, 5, i % 2 == 0);
    expect_exact(&made, 0);
    for (uint32_t record = 0; record < 15; record += record == 4 ? 6 : 1) {
        for (uint32_t bit = 0; bit < 31; bit++) {
            unsigned char *byte = made.dump.data + HEADER + (record + 1) * SLOT + 4 + bit / 8;
            *byte ^= (unsigned char)(1u << bit % 8);
            assert_in_range(count_wrong(&made, &kept, &marks, &damaged), 0, 1);
            assert_in_range(kept, made.n - 1, made.n);
            *byte ^= (unsigned char)(1u << bit % 8);
        }
    }
    bytes_free(&made.dump);
}

/* An event alone that is out of place is no wrap. */
static void one_traceevent_out_of_place(void **state)
{
    struct made made = make(4 * EVENTS, 0x60000000);
    uint32_t kept, marks;
    uint64_t damaged;
    (void)state;
    put_events(&made, 2 * EVENTS, false);
    put32(made.dump.data + HEADER + EVENTS * SLOT + 8, 0x20000000);
    assert_int_equal(count_wrong(&made, &kept, &marks, &damaged), 0);
    assert_int_equal(kept, 2 * EVENTS - 1);
    assert_int_equal(marks, 0);
    bytes_free(&made.dump);
}

/* ---- the order of laps ------------------------------------------------------------------------------------------- */

/* Chunks 0 and 2 of a ring, without chunk 1, between which the clock wrapped unseen: seals speak for their laps. */
static void laps_by_numbers(void **state)
{
    struct gen_options options = {.slots = 20, .chunks = 3, .cpus = 1, .hz = 1000000000, .boot = 1};
    struct bytes dump = make_dump(&options, NULL), one, other, both;
    struct decoded decoded;
    size_t size = dump.n / 3, n = 0;
    (void)state;
    for (uint32_t chunk = 0; chunk < 3; chunk += 2) {
        struct bytes image = {dump.data + chunk * size, size};
        for (uint32_t slot = 1; slot <= 20; slot++)
            set_words(image, slot, 0x109, 3, (chunk > 0 ? 0x10000000 : 0x60000000) + 1000 * slot, chunk * 20 + slot);
        set_cursor(image, 1, 21);
        fix_seal(image.data);
    }
    one = (struct bytes){dump.data, size};
    other = (struct bytes){dump.data + 2 * size, size};
    both = join(other, one);
    decode_bytes(&decoded, both);
    for (size_t i = 0; i < decoded.list.n; i++) {
        const struct item *item = &decoded.list.item[i];
        if (item->code != 0x09)
            continue;
        assert_int_equal(item->par2, n < 20 ? n + 1 : n + 21);
        assert_true(item->time == (n < 20 ? 3 * WRAP + 0x60000000 : 4 * WRAP + 0x10000000) + 1000 * (n % 20 + 1));
        n++;
    }
    assert_int_equal(n, 40);
    assert_int_equal(decoded.trace.counts.damaged, 0);
    decoded_free(&decoded);
    bytes_free(&both);
    bytes_free(&dump);
}

/* 50 zeros anywhere in a dump with seals: what is left has the times and the order that it had. */
static void zeros_in_sealed_laps(void **state)
{
    struct gen_options options = {.events = 50,
                                  .slots = 20,
                                  .chunks = 2,
                                  .cpus = 1,
                                  .hz = 84000000,
                                  .boot = 1,
                                  .seed = 5,
                                  .start = 0xFFFF8000u,
                                  .traceevents = 30,
                                  .longest = 2,
                                  .sealed = true};
    struct bytes dump = make_dump(&options, NULL);
    struct decoded whole;
    (void)state;
    decode_bytes(&whole, dump);
    for (size_t at = 0; at + 50 <= dump.n; at += tier_step(23)) {
        unsigned char kept[50];
        struct decoded decoded;
        size_t near = 0;
        memcpy(kept, dump.data + at, sizeof kept);
        memset(dump.data + at, 0, sizeof kept);
        decode_bytes(&decoded, dump);
        for (size_t i = 0; i < decoded.list.n; i++) {
            const struct item *item = &decoded.list.item[i];
            if (item->code == ITEM_LOSS || item->code == ITEM_DAMAGE)
                continue;
            while (near < whole.list.n && !same_item(&whole.list.item[near], item))
                near++;
            assert_true(near++ < whole.list.n);
        }
        decoded_free(&decoded);
        memcpy(dump.data + at, kept, sizeof kept);
    }
    decoded_free(&whole);
    bytes_free(&dump);
}

/* The clock wraps between traceevents, and nothing tells it but its low word. */
static void traceevents_behind_a_gap(void **state)
{
    struct bytes dump = empty_chunk(200);
    struct decoded decoded;
    (void)state;
    for (uint32_t i = 0; i < 200; i++)
        set_traceevent(dump, i + 1, 9u << 10 | 0x101, 0x60000000 + i * 1000 + (i < 100 ? 0 : 0xA6666666), i, 0);
    set_cursor(dump, 1, 201);
    decode_bytes(&decoded, dump);
    assert_int_equal(decoded.trace.counts.gaps + decoded.trace.counts.damaged, 0);
    assert_int_equal(decoded.list.n, 201);
    assert_int_equal(decoded.list.item[100].code, ITEM_MARK);
    for (size_t i = 100; i < 102; i++)
        assert_true(decoded.list.item[i].time == 0x60000000ull + 100000 + 0xA6666666);
    decoded_free(&decoded);
    bytes_free(&dump);
}

/* Each lap of two chunks, which are full, begins with a COARSE slot. The clock wrapped ten times between them. */
static void full_laps_with_a_coarse_clock(void **state)
{
    struct gen_options options = {.slots = 20, .chunks = 2, .cpus = 1, .hz = 1000000000, .boot = 1};
    struct bytes dump = make_dump(&options, NULL);
    struct decoded decoded;
    size_t size = dump.n / 2, n = 0;
    (void)state;
    for (uint32_t chunk = 0; chunk < 2; chunk++) {
        struct bytes image = {dump.data + chunk * size, size};
        uint64_t time = 0x60000000 + chunk * 10 * WRAP;
        put32(image.data + CHUNK_COARSE_FREQ, COARSE_HZ);
        fix_header(image.data);
        set_traceevent(image, 1, 1u << 10 | 0x10000 | 0x103, (uint32_t)time, (uint32_t)(time / RATIO), 0);
        for (uint32_t slot = 2; slot <= 20; slot++)
            set_words(image, slot, 0x109, 0, (uint32_t)time + 1000 * slot, chunk * 20 + slot);
        set_cursor(image, 1, 21);
        fix_seal(image.data);
    }
    decode_bytes(&decoded, dump);
    for (size_t i = 0; i < decoded.list.n; i++) {
        const struct item *item = &decoded.list.item[i];
        if (item->code == 0x09)
            assert_true(item->time == 0x60000000 + item->par2 / 21 * 10 * WRAP + 1000 * (n++ % 19 + 2));
    }
    assert_int_equal(n, 38);
    decoded_free(&decoded);
    bytes_free(&dump);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_with_a_coarse_clock),
        cmocka_unit_test(wrong_bits_in_coarse_slots),
        cmocka_unit_test(traceevents_without_a_coarse_clock),
        cmocka_unit_test(wrong_bits_in_records_among_traceevents),
        cmocka_unit_test(one_traceevent_out_of_place),
        cmocka_unit_test(laps_by_numbers),
        cmocka_unit_test(zeros_in_sealed_laps),
        cmocka_unit_test(traceevents_behind_a_gap),
        cmocka_unit_test(full_laps_with_a_coarse_clock),
    };
    return cmocka_run_group_tests_name("native reader, wraps", tests, NULL, NULL);
}
