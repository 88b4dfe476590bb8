/* stream.c - from slots to events, one by one: see stream.h. Most events are made by fast_path.c, many at once; here
 * are all that need more thought, and what is missing between them.
 */
#include "formats/native/events/stream.h"

#include "model/clock.h"
#include "base/text.h"
#include "formats/native/events/fast_path.h"
#include "formats/native/events/payload.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* One slot may add so many events to a batch: a loss and damage, a blackout_start that was held back, the loss again
 * and damage at the end, two marks, and the event of the slot. */
#define EVENTS_PER_SLOT 8u
#define EVENT_BYTES     24u /* the largest payload but those of traceevents, aligned */

/* ---- giving out events ------------------------------------------------------------------------------------------- */

/* Add an event to the batch. Returns where its payload of size bytes is to be put, or is already. */
static unsigned char *emit(const struct native_decoder *decoder, struct native_stream *stream,
                           struct trace_batch *batch, uint16_t type, uint16_t size, uint64_t stamp)
{
    uint64_t ns = native_scale_ns(&stream->scale, stamp);
    if (batch->n == TRACE_BATCH_EVENTS) { /* a caller did not ask for room: rather no events than overwritten ones */
        trace_fail(decoder->trace, "a mistake in tlog-decode: too many events for a batch");
        batch->n = batch->used = 0;
    }
    unsigned char *data = batch->room + batch->used;
    batch->used += (size + 7u) & ~7u;
    batch->event[batch->n++] = (struct tlog_event){.time = ns,
                                                   .data = data,
                                                   .type = type,
                                                   .size = size,
                                                   .rest = ticks_rest(stamp, ns, stream->scale.told_hz),
                                                   .group = stream->trace_group};
    stream->stamp = stamp;
    return data;
}

/* Add what is missing before an event with that stamp. */
static void emit_gaps(const struct native_decoder *decoder, struct native_stream *stream, struct trace_batch *batch,
                      uint64_t stamp)
{
    if (stream->loss > 0)
        put_le64(emit(decoder, stream, batch, decoder->types.shark.loss, 8, stamp), stream->loss);
    if (stream->damage > 0)
        put_le64(emit(decoder, stream, batch, decoder->types.shark.damage, 8, stamp), stream->damage);
    stream->loss = stream->damage = 0;
}

/* Put the payload of a record to data, and its type to *type. Returns its size. A record may stand for an event that
 * the firmware defines. */
static uint16_t put_record(struct native_decoder *decoder, const struct native_record *record, unsigned char *data,
                           uint16_t *type)
{
    const struct shark_types *types = &decoder->types.shark;
    unsigned char word[4];
    uint32_t par1 = record->par1, number = par1 >> 12 << 8 | (par1 & 0xFFu);
    uint16_t size = 0;
    bool is_plain = false;
    put_le32(word, record->par2);
    if (record->code == OWN_RECORD && (par1 >> 8 & 0xFu) < OWN_CLASSES)
        size = own_types_payload(decoder->types.own, par1 >> 8 & 0xFu, number, (struct own_data){word, 1}, data, type,
                                 &is_plain);
    if (is_plain && size == 8u && par1 < NATIVE_OWN_RECORDS)
        decoder->types.own_record[par1] = *type;
    if (rtos_is_code(record->code))
        size = rtos_types_payload(&decoder->types.rtos, data, record->code, par1, record->par2, type);
    if (size > 0)
        return size;
    *type = shark_type(types, record->code);
    return shark_payload(types, data, record->code, record->par1, record->par2);
}

static void emit_record(struct native_decoder *decoder, struct native_stream *stream, struct trace_batch *batch,
                        const struct native_record *record)
{
    unsigned char data[OWN_PAYLOAD_MAX];
    uint16_t type = 0, size = put_record(decoder, record, data, &type);
    emit_gaps(decoder, stream, batch, record->stamp);
    memcpy(emit(decoder, stream, batch, type, size, record->stamp), data, size);
    batch->event[batch->n - 1u].flags = record->fast ? TLOG_FLAG_UNCHECKED : 0;
    batch->event[batch->n - 1u].context = record->context;
    if (trace_context_is_interrupt(record->context))
        batch->event[batch->n - 1u].flags |= TLOG_FLAG_IN_INTERRUPT;
    if (stream->lap.has_contexts && record->context == 0)
        batch->event[batch->n - 1u].flags |= TLOG_FLAG_IN_THREAD;
}

/* ---- pauses ------------------------------------------------------------------------------------------------------ */

static const struct tlog_field pause_fields[] = {{"ticks", TLOG_KIND_UNSIGNED, 0, 8},
                                                 {"not_counted", TLOG_KIND_HEX, 8, 4}};
static const struct tlog_type type_pause = {"tlog", "pause", TLOG_MEANS_MARK, 12, 2, pause_fields, NULL};

/* 46 bits, of which par1 has the upper ones. */
static uint64_t pause_value(const struct native_record *record)
{
    return (uint64_t)(record->par1 & (TLOG_PAUSE_HIGH >> TLOG_LOSS_VALUE_SHIFT)) << 32 | record->par2;
}

/* Give out what the two records of a pause tell, one of which may be missing. Where events were not counted they are a
 * loss of unknown size. */
static void emit_pause(struct native_decoder *decoder, struct native_stream *stream, struct trace_batch *batch,
                       const struct native_record *start, const struct native_record *end)
{
    const uint64_t ticks = start != NULL ? pause_value(start) : 0, stamp = end != NULL ? end->stamp : start->stamp;
    const uint32_t skipped = end != NULL ? end->par2 : TLOG_PAUSE_ALL;
    const uint64_t from = ticks < stamp ? native_scale_ns(&stream->scale, stamp - ticks) : 0;
    unsigned char *data;
    emit_gaps(decoder, stream, batch, stamp);
    if (skipped != 0)
        put_le64(emit(decoder, stream, batch, decoder->types.shark.loss, 8, stamp), 0);
    data = emit(decoder, stream, batch, trace_type(decoder->trace, &type_pause), 12, stamp);
    put_le64(data, ticks);
    put_le32(data + 8, skipped);
    trace_count_pause(decoder->trace, stream->lane->ring, ticks > 0 ? native_scale_ns(&stream->scale, stamp) - from : 0,
                      skipped != 0);
}

/* Give out the first record of a loss or pause that was held back, if there is one. */
static void release_start(struct native_decoder *decoder, struct native_stream *stream, struct trace_batch *batch)
{
    if (stream->held && stream->start.is_pause)
        emit_pause(decoder, stream, batch, &stream->start, NULL);
    else if (stream->held)
        emit_record(decoder, stream, batch, &stream->start);
    stream->held = false;
}

/* ---- records ----------------------------------------------------------------------------------------------------- */

/* The ticks since a loss began count as ns where the rate of the clock changes, as all that is told in ticks. */
static void tell_ticks_in_ns(const struct native_stream *stream, struct native_record *record)
{
    struct native_scale scale = stream->scale;
    uint64_t ticks = (uint64_t)record->par1 << 32 | record->par2, now = native_scale_ns(&scale, record->stamp);
    uint64_t ns = now - (ticks < record->stamp ? native_scale_ns(&scale, record->stamp - ticks) : 0);
    record->par1 = (uint32_t)(ns >> 32);
    record->par2 = (uint32_t)ns;
}

/* A record of a loss becomes blackout_start or blackout_end. */
static struct native_record read_record(const struct native_decoder *decoder, const struct native_stream *stream,
                                        const unsigned char *slot)
{
    uint32_t head = native_head(slot);
    struct native_record record = {.stamp = native_stamp(slot),
                                   .code = head & TLOG_RECORD_CODE,
                                   .par1 = head >> 16,
                                   .par2 = get_le32(slot + NATIVE_PAR2),
                                   .is_loss = (head & TLOG_RECORD_CODE) == TLOG_RECORD_LOSS,
                                   .fast = (head & TLOG_RECORD_FAST) != 0,
                                   .context = native_lap_context(&stream->lap, stream->slot)};
    if (record.is_loss) {
        record.code = record.par1 & TLOG_LOSS_END ? FTrace_EVT_blackout_end : FTrace_EVT_blackout_start;
        record.is_pause = (record.par1 & TLOG_LOSS_PAUSED) != 0;
        record.par1 >>= TLOG_LOSS_VALUE_SHIFT;
        if (record.code == FTrace_EVT_blackout_start && decoder->rates.nrates > 0)
            tell_ticks_in_ns(stream, &record);
    }
    return record;
}

/* Count what a blackout_end tells: 47 bits, of which par1 has the upper ones. */
static void take_loss(struct native_decoder *decoder, struct native_stream *stream, const struct native_record *record)
{
    uint64_t lost = (uint64_t)record->par1 << 32 | record->par2;
    stream->loss += lost;
    if (!decoder->index.ring[stream->lane->ring].has_dropped)
        trace_count_dropped(decoder->trace, stream->lane->ring, lost);
}

/* The first record of a pause was held back, or is missing. */
static void take_pause_end(struct native_decoder *decoder, struct native_stream *stream, struct trace_batch *batch,
                           const struct native_record *end)
{
    bool has_start = stream->held && stream->start.is_pause;
    if (!has_start)
        release_start(decoder, stream, batch);
    stream->held = false;
    emit_pause(decoder, stream, batch, has_start ? &stream->start : NULL, end);
}

/* A blackout_start is held back. If a blackout_end comes next its count is known before the blackout_start is given
 * out, so that the loss stands where it began. */
static void take_record(struct native_decoder *decoder, struct native_stream *stream, struct trace_batch *batch,
                        const unsigned char *slot)
{
    struct native_record record = read_record(decoder, stream, slot);
    int32_t before;
    bool is_told;
    bool is_end = record.is_loss && record.code == FTrace_EVT_blackout_end;
    if (is_end && !record.is_pause)
        take_loss(decoder, stream, &record);
    stream->recent = record.stamp;
    if (record.code == FTrace_EVT_set_priority && native_tells_before(decoder, record.par1))
        record.par2 = (uint32_t)native_record_priority(record.par2, &before, &is_told);
    if (is_end && record.is_pause) {
        take_pause_end(decoder, stream, batch, &record);
        return;
    }
    release_start(decoder, stream, batch);
    if (record.is_loss && record.code == FTrace_EVT_blackout_start) {
        stream->held = true;
        stream->start = record;
        stream->stamp = record.stamp;
        return;
    }
    emit_record(decoder, stream, batch, &record);
}

/* ---- traceevent slots -------------------------------------------------------------------------------------------- */

/* Add the event of the next n slots. */
static void emit_traceevent(struct native_decoder *decoder, struct native_stream *stream, struct trace_batch *batch,
                            uint32_t n)
{
    unsigned char data[QNX_SLOTS_MAX * QNX_SLOT_BYTES];
    struct qnx_event event = native_traceevent(&stream->lap, stream->slot, n, data);
    uint16_t type = 0, size;
    release_start(decoder, stream, batch);
    emit_gaps(decoder, stream, batch, stream->recent);
    size = native_traceevent_payload(&decoder->types, decoder->trace, &event, batch->room + batch->used, &type);
    if (size > 0)
        emit(decoder, stream, batch, type, size, stream->recent);
}

/* Returns how many slots were taken: all slots of an event together, or one that is not part of a whole event. */
static uint32_t take_traceevent(struct native_decoder *decoder, struct native_stream *stream, struct trace_batch *batch,
                                const unsigned char *slot)
{
    uint32_t n = native_lap_event_slots(&stream->lap, stream->slot);
    stream->recent = native_traceevent_stamp(stream->recent, slot);
    if (n == 0) {
        decoder->trace->counts.unfinished++;
        return 1;
    }
    if (!native_is_no_event(slot))
        emit_traceevent(decoder, stream, batch, n);
    return n;
}

/* ---- slots and laps ---------------------------------------------------------------------------------------------- */

uint64_t native_stream_stamp(const struct native_stream *stream)
{
    const unsigned char *slot = native_lap_slot(&stream->lap, stream->slot);
    uint64_t stamp, wrapped;
    if (native_stream_has_record(stream, stream->slot))
        return native_stamp(slot);
    stamp = native_traceevent_stamp(stream->recent, slot);
    if (native_lap_state(&stream->lap, stream->slot) != NATIVE_WRAPPED)
        return stamp;
    wrapped = native_lap_unseen_wrap(&stream->lap, stream->slot)->stamp;
    return native_stamp_from(wrapped > stamp ? wrapped : stamp, native_low_stamp(slot));
}

/* Note that n events are missing here: overwritten, if no image shows them, or damaged. A loss that the firmware
 * reports further on comes behind them. */
static void note_missing(struct native_decoder *decoder, struct native_stream *stream, struct trace_batch *batch,
                         enum native_state state, uint64_t n)
{
    if (n == 0)
        return;
    release_start(decoder, stream, batch);
    if (state == NATIVE_ABSENT) {
        stream->loss += n;
        if (stream->lane->ring != NATIVE_RING_NAMES) {
            trace_count_overwritten(decoder->trace, stream->lane->ring, n);
            trace_count_in_group(decoder->trace, stream->trace_group, stream->lane->ring, n);
        }
    } else {
        stream->damage += n;
        decoder->trace->counts.damaged += n;
    }
}

static const struct tlog_field wrap_fields[] = {{"wraps", TLOG_KIND_UNSIGNED, 0, 4}};
static const struct tlog_type type_wrap = {"tlog", "unseen_wrap", TLOG_MEANS_MARK, 4, 1, wrap_fields, NULL};
static const struct tlog_field back_fields[] = {{"ticks", TLOG_KIND_UNSIGNED, 0, 8}};
static const struct tlog_type type_back = {"tlog", "clock_set_back", TLOG_MEANS_MARK, 8, 1, back_fields, NULL};
static const struct tlog_field doubt_fields[] = {{"ns", TLOG_KIND_UNSIGNED, 0, 8}};
static const struct tlog_type type_doubt = {"tlog", "clock_rate_unknown", TLOG_MEANS_MARK, 8, 1, doubt_fields, NULL};

/* Mark the place from where on the rate of the clock is not known, as marks of it are lost: for so many ns; 0: up to
 * the end. */
static void mark_doubt(struct native_decoder *decoder, struct native_stream *stream, struct trace_batch *batch)
{
    uint64_t stamp = native_stream_stamp(stream), to;
    const struct native_rate_hole *doubt = native_rates_doubt(&decoder->rates, stamp);
    if (doubt == NULL || doubt == stream->doubt)
        return;
    stream->doubt = doubt;
    release_start(decoder, stream, batch);
    to = native_scale_ns(&stream->scale, doubt->to < UINT64_MAX ? doubt->to : stamp);
    put_le64(emit(decoder, stream, batch, trace_type(decoder->trace, &type_doubt), 8, stamp),
             to - native_scale_ns(&stream->scale, stamp));
}

/* Mark the place where the clock wrapped unseen, or was set back. */
static void mark_clock(struct native_decoder *decoder, struct native_stream *stream, struct trace_batch *batch)
{
    const struct native_unseen_wrap *wrap = native_lap_unseen_wrap(&stream->lap, stream->slot);
    uint32_t wraps = wrap->wraps < UINT32_MAX ? (uint32_t)wrap->wraps : UINT32_MAX;
    uint64_t stamp = native_stream_stamp(stream);
    release_start(decoder, stream, batch);
    if (wraps > 0) {
        stream->marks[wrap->exact].places++;
        stream->marks[wrap->exact].wraps += wrap->wraps;
        put_le32(emit(decoder, stream, batch, trace_type(decoder->trace, &type_wrap), 4, stamp), wraps);
    }
    if (wrap->set_back > 0) {
        stream->set_back.places++;
        stream->set_back.ticks += wrap->set_back;
        put_le64(emit(decoder, stream, batch, trace_type(decoder->trace, &type_back), 8, stamp), wrap->set_back);
    }
    stream->recent = stamp;
}

enum { TEXT_BYTES = 64 };

/* What a lane is called. */
static void put_name(const struct native_lane *lane, char name[TEXT_BYTES])
{
    unsigned cpu = lane->ring, number = lane->number;
    if (native_is_emergency(lane->kind))
        snprintf(name, TEXT_BYTES, "CPU %u, emergency slots of chunk %u", cpu, number);
    else if (lane->kind == NATIVE_ALONE)
        snprintf(name, TEXT_BYTES, "CPU %u, chunk %u", cpu, number);
    else
        snprintf(name, TEXT_BYTES, "CPU %u", cpu);
}

/* How long so many ticks are, for people. */
static void put_duration(const struct native_decoder *decoder, const struct native_stream *stream, double ticks,
                         char text[TEXT_BYTES])
{
    uint64_t hz = decoder->trace->clock_hz > 0 ? stream->scale.hz : 0;
    if (hz == 0)
        snprintf(text, TEXT_BYTES, "%.0f ticks", ticks);
    else if (ticks < (double)hz)
        snprintf(text, TEXT_BYTES, "%.3f ms", 1000.0 * ticks / (double)hz);
    else
        snprintf(text, TEXT_BYTES, "%.1f s", ticks / (double)hz);
    text_point(text);
}

static void tell(const struct native_decoder *decoder, const struct native_stream *stream,
                 const struct native_marks *marks, const char *least, const char *how)
{
    char name[TEXT_BYTES], duration[TEXT_BYTES];
    if (marks->places == 0)
        return;
    put_name(stream->lane, name);
    put_duration(decoder, stream, (double)marks->wraps * (double)NATIVE_WRAP, duration);
    trace_note(decoder->trace,
               "%s: the clock wrapped unseen %s%" PRIu64 " time%s at %" PRIu64 " place%s: %s were added%s", name, least,
               marks->wraps, text_plural(marks->wraps), marks->places, text_plural(marks->places), duration, how);
}

static void tell_set_back(const struct native_decoder *decoder, const struct native_stream *stream)
{
    char name[TEXT_BYTES], duration[TEXT_BYTES];
    if (stream->set_back.places == 0)
        return;
    put_name(stream->lane, name);
    put_duration(decoder, stream, (double)stream->set_back.ticks, duration);
    trace_note(decoder->trace,
               "%s: the clock was set back at %" PRIu64
               " place%s, by at least %s in all: what time passed there is not "
               "known",
               name, stream->set_back.places, text_plural(stream->set_back.places), duration);
}

/* Tell the user of all marks of the stream. */
static void tell_marks(const struct native_decoder *decoder, const struct native_stream *stream)
{
    tell(decoder, stream, &stream->marks[true], "", ", as the coarse clock tells");
    tell(decoder, stream, &stream->marks[false], "at least ", "; times behind may be short by whole wraps");
    tell_set_back(decoder, stream);
}

/* Count the extra slots among the missing ones ahead of slot `end` of the lane. */
static void add_extras(const struct native_decoder *decoder, struct native_stream *stream, uint64_t end)
{
    const struct native_extra_slots *extra = decoder->index.extras;
    for (; stream->extra < stream->lane->extras && extra[stream->extra].first < end; stream->extra++)
        stream->extras += extra[stream->extra].n;
}

/* Note that n slots are missing here. Extra slots among them do not count: they were no events. */
static void note_missing_slots(struct native_decoder *decoder, struct native_stream *stream, struct trace_batch *batch,
                               uint64_t n)
{
    uint64_t extras = n < stream->extras ? n : stream->extras;
    stream->extras -= extras;
    note_missing(decoder, stream, batch, NATIVE_ABSENT, n - extras);
}

static uint32_t take_event(struct native_decoder *decoder, struct native_stream *stream, struct trace_batch *batch,
                           const unsigned char *slot)
{
    if (decoder->rates.ndoubts > 0)
        mark_doubt(decoder, stream, batch);
    if (native_is_traceevent(native_head(slot)))
        return take_traceevent(decoder, stream, batch, slot);
    take_record(decoder, stream, batch, slot);
    return 1;
}

static void take_slot(struct native_decoder *decoder, struct native_stream *stream, struct trace_batch *batch)
{
    const unsigned char *slot = native_lap_slot(&stream->lap, stream->slot);
    enum native_state state = native_lap_state(&stream->lap, stream->slot);
    uint32_t n = 1;
    switch (state) {
    case NATIVE_WRAPPED:
    case NATIVE_RECORD:
    case NATIVE_TRACEEVENT:
        if (state == NATIVE_WRAPPED)
            mark_clock(decoder, stream, batch);
        n = take_event(decoder, stream, batch, slot);
        break;
    case NATIVE_UNFINISHED:
        stream->waits = decoder->trace->goes_on;
        n = !stream->waits;
        decoder->trace->counts.unfinished += n;
        break;
    case NATIVE_CLAIMED:
        decoder->trace->counts.passed++;
        break;
    case NATIVE_DAMAGED:
        note_missing(decoder, stream, batch, state, 1);
        break;
    case NATIVE_ABSENT:
        add_extras(decoder, stream, stream->turn * stream->lap.slots + stream->lap.end + 1u);
        note_missing_slots(decoder, stream, batch, 1);
        break;
    case NATIVE_FRAGMENT:
    case NATIVE_SILENT:
    case NATIVE_DOUBTED:
        break;
    }
    stream->slot += n;
}

/* Take at least one slot; many, if they are ordinary. */
static void take_slots(struct native_decoder *decoder, struct native_stream *stream, struct trace_batch *batch)
{
    uint32_t before = stream->slot;
    if (!stream->held && stream->loss == 0 && stream->damage == 0 && !stream->lap.has_contexts
        && decoder->rates.ndoubts == 0)
        native_fast_path(decoder, stream, batch);
    if (stream->slot == before)
        take_slot(decoder, stream, batch);
}

/* Note how many events are missing between the last lap and this one. The laps of a lane are counted through: its
 * chunks take turns, so lap n of chunk k of c chunks is number (n - 1) * c + k. */
static void count_missing(struct native_decoder *decoder, struct native_stream *stream, struct trace_batch *batch)
{
    const struct native_lane *lane = stream->lane;
    const struct native_image *image = &decoder->index.images[decoder->index.parts[stream->at - 1u].image];
    uint64_t number = lane->chunks > 1u ? stream->lap.number : 0;
    uint64_t turn = (stream->lap.lap - 1u) * lane->chunks + number;
    uint64_t slots = image->layout.slots, expected = stream->turn * slots + stream->turn_slot;
    uint64_t found = turn * slots + stream->lap.first;
    add_extras(decoder, stream, found);
    if (found >= expected)
        note_missing_slots(decoder, stream, batch, found - expected);
    else
        trace_damage(decoder->trace, native_damage_offset(image, TLOG_CURSOR_OFFSET), 0, 0,
                     "the laps of CPU %u contradict their times: what was overwritten is uncertain", native_cpu(image));
    stream->turn = turn;
    stream->turn_slot = stream->lap.end + 1u;
}

/* Where the stamps of a lap must lie: not before what was given out, and before the lane's next lap, which begins with
 * part `next`. */
static struct native_span find_span(const struct native_decoder *decoder, const struct native_stream *stream,
                                    size_t next)
{
    const struct native_index *index = &decoder->index;
    const struct native_part *part = &index->parts[next];
    struct native_span span = {stream->stamp, UINT64_MAX, NATIVE_STAMP_UNKNOWN};
    if (next < stream->end && index->images[part->image].stamp[part->which] != NATIVE_STAMP_UNKNOWN) {
        span.next = index->images[part->image].stamp[part->which];
        span.to = part->stamp;
    }
    return span;
}

int native_stream_lap(struct native_decoder *decoder, struct native_stream *stream)
{
    size_t n;
    if (stream->at == stream->end)
        return 0;
    n = native_index_parts_of_lap(&decoder->index, stream->at, stream->end);
    if (native_lap_load(&decoder->loader, &stream->lap, &decoder->index.parts[stream->at], n,
                        stream->at + n < stream->end ? &decoder->index.parts[stream->at + n] : NULL,
                        find_span(decoder, stream, stream->at + n))
        != 0)
        return -1;
    stream->at += n;
    stream->slot = stream->lap.first;
    stream->recent = stream->lap.base_stamp;
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
    stream->lap.last = stream->lap.end = 0;
    stream->until = NATIVE_STAMP_NEVER;
    stream->stamp = stream->turn = stream->extras = 0;
    stream->turn_slot = 1;
    memset(&stream->lap.trail, 0, sizeof stream->lap.trail);
    memset(stream->marks, 0, sizeof stream->marks);
    memset(&stream->set_back, 0, sizeof stream->set_back);
    stream->doubt = NULL;
    stream->extra = lane->first_extra;
    stream->ended = stream->waits = false;
}

/* Go on to the next lap that has slots, if the loaded one is done. Names and emergency slots are in one lap each, ahead
 * of which nothing can be missing. */
static void enter_lap(struct native_decoder *decoder, struct native_stream *stream, struct trace_batch *batch)
{
    while (!stream->ended && stream->slot > stream->lap.last) {
        note_missing(decoder, stream, batch, NATIVE_DAMAGED, stream->lap.end - stream->lap.last);
        stream->lap.end = stream->lap.last;
        stream->ended = native_stream_lap(decoder, stream) <= 0;
        if (stream->ended)
            tell_marks(decoder, stream);
        else if (stream->lane->ring != NATIVE_RING_NAMES && !native_is_emergency(stream->lane->kind))
            count_missing(decoder, stream, batch);
    }
}

uint64_t native_stream_next(struct native_decoder *decoder, struct native_stream *stream, struct trace_batch *batch)
{
    enter_lap(decoder, stream, batch);
    if (stream->held)
        return stream->start.stamp;
    if (stream->ended)
        return NATIVE_STAMP_NEVER;
    return native_lap_state(&stream->lap, stream->slot) <= NATIVE_WRAPPED ? native_stream_stamp(stream) : stream->stamp;
}

bool native_stream_has_room(const struct trace_batch *batch)
{
    return batch->n + EVENTS_PER_SLOT <= TRACE_BATCH_EVENTS
           && batch->used + (size_t)EVENTS_PER_SLOT * EVENT_BYTES + QNX_PAYLOAD_MAX <= sizeof batch->room;
}

void native_stream_read(struct native_decoder *decoder, struct native_stream *stream, struct trace_batch *batch)
{
    size_t from = batch->n;
    while (native_stream_has_room(batch) && !stream->waits) {
        if (stream->slot > stream->lap.last)
            enter_lap(decoder, stream, batch);
        if (stream->ended)
            break;
        if (stream->until != NATIVE_STAMP_NEVER && !stream->held
            && native_stream_next(decoder, stream, batch) > stream->until)
            break;
        take_slots(decoder, stream, batch);
    }
    if (stream->ended)
        release_start(decoder, stream, batch);
    if (native_is_emergency(stream->lane->kind)) {
        for (size_t i = from; i < batch->n; i++)
            batch->event[i].flags |= TLOG_FLAG_EMERGENCY;
    }
}

void native_stream_finish(struct native_decoder *decoder, struct native_stream *stream, struct trace_batch *batch,
                          uint64_t lost, uint64_t stamp)
{
    stream->loss += lost;
    emit_gaps(decoder, stream, batch, stamp > stream->stamp ? stamp : stream->stamp);
}

void native_stream_free(struct native_stream *stream)
{
    native_lap_free(&stream->lap);
    memset(stream, 0, sizeof *stream);
}
