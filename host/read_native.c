/* read_native.c - tlog's own dumps: from slots to events. Format: target/FORMAT.md.
 *
 *   native_find    headers in the input        native_index   which laps there are, in the order of time
 *   native_view    an image in memory, unpacked if it is a compressed region
 *   native_image   one chunk image, its seal   native_lap     which slots of a lap are events
 *
 * Every record becomes the event its code names, with both parameters even where the code gives one no meaning. What is
 * not there becomes a loss or damage event with its count, just before the next event. A loss that the firmware reports
 * itself stands before the blackout_start record where that begins.
 */
#include "native_lap.h"
#include "native_scale.h"
#include "native_types.h"
#include "ticks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Events that one slot may add to a batch: a loss and damage, a blackout_start that was held back, the loss again and
 * damage at the end, and the slot's own. */
#define EVENTS_PER_SLOT 6u
#define EVENT_BYTES     24u /* payload of the largest, aligned */

/* ---- state ------------------------------------------------------------------------------------------------------- */

/* A record in the order of its words. */
struct record {
    uint64_t ticks;
    uint32_t code, par1, par2;
    bool fast;
};

struct lane {
    struct native_lap lap;
    uint32_t slot;   /* next slot of the lap; behind its last one: the lap is done */
    size_t at, end;  /* segments still to come */
    uint64_t ticks;  /* time of the last event given out */
    uint64_t recent; /* time that the next traceevent slot is counted from */
    uint64_t place;  /* of the lap that should come next, and its slot */
    uint32_t place_slot;
    struct native_scale scale;
    uint64_t loss, damage; /* events that are missing before the next one */
    bool held;             /* start is still to be given out, when it is known whether blackout_end follows */
    bool ended;
    struct record start; /* a blackout_start record */
};

struct native_reader {
    struct trace *trace;
    struct input *input;
    struct native_index index;
    struct native_loader loader;
    struct native_view view; /* of open() */
    struct native_types types;
    struct lane lane[NATIVE_LANES];
};

/* ---- giving out events ---------------------------------------------------------------------------------------------
 */

static unsigned char *emit(struct lane *lane, struct trace_batch *batch, uint16_t type, uint16_t size, uint64_t ticks)
{
    unsigned char *data = batch->room + batch->used;
    uint64_t ns = native_scale_ns(&lane->scale, ticks);

    batch->used += (size + 7u) & ~7u;
    batch->event[batch->n++] = (struct trace_event){
        .time = ns, .data = data, .type = type, .size = size, .rest = ticks_rest(ticks, ns, lane->scale.hz)};
    lane->ticks = ticks;
    return data;
}

/* What is missing before an event at ticks. */
static void emit_gaps(const struct native_reader *reader, struct lane *lane, struct trace_batch *batch, uint64_t ticks)
{
    if (lane->loss > 0)
        put_le64(emit(lane, batch, reader->types.shark.loss, 8, ticks), lane->loss);
    if (lane->damage > 0)
        put_le64(emit(lane, batch, reader->types.shark.damage, 8, ticks), lane->damage);
    lane->loss = lane->damage = 0;
}

static void emit_record(const struct native_reader *reader, struct lane *lane, struct trace_batch *batch,
                        const struct record *record)
{
    const struct shark_types *types = &reader->types.shark;
    unsigned char data[SHARK_PAYLOAD_MAX];
    uint16_t size = shark_payload(types, data, record->code, record->par1, record->par2);

    emit_gaps(reader, lane, batch, record->ticks);
    memcpy(emit(lane, batch, shark_type(types, record->code), size, record->ticks), data, size);
    batch->event[batch->n - 1u].flags = record->fast ? TRACE_UNCHECKED : 0;
}

static void release_start(const struct native_reader *reader, struct lane *lane, struct trace_batch *batch)
{
    if (lane->held)
        emit_record(reader, lane, batch, &lane->start);
    lane->held = false;
}

static void take_record(struct native_reader *reader, struct lane *lane, struct trace_batch *batch,
                        const unsigned char *slot)
{
    uint32_t word0 = get_le32(slot);
    struct record record = {native_ticks(slot), word0 & TLOG_RECORD_CODE, word0 >> 16, get_le32(slot + 12),
                            word0 & TLOG_RECORD_FAST};

    if (record.code == FTrace_EVT_blackout_end) {
        lane->loss += record.par2;
        if (!reader->index.lane[lane - reader->lane].has_dropped)
            reader->trace->counts.dropped += record.par2;
    }
    lane->recent = record.ticks;
    release_start(reader, lane, batch);
    if (record.code == FTrace_EVT_blackout_start) {
        lane->held = true;
        lane->start = record;
        lane->ticks = record.ticks;
        return;
    }
    emit_record(reader, lane, batch, &record);
}

/* A clock above 1 GHz has several ticks in a ns. */
static void set_rests(const struct lane *lane, struct trace_event *event, size_t n)
{
    const unsigned char *slot = native_lap_slot(&lane->lap, lane->slot);

    for (size_t i = 0; i < n; i++, slot += TLOG_SLOT_BYTES)
        event[i].rest = ticks_rest(native_ticks(slot), event[i].time, lane->scale.hz);
}

/* Records of ordinary codes from lane->slot to last, at most as many as fit and have times in the scale's reach.
 * Nothing is missing before them. */
static void emit_run(const struct native_reader *reader, struct lane *lane, struct trace_batch *batch, uint32_t last)
{
    const unsigned char *slot = native_lap_slot(&lane->lap, lane->slot);
    const struct native_scale scale = lane->scale;
    size_t n = last - lane->slot + 1u, fit = TRACE_BATCH_EVENTS - batch->n, i;
    struct trace_event *event = batch->event + batch->n;
    unsigned char *data = batch->room + batch->used;
    uint64_t ticks = lane->ticks;

    n = n < fit ? n : fit;
    for (i = 0; i < n; i++, slot += TLOG_SLOT_BYTES, data += 8) {
        uint32_t word0 = get_le32(slot);
        uint16_t type = reader->types.simple[word0 & TLOG_RECORD_CODE];
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
        set_rests(lane, event, i);
    lane->slot += (uint32_t)i;
    lane->ticks = ticks;
    lane->recent = i > 0 ? ticks : lane->recent;
    batch->n += i;
    batch->used += i * 8u;
}

/* ---- traceevent slots
 * ------------------------------------------------------------------------------------------------ */

static uint32_t traceevent_number(uint32_t word0)
{
    return (word0 >> TLOG_EVENT_HIGH_SHIFT & TLOG_EVENT_HIGH_MASK) << 8 | (word0 & TLOG_EVENT_LOW);
}

static bool is_name(const unsigned char *slot)
{
    uint32_t word0 = get_le32(slot);

    return (word0 & TLOG_CLASS_MASK) == TLOG_CLASS_CONTROL << TLOG_CLASS_SHIFT
           && traceevent_number(word0) == TLOG_CONTROL_NAME;
}

/* A CONTROL NAME of n slots. */
static void take_name(struct trace *trace, const struct lane *lane, uint32_t n)
{
    static const enum trace_name_kind kinds[] = {
        [TLOG_NAME_TASK] = TRACE_NAME_TASK,
        [TLOG_NAME_INTERRUPT] = TRACE_NAME_IRQ,
        [TLOG_NAME_MUTEX] = TRACE_NAME_MUTEX,
        [TLOG_NAME_EVENT] = TRACE_NAME_EVENT,
    };
    char text[8u + TLOG_NAME_BYTES + 1u] = "";
    uint32_t what;

    for (uint32_t i = 0; i < n && 8u * i + 8u < sizeof text; i++)
        memcpy(text + 8u * i, native_lap_slot(&lane->lap, lane->slot + i) + 8, 8);
    what = get_le32(text);
    if (what >> 16 >= TLOG_NAME_TASK && what >> 16 <= TLOG_NAME_EVENT)
        trace_set_name(trace, kinds[what >> 16], what & 0xFFFFu, text + 4);
}

static void emit_traceevent(const struct native_reader *reader, struct lane *lane, struct trace_batch *batch,
                            const unsigned char *slot, uint64_t ticks)
{
    uint32_t word0 = get_le32(slot);
    unsigned char *data;

    emit_gaps(reader, lane, batch, ticks);
    data = emit(lane, batch, reader->types.traceevent, 20, ticks);
    put_le32(data, (word0 & TLOG_CLASS_MASK) >> TLOG_CLASS_SHIFT);
    put_le32(data + 4, traceevent_number(word0));
    put_le32(data + 8, word0 >> TLOG_STRUCT_SHIFT);
    put_le32(data + 12, get_le32(slot + 8));
    put_le32(data + 16, get_le32(slot + 12));
}

/* Returns how many slots were taken: names of several slots are taken whole. */
static uint32_t take_traceevent(struct native_reader *reader, struct lane *lane, struct trace_batch *batch,
                                const unsigned char *slot)
{
    uint32_t n = native_combined(&lane->lap, lane->slot);

    lane->recent = native_time_from(lane->recent, get_le32(slot + 4));

    if (is_name(slot) && n > 0) {
        take_name(reader->trace, lane, n);
        return n;
    }
    release_start(reader, lane, batch);
    emit_traceevent(reader, lane, batch, slot, lane->recent);
    return 1;
}

/* ---- slots and laps
 * -------------------------------------------------------------------------------------------------- */

/* Events are missing here: a loss that the firmware reports later comes after them. */
static void miss(struct native_reader *reader, struct lane *lane, struct trace_batch *batch, enum native_slot slot,
                 uint64_t n)
{
    if (n == 0)
        return;
    release_start(reader, lane, batch);
    if (slot == NATIVE_ABSENT) {
        lane->loss += n;
        reader->trace->counts.overwritten += lane == &reader->lane[NATIVE_LANE_NAMES] ? 0 : n;
    } else {
        lane->damage += n;
        reader->trace->counts.damaged += n;
    }
}

static enum native_slot slot_state(const struct native_lap *lap, uint32_t index)
{
    return lap->clean ? NATIVE_RECORD : (enum native_slot)lap->state[index - 1u];
}

static void take_slot(struct native_reader *reader, struct lane *lane, struct trace_batch *batch)
{
    const unsigned char *slot = native_lap_slot(&lane->lap, lane->slot);
    enum native_slot state = slot_state(&lane->lap, lane->slot);
    uint32_t n = 1;

    switch (state) {
    case NATIVE_RECORD:
        take_record(reader, lane, batch, slot);
        break;
    case NATIVE_TRACEEVENT:
        n = take_traceevent(reader, lane, batch, slot);
        break;
    case NATIVE_UNFINISHED:
        reader->trace->counts.unfinished++;
        break;
    case NATIVE_DAMAGED:
    case NATIVE_ABSENT:
        miss(reader, lane, batch, state, 1);
        break;
    }
    lane->slot += n;
}

/* Last of the records from lane->slot on that stand side by side. */
static uint32_t run_end(const struct lane *lane)
{
    uint32_t last = lane->slot;

    if (lane->lap.clean)
        return lane->lap.last;
    while (last <= lane->lap.last && lane->lap.state[last - 1u] == NATIVE_RECORD)
        last++;
    return last - 1u;
}

static void take_slots(struct native_reader *reader, struct lane *lane, struct trace_batch *batch)
{
    uint32_t before = lane->slot;

    if (!lane->held && lane->loss == 0 && lane->damage == 0 && slot_state(&lane->lap, lane->slot) == NATIVE_RECORD)
        emit_run(reader, lane, batch, run_end(lane));
    if (lane->slot == before)
        take_slot(reader, lane, batch);
}

/* How many events, by the laps' places in the ring, should have come between the last lap and this one. */
static void account(struct native_reader *reader, struct lane *lane, struct trace_batch *batch, uint32_t chunks,
                    const struct native_image *image)
{
    uint64_t place = (uint64_t)(lane->lap.lap - 1u) * chunks + lane->lap.number;
    uint64_t slots = image->slots, expected = lane->place * slots + lane->place_slot;
    uint64_t found = place * slots + lane->lap.first;

    if (found >= expected)
        miss(reader, lane, batch, NATIVE_ABSENT, found - expected);
    else
        trace_damage(reader->trace, native_place(image, TLOG_CURSOR_OFFSET), 0, 0,
                     "the laps of CPU %u contradict their times: what was overwritten is uncertain", native_cpu(image));
    lane->place = place;
    lane->place_slot = lane->lap.last + 1u;
}

/* Load the next lap: 1, 0 if there is none, -1 on failure. */
static int next_lap(struct native_reader *reader, struct lane *lane)
{
    const struct native_index *index = &reader->index;
    const struct native_segment *segment = &index->segments[lane->at];
    struct native_span span = {lane->ticks, UINT64_MAX};
    size_t n;

    if (lane->at == lane->end)
        return 0;
    n = native_lap_segments(index, lane->at, lane->end);
    if (lane->at + n < lane->end && index->images[segment[n].image].time[segment[n].which] != NATIVE_TIME_UNKNOWN)
        span.to = segment[n].time;
    if (native_lap_load(&reader->loader, &lane->lap, segment, n, span) != 0)
        return -1;
    lane->at += n;
    lane->slot = lane->lap.first;
    lane->recent = lane->lap.lead;
    return 1;
}

/* ---- a lane ------------------------------------------------------------------------------------------------------ */

static void lane_start(struct native_reader *reader, unsigned number)
{
    struct lane *lane = &reader->lane[number];
    const struct native_lane *from = &reader->index.lane[number];

    lane->lap.view.trace = reader->trace;
    lane->lap.view.in = reader->input;
    lane->at = from->first;
    lane->end = from->first + from->n;
    lane->slot = 1;
    lane->lap.last = 0;
    lane->ticks = 0;
    lane->place = 0;
    lane->place_slot = 1;
}

/* What is still to be said after the last slot. */
static void lane_finish(struct native_reader *reader, struct lane *lane, struct trace_batch *batch)
{
    if (lane->ended)
        return;
    lane->ended = true;
    release_start(reader, lane, batch);
    lane->loss += reader->index.lane[lane - reader->lane].unreported;
    emit_gaps(reader, lane, batch, lane->ticks);
}

static bool has_room(const struct trace_batch *batch)
{
    return batch->n + EVENTS_PER_SLOT <= TRACE_BATCH_EVENTS
           && batch->used + (size_t)EVENTS_PER_SLOT * EVENT_BYTES <= sizeof batch->room;
}

static int lane_read(struct native_reader *reader, struct lane *lane, struct trace_batch *batch)
{
    size_t number = (size_t)(lane - reader->lane);

    batch->n = batch->used = 0;
    while (has_room(batch)) {
        int more = 1;

        if (lane->slot <= lane->lap.last) {
            take_slots(reader, lane, batch);
            continue;
        }
        more = next_lap(reader, lane);
        if (more < 0)
            return -1;
        if (more == 0) {
            lane_finish(reader, lane, batch);
            break;
        }
        if (number != NATIVE_LANE_NAMES)
            account(reader, lane, batch, reader->index.lane[number].chunks,
                    &reader->index.images[reader->index.segments[lane->at - 1u].image]);
    }
    return batch->n > 0;
}

static void lane_free(struct lane *lane)
{
    native_lap_free(&lane->lap);
    memset(lane, 0, sizeof *lane);
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

/* Ticks per ms from the first record of the loaded lap that tells them, or 0. */
static uint32_t clock_in_lap(const struct native_lap *lap)
{
    for (uint32_t i = lap->first; i <= lap->last; i++) {
        const unsigned char *slot = native_lap_slot(lap, i);
        uint32_t code = get_le32(slot) & TLOG_RECORD_CODE;

        if (slot_state(lap, i) == NATIVE_RECORD
            && (code == FTrace_EVT_cycles_per_msec || code == FTrace_EVT_trace_start) && get_le32(slot + 12) != 0)
            return get_le32(slot + 12);
    }
    return 0;
}

static uint32_t clock_in_lane(struct native_reader *reader, struct lane *lane)
{
    uint32_t ticks = 0;

    while (ticks == 0 && next_lap(reader, lane) > 0)
        ticks = clock_in_lap(&lane->lap);
    return ticks;
}

/* The headers do not tell the clock: look for a record that does. What is damaged is said when it is decoded. */
static uint64_t search_clock(struct native_reader *reader)
{
    struct trace *trace = reader->trace;
    struct trace_counts counts = trace->counts;
    bool quiet = trace->quiet;
    uint64_t ticks = 0;

    trace->quiet = true;
    for (unsigned cpu = 0; cpu < trace->ncpus && ticks == 0; cpu++) {
        ticks = clock_in_lane(reader, &reader->lane[cpu]);
        lane_start(reader, cpu);
    }
    trace->counts = counts;
    trace->quiet = quiet;
    return ticks * 1000u;
}

static void set_clocks(struct native_reader *reader)
{
    struct trace *trace = reader->trace;
    uint64_t found = 0;
    bool searched = false;

    for (unsigned cpu = 0; cpu < trace->ncpus; cpu++) {
        uint64_t hz = reader->index.lane[cpu].freq;

        if (hz == 0 && reader->index.lane[cpu].n > 0 && !searched) {
            found = search_clock(reader);
            found = found ? found : trace->clock_hz_given;
            searched = true;
            if (found == 0 && !trace->quiet)
                fprintf(stderr, "tlog-decode: %s: clock frequency unknown: times are ticks; --clock-hz=N tells it\n",
                        trace->input_name);
        }
        hz = hz ? hz : found;
        native_scale_set(&reader->lane[cpu].scale, hz);
        trace->clock_hz = trace->clock_hz ? trace->clock_hz : hz;
    }
    native_scale_set(&reader->lane[NATIVE_LANE_NAMES].scale, 0);
}

/* Names are known before the first event: viewers want them at the head of a file. */
static int read_names(struct native_reader *reader)
{
    struct lane *lane = &reader->lane[NATIVE_LANE_NAMES];
    struct trace *trace = reader->trace;
    struct trace_batch *batch = malloc(sizeof *batch);
    int got;

    if (batch == NULL)
        return trace_fail(trace, "%s: no memory", trace->input_name);
    do {
        got = lane_read(reader, lane, batch);
    } while (got > 0);
    free(batch);
    lane_free(lane);
    if (got == 0 && reader->index.lane[NATIVE_LANE_NAMES].dropped > 0 && !trace->quiet)
        fprintf(stderr, "tlog-decode: %s: %u names were lost for want of room on the target\n", trace->input_name,
                (unsigned)reader->index.lane[NATIVE_LANE_NAMES].dropped);
    return got;
}

/* The firmware whose run is decoded is in the header of each of its chunks. */
static void read_build(struct native_reader *reader)
{
    const struct native_image *image = &reader->index.images[0];
    struct native_header header;

    if (reader->index.n > 0 && native_find(reader->input, image->offset, image->offset + 1u, &header) == NATIVE_HEADER)
        memcpy(reader->trace->build, header.bytes + offsetof(struct tlog_chunk, build), TRACE_BUILD_BYTES);
}

static int open_all(struct native_reader *reader)
{
    struct trace *trace = reader->trace;

    if (native_index_build(&reader->index, &reader->view) != 0)
        return -1;
    read_build(reader);
    trace->ncpus = reader->index.ncpus;
    for (unsigned i = 0; i < NATIVE_LANES; i++)
        lane_start(reader, i);
    for (unsigned cpu = 0; cpu < trace->ncpus; cpu++)
        trace->counts.dropped += reader->index.lane[cpu].dropped;
    native_declare_types(&reader->types, trace);
    set_clocks(reader);
    if (read_names(reader) != 0)
        return -1;
    native_name_types(&reader->types, trace);
    return 0;
}

static void native_close(void *state)
{
    struct native_reader *reader = state;

    for (unsigned i = 0; i < NATIVE_LANES; i++)
        lane_free(&reader->lane[i]);
    native_loader_free(&reader->loader);
    native_index_free(&reader->index);
    free(reader->view.bytes);
    free(reader);
}

static void *native_open(struct trace *trace, struct input *in)
{
    struct native_reader *reader = calloc(1, sizeof *reader);

    if (reader == NULL) {
        trace_fail(trace, "%s: no memory", trace->input_name);
        return NULL;
    }
    reader->trace = reader->loader.trace = reader->view.trace = reader->loader.other.trace = trace;
    reader->input = reader->view.in = reader->loader.other.in = in;
    reader->loader.index = &reader->index;
    if (open_all(reader) != 0 || trace->failed) {
        native_close(reader);
        return NULL;
    }
    return reader;
}

static int native_read(void *state, unsigned cpu, struct trace_batch *batch)
{
    struct native_reader *reader = state;
    int got = lane_read(reader, &reader->lane[cpu], batch);

    return reader->trace->failed ? -1 : got;
}

static enum trace_probe native_probe(struct input *in)
{
    struct native_header header;
    enum trace_probe answer = TRACE_NOT_MINE;
    uint64_t at = 0;

    for (;;) {
        switch (native_find(in, at, input_size(in), &header)) {
        case NATIVE_NOTHING:
            return answer;
        case NATIVE_HEADER:
            return TRACE_MINE;
        case NATIVE_BROKEN:
            if (header.intact)
                return TRACE_MINE;
            answer = TRACE_MINE_BROKEN;
            at = header.offset + 8u;
            break;
        }
    }
}

const struct trace_reader reader_native = {
    .name = "native",
    .description = "tlog's own dumps: chunks as they lie in the firmware's memory, in any order, amid anything",
    .probe = native_probe,
    .open = native_open,
    .read = native_read,
    .close = native_close,
};
