/* threads.h - threads of one CPU, between which the scheduler switches: contexts that take turns (turns.h), with what a
 * switch does to port_posix. */
#ifndef LIB_THREADS_H
#define LIB_THREADS_H

#include "tlog.h"

#include "lib/turns.h"

/* For tlog_posix_interrupt. A switch of threads ends what port_posix watches. */
static void preempt(void)
{
    if (running != NULL && running->left == 0)
        tlog_posix_watching = false;
    turn_step();
}

/* Let a thread make `count` steps, or FOREVER. */
static void run(uint32_t number, uint32_t count)
{
    turn_run(number, count);
    tlog_posix_watching = false;
}

#endif
