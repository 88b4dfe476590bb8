/* cpus.c - interrupts of a second CPU, which shares the vectors in RAM. */
#include "irq.h"

#if TLOG_CPUS > 1
#include "board_cpus.h"

static volatile uint32_t done, ours;

/* A table that differs where nothing is traced cannot be shared. */
static void try_vectors(void)
{
    volatile tlog_irq_handler *own = VECTORS;
    const tlog_irq_handler was = own[14];
    own[14] = own[15];
    check(!tlog_irq_trace() && VECTORS == own, 40);
    own[14] = was;
    check(tlog_irq_trace() && VECTORS != own, 41);
    check(!tlog_irq_set(14, was), 42);
}

/* A handler that CPU 1 has set for itself. */
static void handler_of_1(void)
{
    check(this_cpu() == 1, 44);
    counts[1][CHANGED]++;
    ours++;
}

static void run(void)
{
    try_vectors();
    set_priorities();
    check(tlog_irq_set(CHANGED, handler_of_1), 45);
    for (uint32_t i = 0; i < 20u; i++) {
        pend(LOW);
        pend(KEPT);
        pend(CHANGED);
    }
    check(ours == 20, 46);
    done = 1;
    for (uint32_t i = 0; i < 40u; i++)
        pend(MIDDLE);
    done = 2;
}

void start_other(void)
{
    check(board_start_cpu(1, run) == 0, 43);
    while (done == 0)
        pend(HIGH), pend(CHANGED);
    while (done == 1)
        pend(LOW);
}
#else
void start_other(void)
{
}
#endif
