/* writer.c - the formats "vcd" and "vcd-wires": value change dumps, for viewers of waveforms.
 *
 * Both have wires: a task runs, or is ready; an interrupt runs; a mutex is locked. vcd-wires has only these, because
 * libsigrok up to 0.5.2 reads no file with numbers of several bits. vcd also has the other variables that things.h
 * lists.
 */
#include "io/output.h"
#include "io/temp_file.h"
#include "model/module.h"
#include "formats/vcd/events.h"
#include "formats/vcd/header.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

struct writer {
    struct vcd *vcd;
    int fd, temporary;
};

static void free_state(struct writer *writer)
{
    struct vcd *vcd = writer->vcd;
    for (unsigned i = 0; vcd != NULL && vcd->shape != NULL && i < TRACE_TYPES_MAX; i++)
        vcd_shape_free(vcd->shape[i]);
    if (vcd != NULL) {
        vcd_things_free(vcd->things);
        free(vcd->cpu);
        free(vcd->shape);
    }
    if (writer->temporary >= 0)
        close(writer->temporary);
    free(vcd);
    free(writer);
}

/* Allocate the parts of the state. False: no memory. */
static bool make_parts(struct writer *writer, struct trace *trace)
{
    struct vcd *vcd = malloc(sizeof *vcd);
    writer->vcd = vcd;
    if (vcd == NULL)
        return false;
    memset(vcd, 0, offsetof(struct vcd, buffer));
    vcd->trace = trace;
    vcd->at = vcd->buffer;
    vcd->things = vcd_things_new();
    vcd->cpu = calloc(trace->ncpus + 1u, sizeof *vcd->cpu);
    for (unsigned i = 0; trace->boards != NULL && i < trace->ncpus; i++)
        vcd->board[trace->boards[i].number] = &trace->boards[i];
    vcd->shape = calloc(TRACE_TYPES_MAX, sizeof *vcd->shape);
    return vcd->things != NULL && vcd->cpu != NULL && vcd->shape != NULL;
}

static void *begin(struct trace *trace, const struct trace_options *options, int fd, bool only_wires)
{
    struct writer *writer = calloc(1, sizeof *writer);
    if (writer != NULL)
        writer->temporary = -1;
    if (writer == NULL || !make_parts(writer, trace)) {
        trace_fail(trace, "no memory for the writer");
    } else {
        writer->fd = fd;
        writer->vcd->only_wires = only_wires;
        writer->vcd->unit = options != NULL && (options->given & TRACE_OPTION_TIMESCALE) ? options->timescale : 1u;
        writer->temporary = writer->vcd->to = temp_file_open(trace, NULL);
    }
    if (writer == NULL || writer->temporary >= 0)
        return writer;
    free_state(writer);
    return NULL;
}

static void *open_vcd(struct trace *trace, const struct trace_options *options, int fd)
{
    return begin(trace, options, fd, false);
}

static void *open_wires(struct trace *trace, const struct trace_options *options, int fd)
{
    return begin(trace, options, fd, true);
}

/* The shape of an event's type. NULL after trace_fail(). */
static const struct vcd_shape *shape_of(struct vcd *vcd, const struct trace_event *event)
{
    struct vcd_shape **shape = &vcd->shape[event->type];
    if (*shape == NULL)
        *shape = vcd_shape_new(vcd->trace, event->type);
    if (*shape == NULL)
        trace_fail(vcd->trace, "no memory for event types");
    return *shape;
}

static void write_event(struct vcd *vcd, unsigned cpu, const struct trace_event *event)
{
    const struct vcd_shape *shape = shape_of(vcd, event);
    if (shape == NULL)
        return;
    vcd_set_time(vcd, event->time);
    if (shape->blocks || shape->unblocks)
        vcd_block(vcd, cpu, shape, event);
    if (shape->form != VCD_FORM_EVENT && shape->form != VCD_FORM_COUNTER)
        vcd_change(vcd, cpu, shape, event);
    else if (!vcd->only_wires)
        vcd_event(vcd, cpu, shape, event);
}

static int write_batch(void *state, unsigned cpu, const struct trace_batch *batch)
{
    struct writer *writer = state;
    for (size_t i = 0; i < batch->n; i++) {
        if (!(batch->event[i].flags & TRACE_DERIVED))
            write_event(writer->vcd, cpu, &batch->event[i]);
    }
    return writer->vcd->trace->failed ? -1 : 0;
}

/* Copy the body behind the header. 0, or -1 after trace_fail(). */
static int copy_body(struct writer *writer)
{
    struct vcd *vcd = writer->vcd;
    ssize_t n;
    if (lseek(writer->temporary, 0, SEEK_SET) != 0)
        return trace_fail(vcd->trace, "cannot read a temporary file: %s", strerror(errno));
    do {
        n = read(writer->temporary, vcd->buffer, VCD_BUFFER);
        if (n < 0 && errno != EINTR)
            return trace_fail(vcd->trace, "cannot read a temporary file: %s", strerror(errno));
        if (n > 0 && output_put(vcd->trace, writer->fd, vcd->buffer, (size_t)n) != 0)
            return -1;
    } while (n != 0);
    return 0;
}

/* 0, or -1 after trace_fail(). */
static int finish(struct writer *writer)
{
    struct vcd *vcd = writer->vcd;
    vcd_stamp(vcd);
    if (vcd_flush(vcd) != 0)
        return -1;
    if (vcd->left_out > 0)
        trace_note(vcd->trace, "vcd: %" PRIu64 " events are left out: there is room for %u tasks, interrupts ... only",
                   vcd->left_out, VCD_THINGS_MOST);
    vcd->to = writer->fd;
    return vcd_header(vcd) == 0 ? copy_body(writer) : -1;
}

static int close_writer(void *state, bool ok)
{
    int result = ok ? finish(state) : 0;
    free_state(state);
    return result;
}

const struct trace_writer writer_vcd = {
    .name = "vcd",
    .suffix = ".vcd",
    .description = "value change dump (IEEE 1364) of states, interrupts, mutexes, counters, own events; for GTKWave",
    .merged = true,
    .exact = true,
    .takes = TRACE_OPTION_TIMESCALE,
    .open = open_vcd,
    .write = write_batch,
    .close = close_writer,
};

const struct trace_writer writer_vcd_wires = {
    .name = "vcd-wires",
    .description = "the same with wires of one bit only, for PulseView and sigrok-cli",
    .merged = true,
    .exact = true,
    .takes = TRACE_OPTION_TIMESCALE,
    .open = open_wires,
    .write = write_batch,
    .close = close_writer,
};
