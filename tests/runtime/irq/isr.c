/* isr.c - handlers made by TLOG_ISR(), one of which interrupts the other; each leaves early now and then.
 *
 * user_event_1 (number) is logged inside. user_event_5 (number, count): how often each handler ran. */
#include "board.h"
#include "tlog_irq.h"

#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
enum { OUTER = 16 + 5, INNER = 16 + 6 };
#define ISR(name, number) TLOG_ISR(name)
#else
enum { OUTER = 5, INNER = 6 };
#define ISR(name, number) TLOG_ISR(name, number)
#endif

static volatile uint32_t outer, inner;

static void pend(uint32_t number)
{
#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
    *(volatile uint32_t *)0xE000E200u = 1u << (number - 16u);
#else
    *(volatile uint32_t *)(BOARD_GIC_DISTRIBUTOR + 0xF00u) = 2u << 24 | number;
#endif
    __asm volatile("dsb\n\tisb\n\tnop\n\tnop" ::: "memory");
}

static void prepare(void)
{
#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
    ((volatile uint32_t *)0xE000E400u)[1] = 0x0000C000u; /* of 4 to 7 */
    *(volatile uint32_t *)0xE000E100u = 3u << 5;
#else
    ((volatile uint32_t *)(BOARD_GIC_DISTRIBUTOR + 0x400u))[1] = 0x0040A000u;
    *(volatile uint32_t *)(BOARD_GIC_DISTRIBUTOR + 0x100u) = 3u << 5;
#endif
}

ISR(irq_6_handler, INNER)
{
    inner++;
    if (inner % 3u == 0)
        return;
    TRACER_LOGEVENT(FTrace_EVT_user_event_1, INNER, inner);
}

ISR(irq_5_handler, OUTER)
{
    outer++;
    if (outer % 4u == 0)
        return;
    TRACER_LOGEVENT(FTrace_EVT_user_event_1, OUTER, outer);
    pend(INNER);
    TRACER_LOGEVENT(FTrace_EVT_user_event_3, OUTER, outer);
}

int main(void)
{
    prepare();
    for (uint32_t i = 0; i < 10u; i++)
        pend(OUTER);
    TRACER_LOGEVENT(FTrace_EVT_user_event_5, OUTER, outer);
    TRACER_LOGEVENT(FTrace_EVT_user_event_5, INNER, inner);
    return 0;
}
