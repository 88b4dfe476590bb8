/* reader.c - reads raw S.Ha.R.K. trace files: from records to events. Records and streams are explained in file.h.
 *
 * Streams are merged by time. They are chunks, or halves of cyclic chunks, so they follow one another in time, or one
 * lies as a whole in a gap of another. Streams of one CPU, which has one clock, cannot interleave. If they do, all
 * events are given out nevertheless, with a mark of damage where the interleaving begins.
 */
#include "base/heap.h"
#include "formats/shark/file.h"
#include "base/text.h"
#include "model/module.h"
#include "model/clock.h"
#include "events/shark_types.h"

#include "base/bytes.h"
#include "base/sort.h"
#include "tlog_wire.h"

#include <stddef.h>
#include <inttypes.h>

/* Room in a batch that a record may need: damage and a loss before it, and itself. */
#define EVENTS_PER_RECORD 3u
#define EVENT_BYTES       16u /* of payload, at most */

/* A stream of the index while it is merged. */
struct stream {
    struct shark_walk *walk;  /* NULL before its first record and after its last */
    struct shark_record head; /* its next record; valid while there is a walk */
    uint64_t behind;          /* offset behind the last record that was the head */
    bool ended;
    bool interleaves; /* with another stream, and the user was told so */
};

struct shark_reader {
    struct trace *trace;
    struct input *input;
    struct shark_types types;
    struct shark_index index;
    struct stream stream[SHARK_STREAMS_MAX]; /* those of the index, in its order */
    int current;                             /* number of the stream whose records are given out; -1: none */
    int rival;                               /* number of the stream whose turn is next; INT32_MAX: none */
    uint64_t until;  /* ticks of the rival's next record: the current stream is the earliest up to then */
    uint64_t last;   /* ticks of the last event */
    uint64_t damage; /* records that are missing before the next event */
    bool marked;     /* a mark of damage is to be given out, even if 0 records are missing */
    bool started;    /* an event was given out */
};

/* ---- giving out events ------------------------------------------------------------------------------------------- */

/* Append an event to the batch. Its payload goes to the free part of the batch's room. */
static struct tlog_event *emit(struct shark_reader *reader, struct trace_batch *batch, uint64_t ticks, uint16_t type)
{
    struct tlog_event *event = &batch->event[batch->n++];
    uint64_t hz = reader->trace->clock_hz, ns = ticks_ns(ticks, hz);
    *event = (struct tlog_event){.time = ns, .type = type, .data = batch->room + batch->used};
    event->rest = ticks_rest(ticks, ns, hz);
    return event;
}

/* Append a mark of damage, if one is due. */
static void emit_damage(struct shark_reader *reader, struct trace_batch *batch, uint64_t ticks)
{
    struct tlog_event *event;
    if (!reader->marked)
        return;
    event = emit(reader, batch, ticks, reader->types.damage);
    put_le64(batch->room + batch->used, reader->damage);
    event->size = 8;
    batch->used += 8;
    reader->damage = 0;
    reader->marked = false;
}

/* S.Ha.R.K. gives blackout_end no parameter. In records of tlog's runtime par2 is the number of events that were
 * lost. */
static void emit_loss(struct shark_reader *reader, struct trace_batch *batch, const struct shark_record *record)
{
    struct tlog_event *event;
    if (record->code != FTrace_EVT_blackout_end || record->fast || record->par2 == 0)
        return;
    trace_count_dropped(reader->trace, 0, record->par2);
    event = emit(reader, batch, record->ticks, reader->types.loss);
    put_le64(batch->room + batch->used, record->par2);
    event->size = 8;
    batch->used += 8;
}

/* Append the event of a record, with damage and loss before it. */
static void emit_record(struct shark_reader *reader, struct trace_batch *batch, const struct shark_record *record)
{
    struct tlog_event *event;
    emit_damage(reader, batch, record->ticks);
    emit_loss(reader, batch, record);
    event = emit(reader, batch, record->ticks, shark_type(&reader->types, record->code));
    event->size = shark_payload(&reader->types, batch->room + batch->used, record->code, record->par1, record->par2);
    event->flags = record->fast ? TLOG_FLAG_UNCHECKED : 0;
    batch->used += (event->size + 7u) & ~7u;
    reader->last = record->ticks;
    reader->started = true;
}

/* Report damage of a file: length bytes at offset, which cost count records. */
static void report_damage(struct shark_reader *reader, const struct input *in, uint64_t offset, uint64_t length,
                          uint64_t count, const char *why)
{
    bool is_first = in == reader->input;
    trace_damage(reader->trace, offset, length, count, "%s%s%s", is_first ? "" : input_name(in), is_first ? "" : ": ",
                 why);
    reader->damage += count;
    reader->marked = true;
}

/* Whether a record's time is far from those before it, or beyond the range of ns. */
static bool is_absurd(struct shark_reader *reader, const struct shark_record *record)
{
    return (reader->started && record->ticks - reader->last > SHARK_JUMP_MAX)
           || ticks_ns(record->ticks, reader->trace->clock_hz) == UINT64_MAX;
}

/* Give out the record at the head of the current stream. */
static void take_record(struct shark_reader *reader, struct trace_batch *batch)
{
    const struct shark_record *record = &reader->stream[reader->current].head;
    if (is_absurd(reader, record))
        report_damage(reader, reader->index.stream[reader->current].in, record->offset, SHARK_RECORD_BYTES, 1,
                      "a record of an absurd time");
    else
        emit_record(reader, batch, record);
}

/* ---- streams ----------------------------------------------------------------------------------------------------- */

/* Report that the file ends in the middle of a record, if it does. */
static void report_cut(struct shark_reader *reader, const struct input *in, uint64_t count)
{
    uint64_t end = shark_end(in);
    if (input_size(in) > end)
        report_damage(reader, in, end, input_size(in) - end, count, "the file ends in the middle of a record");
}

/* The stream has no further record. */
static void end_stream(struct shark_reader *reader, int number)
{
    const struct shark_stream *range = &reader->index.stream[number];
    struct stream *stream = &reader->stream[number];
    heap_free(stream->walk);
    stream->walk = NULL;
    stream->ended = true;
    if (range->end == shark_end(range->in))
        report_cut(reader, range->in, 1);
}

static int gap_order(const void *gap, const void *offset)
{
    uint64_t left = ((const struct input_gap *)gap)->offset, right = *(const uint64_t *)offset;
    return (left > right) - (left < right);
}

/* Whether the input has a gap between two offsets, or at one of them. io/input.h reports and counts gaps. */
static bool has_gap(const struct shark_reader *reader, uint64_t from, uint64_t to)
{
    const struct input_gap *gaps;
    size_t n = input_gaps(reader->input, &gaps), first = sort_first(gaps, n, sizeof *gaps, &from, gap_order);
    return first < n && gaps[first].offset <= to;
}

/* Make the stream's next good record its head, or end the stream. */
static void advance(struct shark_reader *reader, int number)
{
    struct stream *stream = &reader->stream[number];
    enum shark_step step;
    while ((step = shark_walk_next(stream->walk, &stream->head)) == SHARK_DAMAGED || step == SHARK_BEGINS)
        report_damage(reader, reader->index.stream[number].in, stream->head.offset, SHARK_RECORD_BYTES, 1,
                      "a record whose time does not fit between its neighbours'");
    if (step == SHARK_END) {
        end_stream(reader, number);
        return;
    }
    reader->marked = reader->marked || has_gap(reader, stream->behind, stream->head.offset);
    stream->behind = stream->head.offset + SHARK_RECORD_BYTES;
}

/* Begin to walk a stream; later calls do nothing. 0, or -1 after trace_fail(). */
static int start_stream(struct shark_reader *reader, int number)
{
    const struct shark_stream *range = &reader->index.stream[number];
    struct stream *stream = &reader->stream[number];
    if (stream->walk != NULL)
        return 0;
    stream->walk = heap_alloc(sizeof *stream->walk);
    if (stream->walk == NULL)
        return trace_fail(reader->trace, "%s: no memory", reader->trace->input_name);
    shark_walk_start(stream->walk, range->in, range->from, range->end);
    stream->behind = range->from;
    advance(reader, number);
    return 0;
}

/* Ticks of a stream's next record; of a stream that was not begun, of its first one. */
static uint64_t head_time(const struct shark_reader *reader, unsigned number)
{
    const struct stream *stream = &reader->stream[number];
    return stream->walk != NULL ? stream->head.ticks : reader->index.stream[number].first;
}

/* Find the stream whose next record is the earliest, and the rival, which is the second earliest. Of equal times the
 * lower number comes first. Returns the number; -1: all streams have ended. */
static int earliest(struct shark_reader *reader)
{
    int best = -1;
    reader->until = UINT64_MAX;
    reader->rival = INT32_MAX;
    for (unsigned i = 0; i < reader->index.nstreams; i++) {
        int beaten = (int)i;
        if (reader->stream[i].ended)
            continue;
        if (best < 0 || head_time(reader, i) < head_time(reader, (unsigned)best)) {
            beaten = best;
            best = (int)i;
        }
        if (beaten >= 0 && (reader->rival == INT32_MAX || head_time(reader, (unsigned)beaten) < reader->until)) {
            reader->until = head_time(reader, (unsigned)beaten);
            reader->rival = beaten;
        }
    }
    return best;
}

/* The merge goes from one stream to another. If the first is not at its end and the second was begun before, the two
 * interleave: damage. */
static void check_order(struct shark_reader *reader, int from, int to)
{
    struct stream *stream;
    if (from < 0 || reader->stream[from].ended || reader->stream[to].walk == NULL)
        return;
    stream = &reader->stream[to];
    if (stream->interleaves)
        return;
    stream->interleaves = true;
    report_damage(reader, reader->index.stream[to].in, stream->head.offset, 0, 0,
                  "times go back and forth: records of one clock do not lie like that");
}

/* Make the earliest stream the current one. Returns 1; 0: all streams have ended; -1 after trace_fail(). */
static int choose(struct shark_reader *reader)
{
    int before = reader->current, best = earliest(reader);
    reader->current = best;
    if (best < 0)
        return 0;
    check_order(reader, before, best);
    return start_stream(reader, best) == 0 ? 1 : -1;
}

/* Whether the current stream still has the earliest record. */
static bool is_earliest(const struct shark_reader *reader)
{
    const struct stream *stream;
    if (reader->current < 0 || reader->stream[reader->current].ended)
        return false;
    stream = &reader->stream[reader->current];
    return stream->head.ticks < reader->until
           || (stream->head.ticks == reader->until && reader->current < reader->rival);
}

/* ---- the module -------------------------------------------------------------------------------------------------- */

/* Whether the batch has room for any record's events. */
static bool has_room(const struct trace_batch *batch)
{
    return batch->n + EVENTS_PER_RECORD <= TRACE_BATCH_EVENTS
           && batch->used + (size_t)EVENTS_PER_RECORD * EVENT_BYTES <= sizeof batch->room;
}

/* Merge the streams until the batch is full. */
static int shark_read(void *state, unsigned cpu, struct trace_batch *batch)
{
    struct shark_reader *reader = state;
    (void)cpu;
    batch->n = batch->used = 0;
    while (has_room(batch)) {
        int more = is_earliest(reader) ? 1 : choose(reader);
        if (more < 0 || reader->trace->failed)
            return -1;
        if (more == 0) {
            emit_damage(reader, batch, reader->last);
            break;
        }
        if (reader->stream[reader->current].ended)
            continue;
        take_record(reader, batch);
        advance(reader, reader->current);
    }
    return batch->n > 0;
}

/* Tell the user what in the records is unusual. */
static void note_oddities(const struct shark_reader *reader)
{
    const struct shark_index *index = &reader->index;
    if (index->empty > 0)
        trace_note(reader->trace, "%" PRIu64 " empty slot%s skipped", index->empty, text_plural(index->empty));
    if (index->fast > 0)
        trace_note(reader->trace, "%" PRIu64 " record%s of the fast path, whose second parameter is a leftover",
                   index->fast, text_plural(index->fast));
    if (index->unlocks > 0)
        trace_note(reader->trace,
                   "code 0x43 (%" PRIu64 " record%s) is mutex_unlock in the manual's table, but 0x36 is in the "
                   "original's header",
                   index->unlocks, text_plural(index->unlocks));
}

/* Report files that end in the middle of their first record. */
static void report_empty(struct shark_reader *reader)
{
    for (const struct input *in = reader->input; in != NULL; in = input_next(in)) {
        bool is_empty = true;
        for (unsigned i = 0; i < reader->index.nstreams; i++)
            is_empty = is_empty && reader->index.stream[i].in != in;
        if (is_empty)
            report_cut(reader, in, 0);
    }
}

/* A run's first chunk tells the clock. Where chunks are in files of their own, the others do not tell it. */
static void choose_clock(struct shark_reader *reader)
{
    struct trace *trace = reader->trace;
    trace->clock_hz = clock_choose(trace, reader->index.clock);
    if (trace->clock_hz == 0)
        trace_note(trace,
                   "no trace_start and no cycles_per_msec tells the clock: if the run has further files, such as "
                   "0trace.dat and 1trace.dat, give all of them together");
}

static void shark_close(void *state)
{
    struct shark_reader *reader = state;
    for (unsigned i = 0; i < SHARK_STREAMS_MAX; i++)
        heap_free(reader->stream[i].walk);
    heap_free(reader);
}

static void *shark_open(struct trace *trace, struct input *in)
{
    struct shark_reader *reader = heap_calloc(1, sizeof *reader);
    if (reader == NULL) {
        trace_fail(trace, "%s: no memory", trace->input_name);
        return NULL;
    }
    reader->trace = trace;
    reader->input = in;
    reader->current = -1;
    trace->ncpus = 1;
    shark_types_declare(&reader->types, trace);
    if (!shark_index_build(&reader->index, in))
        trace_fail(trace, "%s: more than %u stretches of records whose times rise, in all its files", trace->input_name,
                   SHARK_STREAMS_MAX);
    report_empty(reader);
    if (reader->index.nstreams == 0)
        trace_fail(trace, "%s: no record in its %" PRIu64 " bytes", trace->input_name, input_size(in));
    else
        choose_clock(reader);
    note_oddities(reader);
    if (trace->failed) {
        shark_close(reader);
        return NULL;
    }
    return reader;
}

static enum trace_probe shark_probe(struct input *in)
{
    while (input_size(in) == 0 && input_next(in) != NULL) /* a file of a chunk without events */
        in = input_next(in);
    return shark_makes_sense(in) ? TRACE_MAYBE : TRACE_NOT_MINE;
}

const struct trace_reader reader_shark = {
    .name = "shark",
    .description = "raw trace files of the S.Ha.R.K. New Tracer: records of 16 bytes, nothing else",
    .probe = shark_probe,
    .open = shark_open,
    .read = shark_read,
    .close = shark_close,
    .several = true,
};
