/* context_m.c - enters the exceptions of a Cortex-M: software makes each of them pending, and two external interrupts
 * nest. */
#include "context.h"

#define ICSR         (*(volatile uint32_t *)0xE000ED04u)
#define NVIC_ENABLE  (*(volatile uint32_t *)0xE000E100u)
#define NVIC_PEND    (*(volatile uint32_t *)0xE000E200u)
#define NVIC_OUTER_P ((volatile uint32_t *)0xE000E400u)[OUTER / 4]

enum { OUTER = 3, INNER = 29, PEND_NMI = 31, PEND_PENDSV = 28, PEND_SYSTICK = 26 };

void nmi_handler(void);
void hardfault_handler(void);
void hardfault(uint32_t *frame);
void svc_handler(void);
void pendsv_handler(void);
void systick_handler(void);
void irq_3_handler(void);
void irq_29_handler(void);

static void barrier(void)
{
    __asm volatile("dsb\n\tisb" ::: "memory");
}

/* An NMI may not log on ARMv6-M. */
void nmi_handler(void)
{
#ifndef TLOG_PORT_V6M_H
    log_in(2);
#endif
}

/* Returns to the instruction after the undefined 16-bit instruction. */
__attribute__((used)) void hardfault(uint32_t *frame)
{
    log_in(3);
    frame[6] += 2u;
}

__attribute__((naked)) void hardfault_handler(void)
{
    __asm volatile("mov r0, sp\n\tldr r1, =hardfault\n\tbx r1\n\t.ltorg");
}

void svc_handler(void)
{
    log_in(11);
}

void pendsv_handler(void)
{
    log_in(14);
}

void systick_handler(void)
{
    log_in(15);
}

void irq_29_handler(void)
{
    log_in(16 + INNER);
}

void irq_3_handler(void)
{
    log_in(16 + OUTER);
    if (is_urgent)
        return;
    NVIC_PEND = 1u << INNER;
    barrier();
    log_in(16 + OUTER);
}

void prepare_contexts(void)
{
    NVIC_OUTER_P |= 0x80u << OUTER % 4 * 8;
    NVIC_ENABLE = 1u << OUTER | 1u << INNER;
}

void log_in_interrupt(void)
{
    NVIC_PEND = 1u << OUTER;
    barrier();
}

static void pend(uint32_t bit)
{
    ICSR = 1u << bit;
    barrier();
}

void log_everywhere(void)
{
    log_in(0);
    log_in_interrupt();
    log_in(0);
    pend(PEND_NMI);
    pend(PEND_PENDSV);
    pend(PEND_SYSTICK);
    __asm volatile("svc #1" ::: "memory");
    log_in(0);
    __asm volatile("udf #1" ::: "memory");
    log_in(0);
}
