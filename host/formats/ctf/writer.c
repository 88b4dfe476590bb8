/* writer.c - the format "ctf": a directory of CTF 1.8, in the shape of a trace of Linux's kernel by LTTng, which Trace
 * Compass takes for its analyses of the kernel.
 *
 *   metadata       what everything is, as text: written at the end, when all types and names are known (metadata.c)
 *   channel0_N     the events of CPU N, in packets (stream.c)
 *   statedump_0    what is known of the tasks when the trace begins (statedump.c)
 *
 * Every event bears its task, the context it was logged in, and its flags; shape.c has its fields. A loss is in the
 * packets' counts of discarded events. A loss of an unknown number counts as one event, and is also an event,
 * tlog:loss. Damage is an event, tlog:damage, and counts the events that it cost, if that is known.
 */
#include "base/bytes.h"
#include "formats/ctf/directory.h"
#include "formats/ctf/metadata.h"
#include "formats/ctf/statedump.h"
#include "model/module.h"

#include <stdlib.h>
#include <string.h>

#define TASKS      256u /* names that are kept ready to be put; a power of two */
#define TASK_BYTES 40u

/* The name of a task as it stands in an event. */
struct task_name {
    uint32_t task;
    uint32_t bytes;
    unsigned naming; /* trace.naming + 1 when it was made; 0: not made */
    unsigned char text[TASK_BYTES];
};

struct ctf {
    struct ctf_output output;
    struct task_name task[TASKS];
};

/* ---- events ------------------------------------------------------------------------------------------------------ */

/* The shape of an event's type. NULL after trace_fail(). */
static const struct ctf_shape *shape_of(struct ctf_output *output, const struct trace_event *event)
{
    struct ctf_shape *shape = &output->shape[event->type];
    if (shape->scratch == NULL && ctf_shape_make(shape, output->trace->types[event->type]) != 0) {
        trace_fail(output->trace, "no memory for event types");
        return NULL;
    }
    return shape;
}

/* The task's name as it is in an event. It is kept, because the same tasks come again and again. */
static const struct task_name *task_of(struct ctf *ctf, uint32_t task)
{
    struct task_name *kept = &ctf->task[task % TASKS];
    const struct trace *trace = ctf->output.trace;
    if (kept->task != task || kept->naming != trace->naming + 1u) {
        const char *name = task == 0 ? "<idle>" : trace_name(trace, TRACE_NAME_TASK, task);
        kept->task = task;
        kept->naming = trace->naming + 1u;
        kept->bytes = (uint32_t)(ctf_put_text(kept->text, name != NULL ? name : "<...>", TASK_BYTES - 1u) - kept->text);
    }
    return kept;
}

/* Put what every event bears. */
static unsigned char *put_common(unsigned char *to, struct ctf *ctf, const struct trace_event *event)
{
    const struct task_name *task = task_of(ctf, event->task);
    put_le32(to, event->task);
    memcpy(to + 4, task->text, TASK_BYTES);
    to += 4u + task->bytes;
    put_le16(to, event->context);
    if (event->context < CTF_CONTEXTS)
        ctf->output.context_used[event->context] = true;
    to[2] = event->flags & (uint8_t)~TRACE_BEHIND_HOLE;
    if (ctf->output.has_groups)
        put_le16(to + 3, event->group);
    return to + (ctf->output.has_groups ? 5 : 3);
}

/* 0, or -1 after trace_fail(). */
static int put_event(struct ctf *ctf, const struct trace_event *event)
{
    struct ctf_output *output = &ctf->output;
    const struct ctf_shape *shape = shape_of(output, event);
    unsigned char *to;
    if (shape == NULL)
        return -1;
    to = ctf_stream_begin(&output->stream, event->type, event->time,
                          4u + TASK_BYTES + 5u + ctf_shape_room(shape, event));
    if (to == NULL)
        return -1;
    to = put_common(to, ctf, event);
    ctf_stream_end(&output->stream, ctf_shape_put(to, shape, event));
    return 0;
}

/* Tell of a loss or damage. 0, or -1 after trace_fail(). */
static int put_loss(struct ctf *ctf, const struct trace_event *event, bool is_damage)
{
    struct ctf_stream *stream = &ctf->output.stream;
    uint64_t count = event->size >= 8u ? get_le64(event->data) : 0;
    if (is_damage && count == 0)
        return put_event(ctf, event);
    if (ctf_stream_lose(stream, event->time, count > 0 ? count : 1u) != 0)
        return -1;
    if ((is_damage || count == 0) && put_event(ctf, event) != 0)
        return -1;
    return ctf_stream_cut(stream);
}

/* ---- the module -------------------------------------------------------------------------------------------------- */

static void *ctf_open(struct trace *trace, const struct trace_options *options, int directory)
{
    struct ctf *ctf = calloc(1, sizeof *ctf);
    if (ctf == NULL) {
        trace_fail(trace, "no memory for the output buffer");
        return NULL;
    }
    ctf->output.trace = trace;
    ctf->output.has_start = (options->given & TRACE_OPTION_START_TIME) != 0;
    ctf->output.start = options->start_time;
    ctf->output.has_groups = trace->ngroups > 0;
    ctf->output.context_used[0] = true;
    ctf_stream_init(&ctf->output.stream, trace, directory);
    if (ctf->output.has_start && trace->clock_hz == 0) {
        trace_fail(trace, "the clock's frequency is not known, so --start-time has no meaning; --clock-hz=N tells it");
        free(ctf);
        return NULL;
    }
    return ctf;
}

/* Go on with the file of a CPU. 0, or -1 after trace_fail(). */
static int take_cpu(struct ctf_stream *stream, unsigned cpu)
{
    if (stream->fd >= 0 && stream->cpu == cpu)
        return 0;
    return ctf_stream_close(stream) != 0 ? -1 : ctf_stream_open(stream, CTF_CHANNEL, cpu);
}

/* Whether the event only shows an interrupt as a task, which other viewers need: a derived switch into or out of an
 * interrupt. Trace Compass follows interrupts by their entries and exits, and would take such a switch for a switch to
 * another task. */
static bool is_interrupt_as_task(const struct trace_event *event, enum trace_class class)
{
    return class == TRACE_SWITCH && (event->flags & TRACE_DERIVED) != 0;
}

static int ctf_write(void *writer, unsigned cpu, const struct trace_batch *batch)
{
    struct ctf *ctf = writer;
    const struct trace *trace = ctf->output.trace;
    if (batch->n > 0 && take_cpu(&ctf->output.stream, cpu) != 0)
        return -1;
    for (size_t i = 0; i < batch->n; i++) {
        const struct trace_event *event = &batch->event[i];
        enum trace_class class = trace->types[event->type]->class;
        bool is_loss = class == TRACE_LOSS || class == TRACE_DAMAGE;
        if (is_interrupt_as_task(event, class))
            continue;
        if ((is_loss ? put_loss(ctf, event, class == TRACE_DAMAGE) : put_event(ctf, event)) != 0)
            return -1;
    }
    return 0;
}

/* Write the files that need all names. 0, or -1 after trace_fail(). */
static int finish(struct ctf_output *output)
{
    struct ctf_stream *stream = &output->stream;
    bool is_empty = stream->first == UINT64_MAX;
    if (is_empty && take_cpu(stream, 0) != 0)
        return -1;
    return ctf_stream_close(stream) != 0 || ctf_statedump_write(output) != 0 ? -1 : ctf_metadata_write(output);
}

static int ctf_close(void *writer, bool ok)
{
    struct ctf *ctf = writer;
    int result = ok ? finish(&ctf->output) : 0;
    ctf_stream_drop(&ctf->output.stream);
    for (unsigned i = 0; i < TRACE_TYPES_MAX; i++)
        ctf_shape_free(&ctf->output.shape[i]);
    free(ctf);
    return result;
}

const struct trace_writer writer_ctf = {
    .name = "ctf",
    .description = "trace directory of CTF 1.8, as LTTng's of Linux, for Trace Compass and babeltrace2",
    .binary = true,
    .takes = TRACE_OPTION_START_TIME,
    .may_replace = ctf_directory_is_trace,
    .open = ctf_open,
    .write = ctf_write,
    .close = ctf_close,
};
