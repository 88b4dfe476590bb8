/* dead.c - threads that are killed in the middle of calls, in rings in which they leave many dead slots; and
 * tlog_quiescent(), by which these are used again.
 *
 * All other events must be kept, whole, once, in order, and counted exactly. */
#define _XOPEN_SOURCE 700
#include "runtime/stuck_harness.h"

#include "rtos/tlog_rtos.h"
#ifdef __arm__
#define CASES_STEP 1u
#else
#include "lib/tier.h"
#define CASES_STEP tier_step(11)
#endif

/* ---- more are killed than there are notes ------------------------------------------------------------------------ */

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

#if !TLOG_TRACEEVENTS && !defined __arm__
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
#endif

#if TLOG_MINIMAL && !defined __arm__
/* More owners are stopped than there are notes, and go on in several laps. No slot is missing then, and none was given
 * to another event before. */
static void stop_many(void)
{
    for (uint32_t i = 0; i < TURNS; i++) {
        stop_owner_of(i, next_slot());
        log_many(random_below(5));
    }
    log_many(RING);
    read_all();
    CHECK(found.claimed + found.unfinished == TURNS);
    const uint32_t apart = 1u + random_below(RING);
    for (uint32_t i = 0; i < TURNS; i++) {
        run(i, FOREVER);
        log_many(random_below(apart));
    }
}

static void test_many_return(void)
{
    for (uint32_t n = 0; n < 100u && !test_has_failed(); n++) {
        test_note("random", n);
        start_anew(1u + random_below(RING));
        for (uint32_t i = 0; i < 3u && !test_has_failed(); i++) {
            stop_many();
            log_many(i * RING / 2u);
        }
        log_many(2u * RING);
        CHECK(read_all() == logged);
        check_none_dead();
    }
}
#endif

/* ---- no context is in the middle of a call ----------------------------------------------------------------------- */

/* Call where the caller stands: the calls of stopped threads are deleted, or over. */
static void tell_quiescent(void)
{
    CHECK(tlog_quiescent());
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

/* ---- threads are killed in calls of every kind ------------------------------------------------------------------- */

enum { CALL_RECORD, CALL_INLINED, CALL_NAME, CALL_PRIORITY, CALL_SIMPLE, CALL_LONG, CALL_TEXT, CALLS };

static uint32_t call_kind;

static void any_call(int number)
{
    const uint32_t n = stopped_event[number];
    switch (call_kind) {
    case CALL_INLINED:
        TRACER_LOGEVENT(FTrace_EVT_user_event_0, n & 0xFFFFu, n | SALT);
        break;
    case CALL_NAME:
        tlog_name(TLOG_NAME_TASK, n % 13u, n % 3u ? "idle" : "a longer name");
        break;
    case CALL_PRIORITY:
        tlog_priority(n % 5u, (int32_t)(n % 30u));
        break;
#if TLOG_TRACEEVENTS
    case CALL_TEXT:
        trace_logs(8, "abcdefghijklmnopqrstuvwxyz0123456789");
        break;
#endif
    default:
        log_event(n, stopped_length);
        break;
    }
    turns[number].has_ended = true;
}

/* Begin the thread, with a call of some kind. The most slots that it may reserve; 0: it logs no event. */
static uint32_t begin_any(void)
{
    static const uint32_t lengths_of[CALLS] = {[CALL_SIMPLE] = 2u, [CALL_LONG] = 9u};
    call_kind = random_below(TLOG_TRACEEVENTS ? CALLS : CALL_SIMPLE);
    stopped_length = lengths_of[call_kind];
    prepare(0);
    turn_begin(0, any_call);
    if (call_kind == CALL_NAME)
        return 0;
    return TLOG_TRACEEVENTS ? 8u : 1u;
}

/* Kill a thread in a call. The count of events grows by that of the call at most, and by the dead slots that it had
 * passed and not told yet. */
static void kill_one(void)
{
    const uint32_t before = read_all(), dead = found.claimed + found.unfinished, most = dead + begin_any();
    run(0, 1u + random_below((TLOG_TRACEEVENTS ? 60u : 14u) * THREAD_STEPS));
    const uint32_t more = read_all() - before;
    test_note("kind", call_kind);
    test_note("counted", more);
    CHECK(more <= most);
}

/* Log events, which are all counted. */
static void log_counted(uint32_t count)
{
    const uint32_t before = read_all();
    log_many(count);
    CHECK(read_all() - before == count);
}

enum { KILLS = 8000, KILLED_APART = 16 };

/* Each hundred events it is told that no context is in a call: so only the slots of the last lap can be dead. */
static void test_killed_told(void)
{
    start_anew(TLOG_CHUNKS > 1 ? RING : 1u); /* so all chunks are formatted */
    for (uint32_t n = 1; n <= KILLS / CASES_STEP && !test_has_failed(); n++) {
        test_note("kill", n);
        kill_one();
        log_counted(KILLED_APART);
        if (n % (100u / KILLED_APART) == 0)
            tell_quiescent();
        test_note("dead", found.claimed + found.unfinished);
        CHECK(TLOG_TRACEEVENTS || found.claimed + found.unfinished <= 12u);
        check_newest(8u * 12u);
    }
    tell_quiescent();
    log_many(RING);
    check_none_dead();
    CHECK(tlog_dropped() == 0);
}

/* Nobody tells: the ring gets full of dead slots, events are dropped, and all are counted. */
static void test_killed_untold(void)
{
    start_anew(TLOG_CHUNKS > 1 ? RING : 1u); /* so all chunks are formatted */
    for (uint32_t n = 1; n <= 3u * RING && !test_has_failed(); n++) {
        test_note("kill", n);
        kill_one();
        log_counted(KILLED_APART);
    }
    tell_quiescent();
    log_many(3u * RING);
    check_none_dead();
}

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

static void run_small(void)
{
    test_run("a thread is killed, and that is told", test_told);
    if (!TLOG_TRACEEVENTS && TLOG_CHUNKS == 1) {
        test_run("a thread is stopped behind what was told", test_told_before);
        if (!TLOG_MINIMAL) /* it forgets in certain laps, which the test jumps over */
            test_run("what was told long ago is forgotten", test_told_long_ago);
    }
}

static void run_large(void)
{
    test_run("threads are killed in calls of every kind, and that is told", test_killed_told);
    test_run("threads are killed in calls of every kind, and nobody tells", test_killed_untold);
#if !TLOG_TRACEEVENTS && !TLOG_MINIMAL
    test_run("dead slots side by side", test_dead_neighbours);
#endif
#if TLOG_MINIMAL && !defined __arm__
    test_run("more owners than notes go on", test_many_return);
#endif
#if !TLOG_TRACEEVENTS && !defined __arm__
    test_run("notes run out", test_notes_run_out);
    test_run("notes get old", test_old_notes);
#endif
}

int main(void)
{
    fresh = tlog_cpu0;
    threads_start();
    test_run("threads are killed", test_killed);
    if (RING < 64)
        run_small();
    else
        run_large();
#if !TLOG_TRACEEVENTS
    test_run("threads are killed in all slots, and that is told", test_told_all);
#endif
    if (!TLOG_TRACEEVENTS && TLOG_CHUNKS == 1 && RING < 64)
        test_run("who tells", test_told_by_whom); /* the last: from then on the application's calls are ignored */
    return test_end();
}
