/* writer.c - the format "perfetto": Perfetto's protobuf, as FORMAT.md says. */
#include "base/heap.h"
#include "model/known.h"
#include "model/module.h"
#include "formats/perfetto/bundle.h"
#include "formats/perfetto/cpu.h"
#include "formats/perfetto/event.h"
#include "formats/perfetto/tracks.h"

static void free_state(struct perfetto *state)
{
    for (unsigned i = 0; state->shape != NULL && i < TRACE_TYPES_MAX; i++)
        perfetto_shape_free(state->shape[i]);
    perfetto_cpus_free(state->cpu);
    perfetto_bundles_free(state->bundles);
    perfetto_slices_free(state->slices, state->trace);
    perfetto_tasks_free(state->tasks);
    perfetto_tracks_free(state->tracks);
    perfetto_args_free(state->args);
    perfetto_interns_free(&state->kernel);
    perfetto_interns_free(&state->user);
    perfetto_output_free(&state->output);
    heap_free(state->shape);
    heap_free(state->text);
    heap_free(state);
}

/* Allocate the parts of the state. False: no memory. */
static bool make_parts(struct perfetto *state)
{
    state->tasks = perfetto_tasks_new();
    state->tracks = perfetto_tracks_new();
    state->slices = perfetto_slices_new(state->trace);
    state->args = perfetto_args_new();
    state->bundles = perfetto_bundles_new();
    state->cpu = perfetto_cpus_new(state->trace);
    state->shape = heap_calloc(TRACE_TYPES_MAX, sizeof *state->shape);
    state->text = heap_alloc(PRINT_MOST);
    perfetto_interns_init(&state->kernel, state->trace);
    perfetto_interns_init(&state->user, state->trace);
    return state->tasks != NULL && state->tracks != NULL && state->slices != NULL && state->args != NULL
           && state->bundles != NULL && state->cpu != NULL && state->shape != NULL && state->text != NULL;
}

/* Refuse options that the format does not have. 0, or -1 after trace_fail(). */
static int check_options(struct trace *trace, const struct trace_options *options)
{
    if (options->compression == TRACE_COMPRESS_ZSTD)
        return trace_fail(trace, "perfetto: viewers open no zstd; --compress=zlib makes a gzip file of it");
    if ((options->given & TRACE_OPTION_START_TIME) && trace->clock_hz == 0)
        return trace_fail(trace, "the clock's frequency is not known, so --start-time has no meaning; --clock-hz=N "
                                 "tells it");
    return 0;
}

static void *open_writer(struct trace *trace, const struct trace_options *options, int fd)
{
    struct perfetto *state;
    if (check_options(trace, options) != 0)
        return NULL;
    state = heap_calloc(1, sizeof *state);
    if (state == NULL) {
        trace_fail(trace, "no memory for the writer");
        return NULL;
    }
    if (trace->ncpus > PERFETTO_CPUS_MOST)
        trace_note(trace, "viewers take %u CPUs: switches, wake-ups and interrupts of further ones are moments",
                   PERFETTO_CPUS_MOST);
    state->trace = trace;
    state->has_start = (options->given & TRACE_OPTION_START_TIME) != 0;
    state->start = (uint64_t)options->start_time;
    if (!make_parts(state))
        trace_fail(trace, "no memory for the writer");
    else if (perfetto_output_open(&state->output, trace, fd, options->compression == TRACE_COMPRESS_ZLIB))
        return state;
    free_state(state);
    return NULL;
}

/* The shape of an event's type. NULL after trace_fail(). */
static struct perfetto_shape *shape_of(struct perfetto *state, const struct tlog_event *event)
{
    struct perfetto_shape **shape = &state->shape[event->type];
    if (*shape == NULL)
        *shape = perfetto_shape_new(state->trace, event->type);
    if (*shape == NULL)
        trace_fail(state->trace, "no memory for event types");
    return *shape;
}

static int write_loss(struct perfetto *state, unsigned cpu, const struct perfetto_shape *shape,
                      const struct tlog_event *event, uint64_t time)
{
    if (perfetto_cpu_loss(state, cpu, time) != 0)
        return -1;
    return perfetto_loss(state, cpu, shape, event, time);
}

/* Whether events of the type tell why a task waits, or that it no longer does. */
static bool is_about_waits(const struct tlog_type *type)
{
    return type->means == TLOG_MEANS_LOCK || type->means == TLOG_MEANS_BLOCK || type->means == TLOG_MEANS_UNBLOCK
           || type->means == TLOG_MEANS_BLOCK_RUNNING || type->means == TLOG_MEANS_LOCK_RUNNING
           || trace_ends_task(type);
}

static int write_event(struct perfetto *state, unsigned cpu, const struct tlog_event *event)
{
    uint64_t time = perfetto_time(state, event->time);
    struct perfetto_shape *shape = shape_of(state, event);
    if (shape == NULL)
        return -1;
    if (shape->form == FORM_LOSS || shape->form == FORM_DAMAGE)
        return write_loss(state, cpu, shape, event, time);
    if (shape->form == FORM_LEFT_OUT)
        return tlog_event_number(event, &shape->type->fields[0]) == 0 ? perfetto_cpu_forget(state, cpu, time) : 0;
    if (state->cpu[cpu].losses_open > 0 && perfetto_losses_end(state, cpu, time) != 0)
        return -1;
    perfetto_cpu_note(state, cpu, event, time);
    if (is_about_waits(shape->type) && perfetto_cpu_note_wait(state, cpu, shape, event, time) != 0)
        return -1;
    if (shape->form >= FORM_SWITCH && shape->form <= FORM_IRQ_EXIT && perfetto_cpu_has_bundles(cpu))
        return perfetto_cpu_event(state, cpu, shape, event, time);
    return perfetto_event(state, cpu, shape, event, time);
}

static int write_batch(void *writer, unsigned cpu, const struct trace_batch *batch)
{
    struct perfetto *state = writer;
    if (!state->begun && batch->n > 0 && perfetto_begin(state, batch->event[0].time) != 0)
        return -1;
    for (size_t i = 0; i < batch->n; i++) {
        if (!trace_event_is_extra(&batch->event[i]) && write_event(state, cpu, &batch->event[i]) != 0)
            return -1;
    }
    return 0;
}

/* 0, or -1 after trace_fail(). */
static int finish(struct perfetto *state)
{
    if (!state->begun && perfetto_begin(state, 0) != 0)
        return -1;
    for (unsigned i = 0; i < state->trace->ncpus; i++) {
        if (perfetto_losses_end(state, i, state->cpu[i].lost_at) != 0 || perfetto_cpu_finish(state, i) != 0)
            return -1;
    }
    return perfetto_output_finish(&state->output);
}

static int close_writer(void *writer, bool ok)
{
    int result = ok ? finish(writer) : 0;
    free_state(writer);
    return result;
}

const struct trace_writer writer_perfetto = {
    .name = "perfetto",
    .suffix = ".pftrace",
    .description = "Perfetto's protobuf, for ui.perfetto.dev and trace_processor; by gzip if called .pftrace.gz",
    .binary = true,
    .merged = true,
    .exact = true,
    .left_out = true,
    .gzips = true,
    .takes = TRACE_OPTION_COMPRESS | TRACE_OPTION_START_TIME,
    .open = open_writer,
    .write = write_batch,
    .close = close_writer,
};
