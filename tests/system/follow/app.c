/* app.c - logs numbered events for ever, at a rate: each ms an interrupt logs some, and the thread logs some of several
 * slots. Their words contradict each other if they are of two events. */
#include "tlog.h"

#ifndef RECORDS
#define RECORDS 15u /* per ms; the thread logs one event of three slots per ms */
#endif

#ifndef LAST_MS
#define LAST_MS 0xFFFFFFFFu /* then it logs no more */
#endif

#define SYSTICK ((volatile uint32_t *)0xE000E010u) /* control, reload, value */

static volatile uint32_t ms; /* the test looks at it */
static uint32_t sent;

void systick_handler(void);
void systick_handler(void)
{
    for (unsigned i = 0; i < RECORDS && ms < LAST_MS; i++, sent++)
        TRACER_LOGEVENT(FTrace_EVT_user_event_0, (sent * 40503u) >> 16, sent);
    ms = ms < LAST_MS ? ms + 1u : ms;
}

int main(void);
int main(void)
{
    uint32_t number = 0;
    tlog_name(TLOG_NAME_TASK, 1, "one");
    SYSTICK[1] = BOARD_CORE_HZ / 1000u - 1u;
    SYSTICK[2] = 0;
    SYSTICK[0] = 7u;
    for (uint32_t seen = 0;; seen = ms) {
        uint32_t words[5] = {number, number * 3u, ~number, number ^ 0xA5A5A5A5u, number * 2654435761u};
        while (ms == seen)
            __asm volatile("wfi");
        tlog_event_words(6, 1, words, 5);
        number++;
    }
}
