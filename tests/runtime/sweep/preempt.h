/* preempt.h - a thread that is preempted in the middle of a switch: it opens the next lap, and does not count it before
 * it runs again, which no interrupt does. */
#ifndef RUNTIME_SWEEP_PREEMPT_H
#define RUNTIME_SWEEP_PREEMPT_H

#include "tlog.h"

/* Where it is; part of what a schedule begins with. */
extern struct sweep_preempted {
    struct tlog_chunk *home, *next; /* 0: there is no such thread */
    uint32_t home_lap, home_cursor, lap;
} sweep_preempted;

/* Preempt it there, if the ring is full and nobody else is at work. Any context. */
void sweep_preempt(void);

/* It runs again, and does the rest. */
void sweep_run_preempted(void);

#endif
