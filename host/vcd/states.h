/* states.h - what is known of CPUs, tasks, interrupts and mutexes, as the variables that show it tell.
 *
 * What runs and what is ready is known by switches and wake-ups, and by nothing else. A loss or damage on a CPU makes
 * unknown what runs there, its interrupts, and all tasks and mutexes of its board but the tasks that run on other CPUs:
 * until an event tells of each.
 */
#ifndef VCD_STATES_H
#define VCD_STATES_H

#include "vcd/shape.h"

/* A CPU of the trace. */
struct vcd_cpu {
    struct vcd_thing *thing;      /* its variables; NULL: it had no event yet */
    struct vcd_thing *runs;       /* the task that is known to run; NULL: none is known, or idle */
    struct vcd_thing *known;      /* list of interrupts */
    bool is_known, is_idle;       /* what runs is known; it is idle */
    bool had_gap;                 /* something is missing before now */
    uint64_t lost;                /* events */
    uint32_t gaps;                /* losses and damages */
    char initial[VCD_NAME_BYTES]; /* the name of what ran before the first switch; empty: not known */
};

/* Write what an event of any form but EVENT and COUNTER changes. */
void vcd_change(struct vcd *vcd, unsigned cpu, const struct vcd_shape *shape, const struct trace_event *event);

/* Remember why a task will wait, if the event tells that. */
void vcd_block(struct vcd *vcd, unsigned cpu, const struct vcd_shape *shape, const struct trace_event *event);

/* What a task of a board is called: "control", or "task-7" if it has no name. name: as an event told it, or empty. */
void vcd_task_name(const struct vcd *vcd, unsigned board, uint32_t pid, const char *name, char to[VCD_NAME_BYTES]);

#endif
