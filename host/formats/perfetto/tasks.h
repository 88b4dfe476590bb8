/* tasks.h - what is known of each task; descriptions of tasks, which tell viewers their names. */
#ifndef PERFETTO_TASKS_H
#define PERFETTO_TASKS_H

#include "formats/perfetto/packet.h"

#define PERFETTO_COMM_BYTES 16u /* of a name in Linux's events, with its NUL */
#define PERFETTO_NAME_BYTES 32u

struct perfetto_slice; /* tracks.h */

struct perfetto_task {
    uint32_t pid;
    char name[PERFETTO_NAME_BYTES]; /* as it was told; empty: it was not */
    char comm[PERFETTO_COMM_BYTES]; /* as the last switch to it had it; empty: none came */
    int32_t priority;               /* the same */
    unsigned naming;                /* 1 + trace.naming when the name was told */
    uint64_t reason;                /* why it will wait: iid of the kernel's sequence; 0: not known */
    uint64_t track;                 /* uuid; 0: it has none yet */
    uint64_t priority_track;        /* the same */
    struct perfetto_slice *slice;   /* that began last of those that are open on its track; NULL: none is */
    unsigned depth;                 /* open slices */
    bool is_used;                   /* it was asked for since forget_one() last passed over it */
    uint64_t asked;                 /* when it was asked for last: how many tasks had been until then */
};

/* No tasks. NULL: no memory. */
struct perfetto_tasks *perfetto_tasks_new(void);
void perfetto_tasks_free(struct perfetto_tasks *tasks);

/* The task with that pid, which is made if it is new. If there are more than 65536 tasks, one that was not asked for
 * lately, and has no open slice, is forgotten. The pointer is valid until eight others are asked for. NULL after
 * trace_fail(). */
struct perfetto_task *perfetto_task(struct perfetto *state, uint32_t pid);

/* Note the name that an event of Linux has for a task, of size bytes at most. */
void perfetto_task_comm(struct perfetto_task *task, const unsigned char *comm, size_t size);

/* The name of the task: the trace's, in full; or an event's; or made of its number. */
void perfetto_task_name(const struct perfetto *state, const struct perfetto_task *task, char name[PERFETTO_NAME_BYTES]);

/* Tell the task's name, if it was not told or has changed. time: as packets have it. 0, or -1 after trace_fail(). */
int perfetto_task_tell(struct perfetto *state, struct perfetto_task *task, uint64_t time);

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
