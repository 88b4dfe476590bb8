/* read_kev.c - .kev files of QNX's tracelogger: from slots to events. Format: kev_file.h; events: qnx_types.h.
 *
 * The file is read once when it is opened, for what concerns all CPUs: threads and their names, lost buffers, damage.
 * Then every CPU is a lane that walks the file for its own slots. A slot passes two gates: its time must fit between
 * those of its neighbours on the CPU, and it must find its place in an event (qnx_join.h).
 */
#include "kev_file.h"
#include "qnx_join.h"
#include "qnx_types.h"
#include "ticks.h"

#include "bytes.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HALF_WRAP  0x80000000u
#define WRAP       ((uint64_t)1 << 32)
#define JUMP_MAX   ((uint64_t)1 << 56) /* ticks; a longer step of time is not believed */
#define MARK_BYTES 8u
#define MARKS      2u
#define CONTEXTS   65535u

/* How the numbers of buffers follow each other. */
struct sequence {
    bool known;
    uint32_t last;
};

/* Which buffers there are, and how many slots of the one at hand. */
struct buffers {
    bool per_cpu; /* every CPU counts its own */
    struct sequence sequence[KEV_CPUS_MAX];
    uint32_t expected; /* slots; 0 = not told */
    uint32_t found;
};

struct clock {
    bool known;
    uint32_t high;
};

struct lane {
    unsigned cpu;
    struct kev_walk walk;
    struct buffers buffers;
    struct clock clock;
    uint64_t last;        /* time of the last slot that was good */
    struct kev_slot held; /* the next one, until its successor is known */
    uint64_t held_time;
    bool holds, started;
    bool loss, damaged; /* to be told before the next event */
    bool lost;          /* loss, once the events before it are given out */
    uint64_t damage;    /* slots */
    uint64_t ticks;     /* of the last event */
    bool ended, finished;
    struct qnx_join join;
};

struct kev_reader {
    struct trace *trace;
    struct input *input;
    struct kev_header header;
    struct qnx_types types;
    struct clock first[KEV_CPUS_MAX]; /* the first TIME of each CPU */
    uint32_t first_low[KEV_CPUS_MAX];
    bool per_cpu;
    bool cut;              /* the file lacks its end */
    uint16_t loss, damage; /* types */
    struct lane *lane[KEV_CPUS_MAX];
};

static const struct trace_field count_fields[] = {{"count", TRACE_UNSIGNED, 0, 8}};
static const struct trace_type loss_type = {"tlog", "loss", TRACE_LOSS, 8, 1, count_fields, NULL};
static const struct trace_type damage_type = {"tlog", "damage", TRACE_DAMAGE, 8, 1, count_fields, NULL};

/* ---- slots ----------------------------------------------------------------------------------------------------- */

static unsigned cpu_of(const struct kev_slot *slot)
{
    return _NTO_TRACE_GETCPU(slot->header);
}

static bool is_control(const struct kev_slot *slot, uint32_t event)
{
    return _NTO_TRACE_GETEVENT_C(slot->header) == _TRACE_CONTROL_C && _NTO_TRACE_GETEVENT(slot->header) == event;
}

/* Slots that are about the trace, and no events. */
static bool tells_trace(const struct kev_slot *slot)
{
    return is_control(slot, TLOG_TRACE_CONTROL_TIME) || is_control(slot, TLOG_TRACE_CONTROL_BUFFER)
           || is_control(slot, TLOG_TRACE_CONTROL_BUFFER_END) || is_control(slot, TLOG_TRACE_CONTROL_DROPPED);
}

static bool is_empty(const struct kev_slot *slot)
{
    return slot->header == 0 && slot->stamp == 0 && slot->word[0] == 0 && slot->word[1] == 0;
}

/* What is wrong with a slot by itself, or NULL. */
static const char *fault(const struct kev_reader *reader, const struct kev_slot *slot)
{
    if (_NTO_TRACE_GETEVENT_C(slot->header) == _TRACE_EMPTY_C)
        return is_empty(slot) ? NULL : "a slot of no class";
    if (cpu_of(slot) >= reader->trace->ncpus && !(tells_trace(slot) && reader->header.release >= 8u))
        return "a slot of a CPU that the header does not count";
    return NULL;
}

static struct qnx_slot joinable(const struct kev_slot *slot, uint64_t time)
{
    return (struct qnx_slot){slot->header & (_NTO_TRACE_CPU_BITS | _NTO_TRACE_CLASS_BITS | _NTO_TRACE_EVENT_BITS),
                             slot->stamp,
                             (enum qnx_part)(slot->header >> 30),
                             time,
                             slot->offset,
                             slot->data};
}

static struct qnx_event event_of(const struct kev_reader *reader, const struct qnx_joined *joined)
{
    return (struct qnx_event){_NTO_TRACE_GETEVENT_C(joined->header) >> 10, _NTO_TRACE_GETEVENT(joined->header),
                              joined->slots, joined->data, reader->header.big};
}

/* ---- buffers --------------------------------------------------------------------------------------------------- */

/* A buffer begins: how many are missing before it. */
static uint32_t buffers_step(struct buffers *buffers, const struct kev_slot *slot)
{
    struct sequence *sequence = &buffers->sequence[buffers->per_cpu ? cpu_of(slot) : 0];
    uint32_t missing = sequence->known ? (slot->word[0] - sequence->last - 1u) % KEV_SEQUENCES : 0;

    sequence->known = true;
    sequence->last = slot->word[0];
    buffers->expected = slot->word[1];
    buffers->found = 0;
    return missing;
}

/* Whether the buffer at hand has another number of slots than it says. In QNX 8 nobody says which slots that counts. */
static bool buffers_wrong(const struct buffers *buffers, const struct kev_reader *reader)
{
    return reader->header.release < 8u && buffers->expected != 0 && buffers->expected != buffers->found;
}

/* ---- time ------------------------------------------------------------------------------------------------------ */

static uint64_t join_time(uint32_t high, uint32_t low)
{
    return (uint64_t)high << 32 | low;
}

/* The time of a slot of the lane's CPU. Before the first TIME it is counted back from that. */
static uint64_t slot_time(const struct kev_reader *reader, const struct lane *lane, const struct kev_slot *slot)
{
    uint32_t high = lane->clock.known ? lane->clock.high : 0;
    uint64_t time;

    if (!lane->clock.known && reader->first[lane->cpu].known) {
        high = reader->first[lane->cpu].high;
        high -= high > 0 && slot->stamp > reader->first_low[lane->cpu];
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
    lane->clock.known = true;
    lane->clock.high = slot->word[0];
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
    if (lane->loss)
        emit_mark(reader, batch, ticks, reader->loss, 0);
    if (lane->damaged)
        emit_mark(reader, batch, ticks, reader->damage, lane->damage);
    lane->loss = lane->damaged = false;
    lane->damage = 0;
}

static void emit_event(struct kev_reader *reader, struct lane *lane, struct trace_batch *batch,
                       const struct qnx_joined *joined)
{
    struct qnx_event event = event_of(reader, joined);
    uint16_t type = 0, size;

    lane->ticks = joined->time;
    if (event.class == TLOG_TRACE_CONTROL && event.event == TLOG_TRACE_CONTROL_NAME)
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

static void miss(const struct kev_reader *reader, struct lane *lane, uint64_t offset, uint64_t slots, const char *why)
{
    trace_damage(reader->trace, offset, slots * KEV_SLOT_BYTES, slots, "%s", why);
    lane->damaged = true;
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
    struct qnx_slot slot = joinable(&lane->held, lane->held_time);
    uint64_t time = lane->held_time;
    bool back = lane->started && time < lane->last;
    bool ahead =
        lane->started && (time - lane->last > JUMP_MAX || (next != NULL && *next < time && *next >= lane->last));

    if (!lane->holds)
        return;
    lane->holds = false;
    if (back || ahead) {
        miss(reader, lane, lane->held.offset, 1, "a slot whose time does not fit between its neighbours'");
        return;
    }
    lane->last = time;
    lane->started = true;
    qnx_join_feed(&lane->join, &slot);
}

static bool is_part_of_held(const struct lane *lane, const struct qnx_slot *slot)
{
    struct qnx_slot held = joinable(&lane->held, 0);

    return lane->holds && held.part == QNX_BEGIN && held.header == slot->header && held.stamp == slot->stamp;
}

/* Later slots of an event bear the stamp of its first one, so others may come in between. */
static void take_slot(const struct kev_reader *reader, struct lane *lane, const struct kev_slot *slot)
{
    uint64_t time = slot_time(reader, lane, slot);
    struct qnx_slot part = joinable(slot, time);

    if (part.part == QNX_MIDDLE || part.part == QNX_END) {
        if (is_part_of_held(lane, &part))
            release(reader, lane, NULL);
        qnx_join_feed(&lane->join, &part);
        return;
    }
    release(reader, lane, &time);
    lane->held = *slot;
    lane->held_time = slot_time(reader, lane, slot);
    lane->holds = true;
}

/* Buffers are missing: nothing from before is continued. */
static void lose(const struct kev_reader *reader, struct lane *lane)
{
    release(reader, lane, NULL);
    qnx_join_break(&lane->join);
    lane->lost = true;
}

static void take_control(const struct kev_reader *reader, struct lane *lane, const struct kev_slot *slot)
{
    bool mine = cpu_of(slot) == lane->cpu || reader->header.release >= 8u;

    if (is_control(slot, TLOG_TRACE_CONTROL_TIME) && mine) {
        if (take_time(reader, lane, slot) != 0)
            miss(reader, lane, slot->offset, 1, "a CONTROL TIME that does not fit the times before it");
    } else if (is_control(slot, TLOG_TRACE_CONTROL_BUFFER)) {
        lane->damaged = lane->damaged || buffers_wrong(&lane->buffers, reader);
        if (buffers_step(&lane->buffers, slot) > 0)
            lose(reader, lane);
    } else if (is_control(slot, TLOG_TRACE_CONTROL_DROPPED) && mine) {
        lose(reader, lane);
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
    if (fault(reader, &slot) != NULL)
        lane->damaged = true;
    else if (tells_trace(&slot))
        take_control(reader, lane, &slot);
    else if (cpu_of(&slot) == lane->cpu && !is_empty(&slot))
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
    lane->damaged = lane->damaged || reader->cut;
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

static void say(const struct trace *trace, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(const struct trace *trace, const char *format, ...)
{
    va_list arguments;

    if (trace->quiet)
        return;
    fprintf(stderr, "tlog-decode: %s: ", trace->input_name);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

/* What the first walk through the file finds. */
struct survey {
    struct kev_walk walk;
    struct qnx_join join;
    struct buffers common, own; /* buffers if all CPUs count together, and if each counts its own */
    uint32_t common_missing, own_missing, common_breaks, own_breaks;
    uint64_t end; /* offset behind the last slot */
};

/* The buffer ends here. */
static bool check_buffer(struct kev_reader *reader, const struct survey *survey, uint64_t offset)
{
    uint32_t expected = survey->common.expected, found = survey->common.found;

    if (!buffers_wrong(&survey->common, reader))
        return true;
    trace_damage(reader->trace, offset, 0, expected > found ? expected - found : 0,
                 "a buffer of %" PRIu32 " slots ends, but %" PRIu32 " are there", expected, found);
    return false;
}

static void survey_control(struct kev_reader *reader, struct survey *survey, const struct kev_slot *slot)
{
    unsigned cpu = cpu_of(slot);
    uint32_t missing;

    if (is_control(slot, TLOG_TRACE_CONTROL_TIME) && !reader->first[cpu].known) {
        reader->first[cpu] = (struct clock){true, slot->word[0]};
        reader->first_low[cpu] = slot->stamp;
    }
    if (!is_control(slot, TLOG_TRACE_CONTROL_BUFFER))
        return;
    check_buffer(reader, survey, slot->offset);
    missing = buffers_step(&survey->common, slot);
    survey->common_missing += missing;
    survey->common_breaks += missing > 0;
    missing = buffers_step(&survey->own, slot);
    survey->own_missing += missing;
    survey->own_breaks += missing > 0;
}

static void take_name(struct trace *trace, const struct qnx_event *event)
{
    char name[64] = "";
    size_t bytes = 8u * (event->slots < 8u ? event->slots : 7u);
    uint32_t what = qnx_word(event, 0);

    memcpy(name, event->data, bytes);
    if (what >> 16 >= 1u && what >> 16 <= TRACE_NAME_KINDS)
        trace_set_name(trace, (enum trace_name_kind)((what >> 16) - 1u), what & 0xFFFFu, name + 4);
}

/* Threads and names, in the order of the file. */
static void survey_names(struct kev_reader *reader, struct survey *survey, bool end)
{
    const struct qnx_joined *joined;

    while ((joined = qnx_join_take(&survey->join, end)) != NULL) {
        struct qnx_event event = event_of(reader, joined);

        if (event.class == TLOG_TRACE_CONTROL && event.event == TLOG_TRACE_CONTROL_NAME)
            take_name(reader->trace, &event);
        else
            qnx_note(&reader->types, &event);
    }
}

static bool is_named(const struct kev_slot *slot)
{
    return _NTO_TRACE_GETEVENT_C(slot->header) == _TRACE_PR_TH_C || is_control(slot, TLOG_TRACE_CONTROL_NAME);
}

static void survey_slot(struct kev_reader *reader, struct survey *survey, const struct kev_slot *slot)
{
    struct qnx_slot part = joinable(slot, 0);
    const char *why = fault(reader, slot);

    if (why != NULL) {
        trace_damage(reader->trace, slot->offset, KEV_SLOT_BYTES, 1, "%s", why);
    } else if (tells_trace(slot)) {
        survey_control(reader, survey, slot);
    } else if (is_named(slot)) {
        qnx_join_feed(&survey->join, &part);
        survey_names(reader, survey, false);
    }
    survey->common.found++;
    survey->own.found++;
    survey->end = slot->offset + KEV_SLOT_BYTES;
}

static void survey_end(struct kev_reader *reader, const struct survey *survey)
{
    struct trace *trace = reader->trace;
    uint64_t rest = input_size(reader->input) - survey->end;
    uint32_t missing;

    reader->per_cpu = survey->own_breaks < survey->common_breaks;
    missing = reader->per_cpu ? survey->own_missing : survey->common_missing;
    reader->cut = !check_buffer(reader, survey, survey->end) || rest > 0;
    if (rest > 0)
        trace_damage(trace, survey->end, rest, 1, "the file ends in the middle of a slot");
    if (missing > 0)
        say(trace, "%" PRIu32 " kernel buffer%s missing, with an unknown number of events", missing,
            missing == 1u ? " is" : "s are");
}

/* CPUs that slots are of, if the header does not tell. */
static unsigned count_cpus(struct kev_reader *reader, struct kev_walk *walk)
{
    struct kev_slot slot;
    unsigned cpus = reader->header.cpus > 0 ? reader->header.cpus : 1u;

    kev_walk_start(walk, reader->input, &reader->header);
    while (reader->header.cpus == 0 && kev_walk_next(walk, &slot)) {
        if (cpu_of(&slot) >= cpus)
            cpus = cpu_of(&slot) + 1u;
    }
    return cpus;
}

static int survey(struct kev_reader *reader)
{
    struct survey *survey = calloc(1, sizeof *survey);
    struct kev_slot slot;

    if (survey == NULL)
        return trace_fail(reader->trace, "%s: no memory", reader->trace->input_name);
    reader->trace->ncpus = count_cpus(reader, &survey->walk);
    reader->types.idle = reader->trace->ncpus;
    kev_walk_start(&survey->walk, reader->input, &reader->header);
    survey->end = reader->header.slots;
    survey->own.per_cpu = true;
    qnx_join_start(&survey->join);
    while (kev_walk_next(&survey->walk, &slot))
        survey_slot(reader, survey, &slot);
    survey_names(reader, survey, true);
    survey_end(reader, survey);
    free(survey);
    return 0;
}

static int start_lanes(struct kev_reader *reader)
{
    for (unsigned cpu = 0; cpu < reader->trace->ncpus; cpu++) {
        struct lane *lane = calloc(1, sizeof *lane);

        reader->lane[cpu] = lane;
        if (lane == NULL)
            return trace_fail(reader->trace, "%s: no memory for CPU %u", reader->trace->input_name, cpu);
        lane->cpu = cpu;
        lane->buffers.per_cpu = reader->per_cpu;
        kev_walk_start(&lane->walk, reader->input, &reader->header);
        qnx_join_start(&lane->join);
    }
    return 0;
}

static void kev_close(void *state)
{
    struct kev_reader *reader = state;

    if (reader->types.cut > 0)
        say(reader->trace, "%" PRIu64 " event%s of more than %u slots cut there", reader->types.cut,
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
    if (trace->clock_hz == 0)
        say(trace, "clock frequency unknown: times are ticks; --clock-hz=N tells it");
    qnx_types_start(&reader->types, trace, reader->header.release, 1, CONTEXTS);
    reader->loss = trace_type(trace, &loss_type);
    reader->damage = trace_type(trace, &damage_type);
    return survey(reader) != 0 || start_lanes(reader) != 0 ? -1 : 0;
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
