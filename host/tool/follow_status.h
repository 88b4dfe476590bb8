/* follow_status.h - a line on the terminal that shows how a board is followed: how much it logs, what was read, what is
 * lost, and how far behind the board it is read. It is rewritten in place, at most twice a second (progress.h). */
#ifndef TOOL_FOLLOW_STATUS_H
#define TOOL_FOLLOW_STATUS_H

#include "formats/native/follow/recorder.h"

#include <stdbool.h>
#include <stdint.h>

/* All zero: nothing is shown. Times are those of os_now_ns(). */
struct follow_status {
    bool is_on;
    uint64_t last_poll;             /* when the last poll began; 0: there was none of this run */
    uint64_t lag;                   /* ns: the longest since the last line from an event until it was read */
    uint64_t shown;                 /* when the last line was shown, and */
    struct native_recorded counted; /* what was recorded by then */
};

/* Show the line from now on, if standard error is a terminal that can erase it. as_text: events go to standard output,
 * which must be a file then: lines that come to the terminal, perhaps by way of a pipe, would run into this one. */
void follow_status_begin(struct follow_status *status, bool as_text);

/* A poll is done that began at that time: tell what was recorded so far. */
void follow_status_polled(struct follow_status *status, const struct native_recorded *told, uint64_t began);

/* What is recorded next is another run. */
void follow_status_next_run(struct follow_status *status);

#endif
