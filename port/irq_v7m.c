/* SPDX-License-Identifier: MIT */
/* irq_v7m.c - interrupts of Cortex-M with VTOR by way of one function, which logs them: see tlog_irq.h.
 *
 * The vectors of all that is traced point to enter(). It is an ordinary function: the core has saved what a call may
 * change, and put EXC_RETURN into lr, so that any return from it ends the exception. The handlers stay where they are;
 * `handlers` points to the table that was in use before. */
#include "src/tlog_speed.h"
#include "tlog_irq.h"

#include <stddef.h>

#if TLOG_ENABLE && (defined(TLOG_PORT_V7M_H) || defined(TLOG_PORT_V6M_H))

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

/* A bit for each vector that is not traced, by tlog_irq_keep(). */
static volatile uint32_t kept[(TLOG_IRQ_VECTORS + 31) / 32];

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

/* Whether the table has a vector for each interrupt: ICTR counts them in groups of 32. ARMv6-M has one group and no
 * ICTR. */
static bool has_all_vectors(void)
{
#ifdef TLOG_PORT_V6M_H
    const uint32_t groups = 1;
#else
    const uint32_t groups = (TLOG_IRQ_ICTR & 15u) + 1u;
#endif
    uint32_t needed = TLOG_IRQ_FIRST_IRQ + 32u * groups;
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

/* ---- handlers that are installed at run time --------------------------------------------------------------------- */

#ifdef TLOG_IRQ_UNUSED
void TLOG_IRQ_UNUSED(void);
#endif

/* Whether a vector has no handler yet. */
static bool is_unused(tlog_irq_handler handler)
{
#ifdef TLOG_IRQ_UNUSED
    return handler == TLOG_IRQ_UNUSED;
#else
    (void)handler;
    return false;
#endif
}

/* Name an interrupt after a handler that the table in the firmware's file lacks: the decoder knows addresses. */
static void name_handler(uint32_t number, tlog_irq_handler handler)
{
    char name[10];
    uint32_t address = (uint32_t)(uintptr_t)handler;
    name[0] = TLOG_NAME_HANDLER;
    name[9] = '\0';
    for (uint32_t i = 8; i > 0; i--, address >>= 4)
        name[i] = "0123456789abcdef"[address & 15u];
    tlog_name(TLOG_NAME_INTERRUPT, number, name);
}

/* Give an interrupt of a CPU a handler in a table of handlers that may be written. */
static void change(uint32_t cpu, uint32_t number, tlog_irq_handler handler)
{
    if (handlers[cpu] != changed[cpu]) {
        for (uint32_t i = 0; i < TLOG_IRQ_VECTORS; i++)
            changed[cpu][i] = handlers[cpu][i];
        synchronize();
        handlers[cpu] = changed[cpu];
    }
    changed[cpu][number] = handler;
}

/* Trace the handlers that were written into the table since it is in use. */
static void take_installed(void)
{
    for (uint32_t i = TLOG_IRQ_FIRST_TRACED; i < TLOG_IRQ_VECTORS; i++) {
        tlog_irq_handler handler = vectors[i];
        if (handler == enter || (kept[i / 32u] >> i % 32u & 1u) != 0 || is_unused(handler))
            continue;
        for (uint32_t cpu = 0; cpu < TLOG_CPUS; cpu++) {
            if (handlers[cpu] != NULL)
                change(cpu, i, handler);
        }
        synchronize();
        vectors[i] = enter;
        name_handler(i, handler);
    }
    synchronize();
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

static void make_vectors(const volatile tlog_irq_handler *table)
{
    for (uint32_t i = 0; i < TLOG_IRQ_VECTORS; i++) {
        if (!is_traceable(i) || is_unused(table[i])) {
            vectors[i] = table[i];
        } else if (vectors[i] == NULL) {
            vectors[i] = enter;
#ifdef TLOG_IRQ_UNUSED
            if (i >= TLOG_IRQ_FIRST_IRQ)
                name_handler(i, table[i]);
#endif
        }
    }
}

bool tlog_irq_trace(void)
{
    const volatile tlog_irq_handler *table = handlers_now();
    if (is_moved()) {
        take_installed();
        return true;
    }
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
    kept[number / 32u] |= 1u << number % 32u;
    vectors[number] = handlers_now()[number];
    synchronize();
}

bool tlog_irq_set(uint32_t number, tlog_irq_handler handler)
{
    uint32_t cpu = this_cpu();
    if (!is_moved() || !is_traceable(number))
        return false;
    change(cpu, number, handler);
    kept[number / 32u] &= ~(1u << number % 32u);
    vectors[number] = enter;
    synchronize();
    name_handler(number, handler);
    return true;
}

#endif
