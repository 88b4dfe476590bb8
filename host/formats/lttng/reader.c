/* reader.c - traces of LTTng 0.x, formats 0.3 to 2.6: the events of all their files.
 *
 *   files, table            which files the trace has
 *   metadata                what the trace says of itself: its clock and names
 *   marker, marker_types    what it says of its events, and their types in the model
 *   stream, block_header    one file: its blocks
 *   event, payload          one block: its events
 *
 * All files of a CPU are merged by time. Times are real times: ns since 1970. Every event of every channel is given
 * out, except for descriptions, heartbeats, and what tlog-decode itself put into control channels.
 */
#include "base/heap.h"
#include "formats/lttng/event.h"
#include "formats/lttng/files.h"
#include "formats/lttng/metadata.h"

#include "base/bytes.h"
#include "io/input.h"
#include "model/clock.h"
#include "model/known.h"
#include "model/module.h"

#include <stdlib.h>
#include <string.h>

/* Events in a batch that one step may need: an event, and loss and damage before it. The end of a file is a step,
 * too. */
#define EVENTS_PER_STEP 3u
#define COUNT_BYTES     8u /* payload of loss and damage */

/* The streams of a CPU, whose events are merged. */
struct merge {
    /* Those that have events, or lack something at their end: a heap, [i] comes before [2i + 1] and [2i + 2]. */
    struct lttng_stream **stream;
    size_t nstreams;
    uint64_t last;    /* time of the last event, in ns */
    uint32_t current; /* pid of the current process */
};

struct lttng_reader {
    struct trace *trace;
    struct lttng_metadata metadata;
    struct lttng_stream *streams; /* one per file */
    struct merge merge[LTTNG_CPUS_MAX];
    uint16_t loss, damage; /* types */
};

/* ---- giving out events ------------------------------------------------------------------------------------------- */

/* Has a batch room for one more step, and does the caller want one? Payloads are padded in it. */
static bool has_room(const struct trace_batch *batch)
{
    if (batch->enough != 0 && batch->n >= batch->enough)
        return false;
    return batch->n + EVENTS_PER_STEP <= TRACE_BATCH_EVENTS
           && batch->used + EVENTS_PER_STEP * COUNT_BYTES + TRACE_PAYLOAD_MAX + 16u <= sizeof batch->room;
}

/* Add an event to a batch and return its payload, which is to be filled. */
static unsigned char *emit(const struct lttng_reader *reader, struct trace_batch *batch, uint64_t time, uint16_t type,
                           uint16_t size)
{
    unsigned char *data = trace_batch_room(batch, size);
    if (data == NULL) { /* has_room() was wrong: rather no events than overwritten ones */
        trace_fail(reader->trace, "a mistake in tlog-decode: too many events for a batch");
        batch->n = batch->used = 0;
        data = trace_batch_room(batch, size);
    }
    batch->event[batch->n++] = (struct tlog_event){.time = time, .data = data, .type = type, .size = size};
    return data;
}

/* Give out what is missing before the stream's event. */
static void emit_gaps(const struct lttng_reader *reader, const struct merge *merge, struct lttng_stream *stream,
                      struct trace_batch *batch, uint64_t time)
{
    if (stream->lossy)
        put_le64(emit(reader, batch, time, reader->loss, COUNT_BYTES), stream->loss);
    if (stream->damaged)
        put_le64(emit(reader, batch, time, reader->damage, COUNT_BYTES), stream->damage);
    trace_count_dropped(reader->trace, (unsigned)(merge - reader->merge), stream->loss);
    stream->loss = stream->damage = 0;
    stream->lossy = stream->damaged = false;
}

/* With a clock above 1 GHz, ns do not hold the full stamp: see model/clock.h. */
static void set_rest(const struct lttng_reader *reader, struct tlog_event *event, uint64_t tsc)
{
    const struct lttng_clock *clock = &reader->metadata.clock;
    if (clock->divisor == 1 && clock->freq > TICKS_NS_PER_S && event->time >= clock->start_ns)
        event->rest = ticks_rest(tsc - clock->start_tsc, event->time - clock->start_ns, clock->freq);
}

/* What a tlog_event tells; see marker.h. A number that makes no sense is 0. */
static void take_facts(const struct lttng_reader *reader, struct lttng_stream *stream)
{
    static const uint64_t flags = TLOG_FLAG_IN_INTERRUPT | TLOG_FLAG_UNCHECKED | TLOG_FLAG_EMERGENCY;
    static const char *const names[] = {"task", "context", "group", "flags"};
    uint64_t value[4] = {0};
    for (unsigned i = 0; i < 4u; i++)
        lttng_payload_number(stream->marker, &stream->payload, names[i], &value[i]);
    stream->facts = (struct tlog_event){
        .task = (uint32_t)value[0],
        .context = (uint16_t)(value[1] < 2u * TRACE_CONTEXT_MODE ? value[1] : 0),
        .group = (uint16_t)(value[2] <= reader->trace->ngroups ? value[2] : 0),
        .flags = (uint8_t)(value[3] & flags),
    };
    if (trace_context_is_interrupt(stream->facts.context))
        stream->facts.flags |= TLOG_FLAG_IN_INTERRUPT;
}

/* Where something is missing, what told them may be missing, too. */
static void forget_facts(const struct lttng_reader *reader, struct lttng_stream *stream)
{
    stream->facts = (struct tlog_event){.task = reader->trace->mapped ? TRACE_UNKNOWN_TASK : 0};
}

static void set_facts(const struct lttng_stream *stream, struct tlog_event *event)
{
    event->task = stream->facts.task;
    event->context = stream->facts.context;
    event->group = stream->facts.group;
    event->flags = stream->facts.flags;
}

/* Keep track of the current process. data: the event's payload. */
static void follow(struct merge *merge, const struct lttng_stream *stream, const unsigned char *data)
{
    const struct tlog_type *type = &stream->marker->type;
    if ((type->means == TLOG_MEANS_SWITCH || type->means == TLOG_MEANS_SWITCH_OF) && type->nfields > 0)
        merge->current = (uint32_t)number_at(data + type->fields[0].offset, type->fields[0].size, false);
}

/* ---- merging ----------------------------------------------------------------------------------------------------- */

/* Is a stream to be handled before another one? Times may wrap around at 64 bits. Of equal times, what a file lacks at
 * its end comes before events; otherwise the order of the files decides. */
static bool is_before(const struct lttng_stream *stream, const struct lttng_stream *other)
{
    uint64_t distance = stream->tsc - other->tsc;
    if (distance != 0)
        return distance > INT64_MAX;
    return stream->ended != other->ended ? stream->ended : stream < other;
}

/* The first stream of the heap has changed: move it to its place. */
static void sift_down(struct merge *merge)
{
    struct lttng_stream *stream = merge->stream[0];
    size_t at = 0, next;
    while ((next = 2u * at + 1u) < merge->nstreams) {
        next += next + 1u < merge->nstreams && is_before(merge->stream[next + 1u], merge->stream[next]);
        if (!is_before(merge->stream[next], stream))
            break;
        merge->stream[at] = merge->stream[next];
        at = next;
    }
    merge->stream[at] = stream;
}

/* Add a stream to the heap, which has room for it. */
static void sift_up(struct merge *merge, struct lttng_stream *stream)
{
    size_t at = merge->nstreams++;
    for (; at > 0 && is_before(stream, merge->stream[(at - 1u) / 2u]); at = (at - 1u) / 2u)
        merge->stream[at] = merge->stream[(at - 1u) / 2u];
    merge->stream[at] = stream;
}

/* Drop the first file, which has ended. What it lacks at its end is marked after its last event or, if it has none, at
 * the time its first block begins. */
static void drop(struct lttng_reader *reader, struct merge *merge, struct trace_batch *batch)
{
    uint64_t time = lttng_ns(&reader->metadata.clock, merge->stream[0]->tsc);
    if (time > merge->last && time < UINT64_MAX)
        merge->last = time;
    emit_gaps(reader, merge, merge->stream[0], batch, merge->last);
    merge->stream[0] = merge->stream[--merge->nstreams];
}

/* An event whose time in ns does not fit in 64 bits cannot have been read right: it is left out, and marked. */
static bool is_absurd(struct lttng_stream *stream, uint64_t time)
{
    if (time < UINT64_MAX)
        return false;
    stream->damaged = true;
    stream->damage++;
    trace_damage(stream->trace, stream->offset, 0, 1, "%s: an event of an absurd time", stream->name);
    return true;
}

/* Give out the stream's event. */
static void take(struct lttng_reader *reader, struct merge *merge, struct lttng_stream *stream,
                 struct trace_batch *batch)
{
    uint64_t time = lttng_ns(&reader->metadata.clock, stream->tsc);
    unsigned char *data;
    if (is_absurd(stream, time))
        return;
    if (stream->damaged || stream->lossy)
        forget_facts(reader, stream);
    if (stream->marker->role == LTTNG_TELLS_FACTS) {
        take_facts(reader, stream);
        return;
    }
    time = time < merge->last ? merge->last : time; /* never back, whatever the files hold */
    emit_gaps(reader, merge, stream, batch, time);
    data = emit(reader, batch, time, stream->marker->index, stream->payload.size);
    memcpy(data, stream->payload.data, stream->payload.size);
    set_rest(reader, &batch->event[batch->n - 1u], stream->tsc);
    set_facts(stream, &batch->event[batch->n - 1u]);
    if (stream->marker->type.means == TLOG_MEANS_LOSS
        && stream->payload.size >= COUNT_BYTES) /* one that tlog-decode wrote */
        trace_count_dropped(reader->trace, (unsigned)(merge - reader->merge), get_le64(data));
    follow(merge, stream, data);
    lttng_metadata_name(&reader->metadata, merge->current, stream);
    merge->last = time;
}

static int lttng_read(void *state, unsigned cpu, struct trace_batch *batch)
{
    struct lttng_reader *reader = state;
    struct merge *merge = &reader->merge[cpu];
    batch->n = batch->used = 0;
    while (merge->nstreams > 0 && has_room(batch)) {
        struct lttng_stream *stream = merge->stream[0];
        if (stream->ended) {
            drop(reader, merge, batch);
        } else {
            take(reader, merge, stream, batch);
            stream->ended = !lttng_event_next(stream);
        }
        sift_down(merge);
    }
    return reader->trace->failed ? -1 : batch->n > 0;
}

/* ---- the module -------------------------------------------------------------------------------------------------- */

/* Start a stream and go to the file's first event. Returns false if the file has none, and nothing is missing. */
static bool begin_stream(struct lttng_reader *reader, const struct lttng_file *file, struct lttng_stream *stream)
{
    *stream = lttng_metadata_stream(&reader->metadata, file);
    lttng_stream_start(stream);
    stream->ended = !lttng_event_next(stream);
    if (stream->blocks == 0)
        stream->tsc = reader->metadata.clock.start_tsc;
    return !stream->ended || stream->lossy || stream->damaged;
}

/* Start the stream of a file and add it to its CPU's merge, unless it is empty. 0, or -1 after trace_fail(). */
static int add_stream(struct lttng_reader *reader, const struct lttng_file *file, struct lttng_stream *stream)
{
    struct merge *merge = &reader->merge[file->cpu];
    struct lttng_stream **more;
    if (!begin_stream(reader, file, stream))
        return 0;
    more = heap_realloc(merge->stream, (merge->nstreams + 1u) * sizeof(*more));
    if (more == NULL)
        return trace_fail(reader->trace, "%s: no memory", reader->trace->input_name);
    merge->stream = more;
    sift_up(merge, stream);
    return 0;
}

/* Start the streams of all files that have events to give out. 0, or -1 after trace_fail(). */
static int add_streams(struct lttng_reader *reader)
{
    reader->streams = heap_calloc(reader->metadata.files.n + 1u, sizeof *reader->streams);
    if (reader->streams == NULL)
        return trace_fail(reader->trace, "%s: no memory", reader->trace->input_name);
    for (size_t i = 0; i < reader->metadata.files.n; i++) {
        const struct lttng_file *file = &reader->metadata.files.file[i];
        if (lttng_is_metadata(file) || (reader->metadata.markers.by_tlog && file->control))
            continue;
        if (add_stream(reader, file, &reader->streams[i]) != 0)
            return -1;
    }
    return 0;
}

/* Set the trace's clock and start. A frequency that the trace does not have may be given by the user. */
static void publish_clock(struct lttng_reader *reader)
{
    struct trace *trace = reader->trace;
    if (reader->metadata.clock.freq == 0)
        reader->metadata.clock.freq = trace->clock_hz_given;
    trace->clock_hz = reader->metadata.clock.freq / reader->metadata.clock.divisor;
    trace->start_ns = reader->metadata.clock.start_ns;
    clock_note_unknown(trace, trace->clock_hz);
}

static int prepare(struct lttng_reader *reader, struct input *in)
{
    struct trace *trace = reader->trace;
    if (lttng_files_open(&reader->metadata.files, trace, in) != 0)
        return -1;
    reader->loss = trace_type(trace, &trace_loss_type);
    reader->damage = trace_type(trace, &trace_damage_type);
    trace->ncpus = reader->metadata.files.ncpus;
    if (lttng_metadata_read(&reader->metadata) != 0)
        return -1;
    publish_clock(reader);
    return add_streams(reader);
}

static void lttng_close(void *state)
{
    struct lttng_reader *reader = state;
    for (unsigned i = 0; i < LTTNG_CPUS_MAX; i++)
        heap_free(reader->merge[i].stream);
    lttng_metadata_free(&reader->metadata);
    heap_free(reader->streams);
    heap_free(reader);
}

static void *lttng_open(struct trace *trace, struct input *in)
{
    struct lttng_reader *reader = heap_calloc(1, sizeof *reader);
    if (reader == NULL) {
        trace_fail(trace, "%s: no memory", trace->input_name);
        return NULL;
    }
    reader->trace = reader->metadata.trace = trace;
    if (prepare(reader, in) != 0 || trace->failed) {
        lttng_close(reader);
        return NULL;
    }
    return reader;
}

static enum trace_probe lttng_probe(struct input *in)
{
    return lttng_files_probe(in) ? TRACE_MINE : TRACE_NOT_MINE;
}

const struct trace_reader reader_lttng = {
    .name = "lttng",
    .description = "trace directories of LTTng 0.x, formats 0.3 to 2.6, and tar archives of them",
    .probe = lttng_probe,
    .open = lttng_open,
    .read = lttng_read,
    .close = lttng_close,
};
