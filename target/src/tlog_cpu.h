/* SPDX-License-Identifier: MIT */
/* tlog_cpu.h - a CPU's state: everything tlog keeps beside the chunks, and its initial value.
 *
 * Private to tlog: firmware includes tlog.h. */
#ifndef TLOG_CPU_H
#define TLOG_CPU_H

#include "tlog_port.h"
#include "tlog_ring_type.h"
#include "tlog_wire.h"

TLOG_BEGIN_C

/* ---- a CPU's ring ----------------------------------------------------------------------------------------------- */

/* TLOG_EACH_CPU(X) is X(0) X(1) ... X(TLOG_CPUS - 1). */
#define TLOG_EACH_1(X)         X(0)
#define TLOG_EACH_2(X)         TLOG_EACH_1(X) X(1)
#define TLOG_EACH_3(X)         TLOG_EACH_2(X) X(2)
#define TLOG_EACH_4(X)         TLOG_EACH_3(X) X(3)
#define TLOG_EACH_5(X)         TLOG_EACH_4(X) X(4)
#define TLOG_EACH_6(X)         TLOG_EACH_5(X) X(5)
#define TLOG_EACH_7(X)         TLOG_EACH_6(X) X(6)
#define TLOG_EACH_8(X)         TLOG_EACH_7(X) X(7)
#define TLOG_EACH_PASTED(n, X) TLOG_EACH_##n(X)
#define TLOG_EACH_OF(n, X)     TLOG_EACH_PASTED(n, X)
#define TLOG_EACH_CPU(X)       TLOG_EACH_OF(TLOG_CPUS, X)

/* ---- a CPU's state ---------------------------------------------------------------------------------------------- */

/* Whether there is a coarse clock (TLOG_COARSE_HZ), and the slots that tell the time at the beginning of each lap. */
#if TLOG_COARSE_HZ
#define TLOG_HAS_COARSE 1
#else
#define TLOG_HAS_COARSE 0
#endif
#define TLOG_LAP_SLOTS ((TLOG_TRACEEVENTS ? 2u : 0u) + TLOG_HAS_COARSE)

/* Whether the chunks of events are formatted bit by bit (tlog_form.c), and not as a whole. */
#if !TLOG_START && !TLOG_MINIMAL && TLOG_RUNS == 1 && !TLOG_ARENA                                                      \
    && TLOG_SLOTS >= (TLOG_CHUNKS > 1 ? 6 : 3) + 2 * TLOG_TRACEEVENTS + TLOG_HAS_COARSE
#define TLOG_FORMS 1
#else
#define TLOG_FORMS 0
#endif

/* Whether tlog_start() empties slots by plain stores, a block at a time (tlog_start.c). With several CPUs, and where an
 * event may have to open the ring as a whole, it does not. */
#define TLOG_BLOCKS (TLOG_CPUS == 1 && (TLOG_START || TLOG_FORMS))

/* The states of two CPUs must share neither a cache line nor the block of memory that one exclusive watch covers. */
#if TLOG_CPUS > 1
#define TLOG_CPU_APART __attribute__((aligned(64)))
#else
#define TLOG_CPU_APART
#endif

/* One CPU's state: everything tlog keeps beside the chunks. Constant-initialised, so it works before main(). */
struct TLOG_CPU_APART tlog_cpu {
    uint32_t filter;  /* bit n: family n is suppressed; bit 15 + c: class c is; bit 31: codes 0xF0..0xFF are */
    uint32_t *cursor; /* the cursor of the current chunk, called home; tlog_ring_full before the first event */
    TLOG_PORT_CPU_MEMBERS
    uint32_t high;                  /* high word of the time stamp */
    const volatile uint32_t *clock; /* where its low word is read; set when the ring is opened */
    const struct tlog_ring *ring;
    uint32_t muted; /* CPU 0's: all filters are made of it: their bits, and TLOG_MUTED_OFF while logging is disabled */
#if TLOG_UNIQUE_STAMPS
    uint32_t last; /* low word of the youngest stamp; 0 before the first */
#endif
#if TLOG_RUNS > 1
    struct tlog_chunk *first; /* first chunk of the bank that this run has taken; NULL: none yet */
    uint32_t erased;          /* 1: no chunk of an older run is left in that bank */
#endif
#if TLOG_CPUS > 1
    uint32_t began; /* half wraps of the clock before the ring was opened, plus 1; 0: not decided yet */
#endif
#if TLOG_FORMS
    uint32_t formed; /* how far the chunks of events are formatted (tlog_form.c); 0: not at all */
#endif
#if TLOG_BLOCKS
    uint32_t *block; /* first slot of the block that tlog_start() is emptying; NULL: none */
#endif
#if TLOG_START
    uint32_t early; /* events dropped before the ring was opened */
#endif
#if TLOG_HAS_COARSE
    uint32_t coarse;    /* the coarse clock when the half wrap began that coarse_of tells */
    uint32_t coarse_of; /* the complement of that half wrap's high word */
#endif
};

#ifdef TLOG_PORT_CPU_HIGH
TLOG_STATIC_ASSERT(__builtin_offsetof(struct tlog_cpu, high) == TLOG_PORT_CPU_HIGH, "port_*.h knows this offset");
TLOG_STATIC_ASSERT(__builtin_offsetof(struct tlog_cpu, clock) == TLOG_PORT_CPU_HIGH + 4, "and this one");
#endif

/* Holds that keep home parked, so that nothing is logged (tlog_pause.c). */
extern uint32_t tlog_ring_held;

/* CPUs that are still to be told of a pause, a bit each. */
extern uint32_t tlog_ring_untold;

TLOG_INLINE bool tlog_ring_is_held(void)
{
    return *(volatile uint32_t *)&tlog_ring_held != 0;
}

#define TLOG_FILTER_ALL 0xFFFFFFFFu /* the filter while logging is disabled */
#define TLOG_MUTED_OFF  0x80000000u /* in muted: logging is disabled */

/* A cursor whose slot is always taken: the cursor of a ring that is not opened yet. The words behind it stand for the
 * slots that an inline event of several slots looks at. */
#define TLOG_RING_FULL_WORDS (TLOG_TRACEEVENTS ? 16u : 4u)
extern const uint32_t tlog_ring_full[TLOG_RING_FULL_WORDS];

/* With several CPUs one of them may open another one's ring. A core that loads ahead might then see the ring open, but
 * not yet the clock that was stored before. So `clock` is set from the start where it is a constant. */
#if TLOG_CPUS > 1 && defined(TLOG_CLOCK_ADDRESS)
#define TLOG_CPU_CLOCK (const volatile uint32_t *)TLOG_CLOCK_ADDRESS
#else
#define TLOG_CPU_CLOCK 0
#endif

/* Initial values of the members that not all configurations have. */
#if TLOG_UNIQUE_STAMPS
#define TLOG_CPU_INIT_LAST , 0u
#else
#define TLOG_CPU_INIT_LAST
#endif
#if TLOG_RUNS > 1
#define TLOG_CPU_INIT_RUNS , 0, 0u
#else
#define TLOG_CPU_INIT_RUNS
#endif
#if TLOG_CPUS > 1
#define TLOG_CPU_INIT_CPUS , 0u
#else
#define TLOG_CPU_INIT_CPUS
#endif
#if TLOG_FORMS
#define TLOG_CPU_INIT_FORMS , 0u
#else
#define TLOG_CPU_INIT_FORMS
#endif
#if TLOG_BLOCKS
#define TLOG_CPU_INIT_BLOCKS , 0
#else
#define TLOG_CPU_INIT_BLOCKS
#endif
#if TLOG_START
#define TLOG_CPU_INIT_START , 0u
#else
#define TLOG_CPU_INIT_START
#endif
#if TLOG_HAS_COARSE
#define TLOG_CPU_INIT_COARSE , 0u, 0u
#else
#define TLOG_CPU_INIT_COARSE
#endif
#define TLOG_CPU_INIT(ring)                                                                                            \
    {                                                                                                                  \
        TLOG_START == 2 ? TLOG_FILTER_ALL : 0u, (uint32_t *)(uintptr_t)tlog_ring_full, TLOG_PORT_CPU_INIT 0u,          \
            TLOG_CPU_CLOCK, (ring),                                                                                    \
            TLOG_START == 2 ? TLOG_MUTED_OFF                                                                           \
                            : 0u TLOG_CPU_INIT_LAST TLOG_CPU_INIT_RUNS TLOG_CPU_INIT_CPUS TLOG_CPU_INIT_FORMS          \
                                TLOG_CPU_INIT_BLOCKS TLOG_CPU_INIT_START TLOG_CPU_INIT_COARSE                          \
    }

/* The states of all CPUs, by their numbers. */
extern struct tlog_cpu tlog_cpus[TLOG_CPUS];
#define tlog_cpu0 tlog_cpus[0]

/* The number of the CPU that runs this call, 0..TLOG_CPUS - 1. */
TLOG_ALWAYS_INLINE uint32_t tlog_cpu_number(void)
{
#if TLOG_CPUS > 1
    return tlog_port_cpu();
#else
    return 0;
#endif
}

/* The state of the CPU that runs this call. */
TLOG_ALWAYS_INLINE struct tlog_cpu *tlog_cpu_here(void)
{
    struct tlog_cpu *cpu = &tlog_cpus[tlog_cpu_number()];
#ifdef TLOG_PORT_CLANG
    __asm("" : "+r"(cpu)); /* clang would make the address once more, behind the look at the filter */
#endif
    return cpu;
}
#ifdef TLOG_PORT_CLANG
#define tlog_port_again(cpu) (&tlog_cpu0)
#endif

/* The same, for a look at what another context may change. */
TLOG_ALWAYS_INLINE volatile struct tlog_cpu *tlog_cpu_here_volatile(void)
{
    return tlog_cpu_here();
}

/* The first chunk of the CPU's ring. With TLOG_RUNS > 1 NULL before the ring is opened. */
TLOG_INLINE struct tlog_chunk *tlog_ring_first(const struct tlog_cpu *cpu)
{
#if TLOG_RUNS > 1
    return ((const volatile struct tlog_cpu *)cpu)->first;
#else
    return cpu->ring->first;
#endif
}

/* The number of this run of the firmware, the same for all rings; 0: not decided yet. */
extern uint32_t tlog_ring_boot;

#if TLOG_CPUS > 1
/* The high word that the ring opened last began with, of all CPUs' rings. */
extern uint32_t tlog_ring_high;
#endif

/* Bits of a code inside the runtime; the head of a slot has no place for them. */
#define TLOG_CODE_URGENT 0x40000000u /* may take an emergency slot */

/* The chunk that a cursor belongs to. The empty assembly makes the compiler address the chunk from its header on,
 * because exclusive loads and stores have no negative offsets. */
TLOG_INLINE struct tlog_chunk *tlog_ring_chunk(uint32_t *cursor)
{
    struct tlog_chunk *chunk = (struct tlog_chunk *)(void *)((char *)cursor - TLOG_CURSOR_OFFSET);
    __asm("" : "+r"(chunk));
    return chunk;
}

/* The current chunk. Not valid before the ring is opened. */
TLOG_INLINE struct tlog_chunk *tlog_ring_home(const struct tlog_cpu *cpu)
{
    return tlog_ring_chunk(((const volatile struct tlog_cpu *)cpu)->cursor);
}

/* Whether the CPU's ring is opened: by tlog_start(), or with TLOG_START = 0 by the first event. */
TLOG_INLINE bool tlog_ring_is_open(const struct tlog_cpu *cpu)
{
    return ((const volatile struct tlog_cpu *)cpu)->cursor != tlog_ring_full;
}

/* Events dropped before that. */
TLOG_INLINE uint32_t tlog_ring_early(const struct tlog_cpu *cpu)
{
#if TLOG_START
    return ((const volatile struct tlog_cpu *)cpu)->early & ~TLOG_COUNT_MIRROR;
#else
    (void)cpu;
    return 0;
#endif
}

/* Whether it is not opened, and no event does that: then events are dropped, and counted. */
TLOG_INLINE bool tlog_ring_is_early(const struct tlog_cpu *cpu)
{
    return TLOG_START > 0 && !tlog_ring_is_open(cpu);
}

TLOG_END_C

#endif
