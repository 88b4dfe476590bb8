/* logged.h - what a test has logged: event n carries n and, where there is room, n ^ LOGGED_SALT; its stamp lies
 * between the times that stand here. Inline, because interrupts come everywhere here, too, and each of them takes
 * time. */
#ifndef LIB_LOGGED_H
#define LIB_LOGGED_H

#include "test.h"
#include "irq.h"
#include "tlog.h"

/* Sweeps run on boards with little memory. */
#ifdef TEST_HITS
enum { LOGGED_MAX = 96 };
#else
enum { LOGGED_MAX = 400 };
#endif
enum { LOGGED_SALT = 0x5A00 };

struct logged {
    uint32_t slots; /* of the event; 0: it is refused */
    volatile uint32_t before,
        after;              /* the clock: the stamp is not earlier than the one, and not later than the other */
    volatile bool returned; /* after is known */
};
extern struct logged logged_events[LOGGED_MAX];
extern volatile uint32_t logged_count; /* events begun */

/* With a clock that only the tests advance, a stamp is known to be one step older than what comes after its call. */
#ifdef TEST_CLOCK
enum { LOGGED_STEP = 1 };
static inline uint32_t logged_now(void)
{
    test_clock_step();
    return test_clock[0];
}
#else
enum { LOGGED_STEP = 0 };
static inline uint32_t logged_now(void)
{
    return tlog_port_now_at(tlog_port_clock_start());
}
#endif

/* An event's number, before the call; LOGGED_MAX, and the test has failed, when there is none left. Any context. */
static inline uint32_t logged_begin(uint32_t slots)
{
    uint32_t n;
    do
        n = tlog_port_load_exclusive((uint32_t *)(uintptr_t)&logged_count);
    while (tlog_port_store_exclusive(n + 1u, (uint32_t *)(uintptr_t)&logged_count));
    if (n >= LOGGED_MAX) {
        test_fail(__FILE__, __LINE__, "too many events");
        return LOGGED_MAX;
    }
    logged_events[n].slots = slots;
    logged_events[n].returned = false;
    logged_events[n].before = logged_now();
    return n;
}

/* After the call. Any context. */
static inline void logged_end(uint32_t n)
{
    logged_events[n].after = logged_now() - LOGGED_STEP;
    logged_events[n].returned = true;
}

/* Whether a stamp, its low word, can be that of event n. */
static inline bool logged_fits(uint32_t n, uint32_t stamp)
{
    const struct logged *event = &logged_events[n];
    return stamp - event->before < 0x80000000u && (!event->returned || event->after - stamp < 0x80000000u);
}

#endif
