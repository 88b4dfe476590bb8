/* run.c - runs of ordinary events: see run.h.
 *
 * A lap of records alone has a loop of its own. In the other one all that is simple is made in two
 * loops, each of which finds its variables in registers: events with times in ticks, then the times.
 */
#include "native/run.h"

#include "native/traceevent.h"
#include "model/ticks.h"

#include <string.h>

#define USER ((uint32_t)TLOG_TRACE_USER << TLOG_CLASS_SHIFT)

/* In the payload of a user event, behind its number: words, or the place of the text and that. */
#define USER_WORDS 4u
#define USER_TEXT  8u

/* ---- laps of records alone --------------------------------------------------------------------------------------- */

/* A clock above 1 GHz has several ticks in a ns. */
static void set_rests(const struct native_stream *stream, struct trace_event *event, size_t n)
{
    const unsigned char *slot = native_lap_slot(&stream->lap, stream->slot);

    for (size_t i = 0; i < n; i++, slot += TLOG_SLOT_BYTES)
        event[i].rest = ticks_rest(native_ticks(slot), event[i].time, stream->scale.hz);
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Records of ordinary codes from stream->slot to last, at most as many as fit and have times in the scale's reach. */
static void run_records(const struct native_decoder *decoder, struct native_stream *stream, struct trace_batch *batch,
                        uint32_t last)
{
    const unsigned char *slot = native_lap_slot(&stream->lap, stream->slot);
    const struct native_scale scale = stream->scale;
    size_t fit = smaller(TRACE_BATCH_EVENTS - batch->n, (sizeof batch->room - batch->used) / 8u);
    size_t n = smaller(last - stream->slot + 1u, fit), i;
    struct trace_event *event = batch->event + batch->n;
    unsigned char *data = batch->room + batch->used;
    uint64_t ticks = stream->ticks;

    for (i = 0; i < n; i++, slot += TLOG_SLOT_BYTES, data += 8) {
        uint32_t word0 = get_le32(slot);
        uint16_t type = decoder->types.simple[word0 & TLOG_RECORD_CODE];
        uint64_t time = native_ticks(slot);

        if (type == SHARK_TYPE_NONE || !native_scale_reaches(&scale, time))
            break;
        put_le32(data, word0 >> 16);
        put_le32(data + 4, get_le32(slot + 12));
        event[i] = (struct trace_event){.time = native_scale_near(&scale, time), .data = data, .type = type, .size = 8};
        event[i].flags = word0 & TLOG_RECORD_FAST ? TRACE_UNCHECKED : 0;
        ticks = time;
    }
    if (scale.hz > TICKS_NS_PER_S)
        set_rests(stream, event, i);
    stream->slot += (uint32_t)i;
    stream->ticks = ticks;
    stream->recent = i > 0 ? ticks : stream->recent;
    batch->n += i;
    batch->used += i * 8u;
}

/* Last of the lap's records that need not wait. They are in order of time, and the first one is among them. */
static uint32_t ready_end(const struct native_stream *stream)
{
    uint32_t low = stream->slot, high = stream->lap.last;

    if (stream->until == NATIVE_TIME_NEVER)
        return high;
    while (low < high) {
        uint32_t middle = low + (high - low + 1u) / 2u;

        if (native_ticks(native_lap_slot(&stream->lap, middle)) <= stream->until)
            low = middle;
        else
            high = middle - 1u;
    }
    return low;
}

/* ---- laps with traceevents, or with something wrong ------------------------------------------------------------------ */

/* Where a run stands. Until it ends its events have their times in ticks. */
struct run {
    uint64_t from, to;         /* ticks of all its events, to excluded */
    uint64_t time;             /* of the last slot; not before from */
    const unsigned char *slot; /* the next one */
    bool whole;                /* all combine events are */
    struct trace_event *event; /* the next one, and its payload */
    unsigned char *data;
};

/* Where the scale's reach ends, or that of events that need not wait. */
static uint64_t reach_of(const struct native_stream *stream)
{
    uint64_t reach = stream->scale.base + NATIVE_SCALE_SPAN;

    return stream->until < reach ? stream->until + 1u : reach;
}

/* Slots from the next one on that may each become a simple event: sound ones, for which the batch has room. */
static uint32_t count_sound(const struct run *run, const struct native_lap *lap, const struct trace_batch *batch)
{
    size_t events = (size_t)(batch->event + TRACE_BATCH_EVENTS - run->event);
    size_t room = (size_t)(batch->room + sizeof batch->room - run->data) / NATIVE_SLOT_BYTES;
    uint32_t index = native_lap_index(lap, run->slot);
    uint32_t n = (uint32_t)smaller(smaller(events, room), lap->last + 1u - index);

    for (uint32_t i = 0; !lap->clean && i < n; i++) {
        if (lap->state[index + i - 1u] > NATIVE_TRACEEVENT)
            return i;
    }
    return n;
}

/* Make the event whose payload of that size was put where run->data is, and pass its slots. */
static inline bool put_event(struct run *run, uint32_t slots, uint64_t ticks, uint16_t type, uint16_t size)
{
    *run->event = (struct trace_event){.time = ticks, .data = run->data, .type = type, .size = size};
    run->data += (size + 7u) & ~7u;
    run->slot += (size_t)slots * TLOG_SLOT_BYTES;
    run->time = ticks;
    return true;
}

/* Put the next slot's record, if its code and time are ordinary. */
static inline bool put_record(struct run *run, const struct native_types *types)
{
    uint32_t word0 = get_le32(run->slot);
    uint16_t type = types->simple[word0 & TLOG_RECORD_CODE];
    uint64_t time = native_ticks(run->slot);

    if (type == SHARK_TYPE_NONE || time < run->from || time >= run->to)
        return false;
    put_le32(run->data, word0 >> 16);
    put_le32(run->data + 4, get_le32(run->slot + 12));
    put_event(run, 1, time, type, 8);
    run->event->flags = word0 & TLOG_RECORD_FAST ? TRACE_UNCHECKED : 0;
    return true;
}

/* ---- traceevents ------------------------------------------------------------------------------------------------- */

static inline void put_text_at(unsigned char *data, uint32_t number, uint32_t length)
{
    put_le32(data, number);
    put_le32(data + 4, USER_TEXT | (length + 1u) << 16);
}

/* Put a user event of one slot, unless it may be one of a type that has not come before. */
static inline bool put_user(struct run *run, const struct native_types *types, uint64_t time, uint32_t number)
{
    uint64_t words = get_le64(run->slot + 8);
    unsigned length = qnx_short_text(words);
    uint16_t type = length == 0 ? types->user_words[1] : types->user_text;

    if (length == QNX_TEXT_OTHER || type == SHARK_TYPE_NONE)
        return false;
    if (length == 0) {
        put_le32(run->data, number);
        put_le64(run->data + USER_WORDS, words);
        return put_event(run, 1, time, type, 12);
    }
    put_text_at(run->data, number, length);
    put_le64(run->data + USER_TEXT, words);
    return put_event(run, 1, time, type, 16);
}

/* Copy the data of a combine event's slots before end together. How many it has; 0: not there, or too many. */
static uint32_t gather(const unsigned char *slot, const unsigned char *end, unsigned char *to)
{
    for (uint32_t n = 1; n <= QNX_WORDS_SLOTS && slot < end; n++, slot += TLOG_SLOT_BYTES, to += 8) {
        put_le64(to, get_le64(slot + 8));
        if (get_le32(slot) >> TLOG_STRUCT_SHIFT == TLOG_STRUCT_CE)
            return n;
    }
    return 0;
}

/* Put a user event of several slots, if it is whole before end. */
static bool put_users(struct run *run, const struct native_types *types, uint64_t time, uint32_t number,
                      const unsigned char *end)
{
    bool may_be_text = qnx_may_be_text(get_le32(run->slot + 8));
    unsigned char *data = run->data + (may_be_text ? USER_TEXT : USER_WORDS);
    uint32_t n = gather(run->slot, end, data);
    int length = n > 0 && may_be_text ? qnx_user_text(data, n) : -1;
    uint16_t type = length < 0 ? types->user_words[n] : types->user_text;

    if (type == SHARK_TYPE_NONE)
        return false;
    if (length >= 0) {
        put_text_at(run->data, number, (uint32_t)length);
        return put_event(run, n, time, type, (uint16_t)(USER_TEXT + (((uint32_t)length + 4u) & ~3u)));
    }
    put_le32(run->data, number);
    if (may_be_text)
        memmove(run->data + USER_WORDS, data, (size_t)8u * n);
    return put_event(run, n, time, type, (uint16_t)(USER_WORDS + 8u * n));
}

/* Put an event of one slot that is of another class, if its type tells all about it. Event: class and number. */
static inline bool put_simple(struct run *run, struct native_types *types, uint64_t time, uint32_t event)
{
    const struct native_simple simple = types->traceevent[event];
    uint64_t words = get_le64(run->slot + 8);
    unsigned char *data = run->data;

    switch (simple.layout) {
    case QNX_WORDS:
        put_le64(data, words);
        return put_event(run, 1, time, simple.type, 8);
    case QNX_CONTEXT_WORDS:
        put_le32(data, qnx_context(&types->qnx, (uint32_t)words, (uint32_t)(words >> 32)));
        put_le64(data + 4, words);
        return put_event(run, 1, time, simple.type, 12);
    case QNX_WORDS_EMPTY_TEXT:
        put_le64(data, words);
        put_le64(data + 8, 12u | 1u << 16);
        return put_event(run, 1, time, simple.type, 16);
    case QNX_CLASS_EVENT_WORDS:
        put_le32(data, event >> TLOG_CLASS_SHIFT);
        put_le32(data + 4, event & (_TRACE_MAX_EVENT_NUM - 1u));
        put_le64(data + 8, words);
        return put_event(run, 1, time, simple.type, 16);
    default:
        return false;
    }
}

/* Make the words of an event the payload of its type. Its context, if it has one, is the thread's that the first two words
 * name. */
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

/* The same for one of several slots, if it is whole before end. */
static bool put_wide(struct run *run, struct native_types *types, uint64_t time, uint32_t class, uint32_t number,
                     const unsigned char *end)
{
    unsigned char words[QNX_WORDS_SLOTS * QNX_SLOT_BYTES];
    struct qnx_event event = {class >> TLOG_CLASS_SHIFT, number, gather(run->slot, end, words), words, false};
    const struct native_wide *wide = &types->wide[event.slots][class | number];
    bool unknown = wide->layout == QNX_CLASS_EVENT_DATA;

    if (wide->size == 0)
        return false;
    if (unknown || wide->layout == QNX_DATA)
        qnx_put_data(&types->qnx, &event, unknown, unknown, run->data);
    else
        put_words(types, wide, &event, run->data);
    return put_event(run, event.slots, time, wide->type, wide->size);
}

/* Put the traceevent in the next slots before end, if that takes no more than a look at its type. */
static inline bool put_traceevent(struct run *run, struct native_types *types, const unsigned char *end)
{
    uint32_t word0 = get_le32(run->slot), class = word0 & TLOG_CLASS_MASK, number = native_traceevent_number(word0);
    uint64_t time = run->time + (uint32_t)(get_le32(run->slot + 4) - (uint32_t)run->time);

    if (time >= run->to)
        return false;
    if (word0 >> TLOG_STRUCT_SHIFT == TLOG_STRUCT_S)
        return class == USER ? put_user(run, types, time, number) : put_simple(run, types, time, class | number);
    if (!run->whole)
        return false;
    return class == USER ? put_users(run, types, time, number, end) : put_wide(run, types, time, class, number, end);
}

/* Of n sound slots those that become events without more than a look at their type: simple ones, and whole ones of users. */
static void add_ordinary(struct run *run, struct native_types *types, uint32_t n)
{
    const unsigned char *end = run->slot + (size_t)n * TLOG_SLOT_BYTES;
    struct run at = *run;
    bool put;

    for (; at.slot < end; at.event++) {
        if ((get_le32(at.slot) & TLOG_CLASS_MASK) == 0)
            put = put_record(&at, types);
        else
            put = put_traceevent(&at, types, end);
        if (!put)
            break;
    }
    *run = at;
}

/* Slots of the traceevent there. In a clean lap it is known to be whole. */
static uint32_t combined(const struct native_lap *lap, uint32_t index)
{
    const unsigned char *slot = native_lap_slot(lap, index);
    uint32_t n = 1;

    if (!lap->clean)
        return native_combined(lap, index);
    if (get_le32(slot) >> TLOG_STRUCT_SHIFT == TLOG_STRUCT_S)
        return 1;
    while (get_le32(slot + (size_t)n * TLOG_SLOT_BYTES) >> TLOG_STRUCT_SHIFT != TLOG_STRUCT_CE)
        n++;
    return n + 1u;
}

/* The next traceevent, if it is one to viewers. */
static bool add_any(struct run *run, struct native_decoder *decoder, const struct native_lap *lap)
{
    uint64_t time = native_time_from(run->time, get_le32(run->slot + 4));
    unsigned char slots[QNX_SLOTS_MAX * QNX_SLOT_BYTES];
    uint32_t index = native_lap_index(lap, run->slot), n = combined(lap, index);
    struct qnx_event event;
    uint16_t type, size;

    if (n == 0 || time < run->from || time >= run->to || native_is_private(run->slot))
        return false;
    event = native_traceevent(lap, index, n, slots);
    size = native_payload(decoder, &event, run->data, &type);
    if (size > 0) {
        put_event(run, n, time, type, size);
        run->event++;
    } else {
        run->slot += (size_t)n * TLOG_SLOT_BYTES;
        run->time = time;
    }
    return true;
}

/* Whether the next slot is a traceevent's, and there is room for whatever becomes of it. */
static bool goes_on(const struct run *run, const struct native_lap *lap, const struct trace_batch *batch)
{
    uint32_t index = native_lap_index(lap, run->slot);

    return index <= lap->last && run->event < batch->event + TRACE_BATCH_EVENTS
           && run->data <= batch->room + sizeof batch->room - QNX_PAYLOAD_MAX
           && native_lap_state(lap, index) == NATIVE_TRACEEVENT;
}

/* From ticks to ns, all of which the scale reaches. */
static void set_times(const struct native_scale *of, struct trace_event *event, const struct trace_event *end)
{
    const struct native_scale scale = *of;

    if (scale.hz <= TICKS_NS_PER_S) {
        for (; event < end; event++)
            event->time = native_scale_near(&scale, event->time);
        return;
    }
    for (; event < end; event++) {
        uint64_t ticks = event->time;

        event->time = native_scale_near(&scale, ticks);
        event->rest = ticks_rest(ticks, event->time, scale.hz);
    }
}

static void run_mixed(struct native_decoder *decoder, struct native_stream *stream, struct trace_batch *batch)
{
    const struct native_lap *lap = &stream->lap;
    struct run run = {.from = stream->scale.base,
                      .to = reach_of(stream),
                      .time = stream->recent,
                      .slot = native_lap_slot(lap, stream->slot),
                      .whole = lap->clean,
                      .event = batch->event + batch->n,
                      .data = batch->room + batch->used};

    if (run.time < run.from)
        return;
    do {
        add_ordinary(&run, &decoder->types, count_sound(&run, lap, batch));
    } while (goes_on(&run, lap, batch) && add_any(&run, decoder, lap));
    if (run.event > batch->event + batch->n)
        stream->ticks = run.event[-1].time;
    set_times(&stream->scale, batch->event + batch->n, run.event);
    stream->recent = run.time;
    stream->slot = native_lap_index(lap, run.slot);
    batch->n = (size_t)(run.event - batch->event);
    batch->used = (size_t)(run.data - batch->room);
}

/* ---- interface --------------------------------------------------------------------------------------------------- */

void native_run(struct native_decoder *decoder, struct native_stream *stream, struct trace_batch *batch)
{
    size_t first = batch->n;

    if (stream->lap.records)
        run_records(decoder, stream, batch, ready_end(stream));
    else
        run_mixed(decoder, stream, batch);
    for (size_t i = first; stream->group != 0 && i < batch->n; i++)
        batch->event[i].group = stream->group;
}
