/* stuck.c - threads that stop in the middle of a call: for ever, as a thread that is deleted, or for some laps of the
 * ring. On the host after each access to shared memory; on the target at each instruction (lib/turns_m.h).
 *
 * Each kind of call is stopped after each of its steps, at each place in the ring. All other events must be kept,
 * whole, once, in order, and counted exactly. What the stopped thread itself was logging may be missing, and the count
 * may be off by the slots of that event until the thread has returned. With TLOG_MINIMAL, where a slot may be passed
 * without a note, that event may be out of order, and its slot may stay claimed. */
#define _XOPEN_SOURCE 700
#include "runtime/stuck_harness.h"

#include "rtos/tlog_rtos.h"
#ifdef __arm__
#define CASES_STEP 1u
#else
#include "lib/tier.h"
#define CASES_STEP tier_step(11)
#endif

/* ---- one thread is stopped --------------------------------------------------------------------------------------- */

/* A thread is stopped after `steps` steps. It goes on after `laps` laps, unless laps is 0. False: it was not
 * stopped. */
static bool try(uint32_t filled, uint32_t steps, uint32_t laps)
{
    test_note("filled", filled);
    test_note("steps", steps);
    test_note("laps", laps);
    start_anew(filled);
    begin(0);
    run(0, steps);
    const uint32_t slots = TLOG_TRACE_SLOTS(stopped_length);
    bool was_stopped = !turns[0].has_ended;
    for (uint32_t i = 0; i < (laps ? laps : 4u) * RING + 3u && !test_has_failed(); i++) {
        log_many(1);
        if (i % 7u == 0)
            check(was_stopped ? slots : 0, 2u * slots);
    }
    if (laps > 0 && was_stopped) {
        run(0, FOREVER);
        check(0, 2u * slots);
        log_many(3u * RING);
        check(0, 0);
        check_all_back();
    }
    return was_stopped;
}

static void test_one(uint32_t length)
{
    stopped_length = length;
    for (uint32_t laps = 0; laps < 4u; laps++)
        for (uint32_t filled = 0; filled <= 2u * RING && !test_has_failed(); filled++)
            for (uint32_t steps = 1; try(filled, steps, laps) && !test_has_failed(); steps += THREAD_STRIDE) {
            }
}

static void test_record(void)
{
    test_one(0);
}

#if TLOG_TRACEEVENTS
static void test_simple(void)
{
    test_one(2);
}

static void test_two_slots(void)
{
    test_one(4);
}

static void test_three_slots(void)
{
    test_one(5);
}
#endif

static void log_and_check(void)
{
    log_one(0);
    log_one(0);
    read_all();
    CHECK(seen[logged - 1u] && seen[logged - 2u]);
}

/* An owner is stopped after `steps` steps, and a thread that comes to its slot in the next lap after `more`. Then the
 * owner returns. What is logged next must be there. False: the second thread was not stopped. */
static bool try_passing(uint32_t filled, uint32_t steps, uint32_t between, uint32_t more)
{
    test_note("filled", filled);
    test_note("steps", steps);
    test_note("between", between);
    test_note("more", more);
    start_anew(filled);
    stopped_length = 0;
    begin(0);
    run(0, steps);
    for (uint32_t i = 0; i < between; i++)
        log_one(0);
    begin(1);
    run(1, more);
    bool was_stopped = !turns[1].has_ended;
    run(0, FOREVER);
    log_and_check();
    run(1, FOREVER);
    log_many(3u * RING);
    check(0, 0);
    check_all_back();
    return was_stopped;
}

static void test_passing(void)
{
    for (uint32_t filled = 0; filled <= RING; filled++)
        for (uint32_t steps = 1; steps < 20u * THREAD_STEPS; steps += 2u * THREAD_STRIDE - 1u)
            for (uint32_t between = RING - 3u; between <= RING; between++)
                for (uint32_t more = 1; !test_has_failed() && try_passing(filled, steps, between, more);
                     more += THREAD_STRIDE) {
                }
}

/* ---- several threads are stopped --------------------------------------------------------------------------------- */

static uint32_t random_state = 1;

static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % limit;
}

/* Up to four threads are stopped, go on, and are stopped again, in any order. In the end all of them return. */
static void test_several(void)
{
    static const uint32_t kinds[] = {0, 0, 2, 5};
    for (uint32_t n = 0; n < (THREAD_STEPS > 1 ? 200u : 20000u) && !test_has_failed(); n += CASES_STEP) {
        test_note("random", n);
        start_anew(random_below(2u * RING));
        for (uint32_t i = 0; i < TURNS; i++)
            turns[i].has_ended = true;
        for (uint32_t i = 0; i < 30u && logged < EVENTS - 8u * RING; i++) {
            uint32_t number = random_below(TURNS);
            stopped_length = TLOG_TRACEEVENTS ? kinds[random_below(4)] : 0;
            if (turns[number].has_ended)
                begin(number);
            run(number, 1u + random_below(40 * THREAD_STEPS));
            log_many(random_below(RING));
            read_all();
        }
        for (uint32_t i = 0; i < TURNS; i++)
            run(i, FOREVER);
        log_many(3u * RING);
        CHECK(read_all() == logged && found.unfinished == 0);
    }
}

/* Three hundred threads are killed at random moments, in a ring that has room for their slots. */
static void test_killed(void)
{
    for (uint32_t n = 0; n < 50u && !test_has_failed(); n++) {
        test_note("random", n);
        start_anew(0);
        uint32_t killed = 0;
        for (uint32_t i = 0; i < (RING >= 64 ? 300u : 4u); i++) {
            stopped_length = 0;
            begin(0);
            run(0, 1u + random_below(12 * THREAD_STEPS));
            killed += !turns[0].has_ended;
            log_many(3);
        }
        log_many(RING);
        CHECK(read_all() - logged + killed <= 2u * killed);
        CHECK(tlog_dropped() == 0 && found.claimed <= killed);
        CHECK(found.kept + found.claimed + found.unfinished + 8u >= (uint32_t)RING || TLOG_TRACEEVENTS);
    }
}

/* More threads are killed than there are notes. One that is stopped later returns, which must not show. */
static void test_notes_run_out(void)
{
    for (uint32_t n = 0; n < 400u && !test_has_failed(); n++) {
        test_note("random", n);
        start_anew(0);
        stopped_length = 0;
        for (uint32_t i = 0; i < 60u; i++) {
            begin(0);
            run(0, 5u + random_below(2));
            log_many(3);
        }
        log_many(2u * RING);
        begin(1);
        run(1, 5u + random_below(2));
        log_many(RING + random_below(3u * RING));
        run(1, FOREVER);
        log_many(random_below(RING));
        read_all();
    }
}

static uint32_t stop_at; /* the index to which the thread that stops moves the cursor */

static bool has_reserved(void)
{
    return *tlog_cpu0.cursor >> TLOG_CURSOR_SHIFT == stop_at;
}

/* Stop a thread that has reserved slot s, which is free. */
static void stop_owner_of(uint32_t number, uint32_t s)
{
    stopped_length = 0;
    stop_at = s + 1u;
    prepare(number);
    run_until(number, stopped_call, has_reserved);
    CHECK(!turns[number].has_ended);
}

static uint32_t next_slot(void)
{
    const uint32_t index = *tlog_cpu0.cursor >> TLOG_CURSOR_SHIFT;
    return index > TLOG_SLOTS ? 1u : index;
}

/* Threads are killed in each slot of the ring: what is logged then is dropped, and counted. */
static void test_all_stuck(void)
{
    start_anew(1);
    for (uint32_t s = 2; s <= RING; s++)
        stop_owner_of(0, s);
    stop_owner_of(0, 1);
    log_many(3);
    CHECK(tlog_dropped() == 3 && read_all() == logged);
}

/* The owner of slot 4 is stopped, and then thread 1, which comes to that slot, after `steps` steps. The owner returns.
 * False: the thread was not stopped. */
static bool meet_owner(uint32_t filled, uint32_t steps)
{
    start_anew(filled);
    stop_owner_of(0, 4);
    log_many(RING - 1u);
    begin(1);
    run(1, steps);
    const bool was_stopped = !turns[1].has_ended;
    run(0, FOREVER);
    return was_stopped;
}

/* A thread comes to the slot of an owner, and is stopped after `steps` steps. The owner returns, and two laps later the
 * slot has the same head again: a claim that comes so late must not be made. False: the thread was not stopped. */
static bool try_late_claim(uint32_t steps)
{
    test_note("steps", steps);
    const bool was_stopped = meet_owner(RING + 3u, steps);
    log_many(2u * RING + 2u);
    run(1, FOREVER);
    log_many(RING - 1u);
    check(0, 2);
    check_all_back();
    return was_stopped;
}

static void test_late_claim(void)
{
    same_heads = true;
    for (uint32_t steps = 1; try_late_claim(steps) && !test_has_failed(); steps += THREAD_STRIDE) {
    }
    same_heads = false;
}

static void fill_lap(void)
{
    while (*tlog_cpu0.cursor >> TLOG_CURSOR_SHIFT <= TLOG_SLOTS)
        log_one(0);
}

/* The owner of slot 4 is stopped in lap 1. A thread opens lap 3, another one lap 4; each is stopped on the way, and the
 * first one goes on. Then the owner returns, with the tag of lap 3, which must not show. False: the first thread was
 * not stopped. */
static bool try_opening(uint32_t first, uint32_t second)
{
    test_note("first", first);
    test_note("second", second);
    start_anew(3);
    stop_owner_of(0, 4);
    log_many(1);
    fill_lap();
    log_many(1);
    fill_lap();
    begin(1);
    run(1, first);
    const bool was_stopped = !turns[1].has_ended;
    log_many(1);
    fill_lap();
    begin(2);
    run(2, second);
    run(1, FOREVER);
    run(0, FOREVER);
    read_all();
    run(2, FOREVER);
    log_many(3u * RING);
    check(0, 0);
    check_all_back();
    return was_stopped;
}

static void test_opening(void)
{
    for (uint32_t second = 1; second < 60u * THREAD_STEPS; second += 2u * THREAD_STRIDE - 1u)
        for (uint32_t first = 1; !test_has_failed() && try_opening(first, second); first += THREAD_STRIDE) {
        }
}

/* An owner that is stopped returns after some laps. If nobody else was stopped it is not shown, and its slot is used
 * again at once. */
static void test_one_note(void)
{
    for (uint32_t laps = 1; laps < 6u && !test_has_failed(); laps++)
        for (uint32_t more = 0; more < RING && !test_has_failed(); more++) {
            test_note("laps", laps);
            test_note("more", more);
            start_anew(3);
            stop_owner_of(0, 4);
            log_many(laps * RING + more);
            run(0, FOREVER);
            read_all();
            CHECK(!seen[3] && found.claimed == 1);
            log_many(RING);
            read_all();
            CHECK(found.claimed == 0 && found.unfinished == 0);
        }
}

/* A thread that comes to the slot of an owner is stopped after `steps` steps. The owner returns, then the thread goes
 * on: the slot is used again at once. False: the thread was not stopped. */
static bool try_meeting(uint32_t steps)
{
    test_note("steps", steps);
    const bool was_stopped = meet_owner(3, steps);
    run(1, FOREVER);
    log_many(2u * RING);
    read_all();
    test_note("claimed", found.claimed);
    if (found.claimed + found.unfinished > 0)
        test_fail(__FILE__, __LINE__, "the slot is not used again");
    return was_stopped;
}

static void test_meeting(void)
{
    for (uint32_t steps = 1; try_meeting(steps) && !test_has_failed(); steps += THREAD_STRIDE) {
    }
}

/* As if the chunk had begun so many more laps, an even number. */
static void skip_laps(uint32_t laps)
{
    ((struct tlog_chunk *)(uintptr_t)chunk_at(0))->lap += laps << TLOG_LAP_SHIFT;
    log_many(3u * RING);
    read_all();
}

/* A thread is killed in its slot. With TLOG_MINIMAL the slot is used again, but not before 4096 laps. */
static void test_claims_end(void)
{
    start_anew(3);
    skip_laps(0x2000u);
    stop_owner_of(0, next_slot());
    log_many(2u * RING);
    skip_laps(0xFF0u);
    CHECK(found.claimed == 1);
    skip_laps(0x10u);
    CHECK(found.claimed == 0 && found.unfinished == 0);
    check_newest(1);
}

/* Owners return two laps late, when their slots look free: their notes stay, and get old. Then the notes have room for
 * a thread that is stopped: it returns, which must not show. */
static void test_old_notes(void)
{
    for (uint32_t n = 0; n < 20u && !test_has_failed(); n++) {
        test_note("random", n);
        start_anew(1u + random_below(RING));
        for (uint32_t i = 0; i < 12u; i++) {
            stop_owner_of(0, next_slot());
            log_many(2u * RING + random_below(RING / 2u));
            run(0, FOREVER);
            log_many(random_below(RING / 2u));
        }
        log_many(2u * RING);
        stop_owner_of(1, next_slot());
        log_many(RING + random_below(3u * RING));
        run(1, FOREVER);
        read_all();
    }
}

/* ---- no context is in the middle of a call ----------------------------------------------------------------------- */

/* Call where the caller stands: the calls of stopped threads are deleted, or over. */
static void tell_quiescent(void)
{
    CHECK(tlog_quiescent());
}

static void check_none_dead(void)
{
    read_all();
    CHECK(found.claimed == 0 && found.unfinished == 0);
}

/* A thread is killed after `steps` steps, and that is told after `between` events. One lap later its slots are in use
 * again, and nothing else is missing. False: it was not stopped. */
static bool try_told(uint32_t filled, uint32_t steps, uint32_t between)
{
    test_note("filled", filled);
    test_note("steps", steps);
    test_note("between", between);
    start_anew(filled);
    begin(0);
    run(0, steps);
    const bool was_stopped = !turns[0].has_ended;
    const uint32_t slots = was_stopped ? TLOG_TRACE_SLOTS(stopped_length) : 0;
    log_many(between);
    tell_quiescent();
    for (uint32_t i = 0; i < 2u * RING + 3u && !test_has_failed(); i++) {
        log_many(1);
        check(slots, 2u * slots);
    }
    log_many(RING);
    check_none_dead();
    return was_stopped;
}

static void test_told(void)
{
    for (stopped_length = 0; stopped_length <= (TLOG_TRACEEVENTS ? 5u : 0); stopped_length += 5u)
        for (uint32_t between = 0; between <= 2u * RING; between += 1u + CASES_STEP / 4u)
            for (uint32_t filled = 0; filled <= RING && !test_has_failed(); filled++)
                for (uint32_t steps = 1; try_told(filled, steps, between) && !test_has_failed();
                     steps += THREAD_STRIDE) {
                }
}

/* A thread is stopped in its slot and stays there, while others come to it and tell nothing: before it reserved the
 * slot it was told that nobody was in a call. It returns after so many events, and its slot was not used. */
static void test_told_before(void)
{
    for (uint32_t before = 0; before <= 2u * RING; before++)
        for (uint32_t more = 0; more <= 3u * RING && !test_has_failed(); more++) {
            test_note("before", before);
            test_note("more", more);
            start_anew(before);
            tell_quiescent();
            log_many(before % 3u);
            stopped_length = 0;
            stop_owner_of(0, next_slot());
            log_many(more);
            check(1, 2);
            run(0, FOREVER);
            log_many(3u * RING);
            check(0, 0);
            check_all_back();
        }
}

/* The same over so many laps that their low 16 bits repeat: a place that was told long ago does not free a slot. */
static void test_told_long_ago(void)
{
    start_anew(RING);
    skip_laps(0x100u);
    tell_quiescent();
    const uint32_t told = chunk_at(0)->lap >> TLOG_LAP_SHIFT;
    for (uint32_t laps = 0x2000u; laps <= 0x14000u && !test_has_failed(); laps += 0x2000u) {
        test_note("laps", laps);
        skip_laps((told + laps - (chunk_at(0)->lap >> TLOG_LAP_SHIFT) - 6u) & 0xFFFEu);
        for (uint32_t i = 0; i < 4u; i++) {
            stop_owner_of(0, next_slot());
            log_many(RING + 1u);
            CHECK(read_all() > 0 && found.claimed == 1);
            run(0, FOREVER);
            log_many(RING);
        }
    }
}

#if !TLOG_TRACEEVENTS
/* As many threads are killed as there are slots: nobody tells, so events are dropped. Then it is told, and the whole
 * ring is in use again. */
static void test_told_all(void)
{
    start_anew(1);
    for (uint32_t i = 0; i < 2u * RING; i++)
        if (i % 3u != 2u) {
            begin(0);
            run(0, 1u + random_below(12u * THREAD_STEPS));
        } else {
            log_many(1);
        }
    tell_quiescent();
    log_many(2u * RING);
    read_all();
    CHECK(found.claimed == 0 && found.unfinished == 0 && found.kept >= RING - 2u * TLOG_CHUNKS);
}
#endif

#if !TLOG_TRACEEVENTS && !TLOG_MINIMAL
/* Every `apart`th slot of half the ring has an owner that was killed; there are more than notes. */
static void kill_many(uint32_t apart)
{
    start_anew(3);
    for (uint32_t i = 0; i < RING / 2u; i += apart) {
        stop_owner_of(0, next_slot());
        log_many(apart - 1u);
    }
    log_many(6u * RING); /* some of them are dropped: the claims take several events */
}

static uint32_t count_dead(void)
{
    read_all();
    return found.claimed + found.unfinished;
}

/* Dead slots without notes are passed by one step: all other events are kept, and counted exactly. One owner among them
 * returns: its slot is in use again two laps later. A thread is stopped on its way past them. */
static void test_dead_neighbours(void)
{
    for (uint32_t apart = 1; apart <= 3u; apart++)
        for (uint32_t steps = 1; steps < 60u * THREAD_STEPS && !test_has_failed(); steps += THREAD_STRIDE) {
            test_note("apart", apart);
            test_note("steps", steps);
            kill_many(apart);
            const uint32_t dead = count_dead(), dropped = tlog_dropped();
            CHECK(dead == (RING / 2u + apart - 1u) / apart);
            fill_lap();
            log_many(1);
            begin(1);
            run(1, steps);
            log_many(1);
            run(0, FOREVER); /* the owner that was stopped last */
            log_many(RING / 3u);
            run(1, FOREVER);
            log_many(3u * RING);
            CHECK(count_dead() <= dead && tlog_dropped() == dropped);
            CHECK(read_all() - logged + dead <= 2u * dead);
            tell_quiescent();
            log_many(2u * RING);
            CHECK(count_dead() == 0);
        }
}
#endif

/* Calls from a handler, and those beside a kernel's port, do nothing and are counted. */
static void test_told_by_whom(void)
{
    start_anew(3);
    stop_owner_of(0, 4);
#ifndef __arm__
    const uint32_t ignored_before = tlog_quiescent_ignored();
    tlog_posix_context = 15;
    CHECK(!tlog_quiescent());
    tlog_posix_context = 0;
    CHECK(tlog_quiescent_ignored() == ignored_before + 1u);
    log_many(RING + 1u);
    read_all();
    CHECK(found.claimed == 1);
    tlog_rtos_quiescent();
    CHECK(!tlog_quiescent() && tlog_quiescent_ignored() == ignored_before + 2u);
    log_many(RING);
    read_all();
    CHECK(found.claimed == 0);
#endif
}

#ifdef __arm__
#define main test_main
#endif

int main(void)
{
    fresh = tlog_cpu0;
    threads_start();
    if (RING < 64) {
        test_run("a record is stopped", test_record);
#if TLOG_TRACEEVENTS
        test_run("a simple event is stopped", test_simple);
        test_run("an event of two slots is stopped", test_two_slots);
        test_run("an event of three slots is stopped", test_three_slots);
#endif
        test_run("a thread that passes a slot is stopped", test_passing);
        test_run("several calls are stopped", test_several);
    }
    if (!TLOG_TRACEEVENTS && TLOG_CHUNKS == 1)
        test_run("every slot has an owner that is stopped", test_all_stuck);
    if (!TLOG_TRACEEVENTS && TLOG_CHUNKS == 1 && RING < 64) {
        test_run("a claim comes two laps late", test_late_claim);
        test_run("a lap is opened, and the next one, before it is counted", test_opening);
        test_run("an owner returns late, alone", test_one_note);
        test_run("an owner returns while its slot is passed", test_meeting);
    }
    if (TLOG_MINIMAL && RING < 64)
        test_run("a slot is claimed for 4096 laps", test_claims_end);
    test_run("threads are killed", test_killed);
    if (RING < 64)
        test_run("a thread is killed, and that is told", test_told);
    if (!TLOG_TRACEEVENTS && TLOG_CHUNKS == 1 && RING < 64) {
        test_run("a thread is stopped behind what was told", test_told_before);
        if (!TLOG_MINIMAL) /* it forgets in certain laps, which the test jumps over */
            test_run("what was told long ago is forgotten", test_told_long_ago);
    }
#if !TLOG_TRACEEVENTS
    test_run("threads are killed in all slots, and that is told", test_told_all);
#endif
#if !TLOG_TRACEEVENTS && !TLOG_MINIMAL
    if (RING >= 64)
        test_run("dead slots side by side", test_dead_neighbours);
#endif
    if (RING >= 64)
        test_run("notes run out", test_notes_run_out);
    if (RING >= 64)
        test_run("notes get old", test_old_notes);
    if (!TLOG_TRACEEVENTS && TLOG_CHUNKS == 1 && RING < 64)
        test_run("who tells", test_told_by_whom); /* the last: from then on the application's calls are ignored */
    return test_end();
}
