/* irq.c - firmware of tests/system/printk/printk.sh: TLOG_PRINTK of every number of slots, from a thread and from an
 * interrupt, which often interrupts a call of the thread. */

enum { EVENTS = 2000, PERIOD = 3011 };

#include "../../lib/app_irq.h"

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
