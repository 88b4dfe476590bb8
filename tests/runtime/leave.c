/* leave.c - a chunk made at run time is left, and selected again, while a thread that passes a slot in it has been
 * stopped. Host only.
 *
 * A thread has reserved a slot of the chunk and does not fill it. In the next lap a second thread passes that slot
 * (tlog_claim.c), and is stopped after each of its steps. Meanwhile a third selects another chunk, logs there, and
 * selects the first one again. All that it logs must be there. If a call does not come back the alarm ends the test. */
#define _XOPEN_SOURCE 700
#include "tlog.h"

#include <string.h>
#include <unistd.h>

#include "lib/test.h"
#include "lib/threads.h"

enum { SLOTS = 6, EVENTS = 64, SALT = 0x5A0000 };

__asm(".pushsection .bss\n.balign 16\n.globl __tlog_arena_start, __tlog_arena_end\n"
      "__tlog_arena_start: .space 4096\n__tlog_arena_end:\n.popsection");
extern uint32_t __start_tlog_chunks[], __stop_tlog_chunks[];

static struct tlog_cpu fresh;
static uint32_t logged; /* calls begun */

/* Event n has par1 = n and par2 = n | SALT. */
static uint32_t log_one(void)
{
    uint32_t n = logged++;
    tlog_record_call(FTrace_EVT_user_event_0, n, n | SALT);
    return n;
}

static void log_in_turn(int number)
{
    log_one();
    turns[number].has_ended = true;
}

/* Whether the chunk holds event n, whole. */
static bool holds(int number, uint32_t n)
{
    const struct tlog_chunk *chunk = tlog_chunk_table()[number];
    for (uint32_t s = 1; s <= SLOTS; s++) {
        const uint32_t *slot = &chunk->cursor + s * 4u;
        if (slot[TLOG_WORD_PAR2] == (n | SALT) && slot[TLOG_WORD_HEAD] >> 16 == n)
            return true;
    }
    return false;
}

static void start_anew(void)
{
    memset(__start_tlog_chunks, 0xA5, (uintptr_t)__stop_tlog_chunks - (uintptr_t)__start_tlog_chunks);
    tlog_cpu0 = fresh;
    tlog_ring_boot = 0;
    logged = 0;
    tlog_chunk_reset();
}

/* Select a chunk and log two events, which must be there. */
static void log_in(int number)
{
    CHECK(tlog_chunk_set_flags(number, TLOG_CHUNK_FREE) == 0);
    CHECK(tlog_chunk_select(number) == 0);
    uint32_t first = log_one(), second = log_one();
    CHECK(holds(number, first) && holds(number, second));
}

/* When the second thread goes on: before the first chunk is selected again, or after that. */
enum back { NEVER, BEFORE, AFTER, BACKS };

/* The first thread is stopped after `steps` steps, the second after `more`. False: the second was not stopped. */
static bool try(uint32_t filled, uint32_t steps, uint32_t more, enum back back)
{
    test_note("filled", filled);
    test_note("steps", steps);
    test_note("more", more);
    test_note("back", back);
    start_anew();
    const int a = tlog_chunk_create(SLOTS, 0, TLOG_CHUNK_FREE), b = tlog_chunk_create(SLOTS, 0, TLOG_CHUNK_FREE);
    tlog_chunk_select(a);
    for (uint32_t i = 0; i < filled; i++)
        log_one();
    turn_begin(0, log_in_turn);
    run(0, steps);
    for (uint32_t i = 1; i < SLOTS; i++)
        log_one();
    turn_begin(1, log_in_turn);
    run(1, more);
    bool was_stopped = !turns[1].has_ended;
    log_in(b);
    if (back == BEFORE)
        run(1, FOREVER);
    log_in(a);
    if (back == AFTER)
        run(1, FOREVER);
    log_in(b);
    log_in(a);
    return was_stopped;
}

static void test_left(void)
{
    for (uint32_t filled = 0; filled < SLOTS; filled++)
        for (uint32_t steps = 1; steps < 8u; steps++)
            for (enum back back = NEVER; back < BACKS; back++)
                for (uint32_t more = 1; try(filled, steps, more, back) && !test_has_failed(); more++) {
                }
}

int main(void)
{
    fresh = tlog_cpu0;
    tlog_posix_interrupt = preempt;
    alarm(600); /* a fault can make it run for ever */
    test_run("a chunk is left while a slot is passed", test_left);
    return test_end();
}
