/* reader.c - .kev files of QNX's tracelogger: from slots to events. Format: qnx/file.h; events: qnx_types.h.
 *
 * The file is read once when it is opened, for what concerns all CPUs: threads and their names, lost buffers, damage.
 * Then every CPU is a lane that walks the file for its own slots. A slot passes two gates: its time must fit between
 * those of its neighbours on the CPU, and it must find its place in an event (qnx_join.h).
 */
#include "qnx/survey.h"
#include "model/module.h"
#include "model/clock.h"
#include "model/ticks.h"

#include "base/bytes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define HALF_WRAP  0x80000000u
#define WRAP       ((uint64_t)1 << 32)
#define JUMP_MAX   ((uint64_t)1 << 56) /* ticks; a longer step of time is not believed */
#define MARK_BYTES 8u
#define MARKS      2u
#define CONTEXTS   65535u

struct lane {
    unsigned cpu;
    struct kev_walk walk;
    struct kev_buffers buffers;
    bool timed; /* high is known */
    uint32_t high;
    uint64_t last;        /* time of the last slot that was good; before the first one, of a TIME */
    struct kev_slot held; /* the next one, until its successor is known */
    uint64_t held_time;
    bool holds, started;
    bool loss, damaged; /* to be told before the next event */
    bool lost;          /* loss, once the events before it are given out */
    bool unknown;       /* nobody knows how many events the loss is */
    uint64_t dropped;   /* else as many */
    uint64_t damage;    /* slots */
    uint64_t mark_at;   /* number of the event that the mark of damage stands before, if there is one */
    uint64_t ticks;     /* of the last event */
    bool ended, finished;
    struct qnx_join join;
};

struct kev_reader {
    struct trace *trace;
    struct input *input;
    struct kev_header header;
    struct qnx_types types;
    struct kev_survey survey;
    uint16_t loss, damage; /* types */
    struct lane *lane[KEV_CPUS_MAX];
};

/* ---- time ------------------------------------------------------------------------------------------------------ */

static uint64_t join_time(uint32_t high, uint32_t low)
{
    return (uint64_t)high << 32 | low;
}

/* The time of a slot of the lane's CPU. Before the first TIME it is counted back from that. */
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
        time += (lane->last - time + HALF_WRAP - 1u) / WRAP * WRAP; /* to the nearest that low word can mean */
    return time;
}

/* 0, or 1 if the time is one that cannot be. */
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

static struct trace_event *emit(const struct kev_reader *reader, struct trace_batch *batch, uint64_t ticks)
{
    struct trace_event *event = &batch->event[batch->n++];
    uint64_t hz = reader->trace->clock_hz, ns = ticks_ns(ticks, hz);

    *event = (struct trace_event){.time = ns, .data = batch->room + batch->used, .rest = ticks_rest(ticks, ns, hz)};
    return event;
}

static void emit_mark(const struct kev_reader *reader, struct trace_batch *batch, uint64_t ticks, uint16_t type,
                      uint64_t count)
{
    struct trace_event *event = emit(reader, batch, ticks);

    event->type = type;
    event->size = MARK_BYTES;
    put_le64(batch->room + batch->used, count);
    batch->used += MARK_BYTES;
}

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

/* Something is damaged behind the last event that has begun. */
static void mark(struct lane *lane)
{
    if (!lane->damaged)
        lane->mark_at = lane->join.begun;
    lane->damaged = true;
}

static void miss(const struct kev_reader *reader, struct lane *lane, uint64_t offset, uint64_t slots, const char *why)
{
    trace_damage(reader->trace, offset, slots * KEV_SLOT_BYTES, slots, "%s", why);
    mark(lane);
    lane->damage += slots;
}

/* What the joiner could not use. */
static void settle(const struct kev_reader *reader, struct lane *lane)
{
    struct qnx_join *join = &lane->join;

    if (join->damaged > 0)
        miss(reader, lane, join->bad_offset, join->damaged, "slots of an event contradict each other");
    reader->trace->counts.unfinished += join->unfinished;
    join->damaged = join->unfinished = 0;
}

/* The held slot goes on, if its time fits; next is what follows it, or NULL. */
static void release(const struct kev_reader *reader, struct lane *lane, const uint64_t *next)
{
    struct qnx_slot slot = kev_joinable(&lane->held, lane->held_time);
    uint64_t time = lane->held_time;
    bool skips = next != NULL && *next < time && *next >= lane->last && time - *next <= HALF_WRAP;
    bool odd = skips || (lane->started && time - lane->last > JUMP_MAX); /* also if it is less */

    if (!lane->holds)
        return;
    lane->holds = false;
    if (odd) {
        miss(reader, lane, lane->held.offset, 1, "a slot whose time does not fit between its neighbours'");
        return;
    }
    lane->last = time;
    lane->started = true;
    qnx_join_feed(&lane->join, &slot);
}

static bool is_of_held(const struct lane *lane, const struct qnx_slot *slot)
{
    struct qnx_slot held = kev_joinable(&lane->held, 0);

    return lane->holds && held.header == slot->header && held.stamp == slot->stamp;
}

/* Later slots of an event bear the stamp of its first one, so others may come in between. One that claims to be another
 * event of that stamp contradicts it, which is the joiner's business, too. */
static void take_slot(const struct kev_reader *reader, struct lane *lane, const struct kev_slot *slot)
{
    uint64_t time = slot_time(reader, lane, slot);
    struct qnx_slot part = kev_joinable(slot, time);

    if (is_of_held(lane, &part))
        release(reader, lane, NULL);
    if (part.part == QNX_MIDDLE || part.part == QNX_END || qnx_join_awaits(&lane->join, &part)) {
        qnx_join_feed(&lane->join, &part);
        return;
    }
    release(reader, lane, &time);
    lane->held = *slot;
    lane->held_time = slot_time(reader, lane, slot);
    lane->holds = true;
}

/* Events are missing, 0: an unknown number. The loss is told when those before it have been given out. */
static void lose(const struct kev_reader *reader, struct lane *lane, uint64_t count)
{
    lane->unknown = lane->unknown || count == 0;
    lane->dropped += count;
    release(reader, lane, NULL);
    qnx_join_break(&lane->join); /* nothing from before goes on */
    lane->lost = true;
}

/* Whether a CONTROL slot is for the lane's CPU: in QNX 8 the slot's own may be wrong. */
static bool is_mine(const struct kev_reader *reader, const struct lane *lane, const struct kev_slot *slot)
{
    return kev_cpu(slot) == lane->cpu || (reader->header.release >= 8u && !reader->header.counts);
}

static void take_control(const struct kev_reader *reader, struct lane *lane, const struct kev_slot *slot)
{
    bool mine = is_mine(reader, lane, slot);

    if (kev_is_control(slot, TLOG_CONTROL_TIME) && mine) {
        if (take_time(reader, lane, slot) != 0)
            miss(reader, lane, slot->offset, 1, "a CONTROL TIME that does not fit the times before it");
    } else if (kev_is_control(slot, TLOG_CONTROL_BUFFER)) {
        if (kev_buffers_wrong(&lane->buffers, reader->header.release))
            mark(lane);
        if (kev_buffers_step(&lane->buffers, slot) > 0)
            lose(reader, lane, 0);
    } else if (kev_is_control(slot, TLOG_CONTROL_DROPPED) && mine) {
        lose(reader, lane, reader->header.counts ? slot->word[0] | (uint64_t)slot->word[1] << 32 : 0);
    }
}

/* One slot of the file: false at its end. */
static bool step(const struct kev_reader *reader, struct lane *lane)
{
    struct kev_slot slot;

    if (!kev_walk_next(&lane->walk, &slot)) {
        release(reader, lane, NULL);
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

static bool has_room(const struct trace_batch *batch)
{
    return batch->n + 1u + MARKS <= TRACE_BATCH_EVENTS
           && batch->used + QNX_PAYLOAD_MAX + (size_t)MARKS * MARK_BYTES <= sizeof batch->room;
}

static void finish(const struct kev_reader *reader, struct lane *lane, struct trace_batch *batch)
{
    if (lane->finished)
        return;
    lane->finished = true;
    if (reader->survey.cut)
        mark(lane);
    emit_marks(reader, lane, batch, lane->ticks);
}

static int kev_read(void *state, unsigned cpu, struct trace_batch *batch)
{
    struct kev_reader *reader = state;
    struct lane *lane = reader->lane[cpu];

    batch->n = batch->used = 0;
    while (has_room(batch) && !reader->trace->failed) {
        const struct qnx_joined *joined = qnx_join_take(&lane->join, lane->ended || lane->lost);

        settle(reader, lane);
        if (joined != NULL) {
            emit_event(reader, lane, batch, joined);
            continue;
        }
        lane->loss = lane->loss || lane->lost;
        lane->lost = false;
        if (lane->ended) {
            finish(reader, lane, batch);
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

static int open_all(struct kev_reader *reader)
{
    struct trace *trace = reader->trace;

    if (kev_header_read(trace, reader->input, &reader->header) != 0)
        return -1;
    trace->clock_hz = reader->header.hz > 0 ? reader->header.hz : trace->clock_hz_given;
    trace->target = reader->header.target;
    clock_note(trace, trace->clock_hz);
    qnx_types_start(&reader->types, trace, reader->header.release, 1, CONTEXTS);
    reader->loss = trace_type(trace, &trace_loss_type);
    reader->damage = trace_type(trace, &trace_damage_type);
    if (kev_survey(trace, reader->input, &reader->header, &reader->types, &reader->survey) != 0)
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
