/* trigger.c - tlog_trigger(): exactly so many events are recorded behind the mark, and all older ones that fit stay.
 *
 * An interrupt that logs comes at each step of the call and of the events behind it; a thread is stopped at each step
 * of an event, for ever or until all others have logged. Host only. */
#define _XOPEN_SOURCE 700
#include "tlog.h"

#include <string.h>

#include "lib/claims.h"
#include "lib/test.h"
#include "lib/turns.h"

enum { RING = TLOG_SLOTS * TLOG_CHUNKS, CHUNK = TLOG_CHUNK_BYTES(TLOG_SLOTS, TLOG_EMERGENCY_SLOTS) };

extern uint32_t __start_tlog_chunks[], __stop_tlog_chunks[];

static struct tlog_cpu fresh;
static uint32_t logged;            /* calls begun */
static uint32_t steps_left, burst; /* until the interrupt, and how many events it logs; 0: none */

static void log_one(void)
{
    const uint32_t n = logged++;
#if TLOG_TRACEEVENTS
    const uint32_t words[5] = {n, n, n, n, n};
    if (n % 3u == 1u)
        trace_logi(1, n, n);
    else if (n % 3u == 2u)
        tlog_event_words(TLOG_TRACE_USER, 1, words, n % 2u ? 5 : 3);
    else
#endif
        tlog_record_call(FTrace_EVT_user_event_0, n, n);
}

static void log_many(uint32_t count)
{
    while (count-- > 0)
        log_one();
}

static void step(void)
{
    if (running != NULL && running->left == 0)
        tlog_posix_watching = false;
    turn_step();
    if (steps_left == 0 || --steps_left > 0)
        return;
    log_many(burst);
    tlog_posix_watching = false;
}

static void start_anew(uint32_t filled)
{
    tlog_trigger(TLOG_TRIGGER_OFF);
    memset(__start_tlog_chunks, 0xA5, (uintptr_t)__stop_tlog_chunks - (uintptr_t)__start_tlog_chunks);
    tlog_cpu0 = fresh;
    tlog_ring_boot = 0;
    logged = steps_left = 0;
    log_many(filled);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static struct {
    uint32_t events, behind, marks, older_slots, after; /* behind: the last mark; older_slots: ahead of it */
} found;

static const struct tlog_chunk *chunk_at(uint32_t number)
{
    return (const struct tlog_chunk *)((uintptr_t)tlog_ring_first(&tlog_cpu0) + number * CHUNK);
}

static void read_slot(const uint32_t *slot)
{
    const uint32_t head = slot[TLOG_WORD_HEAD], cls = (head & TLOG_CLASS_MASK) >> TLOG_CLASS_SHIFT;
    if (cls == TLOG_CLASS_CONTROL && (head & 0xFFu) == (TLOG_CONTROL_TRIGGER & 0xFFu) && head >> 16 == 1u) {
        found.marks++;
        found.after = slot[0];
        found.behind = 0;
        found.older_slots = found.events;
    } else if (cls == 0 ? (head & TLOG_RECORD_CODE) != TLOG_RECORD_LOSS
                        : cls != TLOG_CLASS_CONTROL && head >> TLOG_STRUCT_SHIFT < TLOG_STRUCT_CC) {
        found.events++;
        found.behind++;
    }
}

static void read_range(const struct tlog_chunk *chunk, uint32_t lap, uint32_t from, uint32_t to, uint32_t tag)
{
    const uint32_t index = chunk->cursor >> TLOG_CURSOR_SHIFT;
    for (uint32_t s = from; s < to; s++) {
        const uint32_t *slot = &chunk->cursor + 4u * s;
        if (!is_claimed(chunk, lap, index, s) && (slot[TLOG_WORD_HEAD] & TLOG_TAG_MASK) == tag)
            read_slot(slot);
    }
}

/* The lap that a chunk is in: it may be opened and not counted yet. */
static uint32_t lap_of_chunk(uint32_t number)
{
    const uint32_t cursor = chunk_at(number)->cursor, lap = chunk_at(number)->lap;
    if (!tlog_ring_is_chunk(chunk_at(number)) || chunk_at(number)->boot != tlog_ring_boot)
        return 0; /* not reached yet */
    return (lap >> TLOG_LAP_SHIFT) + ((cursor & lap & TLOG_TAG_MASK) == 0);
}

/* Returns the events that the counts tell. */
static uint32_t read_all(void)
{
    uint32_t last = 0, count = 0;
    memset(&found, 0, sizeof found);
    for (uint32_t i = 1; i < TLOG_CHUNKS; i++)
        last = lap_of_chunk(i) > 0 && lap_of_chunk(i) >= lap_of_chunk(last) ? i : last;
    for (uint32_t i = 0; i <= TLOG_CHUNKS; i++) {
        const struct tlog_chunk *chunk = chunk_at((last + i) % TLOG_CHUNKS);
        const uint32_t lap = lap_of_chunk((last + i) % TLOG_CHUNKS), index = chunk->cursor >> TLOG_CURSOR_SHIFT;
        const uint32_t tag = lap & 1u ? TLOG_TAG_ODD : TLOG_TAG_EVEN;
        if (i == 0 && lap > 1u)
            read_range(chunk, lap, index, TLOG_SLOTS + 1u, tag ^ TLOG_TAG_MASK);
        if (i == 0 || lap == 0)
            continue;
        count += (lap - 1u) * TLOG_SLOTS + index - 1u - chunk->extra;
        read_range(chunk, lap, 1, index, tag);
    }
    return count;
}

/* A trigger was set when `before` to `before_most` events were logged, and it has stopped. `open`: events of threads
 * that are stopped. */
static void check(uint32_t after, uint32_t before, uint32_t before_most, uint32_t open)
{
    const uint32_t count = read_all();
    CHECK(open > 0 || count + tlog_dropped() == logged);
    CHECK(found.marks <= 1u && (found.marks == 0 || found.after == after));
    test_note("behind", found.behind);
    test_note("count", count);
    test_note("dropped", tlog_dropped());
    if (found.marks > 0)
        CHECK(found.behind <= after && found.behind + open >= after);
    CHECK(count + 3u * open >= before + after && count <= before_most + after + 3u * open);
    CHECK(after >= (uint32_t)RING / 2u || found.marks == 1u);
    CHECK(tlog_ring_first(&tlog_cpu0)->trigger == TLOG_TRIGGER_ARMED);
    if (!TLOG_TRACEEVENTS && TLOG_CHUNKS == 1 && open == 0)
        CHECK(found.events + 3u + (tlog_dropped() == 0) >= (count < (uint32_t)RING ? count : (uint32_t)RING));
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

static const uint32_t afters[] = {0, 1, 2, TLOG_SLOTS - 1, TLOG_SLOTS, TLOG_SLOTS + 1, 3 * TLOG_SLOTS};
enum { AFTERS = sizeof afters / sizeof *afters };

static void test_plain(void)
{
    for (uint32_t i = 0; i < AFTERS; i++)
        for (uint32_t filled = 0; filled <= 3u * RING && !test_has_failed(); filled++) {
            test_note("after", afters[i]);
            test_note("filled", filled);
            start_anew(filled);
            tlog_trigger(afters[i]);
            log_many(afters[i] + 2u * RING);
            check(afters[i], filled, filled, 0);
        }
}

/* The interrupt comes at each step of the call and of all events that are still recorded, and a little more. */
static void test_interrupts(void)
{
    for (uint32_t i = 0; i < AFTERS; i++)
        for (burst = 1; burst < RING + 2u; burst += burst < 3u ? 1u : RING - 2u)
            for (uint32_t filled = 0; filled <= RING + 1u; filled++)
                for (uint32_t at = 1; !test_has_failed(); at++) {
                    test_note("after", afters[i]);
                    test_note("filled", filled);
                    test_note("burst", burst);
                    test_note("step", at);
                    start_anew(filled);
                    steps_left = at;
                    tlog_trigger(afters[i]);
                    const uint32_t most = logged;
                    log_many(afters[i] + 3u);
                    const bool came = steps_left == 0;
                    steps_left = 0;
                    log_many(3);
                    check(afters[i], filled, most, 0);
                    if (!came)
                        break;
                }
}

static void stopped_call(int number)
{
    log_one();
    turns[number].has_ended = true;
}

/* A thread is stopped after `steps` steps of an event; `later`: it goes on when all others have logged. */
static bool try(uint32_t after, uint32_t filled, uint32_t steps, uint32_t ahead, bool later)
{
    test_note("after", after);
    test_note("filled", filled);
    test_note("step", steps);
    test_note("ahead", ahead);
    start_anew(filled);
    if (!ahead)
        tlog_trigger(after);
    turn_begin(0, stopped_call);
    turn_run(0, steps);
    tlog_posix_watching = false;
    const bool was_stopped = !turns[0].has_ended;
    if (ahead)
        tlog_trigger(after);
    log_many(after + RING);
    if (later) {
        turn_run(0, FOREVER);
        tlog_posix_watching = false;
    }
    check(after, filled, filled + ahead, was_stopped && !later ? 1u : 0);
    return was_stopped;
}

static void test_stopped(void)
{
    for (uint32_t i = 0; i < AFTERS * 4u; i++)
        for (uint32_t filled = 0; filled <= 2u * RING; filled++)
            for (uint32_t steps = 1; !test_has_failed(); steps++)
                if (!try(afters[i / 4u], filled, steps, i & 1u, (i & 2u) != 0))
                    break;
}

/* A second call sets the trigger anew; the call with TLOG_TRIGGER_OFF lets logging go on. */
static void test_again(void)
{
    for (uint32_t filled = 0; filled < 3u * RING && !test_has_failed(); filled++) {
        start_anew(filled);
        tlog_trigger(2);
        log_many(5);
        tlog_trigger(1);
        log_many(4);
        read_all();
        CHECK(found.behind == 1u && found.after == 1u && tlog_dropped() == 6u);
        tlog_trigger(TLOG_TRIGGER_OFF);
        CHECK(tlog_ring_first(&tlog_cpu0)->trigger == 0);
        log_many(4u * RING);
        CHECK(read_all() + tlog_dropped() == logged && tlog_dropped() == 6u);
    }
}

static void set_in_interrupt(void)
{
    tlog_trigger(3);
}

static void call_later(void)
{
    if (steps_left == 0 || --steps_left > 0)
        return;
    set_in_interrupt();
    tlog_posix_watching = false;
}

/* The trigger is set, or set anew, by an interrupt at each step of an event. */
static void test_set_by_interrupt(void)
{
    tlog_posix_interrupt = call_later;
    for (uint32_t again = 0; again < 2u; again++)
        for (uint32_t filled = 0; filled < 2u * RING + 2u; filled++)
            for (uint32_t at = 1; !test_has_failed(); at++) {
                test_note("filled", filled);
                test_note("step", at);
                start_anew(filled);
                if (again)
                    tlog_trigger(TLOG_SLOTS + 2u);
                steps_left = at;
                log_many(5);
                const bool came = steps_left == 0;
                steps_left = 0;
                log_many(RING);
                if (!came)
                    break;
                read_all();
                CHECK(found.behind == 3u && found.after == 3u);
            }
    tlog_posix_interrupt = step;
}

int main(void)
{
    fresh = tlog_cpu0;
    tlog_posix_interrupt = step;
    test_run("so many events behind the mark", test_plain);
    test_run("an interrupt at each step", test_interrupts);
    test_run("set by an interrupt", test_set_by_interrupt);
    test_run("a thread is stopped", test_stopped);
    test_run("set anew and taken back", test_again);
    return test_end();
}
