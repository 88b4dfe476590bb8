/* preempt.h - a thread that is preempted in the middle of a switch: it has opened the next lap, and counts it only when
 * it runs again. An interrupt would finish first. */
#ifndef RUNTIME_SWEEP_PREEMPT_H
#define RUNTIME_SWEEP_PREEMPT_H

#include "tlog.h"

/* The thread's state; part of what a schedule begins with. */
extern struct sweep_preempted {
    struct tlog_chunk *home, *next; /* NULL: there is no such thread */
    uint32_t home_lap, home_cursor, lap;
} sweep_preempted;

/* Preempt the thread there, if the ring is full and no other writer is at work. Any context may call this. */
void sweep_preempt(void);

/* The thread runs again, and finishes the switch. */
void sweep_run_preempted(void);

#endif
