/* native_run.c - runs of ordinary events: see native_run.h.
 *
 * A lap of records alone has a loop of its own. In the other one the run is a structure that never leaves the registers.
 */
#include "native_run.h"

#include "native_traceevent.h"
#include "ticks.h"

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

struct run {
    struct native_scale scale;
    uint64_t reach; /* events are less than so many ticks behind the scale's base */
    uint64_t time;  /* of the last slot, in ticks */
    uint64_t ticks; /* of the last event */
    uint32_t slot;
    struct trace_event *event; /* the next one, and its payload */
    unsigned char *data;
};

/* How far the scale reaches, but not to events that must wait. */
static uint64_t reach_of(const struct native_stream *stream)
{
    uint64_t ready = stream->until - stream->scale.base;

    if (stream->until < stream->scale.base)
        return 0;
    return ready < NATIVE_SCALE_SPAN ? ready + 1u : NATIVE_SCALE_SPAN;
}

static inline void add(struct run *run, uint64_t time, uint16_t type, uint16_t size, uint8_t flags)
{
    uint64_t ns = native_scale_near(&run->scale, time);

    *run->event = (struct trace_event){.time = ns, .data = run->data, .type = type, .size = size, .flags = flags};
    if (run->scale.hz > TICKS_NS_PER_S)
        run->event->rest = ticks_rest(time, ns, run->scale.hz);
    run->event++;
    run->data += (size + 7u) & ~7u;
    run->time = run->ticks = time;
}

static inline bool add_record(struct run *run, const struct native_types *types, const unsigned char *slot)
{
    uint32_t word0 = get_le32(slot);
    uint16_t type = types->simple[word0 & TLOG_RECORD_CODE];
    uint64_t time = native_ticks(slot);

    if (type == SHARK_TYPE_NONE || time - run->scale.base >= run->reach)
        return false;
    put_le32(run->data, word0 >> 16);
    put_le32(run->data + 4, get_le32(slot + 12));
    add(run, time, type, 8, word0 & TLOG_RECORD_FAST ? TRACE_UNCHECKED : 0);
    run->slot++;
    return true;
}

/* A simple event of a type whose payload is its two words, perhaps with something before them. */
static inline bool add_simple(struct run *run, struct native_types *types, const unsigned char *slot, uint64_t time)
{
    uint32_t class = native_traceevent_class(get_le32(slot)), number = native_traceevent_number(get_le32(slot));
    const struct qnx_simple simple = types->traceevent[class * _TRACE_MAX_EVENT_NUM + number];
    uint64_t words = get_le64(slot + 8);
    unsigned char *data = run->data;

    switch (simple.layout) {
    case QNX_WORDS:
        break;
    case QNX_EVENT_WORDS:
        if (qnx_may_be_text(words))
            return false;
        put_le32(data, number);
        data += 4;
        break;
    case QNX_CONTEXT_WORDS:
        put_le32(data, qnx_context(&types->qnx, (uint32_t)words, (uint32_t)(words >> 32)));
        data += 4;
        break;
    default:
        return false;
    }
    put_le64(data, words);
    add(run, time, simple.type, (uint16_t)(data + 8 - run->data), 0);
    run->slot++;
    return true;
}

/* Any event but those that are none to others. */
static bool add_any(struct run *run, struct native_decoder *decoder, const struct native_lap *lap, uint64_t time)
{
    unsigned char slots[QNX_SLOTS_MAX * QNX_SLOT_BYTES];
    uint32_t n = native_combined(lap, run->slot);
    struct qnx_event event;
    uint16_t type, size;

    if (n == 0)
        return false;
    event = native_traceevent(lap, run->slot, n, slots);
    size = native_payload(decoder, &event, run->data, &type);
    if (size > 0)
        add(run, time, type, size, 0);
    run->time = time;
    run->slot += n;
    return true;
}

static inline bool add_traceevent(struct run *run, struct native_decoder *decoder, const struct native_lap *lap,
                                  const unsigned char *slot)
{
    uint64_t time = native_time_from(run->time, get_le32(slot + 4));

    if (time - run->scale.base >= run->reach)
        return false;
    if (get_le32(slot) >> TLOG_STRUCT_SHIFT == TLOG_STRUCT_S && add_simple(run, &decoder->types, slot, time))
        return true;
    return !native_is_private(slot) && add_any(run, decoder, lap, time);
}

static void run_mixed(struct native_decoder *decoder, struct native_stream *stream, struct trace_batch *batch)
{
    const struct native_lap *lap = &stream->lap;
    const struct trace_event *events_end = batch->event + TRACE_BATCH_EVENTS;
    const unsigned char *room_end = batch->room + sizeof batch->room - QNX_PAYLOAD_MAX;
    struct run run = {.scale = stream->scale,
                      .reach = reach_of(stream),
                      .time = stream->recent,
                      .ticks = stream->ticks,
                      .slot = stream->slot,
                      .event = batch->event + batch->n,
                      .data = batch->room + batch->used};
    bool more = true;

    while (more && run.slot <= lap->last && run.event < events_end && run.data <= room_end) {
        const unsigned char *slot = native_lap_slot(lap, run.slot);

        switch (native_lap_state(lap, run.slot)) {
        case NATIVE_RECORD:
            more = add_record(&run, &decoder->types, slot);
            break;
        case NATIVE_TRACEEVENT:
            more = add_traceevent(&run, decoder, lap, slot);
            break;
        default:
            more = false;
        }
    }
    stream->recent = run.time;
    stream->ticks = run.ticks;
    stream->slot = run.slot;
    batch->n = (size_t)(run.event - batch->event);
    batch->used = (size_t)(run.data - batch->room);
}

/* ---- interface --------------------------------------------------------------------------------------------------- */

void native_run(struct native_decoder *decoder, struct native_stream *stream, struct trace_batch *batch)
{
    if (stream->lap.records)
        run_records(decoder, stream, batch, ready_end(stream));
    else
        run_mixed(decoder, stream, batch);
}
