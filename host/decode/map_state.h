/* map_state.h - the mapping's state, and the words for it. For the files of the mapping only: map.c takes batches
 * apart, map_event.c maps one event, map_known.c tells what is not known, map_linux.c makes Linux's events.
 *
 * Vocabulary
 *   task      what an event belongs to: a task that the firmware numbered; the code before the first switch ("boot");
 *             an interrupt; or, until the first switch on a CPU where the trace does not tell what ran, an unknown one
 *             ("<...>", as Linux's tools call a task without a name)
 *   number    what a task is known by here: the firmware's own number, or one of those below; pid_of() makes the pid
 *   scheduled the task that the last switch on a CPU was to; interrupts run above it
 *   running   the task whose code really runs: the innermost interrupt, else the scheduled task
 *   derived   added by the mapping. Viewers draw a row per task, so each interrupt becomes a task, with a sched_switch
 *             into it and one out of it. Each sched_waking gets a sched_wakeup after it, as in Linux, because trace-cmd
 *             measures from there
 *   access    one use of a task's state, to read or change it, while an event of a CPU is mapped (cross_cpu.h)
 *   special   with any meaning but TLOG_MEANS_PLAIN, or telling who runs, or that no interrupt does: the mapping must
 *             look at the event
 *   slice     some events of a batch that are mapped together
 *   segment   the plain events of a slice from one special event to the next
 *
 * Why slices: the processor cannot predict whether the next event is special, and a branch that it predicts wrongly
 * takes as long as a whole event. So the events of a slice are first sorted into special and plain ones, without a
 * branch. Then the special ones are mapped. Then each plain event gets what holds for its segment.
 */
#ifndef DECODE_MAP_STATE_H
#define DECODE_MAP_STATE_H

#include "base/bytes.h"
#include "base/sorted_set.h"
#include "decode/cross_cpu.h"
#include "decode/handles.h"
#include "decode/known.h"
#include "model/known.h"

/* ---- types and slices -------------------------------------------------------------------------------------------- */

enum {
    DECODE_SLICE = 240, /* events of a slice, at most */
    DECODE_PLACES = 3,  /* fields that the mapping looks at: the first ones of a type */
};

/* Where a number is in a payload. */
struct place {
    uint16_t offset;
    uint8_t size; /* bytes, up to 8; 0 = the type has no such number */
    bool is_signed;
};

/* What the mapping must know of a type. */
struct meaning {
    enum tlog_meaning means;
    enum decode_teller teller;
    bool is_special;
    bool is_of_mutex;                  /* it is waited for, taken or released */
    enum tlog_kind kind;               /* of the first field */
    struct place place[DECODE_PLACES]; /* of the first fields */
};

/* A number that does not have 4 bytes, as one of 4 bytes; 0 if it is not there. */
static inline uint32_t number_in(struct place place, const unsigned char *data)
{
    uint32_t value = place.size == 0 ? 0 : (uint32_t)number_at(data + place.offset, place.size, false);
    if (place.is_signed && place.size == 1)
        return (uint32_t)(int8_t)value;
    return place.is_signed && place.size == 2 ? (uint32_t)(int16_t)value : value;
}

/* Field n of an event, below DECODE_PLACES; 0 if its type has no such number. */
static inline uint32_t field_value(const struct meaning *meaning, const struct tlog_event *event, unsigned n)
{
    struct place place = meaning->place[n];
    return place.size == 4 ? get_le32(event->data + place.offset) : number_in(place, event->data);
}

/* What holds for the plain events of a segment. */
struct segment {
    size_t added; /* to an event's index in the slice, which gives its index in the output */
    uint32_t pid; /* of the task that the events belong to */
    uint8_t flags;
};

struct slice {
    const struct tlog_event *event; /* n of them */
    size_t n, nspecial;
    uint16_t plain[DECODE_SLICE], special[DECODE_SLICE]; /* indices in event, in their order */
    struct segment segment[DECODE_SLICE + 1];            /* before the first special event, and after each one */
};

static inline void copy_event(struct tlog_event *to, const struct tlog_event *event, const struct segment *segment)
{
    *to = *event;
    to->task = segment->pid;
    to->flags |= segment->flags;
}

/* ---- CPUs and tasks ---------------------------------------------------------------------------------------------- */

enum {
    BOOT_TASK = TRACE_MAPPED_TASK,     /* the code before the first switch; above the 16 bits of a number in a record */
    UNKNOWN_TASK = TRACE_UNKNOWN_TASK, /* what runs where that is not known */
    INTERRUPT_TASK = 70000,            /* interrupt 0; the others follow */
    INTERRUPTS = TRACE_MAPPED_TASK_END - INTERRUPT_TASK, /* interrupts whose entry has its payload kept */
    TASKS = TRACE_LIVES_TASK_END,                        /* tasks of lower numbers have a state */
    NESTING = 16,                                        /* interrupts followed inside each other */
};

/* Two numbers that no task has. */
#define ANY_TASK UINT32_MAX
#define NO_TASK  (UINT32_MAX - 1u)
#define HANDLER  NO_TASK

/* Sizes of the events of Linux that the mapping makes, in bytes of their payload. */
enum {
    DECODE_COMM_BYTES = 16,                    /* a task's name: char[16] with its NUL */
    DECODE_TASK_BYTES = DECODE_COMM_BYTES + 8, /* name, pid and priority, which stand side by side */
    DECODE_SWITCH_BYTES = 56,                  /* task switched out, its state (8 bytes), task switched to */
    DECODE_WAKING_BYTES = 28,                  /* task, CPU (4 bytes); of sched_wakeup, too */
    DECODE_ENTRY_BYTES = 8 + 32,               /* interrupt, offset and length of its name, the name: at most */
    DECODE_EXIT_BYTES = 8,                     /* interrupt, whether it was handled */
};

/* The state in which a task leaves a CPU: the values of prev_state in a sched_switch. */
enum {
    DECODE_STATE_RUNNING = 0, /* it is still ready */
    DECODE_STATE_SLEEPING = 1,
    DECODE_STATE_LOCKED = 2,               /* it waits for a lock; Linux calls that uninterruptible */
    DECODE_STATE_DEAD = TRACE_STATE_ENDED, /* it has ended */
};

/* What runs on a CPU. */
struct cpu {
    uint32_t scheduled;
    uint32_t running;
    uint32_t pid;                /* of running */
    uint32_t interrupt[NESTING]; /* the interrupts that run, by their numbers, the outermost first */
    unsigned depth;              /* how many those are */
    uint8_t flags;               /* for events: TLOG_FLAG_IN_INTERRUPT or none */
    bool begun;                  /* an event has come that is no loss and no damage */
    size_t leading;              /* losses and damages that are still to come before the first event */
    uint32_t hint;               /* decode_tells() */
    bool is_paused;              /* the last event was a pause, at that time: */
    uint64_t paused_at;
    uint32_t again;    /* the interrupt that came while its handler seemed to run; NO_TASK: none, or that is settled */
    bool logs_waits;   /* its kernel logs when the running task is going to wait */
    uint32_t raised;   /* the task that may be logged as ready once more (note_raised()); ANY_TASK; NO_TASK */
    uint64_t accesses; /* to tasks, so far */
    struct decode_task_update update; /* the next one for this CPU; its access is UINT64_MAX if there is none */
};

/* What is known of a task. */
struct task {
    unsigned char field[DECODE_TASK_BYTES]; /* name, pid and priority, ready to be copied into payloads */
    unsigned naming;                        /* 1 + trace.naming when field was made; 0 = it was not yet made */
    int32_t priority;
    uint8_t state;          /* DECODE_STATE_...: in which it leaves if it is switched out now */
    bool says_blocked;      /* the firmware logs when this task blocks */
    bool woken;             /* and has not run since */
    bool begun;             /* it was switched to, or woken */
    bool ran;               /* it was switched to, or it is an interrupt that was entered */
    bool created;           /* its creation has come */
    unsigned accessed_by;   /* 1 + the CPU of the last access; 0 = there was none */
    int32_t final_priority; /* at the end of the trace; only if there are updates */
    uint32_t mutex, holder; /* of the mutex whose hash is the number of this task, the last one that an event named: */
    uint32_t waiter;        /* who holds it; 0: not known; HANDLER: a handler unlocked it. And who waits, or 0 */
    uint64_t gaps;          /* so far; see decode_map_follow_mutex() */
};

/* The payload of an interrupt's entry. */
struct entry {
    uint16_t size; /* bytes; 0 = it was not yet made */
    unsigned char data[DECODE_ENTRY_BYTES];
};

struct decode_map {
    struct trace *trace;
    bool converts;                    /* events that Linux has too become Linux's */
    bool derives;                     /* other events are derived from them */
    bool marks;                       /* the writer wants events of TLOG_MEANS_LEFT_OUT */
    struct decode_cross_cpu *updates; /* NULL = events of all CPUs come in the order of time, so none are needed */
    bool records;                     /* it records updates; else it applies them */
    unsigned ntypes;                  /* types whose meaning is known */
    struct meaning meaning[TRACE_TYPES_MAX];
    uint16_t id_switch, id_waking, id_wakeup, id_entry, id_exit; /* numbers of Linux's types in the trace */
    uint16_t id_left_out;
    const struct decode_lives *lives; /* whose numbers the events have, or NULL */
    bool knows_lives;                 /* it was looked for lives */
    bool meets_lives;                 /* a number is given again */
    uint64_t gaps;                    /* so far: behind one it is not known who holds mutexes */
    struct sorted_set objects;        /* keys of those that were created or have ended, until knows_lives */
    struct decode_handles *handles;   /* names of objects by the firmware's symbols */
    struct task task[TASKS];
    uint64_t left, twice; /* handlers that were left without an exit; interrupts that seem to be logged twice */
    uint32_t left_first, twice_first;   /* the first such interrupts */
    struct entry entry[INTERRUPTS + 1]; /* the last one is made anew for each interrupt of a higher number */
    struct cpu cpu[];                   /* trace->ncpus */
};

/* Whether an event may change what runs, or is in a segment of its own. */
static inline bool is_special(const struct meaning *meaning, const struct tlog_event *event)
{
    return meaning[event->type].is_special | ((event->flags & TLOG_FLAG_IN_THREAD) != 0);
}

/* The pid that a viewer gets for a task. */
static inline uint32_t pid_of(const struct decode_map *map, uint32_t number)
{
    return number == 0 ? 0 : number + map->trace->task_base;
}

/* What is known of a task; NULL: its number is too high for a state. */
static inline struct task *task_of(struct decode_map *map, uint32_t number)
{
    return number < TASKS ? &map->task[number] : NULL;
}

/* Set what runs; to be called when scheduled or depth has changed. */
static inline void find_running(const struct decode_map *map, struct cpu *cpu)
{
    cpu->running = cpu->depth > 0 ? INTERRUPT_TASK + cpu->interrupt[cpu->depth - 1] : cpu->scheduled;
    cpu->pid = pid_of(map, cpu->running);
    cpu->flags = cpu->depth > 0 ? TLOG_FLAG_IN_INTERRUPT : 0;
}

#endif
