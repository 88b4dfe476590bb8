/* decoder.c - the events of a source, of all CPUs or of one: see decoder.h.
 *
 * CPUs share tasks. So if one CPU is read after the other, all events are first followed once in the order of time, to
 * find out what tasks do on several CPUs (decode/cross_cpu.h).
 */
#include "library/decoder.h"

#include "base/heap.h"
#include "decode/filter.h"
#include "decode/map.h"
#include "decode/select.h"
#include "events/nesting.h"

#include <stddef.h>
#include <inttypes.h>

/* ---- what tasks do on several CPUs ------------------------------------------------------------------------------- */

/* Whether the source's mapping needs updates, because it gets one CPU after the other. */
static bool needs_updates(const struct decode_source *source)
{
    const struct trace_writer *writer = source->request->writer;
    return !writer->merged && source->trace.ncpus > 1 && !source->trace.mapped && !writer->native
           && source->request->map != TLOG_MAP_NATIVE;
}

/* Bring the CPU's lane to its next special event: 1, 0 at the end, -1 after trace_fail(). */
static int find_special(struct decode_source *source, unsigned cpu)
{
    struct decode_lane *lane = &source->lanes[cpu];
    int got = 1;
    while (got > 0) {
        lane->at = decode_map_find_special(source->map, cpu, &lane->in, lane->at);
        if (decode_lane_has_event(lane))
            break;
        got = decode_source_fill(source, cpu);
    }
    return got;
}

/* Follow the first CPU's event, and go to its next one. 0, or -1 after trace_fail(). */
static int follow_first(struct decode_source *source, struct decode_queue *queue)
{
    unsigned cpu = queue->at[0].cpu;
    struct decode_lane *lane = &source->lanes[cpu];
    int got;
    decode_map_follow(source->map, cpu, &lane->in.event[lane->at], &source->lanes[0].out);
    lane->at++;
    got = find_special(source, cpu);
    decode_queue_next(queue, got > 0, lane);
    return got < 0 || source->trace.failed ? -1 : 0;
}

/* Follow all events. 0, or -1 after trace_fail(). */
static int follow_all(struct decode_source *source, struct decode_queue *queue)
{
    if (decode_queue_fill(queue, source, find_special) != 0)
        return -1;
    while (queue->n > 0) {
        if (follow_first(source, queue) != 0)
            return -1;
    }
    return 0;
}

/* Make a second source of the same input, whose mapping records updates. 0, or -1 after trace_fail(). */
static int start_recorder(struct decode_source *second, const struct decode_source *source)
{
    struct trace *trace = &second->trace;
    decode_source_repeat(second, source, source->request);
    if (decode_source_start(second) != 0)
        return -1;
    return decode_map_record(second->map) ? 0 : trace_fail(trace, "%s: no memory for tasks", trace->input_name);
}

/* Give the mapping of a source, which is started, its updates. 0, or -1 after trace_fail(). */
static int find_updates(struct decode_source *source)
{
    struct decode_source *second = heap_calloc(1, sizeof *second);
    struct decode_queue queue = {heap_calloc(source->trace.ncpus, sizeof *queue.at), 0};
    int result = -1;
    if (second == NULL || queue.at == NULL) {
        heap_free(second);
        heap_free(queue.at);
        return trace_fail(&source->trace, "no memory for %u CPUs", source->trace.ncpus);
    }
    if (start_recorder(second, source) == 0 && follow_all(second, &queue) == 0) {
        decode_map_take_updates(source->map, second->map);
        result = 0;
    } else {
        trace_fail(&source->trace, "%s", second->trace.failed ? second->trace.error : "cannot be read twice");
    }
    heap_free(queue.at);
    decode_source_release_repeated(second);
    heap_free(second);
    return result;
}

/* ---- beginning --------------------------------------------------------------------------------------------------- */

int library_start(struct tlog_decoder *decoder)
{
    struct decode_source *source = &decoder->source;
    if (decode_source_start(source) != 0 || (needs_updates(source) && find_updates(source) != 0)
        || decode_source_meets_lives(source))
        return -1;
    source->knows_lives |= needs_updates(source);
    decode_source_begin_edges(source);
    return 0;
}

void library_begin_again(struct tlog_decoder *decoder)
{
    heap_free(decoder->queue.at);
    decoder->queue = (struct decode_queue){NULL, 0};
    decoder->is_queued = decoder->was_read = false;
}

void library_release(struct tlog_decoder *decoder)
{
    library_begin_again(decoder);
    decode_source_release(&decoder->source);
}

void library_release_repeated(struct tlog_decoder *decoder)
{
    library_begin_again(decoder);
    decode_source_release_repeated(&decoder->source);
}

/* ---- one CPU ----------------------------------------------------------------------------------------------------- */

/* Map the next events of a CPU's lane. */
static enum tlog_result map_lane(struct decode_source *source, unsigned cpu, uint64_t until, struct trace_batch **batch)
{
    if (decode_source_map(source, cpu, until) != 0 || decode_source_meets_lives(source))
        return TLOG_FAILED;
    *batch = &source->lanes[cpu].out;
    return TLOG_EVENTS;
}

/* See that the CPU's lane has an event: its first ones may be there already. 1; 0 at the end; -1 after trace_fail(). */
static int fill(struct decode_source *source, unsigned cpu)
{
    return decode_lane_has_event(&source->lanes[cpu]) ? 1 : decode_source_fill(source, cpu);
}

enum tlog_result library_next_of(struct tlog_decoder *decoder, unsigned cpu, struct trace_batch **batch)
{
    int got = fill(&decoder->source, cpu);
    return got <= 0 ? (enum tlog_result)got : map_lane(&decoder->source, cpu, UINT64_MAX, batch);
}

/* ---- all CPUs ---------------------------------------------------------------------------------------------------- */

/* Queue all CPUs that have events. 0, or -1 after trace_fail(). */
static int begin_queue(struct tlog_decoder *decoder)
{
    struct trace *trace = &decoder->source.trace;
    decoder->queue.at = heap_calloc(trace->ncpus + 1u, sizeof *decoder->queue.at); /* + 1: ncpus may be 0 */
    if (decoder->queue.at == NULL)
        return trace_fail(trace, "no memory for %u CPUs", trace->ncpus);
    decoder->is_queued = true;
    return decode_queue_fill(&decoder->queue, &decoder->source, fill);
}

/* The first CPU's events were given out: see what it has next. 0, or -1 after trace_fail(). */
static int go_on(struct tlog_decoder *decoder)
{
    struct decode_queue *queue = &decoder->queue;
    struct decode_lane *lane = &decoder->source.lanes[queue->at[0].cpu];
    int got = fill(&decoder->source, queue->at[0].cpu);
    decoder->was_read = false;
    if (got >= 0)
        decode_queue_next(queue, got > 0 || lane->edge.time != UINT64_MAX, lane);
    return got < 0 ? -1 : 0;
}

int library_look(struct tlog_decoder *decoder, uint64_t *time)
{
    if ((!decoder->is_queued && begin_queue(decoder) != 0) || (decoder->was_read && go_on(decoder) != 0))
        return -1;
    if (decoder->queue.n == 0)
        return 0;
    *time = decoder->queue.at[0].time;
    return 1;
}

bool library_has_events(const struct tlog_decoder *decoder)
{
    for (unsigned i = 0; i < decoder->queue.n; i++) {
        if (decode_lane_has_event(&decoder->source.lanes[decoder->queue.at[i].cpu]))
            return true;
    }
    return false;
}

enum tlog_result library_next(struct tlog_decoder *decoder, uint64_t until, unsigned *cpu, struct trace_batch **batch)
{
    uint64_t time, second;
    int got = library_look(decoder, &time);
    if (got <= 0)
        return (enum tlog_result)got;
    second = decode_queue_second(&decoder->queue);
    decoder->was_read = true;
    *cpu = decoder->queue.at[0].cpu;
    return map_lane(&decoder->source, *cpu, second < until ? second : until, batch);
}

/* ---- at the end -------------------------------------------------------------------------------------------------- */

/* If all events have one time, and there are at least so many, the clock stood still: even a slow one would have gone
 * on meanwhile. */
#define STILL_EVENTS 16u

#define STILL_CLOCK "bear the same time: the target's clock did not run; TLOG_CLOCK_ADDRESS gives it another one"

/* Warn of a clock that stood still: a cycle counter that was never switched on, or that is missing, always reads the
 * same. Each CPU may have one of its own. A single event of a CPU tells nothing of it. */
static void note_still_clock(const struct decode_source *source)
{
    const struct trace_counts *counts = &source->trace.counts;
    uint64_t most = 0;
    for (unsigned i = 0; i < source->trace.ncpus; i++)
        most = source->lanes[i].events > most ? source->lanes[i].events : most;
    if (counts->events >= STILL_EVENTS && counts->first == counts->last && most > 1) {
        trace_note(&source->trace, "all %" PRIu64 " events " STILL_CLOCK, counts->events);
        return;
    }
    for (unsigned i = 0; i < source->trace.ncpus; i++) {
        const struct decode_lane *lane = &source->lanes[i];
        if (!lane->has_moved && lane->events >= STILL_EVENTS)
            trace_note(&source->trace, "CPU %u: all %" PRIu64 " events " STILL_CLOCK, i, lane->events);
    }
}

bool library_tell(const struct tlog_decoder *decoder)
{
    const struct decode_source *source = &decoder->source;
    note_still_clock(source);
    nesting_tell(source->nesting);
    decode_map_tell(source->map);
    if (source->select != NULL)
        decode_select_tell(source->select);
    if (source->filter != NULL)
        decode_filter_tell(source->filter);
    return source->trace.firmware != NULL && source->trace.firmware->is_wrong;
}
