/* SPDX-License-Identifier: MIT */
/* port_ldrex.h - the functions of tlog_port.h that all cores with LDREX and STREX share: ARMv7-M, ARMv8-M mainline,
 * ARMv7-A.
 *
 * port_v7m.h and port_v7a.h include this. Before that they define what differs between them, as assembly:
 *   TLOG_PORT_STAMP   loads cpu->high into %[high] and the clock into %[low], from its address there by
 *                     TLOG_PORT_COUNT; it may use %[failed]
 *   TLOG_PORT_S       "s" if MVNS and LSLS are to be used, not MVN and LSL
 *   TLOG_PORT_FORGET  ends a watch without a store
 *   TLOG_PORT_ORDER   makes earlier stores visible before later ones
 *   TLOG_PORT_FENCE   with several CPUs: a barrier, on a line of its own; otherwise nothing
 *   TLOG_PORT_AGAIN   if they have a tlog_port_again() of their own
 */
#ifndef TLOG_PORT_LDREX_H
#define TLOG_PORT_LDREX_H

#ifndef TLOG_PORT_H
#error "tlog: include tlog.h"
#endif

/* Byte offset of the member high in struct tlog_cpu; the member clock follows it. tlog_ring.h asserts both. */
#define TLOG_PORT_CPU_HIGH 8

/* Turns the address of the clock in %[low] into the time. TLOG_CLOCK_READ needs a
 * working register; other clocks none, so there TLOG_PORT_FREE_WORD declares and TLOG_PORT_FREE adds nothing. */
#ifdef TLOG_CLOCK_READ
#define TLOG_PORT_COUNT     TLOG_CLOCK_READ "\n\t" TLOG_PORT_WIDEN(TLOG_PORT_S)
#define TLOG_PORT_FREE      , [free] "=&l"(free)
#define TLOG_PORT_FREE_WORD uint32_t free;
#else
#define TLOG_PORT_COUNT "ldr %[low], [%[low]]\n\t" TLOG_PORT_WIDEN(TLOG_PORT_S)
#define TLOG_PORT_FREE
#define TLOG_PORT_FREE_WORD
#endif

/* In Arm state LDREX takes no offset, and LDRD takes only certain pairs of registers. */
#ifdef __thumb__
#define TLOG_PORT_MEMORY "Uv"
#else
#define TLOG_PORT_MEMORY "Q"
#endif

TLOG_INLINE uint32_t tlog_port_load_exclusive(const uint32_t *word)
{
    uint32_t value;
    __asm volatile("ldrex %0, %1" TLOG_PORT_FENCE : "=r"(value) : TLOG_PORT_MEMORY(*word) : "memory");
    return value;
}

TLOG_INLINE uint32_t tlog_port_store_exclusive(uint32_t value, uint32_t *word)
{
    uint32_t failed;
    __asm volatile("strex %0, %2, %1" TLOG_PORT_FENCE
                   : "=&r"(failed), "=" TLOG_PORT_MEMORY(*word)
                   : "r"(value)
                   : "memory");
    return failed;
}

#if defined(__thumb__) && __ARM_ARCH_PROFILE == 'M'
/* The compiler, given the same steps, needs one more instruction, to branch back. */
#define TLOG_PORT_PUT_WHILE
TLOG_ALWAYS_INLINE void tlog_port_put_while(uint32_t *word, uint32_t value, const uint32_t *guard, uint32_t seen)
{
    uint32_t failed;
    if (__builtin_constant_p(seen == 0) && seen == 0)
        __asm volatile("1:\n\t"
                       "ldrex %[failed], %[word]" TLOG_PORT_FENCE "\n\t"
                       "ldr %[failed], %[guard]\n\t"
                       "cbnz %[failed], 2f\n\t"
                       "strex %[failed], %[value], %[word]" TLOG_PORT_FENCE "\n\t"
                       "cbz %[failed], 2f\n\tb 1b\n2:"
                       : [failed] "=&l"(failed), [word] "+" TLOG_PORT_MEMORY(*word)
                       : [guard] "m"(*guard), [value] "r"(value)
                       : "memory");
    else
        __asm volatile("1:\n\t"
                       "ldrex %[failed], %[word]" TLOG_PORT_FENCE "\n\t"
                       "ldr %[failed], %[guard]\n\t"
                       "cmp %[failed], %[seen]\n\t"
                       "bne 2f\n\t"
                       "strex %[failed], %[value], %[word]" TLOG_PORT_FENCE "\n\t"
                       "cbz %[failed], 2f\n\tb 1b\n2:"
                       : [failed] "=&l"(failed), [word] "+" TLOG_PORT_MEMORY(*word)
                       : [guard] "m"(*guard), [seen] "r"(seen), [value] "r"(value)
                       : "memory", "cc");
}
#endif

TLOG_INLINE void *tlog_port_load_exclusive_pointer(void *const *word)
{
    void *value;
    __asm volatile("ldrex %0, %1" TLOG_PORT_FENCE : "=r"(value) : TLOG_PORT_MEMORY(*word) : "memory");
    return value;
}

TLOG_INLINE uint32_t tlog_port_store_exclusive_pointer(void *value, void **word)
{
    uint32_t failed;
    __asm volatile("strex %0, %2, %1" TLOG_PORT_FENCE
                   : "=&r"(failed), "=" TLOG_PORT_MEMORY(*word)
                   : "r"(value)
                   : "memory");
    return failed;
}

TLOG_INLINE void tlog_port_clear_exclusive(void)
{
    __asm volatile(TLOG_PORT_FORGET::: "memory");
}

#ifndef TLOG_PORT_AGAIN
TLOG_INLINE struct tlog_cpu *tlog_port_again(struct tlog_cpu *cpu)
{
    return cpu;
}
#endif

TLOG_INLINE void tlog_port_publish(void)
{
    __asm volatile(TLOG_PORT_ORDER::: "memory");
}

TLOG_INLINE void tlog_port_head(uint32_t *slot, uint32_t low, uint32_t high)
{
    __asm("bfi %0, %1, #16, #16" : "+r"(low) : "r"(high));
    *(volatile uint32_t *)(slot + TLOG_WORD_HEAD) = low;
}

/* On ARMv7-A the compiler finds that by itself, and saves fewer registers than with this assembly. */
#if defined(__thumb__) && __ARM_ARCH_PROFILE == 'M'
#define TLOG_PORT_PUT_TWO
TLOG_ALWAYS_INLINE void tlog_port_put_two(uint32_t *to, uint32_t first, uint32_t second)
{
    __asm volatile("strd %1, %2, %0" : "=" TLOG_PORT_MEMORY(*to) : "r"(first), "r"(second) : "memory");
}
#endif

#ifdef __thumb__
/* The compiler, given the same steps, needs three more instructions: to have the address in a register, to compare, and
 * to branch back. */
#define TLOG_PORT_ADD
TLOG_ALWAYS_INLINE void tlog_port_add(uint32_t *word, uint32_t n)
{
    uint32_t sum, failed;
    __asm volatile("1:\n\t"
                   "ldrex %[sum], %[word]" TLOG_PORT_FENCE "\n\t"
                   "add %[sum], %[n]\n\t"
                   "strex %[failed], %[sum], %[word]" TLOG_PORT_FENCE "\n\t"
                   "cbz %[failed], 2f\n\tb 1b\n2:"
                   : [sum] "=&r"(sum), [failed] "=&l"(failed), [word] "+" TLOG_PORT_MEMORY(*word)
                   : [n] "rI"(n)
                   : "memory");
}
#endif

/* Loads the filter word and the address of home's cursor: in Thumb state with one LDRD, which takes any two
 * registers. */
TLOG_INLINE uint32_t tlog_port_filter(const struct tlog_cpu *cpu, uint32_t **cursor)
{
    uint32_t filter;
#ifdef __thumb__
    __asm volatile("ldrd %0, %1, [%2]" : "=r"(filter), "=r"(*cursor) : "r"(cpu) : "memory");
#else
    __asm volatile("ldr %0, [%2]\n\tldr %1, [%2, #4]" : "=&r"(filter), "=r"(*cursor) : "r"(cpu) : "memory");
#endif
    return filter;
}

#ifdef __thumb__
#include "port_slots.h"
#endif

#endif
