/* irq.h - what tlog_riot.c sees of RIOT's interrupts. The names are the kernel's. */
#ifndef RTOS_RIOT_IRQ_H
#define RTOS_RIOT_IRQ_H

#include <stdbool.h>
#include <stdint.h>

static inline bool irq_is_in(void)
{
    uint32_t number;
    __asm volatile("mrs %0, ipsr" : "=r"(number));
    return number != 0;
}

static inline unsigned irq_disable(void)
{
    uint32_t mask;
    __asm volatile("mrs %0, primask\n\tcpsid i" : "=r"(mask)::"memory");
    return mask;
}

static inline void irq_restore(unsigned mask)
{
    __asm volatile("msr primask, %0" ::"r"(mask) : "memory");
}

#endif
