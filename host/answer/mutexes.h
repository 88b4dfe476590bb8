/* mutexes.h - who holds mutexes, who waits for them, and which of these waits are priority inversions. */
#ifndef ANSWER_MUTEXES_H
#define ANSWER_MUTEXES_H

#include "answer/figures.h"

/* A task waits for a mutex; has got it; has given it back. type: of the event. */
void mutex_wait(struct stat *stat, struct stat_task *task, uint64_t number, uint16_t type, uint64_t time);
void mutex_acquire(struct stat *stat, struct stat_task *task, uint64_t number, uint16_t type, uint64_t time);
void mutex_release(struct stat *stat, struct stat_task *task, uint64_t number, uint64_t time);

/* A task runs again. If it waited for a mutex, that wait is over; the task may have to wait once more. */
void mutex_waiter_runs(struct stat *stat, const struct stat_task *task, uint64_t time);

/* A task waits for something else, or its cycle is over: its wait has ended when it ran again. */
void mutex_give_up(struct stat *stat, const struct stat_task *task);

/* A task ran from one time to another. That may have made other tasks' waits longer. */
void mutex_overlap(struct stat *stat, const struct stat_task *task, uint64_t from, uint64_t to);

/* Close the waits that have no end in the trace. */
void mutex_end(struct stat *stat, uint64_t time);

/* Of the third tasks of an inversion the one that ran longest; NULL: with that order of priorities it is no
 * inversion. */
const struct stat_other *mutex_intruder(const struct stat_wait *wait, enum stat_order order);

#endif
