/* states.h - what an event changes: states of CPUs, tasks, interrupts and mutexes, counters, and its own variables.
 *
 * Only switches and wake-ups tell which tasks run and are ready. After a loss or damage on a CPU, these states are
 * unknown: what runs there, its interrupts, and all tasks and mutexes of its board but the tasks that run on other
 * CPUs. Each becomes known again by the next event about it.
 */
#ifndef VCD_STATES_H
#define VCD_STATES_H

#include "formats/vcd/encoder.h"

/* A CPU of the trace. */
struct vcd_cpu {
    struct vcd_entity *entity;    /* its variables; NULL: it had no event yet */
    struct vcd_entity *runs;      /* the task that is known to run; NULL: none is known, or idle */
    struct vcd_entity *tracked;   /* list of interrupts */
    bool is_known, is_idle;       /* it is known what runs; nothing does */
    bool has_begun;               /* there was an event */
    bool had_gap;                 /* before now there was a time in which nothing is known of it */
    uint64_t lost;                /* events */
    uint32_t gaps;                /* losses and damages */
    char initial[VCD_NAME_BYTES]; /* the name of what ran before the first switch; empty: not known */
};

/* Put the values that an event changes. */
void vcd_event(struct vcd *vcd, unsigned cpu, const struct vcd_encoder *encoder, const struct tlog_event *event);

/* The name of a task of a board: "control", or "task-7" if it has none. name: the one that an event told, or empty. */
void vcd_task_name(const struct vcd *vcd, unsigned board, uint32_t pid, const char *name, char to[VCD_NAME_BYTES]);

#endif
