/* writer.c - the format "ctf": a directory of CTF 1.8. It looks like a trace of Linux's kernel by LTTng, because Trace
 * Compass applies its analyses of kernels to those.
 *
 *   metadata       what everything is, as text: written at the end, when all types and names are known (metadata.c)
 *   channel0_N     the events of CPU N, in packets (stream.c)
 *   statedump_0    the tasks that have names, as LTTng tells them when a trace begins
 *
 * Every event bears its task, the context it was logged in, and its flags; then come its own fields (encoder.c). Lost
 * events are counted by the packets. A loss of an unknown number counts as one event, and is an event tlog:loss, too.
 * Damage is an event tlog:damage; the events that it cost, if their number is known, count as lost.
 */
#include "base/heap.h"
#include "base/bytes.h"
#include "base/text.h"
#include "formats/ctf/encoder.h"
#include "formats/ctf/metadata.h"
#include "formats/ctf/stream.h"
#include "model/known.h"
#include "model/module.h"
#include "os/os_file.h"

#include <string.h>

#define TASKS        256u /* names that are kept ready to be put; a power of two */
#define TASK_BYTES   40u
#define COMMON_BYTES 13u /* of what an event bears whose task has no name, at most */
#define STATE_BYTES  64u /* of a task in the state dump */

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

/* The encoder of an event's type. NULL after trace_fail(). */
static const struct ctf_encoder *encoder_of(struct ctf_output *output, const struct tlog_event *event)
{
    struct ctf_encoder *encoder = &output->encoder[event->type];
    if (encoder->scratch == NULL && ctf_encoder_make(encoder, output->trace->types[event->type]) != 0) {
        trace_fail(output->trace, "no memory for event types");
        return NULL;
    }
    return encoder;
}

/* The name of a task as it stands in an event. Names are kept, because the same tasks come again and again. */
static const struct task_name *task_of(struct ctf *ctf, uint32_t task)
{
    struct task_name *kept = &ctf->task[task % TASKS];
    const struct trace *trace = ctf->output.trace;
    if (kept->task != task || kept->naming != trace->naming + 1u) {
        const char *name = task == 0 ? "idle" : trace_name(trace, TRACE_NAME_TASK, task);
        kept->task = task;
        kept->naming = trace->naming + 1u;
        kept->bytes = (uint32_t)(ctf_put_text(kept->text, name != NULL ? name : "<...>", TASK_BYTES - 1u) - kept->text);
    }
    return kept;
}

/* Put what every event bears. */
static unsigned char *put_common(unsigned char *to, struct ctf *ctf, const struct tlog_event *event)
{
    const struct task_name *task = task_of(ctf, event->task);
    put_le32(to, event->task);
    memcpy(to + 4, task->text, TASK_BYTES);
    to += 4u + task->bytes;
    put_le16(to, event->context);
    if (event->context < CTF_CONTEXTS)
        ctf->output.context_used[event->context] = true;
    to[2] = event->flags & (uint8_t) ~(TLOG_FLAG_TELLS | TLOG_FLAG_SIGNAL);
    if (ctf->output.has_groups)
        put_le16(to + 3, event->group);
    return to + (ctf->output.has_groups ? 5 : 3);
}

/* 0, or -1 after trace_fail(). */
static int put_event(struct ctf *ctf, const struct tlog_event *event)
{
    struct ctf_output *output = &ctf->output;
    const struct ctf_encoder *encoder = encoder_of(output, event);
    unsigned char *to;
    if (encoder == NULL)
        return -1;
    to = ctf_stream_begin(&output->stream, event->type, event->time,
                          4u + TASK_BYTES + 5u + ctf_encoder_room(encoder, event));
    if (to == NULL)
        return -1;
    to = put_common(to, ctf, event);
    ctf_stream_end(&output->stream, ctf_encode(to, encoder, event));
    return 0;
}

/* Write a loss or damage. 0, or -1 after trace_fail(). */
static int put_loss(struct ctf *ctf, const struct tlog_event *event, bool is_damage)
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

/* ---- the state dump ---------------------------------------------------------------------------------------------- */

/* All tasks that have names are in events of LTTng's state dump. Only from there viewers know the name of a task that
 * never ran. What a task did before the first event is not known, so its status is 0. metadata.c describes the
 * fields to readers. */

/* Begin an event of the state dump. What every event bears is 0 in it. */
static unsigned char *begin(struct ctf_output *output, unsigned id)
{
    unsigned char *to = ctf_stream_begin(&output->stream, id, output->stream.first, COMMON_BYTES + STATE_BYTES);
    size_t size = output->has_groups ? 10u : 8u; /* task, no name, context, flags, group */
    if (to == NULL)
        return NULL;
    memset(to, 0, size);
    return to + size;
}

static void put_empty(struct ctf_output *output, unsigned id)
{
    unsigned char *to = begin(output, id);
    if (to != NULL)
        ctf_stream_end(&output->stream, to);
}

/* Put a task: tid, vtid, pid, vpid, ppid, vppid; its name; type, mode, submode, status, level of namespaces; CPU. */
static void put_task(void *ctx, uint32_t id, const char *name)
{
    struct ctf_output *output = ctx;
    unsigned char *to = output->trace->failed ? NULL : begin(output, CTF_STATEDUMP_STATE);
    if (to == NULL)
        return;
    memset(to, 0, STATE_BYTES);
    for (unsigned i = 0; i < 4u; i++)
        put_le32(to + 4u * i, id);
    memcpy(to + 24, name, text_length(name, CTF_CHARS_MOST - 1u));
    ctf_stream_end(&output->stream, to + STATE_BYTES);
}

static void note_name(void *ctx, uint32_t id, const char *name)
{
    bool *found = ctx;
    (void)id;
    *found = *found || name[0] != '\0';
}

/* Write the file, unless no task has a name. 0, or -1 after trace_fail(). */
static int write_statedump(struct ctf_output *output)
{
    bool found = false;
    trace_each_name(output->trace, TRACE_NAME_TASK, note_name, &found);
    if (!found || output->stream.first == UINT64_MAX)
        return 0;
    if (ctf_stream_open(&output->stream, CTF_STATEDUMP, 0) != 0)
        return -1;
    put_empty(output, CTF_STATEDUMP_START);
    trace_each_name(output->trace, TRACE_NAME_TASK, put_task, output);
    put_empty(output, CTF_STATEDUMP_END);
    return output->trace->failed ? -1 : ctf_stream_close(&output->stream);
}

/* ---- a directory that is in the way ------------------------------------------------------------------------------ */

/* Read the first bytes of a regular file. Returns how many there are; 0 if it is none. */
static size_t read_start(int directory, const char *name, void *bytes, size_t size)
{
    struct os_status status;
    size_t n;
    int error, fd = -1;
    if (os_status_in(directory, name, false, &status) && status.kind == OS_FILE)
        fd = os_open_file(directory, name, &status);
    if (fd < 0)
        return 0;
    n = os_read_at(fd, 0, bytes, size, &error);
    os_close(fd);
    return n;
}

/* Whether a name is `begin` with a number behind. */
static bool is_numbered(const char *name, const char *begin)
{
    size_t n = strlen(begin);
    return strncmp(name, begin, n) == 0 && name[n] != '\0' && name[n + strspn(name + n, "0123456789")] == '\0';
}

/* Whether a file is one of this writer. Another tracer's trace is not replaced: its metadata begin otherwise. */
static bool is_ours(int directory, const char *name)
{
    static const char start[] = CTF_METADATA_START;
    unsigned char bytes[sizeof start];
    size_t n = read_start(directory, name, bytes, sizeof start - 1u);
    if (strcmp(name, CTF_METADATA) == 0)
        return n == sizeof start - 1u && memcmp(bytes, start, sizeof start - 1u) == 0;
    return (is_numbered(name, CTF_CHANNEL) || is_numbered(name, CTF_STATEDUMP)) && n >= 4
           && get_le32(bytes) == CTF_MAGIC;
}

/* Is the directory of this descriptor empty, or does it hold a trace of this writer and nothing else? */
static bool may_replace(int directory)
{
    char **names = os_list(directory, ".");
    bool good = names != NULL;
    for (size_t i = 0; good && names[i] != NULL; i++)
        good = is_ours(directory, names[i]);
    os_list_free(names);
    return good;
}

/* ---- the module -------------------------------------------------------------------------------------------------- */

static void *ctf_open(struct trace *trace, const struct trace_options *options, int directory)
{
    struct ctf *ctf = heap_calloc(1, sizeof *ctf);
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
        heap_free(ctf);
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

/* Whether the event is a derived switch into or out of an interrupt. Other viewers need it to show the interrupt as a
 * task. Trace Compass follows the entries and exits of interrupts, and would take it for a switch to another task. */
static bool is_interrupt_as_task(const struct tlog_event *event, enum tlog_meaning means)
{
    return means == TLOG_MEANS_SWITCH && trace_event_is_extra(event);
}

static int ctf_write(void *writer, unsigned cpu, const struct trace_batch *batch)
{
    struct ctf *ctf = writer;
    const struct trace *trace = ctf->output.trace;
    if (batch->n > 0 && take_cpu(&ctf->output.stream, cpu) != 0)
        return -1;
    for (size_t i = 0; i < batch->n; i++) {
        const struct tlog_event *event = &batch->event[i];
        enum tlog_meaning means = trace->types[event->type]->means;
        bool is_loss = means == TLOG_MEANS_LOSS || means == TLOG_MEANS_DAMAGE;
        if (is_interrupt_as_task(event, means))
            continue;
        if ((is_loss ? put_loss(ctf, event, means == TLOG_MEANS_DAMAGE) : put_event(ctf, event)) != 0)
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
    return ctf_stream_close(stream) != 0 || write_statedump(output) != 0 ? -1 : ctf_metadata_write(output);
}

static int ctf_close(void *writer, bool ok)
{
    struct ctf *ctf = writer;
    int result = ok ? finish(&ctf->output) : 0;
    ctf_stream_drop(&ctf->output.stream);
    for (unsigned i = 0; i < TRACE_TYPES_MAX; i++)
        ctf_encoder_free(&ctf->output.encoder[i]);
    heap_free(ctf);
    return result;
}

const struct trace_writer writer_ctf = {
    .name = "ctf",
    .description = "trace directory of CTF 1.8, as LTTng's of Linux, for Trace Compass and babeltrace2",
    .binary = true,
    .takes = TRACE_OPTION_START_TIME,
    .may_replace = may_replace,
    .open = ctf_open,
    .write = ctf_write,
    .close = ctf_close,
};
