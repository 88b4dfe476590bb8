/* reader.c - reads .kev files of QNX's tracelogger: from slots to events. The file is described in file.h, events in
 * events/qnx_types.h.
 *
 * The file is read once when it is opened, for what concerns all CPUs: threads and their names, missing kernel buffers,
 * damage. After that each CPU reads the whole file for itself and takes its own slots. It checks two things of a slot:
 * the time must lie between the times of the CPU's neighbouring slots, and the slot must belong to an event
 * (formats/qnx/join.h).
 */
#include "base/heap.h"
#include "formats/qnx/file.h"
#include "formats/qnx/join.h"

#include "base/bytes.h"
#include "model/clock.h"
#include "base/text.h"
#include "model/module.h"

#include <inttypes.h>
#include <string.h>

#define WRAP       ((uint64_t)1 << 32) /* ticks after which the low word of a time stamp starts over */
#define HALF_WRAP  0x80000000u
#define JUMP_MAX   ((uint64_t)1 << 56) /* ticks; a longer step of time is taken for damage */
#define MARK_BYTES 8u                  /* payload of a mark: an event of class LOSS or DAMAGE */
#define MARKS      2u                  /* that may stand before an event */
#define CONTEXTS   65535u              /* numbers for threads */

struct loss {
    uint64_t count;            /* of missing events, */
    bool is_there, is_unknown; /* which nobody may know */
};

/* What the reader keeps for one CPU. A slot is held back until the next one is known, which its time is checked by. */
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
    bool started;      /* there was a good slot */
    struct loss found; /* events are missing here, but events from before that place are still to be given out */
    struct loss due;   /* those are out: the mark of the loss comes before the next event */
    bool damage_due;   /* a mark of damage is to be given out, */
    uint64_t damage;   /* for so many slots, */
    uint64_t mark_at;  /* behind so many events of the CPU */
    uint64_t ticks;    /* of the last event */
    bool ended;        /* the walk is at its end */
    bool finished;     /* the last mark was given out */
    struct kev_join join;
};

/* The first CONTROL TIME of a CPU: a time stamp, in ticks. */
struct first_time {
    bool known; /* false: the CPU has none */
    uint32_t high, low;
};

struct kev_reader {
    struct trace *trace;
    struct input *input;
    struct kev_header header;
    struct qnx_types types;
    /* Found in the first pass: */
    struct first_time first[KEV_CPUS_MAX];
    bool per_cpu; /* each CPU numbers its own kernel buffers */
    bool cut;     /* the end of the file is missing */

    uint16_t loss, damage; /* indices of these types in the trace */
    struct lane *lane[KEV_CPUS_MAX];
};

/* ---- the first pass: buffers ------------------------------------------------------------------------------------- */

/* Missing kernel buffers, by one of the two ways to number them. */
struct missing {
    struct kev_buffers buffers;
    uint32_t total; /* buffers that are missing */
    uint32_t gaps;  /* places where one or more are missing */
};

struct first_pass {
    struct kev_reader *reader; /* whose trace, threads, first[], per_cpu and cut it sets */
    struct kev_walk walk;
    struct kev_join join;            /* of the events that tell threads and names */
    struct missing together, by_cpu; /* if all CPUs number buffers together; if each CPU numbers its own */
    uint64_t end;                    /* offset behind the last slot so far */
    uint32_t high[KEV_CPUS_MAX];     /* high words of the CPUs' time stamps, as the last CONTROL TIME tells; else 0 */
};

/* The present buffer ends at that offset. False, after trace_damage(), if it told another number of slots. */
static bool check_buffer(const struct first_pass *pass, uint64_t offset)
{
    const struct kev_buffers *buffers = &pass->together.buffers;
    uint32_t expected = buffers->expected, found = buffers->found;
    if (!kev_buffers_wrong(buffers, pass->reader->header.release))
        return true;
    trace_damage(pass->reader->trace, offset, 0, expected > found ? expected - found : 0,
                 "a buffer of %" PRIu32 " slots ends, but %" PRIu32 " are there", expected, found);
    return false;
}

/* A buffer begins with the slot. */
static void count_buffer(struct missing *missing, const struct kev_slot *slot)
{
    uint32_t n = kev_buffers_step(&missing->buffers, slot);
    missing->total += n;
    missing->gaps += n > 0;
}

/* The events that a CONTROL DROPPED of tlog's own files counts. */
static uint64_t dropped_count(const struct kev_slot *slot)
{
    return slot->word[0] | (uint64_t)slot->word[1] << 32;
}

/* Whether a CONTROL slot concerns a CPU. In QNX 8 the CPU in such a slot may be wrong, so there each concerns all. */
static bool is_mine(const struct kev_reader *reader, unsigned cpu, const struct kev_slot *slot)
{
    return kev_cpu(slot) == cpu || (reader->header.release >= 8u && !reader->header.counts);
}

/* Take a slot that is about the trace. */
static void survey_control(struct first_pass *pass, const struct kev_slot *slot)
{
    struct first_time *first = &pass->reader->first[kev_cpu(slot)];
    bool is_time = kev_is_control(slot, TLOG_CONTROL_TIME);
    for (unsigned cpu = 0; is_time && cpu < KEV_CPUS_MAX; cpu++)
        pass->high[cpu] = is_mine(pass->reader, cpu, slot) ? slot->word[0] : pass->high[cpu];
    if (is_time && !first->known)
        *first = (struct first_time){true, slot->word[0], slot->stamp};
    if (kev_is_control(slot, TLOG_CONTROL_DROPPED) && pass->reader->header.counts)
        trace_count_dropped(pass->reader->trace, kev_cpu(slot), dropped_count(slot));
    if (!kev_is_control(slot, TLOG_CONTROL_BUFFER))
        return;
    check_buffer(pass, slot->offset);
    count_buffer(&pass->together, slot);
    count_buffer(&pass->by_cpu, slot);
}

/* ---- the first pass: names --------------------------------------------------------------------------------------- */

/* Take a CONTROL NAME. Its first word has the id below and the kind of name + 1 above; the name follows. */
static void take_name(struct trace *trace, const struct qnx_event *event)
{
    char name[64] = "";
    size_t bytes = 8u * (event->slots < 8u ? event->slots : 7u);
    uint32_t what = qnx_word(event, 0);
    memcpy(name, event->data, bytes);
    if (what >> 16 >= 1u && what >> 16 <= TRACE_NAME_KINDS)
        trace_set_name(trace, (enum trace_name_kind)((what >> 16) - 1u), what & 0xFFFFu, name + 4);
}

/* Whether the event names something for the decoder only. */
static bool is_name(const struct qnx_event *event)
{
    return event->class == TLOG_CLASS_CONTROL && event->event == TLOG_CONTROL_NAME;
}

/* Take threads and names of the events that are complete; at the end also of those that are not. */
static void survey_joined(struct first_pass *pass, bool at_end)
{
    const struct kev_joined *joined;
    while ((joined = kev_join_take(&pass->join, at_end)) != NULL) {
        struct qnx_event event = kev_event(joined, pass->reader->header.big);
        if (is_name(&event))
            take_name(pass->reader->trace, &event);
        qnx_threads_survey(&pass->reader->types.threads, &event, joined->time);
    }
}

/* Whether the slot is of an event that may tell a thread or a name. */
static bool may_name(const struct kev_slot *slot)
{
    return _NTO_TRACE_GETEVENT_C(slot->header) == _TRACE_PR_TH_C || kev_is_control(slot, TLOG_CONTROL_NAME);
}

/* ---- the first pass: all slots ----------------------------------------------------------------------------------- */

/* Take any slot: report what is wrong with it, or use what it tells. */
static void survey_slot(struct first_pass *pass, const struct kev_slot *slot)
{
    struct trace *trace = pass->reader->trace;
    struct kev_part part = kev_joinable(slot, (uint64_t)pass->high[kev_cpu(slot)] << 32 | slot->stamp);
    const char *why = kev_fault(slot, pass->reader->header.release, trace->ncpus);
    if (why != NULL) {
        trace_damage(trace, slot->offset, KEV_SLOT_BYTES, 1, "%s", why);
    } else if (kev_tells_trace(slot)) {
        survey_control(pass, slot);
    } else if (may_name(slot)) {
        kev_join_feed(&pass->join, &part);
        survey_joined(pass, false);
    }
    pass->together.buffers.found++;
    pass->end = slot->offset + KEV_SLOT_BYTES;
}

/* The pass has come to the end of the file. A file does not say how its buffers are numbered. Of the two ways the wrong
 * one finds more places where buffers seem to be missing. */
static void end_survey(struct first_pass *pass)
{
    struct kev_reader *reader = pass->reader;
    uint64_t rest = input_size(reader->input) - pass->end;
    uint32_t missing;
    survey_joined(pass, true);
    qnx_threads_complete(&reader->types.threads);
    reader->per_cpu = pass->by_cpu.gaps < pass->together.gaps;
    missing = reader->per_cpu ? pass->by_cpu.total : pass->together.total;
    reader->cut = !check_buffer(pass, pass->end) || rest > 0;
    if (rest > 0)
        trace_damage(reader->trace, pass->end, rest, 1, "the file ends in the middle of a slot");
    if (missing > 0)
        trace_note(reader->trace, "%" PRIu32 " kernel buffer%s missing, with an unknown number of events", missing,
                   missing == 1u ? " is" : "s are");
}

/* How many CPUs there are: as many as the header tells; if it tells none, as many as the slots need. */
static unsigned count_cpus(struct first_pass *pass)
{
    const struct kev_header *header = &pass->reader->header;
    struct kev_slot slot;
    unsigned cpus = header->cpus > 0 ? header->cpus : 1u;
    kev_walk_start(&pass->walk, pass->reader->input, header);
    while (header->cpus == 0 && kev_walk_next(&pass->walk, &slot)) {
        if (kev_cpu(&slot) >= cpus)
            cpus = kev_cpu(&slot) + 1u;
    }
    return cpus;
}

/* Read the whole file: count CPUs and dropped events, take threads and names, report damage. 0, or -1 after
 * trace_fail(). */
static int survey(struct kev_reader *reader)
{
    struct first_pass *pass = heap_calloc(1, sizeof *pass);
    struct kev_slot slot;
    if (pass == NULL)
        return trace_fail(reader->trace, "%s: no memory", reader->trace->input_name);
    pass->reader = reader;
    pass->end = reader->header.slots;
    pass->by_cpu.buffers.per_cpu = true;
    kev_join_start(&pass->join);
    /* The number of CPUs must be known before: process 1 has an idle thread for each, and faults depend on it. */
    reader->trace->ncpus = reader->types.threads.idle = count_cpus(pass);
    kev_walk_start(&pass->walk, reader->input, &reader->header);
    while (kev_walk_next(&pass->walk, &slot))
        survey_slot(pass, &slot);
    end_survey(pass);
    heap_free(pass);
    return 0;
}

/* ---- time -------------------------------------------------------------------------------------------------------- */

static uint64_t join_time(uint32_t high, uint32_t low)
{
    return (uint64_t)high << 32 | low;
}

/* The time of a slot of the lane's CPU, in ticks. The high word comes from a CONTROL TIME before the slot; if there is
 * none yet, it is counted back from the first one. */
static uint64_t slot_time(const struct kev_reader *reader, const struct lane *lane, const struct kev_slot *slot)
{
    const struct first_time *first = &reader->first[lane->cpu];
    uint32_t high = lane->timed ? lane->high : 0;
    uint64_t time, wraps;
    if (!lane->timed && first->known) {
        high = first->high;
        high -= high > 0 && slot->stamp > first->low;
    }
    time = join_time(high, slot->stamp);
    if (!lane->started || time >= lane->last || lane->last - time <= HALF_WRAP)
        return time;
    wraps = (lane->last - time - HALF_WRAP - 1u) / WRAP + 1u; /* the nearest time with that low word, */
    wraps -= wraps > (UINT64_MAX - time) / WRAP;              /* unless that is more than a time can be */
    return time + wraps * WRAP;
}

/* Take the high word that a CONTROL TIME tells. 0, or 1 if it contradicts the times before. */
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

/* ---- giving out events ------------------------------------------------------------------------------------------- */

/* Append an event to the batch. Its payload goes to the free part of the batch's room. */
static struct tlog_event *emit(const struct kev_reader *reader, struct trace_batch *batch, uint64_t ticks)
{
    struct tlog_event *event = &batch->event[batch->n++];
    uint64_t hz = reader->trace->clock_hz, ns = ticks_ns(ticks, hz);
    *event = (struct tlog_event){.time = ns, .data = batch->room + batch->used, .rest = ticks_rest(ticks, ns, hz)};
    return event;
}

/* Append a loss or damage of count events. */
static void emit_mark(const struct kev_reader *reader, struct trace_batch *batch, uint64_t ticks, uint16_t type,
                      uint64_t count)
{
    struct tlog_event *event = emit(reader, batch, ticks);
    event->type = type;
    event->size = MARK_BYTES;
    put_le64(batch->room + batch->used, count);
    batch->used += MARK_BYTES;
}

/* Append the marks that belong before the next event. */
static void emit_marks(const struct kev_reader *reader, struct lane *lane, struct trace_batch *batch, uint64_t ticks)
{
    if (lane->due.is_there)
        emit_mark(reader, batch, ticks, reader->loss, lane->due.is_unknown ? 0 : lane->due.count);
    lane->due = (struct loss){0};
    if (!lane->damage_due || (!lane->ended && lane->join.gone <= lane->mark_at))
        return;
    emit_mark(reader, batch, ticks, reader->damage, lane->damage);
    lane->damage_due = false;
    lane->damage = 0;
}

/* Append a complete event, and the marks before it. */
static void emit_event(struct kev_reader *reader, struct lane *lane, struct trace_batch *batch,
                       const struct kev_joined *joined)
{
    struct qnx_event event = kev_event(joined, reader->header.big);
    uint16_t type = 0, size;
    lane->ticks = joined->time;
    if (is_name(&event))
        return;
    emit_marks(reader, lane, batch, joined->time);
    reader->types.threads.now = joined->time;
    size = qnx_payload(&reader->types, &event, batch->room + batch->used, &type);
    if (size == 0)
        return;
    struct tlog_event *out = emit(reader, batch, joined->time);
    out->type = type;
    out->size = size;
    batch->used += (size + 7u) & ~7u;
}

/* ---- a lane's slots ---------------------------------------------------------------------------------------------- */

/* Note damage here. Its mark belongs behind all events that have begun by now. */
static void mark(struct lane *lane)
{
    if (!lane->damage_due)
        lane->mark_at = lane->join.begun;
    lane->damage_due = true;
}

/* Report that so many slots from an offset on are damaged. */
static void report_damage(const struct kev_reader *reader, struct lane *lane, uint64_t offset, uint64_t slots,
                          const char *why)
{
    trace_damage(reader->trace, offset, slots * KEV_SLOT_BYTES, slots, "%s", why);
    mark(lane);
    lane->damage += slots;
}

/* Report the slots that could not be joined, and count those of events that the target never finished. */
static void count_faults(const struct kev_reader *reader, struct lane *lane)
{
    struct kev_join *join = &lane->join;
    if (join->damaged > 0)
        report_damage(reader, lane, join->bad_offset, join->damaged, "slots of an event contradict each other");
    reader->trace->counts.unfinished += join->unfinished;
    join->damaged = join->unfinished = 0;
}

/* Let go of the held slot: it is joined to an event if its time fits, else it is damage. next: the time of the slot
 * behind it; NULL: not known. */
static void pass_held(const struct kev_reader *reader, struct lane *lane, const uint64_t *next)
{
    struct kev_part slot = kev_joinable(&lane->held, lane->held_time);
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
    kev_join_feed(&lane->join, &slot);
}

/* Whether the slot is of the same event as the held one. */
static bool is_of_held(const struct lane *lane, const struct kev_part *slot)
{
    struct kev_part held = kev_joinable(&lane->held, 0);
    return lane->holds && held.header == slot->header && held.stamp == slot->stamp;
}

/* Take a slot of the lane's CPU. All slots of an event have the stamp of its first one, so its further slots may follow
 * slots with later stamps, and their times are not checked. Nor is the time of a slot that begins an event with header
 * and stamp of one that is still open: joining finds that contradiction. */
static void take_slot(const struct kev_reader *reader, struct lane *lane, const struct kev_slot *slot)
{
    uint64_t time = slot_time(reader, lane, slot);
    struct kev_part part = kev_joinable(slot, time);
    if (is_of_held(lane, &part))
        pass_held(reader, lane, NULL);
    if (part.part == KEV_MIDDLE || part.part == KEV_END || kev_join_awaits(&lane->join, &part)) {
        kev_join_feed(&lane->join, &part);
        return;
    }
    pass_held(reader, lane, &time);
    lane->held = *slot;
    lane->held_time = slot_time(reader, lane, slot);
    lane->holds = true;
}

/* Losses with no event in between are one. */
static void add_loss(struct loss *to, struct loss loss)
{
    to->is_there = to->is_there || loss.is_there;
    to->is_unknown = to->is_unknown || loss.is_unknown;
    to->count += loss.count;
}

/* So many events are missing here; 0: an unknown number. The mark is given out behind the events that came before. */
static void lose(const struct kev_reader *reader, struct lane *lane, uint64_t count)
{
    add_loss(&lane->found, (struct loss){count, true, count == 0});
    pass_held(reader, lane, NULL);
    kev_join_break(&lane->join); /* the open events' further slots are missing, too */
}

/* Take a slot that is about the trace. */
static void take_control(const struct kev_reader *reader, struct lane *lane, const struct kev_slot *slot)
{
    bool mine = is_mine(reader, lane->cpu, slot);
    if (kev_is_control(slot, TLOG_CONTROL_TIME) && mine) {
        if (take_time(reader, lane, slot) != 0)
            report_damage(reader, lane, slot->offset, 1, "a CONTROL TIME that does not fit the times before it");
    } else if (kev_is_control(slot, TLOG_CONTROL_BUFFER)) {
        if (kev_buffers_wrong(&lane->buffers, reader->header.release))
            mark(lane);
        if (kev_buffers_step(&lane->buffers, slot) > 0)
            lose(reader, lane, 0);
    } else if (kev_is_control(slot, TLOG_CONTROL_DROPPED) && mine) {
        lose(reader, lane, reader->header.counts ? dropped_count(slot) : 0);
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
    if (reader->cut)
        mark(lane);
    emit_marks(reader, lane, batch, lane->ticks);
}

/* Take slots of the file until the batch is full. After each slot all events that it completed are given out. */
static int kev_read(void *state, unsigned cpu, struct trace_batch *batch)
{
    struct kev_reader *reader = state;
    struct lane *lane = reader->lane[cpu];
    batch->n = batch->used = 0;
    while (has_room(batch) && !reader->trace->failed) {
        const struct kev_joined *joined = kev_join_take(&lane->join, lane->ended || lane->found.is_there);
        count_faults(reader, lane);
        if (joined != NULL) {
            emit_event(reader, lane, batch, joined);
            continue;
        }
        /* All events that began before the missing ones are given out: now the mark of the loss may come. */
        add_loss(&lane->due, lane->found);
        lane->found = (struct loss){0};
        if (lane->ended) {
            finish_lane(reader, lane, batch);
            break;
        }
        lane->ended = !step(reader, lane);
    }
    return reader->trace->failed ? -1 : batch->n > 0;
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

static int start_lanes(struct kev_reader *reader)
{
    for (unsigned cpu = 0; cpu < reader->trace->ncpus; cpu++) {
        struct lane *lane = heap_calloc(1, sizeof *lane);
        reader->lane[cpu] = lane;
        if (lane == NULL)
            return trace_fail(reader->trace, "%s: no memory for CPU %u", reader->trace->input_name, cpu);
        lane->cpu = cpu;
        lane->buffers.per_cpu = reader->per_cpu;
        kev_walk_start(&lane->walk, reader->input, &reader->header);
        kev_join_start(&lane->join);
    }
    return 0;
}

static void kev_close(void *state)
{
    struct kev_reader *reader = state;
    if (reader->types.cut > 0)
        trace_note(reader->trace, "%" PRIu64 " event%s of more than %u slots cut there", reader->types.cut,
                   text_plural(reader->types.cut), QNX_SLOTS_MAX);
    for (unsigned cpu = 0; cpu < KEV_CPUS_MAX; cpu++)
        heap_free(reader->lane[cpu]);
    qnx_types_free(&reader->types);
    heap_free(reader);
}

/* Read the header, make the first pass, and make the lanes. 0, or -1 after trace_fail(). */
static int open_all(struct kev_reader *reader)
{
    struct trace *trace = reader->trace;
    if (kev_header_read(trace, reader->input, &reader->header) != 0)
        return -1;
    if (input_size(reader->input) <= reader->header.slots)
        return trace_fail_at(trace, trace->input_name, reader->header.slots,
                             "expected slots behind the header, but the file ends");
    trace->clock_hz = reader->header.hz > 0 ? reader->header.hz : trace->clock_hz_given;
    trace->target = reader->header.target;
    trace->ran_before = !reader->header.main;
    trace->priority_order = reader->header.order;
    clock_note_unknown(trace, trace->clock_hz);
    qnx_types_start(&reader->types, trace, reader->header.release, 1, CONTEXTS);
    reader->loss = trace_type(trace, &trace_loss_type);
    reader->damage = trace_type(trace, &trace_damage_type);
    if (survey(reader) != 0)
        return -1;
    return start_lanes(reader);
}

static void *kev_open(struct trace *trace, struct input *in)
{
    struct kev_reader *reader = heap_calloc(1, sizeof *reader);
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
