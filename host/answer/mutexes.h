/* mutexes.h - who holds mutexes, who waits for them, and which of these waits are priority inversions. */
#ifndef ANSWER_MUTEXES_H
#define ANSWER_MUTEXES_H

#include "answer/figures.h"

/* A task waits for a mutex; has it; has given it back. type: of the event. */
void mutex_wait(struct stat *stat, struct stat_task *task, uint64_t number, uint16_t type, uint64_t time);
void mutex_acquire(struct stat *stat, struct stat_task *task, uint64_t number, uint16_t type, uint64_t time);
void mutex_release(struct stat *stat, struct stat_task *task, uint64_t number, uint64_t time);

/* A task runs again. If it waited for a mutex, that is over, though it may have to wait once more. */
void mutex_waiter_runs(struct stat *stat, const struct stat_task *task, uint64_t time);

/* A task waits for something else, or its cycle is over: its wait has ended when it ran again. */
void mutex_give_up(struct stat *stat, const struct stat_task *task);

/* A task ran from one time to another: some wait may be the longer for it. */
void mutex_overlap(struct stat *stat, const struct stat_task *task, uint64_t from, uint64_t to);

/* Close the waits that have no end in the trace. */
void mutex_end(struct stat *stat, uint64_t time);

/* The third task of an inversion that ran longest, in that order of priorities; NULL: it is none in that order. */
const struct stat_other *mutex_intruder(const struct stat_wait *wait, enum stat_order order);

#endif
