/* tasks.h - what is known of each task, and packets that describe tasks, by which viewers know their names. */
#ifndef PERFETTO_TASKS_H
#define PERFETTO_TASKS_H

#include "formats/perfetto/packet.h"

#define PERFETTO_COMM_BYTES 16u /* of a name in Linux's events, with its NUL */
#define PERFETTO_NAME_BYTES 32u

struct perfetto_slice; /* tracks.h */

struct perfetto_task {
    uint32_t pid;
    char name[PERFETTO_NAME_BYTES]; /* as the last description has it; empty: there was none */
    char comm[PERFETTO_COMM_BYTES]; /* as the last switch to it had it; empty: none came */
    int32_t priority;               /* as that switch had it */
    unsigned naming;                /* 1 + trace.naming at the last description */
    uint64_t reason;                /* why it will wait: an iid of the kernel's sequence; 0: not known */
    uint64_t track;                 /* uuid; 0: it has none yet */
    uint64_t priority_track;        /* uuid of its priority's track; 0: none yet */
    struct perfetto_slice *slice;   /* the innermost one that is open on its track; NULL: none is */
    unsigned depth;                 /* open slices */
    unsigned out;                   /* 1 + perfetto.forgotten when it was switched out; 0: it is on a CPU */
    bool has_wait;                  /* a slice tells why it waits (cpu.c), unless a loss has ended it */
    bool is_used;                   /* it was asked for since forget_one() last passed over it */
    uint64_t asked;                 /* when it was asked for last: the count perfetto_tasks.asked then */
};

/* No tasks. NULL: no memory. */
struct perfetto_tasks *perfetto_tasks_new(void);
void perfetto_tasks_free(struct perfetto_tasks *tasks);

/* The task with that pid, which is made if it is new. Of more than 65536 tasks one is forgotten that was not asked for
 * lately and has no open slice. So the pointer is valid until eight others are asked for. NULL after trace_fail(). */
struct perfetto_task *perfetto_task(struct perfetto *state, uint32_t pid);

/* Note the name that an event of Linux gives a task; it has a NUL, or size bytes. */
void perfetto_task_comm(struct perfetto_task *task, const unsigned char *comm, size_t size);

/* The name of the task: as the trace has it; else as the last event had it; else made of its number. */
void perfetto_task_name(const struct perfetto *state, const struct perfetto_task *task, char name[PERFETTO_NAME_BYTES]);

/* Write a packet with the task's name, if none was written or the name has changed. time: as in packets. 0, or -1 after
 * trace_fail(). */
int perfetto_task_describe(struct perfetto *state, struct perfetto_task *task, uint64_t time);

/* The pid of the task that has that number on the board of a CPU. */
static inline uint32_t perfetto_pid(const struct perfetto *state, unsigned cpu, uint32_t number)
{
    return number != 0 && state->trace->boards != NULL ? number + state->trace->boards[cpu].task_base : number;
}

/* The numbers by which viewers know a task. */
static inline uint32_t perfetto_tid(uint32_t pid)
{
    return pid & PERFETTO_ID_MASK;
}

static inline uint32_t perfetto_process(uint32_t pid)
{
    return (pid + PERFETTO_PROCESS_BASE) & PERFETTO_ID_MASK;
}

#endif
