/* app_irq.h - main() of firmware that logs from a thread and from a timer interrupt.
 *
 * The including file defines log_next(), which logs the event numbered `next` and increments `next`; EVENTS, the number
 * of events; and PERIOD, the time from one interrupt to the next in ticks of the timer. */
#include "board.h"
#include "tlog.h"

static uint32_t next;

static void log_next(void);

void irq_9_handler(void);
void irq_9_handler(void)
{
    BOARD_TIMER1->intstatus = 1;
    for (uint32_t i = 0; i < 3u && next < EVENTS; i++)
        log_next();
}

int main(void)
{
    tlog_start();
    *(volatile uint32_t *)0xE000E100u = 1u << BOARD_TIMER1_IRQ;
    BOARD_TIMER1->reload = PERIOD;
    BOARD_TIMER1->value = PERIOD;
    BOARD_TIMER1->ctrl = 1u << 0 | 1u << 3;
    while (next < EVENTS)
        log_next();
    BOARD_TIMER1->ctrl = 0;
    return tlog_dropped() != 0;
}
