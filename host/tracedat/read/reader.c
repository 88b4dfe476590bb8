/* reader.c - trace.dat files of trace-cmd, version 6 and 7: from records to events. The file is taken apart in
 * tdfile_*.c, see tracedat/read/file.h.
 *
 * Events are Linux's own, or were made so by whoever wrote the file: they keep their names and tasks, and the mapping
 * leaves them alone. The buffers of trace instances are merged by time, CPU by CPU. Events of the top buffer keep their
 * system, or those of the first buffer that has any; those of the others have the instance's name before it.
 */
#include "tracedat/read/file.h"
#include "model/module.h"
#include "model/ticks.h"

#include "base/bytes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HARDIRQ = 0x08 /* of common_flags */, MARK_BYTES = 8 };

/* The pages of one CPU in one buffer. */
struct source {
    struct td_walk walk;
    unsigned buffer;
    uint64_t time; /* of what is at the walk's head */
};

struct lane {
    struct source *source;
    unsigned n;
    bool started;
};

struct tracedat_reader {
    struct tdfile file;
    struct lane *lane; /* by CPU */
    unsigned nlanes;
    uint16_t loss, damage;
};

static const struct trace_type loss_type = {"trace_dat", "loss", TRACE_LOSS, MARK_BYTES, 0, NULL, NULL};
static const struct trace_type damage_type = {"trace_dat", "damage", TRACE_DAMAGE, MARK_BYTES, 0, NULL, NULL};

/* ---- giving out events ------------------------------------------------------------------------------------------- */

static struct trace_event *emit(struct trace_batch *batch, uint16_t type, uint64_t time, size_t size)
{
    struct trace_event *event = &batch->event[batch->n++];

    *event =
        (struct trace_event){.time = time, .data = batch->room + batch->used, .type = type, .size = (uint16_t)size};
    batch->used += (size + 7u) & ~(size_t)7;
    return event;
}

/* Whatever the unit, ns; where the clock is told by the user, with the rest that ns cannot tell. */
static void set_time(const struct trace *trace, struct trace_event *event, uint64_t ticks)
{
    event->time = ticks_ns(ticks, trace->clock_hz);
    event->rest = ticks_rest(ticks, event->time, trace->clock_hz);
}

static bool has_room(const struct trace_batch *batch, size_t size)
{
    return batch->n < TRACE_BATCH_EVENTS && size + 8u <= sizeof batch->room - batch->used;
}

/* Dropped are as many as the file's counts tell; all others were overwritten, as is usual. */
static void count_lost(struct tdfile *file, bool top, unsigned cpu, uint64_t lost)
{
    uint64_t left = top && cpu < TRACE_CPUS_COUNTED ? file->dropped[cpu] : 0;
    uint64_t dropped = left < lost ? left : lost;

    if (dropped > 0)
        file->dropped[cpu] -= dropped;
    trace_count_dropped(file->trace, cpu, dropped);
    trace_count_overwritten(file->trace, cpu, lost - dropped);
}

/* A loss or damage. False if the batch is full. */
static bool emit_mark(struct tracedat_reader *reader, const struct source *source, unsigned cpu,
                      struct trace_batch *batch)
{
    const struct td_record *head = &source->walk.head;
    bool loss = head->what == TD_LOSS;
    struct trace_event *event;

    if (!has_room(batch, MARK_BYTES))
        return false;
    put_le64(batch->room + batch->used, head->count);
    event = emit(batch, loss ? reader->loss : reader->damage, 0, MARK_BYTES);
    set_time(reader->file.trace, event, source->time);
    if (loss)
        count_lost(&reader->file, reader->file.buffer[source->buffer].name[0] == '\0', cpu, head->count);
    return true;
}

/* A record that is too short even for the fields that all have. */
static bool emit_damage(struct tracedat_reader *reader, struct source *source, struct trace_batch *batch)
{
    const struct td_walk *walk = &source->walk;

    if (!has_room(batch, MARK_BYTES))
        return false;
    trace_damage(reader->file.trace, walk->page.offset, walk->head.size, 1, "an event that is too short");
    put_le64(batch->room + batch->used, 1);
    set_time(reader->file.trace, emit(batch, reader->damage, 0, MARK_BYTES), source->time);
    return true;
}

static bool emit_record(struct tracedat_reader *reader, struct source *source, struct trace_batch *batch)
{
    const struct tdfile *file = &reader->file;
    const struct td_common *common = &file->tables.common;
    const struct td_record *head = &source->walk.head;
    const struct td_type *type;
    struct trace_event *event;

    if (common->type_at + 2u > head->size || common->pid_at + 4u > head->size)
        return emit_damage(reader, source, batch);
    type = td_type_of(&reader->file, source->buffer, (uint32_t)number_at(head->data + common->type_at, 2, file->big));
    if (type == NULL || !has_room(batch, td_payload_room(type, head->size)))
        return false;
    event = emit(batch, type->id, 0, td_payload(file, type, head->data, head->size, batch->room + batch->used));
    set_time(file->trace, event, source->time);
    event->task = (uint32_t)number_at(head->data + common->pid_at, 4, file->big);
    if (common->flags_size == 1 && common->flags_at < head->size && (head->data[common->flags_at] & HARDIRQ))
        event->flags = TRACE_IN_INTERRUPT;
    return true;
}

/* ---- CPUs -------------------------------------------------------------------------------------------------------- */

static void advance(struct tracedat_reader *reader, struct source *source, unsigned cpu)
{
    const struct tdfile *file = &reader->file;

    td_walk_next(&source->walk);
    source->time = td_time(&file->clock, source->walk.head.time, cpu, file->buffer[source->buffer].name[0] == '\0');
    if (source->walk.head.what == TD_NO_MORE)
        td_walk_free(&source->walk);
}

static int start_lane(struct tracedat_reader *reader, struct lane *lane, unsigned cpu)
{
    struct tdfile *file = &reader->file;

    lane->started = true;
    lane->source = calloc(file->nbuffers + 1u, sizeof *lane->source);
    if (lane->source == NULL)
        return trace_fail(file->trace, "%s: no memory for %u buffers", file->trace->input_name, file->nbuffers);
    for (unsigned i = 0; i < file->nbuffers; i++) {
        const struct td_buffer *buffer = &file->buffer[i];
        struct source *source = &lane->source[lane->n];

        if (cpu >= buffer->ncpus || buffer->cpu[cpu].size == 0)
            continue;
        lane->n++;
        source->buffer = i;
        td_walk_start(&source->walk, file, buffer, cpu);
        advance(reader, source, cpu);
    }
    return 0;
}

/* The buffer with the earliest event; of equals the first. NULL at the end. */
static struct source *earliest(struct lane *lane)
{
    struct source *best = NULL;

    for (unsigned i = 0; i < lane->n; i++) {
        struct source *source = &lane->source[i];

        if (source->walk.head.what != TD_NO_MORE && (best == NULL || source->time < best->time))
            best = source;
    }
    return best;
}

static int tracedat_read(void *state, unsigned cpu, struct trace_batch *batch)
{
    struct tracedat_reader *reader = state;
    struct lane *lane = &reader->lane[cpu];
    struct source *source;

    batch->n = batch->used = 0;
    if (!lane->started && start_lane(reader, lane, cpu) != 0)
        return -1;
    while ((source = earliest(lane)) != NULL) {
        bool record = source->walk.head.what == TD_RECORD;

        if (!(record ? emit_record(reader, source, batch) : emit_mark(reader, source, cpu, batch)))
            break;
        advance(reader, source, cpu);
    }
    return reader->file.trace->failed ? -1 : batch->n > 0;
}

/* ---- the module -------------------------------------------------------------------------------------------------- */

static void tracedat_close(void *state)
{
    struct tracedat_reader *reader = state;

    for (unsigned cpu = 0; reader->lane != NULL && cpu < reader->nlanes; cpu++) {
        for (unsigned i = 0; i < reader->lane[cpu].n; i++)
            td_walk_free(&reader->lane[cpu].source[i].walk);
        free(reader->lane[cpu].source);
    }
    free(reader->lane);
    tdfile_free(&reader->file);
    free(reader);
}

static bool has_pages(const struct td_buffer *buffer)
{
    for (unsigned cpu = 0; cpu < buffer->ncpus; cpu++) {
        if (buffer->cpu[cpu].size > 0)
            return true;
    }
    return false;
}

/* The buffer whose events keep their systems: the top one, or the first that has any. */
static const struct td_buffer *main_buffer(const struct tdfile *file)
{
    const struct td_buffer *first = NULL;

    for (unsigned i = 0; i < file->nbuffers; i++) {
        const struct td_buffer *buffer = &file->buffer[i];

        if (has_pages(buffer) && (first == NULL || buffer->name[0] == '\0'))
            first = buffer;
    }
    return first;
}

static void set_prefixes(struct tdfile *file)
{
    const struct td_buffer *plain = main_buffer(file);

    for (unsigned i = 0; i < file->nbuffers; i++) {
        struct td_buffer *buffer = &file->buffer[i];

        for (char *c = buffer->name; *c != '\0'; c++) {
            if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", *c))
                *c = '_';
        }
        buffer->prefix = buffer == plain ? "" : buffer->name;
    }
}

static unsigned count_cpus(const struct tdfile *file)
{
    unsigned n = file->cpu_count;

    for (unsigned i = 0; i < file->nbuffers; i++)
        n = file->buffer[i].ncpus > n ? file->buffer[i].ncpus : n;
    return n > 0 ? n : 1;
}

/* Whether there is anything to read: 0, or -1 after trace_fail(). */
static int check_content(const struct tdfile *file)
{
    for (unsigned i = 0; i < file->nbuffers; i++) {
        if (has_pages(&file->buffer[i]))
            return 0;
    }
    if (file->has_text)
        return trace_fail(file->trace, "%s: has the text of a latency tracer, and no events", file->trace->input_name);
    return 0;
}

static int prepare(struct tracedat_reader *reader, struct trace *trace)
{
    struct tdfile *file = &reader->file;

    if (check_content(file) != 0)
        return -1;
    set_prefixes(file);
    trace->ncpus = reader->nlanes = count_cpus(file);
    trace->clock_hz = file->clock.is_ns || file->clock.has_tsc ? TICKS_NS_PER_S : trace->clock_hz_given;
    trace->target = file->uname;
    trace->mapped = true;
    reader->loss = trace_type(trace, &loss_type);
    reader->damage = trace_type(trace, &damage_type);
    reader->lane = calloc(trace->ncpus, sizeof *reader->lane);
    if (reader->lane == NULL)
        return trace_fail(trace, "%s: no memory for %u CPUs", trace->input_name, trace->ncpus);
    return trace->failed ? -1 : 0;
}

static void *tracedat_open(struct trace *trace, struct input *in)
{
    struct tracedat_reader *reader = calloc(1, sizeof *reader);

    if (reader == NULL) {
        trace_fail(trace, "%s: no memory", trace->input_name);
        return NULL;
    }
    if (tdfile_open(&reader->file, trace, in) != 0 || prepare(reader, trace) != 0) {
        tracedat_close(reader);
        return NULL;
    }
    return reader;
}

static enum trace_probe tracedat_probe(struct input *in)
{
    return tdfile_recognise(in) ? TRACE_MINE : TRACE_NOT_MINE;
}

const struct trace_reader reader_tracedat = {
    .name = "trace.dat",
    .description = "trace.dat version 6 and 7, of trace-cmd",
    .probe = tracedat_probe,
    .open = tracedat_open,
    .read = tracedat_read,
    .close = tracedat_close,
};
