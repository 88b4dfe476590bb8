/* irq.c - firmware of tests/printk.sh: TLOG_PRINTK of every number of slots from a thread and from an interrupt that comes
 * amid it. */
#include "board.h"
#include "tlog.h"

enum { EVENTS = 2000 };

static uint32_t next;

static void log_next(void)
{
    uint32_t n = tlog_ring_add(&next, 1u);
    switch (n % 4u) {
    case 0:
        TLOG_PRINTK("number %u", (unsigned)n);
        break;
    case 1:
        TLOG_PRINTK("number %u %u", (unsigned)n, (unsigned)n);
        break;
    case 2:
        TLOG_PRINTK("number %u %u %s", (unsigned)n, (unsigned)n, "text of some words");
        break;
    default:
        TLOG_PRINTK("number %u %u %u %llu", (unsigned)n, (unsigned)n, (unsigned)n, (unsigned long long)n);
        break;
    }
}

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
    BOARD_TIMER1->reload = 3011;
    BOARD_TIMER1->value = 3011;
    BOARD_TIMER1->ctrl = 1u << 0 | 1u << 3;
    while (next < EVENTS)
        log_next();
    BOARD_TIMER1->ctrl = 0;
    return tlog_dropped() != 0;
}
