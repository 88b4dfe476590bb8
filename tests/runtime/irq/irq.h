/* irq.h - shared by the parts of this test: app.c has the handlers, fpu.c and cpus.c what only some boards have. */
#ifndef RUNTIME_IRQ_IRQ_H
#define RUNTIME_IRQ_IRQ_H

#include "board.h"
#include "out_semihost.h"
#include "tlog_irq.h"

#if TLOG_CPUS > 1
#define CPUS TLOG_CPUS
#else
#define CPUS 1
#endif

#define ICSR             (*(volatile uint32_t *)0xE000ED04u)
#define VECTORS          (*(volatile tlog_irq_handler *volatile *)0xE000ED08u)
#define NVIC_ENABLE      (*(volatile uint32_t *)0xE000E100u)
#define NVIC_PEND        (*(volatile uint32_t *)0xE000E200u)
#define NVIC_PRIORITY(n) (((volatile uint8_t *)0xE000E400u)[n])
#define SHPR(n)          (((volatile uint8_t *)0xE000ED14u)[n])
#define SYST_CSR         (*(volatile uint32_t *)0xE000E010u)
#define SYST_RVR         (*(volatile uint32_t *)0xE000E014u)
#define SYST_CVR         (*(volatile uint32_t *)0xE000E018u)

/* Exceptions, in the order of their priorities, the lowest first. CHANGED gets other handlers while it runs. */
enum { LOW = 19, MIDDLE = 20, HIGH = 22, KEPT = 23, CHANGED = 24, SYSTICK = 15, NUMBERS = 25 };

/* Parts of the test. SWEEP: ticks of SysTick that the sweep's longest delay has. */
enum { NESTED = 1, CHAINED, AGAIN, UNTRACED, THREADS, SET, FPU, SWEPT, COUNTS, SWEEP = 300 };

extern uint32_t counts[CPUS][NUMBERS];

static inline uint32_t this_cpu(void)
{
#if TLOG_CPUS > 1
    return tlog_port_cpu();
#else
    return 0;
#endif
}

/* End the program with that exit code if the condition is false. */
static inline void check(bool condition, int code)
{
    if (!condition)
        semihost_exit(code);
}

/* Make an exception pending. It has run when this returns, unless it is masked. */
static inline void pend(uint32_t number)
{
    if (number == SYSTICK)
        ICSR = 1u << 26;
    else
        NVIC_PEND = 1u << (number - 16u);
    __asm volatile("dsb\n\tisb" ::: "memory");
}

void set_priorities(void);

/* Fill the registers of the FPU and its status with what the number tells. */
void fpu_fill(uint32_t number);

/* Whether the registers of the FPU are the same after an interrupt. */
bool fpu_survives(uint32_t number);

/* Let the other CPU, if there is one, take interrupts, too, and wait until it has done so. */
void start_other(void);

#endif
