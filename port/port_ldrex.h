/* port_ldrex.h - the functions of tlog_port.h that all cores with LDREX and STREX share: ARMv7-M, ARMv8-M mainline,
 * ARMv7-A.
 *
 * port_v7m.h and port_v7a.h include this. Before that they define what differs between them, as assembly:
 *   TLOG_PORT_STAMP   loads cpu->high into %[high] and the clock into %[low]; it may use %[failed]
 *   TLOG_PORT_FORGET  ends a watch without a store
 *   TLOG_PORT_ORDER   makes earlier stores visible before later ones
 *   TLOG_PORT_FENCE   with several CPUs: a barrier, on a line of its own; otherwise nothing
 */
#ifndef TLOG_PORT_LDREX_H
#define TLOG_PORT_LDREX_H

#ifndef TLOG_PORT_H
#error "tlog: include tlog.h"
#endif

/* Byte offset of the member high in struct tlog_cpu; the member clock follows it. tlog_ring.h asserts both. */
#define TLOG_PORT_CPU_HIGH 8

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

TLOG_INLINE struct tlog_cpu *tlog_port_again(struct tlog_cpu *cpu)
{
    return cpu;
}

TLOG_INLINE void tlog_port_publish(void)
{
    __asm volatile(TLOG_PORT_ORDER::: "memory");
}

TLOG_INLINE void tlog_port_head(uint32_t *slot, uint32_t low, uint32_t high)
{
    __asm("bfi %0, %1, #16, #16" : "+r"(low) : "r"(high));
    *(volatile uint32_t *)slot = low;
}

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
