/* SPDX-License-Identifier: MIT */
/* port_v7m.h - ARMv7-M and ARMv8-M mainline: Cortex-M3, M4, M7, M33, M35P, M52, M55, M85.
 *
 * Every exception entry and return clears the exclusive monitor of these cores. That is all that a CPU needs against
 * its own interrupts; none is masked here. */
#ifndef TLOG_PORT_V7M_H
#define TLOG_PORT_V7M_H

#ifndef TLOG_PORT_H
#error "tlog: include tlog.h"
#endif

/* Addresses of the DWT's registers; tests define others. */
#ifndef TLOG_PORT_DEMCR
#define TLOG_PORT_DEMCR      0xE000EDFCu
#define TLOG_PORT_DWT_CTRL   0xE0001000u
#define TLOG_PORT_DWT_CYCCNT 0xE0001004u
#define TLOG_PORT_DWT_LAR    0xE0001FB0u
#endif

/* TLOG_CLOCK_CYCCNT: whether the clock may be the DWT's CYCCNT: always if the board gives no clock; or it is chosen at
 * run time, if the board gives a clock that counts up equally fast. */
#ifndef TLOG_CLOCK_ADDRESS
#define TLOG_CLOCK_ADDRESS TLOG_PORT_DWT_CYCCNT
#define TLOG_CLOCK_CYCCNT  1
#elif !defined(TLOG_CLOCK_CYCCNT)
#define TLOG_CLOCK_CYCCNT 0
#endif
#ifndef TLOG_CLOCK_DOWN
#define TLOG_CLOCK_DOWN 0
#endif
#if TLOG_CLOCK_CYCCNT && TLOG_CLOCK_DOWN
#error "tlog: a clock that counts down cannot be chosen at run time besides CYCCNT, which counts up"
#endif
#if TLOG_CLOCK_CYCCNT && (TLOG_CLOCK_BITS != 32 || defined(TLOG_CLOCK_READ))
#error "tlog: TLOG_CLOCK_BITS and TLOG_CLOCK_READ cannot be chosen at run time besides CYCCNT, one load of 32 bits"
#endif

#define TLOG_PORT_S      "s"
#define TLOG_PORT_STAMP  "ldrd %[high], %[low], [%[cpu], %[at]]\n\t" TLOG_PORT_COUNT
#define TLOG_PORT_FORGET ""
#if defined(TLOG_CPUS) && TLOG_CPUS > 1
#define TLOG_PORT_ORDER "dmb"
#define TLOG_PORT_FENCE "\n\tdmb"
#else
#define TLOG_PORT_ORDER ""
#define TLOG_PORT_FENCE ""
#endif

/* With -Os the fast path leaves cpu in no register, see tlog_port_reserve(). Where it is a constant it is loaded again,
 * which saves a copy. */
#if defined(__OPTIMIZE_SIZE__) && !defined(__PIC__) && (!defined(TLOG_CPUS) || TLOG_CPUS == 1)
#define TLOG_PORT_AGAIN
TLOG_ALWAYS_INLINE struct tlog_cpu *tlog_port_again(struct tlog_cpu *cpu)
{
    __asm("movw %0, #:lower16:%c1\n\tmovt %0, #:upper16:%c1" : "=r"(cpu) : "i"(cpu));
    return cpu;
}
#endif

/* Whether it does so with clang, too: that saves registers in pairs, so one less saves two instructions.
 * target/src/tlog_cpu.h has the tlog_port_again() for it. */
#if defined(__clang__) && defined(__OPTIMIZE__) && !defined(__OPTIMIZE_SIZE__)                                         \
    && (!defined(TLOG_CPUS) || TLOG_CPUS == 1)
#define TLOG_PORT_CLANG
#endif

#include "port_ldrex.h"

/* Puts the number of the active exception, 0 in threads, below the wraps of a high word. */
#define TLOG_PORT_CONTEXT TLOG_CONTEXT_EXCEPTION
TLOG_ALWAYS_INLINE uint32_t tlog_port_context(uint32_t high)
{
    uint32_t number;
    __asm("mrs %0, ipsr" : "=r"(number) : "r"(high)); /* the input keeps this behind the load of high */
    return high | number;
}

#if !defined(TLOG_CPUS) || TLOG_CPUS == 1
/* One store takes ascending registers to ascending addresses, so the head comes last. If an interrupt breaks it off, it
 * goes on or begins again, and neither once the head is written. The data often are in r0 and r1 already. */
#define TLOG_PORT_PUT_SLOT
TLOG_ALWAYS_INLINE void tlog_port_put_slot(uint32_t *slot, uint32_t d0, uint32_t d1, uint32_t low, uint32_t head)
{
    register uint32_t first __asm("r0") = d0;
    register uint32_t second __asm("r1") = d1;
    register uint32_t stamp __asm("r2") = low;
    register uint32_t last __asm("r3") = head;
    __asm volatile("stm.w %0, {%1, %2, %3, %4}" ::"r"(slot), "r"(first), "r"(second), "r"(stamp), "r"(last) : "memory");
}

/* The same for the second half of a slot, with any registers. */
#define TLOG_PORT_PUT_END
TLOG_ALWAYS_INLINE void tlog_port_put_end(uint32_t *slot, uint32_t low, uint32_t head)
{
    tlog_port_put_two(slot + TLOG_WORD_LOW, low, head);
}
#endif

#if defined(TLOG_CPUS) && TLOG_CPUS > 1
#ifndef TLOG_CPU_ADDRESS
#error "tlog: the board must give TLOG_CPU_ADDRESS, where a CPU reads its number (port/tlog_port.h)"
#endif
#if TLOG_CLOCK_CYCCNT
#error "tlog: every core has a CYCCNT of its own; the board must give TLOG_CLOCK_ADDRESS, a clock that all read"
#endif
TLOG_INLINE uint32_t tlog_port_cpu(void)
{
    return *(const volatile uint32_t *)TLOG_CPU_ADDRESS;
}
#endif

/* The steps up to the store-exclusive, and the branches that leave before it. */
#define TLOG_PORT_RESERVE(LEAVE, RESULT)                                                                               \
    "ldrex %[step], [%[cursor]]\n\t"                                                                                   \
    "add %[slot], %[cursor], %[step], lsr #12\n\t"                                                                     \
    "ldrh %[low], [%[slot], #12]\n\t"                                                                                  \
    "tst %[low], %[step]\n\t"                                                                                          \
    "bne " LEAVE "\n\t"                                                                                                \
    "add %[step], %[step], #0x10000\n\t" TLOG_PORT_STAMP "teq %[high], %[low]\n\t"                                     \
    "bmi " LEAVE "\n\t"                                                                                                \
    "strex " RESULT ", %[step], [%[cursor]]\n"

/* In assembly because the compiler, given the same steps, needs four more instructions and two more registers. */
TLOG_ALWAYS_INLINE bool tlog_port_reserve(struct tlog_cpu *cpu, uint32_t *cursor, struct tlog_reserved *out)
{
    uint32_t *slot;
    uint32_t step, high, low, failed;
    TLOG_PORT_FREE_WORD
    TLOG_PORT_ROOM(TLOG_NEED_16_LINES);
#if defined(__OPTIMIZE_SIZE__) || defined(TLOG_PORT_CLANG)
    /* With -Os gcc does not place the normal case behind an asm goto, so that it often costs a jump. This is none, in
     * as many instructions: it leaves with cpu, which is not 0, in the register of the store's result. If the store
     * fails, the slow path tries again. */
    failed = (uint32_t)cpu;
    __asm volatile(TLOG_PORT_RESERVE("2f", "%[cpu]") "2:"
                   : [slot] "=&r"(slot), [step] "=&r"(step), [high] "=&r"(high), [low] "=&r"(low),
                     [cpu] "+&l"(failed)TLOG_PORT_FREE
                   : [cursor] "r"(cursor), [at] "i"(TLOG_PORT_CPU_HIGH)
                   : "memory", "cc");
    if (failed != 0)
        goto slow;
#else
    /* After the store-exclusive a CBZ jumps over the branch back: so the normal case leaves the loop with one
     * instruction. */
    __asm goto volatile("1:\n\t" TLOG_PORT_RESERVE("%l[slow]", "%[failed]") "\tcbz %[failed], 2f\n\tb 1b\n2:"
                        : [slot] "=&r"(slot), [step] "=&r"(step), [high] "=&r"(high), [low] "=&r"(low),
                          [failed] "=&l"(failed)TLOG_PORT_FREE
                        : [cursor] "r"(cursor), [cpu] "r"(cpu), [at] "i"(TLOG_PORT_CPU_HIGH)
                        : "memory", "cc"
                        : slow);
#endif
    *out = TLOG_LITERAL(tlog_reserved){slot, step, TLOG_CONTEXT ? tlog_port_context(high) : high, low};
    return true;
slow:
    tlog_port_clear_exclusive();
    return false;
}

TLOG_INLINE uint32_t tlog_port_now_at(const volatile uint32_t *clock)
{
    return TLOG_PORT_TIME(tlog_port_read(clock));
}

#if TLOG_CLOCK_CYCCNT
const volatile uint32_t *tlog_port_clock_start(void);
#else
TLOG_INLINE const volatile uint32_t *tlog_port_clock_start(void)
{
    TLOG_CLOCK_START;
    return (const volatile uint32_t *)TLOG_CLOCK_ADDRESS;
}
#endif

#endif
