/* cross_cpu.h - what a CPU must be told of tasks that other CPUs changed, so that its events can be mapped without
 * theirs.
 *
 * Tasks move between CPUs and wake each other across them, but some writers want all events of one CPU before those of
 * the next. So the events of all CPUs are first followed once in the order of time. Whenever a CPU accesses a task that
 * another CPU accessed since, the state of the task is recorded as an update for that access. Later, when the CPU's
 * events are mapped, its accesses are counted again, and before the same access the task gets the recorded state.
 *
 * Example: CPU 0 accesses task 7 for the fifth time that it accesses any task, after CPU 1 has set the priority of task
 * 7 to 3. Then CPU 0 gets an update {.access = 5, .priority = 3, ...}.
 *
 * Memory does not grow with the number of updates: all but the last 4 KiB of each CPU's go to a temporary file.
 */
#ifndef DECODE_CROSS_CPU_H
#define DECODE_CROSS_CPU_H

#include <stdbool.h>
#include <stdint.h>

struct trace;

/* The state of a task. Its number is not here: the CPU knows which task it accesses. */
struct decode_task_update {
    uint64_t access; /* counts the CPU's accesses to tasks, from 1 */
    int32_t priority;
    uint32_t mutex, holder, waiter; /* these and the next four: see struct task in map_state.h */
    uint8_t state;
    bool says_blocked;
    bool woken;
    bool begun;
};

struct decode_cross_cpu;

/* Room for the updates of so many CPUs. NULL: there is no memory. */
struct decode_cross_cpu *decode_cross_cpu_new(unsigned ncpus);

/* NULL is allowed. */
void decode_cross_cpu_free(struct decode_cross_cpu *updates);

/* Add an update for a CPU, in the order of its accesses. May call trace_fail(); does nothing if the trace has failed.
 */
void decode_cross_cpu_add(struct decode_cross_cpu *updates, struct trace *trace, unsigned cpu,
                          const struct decode_task_update *update);

/* Get the next update of a CPU; all updates of one CPU before those of another. False at the end, or after
 * trace_fail(). */
bool decode_cross_cpu_next(struct decode_cross_cpu *updates, struct trace *trace, unsigned cpu,
                           struct decode_task_update *update);

#endif
