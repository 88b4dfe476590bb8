/* logged.h - what a test has logged: event n carries n and, where there is room, n ^ LOGGED_SALT; its stamp lies between the
 * times that stand here. */
#ifndef LOGGED_H
#define LOGGED_H

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

/* An event's number, before the call; LOGGED_MAX, and the test has failed, when there is none left. Any context. */
uint32_t logged_begin(uint32_t slots);

/* After the call. Any context. */
void logged_end(uint32_t n);

/* Whether a stamp, its low word, can be that of event n. */
bool logged_fits(uint32_t n, uint32_t stamp);

#endif
