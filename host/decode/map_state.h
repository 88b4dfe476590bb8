/* map_state.h - what the mapping knows of CPUs and tasks. For map.c and map_class.c only.
 *
 * Vocabulary
 *   task      what an event belongs to: a task that the firmware numbered; the code before the first switch ("main");
 *             an interrupt; or, until the first switch of a CPU of which the trace does not tell what ran there, an
 *             unknown one ("<...>", as Linux's tools call a task without a name)
 *   number    what a task is known by here: the firmware's own number, which becomes its pid, or one of those below
 *   scheduled said of the task that the last switch on a CPU was to; interrupts run above it
 *   running   said of the task whose code really runs: the innermost interrupt, else the scheduled task
 *   derived   said of events that the mapping adds. A sched_switch into or out of an interrupt: viewers draw a row per
 *             task, so each interrupt is shown as a task. A sched_wakeup behind each sched_waking: Linux logs both, and
 *             trace-cmd measures from the second
 *   look      the use that the events of a CPU make of what is known of a task
 */
#ifndef DECODE_MAP_STATE_H
#define DECODE_MAP_STATE_H

#include "decode/linux_event.h"
#include "decode/news.h"
#include "decode/slice.h"

enum {
    MAIN_TASK = TRACE_MAPPED_TASK, /* the code before the first switch: above the 16 bits of a number in a record */
    UNKNOWN_TASK = 69999,          /* what ran at a beginning that is lost; of no task, so that none seems to run */
    INTERRUPT_TASK = 70000,        /* interrupt 0; the others follow */
    INTERRUPTS = TRACE_MAPPED_TASK_END - INTERRUPT_TASK, /* whose payload of an entry is kept */
    TASKS = TRACE_MAPPED_TASK_END,                       /* whose state is followed: those of lower numbers */
    NESTING = 16,                                        /* interrupts followed inside each other */
};

/* What no task is known by. */
#define ANY_TASK UINT32_MAX
#define NO_TASK  (UINT32_MAX - 1u)

/* What runs on a CPU. */
struct cpu {
    uint32_t scheduled;
    uint32_t running;
    uint32_t pid;                 /* of running */
    uint32_t interrupt[NESTING];  /* the interrupts that run, by their numbers, the outermost first */
    unsigned depth;               /* how many those are */
    uint8_t flags;                /* for events: TRACE_IN_INTERRUPT or none */
    bool begun;                   /* an event has come that is no loss and no damage */
    bool logs_waits;              /* it has a kernel that logs when the running task is going to wait */
    uint32_t raised;              /* the task whose priority that kernel changes now, ANY_TASK, or NO_TASK */
    uint64_t looks;               /* at tasks, so far */
    struct decode_news_item news; /* the next ones */
};

/* What is known of a task. */
struct task {
    unsigned char field[DECODE_TASK_BYTES]; /* name, pid, priority as payloads have them; the name as of naming */
    unsigned naming;                        /* 1 + trace.naming when field was made; 0 = not yet made */
    int32_t priority;
    uint8_t state;     /* DECODE_STATE_...: in which it leaves when it is switched out */
    bool says_blocked; /* the firmware logs when this task blocks */
    bool woken;        /* and has not run since */
    bool begun;        /* it was switched to, or woken */
    bool ran;          /* it was switched to, or it is an interrupt that was entered */
    unsigned seen_by;  /* 1 + the CPU that looked last; 0: none has */
    int32_t last;      /* its priority at the end of the trace, if there are news */
};

/* The payload of an interrupt's entry. */
struct entry {
    uint16_t size; /* bytes; 0 = not yet made */
    unsigned char data[DECODE_ENTRY_BYTES];
};

struct decode_map {
    struct trace *trace;
    bool converts;            /* events that Linux has, too, become Linux's */
    bool derives;             /* and others are derived from them */
    struct decode_news *news; /* of tasks; NULL: none are needed */
    bool collects;            /* news are kept, not told */
    unsigned ntypes;          /* types whose meaning is known */
    struct meaning meaning[TRACE_TYPES_MAX];
    uint16_t id_switch, id_waking, id_wakeup, id_entry, id_exit; /* numbers of Linux's types in the trace */
    struct task task[TASKS];
    struct entry entry[INTERRUPTS + 1]; /* the last one is made anew for each other interrupt */
    struct cpu cpu[];                   /* trace->ncpus */
};

/* The pid that a viewer gets for a task. */
static inline uint32_t pid_of(const struct decode_map *map, uint32_t number)
{
    return number == 0 ? 0 : number + map->trace->task_base;
}

/* What is known of a task; NULL: its state is not followed. */
static inline struct task *task_of(struct decode_map *map, uint32_t number)
{
    return number < TASKS ? &map->task[number] : NULL;
}

/* Find out what runs after scheduled or depth has changed. */
static inline void find_running(const struct decode_map *map, struct cpu *cpu)
{
    cpu->running = cpu->depth > 0 ? INTERRUPT_TASK + cpu->interrupt[cpu->depth - 1] : cpu->scheduled;
    cpu->pid = pid_of(map, cpu->running);
    cpu->flags = cpu->depth > 0 ? TRACE_IN_INTERRUPT : 0;
}

#endif
