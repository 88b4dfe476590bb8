/* sweep.c - an interrupt in front of every instruction of every public call, on the target.
 *
 * A schedule is: a ring in a certain state, a call by the thread, and an interrupt after a delay that logs some events or
 * makes a call of its own; in deeper sets, an interrupt in the interrupt, and one in that. The delays grow by single ticks,
 * which are shorter than an instruction, until the interrupt comes after the call. That none was skipped is shown by hit
 * maps (hits.h), and does not rest on this.
 *
 * The clock is a word that only the tests advance, so the stamps are known: that of a call lies before the next step of
 * the clock after it. sweep_read.c judges the memory in every interrupt and after every schedule. */
#include "logged.h"
#include "sweep_read.h"
#include "sweep_run.h"
#include "test.h"
#include "test_irq.h"
#include "tlog.h"

enum { CAPACITY = TLOG_SLOTS * TLOG_CHUNKS };

/* ---- states -------------------------------------------------------------------------------------------------------- */

/* How a ring came to be where a call finds it. */
struct state {
    uint32_t filled; /* events in it; 0: it is not even opened */
    bool stops;
    bool goes_on;   /* it had stopped, and may go on: there is a loss to tell of */
    uint32_t clock; /* is set to this just before the call; 0: it is not */
};

static uint32_t saved[SWEEP_RING_WORDS], saved_count, saved_clock;
static struct tlog_cpu saved_cpu;

static void copy(uint32_t *to, const uint32_t *from, uint32_t words)
{
    for (; words > 0; words--)
        *to++ = *from++;
}

static struct state state;

/* Make a ring be in a state, and keep what that is for sweep_restore(). */
static void enter(struct state wanted)
{
    static const struct sweep_work fill = {0, 1};
    state = wanted;
    test_note("filled", state.filled + state.stops * 100u + state.goes_on * 200u);
    for (uint32_t i = 0; i < SWEEP_RING_WORDS; i++)
        sweep_ring[i] = 0xDEADBEEFu ^ i * 0x9E3779B9u; /* RAM full of noise */
    tlog_cpu0 = (struct tlog_cpu)TLOG_CPU_INIT(tlog_cpu0.ring);
    logged_count = 0;
    test_clock[0] = 0x7FFFFE00u;
    if (state.filled > 0)
        tlog_stop_when_full(state.stops);
    for (uint32_t i = 0; i < state.filled; i++)
        sweep_do(fill);
    if (state.goes_on)
        tlog_stop_when_full(false);
    copy(saved, sweep_ring, SWEEP_RING_WORDS);
    saved_cpu = tlog_cpu0;
    saved_count = logged_count;
    saved_clock = state.clock ? state.clock : test_clock[0];
}

void sweep_restore(void)
{
    copy(sweep_ring, saved, SWEEP_RING_WORDS);
    tlog_cpu0 = saved_cpu;
    logged_count = saved_count;
    test_clock[0] = saved_clock;
    sweep_names_reset(state.filled > 0);
    if (state.filled == 0)
        tlog_ring_boot = 0; /* which boot it is has not been decided yet */
}

/* ---- judging ------------------------------------------------------------------------------------------------------- */

/* Whether the events of all interrupts fit into the ring besides those that they interrupt. */
static bool fits(void)
{
    uint32_t events = (uint32_t)sweep_depth;
    for (int level = 1; level <= sweep_depth; level++)
        events += sweep_works[level].count;
    return !TLOG_TRACEEVENTS && !state.stops && events <= CAPACITY;
}

void sweep_check_end(void)
{
    static const struct sweep_work last = {0, 1};
    const struct sweep_expected expected = {state.stops && !state.goes_on, fits(), sweep_mutes()};
    test_irq_mask(true);
    sweep_do(last);
    if (!test_irq_is_masked())
        test_fail(__FILE__, __LINE__, "interrupts are held off as before");
    test_irq_mask(false);
    if (!test_has_failed())
        sweep_read_end(&expected);
}

/* ---- sets ---------------------------------------------------------------------------------------------------------- */

/* In `make test` each core and optimisation has another one, and takes other states and calls where all would take too long. */
#ifndef SWEEP_PART
#define SWEEP_PART 0u
#endif

static const uint32_t counts[] = {1, CAPACITY + 1, CAPACITY - 1, CAPACITY, 2 * CAPACITY + 1};
enum { COUNTS = sizeof(counts) / sizeof(counts[0]), FEW = 2 };

static const struct sweep_work none = {0, 0}, one = {0, 1}, lap = {0, CAPACITY + 1};

/* Every call interrupted by numbers of events around what the ring holds. */
static void bursts(bool is_long)
{
    for (uint32_t call = 0; call < sweep_call_count; call++) {
        uint32_t n = is_long || call == 0 ? COUNTS : sweep_calls[call].is & SWEEP_LOGS ? FEW : 1u;
        for (uint32_t i = 0; i < n && !test_has_failed(); i++)
            sweep(call, (struct sweep_work){TLOG_TRACEEVENTS ? SWEEP_MIXED : 0, counts[i]}, none);
    }
}

/* Every call interrupted by every other one. */
static void all_by_all(void)
{
    for (uint32_t call = 0; call < sweep_call_count; call++)
        for (uint32_t other = 1; other < sweep_call_count && !test_has_failed(); other++)
            sweep(call, (struct sweep_work){other, 1}, none);
}

enum { FIRST_EVENT, SOME, FULL, STOPPED, GOING_ON, LATE, WRAPPING, STATES };
static const struct state states[STATES] = {
    [FIRST_EVENT] = {0, false, false, 0},
    [SOME] = {1, false, false, 0},
    [FULL] = {CAPACITY, false, false, 0},
    [STOPPED] = {CAPACITY, true, false, 0},
    [GOING_ON] = {CAPACITY + 3, true, true, 0},
    [LATE] = {CAPACITY, false, false, 0x80000005u}, /* the clock has passed half a wrap */
    [WRAPPING] = {1, false, false, 0x7FFFFFFDu},    /* and passes it in the interrupt */
};

/* With traceevents there are so many calls that each core and optimisation takes every fourth state. */
static void set_1(void)
{
    const struct state places[] = {{TLOG_SLOTS, false, false, 0},
                                   {CAPACITY - 1, false, false, 0},
                                   {2 * CAPACITY, false, false, 0},
                                   {CAPACITY - 1, true, false, 0}};
    enum { PLACES = sizeof(places) / sizeof(places[0]), ALL = STATES + PLACES };
    sweep_depth = 1;
    for (uint32_t i = TLOG_TRACEEVENTS ? SWEEP_PART % 4u : 0; i < ALL && !test_has_failed();
         i += TLOG_TRACEEVENTS ? 4u : 1u) {
        enter(i < STATES ? states[i] : places[i - STATES]);
        if (i == FIRST_EVENT && TLOG_CHUNKS == 1 && SWEEP_PART % 4u == 0)
            sweep(0, one, none);
        if (i > FIRST_EVENT)
            bursts(false);
        if (i == GOING_ON && !TLOG_TRACEEVENTS && SWEEP_PART % 4u == 1)
            all_by_all();
    }
}

static void set_1_long(void)
{
    sweep_depth = 1;
    for (uint32_t filled = 0; filled <= 2u * CAPACITY + 1u && !test_has_failed(); filled++)
        for (int stops = 0; stops < 2; stops++) {
            enter((struct state){filled, stops, false, 0});
            bursts(filled > 0);
        }
    for (int i = SOME; i < STATES && !test_has_failed(); i++) {
        enter(states[i]);
        bursts(true);
        all_by_all();
    }
}

/* Depth 2 is swept in these. */
enum { FIRST_2 = SOME, LAST_2 = GOING_ON, STATES_2 = LAST_2 - FIRST_2 + 1 };

static void set_2(void)
{
    sweep_depth = 2;
    enter(states[FIRST_2 + SWEEP_PART % STATES_2]);
    sweep(0, one, one);
    if (SWEEP_PART % STATES_2 == 0)
        sweep(0, one, lap);
    else
        sweep(1u + SWEEP_PART % (sweep_call_count - 1u), one, one);
}

static void set_2_long(void)
{
    sweep_depth = 2;
    for (int i = FIRST_2; i <= LAST_2 && !test_has_failed(); i++) {
        enter(states[i]);
        for (uint32_t call = 0; call < sweep_call_count && !test_has_failed(); call++)
            sweep(call, one, one);
        sweep(0, one, lap);
    }
}

static void set_3(void)
{
    sweep_depth = 3;
    for (int i = SOME; i <= FULL && !test_has_failed(); i++) {
        enter(states[i]);
        sweep(0, one, one);
        sweep(0, one, lap);
    }
}

int test_main(void)
{
    static const struct sweep_set sets[] = {
        {"interrupted everywhere", set_1},
        {"interrupted everywhere, in an interrupt everywhere", set_2},
        {"interrupted everywhere, three deep", set_3},
        {"interrupted everywhere, in every state", set_1_long},
        {"interrupted everywhere, in an interrupt everywhere, every call", set_2_long},
    };
    return sweep_main(sets, sizeof(sets) / sizeof(sets[0]));
}
