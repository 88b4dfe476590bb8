/* SPDX-License-Identifier: MIT */
/* tlog_sleep.c - tlog_clock_slept(): advances the clock by the ticks of a sleep in which it stood still.
 *
 * The counter itself is set, so that events need no correction when they read it. The time is two words, high word and
 * counter, and no store changes both. Yet a writer that logs in between must get a time between the old one and the new
 * one:
 *
 *   whole wraps  are added to the high word, by one store-exclusive: from then on the time is later
 *   the rest     is added to the counter, in at most four steps of up to a quarter wrap, each of them one store. If a
 *                step passes half a wrap, the high word is behind, as if the counter had counted there by itself. The
 *                next writer, or the tick after the step, carries it over: from the store on the time is later
 *
 * A step stores the old value of the counter plus the ticks of the step. The counter is halted meanwhile: if it counted
 * on between the reading and the store, an interrupt could log times that come a second time. An interrupt may have
 * slept, too. The store would undo what it sets: so it only adds its ticks to ticks_left, and the call that it has
 * interrupted adds them to the counter.
 *
 * tlog_sleep_begin() and tlog_sleep_end() compare the clock with one that goes on in sleep: what the clock is behind by
 * in sleep is what it stood still. */
#include "tlog_speed.h"
#include "tlog.h"
#include "tlog_ring_impl.h"

#if TLOG_ENABLE

#define TLOG_SLEEP_STEP_MAX 0x40000000u

static uint32_t ticks_left; /* ticks that must still be added to the counter */
static uint32_t is_adding;  /* 1: a call adds them; that call may be interrupted now */

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

/* Whether the board's counter can be halted and set. */
#ifdef TLOG_CLOCK_HALT
enum { TLOG_SLEEP_BOARD_HALTS = 1 };
#else
enum { TLOG_SLEEP_BOARD_HALTS = 0 };
#define TLOG_CLOCK_HALT(halted) ((void)(halted))
#endif

static void halt_clock(const volatile uint32_t *clock, bool halted)
{
    if (!is_cyccnt(clock))
        TLOG_CLOCK_HALT(halted);
    else
        halt_cyccnt(halted);
}

/* Take the ticks of the next step off ticks_left. This comes before the counter is set, not after it: a call that
 * interrupts adds its ticks to ticks_left, and moves a whole wrap from there to the high word. Ticks that the counter
 * already has must not be among them. */
static uint32_t take_step(void)
{
    uint32_t all, ticks;
    do {
        all = tlog_port_load_exclusive(&ticks_left);
        ticks = all < TLOG_SLEEP_STEP_MAX ? all : TLOG_SLEEP_STEP_MAX;
    } while (tlog_port_store_exclusive(all - ticks, &ticks_left));
    return ticks;
}

/* Advance the counter, which is halted, by one step. */
static void step_clock(struct tlog_cpu *cpu)
{
    uint32_t ticks = take_step(), now;
    tlog_ring_tick(cpu);
    now = tlog_port_now_at(cpu->clock) + ticks;
    *(volatile uint32_t *)(uintptr_t)cpu->clock = tlog_port_count(now);
    tlog_ring_tick(cpu);
}

/* Set is_adding; false: another call has set it. */
static bool begin_adding(void)
{
    do {
        if (tlog_port_load_exclusive(&is_adding)) {
            tlog_port_clear_exclusive();
            return false;
        }
    } while (tlog_port_store_exclusive(1u, &is_adding));
    return true;
}

static void add_wraps(struct tlog_cpu *cpu, uint32_t wraps)
{
    uint32_t high;
    do {
        high = tlog_port_load_exclusive(&cpu->high);
        high = (high & TLOG_HIGH_MIRROR) | ((high + (wraps << TLOG_WRAP_SHIFT)) & ~TLOG_HIGH_MIRROR);
    } while (tlog_port_store_exclusive(high, &cpu->high));
    if (TLOG_LAP_SLOTS > 0)
        tlog_ring_put_time(cpu, tlog_ring_wraps(high));
}

/* Advance the clock by ticks of TLOG_CLOCK_RATE. */
static bool advance_clock(uint64_t ticks)
{
    struct tlog_cpu *cpu = tlog_cpu_here();
    uint32_t rest = (uint32_t)ticks, wraps = (uint32_t)(ticks >> 32);
    if (tlog_port_refuses())
        return false;
    tlog_ring_start_all();
    if (TLOG_CPUS > 1 || (!TLOG_SLEEP_BOARD_HALTS && !is_cyccnt(cpu->clock)))
        return false;
    tlog_ring_forget_coarse(cpu);
    wraps += tlog_ring_add(&ticks_left, rest) + rest < rest;
    if (wraps > 0)
        add_wraps(cpu, wraps);
    while (*(volatile uint32_t *)&ticks_left > 0 && begin_adding()) {
        halt_clock(cpu->clock, true);
        while (*(volatile uint32_t *)&ticks_left > 0)
            step_clock(cpu);
        halt_clock(cpu->clock, false);
        *(volatile uint32_t *)&is_adding = 0;
    }
    tlog_ring_forget_coarse(cpu);
    return true;
}

bool tlog_clock_slept(uint64_t ticks)
{
    return advance_clock(ticks << TLOG_CLOCK_SHIFT);
}

/* ---- around WFI -------------------------------------------------------------------------------------------------- */

static uint32_t mask_interrupts(void)
{
    uint32_t mask = 0;
#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
    __asm volatile("mrs %0, primask\n\tcpsid i" : "=r"(mask)::"memory");
#elif defined(__arm__)
    __asm volatile("mrs %0, cpsr\n\tcpsid i" : "=r"(mask)::"memory");
#endif
    return mask;
}

static void unmask_interrupts(uint32_t mask)
{
#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
    __asm volatile("msr primask, %0" ::"r"(mask) : "memory");
#elif defined(__arm__)
    __asm volatile("msr cpsr_c, %0" ::"r"(mask) : "memory");
#else
    (void)mask;
#endif
}

#if TLOG_SLEEP_HZ
/* Both clocks when they were compared last. Used with interrupts masked. */
static struct {
    uint64_t time, part; /* the clock; what is left of its ticks, in 1 / TLOG_SLEEP_HZ */
    int64_t behind;      /* ticks by which the clock is behind the last tick of the sleep clock */
    uint32_t count;      /* the sleep clock */
    bool is_begun;
} compared;

static void compare_clocks(struct tlog_cpu *cpu)
{
    const uint32_t count = (uint32_t)(TLOG_PORT_SLEEP_NOW);
    const uint64_t time = tlog_ring_ticks(cpu);
    const uint64_t all = (uint64_t)(count - compared.count) * tlog_rate_now() + compared.part;
    if (compared.is_begun) {
        compared.behind += (int64_t)(all / (TLOG_SLEEP_HZ)) - (int64_t)(time - compared.time);
        compared.part = all % (TLOG_SLEEP_HZ);
    }
    compared.is_begun = true;
    compared.time = time;
    compared.count = count;
}

/* The clock counts while the core is awake: what the two clocks differ by then is drift, but for a tick of the sleep
 * clock, which is what they cannot tell. */
static void forget_drift(void)
{
    const int64_t tick = (int64_t)(tlog_rate_now() / (TLOG_SLEEP_HZ)) + 1;
    if (compared.behind > tick)
        compared.behind = tick;
    if (compared.behind < -tick)
        compared.behind = -tick;
}

/* Advance the clock by whole ticks of its counter. */
static void catch_up(void)
{
    const uint64_t ticks = (uint64_t)compared.behind >> TLOG_CLOCK_SHIFT << TLOG_CLOCK_SHIFT;
    if (compared.behind <= 0 || !advance_clock(ticks))
        return;
    compared.time += ticks;
    compared.behind -= (int64_t)ticks;
}

void tlog_sleep_begin(void)
{
    const uint32_t mask = mask_interrupts();
    tlog_ring_start_all();
    compare_clocks(tlog_cpu_here());
    forget_drift();
    unmask_interrupts(mask);
}

void tlog_sleep_end(void)
{
    const uint32_t mask = mask_interrupts();
    tlog_ring_start_all();
    compare_clocks(tlog_cpu_here());
    catch_up();
    unmask_interrupts(mask);
}

void tlog_sleep_rate(void)
{
    const uint32_t mask = mask_interrupts();
    compare_clocks(tlog_cpu_here());
    unmask_interrupts(mask);
}
#else
void tlog_sleep_begin(void)
{
    tlog_tick();
}

void tlog_sleep_end(void)
{
}
#endif

void tlog_wfi(void)
{
    const uint32_t mask = mask_interrupts();
    tlog_sleep_begin();
    TLOG_PORT_WAIT();
    tlog_sleep_end();
    unmask_interrupts(mask);
}

#endif
