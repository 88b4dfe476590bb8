/* reader.c - reads .kev files of QNX's tracelogger: from slots to events. Format: file.h; events: events/qnx_types.h.
 *
 * The file is read once when it is opened, for what concerns all CPUs: threads and their names, missing kernel buffers,
 * damage (survey.h). Then each CPU has a lane, which walks through the whole file for the slots of that CPU. Two checks
 * are made of a slot: its time must fit between those of its neighbours on the CPU, and it must belong to an event
 * (events/qnx_join.h).
 */
#include "formats/qnx/survey.h"

#include "base/bytes.h"
#include "events/qnx_types.h"
#include "model/clock.h"
#include "model/module.h"
#include "model/ticks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WRAP       ((uint64_t)1 << 32) /* ticks after which the low word of a time stamp starts over */
#define HALF_WRAP  0x80000000u
#define JUMP_MAX   ((uint64_t)1 << 56) /* ticks; a longer step of time is taken for damage */
#define MARK_BYTES 8u                  /* payload of a mark: a loss or a damage */
#define MARKS      2u                  /* that may stand before an event */
#define CONTEXTS   65535u              /* numbers for threads */

/* What the reader keeps for one CPU. A slot is held until the next one is known, to check its time by that. */
struct lane {
    unsigned cpu;
    struct kev_walk walk;
    struct kev_buffers buffers;
    bool timed;           /* a CONTROL TIME has come */
    uint32_t high;        /* high word of time stamps, if timed */
    uint64_t last;        /* ticks of the last good slot; before the first one, of a CONTROL TIME */
    struct kev_slot held; /* valid if holds */
    uint64_t held_time;   /* its ticks */
    bool holds;
    bool started;     /* there was a good slot */
    bool lost;        /* events are missing; those from before are still to be given out */
    bool loss;        /* they are given out: a mark of a loss is to stand before the next event */
    bool unknown;     /* the loss is of an unknown number of events */
    uint64_t dropped; /* events of the loss, unless unknown */
    bool damaged;     /* a mark of damage is to be given out */
    uint64_t damage;  /* its slots */
    uint64_t mark_at; /* how many events of the CPU stand before that mark */
    uint64_t ticks;   /* of the last event */
    bool ended;       /* the walk is at its end */
    bool finished;    /* the last mark was given out */
    struct qnx_join join;
};

struct kev_reader {
    struct trace *trace;
    struct input *input;
    struct kev_header header;
    struct qnx_types types;
    struct kev_survey survey;
    uint16_t loss, damage; /* indices of these types in the trace */
    struct lane *lane[KEV_CPUS_MAX];
};

/* ---- time ------------------------------------------------------------------------------------------------------ */

static uint64_t join_time(uint32_t high, uint32_t low)
{
    return (uint64_t)high << 32 | low;
}

/* The time of a slot of the lane's CPU, in ticks. Before the CPU's first CONTROL TIME it is counted back from that
 * one. */
static uint64_t slot_time(const struct kev_reader *reader, const struct lane *lane, const struct kev_slot *slot)
{
    const struct kev_time *first = &reader->survey.first[lane->cpu];
    uint32_t high = lane->timed ? lane->high : 0;
    uint64_t time;
    if (!lane->timed && first->known) {
        high = first->high;
        high -= high > 0 && slot->stamp > first->low;
    }
    time = join_time(high, slot->stamp);
    if (lane->started && time < lane->last && lane->last - time > HALF_WRAP)
        time += (lane->last - time + HALF_WRAP - 1u) / WRAP * WRAP; /* the nearest time with that low word */
    return time;
}

/* Take the high word that a CONTROL TIME tells. 0, or 1 if it does not fit the times before. */
static int take_time(const struct kev_reader *reader, struct lane *lane, const struct kev_slot *slot)
{
    uint64_t time = join_time(slot->word[0], slot->stamp);
    bool early = lane->started && time < lane->last && reader->header.release < 8u;
    bool late = lane->started && time > lane->last && time - lane->last > JUMP_MAX;
    if (early || late)
        return 1;
    lane->timed = true;
    if (!lane->started)
        lane->last = time;
    lane->high = slot->word[0];
    return 0;
}

/* ---- giving out events ----------------------------------------------------------------------------------------- */

/* Append an event to the batch, whose payload will be at the batch's room. */
static struct trace_event *emit(const struct kev_reader *reader, struct trace_batch *batch, uint64_t ticks)
{
    struct trace_event *event = &batch->event[batch->n++];
    uint64_t hz = reader->trace->clock_hz, ns = ticks_ns(ticks, hz);
    *event = (struct trace_event){.time = ns, .data = batch->room + batch->used, .rest = ticks_rest(ticks, ns, hz)};
    return event;
}

/* Append a loss or damage of count events. */
static void emit_mark(const struct kev_reader *reader, struct trace_batch *batch, uint64_t ticks, uint16_t type,
                      uint64_t count)
{
    struct trace_event *event = emit(reader, batch, ticks);
    event->type = type;
    event->size = MARK_BYTES;
    put_le64(batch->room + batch->used, count);
    batch->used += MARK_BYTES;
}

/* Append the marks that are to stand before the next event. */
static void emit_marks(const struct kev_reader *reader, struct lane *lane, struct trace_batch *batch, uint64_t ticks)
{
    if (lane->loss) {
        emit_mark(reader, batch, ticks, reader->loss, lane->unknown ? 0 : lane->dropped);
        lane->loss = lane->unknown = false;
        lane->dropped = 0;
    }
    if (!lane->damaged || (!lane->ended && lane->join.gone <= lane->mark_at))
        return;
    emit_mark(reader, batch, ticks, reader->damage, lane->damage);
    lane->damaged = false;
    lane->damage = 0;
}

/* Append an event that is whole, and the marks before it. */
static void emit_event(struct kev_reader *reader, struct lane *lane, struct trace_batch *batch,
                       const struct qnx_joined *joined)
{
    struct qnx_event event = kev_event(joined, reader->header.big);
    uint16_t type = 0, size;
    lane->ticks = joined->time;
    if (event.class == TLOG_CLASS_CONTROL && event.event == TLOG_CONTROL_NAME)
        return;
    emit_marks(reader, lane, batch, joined->time);
    size = qnx_payload(&reader->types, &event, batch->room + batch->used, &type);
    if (size == 0)
        return;
    *emit(reader, batch, joined->time) = (struct trace_event){.time = batch->event[batch->n - 1u].time,
                                                              .data = batch->room + batch->used,
                                                              .type = type,
                                                              .size = size,
                                                              .rest = batch->event[batch->n - 1u].rest};
    batch->used += (size + 7u) & ~7u;
}

/* ---- a lane's slots -------------------------------------------------------------------------------------------- */

/* There is damage behind the last event that has begun. */
static void mark(struct lane *lane)
{
    if (!lane->damaged)
        lane->mark_at = lane->join.begun;
    lane->damaged = true;
}

/* Report that slots from offset on are damaged. */
static void report_damage(const struct kev_reader *reader, struct lane *lane, uint64_t offset, uint64_t slots,
                          const char *why)
{
    trace_damage(reader->trace, offset, slots * KEV_SLOT_BYTES, slots, "%s", why);
    mark(lane);
    lane->damage += slots;
}

/* Count the slots that could not be joined. */
static void count_faults(const struct kev_reader *reader, struct lane *lane)
{
    struct qnx_join *join = &lane->join;
    if (join->damaged > 0)
        report_damage(reader, lane, join->bad_offset, join->damaged, "slots of an event contradict each other");
    reader->trace->counts.unfinished += join->unfinished;
    join->damaged = join->unfinished = 0;
}

/* Give the held slot to be joined if its time fits. next: the time of the slot behind it; NULL: none is known. */
static void pass_held(const struct kev_reader *reader, struct lane *lane, const uint64_t *next)
{
    struct qnx_slot slot = kev_joinable(&lane->held, lane->held_time);
    uint64_t time = lane->held_time;
    bool skips = next != NULL && *next < time && *next >= lane->last && time - *next <= HALF_WRAP;
    bool odd = skips || (lane->started && time - lane->last > JUMP_MAX); /* also if it is less */
    if (!lane->holds)
        return;
    lane->holds = false;
    if (odd) {
        report_damage(reader, lane, lane->held.offset, 1, "a slot whose time does not fit between its neighbours'");
        return;
    }
    lane->last = time;
    lane->started = true;
    qnx_join_feed(&lane->join, &slot);
}

/* Whether the slot is of the same event as the held one. */
static bool is_of_held(const struct lane *lane, const struct qnx_slot *slot)
{
    struct qnx_slot held = kev_joinable(&lane->held, 0);
    return lane->holds && held.header == slot->header && held.stamp == slot->stamp;
}

/* Take a slot of the lane's CPU. All slots of an event have the stamp of the first one, so the later ones may be behind
 * slots with later stamps: their times are not checked. The same goes for a slot that claims to be another event with
 * header and stamp of an open one: a contradiction, which joining finds. */
static void take_slot(const struct kev_reader *reader, struct lane *lane, const struct kev_slot *slot)
{
    uint64_t time = slot_time(reader, lane, slot);
    struct qnx_slot part = kev_joinable(slot, time);
    if (is_of_held(lane, &part))
        pass_held(reader, lane, NULL);
    if (part.part == QNX_MIDDLE || part.part == QNX_END || qnx_join_awaits(&lane->join, &part)) {
        qnx_join_feed(&lane->join, &part);
        return;
    }
    pass_held(reader, lane, &time);
    lane->held = *slot;
    lane->held_time = slot_time(reader, lane, slot);
    lane->holds = true;
}

/* Count events are missing here; 0: an unknown number. The mark is given out behind the events that came before. */
static void lose(const struct kev_reader *reader, struct lane *lane, uint64_t count)
{
    lane->unknown = lane->unknown || count == 0;
    lane->dropped += count;
    pass_held(reader, lane, NULL);
    qnx_join_break(&lane->join); /* the open events' further slots are missing, too */
    lane->lost = true;
}

/* Whether a CONTROL slot concerns the lane's CPU. The slot's own CPU may be wrong in QNX 8, so there it always does. */
static bool is_mine(const struct kev_reader *reader, const struct lane *lane, const struct kev_slot *slot)
{
    return kev_cpu(slot) == lane->cpu || (reader->header.release >= 8u && !reader->header.counts);
}

/* Take a slot that is about the trace. */
static void take_control(const struct kev_reader *reader, struct lane *lane, const struct kev_slot *slot)
{
    bool mine = is_mine(reader, lane, slot);
    if (kev_is_control(slot, TLOG_CONTROL_TIME) && mine) {
        if (take_time(reader, lane, slot) != 0)
            report_damage(reader, lane, slot->offset, 1, "a CONTROL TIME that does not fit the times before it");
    } else if (kev_is_control(slot, TLOG_CONTROL_BUFFER)) {
        if (kev_buffers_wrong(&lane->buffers, reader->header.release))
            mark(lane);
        if (kev_buffers_step(&lane->buffers, slot) > 0)
            lose(reader, lane, 0);
    } else if (kev_is_control(slot, TLOG_CONTROL_DROPPED) && mine) {
        lose(reader, lane, reader->header.counts ? slot->word[0] | (uint64_t)slot->word[1] << 32 : 0);
    }
}

/* Take the next slot of the file. False: there is none. */
static bool step(const struct kev_reader *reader, struct lane *lane)
{
    struct kev_slot slot;
    if (!kev_walk_next(&lane->walk, &slot)) {
        pass_held(reader, lane, NULL);
        return false;
    }
    if (kev_fault(&slot, reader->header.release, reader->trace->ncpus) != NULL)
        mark(lane);
    else if (kev_tells_trace(&slot))
        take_control(reader, lane, &slot);
    else if (kev_cpu(&slot) == lane->cpu && !kev_is_empty(&slot))
        take_slot(reader, lane, &slot);
    lane->buffers.found++;
    return true;
}

/* Whether the batch has room for any event with the marks before it. */
static bool has_room(const struct trace_batch *batch)
{
    return batch->n + 1u + MARKS <= TRACE_BATCH_EVENTS
           && batch->used + QNX_PAYLOAD_MAX + (size_t)MARKS * MARK_BYTES <= sizeof batch->room;
}

/* All events were given out. */
static void finish_lane(const struct kev_reader *reader, struct lane *lane, struct trace_batch *batch)
{
    if (lane->finished)
        return;
    lane->finished = true;
    if (reader->survey.cut)
        mark(lane);
    emit_marks(reader, lane, batch, lane->ticks);
}

/* Take slots of the file until the batch is full. After each slot the events that are whole by then are given out. */
static int kev_read(void *state, unsigned cpu, struct trace_batch *batch)
{
    struct kev_reader *reader = state;
    struct lane *lane = reader->lane[cpu];
    batch->n = batch->used = 0;
    while (has_room(batch) && !reader->trace->failed) {
        const struct qnx_joined *joined = qnx_join_take(&lane->join, lane->ended || lane->lost);
        count_faults(reader, lane);
        if (joined != NULL) {
            emit_event(reader, lane, batch, joined);
            continue;
        }
        /* All events that began before the missing ones are given out: now the mark of the loss may come. */
        lane->loss = lane->loss || lane->lost;
        lane->lost = false;
        if (lane->ended) {
            finish_lane(reader, lane, batch);
            break;
        }
        lane->ended = !step(reader, lane);
    }
    return reader->trace->failed ? -1 : batch->n > 0;
}

/* ---- opening ---------------------------------------------------------------------------------------------------- */

static int start_lanes(struct kev_reader *reader)
{
    for (unsigned cpu = 0; cpu < reader->trace->ncpus; cpu++) {
        struct lane *lane = calloc(1, sizeof *lane);
        reader->lane[cpu] = lane;
        if (lane == NULL)
            return trace_fail(reader->trace, "%s: no memory for CPU %u", reader->trace->input_name, cpu);
        lane->cpu = cpu;
        lane->buffers.per_cpu = reader->survey.per_cpu;
        kev_walk_start(&lane->walk, reader->input, &reader->header);
        qnx_join_start(&lane->join);
    }
    return 0;
}

static void kev_close(void *state)
{
    struct kev_reader *reader = state;
    if (reader->types.cut > 0)
        trace_note(reader->trace, "%" PRIu64 " event%s of more than %u slots cut there", reader->types.cut,
                   reader->types.cut == 1u ? "" : "s", QNX_SLOTS_MAX);
    for (unsigned cpu = 0; cpu < KEV_CPUS_MAX; cpu++)
        free(reader->lane[cpu]);
    qnx_types_free(&reader->types);
    free(reader);
}

/* Read header and survey, and make the lanes. 0, or -1 after trace_fail(). */
static int open_all(struct kev_reader *reader)
{
    struct trace *trace = reader->trace;
    if (kev_header_read(trace, reader->input, &reader->header) != 0)
        return -1;
    trace->clock_hz = reader->header.hz > 0 ? reader->header.hz : trace->clock_hz_given;
    trace->target = reader->header.target;
    trace->ran_before = !reader->header.main;
    clock_note(trace, trace->clock_hz);
    qnx_types_start(&reader->types, trace, reader->header.release, 1, CONTEXTS);
    reader->loss = trace_type(trace, &trace_loss_type);
    reader->damage = trace_type(trace, &trace_damage_type);
    if (kev_survey(trace, reader->input, &reader->header, &reader->types.threads, &reader->survey) != 0)
        return -1;
    return start_lanes(reader);
}

static void *kev_open(struct trace *trace, struct input *in)
{
    struct kev_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL) {
        trace_fail(trace, "%s: no memory", trace->input_name);
        return NULL;
    }
    reader->trace = trace;
    reader->input = in;
    if (open_all(reader) != 0 || trace->failed) {
        kev_close(reader);
        return NULL;
    }
    return reader;
}

static enum trace_probe kev_probe(struct input *in)
{
    return kev_begins(in) ? TRACE_MINE : TRACE_NOT_MINE;
}

const struct trace_reader reader_kev = {
    .name = "kev",
    .description = "event files of QNX's tracelogger, of any byte order, QNX 6 to 8",
    .probe = kev_probe,
    .open = kev_open,
    .read = kev_read,
    .close = kev_close,
};
