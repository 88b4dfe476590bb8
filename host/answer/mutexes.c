/* mutexes.c - see mutexes.h. */
#include "answer/mutexes.h"

#include "base/heap.h"

#include <string.h>

static struct stat_mutex *find(struct stat *stat, uint64_t number, uint16_t type)
{
    struct stat_mutex *mutex = table_at(&stat->mutexes, number);
    if (mutex != NULL && mutex->hold.n + mutex->wait.n == 0 && mutex->holder == NULL)
        mutex->type = type;
    return mutex;
}

/* ---- inversions -------------------------------------------------------------------------------------------------- */

/* Whether a task that ran during a wait is less important than the waiting task, and more important than the holder. */
static bool is_between(const struct stat_wait *wait, const struct stat_other *other, enum trace_priority_order order)
{
    return stat_is_above(order, wait->priority, other->priority)
           && stat_is_above(order, other->priority, wait->holder_priority);
}

const struct stat_other *mutex_intruder(const struct stat_wait *wait, enum trace_priority_order order)
{
    const struct stat_other *found = NULL;
    for (unsigned i = 0; i < wait->nothers; i++) {
        if (is_between(wait, &wait->other[i], order) && (found == NULL || wait->other[i].time > found->time))
            found = &wait->other[i];
    }
    return found;
}

/* Keep an inversion if it is among the longest, which are in order. */
static void keep(struct stat *stat, const struct stat_wait *wait)
{
    unsigned at = stat->ninversions < STAT_INVERSIONS ? stat->ninversions++ : STAT_INVERSIONS - 1u;
    if (at == STAT_INVERSIONS - 1u && stat->inversion[at].task != NULL && stat->inversion[at].time >= wait->time)
        return;
    for (; at > 0 && stat->inversion[at - 1u].time < wait->time; at--)
        stat->inversion[at] = stat->inversion[at - 1u];
    stat->inversion[at] = *wait;
}

/* Count a wait that is an inversion. If the input does not tell which order of priorities holds, that comes out only at
 * the end, so it is counted by both. */
static void judge(struct stat *stat, const struct stat_wait *wait)
{
    bool is_one = false;
    for (enum trace_priority_order order = TRACE_LOWEST_FIRST; order < TRACE_PRIORITY_ORDERS; order++) {
        if (mutex_intruder(wait, order) == NULL)
            continue;
        wait->mutex->inversions[order]++;
        is_one = true;
    }
    if (is_one)
        keep(stat, wait);
}

/* ---- waits ------------------------------------------------------------------------------------------------------- */

static struct stat_wait *wait_of(struct stat *stat, const struct stat_task *task)
{
    for (unsigned i = 0; i < stat->nwaits; i++) {
        if (stat->wait[i].task == task)
            return &stat->wait[i];
    }
    return NULL;
}

/* A wait is over; wait->time is its length. */
static void finish(struct stat *stat, struct stat_wait *wait)
{
    struct stat_mutex *mutex = wait->mutex;
    if (wait->gaps == stat->gaps) {
        if (mutex->wait.n == 0 || wait->time > mutex->wait.most)
            mutex->longest_waiter = wait->task;
        stat_span_add(&mutex->wait, wait->time, wait->begin);
        judge(stat, wait);
    }
    *wait = stat->wait[--stat->nwaits];
}

void mutex_give_up(struct stat *stat, const struct stat_task *task)
{
    struct stat_wait *wait = stat->nwaits > 0 ? wait_of(stat, task) : NULL;
    if (wait != NULL)
        finish(stat, wait);
}

void mutex_wait(struct stat *stat, struct stat_task *task, uint64_t number, uint16_t type, uint64_t time)
{
    struct stat_mutex *mutex = find(stat, number, type);
    struct stat_wait *wait = wait_of(stat, task);
    if (mutex == NULL || (wait != NULL && wait->mutex == mutex))
        return;
    mutex_give_up(stat, task);
    if (stat->nwaits == STAT_WAITS) {
        stat->waits_missed++;
        return;
    }
    stat->wait[stat->nwaits++] = (struct stat_wait){.task = task,
                                                    .mutex = mutex,
                                                    .holder = mutex->gaps == stat->gaps ? mutex->holder : NULL,
                                                    .priority = task->priority,
                                                    .begin = time,
                                                    .gaps = stat->gaps};
}

void mutex_waiter_runs(struct stat *stat, const struct stat_task *task, uint64_t time)
{
    struct stat_wait *wait = stat->nwaits > 0 ? wait_of(stat, task) : NULL;
    if (wait == NULL)
        return;
    wait->time = stat_elapsed(wait->begin, time);
    wait->has_run = true;
}

/* ---- who ran meanwhile ------------------------------------------------------------------------------------------- */

/* Note that another task ran for a time while a task waited. If there are too many such tasks, it replaces the one that
 * ran for the shortest time. */
static void add_other(struct stat_wait *wait, const struct stat_task *task, uint64_t time)
{
    unsigned at = 0, shortest = 0;
    while (at < wait->nothers && wait->other[at].task != task) {
        shortest = wait->other[at].time < wait->other[shortest].time ? at : shortest;
        at++;
    }
    if (at == STAT_OTHERS)
        at = shortest;
    if (at == wait->nothers || wait->other[at].task != task)
        wait->other[at] = (struct stat_other){.task = task};
    wait->nothers += at == wait->nothers;
    wait->other[at].priority = task->priority;
    wait->other[at].time += time;
}

/* A task that runs while the holder of the mutex is ready keeps it from running. */
void mutex_overlap(struct stat *stat, const struct stat_task *task, uint64_t from, uint64_t to)
{
    for (unsigned i = 0; i < stat->nwaits; i++) {
        struct stat_wait *wait = &stat->wait[i];
        const struct stat_task *holder = wait->holder;
        uint64_t begin = from > wait->begin ? from : wait->begin;
        if (holder == NULL || wait->has_run || task == wait->task || task == holder || task->pid == 0
            || holder->state != STAT_READY || !task->has_priority || !holder->has_priority)
            continue;
        wait->holder_priority = holder->priority;
        begin = begin > holder->since ? begin : holder->since;
        if (begin < to)
            add_other(wait, task, to - begin);
    }
}

/* ---- holders ----------------------------------------------------------------------------------------------------- */

void mutex_acquire(struct stat *stat, struct stat_task *task, uint64_t number, uint16_t type, uint64_t time)
{
    struct stat_mutex *mutex = find(stat, number, type);
    struct stat_wait *wait = wait_of(stat, task);
    if (mutex == NULL)
        return;
    if (wait != NULL && wait->mutex == mutex)
        wait->time = stat_elapsed(wait->begin, time);
    if (wait != NULL)
        finish(stat, wait);
    if (stat->watch != NULL && mutex->holder != NULL)
        stat->watch->freed(stat, mutex, time, false);
    mutex->holder = task;
    mutex->held_since = time;
    mutex->gaps = stat->gaps;
    if (stat->watch != NULL)
        stat->watch->taken(stat, mutex);
    mutex->is_signal = false;
}

void mutex_release(struct stat *stat, struct stat_task *task, uint64_t number, uint16_t type, uint64_t time)
{
    struct stat_mutex *mutex = find(stat, number, type);
    uint64_t held;
    if (mutex == NULL)
        return;
    held = stat_elapsed(mutex->held_since, time);
    if (mutex->holder == task && mutex->gaps == stat->gaps) {
        if (mutex->hold.n == 0 || held > mutex->hold.most)
            mutex->longest_holder = task;
        stat_span_add(&mutex->hold, held, mutex->held_since);
    }
    if (stat->watch != NULL && mutex->holder != NULL)
        stat->watch->freed(stat, mutex, time, mutex->holder == task);
    mutex->holder = NULL;
}

void mutex_is_signal(struct stat *stat, uint64_t number, uint16_t type, uint64_t time)
{
    struct stat_mutex *mutex = find(stat, number, type);
    if (mutex == NULL)
        return;
    if (stat->watch != NULL && mutex->holder != NULL)
        stat->watch->freed(stat, mutex, time, false);
    mutex->holder = NULL;
    mutex->is_signal = true;
    for (unsigned i = 0; i < stat->nwaits; i++) {
        if (stat->wait[i].mutex == mutex)
            stat->wait[i--] = stat->wait[--stat->nwaits];
    }
}

/* Leave out what was nothing but a signal. The table is not asked for a key any more. */
static void leave_out_signals(struct table *mutexes)
{
    for (size_t i = 0; i < mutexes->n; i++) {
        struct stat_mutex *mutex = mutexes->element[i];
        if (!mutex->is_signal || mutex->hold.n + mutex->wait.n > 0 || mutex->row != NULL)
            continue;
        heap_free(mutex);
        mutexes->element[i--] = mutexes->element[--mutexes->n];
    }
}

void mutex_end(struct stat *stat, uint64_t time)
{
    while (stat->nwaits > 0) {
        struct stat_wait *wait = &stat->wait[stat->nwaits - 1u];
        if (!wait->has_run)
            wait->time = stat_elapsed(wait->begin, time);
        finish(stat, wait);
    }
    leave_out_signals(&stat->mutexes);
}
