/* stream.c - from slots to events: see stream.h. */
#include "native/stream.h"

#include "model/context.h"
#include "native/own.h"
#include "native/run.h"
#include "native/traceevent.h"
#include "model/ticks.h"

#include <stdlib.h>
#include <string.h>

/* Events that one slot may add to a batch: a loss and damage, a blackout_start that was held back, the loss again and
 * damage at the end, and the slot's own. */
#define EVENTS_PER_SLOT 6u
#define EVENT_BYTES     24u /* payload of the largest, aligned, but for traceevents */

/* ---- giving out events ------------------------------------------------------------------------------------------- */

static unsigned char *emit(struct native_stream *stream, struct trace_batch *batch, uint16_t type, uint16_t size,
                           uint64_t ticks)
{
    unsigned char *data = batch->room + batch->used;
    uint64_t ns = native_scale_ns(&stream->scale, ticks);

    if (batch->n == TRACE_BATCH_EVENTS) /* nobody asked for room: better no output than one with events overwritten */
        abort();
    batch->used += (size + 7u) & ~7u;
    batch->event[batch->n++] = (struct trace_event){.time = ns,
                                                    .data = data,
                                                    .type = type,
                                                    .size = size,
                                                    .rest = ticks_rest(ticks, ns, stream->scale.hz),
                                                    .group = stream->group};
    stream->ticks = ticks;
    return data;
}

/* What is missing before an event at ticks. */
static void emit_gaps(const struct native_decoder *decoder, struct native_stream *stream, struct trace_batch *batch,
                      uint64_t ticks)
{
    if (stream->loss > 0)
        put_le64(emit(stream, batch, decoder->types.shark.loss, 8, ticks), stream->loss);
    if (stream->damage > 0)
        put_le64(emit(stream, batch, decoder->types.shark.damage, 8, ticks), stream->damage);
    stream->loss = stream->damage = 0;
}

static void emit_record(const struct native_decoder *decoder, struct native_stream *stream, struct trace_batch *batch,
                        const struct native_record *record)
{
    const struct shark_types *types = &decoder->types.shark;
    unsigned char data[SHARK_PAYLOAD_MAX];
    uint16_t size = shark_payload(types, data, record->code, record->par1, record->par2);

    emit_gaps(decoder, stream, batch, record->ticks);
    memcpy(emit(stream, batch, shark_type(types, record->code), size, record->ticks), data, size);
    batch->event[batch->n - 1u].flags = record->fast ? TRACE_UNCHECKED : 0;
    batch->event[batch->n - 1u].context = record->context;
    if (context_is_interrupt(record->context))
        batch->event[batch->n - 1u].flags |= TRACE_IN_INTERRUPT;
}

static void release_start(const struct native_decoder *decoder, struct native_stream *stream, struct trace_batch *batch)
{
    if (stream->held)
        emit_record(decoder, stream, batch, &stream->start);
    stream->held = false;
}

static void take_record(struct native_decoder *decoder, struct native_stream *stream, struct trace_batch *batch,
                        const unsigned char *slot)
{
    uint32_t word0 = get_le32(slot);
    struct native_record record = {
        native_ticks(slot),  word0 & TLOG_RECORD_CODE, word0 >> 16,
        get_le32(slot + 12), word0 & TLOG_RECORD_FAST, native_lap_context(&stream->lap, stream->slot)};

    if (record.code == FTrace_EVT_blackout_end) {
        stream->loss += record.par2;
        if (!decoder->index.ring[stream->lane->ring].has_dropped)
            trace_count_dropped(decoder->trace, stream->lane->ring, record.par2);
    }
    stream->recent = record.ticks;
    release_start(decoder, stream, batch);
    if (record.code == FTrace_EVT_blackout_start) {
        stream->held = true;
        stream->start = record;
        stream->ticks = record.ticks;
        return;
    }
    emit_record(decoder, stream, batch, &record);
}

/* ---- traceevent slots -------------------------------------------------------------------------------------------- */

uint16_t native_payload(struct native_decoder *decoder, const struct qnx_event *event, unsigned char *data,
                        uint16_t *type)
{
    uint16_t size;

    if (native_own_payload(decoder->trace, event, data, type, &size))
        return size;
    return native_qnx_payload(&decoder->types, event, data, type);
}

/* The event of n slots. */
static void emit_traceevent(struct native_decoder *decoder, struct native_stream *stream, struct trace_batch *batch,
                            uint32_t n)
{
    unsigned char slots[QNX_SLOTS_MAX * 8u];
    struct qnx_event event = native_traceevent(&stream->lap, stream->slot, n, slots);
    uint16_t type = 0, size;

    release_start(decoder, stream, batch);
    emit_gaps(decoder, stream, batch, stream->recent);
    size = native_payload(decoder, &event, batch->room + batch->used, &type);
    if (size > 0)
        emit(stream, batch, type, size, stream->recent);
}

/* Returns how many slots were taken: events of several slots are taken whole, and what is no whole event is unfinished. */
static uint32_t take_traceevent(struct native_decoder *decoder, struct native_stream *stream, struct trace_batch *batch,
                                const unsigned char *slot)
{
    uint32_t n = native_combined(&stream->lap, stream->slot);

    stream->recent = native_traceevent_time(stream->recent, slot);
    if (n == 0) {
        decoder->trace->counts.unfinished++;
        return 1;
    }
    if (native_is_control(slot, TLOG_CONTROL_NAME))
        native_take_name(decoder->trace, &stream->lap, stream->slot, n);
    else if (!native_is_no_event(slot))
        emit_traceevent(decoder, stream, batch, n);
    return n;
}

/* ---- slots and laps ---------------------------------------------------------------------------------------------- */

/* Events are missing here: a loss that the firmware reports later comes after them. */
static void miss(struct native_decoder *decoder, struct native_stream *stream, struct trace_batch *batch,
                 enum native_slot slot, uint64_t n)
{
    if (n == 0)
        return;
    release_start(decoder, stream, batch);
    if (slot == NATIVE_ABSENT) {
        stream->loss += n;
        if (stream->lane->ring != NATIVE_RING_NAMES) {
            trace_count_overwritten(decoder->trace, stream->lane->ring, n);
            trace_count_in_group(decoder->trace, stream->group, stream->lane->ring, n);
        }
    } else {
        stream->damage += n;
        decoder->trace->counts.damaged += n;
    }
}

static void take_slot(struct native_decoder *decoder, struct native_stream *stream, struct trace_batch *batch)
{
    const unsigned char *slot = native_lap_slot(&stream->lap, stream->slot);
    enum native_slot state = native_lap_state(&stream->lap, stream->slot);
    uint32_t n = 1;

    switch (state) {
    case NATIVE_RECORD:
        take_record(decoder, stream, batch, slot);
        break;
    case NATIVE_TRACEEVENT:
        n = take_traceevent(decoder, stream, batch, slot);
        break;
    case NATIVE_UNFINISHED:
        decoder->trace->counts.unfinished++;
        break;
    case NATIVE_DAMAGED:
    case NATIVE_ABSENT:
        miss(decoder, stream, batch, state, 1);
        break;
    }
    stream->slot += n;
}

static void take_slots(struct native_decoder *decoder, struct native_stream *stream, struct trace_batch *batch)
{
    uint32_t before = stream->slot;

    if (!stream->held && stream->loss == 0 && stream->damage == 0 && !stream->lap.has_contexts)
        native_run(decoder, stream, batch);
    if (stream->slot == before)
        take_slot(decoder, stream, batch);
}

/* How many events, by the laps' places, should have come between the last lap and this one. */
static void account(struct native_decoder *decoder, struct native_stream *stream, struct trace_batch *batch)
{
    const struct native_lane *lane = stream->lane;
    const struct native_image *image = &decoder->index.images[decoder->index.segments[stream->at - 1u].image];
    uint64_t number = lane->chunks > 1u ? stream->lap.number : 0;
    uint64_t place = (uint64_t)(stream->lap.lap - 1u) * lane->chunks + number;
    uint64_t slots = image->slots, expected = stream->place * slots + stream->place_slot;
    uint64_t found = place * slots + stream->lap.first;

    if (found >= expected)
        miss(decoder, stream, batch, NATIVE_ABSENT, found - expected);
    else
        trace_damage(decoder->trace, native_place(image, TLOG_CURSOR_OFFSET), 0, 0,
                     "the laps of CPU %u contradict their times: what was overwritten is uncertain", native_cpu(image));
    stream->place = place;
    stream->place_slot = stream->lap.last + 1u;
}

/* Between which times a lap must lie: after what was given out, before the next lap of the lane. */
static struct native_span span_of(const struct native_decoder *decoder, const struct native_stream *stream, size_t next)
{
    const struct native_index *index = &decoder->index;
    const struct native_segment *segment = &index->segments[next];
    struct native_span span = {stream->ticks, UINT64_MAX};

    if (next < stream->end && index->images[segment->image].time[segment->which] != NATIVE_TIME_UNKNOWN)
        span.to = segment->time;
    return span;
}

int native_stream_lap(struct native_decoder *decoder, struct native_stream *stream)
{
    size_t n;

    if (stream->at == stream->end)
        return 0;
    n = native_lap_segments(&decoder->index, stream->at, stream->end);
    if (native_lap_load(&decoder->loader, &stream->lap, &decoder->index.segments[stream->at], n,
                        span_of(decoder, stream, stream->at + n))
        != 0)
        return -1;
    stream->at += n;
    stream->slot = stream->lap.first;
    stream->recent = stream->lap.lead;
    return 1;
}

/* ---- the stream -------------------------------------------------------------------------------------------------- */

void native_stream_start(struct native_decoder *decoder, struct native_stream *stream, const struct native_lane *lane,
                         struct input *in)
{
    stream->lane = lane;
    stream->lap.view.trace = decoder->trace;
    stream->lap.view.in = in;
    stream->at = lane->first;
    stream->end = lane->first + lane->n;
    stream->slot = 1;
    stream->lap.last = 0;
    stream->ticks = 0;
    stream->until = NATIVE_TIME_NEVER;
    stream->place = 0;
    stream->place_slot = 1;
    stream->ended = false;
}

/* Go on to the next lap that has slots. */
static void enter_lap(struct native_decoder *decoder, struct native_stream *stream, struct trace_batch *batch)
{
    while (!stream->ended && stream->slot > stream->lap.last) {
        if (native_stream_lap(decoder, stream) <= 0)
            stream->ended = true;
        else if (stream->lane->ring != NATIVE_RING_NAMES && !native_is_urgent(stream->lane->kind))
            account(decoder, stream, batch);
    }
}

uint64_t native_stream_next(struct native_decoder *decoder, struct native_stream *stream, struct trace_batch *batch)
{
    enter_lap(decoder, stream, batch);
    if (stream->held)
        return stream->start.ticks;
    if (stream->ended)
        return NATIVE_TIME_NEVER;
    if (native_stream_has_record(stream, stream->slot))
        return native_ticks(native_lap_slot(&stream->lap, stream->slot));
    if (native_lap_state(&stream->lap, stream->slot) == NATIVE_TRACEEVENT)
        return native_traceevent_time(stream->recent, native_lap_slot(&stream->lap, stream->slot));
    return stream->ticks;
}

bool native_stream_has_room(const struct trace_batch *batch)
{
    return batch->n + EVENTS_PER_SLOT <= TRACE_BATCH_EVENTS
           && batch->used + (size_t)EVENTS_PER_SLOT * EVENT_BYTES + QNX_PAYLOAD_MAX <= sizeof batch->room;
}

void native_stream_read(struct native_decoder *decoder, struct native_stream *stream, struct trace_batch *batch)
{
    size_t from = batch->n;

    while (native_stream_has_room(batch)) {
        if (stream->slot > stream->lap.last)
            enter_lap(decoder, stream, batch);
        if (stream->ended)
            break;
        if (stream->until != NATIVE_TIME_NEVER && !stream->held
            && native_stream_next(decoder, stream, batch) > stream->until)
            break;
        take_slots(decoder, stream, batch);
    }
    if (stream->ended)
        release_start(decoder, stream, batch);
    if (native_is_urgent(stream->lane->kind)) {
        for (size_t i = from; i < batch->n; i++)
            batch->event[i].flags |= TRACE_EMERGENCY;
    }
}

void native_stream_finish(struct native_decoder *decoder, struct native_stream *stream, struct trace_batch *batch,
                          uint64_t lost, uint64_t ticks)
{
    stream->loss += lost;
    emit_gaps(decoder, stream, batch, ticks > stream->ticks ? ticks : stream->ticks);
}

void native_stream_free(struct native_stream *stream)
{
    native_lap_free(&stream->lap);
    memset(stream, 0, sizeof *stream);
}
