/* flash.c - a vector table in flash, whose vectors are all tlog_irq_any(), as the linker's --defsym of irq.sh says; one
 * handler interrupts another one, and each leaves early now and then.
 *
 * user_event_1 (number) is logged inside. user_event_5 (number, count): how often each handler ran. */
#include "irq.h"

enum { OUTER = 16 + 3, INNER = 16 + 5, TICK = 15 };

static volatile uint32_t ran[NUMBERS];

/* Whether the handler has more to do. */
static bool count(void)
{
    uint32_t number = tlog_irq_active();
    ran[number]++;
    if (ran[number] % 4u == 0)
        return false;
    TRACER_LOGEVENT(FTrace_EVT_user_event_1, number, ran[number]);
    return true;
}

static void tick(void)
{
    count();
}

static void radio_arrived(void)
{
    count();
}

static void uart_byte(void)
{
    if (!count())
        return;
    pend(INNER);
    TRACER_LOGEVENT(FTrace_EVT_user_event_3, OUTER, 0);
}

const tlog_irq_handler tlog_irq_handlers[] = {[TICK] = tick, [OUTER] = uart_byte, [INNER] = radio_arrived};

int main(void)
{
    ((volatile uint32_t *)0xE000E400u)[0] = 0xC0000000u; /* OUTER; others have the priority 0 */
    NVIC_ENABLE = 1u << (OUTER - 16u) | 1u << (INNER - 16u);
    for (uint32_t i = 0; i < 10u; i++) {
        pend(OUTER);
        pend(TICK);
    }
    TRACER_LOGEVENT(FTrace_EVT_user_event_5, OUTER, ran[OUTER]);
    TRACER_LOGEVENT(FTrace_EVT_user_event_5, INNER, ran[INNER]);
    TRACER_LOGEVENT(FTrace_EVT_user_event_5, TICK, ran[TICK]);
    check(ran[OUTER] == 10u && ran[INNER] == 8u && ran[TICK] == 10u, 50);
    return tlog_dropped() != 0;
}
