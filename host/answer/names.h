/* names.h - the names in the figures of --stat, and the order in which they are shown. */
#ifndef ANSWER_NAMES_H
#define ANSWER_NAMES_H

#include "answer/figures.h"

/* Put tasks, interrupts and mutexes in the order in which they are shown. Call it after stat_end(). */
void stat_order(struct stat *stat);

/* The name of a task: the trace's, an event's, or else made of its number in `room`. */
const char *stat_task_name(const struct stat *stat, const struct stat_task *task, char room[32]);

/* The names of an interrupt, of a mutex; of what a task waited for, and of the event that told it; "" if there is
 * none. */
void stat_irq_name(const struct stat *stat, const struct stat_irq *irq, char name[32]);
void stat_mutex_name(const struct stat *stat, const struct stat_mutex *mutex, char name[32]);
const char *stat_reason_name(const struct stat *stat, const struct stat_reason *reason);
void stat_object_name(const struct stat *stat, const struct stat_reason *reason, char name[32]);

#endif
