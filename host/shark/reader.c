/* reader.c - raw S.Ha.R.K. trace files: from records to events. Which records there are: shark/file.h.
 *
 * Runs are merged by time. Where they follow one another, or one lies as a whole in a gap of another, they are the
 * chunks and halves of cyclic chunks that they seem to be. Runs that interleave are not: a CPU has one clock. Then
 * every event is given out all the same, with a mark where that begins.
 */
#include "shark/file.h"
#include "model/module.h"
#include "model/clock.h"
#include "events/shark_types.h"
#include "model/ticks.h"

#include "base/bytes.h"
#include "tlog_wire.h"

#include <inttypes.h>
#include <stdlib.h>

/* Room in a batch that a record may need: damage and a loss before it, and itself. */
#define EVENTS_PER_RECORD 3u
#define EVENT_BYTES       16u

struct stream {
    struct shark_walk *walk; /* NULL before its first record and after its last */
    struct shark_record head;
    uint64_t behind; /* offset behind the last record that was at the head */
    bool ended;
    bool interleaves; /* and that has been said */
};

struct shark_reader {
    struct trace *trace;
    struct input *input;
    struct shark_types types;
    struct shark_index index;
    struct stream stream[SHARK_RUNS_MAX]; /* of the index's runs */
    int current;                          /* stream, or -1 */
    uint64_t until;                       /* time up to which it is the earliest */
    int rival;                            /* stream that has a record then */
    uint64_t last;                        /* time of the last event, in ticks */
    uint64_t damage;                      /* records that are missing before the next event */
    bool marked;                          /* damage is to be told, even of 0 records */
    bool started;
};

/* ---- giving out events ------------------------------------------------------------------------------------------- */

static struct trace_event *emit(struct shark_reader *reader, struct trace_batch *batch, uint64_t ticks, uint16_t type)
{
    struct trace_event *event = &batch->event[batch->n++];
    uint64_t hz = reader->trace->clock_hz, ns = ticks_ns(ticks, hz);

    *event = (struct trace_event){.time = ns, .type = type, .data = batch->room + batch->used};
    event->rest = ticks_rest(ticks, ns, hz);
    return event;
}

static void emit_damage(struct shark_reader *reader, struct trace_batch *batch, uint64_t ticks)
{
    struct trace_event *event;

    if (!reader->marked)
        return;
    event = emit(reader, batch, ticks, reader->types.damage);
    put_le64(batch->room + batch->used, reader->damage);
    event->size = 8;
    batch->used += 8;
    reader->damage = 0;
    reader->marked = false;
}

/* S.Ha.R.K. gives blackout_end no parameter. This runtime tells there how many events were lost. */
static void emit_loss(struct shark_reader *reader, struct trace_batch *batch, const struct shark_record *record)
{
    struct trace_event *event;

    if (record->code != FTrace_EVT_blackout_end || record->fast || record->par2 == 0)
        return;
    trace_count_dropped(reader->trace, 0, record->par2);
    event = emit(reader, batch, record->ticks, reader->types.loss);
    put_le64(batch->room + batch->used, record->par2);
    event->size = 8;
    batch->used += 8;
}

static void emit_record(struct shark_reader *reader, struct trace_batch *batch, const struct shark_record *record)
{
    struct trace_event *event;

    emit_damage(reader, batch, record->ticks);
    emit_loss(reader, batch, record);
    event = emit(reader, batch, record->ticks, shark_type(&reader->types, record->code));
    event->size = shark_payload(&reader->types, batch->room + batch->used, record->code, record->par1, record->par2);
    event->flags = record->fast ? TRACE_UNCHECKED : 0;
    batch->used += (event->size + 7u) & ~7u;
    reader->last = record->ticks;
    reader->started = true;
}

static void miss(struct shark_reader *reader, uint64_t offset, uint64_t length, uint64_t count, const char *why)
{
    trace_damage(reader->trace, offset, length, count, "%s", why);
    reader->damage += count;
    reader->marked = true;
}

/* A time that is far from all others, or beyond what ns can tell. */
static bool is_absurd(struct shark_reader *reader, const struct shark_record *record)
{
    return (reader->started && record->ticks - reader->last > SHARK_JUMP_MAX)
           || ticks_ns(record->ticks, reader->trace->clock_hz) == UINT64_MAX;
}

static void take_record(struct shark_reader *reader, struct trace_batch *batch, const struct shark_record *record)
{
    if (is_absurd(reader, record))
        miss(reader, record->offset, SHARK_RECORD_BYTES, 1, "a record of an absurd time");
    else
        emit_record(reader, batch, record);
}

/* ---- streams ----------------------------------------------------------------------------------------------------- */

static void end_stream(struct shark_reader *reader, int number)
{
    const struct shark_index *index = &reader->index;
    struct stream *stream = &reader->stream[number];

    free(stream->walk);
    stream->walk = NULL;
    stream->ended = true;
    if (index->run[number].end == index->end && index->cut > 0)
        miss(reader, index->end, index->cut, 1, "the file ends in the middle of a record");
}

/* Whether the input lacks something, which is said and counted already, between two offsets, or at either. */
static bool lacks(const struct shark_reader *reader, uint64_t from, uint64_t to)
{
    const struct input_gap *gaps;
    size_t low = 0, high = input_gaps(reader->input, &gaps), n = high;

    while (low < high) {
        size_t middle = low + (high - low) / 2u;

        if (gaps[middle].offset < from)
            low = middle + 1u;
        else
            high = middle;
    }
    return low < n && gaps[low].offset <= to;
}

/* Bring the stream's next good record to its head. */
static void advance(struct shark_reader *reader, int number)
{
    struct stream *stream = &reader->stream[number];
    enum shark_step step;

    while ((step = shark_walk_next(stream->walk, &stream->head)) == SHARK_DAMAGED || step == SHARK_BACK)
        miss(reader, stream->head.offset, SHARK_RECORD_BYTES, 1,
             "a record whose time does not fit between its neighbours'");
    if (step == SHARK_END) {
        end_stream(reader, number);
        return;
    }
    reader->marked = reader->marked || lacks(reader, stream->behind, stream->head.offset);
    stream->behind = stream->head.offset + SHARK_RECORD_BYTES;
}

static int start_stream(struct shark_reader *reader, int number)
{
    const struct shark_run *run = &reader->index.run[number];
    struct stream *stream = &reader->stream[number];

    if (stream->walk != NULL)
        return 0;
    stream->walk = malloc(sizeof *stream->walk);
    if (stream->walk == NULL)
        return trace_fail(reader->trace, "%s: no memory", reader->trace->input_name);
    shark_walk_start(stream->walk, reader->input, run->from, run->end);
    stream->behind = run->from;
    advance(reader, number);
    return 0;
}

static uint64_t head_time(const struct shark_reader *reader, unsigned number)
{
    const struct stream *stream = &reader->stream[number];

    return stream->walk != NULL ? stream->head.ticks : reader->index.run[number].first;
}

/* The stream with the earliest record, of equals the one that began first, and when another one has an earlier one. */
static int earliest(struct shark_reader *reader)
{
    int best = -1;

    reader->until = UINT64_MAX;
    reader->rival = INT32_MAX;
    for (unsigned i = 0; i < reader->index.nruns; i++) {
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

/* From a stream that is not at its end to one that had begun before: no chunks lie like that. */
static void check_order(struct shark_reader *reader, int from, int to)
{
    struct stream *stream;

    if (from < 0 || reader->stream[from].ended || reader->stream[to].walk == NULL)
        return;
    stream = &reader->stream[to];
    if (stream->interleaves)
        return;
    stream->interleaves = true;
    miss(reader, stream->head.offset, 0, 0, "times go back and forth: records of one clock do not lie like that");
}

/* Make current whichever stream is next: 1, 0 at the end, -1 after trace_fail(). */
static int choose(struct shark_reader *reader)
{
    int before = reader->current, best = earliest(reader);

    reader->current = best;
    if (best < 0)
        return 0;
    check_order(reader, before, best);
    return start_stream(reader, best) == 0 ? 1 : -1;
}

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

static bool has_room(const struct trace_batch *batch)
{
    return batch->n + EVENTS_PER_RECORD <= TRACE_BATCH_EVENTS
           && batch->used + (size_t)EVENTS_PER_RECORD * EVENT_BYTES <= sizeof batch->room;
}

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
        take_record(reader, batch, &reader->stream[reader->current].head);
        advance(reader, reader->current);
    }
    return batch->n > 0;
}

static void say_oddities(const struct shark_reader *reader)
{
    const struct shark_index *index = &reader->index;

    if (index->empty > 0)
        trace_note(reader->trace, "%" PRIu64 " empty slot%s skipped", index->empty, index->empty == 1 ? "" : "s");
    if (index->fast > 0)
        trace_note(reader->trace, "%" PRIu64 " record%s of the fast path, whose second parameter is a leftover",
                   index->fast, index->fast == 1 ? "" : "s");
    if (index->unlocks > 0)
        trace_note(reader->trace,
                   "code 0x43 (%" PRIu64 " record%s) is mutex_unlock in the manual's table, but 0x36 is in the "
                   "original's header",
                   index->unlocks, index->unlocks == 1 ? "" : "s");
}

static void shark_close(void *state)
{
    struct shark_reader *reader = state;

    for (unsigned i = 0; i < SHARK_RUNS_MAX; i++)
        free(reader->stream[i].walk);
    free(reader);
}

static void *shark_open(struct trace *trace, struct input *in)
{
    struct shark_reader *reader = calloc(1, sizeof *reader);

    if (reader == NULL) {
        trace_fail(trace, "%s: no memory", trace->input_name);
        return NULL;
    }
    reader->trace = trace;
    reader->input = in;
    reader->current = -1;
    trace->ncpus = 1;
    shark_types_declare(&reader->types, trace);
    shark_index_build(&reader->index, in);
    if (reader->index.nruns == 0 && reader->index.cut > 0)
        miss(reader, reader->index.end, reader->index.cut, 0, "the file ends in the middle of a record");
    trace->clock_hz = clock_choose(trace, reader->index.clock);
    say_oddities(reader);
    if (trace->failed) {
        shark_close(reader);
        return NULL;
    }
    return reader;
}

static enum trace_probe shark_probe(struct input *in)
{
    return shark_makes_sense(in) ? TRACE_MAYBE : TRACE_NOT_MINE;
}

const struct trace_reader reader_shark = {
    .name = "shark",
    .description = "raw trace files of the S.Ha.R.K. New Tracer: records of 16 bytes, nothing else",
    .probe = shark_probe,
    .open = shark_open,
    .read = shark_read,
    .close = shark_close,
};
