/* native_run.c - runs of ordinary events: see native_run.h.
 *
 * A lap of records alone has a loop of its own. In the other one all that is simple is made in two
 * loops, each of which finds its variables in registers: events with times in ticks, then the times.
 */
#include "native_run.h"

#include "native_traceevent.h"
#include "ticks.h"

#define SIMPLE_BYTES 16u /* payload of the largest simple event, aligned */

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
    uint64_t from, to; /* ticks of all its events, to excluded */
    uint64_t time;     /* of the last slot; not before from */
    uint32_t slot;
    struct trace_event *event; /* the next one, and its payload */
    unsigned char *data;
};

/* Where the scale's reach ends, or that of events that need not wait. */
static uint64_t reach_of(const struct native_stream *stream)
{
    uint64_t reach = stream->scale.base + NATIVE_SCALE_SPAN;

    return stream->until < reach ? stream->until + 1u : reach;
}

/* Slots from run->slot on that may each become a simple event: sound ones, for which the batch has room. */
static uint32_t count_sound(const struct run *run, const struct native_lap *lap, const struct trace_batch *batch)
{
    size_t events = (size_t)(batch->event + TRACE_BATCH_EVENTS - run->event);
    size_t room = (size_t)(batch->room + sizeof batch->room - run->data) / SIMPLE_BYTES;
    uint32_t n = (uint32_t)smaller(smaller(events, room), lap->last + 1u - run->slot);

    for (uint32_t i = 0; !lap->clean && i < n; i++) {
        if (lap->state[run->slot + i - 1u] > NATIVE_TRACEEVENT)
            return i;
    }
    return n;
}

static inline void set_event(struct trace_event *event, uint64_t ticks, const unsigned char *data, uint16_t type,
                             uint16_t size, uint8_t flags)
{
    *event = (struct trace_event){.time = ticks, .data = data, .type = type, .size = size, .flags = flags};
}

/* Put the payload of a simple event whose type tells all about it. Its size; 0 if it may be another event. */
static inline uint16_t put_simple(struct native_types *types, enum qnx_layout layout, const unsigned char *slot,
                                  uint32_t number, unsigned char *data)
{
    uint64_t words = get_le64(slot + 8);

    if (layout == QNX_EVENT_WORDS) {
        put_le32(data, number);
        put_le64(data + 4, words);
        return qnx_may_be_text(words) ? 0 : 12;
    }
    if (layout == QNX_WORDS) {
        put_le64(data, words);
        return 8;
    }
    if (layout != QNX_CONTEXT_WORDS)
        return 0;
    put_le32(data, qnx_context(&types->qnx, (uint32_t)words, (uint32_t)(words >> 32)));
    put_le64(data + 4, words);
    return 12;
}

/* Of n sound slots those that become events of one slot, without more than a look at their type. */
static void add_simple(struct run *run, struct native_types *types, const unsigned char *slot, uint32_t n)
{
    const unsigned char *first = slot, *end = slot + (size_t)n * TLOG_SLOT_BYTES;
    struct trace_event *event = run->event;
    unsigned char *data = run->data;
    uint64_t time = run->time;

    for (; slot < end; slot += TLOG_SLOT_BYTES, event++) {
        uint32_t word0 = get_le32(slot);

        if ((word0 & TLOG_CLASS_MASK) == 0) {
            uint16_t type = types->simple[word0 & TLOG_RECORD_CODE];
            uint64_t this = native_ticks(slot);

            if (type == SHARK_TYPE_NONE || this < run->from || this >= run->to)
                break;
            put_le32(data, word0 >> 16);
            put_le32(data + 4, get_le32(slot + 12));
            set_event(event, this, data, type, 8, word0 & TLOG_RECORD_FAST ? TRACE_UNCHECKED : 0);
            data += 8;
            time = this;
        } else {
            uint32_t number = native_traceevent_number(word0);
            const struct native_simple simple = types->traceevent[(word0 & TLOG_CLASS_MASK) | number];
            uint64_t this = time + (uint32_t)(get_le32(slot + 4) - (uint32_t)time);
            uint16_t size;

            if (this >= run->to || word0 >> TLOG_STRUCT_SHIFT != TLOG_STRUCT_S)
                break;
            size = put_simple(types, (enum qnx_layout)simple.layout, slot, number, data);
            if (size == 0)
                break;
            set_event(event, this, data, simple.type, size, 0);
            data += (size + 7u) & ~7u;
            time = this;
        }
    }
    run->slot += (uint32_t)((size_t)(slot - first) / TLOG_SLOT_BYTES);
    run->event = event;
    run->data = data;
    run->time = time;
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
    const unsigned char *slot = native_lap_slot(lap, run->slot);
    uint64_t time = native_time_from(run->time, get_le32(slot + 4));
    unsigned char slots[QNX_SLOTS_MAX * QNX_SLOT_BYTES];
    uint32_t n = combined(lap, run->slot);
    struct qnx_event event;
    uint16_t type, size;

    if (n == 0 || time < run->from || time >= run->to || native_is_private(slot))
        return false;
    event = native_traceevent(lap, run->slot, n, slots);
    size = native_payload(decoder, &event, run->data, &type);
    if (size > 0) {
        set_event(run->event++, time, run->data, type, size, 0);
        run->data += (size + 7u) & ~7u;
    }
    run->time = time;
    run->slot += n;
    return true;
}

/* Whether the next slot is a traceevent's, and there is room for whatever becomes of it. */
static bool goes_on(const struct run *run, const struct native_lap *lap, const struct trace_batch *batch)
{
    return run->slot <= lap->last && run->event < batch->event + TRACE_BATCH_EVENTS
           && run->data <= batch->room + sizeof batch->room - QNX_PAYLOAD_MAX
           && native_lap_state(lap, run->slot) == NATIVE_TRACEEVENT;
}

/* Whether the next slot begins a combine event: then none is simple before it. */
static bool is_combined(const struct run *run, const struct native_lap *lap)
{
    uint32_t word0 = run->slot <= lap->last ? get_le32(native_lap_slot(lap, run->slot)) : 0;

    return (word0 & TLOG_CLASS_MASK) != 0 && word0 >> TLOG_STRUCT_SHIFT != TLOG_STRUCT_S;
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
                      .slot = stream->slot,
                      .event = batch->event + batch->n,
                      .data = batch->room + batch->used};

    if (run.time < run.from)
        return;
    do {
        if (!is_combined(&run, lap))
            add_simple(&run, &decoder->types, native_lap_slot(lap, run.slot), count_sound(&run, lap, batch));
    } while (goes_on(&run, lap, batch) && add_any(&run, decoder, lap));
    if (run.event > batch->event + batch->n)
        stream->ticks = run.event[-1].time;
    set_times(&stream->scale, batch->event + batch->n, run.event);
    stream->recent = run.time;
    stream->slot = run.slot;
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
