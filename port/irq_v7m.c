/* SPDX-License-Identifier: MIT */
/* irq_v7m.c - interrupts of ARMv7-M and ARMv8-M mainline by way of one function, which logs them: see tlog_irq.h.
 *
 * The vectors of all that is traced point to enter(). It is an ordinary function: the core has saved what a call may
 * change, and put EXC_RETURN into lr, so that any return from it ends the exception. The handlers stay where they are;
 * `handlers` points to the table that was in use before. */
#include "tlog_irq.h"

#include <stddef.h>

#if TLOG_ENABLE && defined(TLOG_PORT_V7M_H)

#define TLOG_IRQ_ICTR (*(const volatile uint32_t *)0xE000E004u)
#define TLOG_IRQ_VTOR (*(volatile uint32_t *)0xE000ED08u)

enum {
    TLOG_IRQ_RESET = 1,
    TLOG_IRQ_FIRST_OWN = 2,     /* vector that is used after reset */
    TLOG_IRQ_FIRST_TRACED = 15, /* SysTick */
    TLOG_IRQ_FIRST_IRQ = 16,
    TLOG_IRQ_VECTORS_MOST = 512,
};

/* VTOR wants the table aligned to its size, rounded up to a power of two, and to 128 bytes at least. */
#define TLOG_IRQ_ALIGNMENT                                                                                             \
    (TLOG_IRQ_VECTORS <= 64 ? 256 : TLOG_IRQ_VECTORS <= 128 ? 512 : TLOG_IRQ_VECTORS <= 256 ? 1024 : 2048)

/* The table in RAM. A vector that is set before the table is in use was kept. All CPUs use it. */
static volatile tlog_irq_handler vectors[TLOG_IRQ_VECTORS] __attribute__((aligned(TLOG_IRQ_ALIGNMENT)));

/* Of each CPU the table of its handlers, which may be at address 0; and the one to which tlog_irq_set() moves it. */
static const volatile tlog_irq_handler *handlers[TLOG_CPUS];
static volatile tlog_irq_handler changed[TLOG_CPUS][TLOG_IRQ_VECTORS];

static uint32_t this_cpu(void)
{
#if TLOG_CPUS > 1
    return tlog_port_cpu();
#else
    return 0;
#endif
}

/* What follows must see the table as it was written. */
static void synchronize(void)
{
    __asm volatile("dsb\n\tisb" ::: "memory");
}

/* What the vectors of traced handlers hold, for tlog_rtos.h; NULL until there are any. In a section of its own, so that
 * a kernel's hooks do not keep the tables in firmware that has no use for them. */
extern volatile tlog_irq_handler tlog_irq_entry;
volatile tlog_irq_handler tlog_irq_entry __attribute__((section(".bss.tlog_irq_entry")));

/* Functions of their own: while the handler runs, no register of theirs takes stack. */
__attribute__((noinline, no_instrument_function)) static void log_start(uint32_t number)
{
    TRACER_LOGEVENT(FTrace_EVT_interrupt_start, number, 0);
}

__attribute__((noinline, no_instrument_function)) static void log_end(uint32_t number)
{
    TRACER_LOGEVENT(FTrace_EVT_interrupt_end, number, 0);
}

__attribute__((no_instrument_function)) static void enter(void)
{
    uint32_t number = tlog_irq_active();
    log_start(number);
    handlers[this_cpu()][number]();
    log_end(number);
}

static bool is_traceable(uint32_t number)
{
    return number >= TLOG_IRQ_FIRST_TRACED && number < TLOG_IRQ_VECTORS;
}

static bool is_moved(void)
{
    return TLOG_IRQ_VTOR == (uint32_t)(uintptr_t)vectors;
}

/* The table of the calling CPU's handlers. */
static const volatile tlog_irq_handler *handlers_now(void)
{
    return is_moved() ? handlers[this_cpu()] : (const volatile tlog_irq_handler *)(uintptr_t)TLOG_IRQ_VTOR;
}

/* Whether the table has a vector for each interrupt: ICTR counts them in groups of 32. */
static bool has_all_vectors(void)
{
    uint32_t needed = TLOG_IRQ_FIRST_IRQ + 32u * ((TLOG_IRQ_ICTR & 15u) + 1u);
    return (needed < TLOG_IRQ_VECTORS_MOST ? needed : TLOG_IRQ_VECTORS_MOST) <= TLOG_IRQ_VECTORS;
}

/* Whether a CPU with these handlers can use the vectors that another one has made. */
static bool is_alike(const volatile tlog_irq_handler *table)
{
    for (uint32_t i = TLOG_IRQ_FIRST_OWN; i < TLOG_IRQ_VECTORS; i++) {
        if (vectors[i] != enter && vectors[i] != table[i])
            return false;
    }
    return true;
}

static void make_vectors(const volatile tlog_irq_handler *table)
{
    for (uint32_t i = 0; i < TLOG_IRQ_VECTORS; i++) {
        if (!is_traceable(i))
            vectors[i] = table[i];
        else if (vectors[i] == NULL)
            vectors[i] = enter;
    }
}

bool tlog_irq_trace(void)
{
    const volatile tlog_irq_handler *table = handlers_now();
    if (is_moved())
        return true;
    if (!has_all_vectors() || (vectors[TLOG_IRQ_RESET] != NULL && !is_alike(table)))
        return false;
    if (vectors[TLOG_IRQ_RESET] == NULL)
        make_vectors(table);
    handlers[this_cpu()] = table;
    tlog_irq_entry = enter;
    synchronize();
    TLOG_IRQ_VTOR = (uint32_t)(uintptr_t)vectors;
    synchronize();
    if (!is_moved())
        TLOG_IRQ_VTOR = (uint32_t)(uintptr_t)table;
    synchronize();
    return is_moved();
}

void tlog_irq_keep(uint32_t number)
{
    if (!is_traceable(number))
        return;
    vectors[number] = handlers_now()[number];
    synchronize();
}

bool tlog_irq_set(uint32_t number, tlog_irq_handler handler)
{
    uint32_t cpu = this_cpu();
    if (!is_moved() || !is_traceable(number))
        return false;
    if (handlers[cpu] != changed[cpu]) {
        for (uint32_t i = 0; i < TLOG_IRQ_VECTORS; i++)
            changed[cpu][i] = handlers[cpu][i];
        synchronize();
        handlers[cpu] = changed[cpu];
    }
    changed[cpu][number] = handler;
    vectors[number] = enter;
    synchronize();
    return true;
}

#endif
