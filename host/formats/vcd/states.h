/* states.h - what is known of CPUs, tasks, interrupts and mutexes, and the variables that show it.
 *
 * Only switches and wake-ups tell which tasks run and are ready. After a loss or damage on a CPU it is not known what
 * runs there, nor the state of its interrupts, nor that of the tasks and mutexes of its board, except the tasks that
 * run on other CPUs. Each becomes known again by the next event about it.
 */
#ifndef VCD_STATES_H
#define VCD_STATES_H

#include "formats/vcd/shape.h"

/* A CPU of the trace. */
struct vcd_cpu {
    struct vcd_thing *thing;      /* its variables; NULL: it had no event yet */
    struct vcd_thing *runs;       /* the task that is known to run; NULL: none is known, or idle */
    struct vcd_thing *known;      /* list of interrupts */
    bool is_known, is_idle;       /* it is known what runs; that is idle */
    bool had_gap;                 /* events were lost or damaged before now */
    uint64_t lost;                /* events */
    uint32_t gaps;                /* losses and damages */
    char initial[VCD_NAME_BYTES]; /* the name of what ran before the first switch; empty: not known */
};

/* Write what an event of any form but EVENT and COUNTER changes. */
void vcd_change(struct vcd *vcd, unsigned cpu, const struct vcd_shape *shape, const struct trace_event *event);

/* Remember why a task will wait, if the event tells that. */
void vcd_block(struct vcd *vcd, unsigned cpu, const struct vcd_shape *shape, const struct trace_event *event);

/* The name of a task of a board: "control", or "task-7" if it has no name. name: as an event told it, or empty. */
void vcd_task_name(const struct vcd *vcd, unsigned board, uint32_t pid, const char *name, char to[VCD_NAME_BYTES]);

#endif
