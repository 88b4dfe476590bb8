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
        if (i % (laps > 4u ? 501u : 7u) == 0)
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

/* A thread is suspended in the middle of an event, and goes on a thousand laps later. Nobody tells anything. */
static void test_resumed_late(void)
{
    for (stopped_length = 0; stopped_length <= (TLOG_TRACEEVENTS ? 5u : 0); stopped_length += 5u)
        for (uint32_t filled = 0; filled <= 2u * RING && !test_has_failed(); filled += RING / 2u)
            for (uint32_t steps = 1; try(filled, steps, 1000u) && !test_has_failed();
                 steps += 2u * THREAD_STRIDE - 1u) {
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
    CHECK(seen[(logged - 1u) % EVENTS] && seen[(logged - 2u) % EVENTS]);
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

/* Up to four threads are stopped, go on, and are stopped again, in any order. In the end all of them return. */
static void test_several(void)
{
    static const uint32_t kinds[] = {0, 0, 2, 5};
    for (uint32_t n = 0; n < (THREAD_STEPS > 1 ? 200u : 20000u) && !test_has_failed(); n += CASES_STEP) {
        test_note("random", n);
        start_anew(random_below(2u * RING));
        for (uint32_t i = 0; i < TURNS; i++)
            turns[i].has_ended = true;
        for (uint32_t i = 0; i < 30u && logged < 16u * RING; i++) {
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

/* A thread is stopped in its slot, for more than 2^16 laps: the slot stays claimed. Then it returns. */
static void test_claims_stay(void)
{
    start_anew(3);
    stop_owner_of(0, next_slot());
    log_many(2u * RING);
    for (uint32_t laps = 0; laps < 0x14000u && !test_has_failed(); laps += 0xFF0u) {
        test_note("laps", laps);
        skip_laps(0xFF0u);
        CHECK(found.claimed == 1);
        check_newest(1);
    }
    run(0, FOREVER);
    log_many(3u * RING);
    check_none_dead();
}

/* A thread that comes to the slot of an owner is stopped after `steps` steps, and stays so. The owner returns: two laps
 * later the slot is used again, unless the thread has reserved it. False: the thread was not stopped. */
static bool try_phantom(uint32_t filled, uint32_t steps)
{
    test_note("filled", filled);
    test_note("steps", steps);
    const bool was_stopped = meet_owner(filled, steps);
    log_many(3u * RING);
    read_all();
    test_note("claimed", found.claimed);
    if (found.claimed + found.unfinished > was_stopped)
        test_fail(__FILE__, __LINE__, "the slot is not used again");
    run(1, FOREVER);
    log_many(2u * RING);
    read_all();
    if (found.claimed + found.unfinished > 0)
        test_fail(__FILE__, __LINE__, "a slot is not used again");
    return was_stopped;
}

/* The same, but behind the owner another one reserves the slot, and is stopped in it for `behind` events: it is not
 * given to anybody else meanwhile. */
static bool try_next_owner(uint32_t steps, uint32_t behind)
{
    test_note("steps", steps);
    test_note("behind", behind);
    const bool was_stopped = meet_owner(3, steps);
    stop_owner_of(2, next_slot());
    log_many(behind);
    run(2, FOREVER);
    check(was_stopped, 3);
    run(1, FOREVER);
    log_many(3u * RING);
    check(0, 0);
    return was_stopped;
}

static void test_next_owner(void)
{
    for (uint32_t behind = RING - 2u; behind <= RING + 2u; behind++)
        for (uint32_t steps = 1; try_next_owner(steps, behind) && !test_has_failed(); steps += THREAD_STRIDE) {
        }
}

static void test_phantom(void)
{
    for (uint32_t filled = 3; filled <= RING + 3u; filled += RING)
        for (uint32_t steps = 1; try_phantom(filled, steps) && !test_has_failed(); steps += THREAD_STRIDE) {
        }
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
        test_run("an event is stopped for a thousand laps", test_resumed_late);
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
        test_run("an owner returns while its slot is passed by a thread that stays there", test_phantom);
        test_run("an owner returns while its slot is passed, and the slot has another one", test_next_owner);
        test_run("a slot is claimed for ever", test_claims_stay);
    }
    return test_end();
}
