/* logged.c - see logged.h. */
#include "logged.h"

#include "test.h"
#include "test_irq.h"

struct logged logged_events[LOGGED_MAX];
volatile uint32_t logged_count;

/* With a clock that only the tests advance, a stamp is known to be one step younger than what comes after its call. */
#ifdef TEST_CLOCK_H
enum { STEP = 1 };
static uint32_t now(void)
{
    test_clock_step();
    return test_clock[0];
}
#else
enum { STEP = 0 };
static uint32_t now(void)
{
    return tlog_port_now_at(tlog_port_clock_start());
}
#endif

static uint32_t take_number(void)
{
    uint32_t n;
    do
        n = tlog_port_load_exclusive((uint32_t *)(uintptr_t)&logged_count);
    while (tlog_port_store_exclusive(n + 1u, (uint32_t *)(uintptr_t)&logged_count));
    return n;
}

uint32_t logged_begin(uint32_t slots)
{
    uint32_t n = take_number();
    if (n >= LOGGED_MAX) {
        test_fail(__FILE__, __LINE__, "too many events");
        return LOGGED_MAX;
    }
    logged_events[n].slots = slots;
    logged_events[n].returned = false;
    logged_events[n].before = now();
    return n;
}

void logged_end(uint32_t n)
{
    logged_events[n].after = now() - STEP;
    logged_events[n].returned = true;
}

bool logged_fits(uint32_t n, uint32_t stamp)
{
    const struct logged *event = &logged_events[n];
    return stamp - event->before < 0x80000000u && (!event->returned || event->after - stamp < 0x80000000u);
}
