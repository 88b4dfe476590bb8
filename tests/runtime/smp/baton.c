/* baton.c - two CPUs, one dump: the CPU whose turn it is logs the baton's number and hands the baton on; interrupts
 * log, too. The numbers tell in which order the events of both CPUs happened. */
#include "board_cpus.h"
#include "irq.h"
#include "tlog.h"

enum { HANDED_ON = 1500 };

static volatile uint32_t baton, ended;

uint32_t smp_random(void)
{
    return 0x4000;
}

void smp_low_interrupt(void)
{
    TRACER_LOGEVENT(FTrace_EVT_user_event_1, tlog_cpu_number(), baton);
}

void smp_high_interrupt(void)
{
    tlog_event(TLOG_TRACE_USER, 5, tlog_cpu_number(), baton);
}

static void work(void)
{
    uint32_t me = tlog_cpu_number();
    tlog_name(TLOG_NAME_INTERRUPT, 40u + me, me == 0 ? "first" : "second");
    start_interrupts();
    for (uint32_t number; (number = baton) < HANDED_ON;) {
        if (number % TLOG_CPUS != me)
            continue;
        tlog_port_publish();
        TRACER_LOGEVENT(FTrace_EVT_user_event_0, me, number);
        tlog_port_publish();
        baton = number + 1u;
    }
    stop_interrupts();
    tlog_ring_add((uint32_t *)(uintptr_t)&ended, 1u);
}

int main(void)
{
    for (uint32_t i = 1; i < TLOG_CPUS; i++)
        if (board_start_cpu(i, work) != 0)
            return 3;
    work();
    while (ended < TLOG_CPUS)
        ;
    return 0;
}
