/* SPDX-License-Identifier: MIT */
/* tlog_quiescent.c - tlog_quiescent(): no context is in the middle of a call of tlog.
 *
 * A context that reserved a slot before that, and has not filled it, never will: it was deleted. So for each chunk of
 * the ring the place is kept where it stands then (tlog_ring_told()), and writers take the slots that were reserved
 * before (tlog_claim.c, tlog_minimal.c).
 *
 * With one CPU that is all. With several a CPU first keeps the place in a second word, where it waits until all CPUs
 * have called since. They call in periods: one ends when all have called in it. A place that began to wait in period p
 * is told in period p + 2, because all calls of period p + 1 came behind it.
 *
 * Each word is stored only if no other context of the CPU has watched since it was read. */
#include "tlog_speed.h"
#include "tlog.h"
#include "tlog_ring_impl.h"

#include <stddef.h>

#if TLOG_ENABLE

static uint32_t ignored;
static uint32_t is_told_by_port; /* 1: the kernel's port calls, so the application's calls are ignored */

static uint32_t told_load(const uint32_t *word)
{
    return *(const volatile uint32_t *)word;
}

/* Keep where a chunk stands. The lap is read first: if laps begin in between, the place is one that it has passed. A
 * lap that is begun and not counted yet shows by its tag. */
static void keep_place(const struct tlog_chunk *chunk, uint32_t *word)
{
    uint32_t lap, cursor;
    do {
        (void)tlog_port_load_exclusive(word);
        lap = lap_of(chunk);
        cursor = cursor_of(chunk);
        lap += ((lap ^ cursor) & TLOG_TAG_MASK) == TLOG_TAG_MASK ? TLOG_LAP_STEP : 0;
    } while (tlog_port_store_exclusive((lap & ~TLOG_CLAIM_SLOT_MASK) | cursor >> TLOG_CURSOR_SHIFT, word));
}

#if TLOG_CPUS == 1
static void tell(const struct tlog_chunk *chunk)
{
    keep_place(chunk, tlog_ring_told(chunk));
}

static bool begin_call(const struct tlog_cpu *cpu)
{
    (void)cpu;
    return true;
}

static void end_call(const struct tlog_cpu *cpu)
{
    (void)cpu;
}
#else
static uint32_t period = 2;           /* the present one */
static uint32_t called_in[TLOG_CPUS]; /* the period in which a CPU called last */
static uint32_t kept_in[TLOG_CPUS];   /* the period in which its places began to wait */

/* The place that waits is told, and the present one waits. */
static void tell(const struct tlog_chunk *chunk)
{
    uint32_t *told = tlog_ring_told(chunk), waiting;
    do {
        (void)tlog_port_load_exclusive(told);
        waiting = told_load(told + 1);
    } while (tlog_port_store_exclusive(waiting, told));
    keep_place(chunk, told + 1);
}

/* Call in the present period, and end it if all CPUs have called. Whether the places that wait are told. */
static bool begin_call(const struct tlog_cpu *cpu)
{
    const uint32_t here = (uint32_t)(cpu - tlog_cpus);
    uint32_t now = tlog_port_load_exclusive(&period), others = 0;
    tlog_port_clear_exclusive();
    *(volatile uint32_t *)&called_in[here] = now;
    do {
        if (tlog_port_load_exclusive(&period) != now)
            break;
        for (others = 0; others < TLOG_CPUS && told_load(&called_in[others]) == now; others++) {
        }
        if (others < TLOG_CPUS)
            break;
    } while (tlog_port_store_exclusive(now + 1u, &period));
    tlog_port_clear_exclusive();
    return told_load(&period) - kept_in[here] >= 2u;
}

static void end_call(const struct tlog_cpu *cpu)
{
    kept_in[cpu - tlog_cpus] = tlog_port_load_exclusive(&period);
    tlog_port_clear_exclusive();
}
#endif

/* Keep the places of all chunks of the CPU's ring, or of home in an arena. */
static void tell_ring(struct tlog_cpu *cpu)
{
    if (!tlog_ring_is_open(cpu) || !begin_call(cpu))
        return;
#if TLOG_ARENA
    struct tlog_chunk *home = tlog_ring_home(cpu);
    if (tlog_ring_told_of != home)
        tlog_ring_told_at[0][0] = 0;
    *(struct tlog_chunk *volatile *)&tlog_ring_told_of = home;
    tell(home);
#else
    const struct tlog_chunk *const chunk = tlog_ring_first(cpu);
    const uintptr_t first = (uintptr_t)chunk, size = cpu->ring->pattern[TLOG_PATTERN_SIZE];
    for (uint32_t i = 0; i < tlog_ring_chunks(cpu); i++)
        tell((const struct tlog_chunk *)(first + i * size));
#endif
    end_call(cpu);
}

/* Whether the caller is a handler. */
static bool is_interrupt(void)
{
    const uint32_t context = tlog_port_context(0);
    if (TLOG_PORT_CONTEXT == TLOG_CONTEXT_EXCEPTION)
        return context != 0;
    return context != 0x10u && context != 0x13u && context != 0x1Fu; /* User, Supervisor, System */
}

bool tlog_quiescent(void)
{
    if (is_interrupt() || told_load(&is_told_by_port)) {
        tlog_ring_add(&ignored, 1u);
        return false;
    }
    tell_ring(tlog_cpu_here());
    return true;
}

uint32_t tlog_quiescent_ignored(void)
{
    return told_load(&ignored);
}

void tlog_rtos_quiescent(void); /* port/rtos/tlog_rtos.h */

void tlog_rtos_quiescent(void)
{
    *(volatile uint32_t *)&is_told_by_port = 1;
    tell_ring(tlog_cpu_here());
}

#endif
