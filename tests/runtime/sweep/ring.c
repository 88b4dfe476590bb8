/* ring.c - an interrupt in front of every instruction of every public call, on the target.
 *
 * A schedule is: a ring in a certain state, a call by the thread, and, after a delay, an interrupt that logs some
 * events or makes a call of its own; in deeper sets, an interrupt in the interrupt, and one in that. The delays grow by
 * single instructions until the interrupt comes after the call. Hit maps (hits.h) prove independently that no
 * instruction was skipped.
 *
 * The clock is a word that only the tests advance, so the stamps are known: a call's stamp lies before the next step of
 * the clock after it. runtime/sweep/read.c checks the memory in every interrupt and after every schedule. */
#include "lib/form.h"
#include "lib/hits.h"
#include "lib/logged.h"
#include "preempt.h"
#include "read.h"
#include "ring_state.h"
#include "run.h"
#include "lib/test.h"
#include "lib/irq.h"
#include "tlog.h"

#include <stddef.h>

enum { CAPACITY = TLOG_SLOTS * TLOG_CHUNKS };
enum { LAP_OF_EVENTS = TLOG_TRACEEVENTS ? TLOG_SLOTS - 2u : TLOG_SLOTS }; /* two slots state the time */

/* ---- interrupts that are not calls ------------------------------------------------------------------------------- */

static bool logs(uint32_t call)
{
    return (sweep_calls[call].flags & SWEEP_LOGS) != 0;
}

static uint32_t refused_call(void)
{
    uint32_t call = 0;
    while (!logs(call) || sweep_calls[call].slots > 0)
        call++;
    return call;
}

/* An interrupt that has an event refused, and reports the loss with the next one. */
static void lose_and_report(void)
{
    sweep_do((struct sweep_work){refused_call(), 1});
    sweep_do((struct sweep_work){0, 1});
}

/* The same in a ring that has stopped: it is made to go on. */
static void lose_and_go_on(void)
{
    sweep_do((struct sweep_work){refused_call(), 1});
    tlog_stop_when_full(false);
    sweep_went_on = 1;
    sweep_do((struct sweep_work){0, 1});
}

/* ---- checks ------------------------------------------------------------------------------------------------------ */

static uint32_t slots_of(struct sweep_work work)
{
    return work.call < sweep_call_count ? sweep_calls[work.call].slots : work.count;
}

/* Whether the events of all interrupts fit into the ring besides those that they interrupt. An event of several slots
 * may leave all slots but one empty at the end of a lap, and two slots state the time of the next one. */
static bool fits(void)
{
    uint32_t events = (uint32_t)sweep_depth;
    for (int level = 1; level <= sweep_depth; level++)
        events += sweep_works[level].count;
    if (sweep_state.stops || sweep_own == lose_and_report || sweep_own == lose_and_go_on)
        return false;
    if (!TLOG_TRACEEVENTS)
        return events <= CAPACITY;
    return events <= 2u && slots_of(sweep_works[0]) + 2u * slots_of(sweep_works[1]) + 1u <= TLOG_SLOTS;
}

/* Some parts (by core and optimisation), and the runs for mutants, do more; there is no time to do that in all parts.
 */
static bool is_thorough;

static uint32_t most_laps; /* how many laps may have been opened; 0: any number */
static bool states_time;   /* check that every lap begins with its time */

void sweep_check_end(void)
{
    static const struct sweep_work last = {0, 1};
    const struct sweep_expected expected = {sweep_state.stops && !sweep_state.goes_on && sweep_went_on == 0, fits(),
                                            sweep_mutes()};
    test_irq_mask(true);
    if (is_thorough && sweep_depth == 1) /* before the next event repairs what it can */
        sweep_check_instant(0);
    if (sweep_preempted.home != NULL) /* another writer is first */
        sweep_do(last);
    sweep_run_preempted();
    sweep_do(last);
    if (!test_irq_is_masked())
        test_fail(__FILE__, __LINE__, "interrupts are held off as before");
    test_irq_mask(false);
    if (!test_has_failed())
        sweep_read_end(&expected);
    const struct tlog_chunk *home = tlog_ring_home(&tlog_cpu0);
    CHECK(!states_time
          || (tlog_chunk_slots(home)->word[TLOG_WORD_HEAD] & ~TLOG_TAG_MASK)
                 == (TLOG_CLASS_CONTROL << TLOG_CLASS_SHIFT | TLOG_CONTROL_BUFFER));
    CHECK(most_laps == 0 || home->lap >> TLOG_LAP_SHIFT <= most_laps);
}

/* ---- sets -------------------------------------------------------------------------------------------------------- */

/* In `make test` each core and optimisation has another part; where all states and calls would take too long, each part
 * takes other ones. */
#ifndef SWEEP_PART
#define SWEEP_PART 0u
#endif

static const uint32_t counts[] = {1, CAPACITY + 1, CAPACITY - 1, CAPACITY, 2 * CAPACITY + 1, 2 * CAPACITY, CAPACITY - 2,
                                  2};
enum { COUNTS = sizeof(counts) / sizeof(counts[0]), MANY = 5, FEW = 2 };

static const struct sweep_work none = {0, 0}, one = {0, 1}, lap = {0, CAPACITY + 1};

/* For mutants of the record path only the calls that log are made. */
static bool for_mutants;

static bool is_made(uint32_t call)
{
    return !for_mutants || logs(call);
}

static uint32_t bursts_of(uint32_t call, bool is_long)
{
    if (call == 0)
        return is_thorough || is_long ? COUNTS : MANY;
    return is_long ? MANY : logs(call) ? FEW : 1u;
}

/* Every call interrupted by numbers of events around what the ring holds. */
static void bursts(bool is_long)
{
    for (uint32_t call = 0; call < sweep_call_count; call++) {
        if (!is_made(call))
            continue;
        uint32_t n = bursts_of(call, is_long);
        for (uint32_t i = 0; i < n && !test_has_failed(); i++)
            sweep(call, (struct sweep_work){TLOG_TRACEEVENTS ? SWEEP_MIXED : 0, counts[i]}, none);
    }
}

/* Every call interrupted by every other one. */
static void all_by_all(void)
{
    for (uint32_t call = 0; call < sweep_call_count; call++)
        for (uint32_t other = 1; other < sweep_call_count && !test_has_failed(); other++)
            if (is_made(call) && is_made(other))
                sweep(call, (struct sweep_work){other, 1}, none);
}

/* A call interrupted by a function that is not a call. */
static void sweep_by(uint32_t call, void (*own)(void))
{
    sweep_own = own;
    sweep(call, (struct sweep_work){SWEEP_OWN, 1}, none);
    sweep_own = NULL;
}

/* A thread is preempted in the middle of the switch that a call is about to make, or of the switch before it. */
static void switches(void)
{
    sweep_depth = 1;
    for (uint32_t filled = TLOG_SLOTS; filled <= 3u * CAPACITY && !test_has_failed(); filled += TLOG_SLOTS)
        for (int before = 0; before < 2; before++) {
            if (before)
                sweep_enter_preempted(filled);
            else
                sweep_enter((struct sweep_state){filled, false, false, 0});
            for (uint32_t call = 0; call < sweep_call_count && !test_has_failed(); call++) {
                if (!is_made(call) || !logs(call) || sweep_calls[call].slots > 1u)
                    continue;
                if (!before) {
                    sweep_by(call, sweep_preempt);
                    continue;
                }
                sweep(call, (struct sweep_work){refused_call(), 1}, none);
                sweep(call, lap, none);
            }
        }
}

/* The next chunk is already opened by a preempted thread: calls finish the switch step by step, interrupted by refused
 * calls and by events. */
static void halfway(void)
{
    sweep_depth = 1;
    for (uint32_t filled = TLOG_SLOTS; is_thorough && TLOG_CHUNKS > 1 && filled <= 2u * CAPACITY;
         filled += TLOG_SLOTS) {
        sweep_enter_in_switch(filled);
        for (uint32_t call = 0; call < sweep_call_count && !test_has_failed(); call++)
            if (logs(call) && sweep_calls[call].slots <= 1u)
                sweep(call, (struct sweep_work){refused_call(), 1}, none);
        for (uint32_t i = 0; i < COUNTS && !test_has_failed(); i++)
            sweep(0, (struct sweep_work){0, counts[i]}, none);
    }
}

static uint32_t urgent_call(void)
{
    uint32_t call = 0;
    while (!(sweep_calls[call].flags & SWEEP_URGENT))
        call++;
    return call;
}

/* The clock has passed half a wrap, and there is room. */
static void late(void)
{
    sweep_depth = 1;
    sweep_enter((struct sweep_state){1, false, false, 0x80000005u});
    sweep(0, one, none);
}

/* The clock passes half a wrap while an emergency slot is taken. */
static void urgent(void)
{
    sweep_depth = 1;
    sweep_enter((struct sweep_state){CAPACITY, true, false, 0x7FFFFFFDu});
    sweep(urgent_call(), one, none);
}

/* There is a loss to report, which an interrupt reports, too; and there is one slot for the two records of the report.
 */
static void reporting(void)
{
    const struct sweep_work refused = {refused_call(), 1};
    sweep_depth = 1;
    sweep_enter((struct sweep_state){1, false, false, 0});
    sweep_do(refused);
    sweep_keep();
    sweep(0, one, none);
    sweep_by(0, lose_and_report);
    sweep_enter((struct sweep_state){CAPACITY - 1, true, false, 0});
    sweep_do(refused);
    sweep_keep();
    sweep(0, one, none);
    sweep(0, refused, none);
    sweep(0, (struct sweep_work){0, 2}, none);
    sweep_by(0, lose_and_go_on);
}

/* There is a loss to report, and an interrupt reports it; there is none, and an interrupt loses an event. */
static void losing(void)
{
    const struct sweep_work refused = {refused_call(), 1};
    sweep_depth = 1;
    for (int full = 0; full < 2 && (for_mutants || SWEEP_PART % 4u == 3u); full++) {
        sweep_enter((struct sweep_state){full ? LAP_OF_EVENTS : 1u, false, false, 0});
        if (!full)
            sweep_do(refused);
        sweep_keep();
        for (uint32_t call = 0; call < sweep_call_count && !test_has_failed(); call++)
            if (logs(call))
                sweep(call, full ? refused : one, none);
    }
}

static void let_time_pass(void)
{
    test_clock[0] += 8u;
}

/* A lap of traceevents states its time, also if half a wrap of the clock, or the other half, passes while the lap is
 * opened: in an interrupt that logs, and in one that does not. */
static void late_lap(void)
{
    const uint32_t begin = sweep_begin_clock;
    sweep_depth = 1;
    states_time = true;
    for (uint32_t i = for_mutants ? 0 : 2u; i < (for_mutants ? 6u : 4u) && !test_has_failed(); i++) {
        const uint32_t half = i % 2u ? 0x80000000u : 0;
        sweep_begin_clock = begin + half;
        sweep_enter((struct sweep_state){LAP_OF_EVENTS, false, false, 0x7FFFFFFFu - i / 2u + half});
        for (uint32_t call = 0; call < sweep_call_count && !test_has_failed(); call++)
            if (logs(call) && sweep_calls[call].slots > 0) {
                sweep(call, one, none);
                sweep_by(call, let_time_pass);
            }
    }
    sweep_begin_clock = begin;
    states_time = false;
}

/* Events of two or three slots that find one slot at the end of the lap. The next lap has room for them and for the
 * last event. */
static void pads(void)
{
    sweep_depth = 1;
    sweep_enter((struct sweep_state){LAP_OF_EVENTS - 1u, false, false, 0});
    most_laps = 2;
    for (uint32_t call = 0; call < sweep_call_count && !test_has_failed(); call++)
        if (sweep_calls[call].slots == 2u || sweep_calls[call].slots == 3u)
            sweep(call, (struct sweep_work){0, 2}, none);
    most_laps = 0;
}

/* A preempted thread in a ring that has been filled many times before, so that all bits of the laps are in use. */
static void late_switch(void)
{
    bool came = true;
    hits_call((uintptr_t)sweep_calls[refused_call()].call);
    sweep_enter((struct sweep_state){CAPACITY, false, false, 0});
    for (uint32_t delay = test_irq_first(); came && !test_has_failed(); delay++) {
        sweep_restore();
        for (uint32_t i = 0; i < TLOG_CHUNKS; i++)
            ((struct tlog_chunk *)(void *)(sweep_ring + i * SWEEP_CHUNK_WORDS))->lap += 0x3FF0u << TLOG_LAP_SHIFT;
        test_irq_arm(1, delay, sweep_preempt);
        sweep_calls[refused_call()].call(0);
        came = test_irq_disarm(1);
        sweep_calls[0].call(1);
        sweep_run_preempted();
        sweep_calls[0].call(2);
        CHECK(tlog_dropped() == 1);
    }
}

static void nothing(void)
{
}

/* More than a wrap of the clock, seen by ticks. */
static void wrap(void)
{
    for (int half = 0; half < 3; half++) {
        tlog_tick();
        test_clock[0] += half < 2 ? 0x80000000u : 0;
    }
}

/* A tick updates the high word whatever interrupts it, and does not undo the interrupt's update. */
static void ticks(void)
{
    static void (*const handlers[])(void) = {nothing, wrap};
    hits_call((uintptr_t)tlog_tick);
    sweep_enter((struct sweep_state){1, false, false, 0x80000005u});
    for (uint32_t i = 0; i < 2u; i++) {
        bool came = true;
        for (uint32_t delay = test_irq_first(); came && !test_has_failed(); delay++) {
            sweep_restore();
            test_irq_arm(1, delay, handlers[i]);
            tlog_tick();
            came = test_irq_disarm(1);
            CHECK(tlog_cpu0.high == (came && handlers[i] == wrap ? 0x80000001u : 0x80000000u));
        }
    }
}

enum { FIRST_EVENT, SOME, FULL, STOPPED, GOING_ON, LATE, WRAPPING, STATES };
static const struct sweep_state states[STATES] = {
    [FIRST_EVENT] = {0, false, false, 0},
    [SOME] = {1, false, false, 0},
    [FULL] = {CAPACITY, false, false, 0},
    [STOPPED] = {CAPACITY, true, false, 0},
    [GOING_ON] = {CAPACITY + 3, true, true, 0},
    [LATE] = {CAPACITY, false, false, 0x80000005u}, /* the clock has passed half a wrap */
    [WRAPPING] = {1, false, false, 0x7FFFFFFDu},    /* it passes half a wrap in the interrupt */
};

/* With traceevents there are so many calls that each core and optimisation takes every fourth state. Mutants must be
 * detected in every third state from the second on. */
static void sweep_states(void)
{
    const uint32_t stride = !TLOG_TRACEEVENTS ? 1u : for_mutants ? 3u : 4u, part = for_mutants ? 1u : SWEEP_PART;
    const struct sweep_state places[] = {{LAP_OF_EVENTS, false, false, 0},
                                         {CAPACITY - 1, false, false, 0},
                                         {CAPACITY - 1, true, false, 0},
                                         {2 * CAPACITY, false, false, 0}};
    enum { PLACES = sizeof(places) / sizeof(places[0]), ALL = STATES + PLACES };
    is_thorough = !TLOG_TRACEEVENTS && (for_mutants || SWEEP_PART % 5u == 2u);
    sweep_depth = 1;
    for (uint32_t i = part % stride; i < ALL && !test_has_failed(); i += stride) {
        sweep_enter(i < STATES ? states[i] : places[i - STATES]);
        if (i == FIRST_EVENT && TLOG_CHUNKS == 1 && SWEEP_PART % 4u == 0 && !for_mutants)
            sweep(0, one, none);
        if (i > FIRST_EVENT)
            bursts(false);
        if (i == GOING_ON && !TLOG_TRACEEVENTS && (for_mutants || SWEEP_PART % 5u == 1))
            all_by_all();
    }
}

static void sweep_other_moments(void)
{
    static void (*const others[])(void) = {losing,   pads,      late_lap,    ticks,   late,
                                           switches, reporting, late_switch, halfway, urgent};
    const uint32_t first = TLOG_TRACEEVENTS ? 0 : 3u, count = TLOG_TRACEEVENTS ? 5u : 7u;
    for (uint32_t i = first; i < first + count && !test_has_failed(); i++)
        others[i]();
}

static void set_1(void)
{
    sweep_states();
    sweep_other_moments();
}

static void set_1_long(void)
{
    sweep_depth = 1;
    for (uint32_t filled = 0; filled <= 2u * CAPACITY + 1u && !test_has_failed(); filled++)
        for (int stops = 0; stops < (filled > 0 ? 2 : 1);
             stops++) { /* a ring that is not opened cannot be told to stop */
            sweep_enter((struct sweep_state){filled, stops, false, 0});
            bursts(filled > 0);
        }
    for (int i = SOME; i < STATES && !test_has_failed(); i++) {
        sweep_enter(states[i]);
        bursts(true);
        all_by_all();
    }
}

/* The states of depth 2. */
enum { FIRST_2 = SOME, LAST_2 = GOING_ON, STATES_2 = LAST_2 - FIRST_2 + 1 };

/* Every call in one of the states, which each core and optimisation chooses differently. Without -O it is the state in
 * which calls are shortest, because in the others they take ten times as long; and with two chunks, or traceevents,
 * only every fourth call, other ones on each core. */
static void set_2(void)
{
    const uint32_t core = SWEEP_PART / 5u, optimisation = SWEEP_PART % 5u;
    const uint32_t step = optimisation == 0 && (TLOG_CHUNKS > 1 || TLOG_TRACEEVENTS) ? 4u : 1u;
    sweep_depth = 2;
    sweep_enter(states[FIRST_2 + (optimisation == 0 ? 0 : (core + optimisation) % STATES_2)]);
    for (uint32_t call = core % step; call < sweep_call_count && !test_has_failed(); call += step)
        sweep(call, one, one);
}

static void set_2_long(void)
{
    sweep_depth = 2;
    for (int i = FIRST_2; i <= LAST_2 && !test_has_failed(); i++) {
        sweep_enter(states[i]);
        for (uint32_t call = 0; call < sweep_call_count && !test_has_failed(); call++)
            sweep(call, one, one);
        sweep(0, one, lap);
        sweep(0, lap, one);
    }
}

/* Every call that logs, with room and without; and a whole lap in the innermost interrupt. Without -O only one call
 * with room: all of them make 613 million triples on a Cortex-M3. */
static void set_3(void)
{
    const bool is_long = SWEEP_PART % 5u == 0;
    sweep_depth = 3;
    for (int i = SOME; i <= (is_long ? SOME : FULL) && !test_has_failed(); i++) {
        sweep_enter(states[i]);
        for (uint32_t call = 0; call < (is_long ? 1u : sweep_call_count) && !test_has_failed(); call++)
            if (logs(call))
                sweep(call, one, one);
        sweep_three(0, one, one, lap);
    }
}

static void nothing_logged(uint32_t n)
{
    (void)n;
}

/* A ring that is formatted as a whole. */
static void enter_formed(uint32_t filled)
{
    sweep_enter((struct sweep_state){filled, false, false, 0});
    form_all(&tlog_cpu0);
    sweep_keep();
}

/* Time of a call in a ring that has been filled many times before. */
static uint32_t cost(uint32_t call, bool is_preempted)
{
    sweep_restore();
    for (uint32_t i = 0; i < TLOG_CHUNKS; i++)
        ((struct tlog_chunk *)(void *)(sweep_ring + i * SWEEP_CHUNK_WORDS))->lap += 0x3FF0u << TLOG_LAP_SHIFT;
    if (is_preempted) {
        sweep_preempt();
        sweep_do((struct sweep_work){0, TLOG_CHUNKS > 1 ? 0 : TLOG_SLOTS});
    }
    return test_irq_time(sweep_calls[call].call, 1) - test_irq_time(nothing_logged, 1);
}

/* An event for which there is a slot takes less time than one that begins a chunk; and that takes less than the same
 * with a preempted thread in the middle of the switch, which takes all steps one by one. With one chunk the latter path
 * ends like the usual one, so there the usual one is compared with the first as well. */
static void costs(void)
{
    for (uint32_t call = 0; call < sweep_call_count && !TLOG_TRACEEVENTS && !test_has_failed(); call++) {
        if (!logs(call) || sweep_calls[call].slots == 0 || TLOG_MINIMAL)
            continue;
        enter_formed(1);
        uint32_t short_way = cost(call, false);
        for (uint32_t filled = TLOG_SLOTS; filled <= 2u * CAPACITY; filled += TLOG_SLOTS) {
            enter_formed(filled);
            uint32_t usual_way = cost(call, false), long_way = cost(call, true);
            test_note("call", call);
            test_note("short", short_way);
            test_note("usual", usual_way);
            test_note("long", long_way);
            CHECK(short_way * 5u < usual_way * 3u);
            CHECK(TLOG_CHUNKS > 1 || usual_way < short_way * 5u);
            CHECK(usual_way * 3u < long_way * 2u);
        }
    }
}

static void set_mutants(void)
{
    for_mutants = true;
    set_1();
}

int test_main(void)
{
    static const struct sweep_set sets[] = {
        {"interrupted everywhere", set_1},
        {"interrupted everywhere, in an interrupt everywhere", set_2},
        {"interrupted everywhere, three deep", set_3},
        {"interrupted everywhere, in every state", set_1_long},
        {"interrupted everywhere, in an interrupt everywhere, every call", set_2_long},
        {"interrupted everywhere, calls that log", set_mutants},
    };
    if (test_irq_levels() == 1) { /* once, and not while reach.c logs every instruction */
        test_run("every word as it must be", sweep_exact);
        if (!test_has_failed())
            test_run("the usual way is the short one", costs);
        if (test_has_failed())
            return test_end();
    }
    return sweep_main(sets, sizeof(sets) / sizeof(sets[0]));
}
