/* rate_search.c - marks of the clock's rate: see rate_search.h.
 *
 * The laps are loaded as they are when they are decoded: so a mark of which a seal mends a byte is one, and what cannot
 * be relied on is a hole.
 */
#include "formats/native/events/rate_search.h"

#include <string.h>

/* What is counted and told outside of the search. */
struct outside {
    struct trace_counts counts;
    bool quiet;
};

/* A lane that is searched. */
struct search {
    struct native_decoder *decoder;
    struct outside *outside;
    struct native_stream *stream;
    uint64_t last; /* stamp of the last slot that can be read */
    uint64_t next; /* number of the slot that should come next in the lane, from 1 on; 0: any */
    bool in_hole;  /* something behind it cannot be read, or is missing */
};

/* A slot that can be read ends a hole. */
static int take_stamp(struct search *search, uint64_t stamp)
{
    bool ends = search->in_hole;
    uint64_t from = search->last;
    search->in_hole = false;
    search->last = stamp;
    return ends ? native_rates_add_hole(&search->decoder->rates, search->decoder->trace,
                                        (struct native_rate_hole){from, stamp})
                : 0;
}

/* Where a slot of the loaded lap stands in the input, by the last image that shows it. */
static uint64_t offset_of(const struct search *search, uint32_t slot)
{
    const struct native_index *index = &search->decoder->index;
    const struct native_part *part = &index->parts[search->stream->at - 1u];
    while (part > &index->parts[search->stream->lane->first] && part[-1].lap == part->lap
           && (slot < native_part_first(index, part) || slot > native_part_available(index, part)))
        part--;
    return native_damage_offset(&index->images[part->image], native_slot_offset(slot));
}

/* Report a mark whose check is wrong. */
static void report(struct search *search, uint64_t offset)
{
    struct trace *trace = search->decoder->trace;
    struct trace_counts inside = trace->counts;
    trace->counts = search->outside->counts;
    trace->quiet = search->outside->quiet;
    trace_damage(trace, offset, (uint64_t)TLOG_RATE_SLOTS * TLOG_SLOT_BYTES, 0,
                 "a mark of the clock's rate is damaged: its check is wrong");
    search->outside->counts = trace->counts;
    trace->counts = inside;
    trace->quiet = true;
}

/* Take the mark in the next slots. One whose check is wrong is reported, and is a hole. */
static int take_mark(struct search *search, const unsigned char *slot)
{
    struct native_rate_mark mark;
    bool is_right = native_rates_read_mark(slot, &mark);
    mark.offset = offset_of(search, search->stream->slot);
    mark.ring = search->stream->lane->ring;
    if (is_right)
        return native_rates_add(&search->decoder->rates, search->decoder->trace, &mark);
    search->in_hole = true;
    report(search, mark.offset);
    return 0;
}

/* Take what can be read in the next slots of the lap. Returns how many these are, or 0 after trace_fail(). */
static uint32_t take_event(struct search *search)
{
    struct native_stream *stream = search->stream;
    const unsigned char *slot = native_lap_slot(&stream->lap, stream->slot);
    uint32_t n = 1;
    stream->recent = native_stream_stamp(stream);
    if (native_is_traceevent(native_head(slot)))
        n = native_lap_event_slots(&stream->lap, stream->slot);
    if (n == 0) { /* unfinished */
        search->in_hole = true;
        return 1;
    }
    if (take_stamp(search, stream->recent) != 0)
        return 0;
    if (n == TLOG_RATE_SLOTS && native_is_control(slot, TLOG_CONTROL_RATE) && take_mark(search, slot) != 0)
        return 0;
    return n;
}

/* The stamp of the last slot of a clean lap: counted from the last record, or from its beginning. */
static uint64_t last_stamp(struct native_stream *stream)
{
    uint32_t first = stream->lap.last;
    while (first > stream->lap.first && !native_stream_has_record(stream, first))
        first--;
    for (stream->slot = first; stream->slot <= stream->lap.last; stream->slot++)
        stream->recent = native_stream_stamp(stream);
    return stream->recent;
}

/* Take the slots of a clean lap: of these only the marks matter. One that is damaged makes all of the lap a hole. */
static int take_clean_lap(struct search *search)
{
    struct native_stream *stream = search->stream;
    for (; stream->slot <= stream->lap.last; stream->slot++) {
        const unsigned char *slot = native_lap_slot(&stream->lap, stream->slot);
        if (native_is_control(slot, TLOG_CONTROL_RATE) && native_head(slot) >> TLOG_STRUCT_SHIFT == TLOG_STRUCT_CB
            && native_lap_event_slots(&stream->lap, stream->slot) == TLOG_RATE_SLOTS && take_mark(search, slot) != 0)
            return -1;
    }
    stream->stamp = last_stamp(stream);
    return take_stamp(search, stream->stamp);
}

/* Take the slots of the loaded lap. Returns 0, or -1 after trace_fail(). */
static int take_lap(struct search *search)
{
    struct native_stream *stream = search->stream;
    uint32_t n;
    if (stream->lap.clean && !search->in_hole)
        return take_clean_lap(search);
    for (; stream->slot <= stream->lap.last; stream->slot += n) {
        enum native_state state = native_lap_state(&stream->lap, stream->slot);
        n = state <= NATIVE_WRAPPED ? take_event(search) : 1;
        if (n == 0)
            return -1;
        search->in_hole |= state > NATIVE_WRAPPED && state != NATIVE_CLAIMED && state != NATIVE_SILENT;
    }
    search->in_hole |= stream->lap.end > stream->lap.last;
    stream->stamp = search->last;
    return 0;
}

/* Whether slots are missing ahead of the loaded lap. The laps of a lane are counted through, as in stream.c. */
static bool is_behind_gap(struct search *search)
{
    const struct native_lap *lap = &search->stream->lap;
    const struct native_lane *lane = search->stream->lane;
    uint64_t turn = (lap->lap - 1u) * lane->chunks + (lane->chunks > 1u ? lap->number : 0);
    uint64_t first = turn * lap->slots + lap->first, expected = search->next;
    search->next = turn * lap->slots + lap->end + 1u;
    return expected > 0 && first != expected;
}

static int search_lane(struct native_decoder *decoder, struct native_stream *stream, struct outside *outside)
{
    struct search search = {.decoder = decoder, .outside = outside, .stream = stream};
    int more;
    while ((more = native_stream_lap(decoder, stream)) > 0) {
        search.in_hole |= is_behind_gap(&search);
        if (take_lap(&search) != 0)
            return -1;
    }
    if (more == 0 && search.in_hole)
        return native_rates_add_hole(&decoder->rates, decoder->trace,
                                     (struct native_rate_hole){search.last, UINT64_MAX});
    return more;
}

int native_rate_search(struct native_decoder *decoder, struct native_stream *streams, struct input *in)
{
    struct trace *trace = decoder->trace;
    struct outside outside = {trace->counts, trace->quiet};
    int result = 0;
    trace->quiet = true;
    for (size_t i = 0; i < decoder->index.nlanes && result == 0; i++) {
        const struct native_lane *lane = &decoder->index.lanes[i];
        if (lane->ring == NATIVE_RING_NAMES || native_is_emergency(lane->kind))
            continue;
        result = search_lane(decoder, &streams[i], &outside);
        native_stream_start(decoder, &streams[i], lane, in);
    }
    trace->counts = outside.counts;
    trace->quiet = outside.quiet;
    return result;
}
