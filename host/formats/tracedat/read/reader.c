/* reader.c - trace.dat files of trace-cmd, version 6 and 7: from records to events. file.h tells how the parts of the
 * reader work together.
 *
 * The events are those of Linux; if the target had others, the program that wrote the file mapped them. So they keep
 * their names and tasks, and the mapping leaves them alone. The buffers of a CPU are merged by time. In one buffer
 * events keep their systems: the top buffer, or, if that has no pages, the first one that has some. In the others the
 * instance's name stands in front of the system.
 */

#include "base/heap.h"
#include "base/bytes.h"
#include "model/module.h"
#include "model/clock.h"
#include "formats/tracedat/read/clock.h"
#include "formats/tracedat/read/type.h"
#include "formats/tracedat/read/walk.h"

enum {
    HARDIRQ = 0x08,   /* flag of common_flags: the event was logged in an interrupt */
    COUNT_SIZE = 8,   /* bytes of the payload of a loss or of damage: a count */
    TYPE_SIZE = 2,    /* bytes of common_type */
    PID_SIZE = 4,     /* bytes of common_pid */
    PAYLOAD_ALIGN = 8 /* bytes; payloads in a batch begin at multiples */
};

/* The pages of one CPU in one buffer. */
struct cpu_buffer {
    struct tracedat_walk walk;
    unsigned buffer; /* index in the file */
    uint64_t time;   /* of what is at the walk's head: ns, or ticks if the clock's frequency is not known */
};

struct lane {
    struct cpu_buffer *part; /* room of them: the buffers that have pages of the CPU */
    unsigned n, room;        /* n of them were opened */
    bool started;
};

struct reader {
    struct tracedat_file file;
    struct lane *lane; /* by CPU */
    unsigned nlanes;
    uint16_t loss, damage; /* types in the trace */
};

/* ---- giving out events ------------------------------------------------------------------------------------------- */

/* Add an event. Its payload of size bytes was written to the free part of the batch's room. The caller sets its
 * time. */
static struct tlog_event *emit(struct trace_batch *batch, uint16_t type, size_t size)
{
    struct tlog_event *event = &batch->event[batch->n++];
    *event = (struct tlog_event){.data = batch->room + batch->used, .type = type, .size = (uint16_t)size};
    batch->used += (size + PAYLOAD_ALIGN - 1u) & ~(size_t)(PAYLOAD_ALIGN - 1);
    return event;
}

/* Set the event's time from ticks of the trace's clock. Ticks are ns, unless the user gave a frequency for a file whose
 * clock is not known. If the clock is above 1 GHz, event->rest keeps what ns cannot tell. */
static void set_time(const struct trace *trace, struct tlog_event *event, uint64_t ticks)
{
    event->time = ticks_ns(ticks, trace->clock_hz);
    event->rest = ticks_rest(ticks, event->time, trace->clock_hz);
}

/* Whether the batch can take another event with size bytes of payload. */
static bool has_room(const struct trace_batch *batch, size_t size)
{
    size_t enough = batch->enough > 0 ? batch->enough : TRACE_BATCH_EVENTS;
    return batch->n < enough && size + PAYLOAD_ALIGN <= sizeof batch->room - batch->used;
}

/* Count events as lost: first as dropped, until as many as the file's counts tell; then as overwritten, which is what
 * Linux does with its oldest events by default. */
static void count_lost(struct tracedat_file *file, bool top, unsigned cpu, uint64_t lost)
{
    uint64_t left = top && cpu < TRACE_CPUS_COUNTED ? file->dropped[cpu] : 0;
    uint64_t dropped = left < lost ? left : lost;
    if (dropped > 0)
        file->dropped[cpu] -= dropped;
    trace_count_dropped(file->trace, cpu, dropped);
    trace_count_overwritten(file->trace, cpu, lost - dropped);
}

/* Give out a loss or damage. False if the batch is full. */
static bool emit_missing(struct reader *reader, const struct cpu_buffer *part, unsigned cpu, struct trace_batch *batch)
{
    const struct tracedat_record *head = &part->walk.head;
    bool loss = head->what == TRACEDAT_LOSS;
    struct tlog_event *event;
    if (!has_room(batch, COUNT_SIZE))
        return false;
    put_le64(batch->room + batch->used, head->count);
    event = emit(batch, loss ? reader->loss : reader->damage, COUNT_SIZE);
    set_time(reader->file.trace, event, part->time);
    if (loss)
        count_lost(&reader->file, reader->file.buffer[part->buffer].name[0] == '\0', cpu, head->count);
    return true;
}

/* Give out damage for a record that is too short even for the common fields. False if the batch is full. */
static bool emit_damage(struct reader *reader, struct cpu_buffer *part, struct trace_batch *batch)
{
    const struct tracedat_walk *walk = &part->walk;
    if (!has_room(batch, COUNT_SIZE))
        return false;
    trace_damage(reader->file.trace, walk->page.offset, walk->head.size, 1, "an event that is too short");
    put_le64(batch->room + batch->used, 1);
    set_time(reader->file.trace, emit(batch, reader->damage, COUNT_SIZE), part->time);
    return true;
}

/* Give out a record. False if the batch is full, or after trace_fail(). */
static bool emit_record(struct reader *reader, struct cpu_buffer *part, struct trace_batch *batch)
{
    const struct tracedat_file *file = &reader->file;
    const struct tracedat_common *common = &file->tables.common;
    const struct tracedat_record *head = &part->walk.head;
    const struct tracedat_type *type;
    struct tlog_event *event;
    if (common->type_at + TYPE_SIZE > head->size || common->pid_at + PID_SIZE > head->size)
        return emit_damage(reader, part, batch);
    type = tracedat_type_of(&reader->file, part->buffer,
                            (uint32_t)number_at(head->data + common->type_at, TYPE_SIZE, file->big));
    if (type == NULL || !has_room(batch, tracedat_payload_room(type, head->size)))
        return false;
    event = emit(batch, type->id, tracedat_payload_make(file, type, head->data, head->size, batch->room + batch->used));
    set_time(file->trace, event, part->time);
    event->task = (uint32_t)number_at(head->data + common->pid_at, PID_SIZE, file->big);
    if (common->flags_size == 1 && common->flags_at < head->size && (head->data[common->flags_at] & HARDIRQ))
        event->flags = TLOG_FLAG_IN_INTERRUPT;
    return true;
}

/* ---- CPUs -------------------------------------------------------------------------------------------------------- */

/* Go to the next record, loss or damage. Memory is freed as soon as there is none. */
static void advance(struct reader *reader, struct cpu_buffer *part, unsigned cpu)
{
    const struct tracedat_file *file = &reader->file;
    tracedat_walk_next(&part->walk);
    part->time = tracedat_clock_ns(&file->clock, part->walk.head.time, cpu, file->buffer[part->buffer].name[0] == '\0');
    if (part->walk.head.what == TRACEDAT_NO_MORE)
        tracedat_walk_free(&part->walk);
}

/* Open the buffers that have pages of the CPU. 0, or -1 after trace_fail(). */
static int start_lane(struct reader *reader, struct lane *lane, unsigned cpu)
{
    struct tracedat_file *file = &reader->file;
    lane->started = true;
    lane->part = heap_calloc(lane->room + 1u, sizeof *lane->part);
    if (lane->part == NULL)
        return trace_fail(file->trace, "%s: no memory for %u buffers", file->trace->input_name, lane->room);
    for (unsigned i = 0; i < file->nbuffers && lane->n < lane->room; i++) {
        const struct tracedat_range *range = tracedat_file_range(&file->buffer[i], cpu);
        struct cpu_buffer *part = &lane->part[lane->n];
        if (range == NULL)
            continue;
        lane->n++;
        part->buffer = i;
        tracedat_walk_start(&part->walk, file, &file->buffer[i], range);
        advance(reader, part, cpu);
    }
    return 0;
}

/* The buffer whose head is the earliest; of several the first. NULL at the end. */
static struct cpu_buffer *earliest(struct lane *lane)
{
    struct cpu_buffer *best = NULL;
    for (unsigned i = 0; i < lane->n; i++) {
        struct cpu_buffer *part = &lane->part[i];
        if (part->walk.head.what != TRACEDAT_NO_MORE && (best == NULL || part->time < best->time))
            best = part;
    }
    return best;
}

/* What struct trace_reader calls read. The next call goes on where this one found the batch full. */
static int read_batch(void *state, unsigned cpu, struct trace_batch *batch)
{
    struct reader *reader = state;
    struct lane *lane = &reader->lane[cpu];
    struct cpu_buffer *part;
    batch->n = batch->used = 0;
    if (!lane->started && start_lane(reader, lane, cpu) != 0)
        return -1;
    while ((part = earliest(lane)) != NULL) {
        bool record = part->walk.head.what == TRACEDAT_RECORD;
        if (!(record ? emit_record(reader, part, batch) : emit_missing(reader, part, cpu, batch)))
            break;
        advance(reader, part, cpu);
    }
    return reader->file.trace->failed ? -1 : batch->n > 0;
}

/* ---- the module -------------------------------------------------------------------------------------------------- */

/* Free all, also of a reader that could not be opened. */
static void close_reader(void *state)
{
    struct reader *reader = state;
    for (unsigned cpu = 0; reader->lane != NULL && cpu < reader->nlanes; cpu++) {
        for (unsigned i = 0; i < reader->lane[cpu].n; i++)
            tracedat_walk_free(&reader->lane[cpu].part[i].walk);
        heap_free(reader->lane[cpu].part);
    }
    heap_free(reader->lane);
    tracedat_types_free(&reader->file);
    tracedat_file_free(&reader->file);
    heap_free(reader);
}

/* Whether any CPU has pages in the buffer. */
static bool has_pages(const struct tracedat_buffer *buffer)
{
    return buffer->nranges > 0;
}

/* Tell each lane how many buffers it has. */
static void count_parts(struct reader *reader)
{
    for (unsigned i = 0; i < reader->file.nbuffers; i++) {
        const struct tracedat_buffer *buffer = &reader->file.buffer[i];
        for (unsigned k = 0; k < buffer->nranges; k++)
            reader->lane[buffer->range[k].cpu].room++;
    }
}

/* Index of the buffer whose events keep their systems: the top one if it has pages, else the first that has some. */
static unsigned main_buffer(const struct tracedat_file *file)
{
    unsigned first = file->nbuffers;
    for (unsigned i = 0; i < file->nbuffers; i++) {
        const struct tracedat_buffer *buffer = &file->buffer[i];
        if (has_pages(buffer) && (first == file->nbuffers || buffer->name[0] == '\0'))
            first = i;
    }
    return first;
}

/* Make words of the instances' names, and set what stands in front of the systems of each buffer. */
static void set_prefixes(struct tracedat_file *file)
{
    unsigned plain = main_buffer(file);
    for (unsigned i = 0; i < file->nbuffers; i++) {
        struct tracedat_buffer *buffer = &file->buffer[i];
        tracedat_make_word(buffer->name);
        buffer->prefix = i == plain ? "" : buffer->name;
    }
}

/* The number of CPUs, by the count that the file tells, and by the highest one that a buffer lists; at least 1. */
static unsigned count_cpus(const struct tracedat_file *file)
{
    unsigned n = file->cpu_count;
    for (unsigned i = 0; i < file->nbuffers; i++)
        n = file->buffer[i].ncpus > n ? file->buffer[i].ncpus : n;
    return n > 0 ? n : 1;
}

/* 0 if the file has pages, or tells of CPUs that they have none; -1 after trace_fail() if it has only text, or lacks
 * all pages. */
static int check_content(const struct tracedat_file *file)
{
    bool is_told = false;
    for (unsigned i = 0; i < file->nbuffers; i++) {
        if (has_pages(&file->buffer[i]))
            return 0;
        is_told = is_told || file->buffer[i].ncpus > 0;
    }
    if (file->has_text)
        return trace_fail(file->trace, "%s: has the text of a latency tracer, and no events", file->trace->input_name);
    return is_told
               ? 0
               : trace_fail(file->trace, "%s: describes events, but has no pages with any", file->trace->input_name);
}

/* Which priorities are the more important ones. Linux's events have the lowest numbers for these. */
static enum trace_priority_order order_of(const struct tracedat_file *file)
{
    bool is_linux = file->uname != NULL && strncmp(file->uname, "Linux ", 6) == 0;
    return file->order == TRACE_ORDER_UNKNOWN && is_linux ? TRACE_LOWEST_FIRST : file->order;
}

/* Tell the trace what is known of the file. 0, or -1 after trace_fail(). */
static int prepare(struct reader *reader, struct trace *trace)
{
    struct tracedat_file *file = &reader->file;
    if (check_content(file) != 0)
        return -1;
    set_prefixes(file);
    trace->ncpus = reader->nlanes = count_cpus(file);
    trace->clock_hz = file->clock.is_ns || file->clock.has_tsc ? TICKS_NS_PER_S : trace->clock_hz_given;
    trace->target = file->uname;
    trace->priority_order = order_of(file);
    trace->mapped = true;
    reader->loss = trace_type(trace, &trace_loss_type);
    reader->damage = trace_type(trace, &trace_damage_type);
    reader->lane = heap_calloc(trace->ncpus, sizeof *reader->lane);
    if (reader->lane == NULL)
        return trace_fail(trace, "%s: no memory for %u CPUs", trace->input_name, trace->ncpus);
    count_parts(reader);
    file->share = file->budget.memory / 4u * 3u / (file->nranges + 1u); /* types of event need some, too */
    return trace->failed ? -1 : 0;
}

static void *open_reader(struct trace *trace, struct input *in)
{
    struct reader *reader = heap_calloc(1, sizeof *reader);
    if (reader == NULL) {
        trace_fail(trace, "%s: no memory", trace->input_name);
        return NULL;
    }
    if (tracedat_read_metadata(&reader->file, trace, in) != 0 || prepare(reader, trace) != 0) {
        close_reader(reader);
        return NULL;
    }
    return reader;
}

static enum trace_probe probe(struct input *in)
{
    return tracedat_recognise(in) ? TRACE_MINE : TRACE_NOT_MINE;
}

const struct trace_reader reader_tracedat = {
    .name = "trace.dat",
    .description = "trace.dat version 6 and 7, of trace-cmd",
    .probe = probe,
    .open = open_reader,
    .read = read_batch,
    .close = close_reader,
};
