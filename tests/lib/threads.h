/* threads.h - threads of one CPU, between which the scheduler switches: on the target real ones (turns_m.h); on the
 * host contexts that take turns (turns.h), with what a switch does to port_posix. */
#ifndef LIB_THREADS_H
#define LIB_THREADS_H

#include "tlog.h"

#ifdef __arm__
#include "lib/turns_m.h"

/* Steps of a thread between two accesses to shared memory, about, and from one step that is tried to the next. */
enum { THREAD_STEPS = 8, THREAD_STRIDE = TEST_STRIDE };
#else
#include "lib/turns.h"

enum { THREAD_STEPS = 1, THREAD_STRIDE = 1 };

static bool (*thread_stop)(void); /* the running thread stops when that is so; NULL: never */

/* For tlog_posix_interrupt. A switch of threads ends what port_posix watches. */
static void preempt(void)
{
    if (running != NULL && thread_stop != NULL && thread_stop())
        running->left = 0;
    if (running != NULL && running->left == 0)
        tlog_posix_watching = false;
    turn_step();
}

static inline void threads_start(void)
{
    tlog_posix_interrupt = preempt;
}

/* Let a thread make `count` steps, or FOREVER. */
static void run(uint32_t number, uint32_t count)
{
    turn_run(number, count);
    tlog_posix_watching = false;
}

/* Begin a thread, and stop it when something is so, or when it has ended. */
static inline void run_until(uint32_t number, void (*what)(int number), bool (*is_so)(void))
{
    turn_begin(number, what);
    thread_stop = is_so;
    run(number, FOREVER);
    thread_stop = NULL;
}
#endif

#endif
