/* reader.c - traces of LTTng 0.x, formats 0.3 to 2.6: the events of all their files.
 *
 *   files                                  which files the trace has
 *   metadata, marker, format, own, names   what the trace says of itself: clock, kinds of events, names
 *   walk, block, block_header              one file: its blocks
 *   event, event_header, payload           one block: its events
 *
 * All files of a CPU are merged by time. Times are real times: ns since 1970. Every event of every channel is given
 * out, except for descriptions, heartbeats, and what tlog-decode itself put into control channels.
 */
#include "formats/lttng/block.h"
#include "formats/lttng/files.h"
#include "formats/lttng/event.h"
#include "formats/lttng/names.h"

#include "base/bytes.h"
#include "io/input.h"
#include "model/clock.h"
#include "model/module.h"

#include <stdlib.h>
#include <string.h>

/* Events in a batch that one step may need: an event, and loss and damage before it. The end of a file is a step,
 * too. */
#define EVENTS_PER_STEP 3u
#define COUNT_BYTES     8u /* payload of loss and damage */

/* What is kept for a CPU. */
struct lane {
    struct lttng_walk **walk; /* of its files that still have events, or lack something at their end: a heap, in which
                               * [i] is handled before [2i + 1] and [2i + 2] */
    size_t nwalks;
    uint64_t last;    /* time of the last event, in ns */
    uint32_t current; /* pid of the current process */
};

struct lttng_reader {
    struct trace *trace;
    struct lttng_metadata metadata;
    struct lttng_walk *walks; /* one per file */
    struct lane lane[LTTNG_CPUS_MAX];
    uint16_t loss, damage; /* types */
};

/* ---- giving out events ------------------------------------------------------------------------------------------- */

/* Does a batch have room for one step, and is to have one more? Payloads are padded in it. */
static bool has_room(const struct trace_batch *batch)
{
    if (batch->enough != 0 && batch->n >= batch->enough)
        return false;
    return batch->n + EVENTS_PER_STEP <= TRACE_BATCH_EVENTS
           && batch->used + EVENTS_PER_STEP * COUNT_BYTES + TRACE_PAYLOAD_MAX + 16u <= sizeof batch->room;
}

/* Add an event to a batch and return its payload, which is to be filled. */
static unsigned char *emit(struct trace_batch *batch, uint64_t time, uint16_t type, uint16_t size)
{
    unsigned char *data = trace_batch_room(batch, size);
    if (data == NULL) /* has_room() was wrong: no output is better than overwritten events */
        abort();
    batch->event[batch->n++] = (struct trace_event){.time = time, .data = data, .type = type, .size = size};
    return data;
}

/* Give out what is missing before the walk's event. */
static void emit_gaps(const struct lttng_reader *reader, const struct lane *lane, struct lttng_walk *walk,
                      struct trace_batch *batch, uint64_t time)
{
    if (walk->lossy)
        put_le64(emit(batch, time, reader->loss, COUNT_BYTES), walk->loss);
    if (walk->damaged)
        put_le64(emit(batch, time, reader->damage, COUNT_BYTES), walk->damage);
    trace_count_dropped(reader->trace, (unsigned)(lane - reader->lane), walk->loss);
    walk->loss = walk->damage = 0;
    walk->lossy = walk->damaged = false;
}

/* With a clock above 1 GHz, ns do not hold the full stamp: see ticks.h. */
static void set_rest(const struct lttng_reader *reader, struct trace_event *event, uint64_t tsc)
{
    const struct lttng_clock *clock = &reader->metadata.clock;
    if (clock->divisor == 1 && clock->freq > TICKS_NS_PER_S && event->time >= clock->start_ns)
        event->rest = ticks_rest(tsc - clock->start_tsc, event->time - clock->start_ns, clock->freq);
}

/* Keep track of the current process. data: the event's payload. */
static void follow(struct lane *lane, const struct lttng_walk *walk, const unsigned char *data)
{
    const struct trace_type *type = &walk->marker->type;
    if ((type->class == TRACE_SWITCH || type->class == TRACE_SWITCH_OF) && type->nfields > 0)
        lane->current = (uint32_t)number_at(data + type->fields[0].offset, type->fields[0].size, false);
}

/* ---- merging ----------------------------------------------------------------------------------------------------- */

/* Is a walk to be handled before another one? Times may wrap around at 64 bits. At the same time, what a file lacks
 * at its end comes before events, and else the order of files counts. */
static bool is_before(const struct lttng_walk *walk, const struct lttng_walk *other)
{
    uint64_t distance = walk->tsc - other->tsc;
    if (distance != 0)
        return distance > INT64_MAX;
    return walk->ended != other->ended ? walk->ended : walk < other;
}

/* The first walk of the heap has changed: move it to its place. */
static void sift_down(struct lane *lane)
{
    struct lttng_walk *walk = lane->walk[0];
    size_t at = 0, next;
    while ((next = 2u * at + 1u) < lane->nwalks) {
        next += next + 1u < lane->nwalks && is_before(lane->walk[next + 1u], lane->walk[next]);
        if (!is_before(lane->walk[next], walk))
            break;
        lane->walk[at] = lane->walk[next];
        at = next;
    }
    lane->walk[at] = walk;
}

/* Add a walk to the heap, which has room for it. */
static void sift_up(struct lane *lane, struct lttng_walk *walk)
{
    size_t at = lane->nwalks++;
    for (; at > 0 && is_before(walk, lane->walk[(at - 1u) / 2u]); at = (at - 1u) / 2u)
        lane->walk[at] = lane->walk[(at - 1u) / 2u];
    lane->walk[at] = walk;
}

/* Drop the first file, which has ended. What it lacks at its end is marked after its last event or, if it has none, at
 * the time its first block begins. */
static void drop(struct lttng_reader *reader, struct lane *lane, struct trace_batch *batch)
{
    uint64_t time = lttng_ns(&reader->metadata.clock, lane->walk[0]->tsc);
    if (time > lane->last && time < UINT64_MAX)
        lane->last = time;
    emit_gaps(reader, lane, lane->walk[0], batch, lane->last);
    lane->walk[0] = lane->walk[--lane->nwalks];
}

/* An event whose time in ns does not fit in 64 bits cannot have been read right: it is left out, and marked. */
static bool is_absurd(struct lttng_walk *walk, uint64_t time)
{
    if (time < UINT64_MAX)
        return false;
    walk->damaged = true;
    walk->damage++;
    trace_damage(walk->trace, walk->offset, 0, 1, "%s: an event of an absurd time", walk->name);
    return true;
}

/* Give out the walk's event. */
static void take(struct lttng_reader *reader, struct lane *lane, struct lttng_walk *walk, struct trace_batch *batch)
{
    uint64_t time = lttng_ns(&reader->metadata.clock, walk->tsc);
    unsigned char *data;
    if (is_absurd(walk, time))
        return;
    time = time < lane->last ? lane->last : time; /* never back, whatever the files hold */
    emit_gaps(reader, lane, walk, batch, time);
    data = emit(batch, time, walk->marker->index, walk->payload.size);
    memcpy(data, walk->payload.data, walk->payload.size);
    set_rest(reader, &batch->event[batch->n - 1u], walk->tsc);
    if (walk->marker->type.class == TRACE_LOSS && walk->payload.size >= COUNT_BYTES) /* one that tlog-decode wrote */
        trace_count_dropped(reader->trace, (unsigned)(lane - reader->lane), get_le64(data));
    follow(lane, walk, data);
    lttng_names_take(&reader->metadata, lane->current, walk);
    lane->last = time;
}

static int lttng_read(void *state, unsigned cpu, struct trace_batch *batch)
{
    struct lttng_reader *reader = state;
    struct lane *lane = &reader->lane[cpu];
    batch->n = batch->used = 0;
    while (lane->nwalks > 0 && has_room(batch)) {
        struct lttng_walk *walk = lane->walk[0];
        if (walk->ended) {
            drop(reader, lane, batch);
        } else {
            take(reader, lane, walk, batch);
            walk->ended = !lttng_event_next(walk);
        }
        sift_down(lane);
    }
    return reader->trace->failed ? -1 : batch->n > 0;
}

/* ---- the module -------------------------------------------------------------------------------------------------- */

/* Start a walk and go to the file's first event. Returns false if the file has none, and nothing is missing. */
static bool begin_walk(struct lttng_reader *reader, const struct lttng_file *file, struct lttng_walk *walk)
{
    *walk = lttng_metadata_walk(&reader->metadata, file);
    lttng_block_start(walk);
    walk->ended = !lttng_event_next(walk);
    if (walk->blocks == 0)
        walk->tsc = reader->metadata.clock.start_tsc;
    return !walk->ended || walk->lossy || walk->damaged;
}

/* Start the walk of a file and add it to its CPU's lane, unless there is nothing in it. 0, or -1 after trace_fail(). */
static int add_walk(struct lttng_reader *reader, const struct lttng_file *file, struct lttng_walk *walk)
{
    struct lane *lane = &reader->lane[file->cpu];
    struct lttng_walk **more;
    if (!begin_walk(reader, file, walk))
        return 0;
    more = realloc(lane->walk, (lane->nwalks + 1u) * sizeof(*more));
    if (more == NULL)
        return trace_fail(reader->trace, "%s: no memory", reader->trace->input_name);
    lane->walk = more;
    sift_up(lane, walk);
    return 0;
}

/* Start the walks of all files that have events to give out. 0, or -1 after trace_fail(). */
static int add_walks(struct lttng_reader *reader)
{
    reader->walks = calloc(reader->metadata.files.n + 1u, sizeof *reader->walks);
    if (reader->walks == NULL)
        return trace_fail(reader->trace, "%s: no memory", reader->trace->input_name);
    reader->trace->ncpus = reader->metadata.files.ncpus;
    for (size_t i = 0; i < reader->metadata.files.n; i++) {
        const struct lttng_file *file = &reader->metadata.files.file[i];
        if (lttng_metadata_is(file) || (reader->metadata.markers.own && file->control))
            continue;
        if (add_walk(reader, file, &reader->walks[i]) != 0)
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
    clock_note(trace, trace->clock_hz);
}

static int prepare(struct lttng_reader *reader, struct input *in)
{
    struct trace *trace = reader->trace;
    if (lttng_files_open(&reader->metadata.files, trace, in) != 0)
        return -1;
    reader->loss = trace_type(trace, &trace_loss_type);
    reader->damage = trace_type(trace, &trace_damage_type);
    if (lttng_metadata_read(&reader->metadata) != 0)
        return -1;
    trace->ran_before = !reader->metadata.markers.own; /* a kernel, which has booted long ago */
    lttng_names_read(&reader->metadata);
    publish_clock(reader);
    return add_walks(reader);
}

static void lttng_close(void *state)
{
    struct lttng_reader *reader = state;
    for (unsigned i = 0; i < LTTNG_CPUS_MAX; i++)
        free(reader->lane[i].walk);
    lttng_metadata_free(&reader->metadata);
    free(reader->walks);
    free(reader);
}

static void *lttng_open(struct trace *trace, struct input *in)
{
    struct lttng_reader *reader = calloc(1, sizeof *reader);
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
