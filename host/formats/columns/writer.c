/* writer.c - the format "columns": the picture's data as typed arrays, as FORMAT.md says. */
#include "base/heap.h"
#include "formats/columns/rows.h"
#include "model/module.h"

#include <string.h>

static void free_state(struct columns_state *state)
{
    columns_events_free(state);
    columns_rows_free(state);
    columns_strings_free(&state->strings);
    columns_store_free(&state->events);
    columns_store_free(&state->gaps);
    columns_store_free(&state->wakes);
    columns_spill_close(&state->spill);
    stat_free(state->stat);
    heap_free(state->lane);
    heap_free(state);
}

/* Make a row for each CPU. False: no memory. */
static bool make_cpus(struct columns_state *state)
{
    for (unsigned i = 0; i < state->trace->ncpus; i++) {
        state->lane[i].row = columns_row_new(state, COLUMNS_CPU, i, i);
        if (state->lane[i].row == NULL)
            return false;
    }
    return true;
}

/* Allocate the parts of the state. False: no memory. */
static bool make_parts(struct columns_state *state)
{
    state->stat = stat_new(state->trace);
    state->lane = heap_calloc(state->trace->ncpus + 1u, sizeof *state->lane);
    state->text = heap_alloc(PRINT_MOST);
    state->keys = (struct table){.size = 2u * sizeof(uint64_t), .most = COLUMNS_ROWS_MOST};
    state->events.layout = &columns_events_layout;
    state->gaps.layout = &columns_gaps_layout;
    state->wakes.layout = &columns_wakes_layout;
    return columns_strings_open(&state->strings, &state->spill) && columns_events_open(state) && state->stat != NULL
           && state->lane != NULL && state->text != NULL && make_cpus(state);
}

static void *open_columns(struct trace *trace, const struct trace_options *options, int fd)
{
    struct columns_state *state;
    (void)options;
    if (trace->ncpus > COLUMNS_CPUS_MOST) {
        trace_fail(trace, "columns: there are %u CPUs; at most %u have numbers there", trace->ncpus, COLUMNS_CPUS_MOST);
        return NULL;
    }
    state = heap_calloc(1, sizeof *state);
    if (state != NULL) {
        state->trace = trace;
        state->fd = fd;
        state->spill = (struct columns_spill){.trace = trace, .fd = -1};
        if (make_parts(state)) {
            columns_watch(state);
            return state;
        }
        free_state(state);
    }
    trace_fail(trace, "no memory for columns of %u CPUs", trace->ncpus);
    return NULL;
}

static int write_batch(void *writer, unsigned cpu, const struct trace_batch *batch)
{
    struct columns_state *state = writer;
    roles_learn(&state->stat->roles);
    for (size_t i = 0; i < batch->n; i++) {
        if (columns_event(state, cpu, &batch->event[i]) != 0)
            return -1;
    }
    return 0;
}

/* 0, or -1 after trace_fail(). */
static int finish(struct columns_state *state)
{
    stat_end(state->stat);
    columns_watch_end(state);
    return state->trace->failed ? -1 : columns_write_file(state);
}

static int close_columns(void *writer, bool ok)
{
    int result = ok ? finish(writer) : 0;
    free_state(writer);
    return result;
}

const struct trace_writer writer_columns = {
    .name = "columns",
    .suffix = ".columns",
    .description = "typed arrays of intervals, events, texts, as the page draws them; for numpy and other scripts",
    .binary = true,
    .merged = true,
    .left_out = true,
    .open = open_columns,
    .write = write_batch,
    .close = close_columns,
};
