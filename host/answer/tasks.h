/* tasks.h - what tasks do: run, wait to run, wait for something, and the cycles they do it in. */
#ifndef ANSWER_TASKS_H
#define ANSWER_TASKS_H

#include "answer/figures.h"

/* The task of that pid. NULL: there are too many. */
struct stat_task *task_of(struct stat *stat, uint64_t pid);

/* A switch on a CPU. Tasks may be NULL. state: as Linux has it; 0 = the task that ran until now is still ready. */
void task_switch(struct stat *stat, struct stat_cpu *cpu, struct stat_task *from, uint64_t state, struct stat_task *to,
                 uint64_t time);

/* A task became ready. */
void task_wake(struct stat *stat, struct stat_task *task, uint64_t time);

/* An event of that type tells that a task will wait for `object`. */
void task_block(struct stat *stat, struct stat_task *task, uint16_t type, uint64_t object, bool is_lock);

/* A cycle begins or ends. */
void task_begin(struct stat *stat, struct stat_task *task, uint64_t time);
void task_end(struct stat *stat, struct stat_task *task, uint64_t time);

/* Close what has no end in the trace. */
void task_close(struct stat *stat, struct stat_task *task, uint64_t time);

void task_free(struct stat *stat, struct stat_task *task);

#endif
