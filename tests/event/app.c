/* app.c - firmware of tests/event.sh: simple, combine, text and record events from a thread and an interrupt, every one with
 * its number, its shape told by the number. */
#include "board.h"
#include "tlog.h"

enum { EVENTS = 2000, SHAPES = 7 };

static uint32_t next;

/* Number n is of shape n % SHAPES, whoever logs it. */
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
    BOARD_TIMER1->reload = 30011;
    BOARD_TIMER1->value = 30011;
    BOARD_TIMER1->ctrl = 1u << 0 | 1u << 3;
    while (next < EVENTS)
        log_next();
    BOARD_TIMER1->ctrl = 0;
    return tlog_dropped() != 0;
}
