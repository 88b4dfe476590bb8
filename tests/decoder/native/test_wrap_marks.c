/* test_wrap_marks.c - the native reader tells the user of every wrap of the clock that it adds: a mark stands where it
 * is added, and a note at the end of each lane says how many there are. */
#include "clock_harness.h"
#include "lib/tier.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* No stamp was raised without a mark, and the notes tell as many wraps as the marks. */
static void expect_told(const struct outcome *outcome)
{
    assert_int_equal(outcome->untold, 0);
    assert_int_equal(outcome->exact + outcome->least, outcome->wraps);
    assert_int_equal(outcome->notes > 0, outcome->marks > 0);
}

/* ---- any gaps ---------------------------------------------------------------------------------------------------- */

static const uint32_t coarse_rates[] = {0, 2, 100, 32768, BOARD_HZ};

static const struct ring {
    uint32_t slots, chunks;
} rings[] = {{390, 1}, {120, 3}, {24, 2}, {16, 4}};

/* A firmware that looks at the clock or does not while it is idle. */
static struct board make_gaps(unsigned i)
{
    const struct ring *ring = &rings[i / 5 % COUNT(rings)];
    unsigned kind = i / 20 % 3, parts = 1 + (unsigned)(random64() % 8);
    struct board board =
        board_make(ring->slots, ring->chunks, coarse_rates[i % COUNT(coarse_rates)], kind != 1, random64() % WRAP / 2);
    for (unsigned k = 0; k < parts; k++) {
        uint64_t idle = random64() % (WRAP * (random64() % 3 ? 2 : 40));
        board_burst(&board, (uint32_t)(random64() % 45), 1000, kind);
        board_idle(&board, idle, random64() % 3 ? 0 : WRAP * 4 / 10);
        if (random64() % 4 == 0)
            board_tick(&board);
    }
    board_finish(&board, random64() % 2);
    return board;
}

static void any_gaps(void **state)
{
    uint32_t marks = 0, set_back = 0;
    (void)state;
    for (unsigned i = 0; i < 6000 / tier_step(7); i++) {
        struct board board = make_gaps(i);
        struct outcome outcome = board_decode(&board, board.dump);
        if (outcome.set_back == 0)
            expect_told(&outcome);
        set_back += outcome.set_back > 0;
        marks += outcome.marks;
        bytes_free(&board.dump);
    }
    assert_true(marks > 500 / tier_step(7) && set_back < 60 / tier_step(7));
}

/* ---- each way ---------------------------------------------------------------------------------------------------- */

#define GAP (WRAP * 3 + 0x1000000) /* bit 31 of the clock is what it was: the firmware does not see it */

/* Decode one dump of the board alone, and compare its marks, their wraps, and what is told of them. */
static void expect_notes(const struct board *board, struct bytes dump, uint32_t marks, uint64_t wraps, const char *text)
{
    struct outcome outcome = board_decode(board, dump);
    assert_string_equal(outcome.text, text);
    assert_int_equal(outcome.marks, marks);
    assert_int_equal(outcome.wraps, wraps);
    assert_int_equal(outcome.damaged, 0);
    expect_told(&outcome);
}

/* So many events, the gap, and as many events again. */
static struct board make_gap(uint32_t coarse_hz, unsigned kind, uint32_t slots, uint32_t chunks, uint32_t n)
{
    struct board board = board_make(slots, chunks, coarse_hz, kind != 1, 0x10000000);
    board_burst(&board, n, 1000, kind);
    board_idle(&board, GAP, 0);
    board_burst(&board, n, 1000, kind);
    return board;
}

static const char by_coarse_clock[] =
    "tlog-decode: dump: CPU 0: the clock wrapped unseen 3 times at 1 place: 12.9 s were added, as the coarse clock "
    "tells\n";

/* The firmware counts the wraps at the next tick; or looks for no reason but that the dump is made. */
static void with_a_coarse_clock(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 12; i++) {
        struct board board = make_gap(1000, i % 3, i / 3 % 2 ? 200 : 24, i / 3 % 2 ? 1 : 6, 40);
        board_tick(&board);
        board_burst(&board, i < 6 ? 20 : 0, 1000, i % 3);
        board_finish(&board, i % 2);
        expect_notes(&board, board.dump, 1, 3, by_coarse_clock);
        bytes_free(&board.dump);
    }
}

/* The firmware counts none of them: only the two clocks of a COARSE slot tell it, which begins a lap. */
static void where_only_a_coarse_slot_tells(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < 3; kind++) {
        struct board board = make_gap(1000, kind, 40, 3, 45);
        board_finish(&board, true);
        assert_true(board.used > 80);
        expect_notes(&board, board.dump, 1, 3, by_coarse_clock);
        bytes_free(&board.dump);
    }
}

/* The first slots of the dump lack wraps: COARSE slots further on count more of them than have passed. */
static void ahead_of_all(void **state)
{
    struct board board = board_make(200, 1, 1000, false, 5 * WRAP + 0x10000000);
    (void)state;
    board.halves = 4;
    board_burst(&board, 20, 1000, 1);
    board_tick(&board);
    board_burst(&board, 20, 1000, 1);
    board_finish(&board, true);
    expect_notes(&board, board.dump, 1, 3, by_coarse_clock);
    bytes_free(&board.dump);
}

/* More places in a lap than anyone looks at one by one. */
static void many_places_in_a_lap(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < 3; kind++) {
        struct board board = board_make(600, 1, 1000, kind != 1, 0x1000);
        for (unsigned i = 0; i < 60; i++) {
            board_burst(&board, 4, 1000, kind);
            board_idle(&board, WRAP * 2 + 0x100000, 0);
            board_burst(&board, 2, 1000, kind);
            board_tick(&board);
        }
        board_finish(&board, kind == 0);
        expect_notes(&board, board.dump, 60, 120,
                     "tlog-decode: dump: CPU 0: the clock wrapped unseen 120 times at 60 places: 515.4 s were added, "
                     "as the coarse clock tells\n");
        bytes_free(&board.dump);
    }
}

static const char at_least_once[] =
    "tlog-decode: dump: CPU 0: the clock wrapped unseen at least 1 time at 1 place: 4.3 s were added; times behind may "
    "be short by whole wraps\n";

/* Only that times step back tells it, in the middle of a lap, and of records at the beginning of one. Slots of
 * traceevents tell it behind five others of their lap. */
static void without_a_coarse_clock(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 18; i++) {
        unsigned kind = i % 3, slots = i / 3 % 3 == 0 ? 200 : i / 3 % 3 == 1 ? 33 : kind == 1 ? 40 : 30;
        struct board board = board_make(slots, 200 / slots > 4 ? 4 : 200 / slots, 0, kind != 1, 0x10000000);
        board_burst(&board, 40, 1000, kind);
        board_idle(&board, 3 * WRAP - 0x8000000, 0);
        board_burst(&board, 30, 1000, kind);
        board_finish(&board, i < 9);
        expect_notes(&board, board.dump, 1, 1, at_least_once);
        bytes_free(&board.dump);
    }
}

/* Slots of traceevents behind the last record, which alone counts wraps, and that has not seen this one. */
static void traceevents_behind_records(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        struct board board = board_make(i < 2 ? 200 : 40, i < 2 ? 1 : 3, 0, true, 0x10000000);
        board_burst(&board, 35, 1000, 1);
        board_burst(&board, 10, 1000, 0);
        board_idle(&board, WRAP - 0x8000000, 0);
        board_burst(&board, 10, 1000, 0);
        board_finish(&board, i % 2);
        expect_notes(&board, board.dump, 1, 1, at_least_once);
        bytes_free(&board.dump);
    }
}

/* The clock's rate is not known. */
static void in_ticks(void **state)
{
    struct board board = board_make(200, 1, 0, false, 0x10000000);
    struct outcome outcome;
    (void)state;
    board_burst(&board, 40, 1000, 1);
    board_idle(&board, WRAP - 0x8000000, 0);
    board_burst(&board, 40, 1000, 1);
    put32(board.dump.data + 28, 0);
    fix_header(board.dump.data);
    board_finish(&board, false);
    outcome = board_decode(&board, board.dump);
    assert_non_null(strstr(outcome.text, ": CPU 0: the clock wrapped unseen at least 1 time at 1 place: 4294967296 "
                                         "ticks were added; times behind may be short by whole wraps\n"));
    bytes_free(&board.dump);
}

/* ---- several lanes ----------------------------------------------------------------------------------------------- */

/* Make a ring of one chunk one of another CPU, or a chunk of no ring. */
static void set_place(struct bytes dump, uint32_t cpu, uint32_t number, uint32_t role)
{
    put32(dump.data + CHUNK_PLACE, cpu | number << 8 | role << 16 | (role == 0 ? 1u << 24 : 0));
    put32(dump.data + CHUNK_SELF, get32(dump.data + CHUNK_SELF) + 0x10000 * (1 + cpu + number));
    fix_header(dump.data);
    fix_seal(dump.data);
}

/* A second CPU, and a chunk of the first one that belongs to no ring: each lane has a note of its own. */
static void several_lanes(void **state)
{
    struct board board = make_gap(1000, 1, 200, 1, 40), alone = make_gap(1000, 2, 200, 1, 40);
    struct board other = board_make(200, 1, 0, false, 0x10000000);
    struct bytes both, all;
    struct outcome outcome;
    (void)state;
    board_tick(&board);
    board_tick(&alone);
    board_finish(&board, true);
    board_finish(&alone, true);
    board_burst(&other, 40, 1000, 1);
    board_idle(&other, WRAP - 0x8000000, 0);
    board_burst(&other, 40, 1000, 1);
    board_finish(&other, true);
    set_place(alone.dump, 0, 1, 2);
    set_place(other.dump, 1, 0, 0);
    both = join(board.dump, alone.dump);
    all = join(both, other.dump);
    outcome = board_decode(&board, all);
    assert_int_equal(outcome.marks, 3);
    assert_int_equal(outcome.notes, 3);
    assert_non_null(strstr(outcome.text, ": CPU 0: the clock wrapped unseen 3 times at 1 place"));
    assert_non_null(strstr(outcome.text, ": CPU 0, chunk 1: the clock wrapped unseen 3 times at 1 place"));
    assert_non_null(strstr(outcome.text, ": CPU 1: the clock wrapped unseen at least 1 time at 1 place"));
    bytes_free(&all);
    bytes_free(&both);
    bytes_free(&board.dump);
    bytes_free(&alone.dump);
    bytes_free(&other.dump);
}

/* The last half of a chunk's slots are emergency slots; in these times step back. */
static void emergency_slots(void **state)
{
    struct board board = board_make(64, 1, 0, false, 0x10000000);
    struct outcome outcome;
    (void)state;
    board_burst(&board, 20, 1000, 1);
    put32(board.dump.data + CHUNK_SLOTS, 32);
    put32(board.dump.data + CHUNK_EMERGENCY, 32);
    put32(board.dump.data + CHUNK_EMERGENCY_USED, 20);
    fix_header(board.dump.data);
    board_finish(&board, false);
    set_words(board.dump, 33, 0x300, 0, 0, 0);
    for (uint32_t i = 0; i < 20; i++)
        set_words(board.dump, 34 + i, 0x109, 2, i < 10 ? 0x70000000 + i : 0x10000000 + i, i);
    for (uint32_t i = 54; i <= 65; i++)
        set_words(board.dump, i, 0x200, 0, 0, 0);
    fix_seal(board.dump.data);
    outcome = board_decode(&board, board.dump);
    assert_int_equal(outcome.damaged, 0);
    assert_int_equal(outcome.marks, 1);
    assert_string_equal(outcome.text,
                        "tlog-decode: dump: CPU 0, emergency slots of chunk 0: the clock wrapped unseen at "
                        "least 1 time at 1 place: 4.3 s were added; times behind may be short by whole "
                        "wraps\n");
    bytes_free(&board.dump);
}

/* Of two runs in a dump the older one is decoded. */
static void an_older_run(void **state)
{
    struct board board = make_gap(1000, 1, 200, 1, 40), newer = board_make(200, 1, 1000, false, 0);
    struct outcome outcome;
    struct bytes both;
    (void)state;
    board_tick(&board);
    board_finish(&board, true);
    board_burst(&newer, 40, 1000, 1);
    put32(newer.dump.data + CHUNK_BOOT, 2);
    fix_header(newer.dump.data);
    board_finish(&newer, true);
    both = join(board.dump, newer.dump);
    run_given = 1;
    outcome = board_decode(&board, both);
    run_given = 0;
    assert_int_equal(outcome.marks, 1);
    assert_non_null(strstr(outcome.text, by_coarse_clock));
    outcome = board_decode(&newer, both);
    assert_null(strstr(outcome.text, "wrapped"));
    bytes_free(&both);
    bytes_free(&board.dump);
    bytes_free(&newer.dump);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_gaps),
        cmocka_unit_test(with_a_coarse_clock),
        cmocka_unit_test(where_only_a_coarse_slot_tells),
        cmocka_unit_test(ahead_of_all),
        cmocka_unit_test(many_places_in_a_lap),
        cmocka_unit_test(without_a_coarse_clock),
        cmocka_unit_test(traceevents_behind_records),
        cmocka_unit_test(in_ticks),
        cmocka_unit_test(several_lanes),
        cmocka_unit_test(emergency_slots),
        cmocka_unit_test(an_older_run),
    };
    return cmocka_run_group_tests_name("native reader, marks of wraps", tests, NULL, NULL);
}
