/* scheduling.c - see scheduling.h. */
#include "answer/scheduling.h"

#include "base/heap.h"
#include "answer/mutexes.h"
#include "answer/samples.h"
#include "answer/table.h"
#include "model/known.h"

#include <string.h>

enum { STATE_MASK = 0xFF, STATE_LOCKED = 2 }; /* of a task that is switched out: the states of Linux, without flags */

/* ---- parts of CPUs ----------------------------------------------------------------------------------------------- */

enum { CPUS_MOST = TRACE_CPUS_COUNTED };

void stat_parts_add(struct stat *stat, struct stat_parts *parts, const struct stat_cpu *cpu, uint64_t n)
{
    unsigned cpus = stat->trace->ncpus;
    parts->all += n;
    if (parts->on == NULL && n > 0 && cpus > 1 && cpus <= CPUS_MOST)
        parts->on = heap_calloc(cpus, sizeof *parts->on);
    if (parts->on != NULL)
        parts->on[cpu - stat->cpu] += n;
}

/* Of more CPUs than have parts, the average counts. */
static double share_of(const struct stat *stat, const struct stat_parts *parts, bool is_seen)
{
    double share = 0, all = 0, cpus = 0;
    for (unsigned i = 0; i < stat->trace->ncpus; i++) {
        uint64_t whole = is_seen ? stat->cpu[i].seen : stat_known(&stat->cpu[i]);
        if (whole == 0)
            continue;
        all += (double)whole;
        cpus++;
        if (parts->on != NULL)
            share += stat_share(parts->on[i], whole);
    }
    return parts->on != NULL ? share : all > 0 ? (double)parts->all * cpus / all : 0;
}

double stat_parts_of_known(const struct stat *stat, const struct stat_parts *parts)
{
    return share_of(stat, parts, false);
}

double stat_parts_of_seen(const struct stat *stat, const struct stat_parts *parts)
{
    return share_of(stat, parts, true);
}

double stat_per_second(const struct stat *stat, const struct stat_parts *n)
{
    return stat->trace->clock_hz > 0 ? stat_parts_of_seen(stat, n) * 1e9 : 0;
}

/* ---- CPUs -------------------------------------------------------------------------------------------------------- */

uint64_t stat_known(const struct stat_cpu *cpu)
{
    return cpu->busy + cpu->idle;
}

uint64_t stat_unknown(const struct stat *stat, const struct stat_cpu *cpu)
{
    return stat_elapsed(stat_known(cpu), stat_length(stat));
}

double stat_load_part(const struct stat *stat, const struct stat_cpu *cpu, unsigned i, unsigned n)
{
    double known = cpu->known != NULL ? cpu_load_part(cpu->known, stat->last, i, n) : 0;
    double busy = cpu->load != NULL ? cpu_load_part(cpu->load, stat->last, i, n) : 0;
    if (known < 0.5)
        return -1;
    return busy < known ? busy / known : 1;
}

/* ---- what the user wants ----------------------------------------------------------------------------------------- */

void stat_open_stretch(struct stat *stat, uint64_t time)
{
    stat->first = !stat->has_events || time < stat->first ? time : stat->first;
    stat->last = !stat->has_events || time > stat->last ? time : stat->last;
    stat->has_events = true;
    if (stat->in_stretch)
        return;
    stat->in_stretch = true;
    stat->stretches += stat->stretches == 0 || time != stat->stretch_end;
    stat->stretch_begin = time;
}

void stat_close_stretch(struct stat *stat, uint64_t time)
{
    if (!stat->in_stretch)
        return;
    stat_open_stretch(stat, time);
    stat->in_stretch = false;
    stat->stretch_end = time;
    stat->left_out = true;
    stat->chosen += stat_elapsed(stat->stretch_begin, time);
}

/* ---- what a CPU does --------------------------------------------------------------------------------------------- */

/* Add a time to one of a CPU's loads. */
static void add_load(const struct stat *stat, struct cpu_load **load, uint64_t from, uint64_t to)
{
    if (*load == NULL && from < to) {
        *load = heap_calloc(1, sizeof **load);
        if (*load != NULL)
            (*load)->first = stat->first;
    }
    if (*load != NULL)
        cpu_load_add(*load, from, to);
}

/* Count a time in which the CPU was busy. */
static void be_busy(struct stat *stat, struct stat_cpu *cpu, uint64_t from, uint64_t to)
{
    cpu->busy += stat_elapsed(from, to);
    add_load(stat, &cpu->load, from, to);
}

static bool is_idle(const struct stat_cpu *cpu)
{
    return cpu->is_known && cpu->task != NULL && cpu->task->pid == 0;
}

/* Interrupts ran on the CPU up to a time: take that time from what they interrupted. */
static void steal(struct stat *stat, struct stat_cpu *cpu, uint64_t time)
{
    uint64_t from = cpu->irq_since > cpu->since ? cpu->irq_since : cpu->since;
    cpu->stolen += stat_elapsed(from, time);
    if (is_idle(cpu) || !cpu->is_known)
        be_busy(stat, cpu, from, time);
    if (cpu->is_known)
        return;
    cpu->in_load += stat_elapsed(from, time);
    add_load(stat, &cpu->known, from, time);
}

void cpu_account(struct stat *stat, struct stat_cpu *cpu, uint64_t time)
{
    uint64_t whole = stat_elapsed(cpu->since, time), own;
    if (cpu->depth > 0)
        steal(stat, cpu, time);
    own = stat_elapsed(cpu->stolen, whole);
    if (cpu->is_known)
        add_load(stat, &cpu->known, cpu->since + cpu->in_load, time);
    if (is_idle(cpu))
        cpu->idle += own;
    else if (cpu->is_known)
        be_busy(stat, cpu, cpu->since + cpu->in_load,
                time); /* the load does not show where in this time interrupts ran */
    if (cpu->is_known && cpu->task != NULL) {
        stat_parts_add(stat, &cpu->task->running, cpu, own);
        cpu->task->interrupted += stat_elapsed(own, whole);
        mutex_overlap(stat, cpu->task, cpu->since, time);
    }
    cpu->since = time;
    cpu->stolen = cpu->in_load = 0;
}

/* ---- interrupts -------------------------------------------------------------------------------------------------- */

void cpu_enter(struct stat *stat, struct stat_cpu *cpu, uint64_t number, uint64_t time, bool is_cut)
{
    struct stat_irq *irq = table_at(&stat->irqs, number);
    if (cpu->depth == STAT_NESTING)
        return;
    if (cpu->depth == 0)
        cpu->irq_since = time;
    cpu->nested[cpu->depth].irq = irq;
    cpu->nested[cpu->depth].since = time;
    cpu->nested[cpu->depth].inside = 0;
    cpu->nested[cpu->depth].is_cut = is_cut;
    if (irq != NULL) {
        stat_parts_add(stat, &irq->entered, cpu, !is_cut);
        irq->deepest = cpu->depth > irq->deepest ? cpu->depth : irq->deepest;
    }
    cpu->depth++;
    if (stat->watch != NULL)
        stat->watch->entered(stat, cpu, time);
    stat->deepest = cpu->depth > stat->deepest ? cpu->depth : stat->deepest;
}

/* The outermost interrupt has ended. */
static void leave_all(struct stat *stat, struct stat_cpu *cpu, uint64_t time)
{
    steal(stat, cpu, time);
    cpu->irq_time += stat_elapsed(cpu->irq_since, time);
    cpu->depth = 0;
}

/* The outermost handler was left, before now: what ran since its entry is not known. That was counted as busy. */
static void forget_interrupt(struct stat *stat, struct stat_cpu *cpu, uint64_t time)
{
    cpu_account(stat, cpu, time);
    cpu->busy -= stat_elapsed(cpu->irq_since, time);
    cpu_load_change(cpu->load, cpu->irq_since, time, false);
    cpu_load_change(cpu->known, cpu->irq_since, time, false);
}

/* If an interrupt exits while others run inside of it, their exits are missing, and their lengths are not counted. */
void cpu_exit(struct stat *stat, struct stat_cpu *cpu, uint64_t number, uint64_t time, uint64_t result)
{
    struct stat_irq *irq = table_at(&stat->irqs, number);
    unsigned at = cpu->depth;
    bool is_left = result == TRACE_EXIT_LEFT, is_cut = is_left || result == TRACE_EXIT_UNKNOWN;
    uint64_t whole;
    while (at > 0 && cpu->nested[at - 1u].irq != irq)
        at--;
    if (at == 0)
        return;
    at--;
    if (stat->watch != NULL)
        stat->watch->left(stat, cpu, at, time, result);
    whole = stat_elapsed(cpu->nested[at].since, time);
    if (irq != NULL && !is_cut && !cpu->nested[at].is_cut)
        stat_span_add(&irq->span, whole, cpu->nested[at].since);
    if (irq != NULL) {
        irq->left += is_left;
        stat_parts_add(stat, &irq->own, cpu, is_left ? 0 : stat_elapsed(cpu->nested[at].inside, whole));
    }
    if (at > 0)
        cpu->nested[at - 1u].inside += whole;
    else if (is_left)
        forget_interrupt(stat, cpu, time);
    else
        leave_all(stat, cpu, time);
    cpu->depth = at;
}

/* Account for the task that was known to run, and forget it. */
static void forget_task(struct stat *stat, struct stat_cpu *cpu, uint64_t time)
{
    cpu_account(stat, cpu, time);
    if (stat->watch != NULL)
        stat->watch->ran(stat, cpu, time);
    if (cpu->task != NULL && cpu->is_known) {
        cpu->task->state = STAT_UNKNOWN;
        cpu->task->why = NULL;
    }
    cpu->task = NULL;
    cpu->is_known = false;
}

void cpu_lose(struct stat *stat, struct stat_cpu *cpu, uint64_t time)
{
    if (!cpu->has_begun || cpu->in_gap)
        return;
    forget_task(stat, cpu, time);
    if (stat->watch != NULL && cpu->depth > 0)
        stat->watch->left(stat, cpu, 0, time, STAT_EXIT_LOST);
    if (cpu->depth > 0)
        leave_all(stat, cpu, time);
    cpu->stolen = cpu->in_load = 0;
    cpu->seen += stat_elapsed(cpu->seen_since, time);
    cpu->in_gap = true;
}

void cpu_resume(struct stat *stat, struct stat_cpu *cpu, uint64_t time)
{
    if (cpu->has_begun && !cpu->in_gap)
        return;
    if (stat->watch != NULL)
        stat->watch->ran(stat, cpu, time);
    cpu->has_begun = true;
    cpu->in_gap = false;
    cpu->since = cpu->seen_since = time;
}

/* ---- tasks ------------------------------------------------------------------------------------------------------- */

struct stat_task *task_of(struct stat *stat, uint64_t pid)
{
    return table_at(&stat->tasks, pid);
}

void task_free(struct stat *stat, struct stat_task *task)
{
    samples_clear(&task->response, &stat->pool);
    samples_clear(&task->latency, &stat->pool);
    for (unsigned i = 0; i < task->nreasons; i++)
        heap_free(task->reason[i]);
    heap_free(task->running.on);
}

/* ---- reasons ----------------------------------------------------------------------------------------------------- */

static uint16_t sign_of(uint16_t type, uint64_t object, bool is_lock)
{
    return (uint16_t)(((object << 17 | (uint64_t)type << 1 | is_lock) * 0x9E3779B97F4A7C15u) >> 48);
}

/* The entry of a reason to wait, which is added if it is new. If there are too many, one entry stands for all others.
 * NULL: there is no memory. */
static struct stat_reason *reason_of(struct stat *stat, struct stat_task *task, uint16_t type, uint64_t object,
                                     bool is_lock)
{
    uint16_t sign = sign_of(type, object, is_lock);
    struct stat_reason *reason;
    for (unsigned i = 0; i < task->nreasons; i++) {
        reason = task->reason[i];
        if (task->reason_sign[i] == sign && reason->type == type && reason->object == object
            && reason->is_lock == is_lock)
            return reason;
    }
    if (type != UINT16_MAX && (task->nreasons >= STAT_REASONS_MOST || stat->reasons >= STAT_ALL_REASONS_MOST)) {
        stat->reasons_left_out = true;
        return reason_of(stat, task, UINT16_MAX, 0, is_lock);
    }
    reason = heap_calloc(1, sizeof *reason);
    if (reason == NULL)
        return NULL;
    *reason = (struct stat_reason){.object = object, .type = type, .is_lock = is_lock};
    stat->reasons++;
    task->reason_sign[task->nreasons] = sign;
    return task->reason[task->nreasons++] = reason;
}

/* ---- cycles ------------------------------------------------------------------------------------------------------ */

static void release(struct stat *stat, struct stat_task *task, uint64_t time)
{
    task->released = true;
    task->has_begun = false;
    task->released_at = time;
    task->released_gaps = stat->gaps;
}

/* The released cycle is done: count its response. */
static void respond(struct stat *stat, struct stat_task *task, uint64_t time)
{
    if (task->released && task->released_gaps == stat->gaps)
        samples_add(&task->response, &stat->pool, stat_elapsed(task->released_at, time), task->released_at);
    task->released = false;
}

static void begin_period(struct stat *stat, struct stat_task *task, uint64_t time)
{
    if (task->begun_gaps == stat->gaps + 1u)
        stat_span_add(&task->period, stat_elapsed(task->begun_at, time), task->begun_at);
    task->begun_at = time;
    task->begun_gaps = stat->gaps + 1u;
    task->has_begun = true;
}

/* If a task logs cycles, only these count: when the first one comes, forget what was taken for cycles before. */
void task_begin(struct stat *stat, struct stat_task *task, uint64_t time)
{
    if (!task->cycles) {
        samples_clear(&task->response, &stat->pool);
        task->period = (struct stat_span){0};
        task->begun_gaps = 0;
        task->cycles = true;
    }
    task->in_cycle = true;
    task->why = NULL;
    begin_period(stat, task, time);
}

void task_end(struct stat *stat, struct stat_task *task, uint64_t time)
{
    if (task->in_cycle && task->begun_gaps == stat->gaps + 1u)
        stat_span_add(&task->cycle, stat_elapsed(task->begun_at, time), task->begun_at);
    if (task->in_cycle)
        respond(stat, task, time);
    task->in_cycle = false;
}

/* ---- states ------------------------------------------------------------------------------------------------------ */

static void enter_state(struct stat *stat, struct stat_task *task, enum stat_state state, uint64_t time)
{
    task->state = state;
    task->since = time;
    task->gaps = stat->gaps;
    if (stat->watch != NULL)
        stat->watch->becomes(stat, task);
}

/* Count the time of the state that ends. is_open: it does not end, but the trace does. */
static void leave_state(struct stat *stat, struct stat_task *task, uint64_t time, bool is_open)
{
    uint64_t length = stat_elapsed(task->since, time);
    if (task->gaps != stat->gaps)
        return;
    if (stat->watch != NULL)
        stat->watch->was(stat, task, time);
    if (task->state == STAT_READY)
        task->ready += length;
    if (task->state == STAT_READY && task->woken && !is_open)
        samples_add(&task->latency, &stat->pool, length, task->since);
    if (task->state != STAT_BLOCKED || task->why == NULL)
        return;
    if (!is_open)
        stat_span_add(&task->why->span, length, task->since);
    task->why->open += is_open ? length : 0;
}

/* The task does not wait any more. That releases a cycle, unless it waited for a lock. */
static void stop_waiting(struct stat *stat, struct stat_task *task, uint64_t time)
{
    bool is_lock = task->state == STAT_BLOCKED && task->why != NULL && task->why->is_lock;
    leave_state(stat, task, time, false);
    task->why = NULL;
    if (!is_lock && !task->in_cycle)
        release(stat, task, time);
}

/* A task that seemed to be preempted is woken. So it was not preempted but has waited, and no event told that. */
static void have_waited(struct stat *stat, struct stat_task *task)
{
    task->state = STAT_BLOCKED;
    task->why = reason_of(stat, task, UINT16_MAX, 0, false);
    task->preempted--;
    if (!task->cycles)
        respond(stat, task, task->since);
}

/* Forget a state that began before the last gap: it is not known whether it still is so. Which tasks run on CPUs
 * without gaps is known all the same. */
static void forget_stale(const struct stat *stat, struct stat_task *task)
{
    if (task->gaps == stat->gaps || task->state == STAT_RUNNING)
        return;
    task->state = STAT_UNKNOWN;
    task->woken = false;
    task->why = NULL;
}

void task_wake(struct stat *stat, struct stat_task *task, uint64_t time)
{
    forget_stale(stat, task);
    if (task->state == STAT_READY && !task->woken)
        have_waited(stat, task);
    if (task->state == STAT_READY || task->state == STAT_RUNNING)
        return;
    if (stat->watch != NULL)
        stat->watch->woke(stat, task, time);
    stop_waiting(stat, task, time);
    enter_state(stat, task, STAT_READY, time);
    task->woken = true;
}

void task_block(struct stat *stat, struct stat_task *task, uint16_t type, uint64_t object, bool is_lock, uint64_t time)
{
    struct stat_reason *why = reason_of(stat, task, type, object, is_lock);
    bool is_other = task->why != NULL && task->why->type != UINT16_MAX && task->why != why;
    forget_stale(stat, task);
    if (task->state == STAT_READY || (task->state == STAT_BLOCKED && is_other)) {
        leave_state(stat, task, time, task->state == STAT_READY); /* it did not run, so there is no latency */
        enter_state(stat, task, STAT_BLOCKED, time);
    }
    task->why = why;
    if (!is_lock)
        mutex_give_up(stat, task);
}

void task_gone(struct stat *stat, struct stat_task *task, uint64_t time)
{
    forget_stale(stat, task);
    mutex_give_up(stat, task);
    if (task->state != STAT_RUNNING) {
        leave_state(stat, task, time, false);
        enter_state(stat, task, STAT_ENDED, time);
    }
    task->why = NULL;
    task->woken = false;
}

/* ---- switches ---------------------------------------------------------------------------------------------------- */

static void leave_cpu(struct stat *stat, struct stat_task *task, uint64_t state, uint64_t time)
{
    bool is_lock = (state & STATE_MASK) == STATE_LOCKED;
    if ((state & STATE_MASK) == 0) {
        enter_state(stat, task, STAT_READY, time);
        task->woken = false;
        task->preempted++;
        return;
    }
    stat->tells_waits = true;
    if (trace_state_is_ended(state))
        task->why = NULL;
    else if (task->why == NULL)
        task->why = reason_of(stat, task, UINT16_MAX, 0, is_lock);
    enter_state(stat, task, trace_state_is_ended(state) ? STAT_ENDED : STAT_BLOCKED, time);
    if (!is_lock && !task->cycles)
        respond(stat, task, time);
}

/* If a task that was just woken takes the CPU from another one, its priority is the more important one. That is certain
 * only if the trace tells when tasks begin to wait. */
static void judge_order(struct stat *stat, const struct stat_task *from, const struct stat_task *to)
{
    if (from->pid == 0 || to->pid == 0 || !to->woken || to->since < from->since || !stat->tells_waits
        || from->priority == to->priority || !from->has_priority || !to->has_priority)
        return;
    stat->preemptions[to->priority < from->priority ? TRACE_LOWEST_FIRST : TRACE_HIGHEST_FIRST]++;
}

static void take_cpu(struct stat *stat, struct stat_task *task, uint64_t time)
{
    forget_stale(stat, task);
    if (task->state == STAT_READY)
        leave_state(stat, task, time, false);
    else if (task->state != STAT_RUNNING)
        stop_waiting(stat, task, time);
    enter_state(stat, task, STAT_RUNNING, time);
    task->why = NULL;
    task->woken = false;
    task->turns++;
    if (task->released && !task->has_begun && !task->cycles)
        begin_period(stat, task, time);
    mutex_waiter_runs(stat, task, time);
}

void task_switch(struct stat *stat, struct stat_cpu *cpu, struct stat_task *from, uint64_t state, struct stat_task *to,
                 uint64_t time)
{
    if (!cpu->is_known && from != NULL) { /* it is what has run until now */
        if (stat->watch != NULL)
            stat->watch->ran(stat, cpu, cpu->since);
        cpu->task = from;
        cpu->is_known = true;
    }
    cpu_account(stat, cpu, time);
    if (stat->watch != NULL)
        stat->watch->ran(stat, cpu, time);
    cpu->is_known = true;
    if (cpu->task != NULL && cpu->task != from)
        cpu->task->state = STAT_UNKNOWN; /* a switch is missing */
    if (from != NULL && to != NULL && (state & STATE_MASK) == 0)
        judge_order(stat, from, to);
    if (from != NULL)
        leave_cpu(stat, from, state, time);
    if (to != NULL)
        take_cpu(stat, to, time);
    cpu->task = to;
}

void task_has_run(struct stat *stat, struct stat_cpu *cpu, struct stat_task *task)
{
    if (task == NULL)
        return;
    if (stat->watch != NULL)
        stat->watch->ran(stat, cpu, cpu->since);
    cpu->task = task;
    cpu->is_known = true;
    if (task->state != STAT_RUNNING)
        enter_state(stat, task, STAT_RUNNING, cpu->since);
}

void task_known(struct stat *stat, struct stat_cpu *cpu, struct stat_task *task, uint64_t time)
{
    forget_task(stat, cpu, time);
    cpu->task = task;
    cpu->is_known = task != NULL;
    if (task != NULL && task->state != STAT_RUNNING)
        enter_state(stat, task, STAT_RUNNING, time);
}

void task_close(struct stat *stat, struct stat_task *task, uint64_t time)
{
    leave_state(stat, task, time, true);
}
