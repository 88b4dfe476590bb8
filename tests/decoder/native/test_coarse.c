/* test_coarse.c - the native reader and slots that tell the coarse clock: firmware that is idle, and looks at the clock
 * in each half wrap of it, logs one of them for each wrap. */
#include "clock_harness.h"
#include "lib/tier.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- firmware that ticks ----------------------------------------------------------------------------------------- */

/* Ticks of the clock in one of the coarse clock: 5 * 10^8, as many as can be, to 1. 0: there is none. */
static const uint32_t coarse_rates[] = {2, 100, 1000, 32768, 999999999, BOARD_HZ, 0};

static const uint64_t idle_times[] = {WRAP * 3 / 10,  WRAP * 97 / 100, WRAP * 102 / 100, WRAP * 149 / 100,
                                      WRAP * 34 / 10, WRAP * 71 / 10,  WRAP * 403 / 10,  WRAP * 3002 / 10};
static const uint64_t tick_steps[] = {WRAP / 2 - 1000000, WRAP * 4 / 10, WRAP * 26 / 100};
static const uint64_t starts[] = {0, 0x30000000, 0x7FFFFF00, 7 * WRAP + 0x20000000, 7 * WRAP + 0xF0000000};

static const struct ring {
    uint32_t slots, chunks;
} rings[] = {{500, 1}, {150, 3}, {24, 2}, {16, 4}};

/* Events ahead of the first time in which the firmware is idle, between the two, and behind: where in the ring's laps
 * the ticks fall. */
static const uint32_t bursts[][3] = {{9, 40, 9}, {0, 1, 30}, {30, 0, 1}, {1, 1, 0}, {0, 0, 5}, {45, 12, 0}};

/* Between events. In chunks of 16 slots there are no long ones: half of their slots count as the beginning of a lap,
 * where nothing may tell that the firmware ticks. */
static const uint64_t event_steps[] = {1000, WRAP / 50};

enum { KINDS = 3 };

/* All of the dump is right, and so the user is told nothing. Of the oldest lap of a ring nothing may be left that
 * counts wraps: then nothing tells when its traceevents were. */
static void expect_whole(const struct board *board)
{
    struct outcome outcome = board_decode(board, board->dump);
    bool is_wrapped = board->used > board->slots * board->chunks;
    assert_int_equal(outcome.damaged, 0);
    assert_in_range(outcome.wrong, 0, is_wrapped && board->traceevents ? board->slots : 0);
    assert_int_equal(outcome.marks, 0);
    assert_string_equal(outcome.text, "");
    if (!is_wrapped)
        assert_int_equal(outcome.kept, board->n);
}

/* Case number i of all combinations. */
static struct board make_idle(unsigned i)
{
    unsigned kind = i % KINDS, way = i / KINDS % COUNT(bursts), ring = i / KINDS / COUNT(bursts) % COUNT(rings);
    unsigned j = i / (unsigned)(KINDS * COUNT(bursts) * COUNT(rings));
    uint64_t idle = idle_times[j % COUNT(idle_times)], step = tick_steps[j / 8 % COUNT(tick_steps)];
    uint32_t rate = coarse_rates[(i + j) % COUNT(coarse_rates)];
    struct board board =
        board_make(rings[ring].slots, rings[ring].chunks, rate, kind != 1, starts[(i + j) % COUNT(starts)]);
    for (unsigned k = 0; k < 3; k++) {
        board_burst(&board, bursts[way][k], event_steps[board.slots > 16 ? j % COUNT(event_steps) : 0], kind);
        if (k < 2)
            board_idle(&board, k == 0 ? idle : idle_times[(i + 3) % COUNT(idle_times)], step);
    }
    board_finish(&board, i / 7 % 2);
    return board;
}

static void idle_with_ticks(void **state)
{
    unsigned all = (unsigned)(KINDS * COUNT(bursts) * COUNT(rings) * COUNT(idle_times) * COUNT(tick_steps));
    (void)state;
    for (unsigned i = 0; i < all; i += tier_step(7)) {
        struct board board = make_idle(i);
        expect_whole(&board);
        bytes_free(&board.dump);
    }
}

/* The header does not tell how fast the clock is: the two clocks cannot be compared, but COARSE slots count wraps. */
static void idle_with_an_unknown_clock(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 200; i++) {
        struct board board = make_idle(i * 7);
        for (uint32_t k = 0; k < board.chunks; k++) {
            unsigned char *image = board.dump.data + board.dump.n / board.chunks * k;
            put32(image + 28, 0);
            fix_header(image);
        }
        board_finish(&board, i % 2);
        clock_given = BOARD_HZ;
        expect_whole(&board);
        clock_given = 0;
        bytes_free(&board.dump);
    }
}

/* Three or four ticks take a wrap and hardly more: the clock is always where it was. */
static void ticks_that_divide_a_wrap(void **state)
{
    static const uint64_t steps[] = {WRAP / 3 + 1, WRAP / 3 + 1000, WRAP / 4 + 100, WRAP / 2 - 1};
    (void)state;
    for (unsigned i = 0; i < COUNT(steps) * COUNT(coarse_rates) * KINDS * 2; i++) {
        unsigned kind = i / 2 / COUNT(steps) % KINDS, rate = i / 2 / (unsigned)(COUNT(steps) * KINDS);
        struct board board = board_make(100, 2, coarse_rates[rate], kind != 1, 0x20000000);
        board_burst(&board, 20, 1000, kind);
        board_idle(&board, WRAP * 31 / 10, steps[i / 2 % COUNT(steps)]);
        board_burst(&board, 20, 1000, kind);
        board_idle(&board, WRAP * 71 / 10, steps[i / 2 % COUNT(steps)]);
        board_finish(&board, i % 2);
        expect_whole(&board);
        bytes_free(&board.dump);
    }
}

/* ---- slots that are not believed --------------------------------------------------------------------------------- */

/* A COARSE slot alone, that nothing confirms, says nothing, whatever it tells. */
static void one_slot_alone(void **state)
{
    static const uint32_t words[] = {0, 1, 7, 8, 900, 0x7FFFFFFF, UINT32_MAX};
    (void)state;
    for (unsigned i = 0; i < COUNT(words) * COUNT(words) * 3 * 2; i++) {
        struct board board = board_make(100, 1, 0, false, 7 * WRAP + 0x60000000);
        unsigned place = i / (unsigned)(COUNT(words) * COUNT(words)) % 3;
        board_burst(&board, place == 0 ? 0 : 20, 1000, 1);
        board.time = i / (unsigned)(COUNT(words) * COUNT(words) * 3) ? 0x20000000 : 0xF0000000;
        board_put_coarse(&board, words[i % COUNT(words)], words[i / COUNT(words) % COUNT(words)]);
        board.time = 7 * WRAP + 0x61000000;
        board_burst(&board, place == 2 ? 0 : 20, 1000, 1);
        put32(board.dump.data + 32, 100);
        fix_header(board.dump.data);
        board_finish(&board, false);
        expect_whole(&board);
        bytes_free(&board.dump);
    }
}

/* The coarse clock tells anything: the two clocks do not agree. */
static void coarse_clock_that_is_wrong(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 60; i++) {
        struct board board = board_make(i % 2 ? 400 : 40, i % 2 ? 1 : 3, 100, i % 3 == 0, 0x30000000);
        for (unsigned k = 0; k < 4; k++) {
            board_burst(&board, 10, 1000, i % 3 == 0 ? 2 : 1);
            board_idle(&board, idle_times[(i + k) % 6], tick_steps[i % COUNT(tick_steps)]);
        }
        board_finish(&board, false);
        for (uint32_t k = 0; k < board.chunks; k++) {
            unsigned char *image = board.dump.data + board.dump.n / board.chunks * k;
            for (uint32_t slot = 1; slot <= board.slots; slot++) {
                unsigned char *at = image + HEADER + (slot - 1) * SLOT;
                if ((get32(at + 12) & ~0x300u) == (1u << 10 | 0x10003))
                    put32(at, (uint32_t)random64());
            }
        }
        expect_whole(&board);
        bytes_free(&board.dump);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(idle_with_ticks),
        cmocka_unit_test(idle_with_an_unknown_clock),
        cmocka_unit_test(ticks_that_divide_a_wrap),
        cmocka_unit_test(one_slot_alone),
        cmocka_unit_test(coarse_clock_that_is_wrong),
    };
    return cmocka_run_group_tests_name("native reader, coarse clock", tests, NULL, NULL);
}
