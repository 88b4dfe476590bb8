/* figures.h - the figures of --stat: what they are called, and where they are kept while they are counted.
 *
 *   stat.c          passes each event on: to scheduling.c (tasks, CPUs, interrupts) and mutexes.c
 *   roles.c         what events of a type mean for the figures
 *   figures.c       names of what is counted, and its order
 *   stat_text.c     shows the figures as text; stat_json.c as JSON
 *
 * Vocabulary
 *   turn       the time from a switch to a task to the switch away from it
 *   cycle      what a task does after one release. It ends with an event that says so; if the task logs no cycles, when
 *              it waits for something that is not a lock
 *   release    the wake-up that begins a cycle
 *   response   the time from a release to the end of the cycle
 *   latency    the time from a wake-up to the turn that follows
 *   period     the time from the beginning of one cycle to the beginning of the next
 *   wait       the time in which a task waits for a mutex
 *   inversion  a wait for a mutex during which a task that does not need the mutex keeps its holder from running.
 *              Example: a high task waits for a mutex of a low task, and a middle task runs instead of the low one
 *   gap        a place where events are missing; no figure is made of events on both sides of a gap. So each moment is
 *              kept with the number of gaps before it: if there are more now, the time since then does not count
 *   chosen     the time that figures are about: all of the trace, or with --time and --around the stretches that the
 *              user wants
 *   seen       the part of it in which no events of a CPU are missing
 *   known      the part of it in which it is known what a CPU did: ran a task, ran an interrupt, or idled
 *   part       what a CPU contributes to a figure
 *   watermark  how much of a stack or a heap is used or free, as a field of an event tells
 *
 * Memory has a bound for any input: STAT_..._MOST. What exceeds it is not counted, and the user is told.
 */
#ifndef ANSWER_FIGURES_H
#define ANSWER_FIGURES_H

#include "answer/roles.h"
#include "answer/samples.h"
#include "answer/table.h"

enum {
    STAT_TASKS_MOST = 16384,
    STAT_IRQS_MOST = 4096,
    STAT_MUTEXES_MOST = 4096,
    STAT_WATERMARKS_MOST = 1024,
    STAT_REASONS_MOST = 16,        /* to wait, of one task */
    STAT_ALL_REASONS_MOST = 65536, /* of all tasks */
    STAT_WAITS = 64,               /* followed at a time */
    STAT_OTHERS = 4,               /* tasks that ran during one wait */
    STAT_INVERSIONS = 16,          /* the longest ones, which are shown */
    STAT_NESTING = 16,             /* interrupts followed inside each other */
};

/* A figure by CPU. All zero at the beginning; free on[]. */
struct stat_parts {
    uint64_t all;
    uint64_t *on; /* by CPU; NULL: there is only one CPU, or there are too many */
};

/* How often something took time, and how long: in ns, or in ticks if the clock's frequency is not known. */
struct stat_span {
    uint64_t n, time, least, most; /* how often; sum, shortest, longest */
    uint64_t most_at;              /* when the longest one began */
};

/* What a task waited for. */
struct stat_reason {
    uint64_t object; /* its number, as the event tells it */
    uint16_t type;   /* of the event; UINT16_MAX = no event told it */
    bool is_lock;
    uint32_t text, naming; /* of who watches */
    struct stat_span span;
    uint64_t open; /* the time of a wait that has no end in the trace; it is not in span */
};

/* Files of columns have these numbers, too. */
enum stat_state { STAT_UNKNOWN, STAT_RUNNING, STAT_READY, STAT_BLOCKED, STAT_ENDED };

struct stat_task {
    uint64_t pid;
    char name[32]; /* as events tell it; "" = no event does */
    int32_t priority;
    bool has_priority;

    enum stat_state state;
    void *row;                /* of who watches */
    uint64_t since, gaps;     /* when the state began */
    bool woken;               /* it is ready because it was woken, not because it was preempted */
    struct stat_reason *why;  /* why it is blocked, or is going to be; NULL: no event has told */
    bool released, has_begun; /* a cycle is released; it has begun */
    bool cycles, in_cycle;    /* the task logs cycles; it is inside of one */
    uint64_t released_at, released_gaps;
    uint64_t begun_at, begun_gaps; /* when the last cycle began; 1 + the gaps before, 0 = none began */

    uint64_t turns, preempted;   /* how often it was switched to; how often it was preempted */
    struct stat_parts running;   /* how long: its code, */
    uint64_t ready, interrupted; /* waiting to run, interrupts above it */
    struct stat_span cycle;      /* of logged cycles, from beginning to end, preemption included */
    struct samples response, latency;
    struct stat_span period;
    uint64_t missed;  /* deadlines */
    uint64_t created; /* how many tasks, one after the other, are shown as this one; 0: no event told */
    /* What it waits for. reason_sign has a hash of each, so that a search reads few of the reasons themselves. The last
     * two are for all reasons beyond the limit: one for locks, one for the rest. */
    unsigned nreasons;
    uint16_t reason_sign[STAT_REASONS_MOST + 2];
    struct stat_reason *reason[STAT_REASONS_MOST + 2];
};

/* An interrupt. */
struct stat_irq {
    uint64_t number;
    void *row;                      /* of who watches */
    struct stat_parts entered, own; /* how often; its time without that of interrupts inside of it */
    struct stat_span span;
    uint64_t left;         /* how often its handler ended without an exit */
    uint64_t hits;         /* how often it came, where nothing tells for how long; and how often the last count told, */
    uint64_t told, counts; /* of so many */
    unsigned deepest;      /* how many interrupts it was inside of, at most */
};

/* A task that ran during a wait although the holder of the mutex was ready, and for how long. */
struct stat_other {
    const struct stat_task *task;
    int32_t priority;
    uint64_t time;
};

/* A wait for a mutex. */
struct stat_wait {
    struct stat_task *task; /* that waits */
    struct stat_mutex *mutex;
    const struct stat_task *holder;    /* of the mutex; NULL: not known */
    int32_t priority, holder_priority; /* of the task, and of the holder while another task kept it from running */
    uint64_t begin, gaps;              /* when the wait began */
    uint64_t time;                     /* its length, as soon as that is known */
    bool has_run; /* the task has run again: `time` is right unless it takes the mutex only later */
    struct stat_other other[STAT_OTHERS];
    unsigned nothers;
};

struct stat_mutex {
    uint64_t number;
    uint16_t type;                  /* of an event that tells of it */
    const struct stat_task *holder; /* NULL: nobody, or not known */
    uint64_t held_since, gaps;      /* since when */
    void *row;                      /* of who watches */
    bool is_signal;                 /* the last event about it was one of TLOG_FLAG_SIGNAL */
    struct stat_span hold, wait;
    const struct stat_task *longest_holder, *longest_waiter;
    uint64_t inversions[TRACE_PRIORITY_ORDERS]; /* how many of its waits were, if priorities have that order */
};

struct stat_cpu {
    struct stat_task *task; /* that runs; NULL: it cannot be counted */
    bool is_known;          /* which task runs */
    bool has_begun;         /* there was an event */
    bool in_gap;            /* events are missing before its next one */
    bool is_paused;         /* its last event stopped the trace: */
    uint64_t paused_at;     /* if more follow, nothing is known from then on */
    uint64_t since;         /* everything before this time is counted */
    uint64_t seen;          /* what is seen since: */
    uint64_t seen_since;
    uint64_t stolen;  /* time that interrupts took since then */
    uint64_t in_load; /* the part of it that is in the load already, because it was not known which task ran */
    unsigned depth;
    struct {
        struct stat_irq *irq;
        uint64_t since, inside; /* inside: the time of interrupts inside of it */
        bool is_cut;            /* its beginning is not chosen */
    } nested[STAT_NESTING];     /* interrupts that run: depth of them, the outermost first */
    uint64_t irq_since;         /* when the outermost one began */
    uint64_t irq_time;
    uint64_t idle, busy;
    struct cpu_load *load, *known; /* load.h; NULL: it was never busy, or nothing is known of it */
};

/* The watermarks in a field of a type. */
struct stat_watermark {
    uint64_t key; /* type << 16 | index of the field */
    uint64_t n;
    int64_t least, most, last;
    uint64_t least_at, most_at;
};

struct stat;

/* Who is told what the figures are made of, before they change. Of a task's states was() tells all but those of
 * running, which ran() tells. */
struct stat_watch {
    void (*ran)(const struct stat *stat, const struct stat_cpu *cpu, uint64_t time); /* cpu->task, if cpu->is_known */
    void (*becomes)(const struct stat *stat, struct stat_task *task);                /* its state has begun */
    void (*was)(const struct stat *stat, struct stat_task *task, uint64_t time);     /* its state ends */
    void (*woke)(const struct stat *stat, struct stat_task *task, uint64_t time);
    void (*entered)(const struct stat *stat, const struct stat_cpu *cpu, uint64_t time); /* the innermost interrupt */
    /* Interrupt number `at` of those that run ends, as do those inside of it. how: TRACE_EXIT_..., or STAT_EXIT_LOST */
    void (*left)(const struct stat *stat, const struct stat_cpu *cpu, unsigned at, uint64_t time, uint64_t how);
    void (*taken)(const struct stat *stat, struct stat_mutex *mutex); /* by its holder */
    void (*freed)(const struct stat *stat, struct stat_mutex *mutex, uint64_t time,
                  bool is_told);                          /* its holder lost it */
    void (*lost)(const struct stat *stat, uint64_t time); /* all but what runs becomes unknown */
    void *ctx;
};

#define STAT_EXIT_LOST UINT64_MAX /* the interrupt runs where events are lost */

struct stat {
    struct trace *trace;
    const struct stat_watch *watch; /* or NULL */
    struct roles roles;
    struct samples_pool pool;
    struct table tasks, irqs, mutexes, watermarks;
    struct stat_cpu *cpu;  /* trace->ncpus */
    uint64_t gaps;         /* so far */
    uint64_t reasons;      /* of all tasks */
    bool tells_waits;      /* the trace tells when tasks begin to wait: one left a CPU for that */
    bool reasons_left_out; /* there were too many, so some are counted without their names */
    uint64_t first, last;  /* times of events */
    bool has_events;
    bool left_out, in_stretch;           /* there was something that is not chosen; now all is chosen */
    uint64_t chosen, stretches;          /* how long what is chosen was; in how many stretches */
    uint64_t stretch_begin, stretch_end; /* of the stretch that goes on, and of the one before */
    unsigned deepest;                    /* interrupts inside each other, at most */
    struct stat_wait wait[STAT_WAITS];   /* those that go on: nwaits of them */
    unsigned nwaits;
    uint64_t waits_missed;                       /* there were too many at a time */
    struct stat_wait inversion[STAT_INVERSIONS]; /* by time, the longest first */
    unsigned ninversions;
    uint64_t preemptions[TRACE_PRIORITY_ORDERS]; /* how many there were that show this order of priorities */
};

/* ---- several boards ---------------------------------------------------------------------------------------------- */

#define STAT_NUMBER_BITS 56u

/* The number of an object. In a trace of several boards, which may use the same numbers, that of the board stands above
 * it. */
static inline uint64_t stat_of_board(const struct stat *stat, const struct stat_cpu *cpu, uint64_t number)
{
    const struct trace_board *boards = stat->trace->boards;
    return boards != NULL ? number | (uint64_t)boards[cpu - stat->cpu].number << STAT_NUMBER_BITS : number;
}

/* The number without that. */
static inline uint64_t stat_number_of(const struct stat *stat, uint64_t number)
{
    return stat->trace->boards != NULL ? number & (((uint64_t)1 << STAT_NUMBER_BITS) - 1u) : number;
}

/* ---- figures of one kind ----------------------------------------------------------------------------------------- */

/* The time from one moment to another; 0 if the clock was set back between them. */
static inline uint64_t stat_elapsed(uint64_t from, uint64_t to)
{
    return to > from ? to - from : 0;
}

/* Count a time that began at a moment. */
static inline void stat_span_add(struct stat_span *span, uint64_t time, uint64_t at)
{
    span->least = span->n == 0 || time < span->least ? time : span->least;
    if (span->n == 0 || time > span->most) {
        span->most = time;
        span->most_at = at;
    }
    span->n++;
    span->time += time;
}

/* Whether a priority is the more important one. */
static inline bool stat_is_above(enum trace_priority_order order, int32_t a, int32_t b)
{
    return order == TRACE_LOWEST_FIRST ? a < b : a > b;
}

/* The order of priorities that the input tells; if it does not, the one that most preemptions show. */
static inline enum trace_priority_order stat_priority_order_of(const struct stat *stat)
{
    const uint64_t *shown = stat->preemptions;
    if (stat->trace->priority_order != TRACE_ORDER_UNKNOWN)
        return stat->trace->priority_order;
    return shown[TRACE_HIGHEST_FIRST] > shown[TRACE_LOWEST_FIRST] ? TRACE_HIGHEST_FIRST : TRACE_LOWEST_FIRST;
}

/* The length of what is chosen; of a whole trace: from the first event to the last one. */
static inline uint64_t stat_length(const struct stat *stat)
{
    return stat->left_out ? stat->chosen : stat_elapsed(stat->first, stat->last);
}

/* What share of the whole a part is, 0 to 1; 0 if the whole is 0. */
static inline double stat_share(uint64_t part, uint64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : 0;
}

/* ---- counting: stat.c -------------------------------------------------------------------------------------------- */

/* Begin to count. The trace must have its CPUs, and stays the caller's. NULL: there is no memory. */
struct stat *stat_new(struct trace *trace);

/* Count a batch of one CPU. The events of all CPUs must come in the order of time. */
void stat_batch(struct stat *stat, unsigned cpu, const struct trace_batch *batch);

/* Count one event. The roles of its type must be known: roles_learn(). */
void stat_event(struct stat *stat, unsigned cpu, const struct tlog_event *event);

/* The trace has ended: count what has no end in it up to here. */
void stat_end(struct stat *stat);

/* NULL is allowed. */
void stat_free(struct stat *stat);

/* ---- names and order: figures.c ---------------------------------------------------------------------------------- */

/* The name of a task: the trace's; else an event's; else one made of its number in `room`. */
const char *stat_task_name(const struct stat *stat, const struct stat_task *task, char room[32]);

/* The names of an interrupt and of a mutex, or their numbers. */
void stat_irq_name(const struct stat *stat, const struct stat_irq *irq, char name[32]);
void stat_mutex_name(const struct stat *stat, const struct stat_mutex *mutex, char name[32]);

/* The name of the event that told why a task waits, and of the object it waits for, or "": there is none. */
const char *stat_reason_name(const struct stat *stat, const struct stat_reason *reason);
void stat_object_name(const struct stat *stat, const struct stat_reason *reason, char name[32]);

/* Whether nothing had to be left out. */
bool stat_is_complete(const struct stat *stat);

/* After stat_end(), put tasks, interrupts, mutexes and watermarks in the order of their numbers. */
void stat_sort(struct stat *stat);

/* ---- showing: stat_text.c, stat_json.c --------------------------------------------------------------------------- */

struct answer; /* answer.h */

/* Write the figures to the answer, after stat_sort(). */
void stat_show_text(const struct answer *answer, const struct stat *stat);
void stat_show_json(struct answer *answer, const struct stat *stat);

#endif
