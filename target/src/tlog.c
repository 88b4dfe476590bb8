/* SPDX-License-Identifier: MIT */
/* tlog.c - the rings of the CPUs, and the calls that enable, disable, filter and stop logging. */
#include "tlog_speed.h"
#include "tlog.h"
#include "tlog_form.h"

#if TLOG_ENABLE

/* gcc does so by itself: see tlog_speed.h. */
#if defined(__clang__) && !defined(__OPTIMIZE__)
#pragma message("tlog: an event takes several hundred instructions like this: compile the runtime with -O2")
#endif

uint32_t tlog_event_chunks[TLOG_CPUS][TLOG_EVENT_WORDS + TLOG_REFUSED_WORDS]
    __attribute__((section(TLOG_SECTION), aligned(16)));

#define TLOG_EVENTS_RING(cpu)                                                                                          \
    TLOG_RING(tlog_event_chunks[cpu], cpu, TLOG_SLOTS, TLOG_EMERGENCY_SLOTS, TLOG_CHUNKS, TLOG_ROLE_EVENTS,            \
              TLOG_STOP_WHEN_FULL),
#define TLOG_EVENTS_CPU(cpu) TLOG_CPU_INIT(&event_rings[cpu]),

static const struct tlog_ring event_rings[TLOG_CPUS] = {TLOG_EACH_CPU(TLOG_EVENTS_RING)};

__asm(TLOG_NEED_DEFINITIONS);

struct tlog_cpu tlog_cpus[TLOG_CPUS] = {TLOG_EACH_CPU(TLOG_EVENTS_CPU)};

void tlog_ring_start_all(void)
{
    if (tlog_port_refuses())
        return;
    for (struct tlog_cpu *cpu = tlog_cpus; cpu < tlog_cpus + TLOG_CPUS; cpu++) {
        tlog_ring_start(cpu);
        if (TLOG_HAS_COARSE)
            tlog_ring_tick(cpu);
    }
}

#if !TLOG_MINIMAL
TLOG_NOINLINE void tlog_record_checked(uint32_t par1, uint32_t par2, uint32_t code)
{
    tlog_ring_record(tlog_cpu_here(), code, par1, par2);
}

void tlog_record_any(uint32_t par1, uint32_t par2, uint32_t code)
{
    if (tlog_code_ok(code))
        tlog_record_checked(par1, par2, code);
#if TLOG_ARENA
    else if (tlog_is_command(code))
        tlog_next_chunk();
#endif
    else
        tlog_ring_drop(tlog_cpu_here());
}
#endif

void tlog_record_fast_call(uint32_t par1, uint32_t par2, uint32_t code)
{
    if (tlog_code_ok(code))
        tlog_ring_record_fast(tlog_cpu_here(), TLOG_RECORD_FAST | code, par1, par2);
    else
        tlog_ring_drop(tlog_cpu_here());
}

void tlog_record_emergency(uint32_t code, uint32_t par1, uint32_t par2)
{
    if (!TLOG_ARENA && TLOG_EMERGENCY_SLOTS == 0)
        tlog_record_any(par1, par2, code);
    else if (tlog_code_ok(code))
        tlog_ring_record(tlog_cpu_here(), TLOG_CODE_URGENT | code, par1, par2);
    else
        tlog_ring_drop(tlog_cpu_here());
}

/* Compute the filter word of each CPU from CPU 0's word muted: muted itself, or all bits if TLOG_MUTED_OFF is set, a
 * bit that no family has. Every caller changes muted first. So the last caller stores the last value of muted
 * everywhere. The comparison after the store is for store-exclusives that are made of compare-and-exchange: they may
 * not notice that another CPU has changed the filter word, and changed it back, in between. */
static void apply_filter(void)
{
    for (struct tlog_cpu *cpu = tlog_cpus; cpu < tlog_cpus + TLOG_CPUS; cpu++) {
        uint32_t muted;
        do {
            tlog_port_load_exclusive(&cpu->filter);
            muted = ((volatile struct tlog_cpu *)tlog_cpus)->muted;
        } while (tlog_port_store_exclusive(muted & TLOG_MUTED_OFF ? TLOG_FILTER_ALL : muted, &cpu->filter)
                 || (TLOG_CPUS > 1 && muted != ((volatile struct tlog_cpu *)tlog_cpus)->muted));
    }
}

void tlog_disable(void)
{
    if (tlog_port_refuses())
        return;
    if (TLOG_RUNS == 1 && TLOG_START == 0) /* with more runs an event takes the place of an old one */
        tlog_ring_start_all();
    if (!tlog_ring_is_off())
        tlog_pause_mark();
    tlog_ring_change_bits(&tlog_cpus->muted, 0, TLOG_MUTED_OFF);
    apply_filter();
    tlog_pause_note(TLOG_PAUSE_ALL);
}

void tlog_enable(void)
{
    uint32_t muted;
    if (tlog_port_refuses())
        return;
    if (TLOG_START == 2) /* before events pass the filter, which would count them as dropped */
        tlog_start();
    muted = tlog_ring_change_bits(&tlog_cpus->muted, TLOG_MUTED_OFF, 0);
    apply_filter();
    if (muted & TLOG_MUTED_OFF) {
        if (TLOG_START == 0)
            tlog_ring_start_all();
        tlog_pause_note(TLOG_PAUSE_ALL);
        tlog_pause_tell();
    }
    tlog_rate_tell();
}

bool tlog_ring_filter(uint32_t number, uint32_t status)
{
    const uint32_t bit = 1u << number;
    if (tlog_port_refuses())
        return true;
    if (((tlog_ring_change_bits(&tlog_cpus->muted, bit, status != 0 ? bit : 0) & bit) != 0) == (status != 0))
        return false;
    apply_filter();
    tlog_pause_mark_filter(number, status);
    return true;
}

void tlog_filter_bit(uint32_t number, bool suppress)
{
    tlog_ring_filter(number, suppress);
}

void tlog_filter(uint32_t family, bool suppress)
{
    tlog_filter_bit(family & (uint32_t)FTrace_family_mask, suppress);
}

void tlog_stop_when_full(bool stop)
{
    const uint32_t back = (TLOG_CHUNKS - 1u) * TLOG_CHUNK_BYTES(TLOG_SLOTS, TLOG_EMERGENCY_SLOTS);
    if (tlog_port_refuses())
        return;
    tlog_ring_start_all();
    for (uint32_t cpu = 0; cpu < TLOG_CPUS; cpu++) {
        struct tlog_chunk *last = (struct tlog_chunk *)((uintptr_t)tlog_event_chunks[cpu] + back);
        if (TLOG_RUNS > 1) {
            struct tlog_chunk *first = tlog_ring_first(&tlog_cpus[cpu]);
            last = (struct tlog_chunk *)((uintptr_t)first + back);
        }
        tlog_ring_change_bits(&last->flags, stop ? 0 : TLOG_CHUNK_STOP, stop ? TLOG_CHUNK_STOP : 0);
    }
}

/* Carries the high words of all CPUs over, because a CPU may sleep for longer than half a wrap. */
void tlog_tick(void)
{
    if (tlog_port_refuses())
        return;
    if (TLOG_START == 0)
        tlog_ring_start(tlog_cpu_here());
    for (struct tlog_cpu *cpu = tlog_cpus; cpu < tlog_cpus + TLOG_CPUS; cpu++)
        if ((TLOG_CPUS == 1 && TLOG_START == 0) || tlog_ring_is_open(cpu))
            tlog_ring_tick(cpu);
}

void tlog_start(void)
{
    tlog_ring_start_all();
#if TLOG_FORMS
    for (struct tlog_cpu *cpu = tlog_cpus; cpu < tlog_cpus + TLOG_CPUS && !tlog_port_refuses(); cpu++)
        tlog_form_all(cpu);
#endif
}

uint32_t tlog_dropped(void)
{
    uint32_t sum = tlog_refused();
    for (const struct tlog_cpu *cpu = tlog_cpus; cpu < tlog_cpus + TLOG_CPUS; cpu++)
        sum += tlog_ring_is_open(cpu) ? ((const volatile struct tlog_chunk *)tlog_ring_first(cpu))->dropped
                                      : tlog_ring_early(cpu);
    return sum;
}

#endif
