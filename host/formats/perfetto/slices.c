/* slices.c - see slices.h. */
#include "formats/perfetto/slices.h"

#include <stdlib.h>

enum {
    OPEN_MOST = 64,        /* slices of a task */
    SLICES_MOST = 1 << 15, /* of all tasks; so some tasks have none, on which tasks.c relies */
};

struct perfetto_slice {
    struct perfetto_slice *below;         /* in which it began; NULL: in none */
    struct perfetto_slice *older, *newer; /* that began on the same CPU */
    struct perfetto_task *task;
    uint64_t key;
    unsigned cpu; /* that it began on */
};

struct perfetto_slices {
    struct perfetto_slice **on_cpu;   /* by CPU: the one that began last */
    struct perfetto_track **on_board; /* by board, from 0: the mutex that was taken last */
    struct perfetto_slice *unused;    /* each leads to the next one below */
    size_t n;                         /* that are open */
};

struct perfetto_slices *perfetto_slices_new(const struct trace *trace)
{
    struct perfetto_slices *slices = calloc(1, sizeof *slices);
    if (slices == NULL)
        return NULL;
    slices->on_cpu = calloc(trace->ncpus + 1u, sizeof *slices->on_cpu);
    slices->on_board = calloc(trace->ncpus + 1u, sizeof *slices->on_board); /* a board has a CPU at least */
    if (slices->on_cpu != NULL && slices->on_board != NULL)
        return slices;
    perfetto_slices_free(slices, trace);
    return NULL;
}

void perfetto_slices_free(struct perfetto_slices *slices, const struct trace *trace)
{
    struct perfetto_slice *next;
    if (slices == NULL)
        return;
    for (unsigned i = 0; slices->on_cpu != NULL && i < trace->ncpus; i++) {
        for (struct perfetto_slice *slice = slices->on_cpu[i]; slice != NULL; slice = next) {
            next = slice->older;
            free(slice);
        }
    }
    for (struct perfetto_slice *slice = slices->unused; slice != NULL; slice = next) {
        next = slice->below;
        free(slice);
    }
    free(slices->on_cpu);
    free(slices->on_board);
    free(slices);
}

/* ---- slices of tasks --------------------------------------------------------------------------------------------- */

bool perfetto_slice_begin(struct perfetto *state, struct perfetto_task *task, unsigned cpu, uint64_t key)
{
    struct perfetto_slices *slices = state->slices;
    struct perfetto_slice *slice = slices->unused, **last = &slices->on_cpu[cpu];
    if (task->depth == OPEN_MOST || slices->n == SLICES_MOST)
        return false;
    if (slice != NULL)
        slices->unused = slice->below;
    else
        slice = malloc(sizeof *slice);
    if (slice == NULL)
        return trace_fail(state->trace, "no memory for spans") == 0;
    *slice = (struct perfetto_slice){.below = task->slice, .older = *last, .task = task, .key = key, .cpu = cpu};
    if (*last != NULL)
        (*last)->newer = slice;
    *last = slice;
    task->slice = slice;
    task->depth++;
    slices->n++;
    return true;
}

/* The innermost slice of a task is over. */
static void close_slice(struct perfetto_slices *slices, struct perfetto_task *task)
{
    struct perfetto_slice *slice = task->slice;
    if (slice->newer != NULL)
        slice->newer->older = slice->older;
    else
        slices->on_cpu[slice->cpu] = slice->older;
    if (slice->older != NULL)
        slice->older->newer = slice->newer;
    task->slice = slice->below;
    task->depth--;
    slice->below = slices->unused;
    slices->unused = slice;
    slices->n--;
}

/* End what began in a slice. False after trace_fail(). */
static bool end_inner(struct perfetto *state, const struct perfetto_slice *slice, uint64_t time)
{
    struct perfetto_task *task = slice->task;
    while (task->slice != slice) {
        if (perfetto_put_end(state, task->track, time) != 0)
            return false;
        close_slice(state->slices, task);
    }
    return true;
}

bool perfetto_slice_end(struct perfetto *state, struct perfetto_task *task, uint64_t key, uint64_t time)
{
    const struct perfetto_slice *slice = task->slice;
    while (slice != NULL && slice->key != key)
        slice = slice->below;
    if (slice == NULL || !end_inner(state, slice, time))
        return false;
    close_slice(state->slices, task);
    return true;
}

int perfetto_slices_forget(struct perfetto *state, unsigned cpu, uint64_t time)
{
    struct perfetto_slice *slice;
    while ((slice = state->slices->on_cpu[cpu]) != NULL) {
        if (!end_inner(state, slice, time) || perfetto_put_end(state, slice->task->track, time) != 0)
            return -1;
        close_slice(state->slices, slice->task);
    }
    return 0;
}

/* ---- mutexes ----------------------------------------------------------------------------------------------------- */

static struct perfetto_track **last_on(struct perfetto *state, unsigned cpu)
{
    return &state->slices->on_board[perfetto_board(state, cpu)];
}

void perfetto_mutex_take(struct perfetto *state, unsigned cpu, struct perfetto_track *mutex, uint32_t owner)
{
    struct perfetto_track **last = last_on(state, cpu);
    mutex->owner = owner;
    if (mutex->depth++ > 0)
        return;
    mutex->older = *last;
    mutex->newer = NULL;
    if (*last != NULL)
        (*last)->newer = mutex;
    *last = mutex;
}

void perfetto_mutex_give(struct perfetto *state, unsigned cpu, struct perfetto_track *mutex)
{
    if (--mutex->depth > 0)
        return;
    if (mutex->newer != NULL)
        mutex->newer->older = mutex->older;
    else
        *last_on(state, cpu) = mutex->older;
    if (mutex->older != NULL)
        mutex->older->newer = mutex->newer;
}

int perfetto_mutex_give_all(struct perfetto *state, unsigned cpu, struct perfetto_track *mutex, uint64_t time)
{
    while (mutex->depth > 0) {
        if (perfetto_put_end(state, mutex->uuid, time) != 0)
            return -1;
        perfetto_mutex_give(state, cpu, mutex);
    }
    return 0;
}

int perfetto_mutexes_forget(struct perfetto *state, unsigned cpu, uint64_t time)
{
    struct perfetto_track **last = last_on(state, cpu);
    while (*last != NULL) {
        if (perfetto_mutex_give_all(state, cpu, *last, time) != 0)
            return -1;
    }
    return 0;
}
