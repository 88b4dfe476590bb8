/* fast_path.c - ordinary events, many at once: see fast_path.h.
 *
 * A lap of records alone has a loop of its own. In other laps a first loop makes the events, with stamps in place of
 * times, and a second one makes times of the stamps. So each of the loops has all of its variables in registers.
 *
 * Slots were checked before, and bounds are checked for many slots at once: so the loops load words directly.
 */
#include "formats/native/events/fast_path.h"

#include "model/clock.h"
#include "formats/native/events/payload.h"

#include <string.h>

#define USER ((uint32_t)TLOG_TRACE_USER << TLOG_CLASS_SHIFT)

/* Offsets in the payload of a user's event, behind its number: of its words, or of its text, ahead of which there is
 * the word of a TLOG_KIND_STRING. */
#define USER_WORDS 4u
#define USER_TEXT  8u

/* ---- laps of records alone --------------------------------------------------------------------------------------- */

/* Set the rest of n events from stream->slot on: a clock above 1 GHz has several ticks in a ns. */
static void set_rests(const struct native_stream *stream, struct tlog_event *event, size_t n)
{
    const unsigned char *slot = native_lap_slot(&stream->lap, stream->slot);
    for (size_t i = 0; i < n; i++, slot += TLOG_SLOT_BYTES)
        event[i].rest = ticks_rest(native_stamp(slot), event[i].time, stream->scale.told_hz);
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Add records of ordinary codes from stream->slot to last, as many as fit and have stamps that the scale reaches. */
static void add_records(const struct native_decoder *decoder, struct native_stream *stream, struct trace_batch *batch,
                        uint32_t last)
{
    const unsigned char *slot = native_lap_slot(&stream->lap, stream->slot);
    const struct native_scale scale = stream->scale;
    size_t fit = smaller(TRACE_BATCH_EVENTS - batch->n, (sizeof batch->room - batch->used) / 8u);
    size_t n = smaller(last - stream->slot + 1u, fit), i;
    struct tlog_event *event = batch->event + batch->n;
    unsigned char *data = batch->room + batch->used;
    uint64_t last_stamp = stream->stamp;
    for (i = 0; i < n; i++, slot += TLOG_SLOT_BYTES, data += 8) {
        uint32_t head = native_head(slot);
        uint16_t type = native_types_record(&decoder->types, head, get_le32(slot + NATIVE_PAR2), data);
        uint64_t stamp = native_stamp(slot);
        if (type == SHARK_TYPE_NONE || !native_scale_reaches(&scale, stamp))
            break;
        event[i] = (struct tlog_event){.time = native_scale_near(&scale, stamp), .data = data, .type = type, .size = 8};
        event[i].flags = head & TLOG_RECORD_FAST ? TLOG_FLAG_UNCHECKED : 0;
        last_stamp = stamp;
    }
    if (scale.told_hz > TICKS_NS_PER_S)
        set_rests(stream, event, i);
    stream->slot += (uint32_t)i;
    stream->stamp = last_stamp;
    stream->recent = i > 0 ? last_stamp : stream->recent;
    batch->n += i;
    batch->used += i * 8u;
}

/* The last of the lap's records that need not wait for other streams. They are in order, and the one in stream->slot is
 * among them. */
static uint32_t last_ready(const struct native_stream *stream)
{
    uint32_t low = stream->slot, high = stream->lap.last;
    if (stream->until == NATIVE_STAMP_NEVER)
        return high;
    while (low < high) {
        uint32_t middle = low + (high - low + 1u) / 2u;
        if (native_stamp(native_lap_slot(&stream->lap, middle)) <= stream->until)
            low = middle;
        else
            high = middle - 1u;
    }
    return low;
}

/* ---- laps with traceevents, or with something wrong -------------------------------------------------------------- */

/* Where the fast path stands. Until it ends, the times of its events are stamps. */
struct fast {
    uint64_t from, to;         /* the stamps that its events may have, `to` excluded */
    uint64_t stamp;            /* of the last slot; not before from */
    const unsigned char *slot; /* the next one */
    bool whole;                /* all combine events of the lap are whole */
    struct tlog_event *event;  /* the next one, and where its payload goes */
    unsigned char *data;
};

/* The first stamp that the scale does not reach, or that has to wait. */
static uint64_t end_of_reach(const struct native_stream *stream)
{
    uint64_t reach = stream->scale.base + stream->scale.span;
    return stream->until < reach ? stream->until + 1u : reach;
}

/* How many slots from the next one on are sound and may each become a simple event, for which the batch has room. */
static uint32_t count_sound(const struct fast *at, const struct native_lap *lap, const struct trace_batch *batch)
{
    size_t events = (size_t)(batch->event + TRACE_BATCH_EVENTS - at->event);
    size_t room = (size_t)(batch->room + sizeof batch->room - at->data) / NATIVE_WIDE_BYTES;
    uint32_t index = native_lap_index(lap, at->slot);
    uint32_t n = (uint32_t)smaller(smaller(events, room), lap->last + 1u - index);
    for (uint32_t i = 0; !lap->clean && i < n; i++) {
        if (lap->state[index + i - 1u] > NATIVE_TRACEEVENT)
            return i;
    }
    return n;
}

/* Add the event of the next slots, whose payload of size bytes was put to at->data, and pass the slots. */
static inline bool put_event(struct fast *at, uint32_t slots, uint64_t stamp, uint16_t type, uint16_t size)
{
    *at->event = (struct tlog_event){.time = stamp, .data = at->data, .type = type, .size = size};
    at->data += (size + 7u) & ~7u;
    at->slot += (size_t)slots * TLOG_SLOT_BYTES;
    at->stamp = stamp;
    return true;
}

/* Put the next slot's record, if its code and stamp are ordinary. False, as in all put functions below: it is not. */
static inline bool put_record(struct fast *at, const struct native_types *types)
{
    uint32_t head = native_head(at->slot);
    uint16_t type = native_types_record(types, head, get_le32(at->slot + NATIVE_PAR2), at->data);
    uint64_t stamp = native_stamp(at->slot);
    if (type == SHARK_TYPE_NONE || stamp < at->from || stamp >= at->to)
        return false;
    put_event(at, 1, stamp, type, 8);
    at->event->flags = head & TLOG_RECORD_FAST ? TLOG_FLAG_UNCHECKED : 0;
    return true;
}

/* ---- traceevents ------------------------------------------------------------------------------------------------- */

/* Put what a user's event with a text has ahead of it: its number, and a TLOG_KIND_STRING of length characters. */
static inline void put_text_at(unsigned char *data, uint32_t number, uint32_t length)
{
    put_le32(data, number);
    put_le32(data + 4, USER_TEXT | (length + 1u) << 16);
}

/* Put a user's event of one slot, unless it may be the first of its type. */
static inline bool put_user(struct fast *at, const struct native_types *types, uint64_t stamp, uint32_t number)
{
    uint64_t words = get_le64(at->slot + NATIVE_DATA);
    unsigned length = qnx_short_text(words);
    uint16_t type = length == 0 ? types->user_words[1] : types->user_text;
    if (length == QNX_TEXT_OTHER || type == SHARK_TYPE_NONE)
        return false;
    if (length == 0) {
        put_le32(at->data, number);
        put_le64(at->data + USER_WORDS, words);
        return put_event(at, 1, stamp, type, 12);
    }
    put_text_at(at->data, number, length);
    put_le64(at->data + USER_TEXT, words);
    return put_event(at, 1, stamp, type, 16);
}

/* Copy the data of a combine event's slots, which end before `end`, one behind the other. Returns how many slots it
 * has; 0 if they are not all there, or too many. */
static uint32_t gather(const unsigned char *slot, const unsigned char *end, unsigned char *to)
{
    for (uint32_t n = 1; n <= QNX_WORDS_SLOTS && slot < end; n++, slot += TLOG_SLOT_BYTES, to += NATIVE_DATA_BYTES) {
        put_le64(to, get_le64(slot + NATIVE_DATA));
        if (native_head(slot) >> TLOG_STRUCT_SHIFT == TLOG_STRUCT_CE)
            return n;
    }
    return 0;
}

/* Put a user's event of several slots, if it ends before `end`. Its data is put where a text would be, if it may be
 * one, and moved if it is none. */
static bool put_users(struct fast *at, const struct native_types *types, uint64_t stamp, uint32_t number,
                      const unsigned char *end)
{
    bool may_be_text = qnx_may_be_text(get_le32(at->slot + NATIVE_DATA));
    unsigned char *data = at->data + (may_be_text ? USER_TEXT : USER_WORDS);
    uint32_t n = gather(at->slot, end, data);
    int length = n > 0 && may_be_text ? qnx_user_text(data, n) : -1;
    uint16_t type = length < 0 ? types->user_words[n] : types->user_text;
    if (type == SHARK_TYPE_NONE)
        return false;
    if (length >= 0) {
        put_text_at(at->data, number, (uint32_t)length);
        return put_event(at, n, stamp, type, (uint16_t)(USER_TEXT + (((uint32_t)length + 4u) & ~3u)));
    }
    put_le32(at->data, number);
    if (may_be_text)
        memmove(at->data + USER_WORDS, data, (size_t)NATIVE_DATA_BYTES * n);
    return put_event(at, n, stamp, type, (uint16_t)(USER_WORDS + NATIVE_DATA_BYTES * n));
}

/* Put an event of one slot that is of another class, if its type tells all about it. `event` is class and number, as an
 * index in types->traceevent. */
static inline bool put_simple(struct fast *at, struct native_types *types, uint64_t stamp, uint32_t event)
{
    const struct native_simple simple = types->traceevent[event];
    uint64_t words = get_le64(at->slot + NATIVE_DATA);
    unsigned char *data = at->data;
    switch (simple.layout) {
    case QNX_WORDS:
        put_le64(data, words);
        return put_event(at, 1, stamp, simple.type, 8);
    case QNX_CONTEXT_WORDS:
        put_le32(data, qnx_context(&types->qnx, (uint32_t)words, (uint32_t)(words >> 32)));
        put_le64(data + 4, words);
        return put_event(at, 1, stamp, simple.type, 12);
    case QNX_WORDS_EMPTY_TEXT:
        put_le64(data, words);
        put_le64(data + 8, 12u); /* a TLOG_KIND_STRING at offset 12, without a byte */
        return put_event(at, 1, stamp, simple.type, 16);
    case QNX_CLASS_EVENT_WORDS:
        put_le32(data, event >> TLOG_CLASS_SHIFT);
        put_le32(data + 4, event & (_TRACE_MAX_EVENT_NUM - 1u));
        put_le64(data + 8, words);
        return put_event(at, 1, stamp, simple.type, 16);
    default:
        return false;
    }
}

/* Put the words of an event as its type has them: behind the context of the thread that the first two words name, if it
 * has one, and with zeros for words that the event lacks. */
static void put_words(struct native_types *types, const struct native_wide *wide, const struct qnx_event *event,
                      unsigned char *data)
{
    uint32_t at = wide->layout == QNX_CONTEXT_MORE_WORDS ? 4 : 0, used = at + QNX_SLOT_BYTES * event->slots;
    if (at > 0)
        put_le32(data, qnx_context(&types->qnx, get_le32(event->data), get_le32(event->data + 4)));
    for (uint32_t i = at; i < used; i += QNX_SLOT_BYTES)
        put_le64(data + i, get_le64(event->data + i - at));
    for (uint32_t i = used; i < wide->size; i += QNX_SLOT_BYTES)
        put_le64(data + i, 0);
}

/* Put an event of several slots that is not a user's, if it ends before `end` and its type is known. */
static bool put_wide(struct fast *at, struct native_types *types, uint64_t stamp, uint32_t means, uint32_t number,
                     const unsigned char *end)
{
    unsigned char words[QNX_WORDS_SLOTS * QNX_SLOT_BYTES];
    struct qnx_event event = {means >> TLOG_CLASS_SHIFT, number, gather(at->slot, end, words), words, false};
    const struct native_wide *wide = &types->wide[event.slots][means | number];
    bool unknown = wide->layout == QNX_CLASS_EVENT_DATA;
    if (wide->size == 0)
        return false;
    if (unknown || wide->layout == QNX_DATA)
        qnx_put_data(&types->qnx, &event, unknown, unknown, at->data);
    else
        put_words(types, wide, &event, at->data);
    return put_event(at, event.slots, stamp, wide->type, wide->size);
}

/* Put the traceevent in the next slots, which end before `end`, if all that is needed is known of its type. */
static inline bool put_traceevent(struct fast *at, struct native_types *types, const unsigned char *end)
{
    uint32_t head = native_head(at->slot), means = head & TLOG_CLASS_MASK, number = native_traceevent_number(head);
    uint64_t stamp = native_stamp_from(at->stamp, native_low_stamp(at->slot));
    if (stamp >= at->to)
        return false;
    if (head >> TLOG_STRUCT_SHIFT == TLOG_STRUCT_S)
        return means == USER ? put_user(at, types, stamp, number) : put_simple(at, types, stamp, means | number);
    if (!at->whole)
        return false;
    return means == USER ? put_users(at, types, stamp, number, end) : put_wide(at, types, stamp, means, number, end);
}

/* Add events of n sound slots, up to the first one of which more has to be known than its type. */
static void add_ordinary(struct fast *fast, struct native_types *types, uint32_t n)
{
    const unsigned char *end = fast->slot + (size_t)n * TLOG_SLOT_BYTES;
    struct fast at = *fast;
    bool put;
    for (; at.slot < end; at.event++) {
        if (!native_is_traceevent(native_head(at.slot)))
            put = put_record(&at, types);
        else
            put = put_traceevent(&at, types, end);
        if (!put)
            break;
    }
    *fast = at;
}

/* How many slots the traceevent there has. In a clean lap it is known to be whole. */
static uint32_t count_slots(const struct native_lap *lap, uint32_t index)
{
    const unsigned char *slot = native_lap_slot(lap, index);
    uint32_t n = 1;
    if (!lap->clean)
        return native_lap_event_slots(lap, index);
    if (native_head(slot) >> TLOG_STRUCT_SHIFT == TLOG_STRUCT_S)
        return 1;
    while (native_head(slot + (size_t)n * TLOG_SLOT_BYTES) >> TLOG_STRUCT_SHIFT != TLOG_STRUCT_CE)
        n++;
    return n + 1u;
}

/* Add the next traceevent, whatever it is, and learn its type. False if something else is to be made of it. */
static bool add_any(struct fast *at, struct native_decoder *decoder, const struct native_lap *lap)
{
    uint64_t stamp = native_stamp_from(at->stamp, native_low_stamp(at->slot));
    unsigned char data[QNX_SLOTS_MAX * QNX_SLOT_BYTES];
    uint32_t index = native_lap_index(lap, at->slot), n = count_slots(lap, index);
    struct qnx_event event;
    uint16_t type, size;
    if (n == 0 || stamp < at->from || stamp >= at->to || native_is_private(at->slot))
        return false;
    event = native_traceevent(lap, index, n, data);
    size = native_traceevent_payload(&decoder->types, decoder->trace, &event, at->data, &type);
    if (size > 0) {
        put_event(at, n, stamp, type, size);
        at->event++;
    } else {
        at->slot += (size_t)n * TLOG_SLOT_BYTES;
        at->stamp = stamp;
    }
    return true;
}

/* Whether the next slot is a traceevent's, and the batch has room for whatever becomes of it. */
static bool goes_on(const struct fast *at, const struct native_lap *lap, const struct trace_batch *batch)
{
    uint32_t index = native_lap_index(lap, at->slot);
    return index <= lap->last && at->event < batch->event + TRACE_BATCH_EVENTS
           && at->data <= batch->room + sizeof batch->room - QNX_PAYLOAD_MAX
           && native_lap_state(lap, index) == NATIVE_TRACEEVENT;
}

/* Make the stamps of events times. The scale reaches all of them. */
static void set_times(const struct native_scale *of, struct tlog_event *event, const struct tlog_event *end)
{
    const struct native_scale scale = *of;
    if (scale.told_hz <= TICKS_NS_PER_S) {
        for (; event < end; event++)
            event->time = native_scale_near(&scale, event->time);
        return;
    }
    for (; event < end; event++) {
        uint64_t stamp = event->time;
        event->time = native_scale_near(&scale, stamp);
        event->rest = ticks_rest(stamp, event->time, scale.told_hz);
    }
}

/* Add ordinary events of any kind. */
static void add_mixed(struct native_decoder *decoder, struct native_stream *stream, struct trace_batch *batch)
{
    const struct native_lap *lap = &stream->lap;
    struct fast at = {.from = stream->scale.base,
                      .to = end_of_reach(stream),
                      .stamp = stream->recent,
                      .slot = native_lap_slot(lap, stream->slot),
                      .whole = lap->clean,
                      .event = batch->event + batch->n,
                      .data = batch->room + batch->used};
    if (at.stamp < at.from)
        return;
    do {
        add_ordinary(&at, &decoder->types, count_sound(&at, lap, batch));
    } while (goes_on(&at, lap, batch) && add_any(&at, decoder, lap));
    if (at.event > batch->event + batch->n)
        stream->stamp = at.event[-1].time;
    set_times(&stream->scale, batch->event + batch->n, at.event);
    stream->recent = at.stamp;
    stream->slot = native_lap_index(lap, at.slot);
    batch->n = (size_t)(at.event - batch->event);
    batch->used = (size_t)(at.data - batch->room);
}

void native_fast_path(struct native_decoder *decoder, struct native_stream *stream, struct trace_batch *batch)
{
    size_t first = batch->n;
    if (stream->lap.records)
        add_records(decoder, stream, batch, last_ready(stream));
    else
        add_mixed(decoder, stream, batch);
    for (size_t i = first; stream->trace_group != 0 && i < batch->n; i++)
        batch->event[i].group = stream->trace_group;
}
