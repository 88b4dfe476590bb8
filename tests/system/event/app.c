/* app.c - firmware of tests/system/event/event.sh. A thread and an interrupt log simple, combine and text traceevents
 * and records. Each event carries a number, which also decides its shape. */

enum { EVENTS = 2000, PERIOD = 30011, SHAPES = 7 };

#include "../../lib/app_irq.h"

/* Event n has shape n % SHAPES, in the thread and in the interrupt alike. */
static void log_next(void)
{
    uint32_t n = tlog_ring_add(&next, 1u), words[20];
    char text[12] = "number 0000";
    for (uint32_t i = 0; i < 20u; i++)
        words[i] = n * 100u + i;
    for (uint32_t i = 0, rest = n; i < 4u; i++, rest /= 10u)
        text[10u - i] = (char)('0' + rest % 10u);
    switch (n % SHAPES) {
    case 0:
        TRACER_LOGEVENT(FTrace_EVT_user_event_0, n & 0xFFFFu, n);
        break;
    case 1:
        trace_logi(1, n, ~n);
        break;
    case 2:
        tlog_event_words(TLOG_TRACE_USER, 1000, words, 20);
        break;
    case 3:
        trace_logs(2, text);
        break;
    case 4:
        tlog_event_words(TLOG_TRACE_USER, 3, words, 3);
        break;
    case 5:
        trace_logb(4, words, 17);
        break;
    default:
        tlog_event(TLOG_TRACE_COMM, 1, n, 5);
        break;
    }
}
