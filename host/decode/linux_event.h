/* linux_event.h - the events of Linux that the mapping makes: their types, and what their payloads are made of.
 *
 * Fields and print formats are those of Linux's own events (include/trace/events/sched.h and irq.h): viewers look for
 * system, name and fields. Offsets are ours; trace.dat describes them to its readers.
 */
#ifndef DECODE_LINUX_EVENT_H
#define DECODE_LINUX_EVENT_H

#include "model/trace.h"

enum {
    DECODE_COMM_BYTES = 16,                    /* a task's name in Linux's events: char[16] with its NUL */
    DECODE_TASK_BYTES = DECODE_COMM_BYTES + 8, /* name, pid and priority, which stand side by side there */

    /* Bytes of payloads. */
    DECODE_SWITCH_BYTES = 56,    /* task switched out, its state (8 bytes), task switched to */
    DECODE_WAKING_BYTES = 28,    /* task, CPU (4 bytes); of sched_wakeup, too */
    DECODE_ENTRY_BYTES = 8 + 32, /* interrupt, offset and length of its name, the name: at most */
    DECODE_EXIT_BYTES = 8,       /* interrupt, whether it was handled */

    /* Values of prev_state. */
    DECODE_STATE_RUNNING = 0,
    DECODE_STATE_SLEEPING = 1,
    DECODE_STATE_LOCKED = 2, /* waits for a lock: what Linux calls uninterruptible */
};

extern const struct trace_type decode_type_switch; /* sched:sched_switch */
extern const struct trace_type decode_type_waking; /* sched:sched_waking */
extern const struct trace_type decode_type_wakeup; /* sched:sched_wakeup */
extern const struct trace_type decode_type_entry;  /* irq:irq_handler_entry */
extern const struct trace_type decode_type_exit;   /* irq:irq_handler_exit */

/* Write a task's name, pid and priority as they stand in a payload: DECODE_TASK_BYTES. name: NULL = the trace has none
 * for the task, and "task-NUMBER" is made of its number, with the prefix of the trace. */
void decode_put_task(unsigned char *to, const struct trace *trace, uint32_t number, const char *name, uint32_t pid,
                     int32_t priority);

/* Write the payload of an interrupt's entry. The name is cut at 31 bytes by trace_set_name(). Returns its size, a
 * multiple of 4, at most DECODE_ENTRY_BYTES; all of these are written. */
uint16_t decode_put_entry(unsigned char *to, uint32_t irq, const char *name);

#endif
