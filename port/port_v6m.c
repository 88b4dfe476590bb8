/* port_v6m.c - the exclusive load and store that ARMv6-M lacks. In assembly, so that the stack pointer in them is their
 * caller's. */
#include "tlog_port.h"

#ifdef TLOG_PORT_V6M_H

uint32_t tlog_port_watch;

__attribute__((naked)) uint32_t tlog_port_load_exclusive(const uint32_t *word)
{
    __asm volatile("ldr r2, =tlog_port_watch\n\t"
                   "mov r3, sp\n\t"
                   "str r3, [r2]\n\t"
                   "ldr r0, [r0]\n\t"
                   "bx lr\n\t"
                   ".ltorg");
}

__attribute__((naked)) uint32_t tlog_port_store_exclusive(uint32_t value, uint32_t *word)
{
    __asm volatile("ldr r2, =tlog_port_watch\n\t"
                   "mrs r3, primask\n\t"
                   "cpsid i\n\t"
                   "ldr r2, [r2]\n\t"
                   "cmp r2, sp\n\t"
                   "bne 1f\n\t"
                   "str r0, [r1]\n\t"
                   "msr primask, r3\n\t"
                   "movs r0, #0\n\t"
                   "bx lr\n"
                   "1: msr primask, r3\n\t"
                   "movs r0, #1\n\t"
                   "bx lr\n\t"
                   ".ltorg");
}

#endif
