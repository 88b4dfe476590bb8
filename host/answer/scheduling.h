/* scheduling.h - what CPUs and tasks do: tasks run, wait to run, or wait for something, in cycles; interrupts run above
 * them. Counts how long all that takes.
 */
#ifndef ANSWER_SCHEDULING_H
#define ANSWER_SCHEDULING_H

#include "answer/figures.h"
#include "answer/load.h"

/* ---- tasks ------------------------------------------------------------------------------------------------------- */

/* The task of that pid. NULL: there are too many, or there is no memory. */
struct stat_task *task_of(struct stat *stat, uint64_t pid);

/* A CPU switches from one task to another; either may be NULL. state: of `from`, as Linux has it; 0 = it is still
 * ready. */
void task_switch(struct stat *stat, struct stat_cpu *cpu, struct stat_task *from, uint64_t state, struct stat_task *to,
                 uint64_t time);

/* It is known from now on which task runs; until now it was not, or it is not known any more: NULL. */
void task_known(struct stat *stat, struct stat_cpu *cpu, struct stat_task *task, uint64_t time);

/* It turns out that the task has run on the CPU since there were events again. NULL is ignored. */
void task_has_run(struct stat *stat, struct stat_cpu *cpu, struct stat_task *task);

/* A task becomes ready. */
void task_wake(struct stat *stat, struct stat_task *task, uint64_t time);

/* An event of that type tells that a task is going to wait for `object`. If it is ready, and does not run, it waits
 * from now on, as one that another task suspends; if it waits for something else, that wait ends. */
void task_block(struct stat *stat, struct stat_task *task, uint16_t type, uint64_t object, bool is_lock, uint64_t time);

/* The task has ended. If it runs, it does so until the switch away from it. */
void task_gone(struct stat *stat, struct stat_task *task, uint64_t time);

/* A cycle begins or ends. */
void task_begin(struct stat *stat, struct stat_task *task, uint64_t time);
void task_end(struct stat *stat, struct stat_task *task, uint64_t time);

/* The trace ends: count the state that the task is in up to then. */
void task_close(struct stat *stat, struct stat_task *task, uint64_t time);

/* Free what the task owns, but not the task. */
void task_free(struct stat *stat, struct stat_task *task);

/* ---- CPUs -------------------------------------------------------------------------------------------------------- */

/* Count what the CPU did up to a time: the running task's share, the load, and how long others waited. */
void cpu_account(struct stat *stat, struct stat_cpu *cpu, uint64_t time);

/* An interrupt begins or ends. is_cut: its beginning or end is not known, only that it ran then. result: TRACE_EXIT_...
 * of one that did not end by itself, else another number. */
void cpu_enter(struct stat *stat, struct stat_cpu *cpu, uint64_t number, uint64_t time, bool is_cut);
void cpu_exit(struct stat *stat, struct stat_cpu *cpu, uint64_t number, uint64_t time, uint64_t result);

/* Events are missing from now on, until cpu_resume(): then it is not known what runs until an event tells it. */
void cpu_lose(struct stat *stat, struct stat_cpu *cpu, uint64_t time);

/* There is an event. */
void cpu_resume(struct stat *stat, struct stat_cpu *cpu, uint64_t time);

/* ---- parts of CPUs ----------------------------------------------------------------------------------------------- */

/* Add what a CPU contributes. */
void stat_parts_add(struct stat *stat, struct stat_parts *parts, const struct stat_cpu *cpu, uint64_t n);

/* The sum of the shares that the parts have of what is known, or of what is seen, of their CPUs: each 0 to 1. */
double stat_parts_of_known(const struct stat *stat, const struct stat_parts *parts);
double stat_parts_of_seen(const struct stat *stat, const struct stat_parts *parts);

/* How often something was per second that is seen; 0 if times are ticks. */
double stat_per_second(const struct stat *stat, const struct stat_parts *n);

/* ---- CPUs -------------------------------------------------------------------------------------------------------- */

/* How much of the chosen time it is known what the CPU did, and how much not. */
uint64_t stat_known(const struct stat_cpu *cpu);
uint64_t stat_unknown(const struct stat *stat, const struct stat_cpu *cpu);

/* How busy the CPU was in part i, from 0 on, of n equal parts from the first event to the last, 0 to 1; -1: of less
 * than half of it this is known. */
double stat_load_part(const struct stat *stat, const struct stat_cpu *cpu, unsigned i, unsigned n);

/* ---- what the user wants ----------------------------------------------------------------------------------------- */

/* Something is at that time which the user wants: the first event after others that he does not want, or what ran
 * there. */
void stat_open_stretch(struct stat *stat, uint64_t time);

/* What comes after that time is not wanted. */
void stat_close_stretch(struct stat *stat, uint64_t time);

#endif
