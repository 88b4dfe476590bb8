/* SPDX-License-Identifier: MIT */
/* port_v7a.h - ARMv7-A: Cortex-A7, A12, A15 and A17, and with a clock of the board A5, A8 and A9, in Arm or Thumb
 * state.
 *
 * On these cores an interrupt does not end an exclusive watch; a store-exclusive does, and CLREX. So an interrupted
 * writer's watch ends when the interrupt handler logs, whether that one stores or gives up. tlog needs no more. The
 * usual rule for threads holds, too: the code that switches threads executes CLREX. The memory of the chunks and of
 * tlog's variables must be normal and cacheable, as for any LDREX.
 *
 * Another CPU may take the dump. So a barrier stands between the stores that fill a slot and the one that publishes it.
 *
 * The clock is the virtual count of the generic timer (CNTVCT), or the board's clock. Cortex-A5, A8 and A9 have no
 * generic timer: to read it there is an Undefined Instruction. The clock is read without a barrier, which would cost
 * more than all other instructions together: so a core that executes ahead may read it a few instructions too early. */
#ifndef TLOG_PORT_V7A_H
#define TLOG_PORT_V7A_H

#ifndef TLOG_PORT_H
#error "tlog: include tlog.h"
#endif

#ifndef TLOG_CLOCK_DOWN
#define TLOG_CLOCK_DOWN 0
#endif

/* The compiler has no macro for the generic timer, but the cores that have one are those that can divide. */
#if !defined(TLOG_CLOCK_ADDRESS) && !defined(__ARM_FEATURE_IDIV)
#error "tlog: no generic timer on this core, as far as known: give TLOG_CLOCK_ADDRESS, or -mcpu= for A7, A12, A15, A17"
#endif

/* The clock in the record path, and the stamp where there are enough registers: see port_slots.h. */
#define TLOG_PORT_S ""
#ifdef TLOG_CLOCK_ADDRESS
#define TLOG_PORT_CLOCK_READ "ldr %[low], [%[high], %[at] + 4]\n\t" TLOG_PORT_COUNT
#define TLOG_PORT_STAMP      "ldr %[low], [%[cpu], %[at] + 4]\n\tldr %[high], [%[cpu], %[at]]\n\t" TLOG_PORT_COUNT
#else
#define TLOG_PORT_CLOCK_READ "mrrc p15, 1, %[low], %[slot], c14\n\t"
#define TLOG_PORT_STAMP      "ldr %[high], [%[cpu], %[at]]\n\tmrrc p15, 1, %[low], %[failed], c14\n\t"
#endif

#define TLOG_PORT_FORGET "clrex"
#define TLOG_PORT_ORDER  "dmb ishst"
#if defined(TLOG_CPUS) && TLOG_CPUS > 1
#define TLOG_PORT_FENCE "\n\tdmb ish"
#else
#define TLOG_PORT_FENCE ""
#endif

#include "port_ldrex.h"

TLOG_INLINE uint32_t tlog_port_cpu(void)
{
#ifdef TLOG_CPU_ADDRESS
    return *(const volatile uint32_t *)TLOG_CPU_ADDRESS;
#else
    uint32_t affinity; /* volatile: the thread may be on another CPU the next time */
    __asm volatile("mrc p15, 0, %0, c0, c0, 5" : "=r"(affinity));
    return affinity & 0xFFu;
#endif
}

/* If the store-exclusive failed, leave to the slow path. */
#ifdef __thumb__
#define TLOG_PORT_REFUSED "cbz %[slot], 1f\n\tb %l[slow]\n1:\n\t"
#else
#define TLOG_PORT_REFUSED "teq %[slot], #0\n\tbne %l[slow]\n\t"
#endif

/* Puts the mode of the processor below the wraps of a high word. A handler that has changed to another mode, so that it
 * can be interrupted, cannot be told from a thread in that mode. */
#define TLOG_PORT_CONTEXT TLOG_CONTEXT_MODE
TLOG_INLINE uint32_t tlog_port_context(uint32_t high)
{
    uint32_t mode;
    __asm("mrs %1, cpsr\n\tbfi %0, %1, #0, #5" : "+r"(high), "=&r"(mode));
    return high;
}

/* In the record path the mode goes to the register that held the cursor. With any other register compilers add several
 * moves. */
#if TLOG_CONTEXT
#define TLOG_PORT_STAMP_CONTEXT  "mrs %[cursor], cpsr\n\tbfi %[high], %[cursor], #0, #5"
#define TLOG_PORT_CURSOR_CHANGED , [cursor] "+&r"(word)
#define TLOG_PORT_CURSOR_KEPT
#else
#define TLOG_PORT_STAMP_CONTEXT ""
#define TLOG_PORT_CURSOR_CHANGED
#define TLOG_PORT_CURSOR_KEPT [cursor] "r"(word),
#endif

/* In assembly because each saved register costs: a compiler that tunes for Cortex-A15 saves the caller's registers in
 * pairs, with one instruction each. So the register of the slot's address also takes the clock and the result of the
 * store-exclusive. Then the address is computed again from the cursor, which points behind the slot by then. If the
 * store fails the slow path tries again, so that no value has to be kept for a second try. */
TLOG_ALWAYS_INLINE bool tlog_port_reserve(struct tlog_cpu *cpu, uint32_t *cursor, struct tlog_reserved *out)
{
    uint32_t *slot;
    uint32_t step, high = (uint32_t)cpu;
    register uint32_t low __asm("lr"); /* saved in a pair with slot's register, and restored with the return */
    register uint32_t *word __asm("ip") = cursor;
    TLOG_PORT_FREE_WORD
    TLOG_PORT_ROOM(TLOG_NEED_16_LINES);
    __asm goto volatile("ldrex %[step], [%[cursor]]\n\t"
                        "add %[slot], %[cursor], %[step], lsr #12\n\t"
                        "ldrh %[low], [%[slot], #12]\n\t"
                        "tst %[low], %[step]\n\t"
                        "bne %l[slow]\n\t"
                        "add %[step], %[step], #0x10000\n\t" TLOG_PORT_CLOCK_READ "ldr %[high], [%[high], %[at]]\n\t"
                        "teq %[high], %[low]\n\t"
                        "bmi %l[slow]\n\t"
                        "strex %[slot], %[step], [%[cursor]]\n\t" TLOG_PORT_REFUSED
                        "add %[slot], %[cursor], %[step], lsr #12\n\t" TLOG_PORT_STAMP_CONTEXT
                        : [slot] "=&l"(slot), [step] "=&r"(step), [high] "+&r"(high),
                          [low] "=&r"(low)TLOG_PORT_CURSOR_CHANGED TLOG_PORT_FREE
                        : TLOG_PORT_CURSOR_KEPT[at] "i"(TLOG_PORT_CPU_HIGH)
                        : "memory", "cc"
                        : slow);
    *out = TLOG_LITERAL(tlog_reserved){slot - 4, step, high, low};
    return true;
slow:
    tlog_port_clear_exclusive();
    return false;
}

TLOG_INLINE uint32_t tlog_port_now_at(const volatile uint32_t *clock)
{
#ifdef TLOG_CLOCK_ADDRESS
    return TLOG_PORT_TIME(tlog_port_read(clock));
#else
    uint32_t low, high;
    (void)clock;
    __asm volatile("mrrc p15, 1, %0, %1, c14" : "=r"(low), "=r"(high));
    return low;
#endif
}

/* Nothing to start: the board has started its clock, and the generic timer always counts. */
TLOG_INLINE const volatile uint32_t *tlog_port_clock_start(void)
{
#ifdef TLOG_CLOCK_ADDRESS
    return (const volatile uint32_t *)TLOG_CLOCK_ADDRESS;
#else
    return 0;
#endif
}

#endif
