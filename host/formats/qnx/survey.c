/* survey.c - finds CPUs, threads, names, missing buffers and damage of a .kev file: see survey.h. */
#include "formats/qnx/survey.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Missing kernel buffers, by one way to number them. */
struct count {
    struct kev_buffers buffers;
    uint32_t missing; /* buffers */
    uint32_t breaks;  /* how often buffers are missing between two that are there */
};

struct work {
    struct trace *trace;
    const struct kev_header *header;
    struct qnx_threads *threads;
    struct kev_survey *survey;
    struct kev_walk walk;
    struct qnx_join join;     /* of the events that tell threads and names */
    struct count common, own; /* if all CPUs number buffers together; if each CPU numbers its own */
    uint64_t end;             /* offset behind the last slot so far */
};

/* ---- buffers --------------------------------------------------------------------------------------------------- */

/* The present buffer ends at that offset. False, after trace_damage(), if its slots are not as many as it tells. */
static bool check_buffer(const struct work *work, uint64_t offset)
{
    uint32_t expected = work->common.buffers.expected, found = work->common.buffers.found;
    if (!kev_buffers_wrong(&work->common.buffers, work->header->release))
        return true;
    trace_damage(work->trace, offset, 0, expected > found ? expected - found : 0,
                 "a buffer of %" PRIu32 " slots ends, but %" PRIu32 " are there", expected, found);
    return false;
}

/* A buffer begins with the slot. */
static void count_buffer(struct count *count, const struct kev_slot *slot)
{
    uint32_t missing = kev_buffers_step(&count->buffers, slot);
    count->missing += missing;
    count->breaks += missing > 0;
}

/* Take a slot that is about the trace. */
static void take_control(struct work *work, const struct kev_slot *slot)
{
    struct kev_time *first = &work->survey->first[kev_cpu(slot)];
    if (kev_is_control(slot, TLOG_CONTROL_TIME) && !first->known)
        *first = (struct kev_time){true, slot->word[0], slot->stamp};
    if (kev_is_control(slot, TLOG_CONTROL_DROPPED) && work->header->counts)
        trace_count_dropped(work->trace, kev_cpu(slot), slot->word[0] | (uint64_t)slot->word[1] << 32);
    if (!kev_is_control(slot, TLOG_CONTROL_BUFFER))
        return;
    check_buffer(work, slot->offset);
    count_buffer(&work->common, slot);
    count_buffer(&work->own, slot);
}

/* ---- names ----------------------------------------------------------------------------------------------------- */

/* Take a CONTROL NAME: in its first word the id, and the kind of name + 1 above; then the name. */
static void take_name(struct trace *trace, const struct qnx_event *event)
{
    char name[64] = "";
    size_t bytes = 8u * (event->slots < 8u ? event->slots : 7u);
    uint32_t what = qnx_word(event, 0);
    memcpy(name, event->data, bytes);
    if (what >> 16 >= 1u && what >> 16 <= TRACE_NAME_KINDS)
        trace_set_name(trace, (enum trace_name_kind)((what >> 16) - 1u), what & 0xFFFFu, name + 4);
}

/* Take threads and names of the events that are whole; of all that are left if it is the end. */
static void take_joined(struct work *work, bool end)
{
    const struct qnx_joined *joined;
    while ((joined = qnx_join_take(&work->join, end)) != NULL) {
        struct qnx_event event = kev_event(joined, work->header->big);
        if (event.class == TLOG_CLASS_CONTROL && event.event == TLOG_CONTROL_NAME)
            take_name(work->trace, &event);
        else
            qnx_threads_note(work->threads, &event);
    }
}

/* Whether the slot is of an event that may tell a thread or a name. */
static bool may_name(const struct kev_slot *slot)
{
    return _NTO_TRACE_GETEVENT_C(slot->header) == _TRACE_PR_TH_C || kev_is_control(slot, TLOG_CONTROL_NAME);
}

/* ---- the walk -------------------------------------------------------------------------------------------------- */

/* Take any slot: report what is wrong with it, or let it tell what it can. */
static void take_slot(struct work *work, const struct kev_slot *slot)
{
    struct qnx_slot part = kev_joinable(slot, 0);
    const char *why = kev_fault(slot, work->header->release, work->trace->ncpus);
    if (why != NULL) {
        trace_damage(work->trace, slot->offset, KEV_SLOT_BYTES, 1, "%s", why);
    } else if (kev_tells_trace(slot)) {
        take_control(work, slot);
    } else if (may_name(slot)) {
        qnx_join_feed(&work->join, &part);
        take_joined(work, false);
    }
    work->common.buffers.found++;
    work->end = slot->offset + KEV_SLOT_BYTES;
}

/* The walk has come to the end; size: of the input. If buffers are numbered per CPU, numbering them together finds more
 * of them missing, and the other way round: the true way is the one with fewer breaks. */
static void finish(struct work *work, uint64_t size)
{
    struct kev_survey *survey = work->survey;
    uint64_t rest = size - work->end;
    uint32_t missing;
    take_joined(work, true);
    survey->per_cpu = work->own.breaks < work->common.breaks;
    missing = survey->per_cpu ? work->own.missing : work->common.missing;
    survey->cut = !check_buffer(work, work->end) || rest > 0;
    if (rest > 0)
        trace_damage(work->trace, work->end, rest, 1, "the file ends in the middle of a slot");
    if (missing > 0)
        trace_note(work->trace, "%" PRIu32 " kernel buffer%s missing, with an unknown number of events", missing,
                   missing == 1u ? " is" : "s are");
}

/* How many CPUs there are: as the header tells, else as the slots need. */
static unsigned count_cpus(struct work *work, struct input *in)
{
    struct kev_slot slot;
    unsigned cpus = work->header->cpus > 0 ? work->header->cpus : 1u;
    kev_walk_start(&work->walk, in, work->header);
    while (work->header->cpus == 0 && kev_walk_next(&work->walk, &slot)) {
        if (kev_cpu(&slot) >= cpus)
            cpus = kev_cpu(&slot) + 1u;
    }
    return cpus;
}

int kev_survey(struct trace *trace, struct input *in, const struct kev_header *header, struct qnx_threads *threads,
               struct kev_survey *survey)
{
    struct work *work = calloc(1, sizeof *work);
    struct kev_slot slot;
    if (work == NULL)
        return trace_fail(trace, "%s: no memory", trace->input_name);
    work->trace = trace;
    work->header = header;
    work->threads = threads;
    work->survey = survey;
    work->end = header->slots;
    work->own.buffers.per_cpu = true;
    qnx_join_start(&work->join);
    /* The number of CPUs must be known before: process 1 has an idle thread for each, and faults depend on it. */
    trace->ncpus = threads->idle = count_cpus(work, in);
    kev_walk_start(&work->walk, in, header);
    while (kev_walk_next(&work->walk, &slot))
        take_slot(work, &slot);
    finish(work, input_size(in));
    free(work);
    return 0;
}
