/* watch.c - rows of CPUs, tasks, interrupts and mutexes, and wake-ups: as --stat finds them (answer/figures.h), so that
 * the picture and the figures are the same. */
#include "formats/columns/rows.h"

#include "base/heap.h"
#include "model/known.h"

#include <stdio.h>
#include <string.h>

enum { REASON_BYTES = 112 };

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static struct columns_state *state_of(const struct stat *stat)
{
    return stat->watch->ctx;
}

static struct columns_lane *lane_of(const struct stat *stat, const struct stat_cpu *cpu)
{
    return &state_of(stat)->lane[cpu - stat->cpu];
}

/* ---- tasks ------------------------------------------------------------------------------------------------------- */

/* What a task did since the last that is written, up to a time, is not known. */
static void put_gap(struct columns_state *state, struct columns_row *row, uint64_t time)
{
    uint64_t from = later(row->since, state->stat->first);
    if (row->is_cut || from < time)
        columns_interval(state, row, from, time, 0, STAT_UNKNOWN);
    row->is_cut = false;
    row->since = later(from, time);
}

/* The same; but if a state has begun meanwhile whose end no event tells, the task was in that for a moment. */
static void fill(struct columns_state *state, struct columns_row *row, uint64_t time)
{
    if (row->begun != STAT_UNKNOWN) {
        put_gap(state, row, row->begun_at);
        columns_interval(state, row, row->since, row->since, 0, row->begun);
        row->is_cut = true;
    }
    row->begun = STAT_UNKNOWN;
    put_gap(state, row, time);
}

/* Task 0 of several CPUs is one for each of them: what they do all together is no state. */
static bool is_every_idle(const struct columns_state *state, const struct columns_row *row)
{
    return row->number == 0 && state->trace->ncpus > 1;
}

/* A task was in a state. Of what is told too late, the part that is not written yet counts. */
static void put_state(struct columns_state *state, struct columns_row *row, uint64_t from, uint64_t to, unsigned what,
                      enum stat_state of)
{
    if (to < row->since || is_every_idle(state, row))
        return;
    if (of != STAT_RUNNING)
        row->begun = STAT_UNKNOWN;
    fill(state, row, from);
    columns_interval(state, row, row->since, to, what, of);
    row->since = later(row->since, to);
}

/* Put what a task waits for: "mutex bus", or the name of the event that told that it waits. Returns the length. */
static size_t put_reason(const struct columns_state *state, const struct stat_reason *why, char text[REASON_BYTES])
{
    const struct role_of *of = why->type != UINT16_MAX ? &state->stat->roles.of[why->type] : NULL;
    unsigned board = columns_board_of(state, why->object);
    char object[32];
    size_t n = 0;
    stat_object_name(state->stat, why, object);
    if (of == NULL || object[0] == '\0')
        return (size_t)snprintf(text, REASON_BYTES, "%.90s", stat_reason_name(state->stat, why));
    if (board > 0)
        n = (size_t)snprintf(text, 12, "%u:", board);
    n += (size_t)snprintf(text + n, REASON_BYTES - 12u, "%.48s ",
                          of->role == ROLE_LOCK && !why->is_lock ? "signal" : of->object->name);
    return n + (size_t)snprintf(text + n, REASON_BYTES - n, "%s", object);
}

/* The number of that text; 0: no task waits. */
static uint32_t reason_of(struct columns_state *state, struct stat_reason *why)
{
    char text[REASON_BYTES];
    if (why == NULL)
        return 0;
    if (why->naming != state->trace->naming + 1u)
        why->text = columns_string(&state->strings, text, put_reason(state, why, text));
    why->naming = state->trace->naming + 1u;
    return why->text;
}

/* Whether it is known what a task does that does not run. */
static bool is_known(const struct stat *stat, const struct stat_task *task)
{
    return task->gaps == stat->gaps && task->state >= STAT_READY;
}

static void was(const struct stat *stat, struct stat_task *task, uint64_t time)
{
    struct columns_state *state = state_of(stat);
    struct columns_row *row = is_known(stat, task) ? columns_task_row(state, task) : NULL;
    uint32_t what = task->state == STAT_BLOCKED ? reason_of(state, task->why) : 0;
    if (row != NULL)
        put_state(state, row, task->since, time, what, task->state);
}

static void becomes(const struct stat *stat, struct stat_task *task)
{
    struct columns_state *state = state_of(stat);
    struct columns_row *row = is_known(stat, task) ? columns_task_row(state, task) : NULL;
    if (row == NULL || is_every_idle(state, row))
        return;
    row->begun = task->state;
    row->begun_at = task->since;
    if (row->is_listed)
        return;
    row->is_listed = true;
    row->next = state->tasks;
    state->tasks = row;
}

/* ---- CPUs -------------------------------------------------------------------------------------------------------- */

/* It is not known what ran on a CPU up to a time. */
static void put_unknown(struct columns_state *state, struct columns_lane *lane, uint64_t from, uint64_t time)
{
    struct columns_store *store = &lane->row->store;
    if (time <= from)
        return;
    if (lane->is_unknown && store->n > 0)
        columns_change(store, &state->spill, store->n - 1u, ROW_END, time);
    else
        columns_interval(state, lane->row, from, time, COLUMNS_NO_ROW, 0);
    lane->is_unknown = true;
}

static void ran(const struct stat *stat, const struct stat_cpu *cpu, uint64_t time)
{
    struct columns_state *state = state_of(stat);
    struct columns_lane *lane = lane_of(stat, cpu);
    uint64_t from = later(lane->since, stat->first);
    struct columns_row *task = cpu->is_known && cpu->task != NULL ? columns_task_row(state, cpu->task) : NULL;
    time = later(from, time);
    if (task == NULL) {
        put_unknown(state, lane, from, time);
    } else {
        columns_interval(state, lane->row, from, time, task->index, 0);
        put_state(state, task, from, time, lane->row->index, STAT_RUNNING);
        lane->is_unknown = false;
    }
    lane->since = time;
}

/* ---- interrupts -------------------------------------------------------------------------------------------------- */

static void entered(const struct stat *stat, const struct stat_cpu *cpu, uint64_t time)
{
    struct columns_state *state = state_of(stat);
    struct columns_lane *lane = lane_of(stat, cpu);
    unsigned at = cpu->depth - 1u;
    struct stat_irq *irq = cpu->nested[at].irq;
    struct columns_row *row = irq != NULL ? columns_irq_row(state, irq, (unsigned)(cpu - stat->cpu)) : NULL;
    lane->nested[at].row = row;
    if (row == NULL)
        return;
    lane->nested[at].record = columns_interval(state, row, time, COLUMN_OPEN, columns_row_string(state, row), at);
    if (cpu->nested[at].is_cut && !state->trace->failed)
        columns_set8(&row->store, ROW_FLAGS, row->store.used - 1u, COLUMNS_FROM_UNKNOWN);
}

/* An interrupt ends at a time, which is COLUMN_OPEN at the end of the trace. */
static void end_interrupt(struct columns_state *state, struct columns_lane *lane, const struct stat_cpu *cpu,
                          unsigned at, uint64_t time, unsigned flags)
{
    struct columns_row *row = lane->nested[at].row;
    uint64_t record = lane->nested[at].record;
    flags |= cpu->nested[at].is_cut ? COLUMNS_FROM_UNKNOWN : 0;
    if (row == NULL || state->trace->failed)
        return;
    if (time != COLUMN_OPEN)
        columns_change(&row->store, &state->spill, record, ROW_END, later(time, cpu->nested[at].since));
    if (flags != 0)
        columns_change(&row->store, &state->spill, record, ROW_FLAGS, flags);
}

/* The outermost handler was left at a time that is not known: what ran since its entry is not known. */
static void forget_handler(const struct stat *stat, const struct stat_cpu *cpu, uint64_t time)
{
    struct columns_lane *lane = lane_of(stat, cpu);
    ran(stat, cpu, later(lane->since, cpu->irq_since));
    put_unknown(state_of(stat), lane, lane->since, time);
    lane->since = later(lane->since, time);
}

static void left(const struct stat *stat, const struct stat_cpu *cpu, unsigned at, uint64_t time, uint64_t how)
{
    struct columns_state *state = state_of(stat);
    struct columns_lane *lane = lane_of(stat, cpu);
    unsigned flags = how == TRACE_EXIT_LEFT      ? COLUMNS_LEFT
                     : how == TRACE_EXIT_UNKNOWN ? COLUMNS_TO_UNKNOWN
                     : how == STAT_EXIT_LOST     ? COLUMNS_NO_EXIT
                                                 : 0;
    for (unsigned i = cpu->depth; i-- > at;)
        end_interrupt(state, lane, cpu, i, time, i > at ? COLUMNS_NO_EXIT : flags);
    if (how == TRACE_EXIT_LEFT && at == 0)
        forget_handler(stat, cpu, time);
}

/* ---- mutexes ----------------------------------------------------------------------------------------------------- */

static void taken(const struct stat *stat, struct stat_mutex *mutex)
{
    struct columns_state *state = state_of(stat);
    struct columns_row *row = columns_mutex_row(state, mutex);
    if (row == NULL)
        return;
    row->since = mutex->held_since;
    row->is_open = true;
    if (row->is_listed)
        return;
    row->is_listed = true;
    row->next = state->mutexes;
    state->mutexes = row;
}

/* The name of the task that has a mutex. */
static uint32_t holder_of(struct columns_state *state, const struct stat_mutex *mutex)
{
    char room[32];
    const char *name = mutex->holder != NULL ? stat_task_name(state->stat, mutex->holder, room) : "";
    struct columns_row *row = mutex->holder != NULL ? mutex->holder->row : NULL;
    return row != NULL ? columns_row_string(state, row) : columns_string(&state->strings, name, strlen(name));
}

static void end_hold(struct columns_state *state, struct columns_row *row, uint64_t time, unsigned flags)
{
    if (row->is_open)
        columns_interval(state, row, row->since, time, holder_of(state, row->of), flags);
    row->is_open = false;
}

static void freed(const struct stat *stat, struct stat_mutex *mutex, uint64_t time, bool is_told)
{
    struct columns_state *state = state_of(stat);
    if (mutex->row != NULL)
        end_hold(state, mutex->row, time, is_told ? 0 : COLUMNS_TO_UNKNOWN);
}

/* ---- wake-ups and losses ----------------------------------------------------------------------------------------- */

static void woke(const struct stat *stat, struct stat_task *task, uint64_t time)
{
    struct columns_state *state = state_of(stat);
    struct columns_row *row = columns_task_row(state, task);
    uint32_t place = row != NULL ? columns_add(&state->wakes, &state->spill) : UINT32_MAX;
    if (place == UINT32_MAX)
        return;
    columns_set64(&state->wakes, WAKE_TIME, place, time);
    columns_set32(&state->wakes, WAKE_FROM, place, columns_owner(state, state->cpu, state->event));
    columns_set32(&state->wakes, WAKE_TO, place, row->index);
}

/* A row is listed only after an event told its state, so all losses together take no more time than the events. */
static void lost(const struct stat *stat, uint64_t time)
{
    struct columns_state *state = state_of(stat);
    for (struct columns_row *row = state->tasks; row != NULL; row = row->next) {
        struct stat_task *task = row->of;
        row->is_listed = false;
        if (is_known(stat, task)) {
            was(stat, task, later(time, task->since));
            row->is_cut = true;
        }
    }
    for (struct columns_row *row = state->mutexes; row != NULL; row = row->next) {
        row->is_listed = false;
        end_hold(state, row, time, COLUMNS_TO_UNKNOWN);
    }
    state->tasks = state->mutexes = NULL;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

void columns_watch(struct columns_state *state)
{
    state->watch = (struct stat_watch){ran, becomes, was, woke, entered, left, taken, freed, lost, state};
    state->stat->watch = &state->watch;
}

static void end_lane(struct columns_state *state, unsigned cpu)
{
    struct columns_lane *lane = &state->lane[cpu];
    const struct stat_cpu *of = &state->stat->cpu[cpu];
    for (unsigned i = 0; i < of->depth; i++)
        end_interrupt(state, lane, of, i, COLUMN_OPEN, COLUMNS_NO_EXIT);
    put_unknown(state, lane, later(lane->since, state->stat->first), state->stat->last);
}

void columns_watch_end(struct columns_state *state)
{
    struct table *tasks = &state->stat->tasks;
    for (unsigned i = 0; i < state->trace->ncpus; i++)
        end_lane(state, i);
    for (size_t i = 0; i < tasks->n; i++) {
        struct columns_row *row = columns_task_row(state, tasks->element[i]);
        if (row != NULL)
            fill(state, row, state->stat->last);
    }
    for (struct columns_row *row = state->mutexes; row != NULL; row = row->next)
        end_hold(state, row, COLUMN_OPEN, COLUMNS_TO_UNKNOWN);
}

/* The row of a task, which is remembered: the same tasks come again and again. */
static uint32_t row_of_pid(struct columns_state *state, struct columns_lane *lane, uint32_t pid)
{
    struct stat_task *task;
    struct columns_row *row;
    if (lane->has_pid && lane->pid == pid)
        return lane->pid_row;
    task = table_find(&state->stat->tasks, pid);
    row = task != NULL ? columns_task_row(state, task) : NULL;
    if (row == NULL)
        return COLUMNS_NO_ROW;
    lane->has_pid = true;
    lane->pid = pid;
    lane->pid_row = row->index;
    return row->index;
}

uint32_t columns_owner(struct columns_state *state, unsigned cpu, const struct tlog_event *event)
{
    struct columns_lane *lane = &state->lane[cpu];
    unsigned depth = state->stat->cpu[cpu].depth;
    uint32_t row = (event->flags & TLOG_FLAG_IN_INTERRUPT) == 0 || depth == 0 ? row_of_pid(state, lane, event->task)
                                                                              : COLUMNS_NO_ROW;
    if (row == COLUMNS_NO_ROW && depth > 0 && lane->nested[depth - 1u].row != NULL) {
        lane->irq_pid = event->task;
        lane->irq = lane->nested[depth - 1u].row;
        return lane->irq->index;
    }
    return row == COLUMNS_NO_ROW && lane->irq != NULL && lane->irq_pid == event->task ? lane->irq->index : row;
}
