/* figures.h - the figures of --stat while they are counted.
 *
 * Vocabulary
 *   turn       the time from a switch to a task to the switch away from it
 *   cycle      what a task does after one release: up to the event that ends the cycle; if the task logs no cycles,
 *   until
 *              it waits for something that is not a lock
 *   release    the wake-up with which a cycle begins
 *   response   the time from a release to the end of the cycle
 *   latency    the time from a wake-up to the turn that follows
 *   period     the time from the beginning of one cycle to that of the next one
 *   wait       the time in which a task waits for a mutex
 *   inversion  a wait for a mutex that a less important task holds, while a third task keeps that one from running: the
 *              third task is more important than the holder, and less important than the task that waits
 *   gap        a place where events are missing: no figure is made of events on both sides of a gap
 *
 * Memory is bounded whatever the input is: see STAT_..._MOST. What is beyond these limits is not counted, and the user
 * is told.
 */
#ifndef ANSWER_FIGURES_H
#define ANSWER_FIGURES_H

#include "answer/load.h"
#include "answer/roles.h"
#include "answer/samples.h"
#include "answer/table.h"

enum {
    STAT_TASKS_MOST = 16384,
    STAT_IRQS_MOST = 4096,
    STAT_MUTEXES_MOST = 4096,
    STAT_WATER_MOST = 1024,
    STAT_REASONS_MOST = 16,        /* of one task, by their names */
    STAT_ALL_REASONS_MOST = 65536, /* of all tasks */
    STAT_WAITS = 64,               /* that are followed at a time */
    STAT_OTHERS = 4,               /* tasks that ran during one wait, and whose names are shown */
    STAT_INVERSIONS = 16,          /* the longest ones, which are shown */
    STAT_NESTING = 16,             /* interrupts followed inside each other */
};

/* Whether small or large numbers are the more important priorities. The input does not tell; it follows from which
 * tasks preempt which. */
enum stat_order { STAT_LESS_IS_MORE, STAT_MORE_IS_MORE, STAT_ORDERS };

/* How often and how long. */
struct stat_span {
    uint64_t n, time, least, most, most_at;
};

/* What a task waited for. */
struct stat_reason {
    uint64_t object;
    uint16_t type; /* the event that told it; UINT16_MAX: no event did */
    bool is_lock;
    struct stat_span span;
    uint64_t open; /* a part of the span's time: the wait that had no end in the trace */
};

enum stat_state { STAT_UNKNOWN, STAT_RUNNING, STAT_READY, STAT_BLOCKED };

struct stat_task {
    uint64_t pid;
    char name[32]; /* as events tell it; "" = no event does */
    int32_t priority;
    bool has_priority;

    enum stat_state state;
    uint64_t since, gaps;     /* the state: since when, and stat.gaps then */
    bool woken;               /* it is ready since it was woken, not since it was preempted */
    struct stat_reason *why;  /* of the state BLOCKED, or of the next one; NULL: none is told */
    bool released, has_begun; /* a cycle is released; it has begun */
    bool cycles, in_cycle;    /* the task logs cycles; it has begun one */
    uint64_t released_at, released_gaps;
    uint64_t begun_at, begun_gaps; /* the last cycle; gaps + 1, 0 = there was none */

    uint64_t turns, running, preempted;
    uint64_t ready, interrupted;
    struct stat_span cycle; /* those that were begun; from their beginning to their end, preemption included */
    struct samples response, latency;
    struct stat_span period;
    uint64_t missed; /* deadlines */
    /* What it waits for, each with a hash, by which most others are excluded without reading them. Two more are for all
     * reasons beyond the limit: one for locks, one for the others. */
    unsigned nreasons;
    uint16_t reason_sign[STAT_REASONS_MOST + 2];
    struct stat_reason *reason[STAT_REASONS_MOST + 2];
};

struct stat_irq {
    uint64_t number;
    uint64_t entered, own; /* how often; time without that of others inside of it */
    struct stat_span span;
    unsigned deepest; /* interrupts that it was inside of, at most */
};

/* What a task that ran during a wait did there. */
struct stat_other {
    const struct stat_task *task;
    int32_t priority;
    uint64_t time;
};

struct stat_wait {
    struct stat_task *task;
    struct stat_mutex *mutex;
    const struct stat_task *holder;
    int32_t priority, holder_priority;
    uint64_t begin, gaps, time;
    bool has_run; /* the task runs again; if it does not take the mutex now, `time` is the length of the wait */
    struct stat_other other[STAT_OTHERS];
    unsigned nothers;
};

struct stat_mutex {
    uint64_t number;
    uint16_t type; /* an event that tells it */
    const struct stat_task *holder;
    uint64_t held_since, gaps;
    struct stat_span hold, wait;
    const struct stat_task *longest_holder, *longest_waiter;
    uint64_t inversions[STAT_ORDERS];
};

struct stat_cpu {
    struct stat_task *task; /* what runs, if it is known */
    bool is_known, has_begun;
    uint64_t last;   /* time of the last event */
    uint64_t since;  /* of what is accounted up to now */
    uint64_t stolen; /* by interrupts, since then */
    uint64_t told;   /* part of stolen that the load has already: from when it was not known which task ran */
    unsigned depth;
    struct {
        struct stat_irq *irq;
        uint64_t since, inside; /* inside: the time of interrupts inside of it */
    } nested[STAT_NESTING];
    uint64_t irq_since, irq_time;
    uint64_t idle, busy, unknown;
    struct load *load;
};

struct stat_water {
    uint64_t key; /* type << 16 | index of the field */
    uint64_t n;
    int64_t least, most, last;
    uint64_t least_at, most_at;
};

struct stat {
    struct trace *trace;
    struct roles roles;
    struct samples_pool pool;
    struct table tasks, irqs, mutexes, water;
    struct stat_cpu *cpu; /* trace->ncpus */
    uint64_t gaps, reasons;
    bool tells_waits;      /* a task left a CPU because it waits */
    bool reasons_left_out; /* there were too many: they are counted without their names */
    uint64_t first, last;  /* times of events */
    bool has_events;
    unsigned deepest; /* interrupts */
    struct stat_wait wait[STAT_WAITS];
    unsigned nwaits;
    uint64_t waits_missed;                       /* there were too many at a time */
    struct stat_wait inversion[STAT_INVERSIONS]; /* by time, the longest first */
    unsigned ninversions;
    uint64_t preemptions[STAT_ORDERS]; /* how many show that order */
};

/* ---- figures of one kind ----------------------------------------------------------------------------------------- */

/* From one time to another; 0 where the clock steps back. */
static inline uint64_t stat_elapsed(uint64_t from, uint64_t to)
{
    return to > from ? to - from : 0;
}

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
static inline bool stat_is_above(enum stat_order order, int32_t a, int32_t b)
{
    return order == STAT_LESS_IS_MORE ? a < b : a > b;
}

/* The order that most preemptions show. */
static inline enum stat_order stat_order_of(const struct stat *stat)
{
    return stat->preemptions[STAT_MORE_IS_MORE] > stat->preemptions[STAT_LESS_IS_MORE] ? STAT_MORE_IS_MORE
                                                                                       : STAT_LESS_IS_MORE;
}

/* The time from the first event to the last one. */
static inline uint64_t stat_length(const struct stat *stat)
{
    return stat_elapsed(stat->first, stat->last);
}

/* A part of a whole; 0 of nothing. */
static inline double stat_share(uint64_t part, uint64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : 0;
}

#endif
