/* tlog_sleep.c - the clock goes on by what passed while it stood still.
 *
 * The counter itself is set, so that reading it costs no event anything. The time, high word and counter, is two words
 * that no one store can change, and yet whoever logs in between must get a time between the old one and the new one:
 *
 *   whole wraps  go into the high word, by one exclusive store: a later time, at once
 *   the rest     goes into the counter in at most four steps of a quarter wrap, each of them one store. A step that
 *                passes half a wrap leaves the high word behind as if the counter had run there, and the next who logs, or
 *                the tick behind the step, carries it over: a later time, at once
 *
 * The store is of what the counter was, plus the step. An interrupt between reading and storing must not find a counter
 * that runs on, or it would log times that come again: so it stands still meanwhile. And it must not go on by a sleep of
 * its own, which the store would undo: so it only leaves its ticks in `left`, and who is at work takes them too. */
#include "tlog.h"

#if TLOG_ENABLE

#define STEP_MAX 0x40000000u

static uint32_t left;       /* ticks that the counter is still to go on by */
static uint32_t is_at_work; /* somebody takes them, perhaps interrupted by the one who asks */

#if defined(TLOG_PORT_V7M_H) && TLOG_CLOCK_CYCCNT
static bool is_cyccnt(const volatile uint32_t *clock)
{
    return (uintptr_t)clock == TLOG_PORT_DWT_CYCCNT;
}

static void halt_cyccnt(bool halted)
{
    volatile uint32_t *ctrl = (volatile uint32_t *)TLOG_PORT_DWT_CTRL;
    *ctrl = (*ctrl & ~1u) | !halted; /* CYCCNTENA */
}
#else
static bool is_cyccnt(const volatile uint32_t *clock)
{
    (void)clock;
    return false;
}

static void halt_cyccnt(bool halted)
{
    (void)halted;
}
#endif

/* The board's counter, if it can be made to stand still and be set. */
#ifdef TLOG_CLOCK_HALT
enum { BOARD_HALTS = 1 };
#else
enum { BOARD_HALTS = 0 };
#define TLOG_CLOCK_HALT(halted) ((void)(halted))
#endif

static void halt(const volatile uint32_t *clock, bool halted)
{
    if (is_cyccnt(clock))
        halt_cyccnt(halted);
    else
        TLOG_CLOCK_HALT(halted);
}

/* Ahead of the store, not behind: a call that interrupts counts on all that is left being below a wrap. */
static uint32_t take(void)
{
    uint32_t all, ticks;
    do {
        all = tlog_port_load_exclusive(&left);
        ticks = all < STEP_MAX ? all : STEP_MAX;
    } while (tlog_port_store_exclusive(all - ticks, &left));
    return ticks;
}

static void step(struct tlog_cpu *cpu)
{
    uint32_t ticks = take(), now;
    tlog_ring_tick(cpu);
    now = tlog_port_now_at(cpu->clock) + ticks;
    *(volatile uint32_t *)(uintptr_t)cpu->clock = TLOG_CLOCK_DOWN ? ~now : now;
    tlog_ring_tick(cpu);
}

static bool begin(void)
{
    do {
        if (tlog_port_load_exclusive(&is_at_work)) {
            tlog_port_clear_exclusive();
            return false;
        }
    } while (tlog_port_store_exclusive(1u, &is_at_work));
    return true;
}

static void add_wraps(struct tlog_cpu *cpu, uint32_t wraps)
{
    uint32_t high;
    do {
        high = tlog_port_load_exclusive(&cpu->high);
        high = (high & TLOG_HIGH_MIRROR) | ((high + (wraps << TLOG_WRAP_SHIFT)) & ~TLOG_HIGH_MIRROR);
    } while (tlog_port_store_exclusive(high, &cpu->high));
    if (TLOG_TRACEEVENTS)
        tlog_ring_put_time(cpu, tlog_ring_wraps(high));
}

bool tlog_clock_slept(uint64_t ticks)
{
    struct tlog_cpu *cpu = tlog_cpu_here();
    uint32_t rest = (uint32_t)ticks, wraps = (uint32_t)(ticks >> 32);
    tlog_start();
    if (TLOG_CPUS > 1 || (!BOARD_HALTS && !is_cyccnt(cpu->clock)))
        return false;
    wraps += tlog_ring_add(&left, rest) + rest < rest;
    if (wraps > 0)
        add_wraps(cpu, wraps);
    while (*(volatile uint32_t *)&left > 0 && begin()) {
        halt(cpu->clock, true);
        while (*(volatile uint32_t *)&left > 0)
            step(cpu);
        halt(cpu->clock, false);
        *(volatile uint32_t *)&is_at_work = 0;
    }
    return true;
}

#endif
