/* later.c - handlers that an SDK installs at run time: into a table in RAM, each only where the vector has no handler
 * yet or this one, before tlog_irq_trace() and after it. On every core with VTOR, ARMv6-M among them.
 *
 * user_event_1 (number) is logged inside. user_event_5 (number, count): how often each handler ran after it was
 * traced. */
#include "irq.h"

enum { FIRST = 16 + 3, SECOND = 16 + 4, THIRD = 16 + 5 };

static tlog_irq_handler ram_vector_table[TLOG_IRQ_VECTORS] __attribute__((aligned(512)));
static volatile uint32_t ran[NUMBERS];

void unhandled(void);
void unhandled(void)
{
    semihost_exit(40);
}

/* Not under a name that the file's table has. */
static void count(void)
{
    uint32_t number = tlog_irq_active();
    ran[number]++;
    TRACER_LOGEVENT(FTrace_EVT_user_event_1, number, 0);
}

static void radio_arrived(void)
{
    count();
}

static void dma_done(void)
{
    count();
}

static void set_by_tlog(void)
{
    count();
}

/* VTOR of RP2040 has bits 31 to 8 only: what it would make of the address of the table. */
static bool trace_masked(void)
{
    const bool is_traced = tlog_irq_trace();
    VECTORS = (volatile tlog_irq_handler *)((uintptr_t)VECTORS & ~(uintptr_t)0xFF);
    return is_traced;
}

/* What an SDK does. */
static void install(uint32_t number, tlog_irq_handler handler)
{
    check(VECTORS[number] == unhandled || VECTORS[number] == handler, 41);
    VECTORS[number] = handler;
    NVIC_ENABLE = 1u << (number - 16u);
}

int main(void)
{
    for (uint32_t i = 0; i < TLOG_IRQ_VECTORS; i++)
        ram_vector_table[i] = i < 16u ? VECTORS[i] : unhandled;
    VECTORS = ram_vector_table;
    install(FIRST, radio_arrived);
    check(trace_masked() && VECTORS != ram_vector_table, 42);
    pend(FIRST);
    install(SECOND, dma_done);
    pend(SECOND);
    check(ran[FIRST] == 1u && ran[SECOND] == 1u, 43);
    ran[SECOND] = 0; /* it was not traced yet */
    check(trace_masked(), 44);
    pend(SECOND);
    pend(SECOND);
    pend(FIRST);
    tlog_irq_keep(FIRST);
    install(FIRST, radio_arrived);
    check(trace_masked(), 45);
    check(VECTORS[FIRST] == radio_arrived && VECTORS[THIRD] == unhandled, 46);
    check(tlog_irq_set(THIRD, set_by_tlog), 47);
    NVIC_ENABLE = 1u << (THIRD - 16u);
    pend(THIRD);
    for (uint32_t i = FIRST; i <= THIRD; i++)
        TRACER_LOGEVENT(FTrace_EVT_user_event_5, i, ran[i]);
    return tlog_dropped() != 0;
}
