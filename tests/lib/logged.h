/* logged.h - a record of what a test has logged, against which the trace is checked.
 *
 * Event n carries n and, if the event has room, n ^ LOGGED_SALT. Its stamp lies between the times recorded here. The
 * functions are inline because they are interrupted at every instruction, too, and each interrupt costs test time. */
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
    uint32_t slots;                  /* slots the event takes; 0: tlog is to refuse it */
    volatile uint32_t before, after; /* clock before and after the call: before <= stamp <= after */
    volatile bool returned;          /* the call has returned, so `after` is valid */
};
extern struct logged logged_events[LOGGED_MAX];
extern volatile uint32_t logged_count; /* number of events begun */

/* If only the tests advance the clock, the stamp is at least one step older than the time read after the call. */
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

/* Call before logging: returns the event's number. If no number is left, the test fails and LOGGED_MAX is returned. Any
 * context may call this. */
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

/* Call after logging. Any context may call this. */
static inline void logged_end(uint32_t n)
{
    logged_events[n].after = logged_now() - LOGGED_STEP;
    logged_events[n].returned = true;
}

/* Whether this low word of a stamp is possible for event n. */
static inline bool logged_fits(uint32_t n, uint32_t stamp)
{
    const struct logged *event = &logged_events[n];
    return stamp - event->before < 0x80000000u && (!event->returned || event->after - stamp < 0x80000000u);
}

#endif
