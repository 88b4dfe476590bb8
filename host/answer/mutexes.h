/* mutexes.h - who holds mutexes, who waits for them, and which of these waits are priority inversions. */
#ifndef ANSWER_MUTEXES_H
#define ANSWER_MUTEXES_H

#include "answer/figures.h"

/* A task begins to wait for a mutex, has got it, or has given it back. type: of the event that tells so. */
void mutex_wait(struct stat *stat, struct stat_task *task, uint64_t number, uint16_t type, uint64_t time);
void mutex_acquire(struct stat *stat, struct stat_task *task, uint64_t number, uint16_t type, uint64_t time);
void mutex_release(struct stat *stat, struct stat_task *task, uint64_t number, uint16_t type, uint64_t time);

/* An event of TLOG_FLAG_SIGNAL tells that a mutex is none now: nobody holds it, or waits for it as a lock. */
void mutex_is_signal(struct stat *stat, uint64_t number, uint16_t type, uint64_t time);

/* A task runs again. If it waited for a mutex, the wait ends now, unless the task goes on to wait for the same one. */
void mutex_waiter_runs(struct stat *stat, const struct stat_task *task, uint64_t time);

/* A task waits for something else, or its cycle is over: so its wait for a mutex, if any, ended when it ran again. */
void mutex_give_up(struct stat *stat, const struct stat_task *task);

/* A task ran from one time to another, which may have made other tasks' waits longer. */
void mutex_overlap(struct stat *stat, const struct stat_task *task, uint64_t from, uint64_t to);

/* The trace ends: count the waits that have no end in it. */
void mutex_end(struct stat *stat, uint64_t time);

/* The task that makes a wait an inversion; of several the one that ran longest. NULL: with that order of priorities the
 * wait is no inversion. */
const struct stat_other *mutex_intruder(const struct stat_wait *wait, enum trace_priority_order order);

#endif
