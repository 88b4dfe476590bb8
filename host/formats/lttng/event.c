/* event.c - the events of one file of a trace: see event.h.
 *
 * An event is given out only if it looks right: its id is known, its payload ends where the header says, its time is in
 * that of the block. Where something is wrong, the walk goes on at the next offset at which an event seems to be, and
 * reports what lies between.
 */
#include "formats/lttng/event.h"

#include "io/input.h"
#include "formats/lttng/block.h"
#include "formats/lttng/event_header.h"

#include <inttypes.h>
#include <string.h>

#define JUMP_MAX         0x80000000u /* ticks that a stamp of 32 bits can be ahead in an open block */
#define FACILITY_7       28u   /* bytes of a facility's description behind its name, with the size of int: 0.7, 0.8 */
#define FACILITY_6       24u   /* without it: 0.3 to 0.6 */
#define CHAIN            8u    /* events that must follow each other to be taken for events */
#define SEARCH_MOST      4096u /* bytes in which such events are searched at a time, */
#define SEARCH_FACTOR    2u    /* and how often all bytes of a block are, on average */
#define DESCRIPTION_MOST 4096u /* bytes of the longest description that is read */
#define NOWHERE          UINT64_MAX /* an offset at which no event can be */

/* ---- what looks right -------------------------------------------------------------------------------------------- */

static bool is_heartbeat(const struct lttng_walk *walk, uint32_t id)
{
    return walk->header.family != LTTNG_METADATA && (id == LTTNG_HEARTBEAT_32 || id == LTTNG_HEARTBEAT_64);
}

/* Can an event of this id be in the file? */
static bool is_known(const struct lttng_walk *walk, uint32_t id)
{
    if (is_heartbeat(walk, id))
        return true;
    if (walk->metadata)
        return walk->header.family == LTTNG_FACILITIES ? id < 256u : id <= LTTNG_MARKER_FORMAT;
    return lttng_marker_find(walk->described, id) != NULL;
}

/* Is the event's time behind the block's end? An open block has none: there, a stamp that is too far ahead is wrong. */
static bool is_late(const struct lttng_walk *walk, const struct lttng_event_header *event)
{
    uint64_t tsc = lttng_full_stamp(walk->base, event);
    if (lttng_walk_is_open(walk))
        return tsc < walk->base || (event->stamp_bits == 32u && tsc - walk->base >= JUMP_MAX);
    return walk->bounded && tsc > walk->header.end;
}

/* Is there what may be an event at this offset, or the end of the block's events? */
static bool is_plausible(const struct lttng_walk *walk, uint64_t at)
{
    struct lttng_event_header event;
    if (at >= walk->limit)
        return at == walk->limit;
    return lttng_event_header_read(walk, at, &event) && is_known(walk, event.id) && !is_late(walk, &event)
           && (event.size == LTTNG_SIZE_UNKNOWN || event.size <= walk->limit - event.payload);
}

/* Do CHAIN events, or all up to the end of the block, follow each other from here? False if the size of one is
 * unknown. */
static bool is_chain(const struct lttng_walk *walk, uint64_t at)
{
    struct lttng_event_header event;
    unsigned n;
    for (n = 0; n < CHAIN && at < walk->limit; n++) {
        if (!lttng_event_header_read(walk, at, &event) || !is_known(walk, event.id) || event.size == LTTNG_SIZE_UNKNOWN
            || is_late(walk, &event) || event.size > walk->limit - event.payload)
            return false;
        at = event.payload + event.size;
    }
    return n > 0;
}

/* Offset of the first chain of events from an offset on, or of the end of the block's events: also when so much of the
 * block was searched in vain that it can hardly be made of events. */
static uint64_t find_chain(struct lttng_walk *walk, uint64_t from)
{
    uint64_t most = from + SEARCH_MOST < walk->limit ? from + SEARCH_MOST : walk->limit;
    if (walk->searched > SEARCH_MOST + SEARCH_FACTOR * (walk->limit - walk->block))
        return walk->limit;
    for (; from < most; from++, walk->searched++) {
        if (lttng_pad(from - walk->block, walk->header.arch_size, walk->header.alignment) == 0 && is_chain(walk, from))
            return from;
    }
    return walk->limit;
}

/* ---- leaving out what is no event -------------------------------------------------------------------------------- */

/* Offset at which the header says that the event ends, or NOWHERE. */
static uint64_t end_by_header(const struct lttng_event_header *event)
{
    return event->size == LTTNG_SIZE_UNKNOWN ? NOWHERE : event->payload + event->size;
}

/* Where to go on behind a broken event: at one of two offsets, if there is an event, else where a chain of events is
 * found, else at the end of the block. In version 2 nearly all words look like events, so there only sizes are
 * followed. */
static uint64_t find_next(struct lttng_walk *walk, const struct lttng_event_header *event, uint64_t first,
                          uint64_t second)
{
    bool is_version_2 = walk->header.family == LTTNG_METADATA;
    uint64_t to = walk->limit;
    if (is_version_2 && event->size == LTTNG_SIZE_UNKNOWN)
        return to;
    if (is_plausible(walk, first))
        to = first;
    if (second < to && is_plausible(walk, second)) /* a wrong size may lead to an event, too, but to a later one */
        to = second;
    if (to == walk->limit && first != to && second != to && !is_version_2)
        to = find_chain(walk, event->payload);
    return to;
}

/* A broken event is left out: report it and go on behind it, see find_next(). If its stamp is full and lies in the
 * block's time, short stamps count on from it. In an open block the first broken event is taken to be the end, which
 * is no damage. */
static void skip(struct lttng_walk *walk, const struct lttng_event_header *event, uint64_t first, uint64_t second,
                 const char *why)
{
    uint64_t to;
    bool is_one_event;
    if (lttng_walk_is_open(walk)) {
        walk->at = walk->limit;
        return;
    }
    to = find_next(walk, event, first, second);
    is_one_event = to < walk->limit || first == to || second == to;
    if (event->stamp_bits == LTTNG_FULL_STAMP && walk->bounded && event->stamp >= walk->base
        && event->stamp <= walk->header.end)
        walk->base = event->stamp;
    walk->at = to;
    lttng_walk_damage(walk, event->offset, to - event->offset, is_one_event ? 1 : 0, "%s (id %" PRIu32 ")", why,
                      event->id);
}

/* ---- times that are wrong ---------------------------------------------------------------------------------------- */

static bool read_payload(const struct lttng_walk *walk, const struct lttng_event_header *event,
                         const struct lttng_marker *marker, struct lttng_payload *payload)
{
    bool facilities = walk->header.family == LTTNG_FACILITIES;
    const struct lttng_stored_payload stored = {
        .in = walk->in,
        .block = walk->block,
        .at = event->payload,
        .limit = walk->limit,
        .size = event->size,
        .compact = event->compact,
        .id = facilities ? event->id & 0xFFu : event->id, /* the event's number in its facility */
        .big = walk->header.big,
        .aligns_start = walk->header.family == LTTNG_METADATA,
        .natural = lttng_block_header_is_natural(&walk->header),
    };
    return lttng_payload_read(marker, &stored, payload);
}

/* Can an event of time tsc come before the next one, in this block? */
static bool fits_before(const struct lttng_walk *walk, uint64_t tsc, const struct lttng_event_header *next)
{
    uint64_t next_tsc = lttng_full_stamp(tsc, next);
    return next_tsc >= tsc && next_tsc <= walk->header.end;
}

/* Read the header behind an event that was not taken yet. */
static bool read_after(const struct lttng_walk *walk, const struct lttng_event_header *event,
                       struct lttng_event_header *after)
{
    const struct lttng_marker *marker = lttng_marker_find(walk->described, event->id);
    struct lttng_payload payload;
    if (marker == NULL || !read_payload(walk, event, marker, &payload)
        || !lttng_event_header_read(walk, payload.end, after))
        return false;
    return is_known(walk, after->id);
}

/* An event of time tsc ends at an offset, where the next event is. Is its time wrong? It is if the next event fits
 * after the last one, but not after this one, and neither does the event after the next; or if the next event ends the
 * block, to the tick. */
static bool is_outlier(const struct lttng_walk *walk, uint64_t tsc, uint64_t at)
{
    struct lttng_event_header next, after;
    if (!walk->bounded || !lttng_event_header_read(walk, at, &next) || !is_known(walk, next.id)
        || fits_before(walk, tsc, &next) || !fits_before(walk, walk->base, &next))
        return false;
    if (read_after(walk, &next, &after))
        return !fits_before(walk, tsc, &after);
    return lttng_full_stamp(walk->base, &next) == walk->header.end;
}

/* ---- heartbeats -------------------------------------------------------------------------------------------------- */

/* Bytes of a heartbeat's payload: a full stamp, or nothing. Before 0.7 it has a time of its own, which is not
 * needed. */
static uint32_t heartbeat_size(const struct lttng_walk *walk, const struct lttng_event_header *event)
{
    bool has_time = walk->header.family == LTTNG_FACILITIES && event->size != LTTNG_SIZE_UNKNOWN;
    if (event->id == LTTNG_HEARTBEAT_64 && !(has_time && event->size != 8))
        return 8;
    return has_time ? event->size : 0;
}

static void take_heartbeat(struct lttng_walk *walk, const struct lttng_event_header *event)
{
    uint32_t size = heartbeat_size(walk, event);
    struct cursor cursor = input_cursor(walk->in, event->payload, walk->limit, walk->header.big);
    uint64_t tsc = lttng_full_stamp(walk->base, event);
    if (event->size != LTTNG_SIZE_UNKNOWN && (event->size != size || size % 4u != 0)) {
        skip(walk, event, event->payload + size, end_by_header(event), "a heartbeat of a wrong size");
        return;
    }
    if (event->id == LTTNG_HEARTBEAT_64 && size == 8)
        tsc = cursor_64(&cursor);
    else
        cursor_skip(&cursor, size);
    if (cursor.bad) {
        skip(walk, event, NOWHERE, NOWHERE, "a heartbeat that goes beyond its block");
        return;
    }
    if (tsc < walk->base || (walk->bounded && tsc > walk->header.end) || is_outlier(walk, tsc, cursor.at))
        lttng_walk_damage(walk, event->offset, 0, 0, "a heartbeat of a time outside its block: ignored");
    else
        walk->base = tsc;
    walk->at = cursor.at;
    walk->events++;
}

/* ---- descriptions ------------------------------------------------------------------------------------------------ */

/* In versions 0.3 to 0.8: name, checksum, id, and sizes of C's types. Other events of the core are passed over. */
static const char *learn_facility(struct lttng_walk *walk, struct cursor payload)
{
    const char *name = lttng_text(&payload);
    uint64_t rest = cursor_left(&payload);
    uint32_t id;
    if (name == NULL || name[0] == '\0' || rest < FACILITY_6 || rest >= FACILITY_7 + 4u)
        return NULL;
    cursor_skip(&payload, rest - (rest >= FACILITY_7 ? FACILITY_7 : FACILITY_6)); /* padding */
    cursor_skip(&payload, 4);                                                     /* checksum */
    id = cursor_32(&payload);
    if (id == 0 || id > 255u)
        return "gives a facility a number that is none of 1 to 255";
    return lttng_markers_facility(walk->markers, (uint16_t)(id << 8), name);
}

/* Bytes of a description by what it holds, for headers that do not have its size. */
static uint32_t description_size(const struct lttng_walk *walk, const struct lttng_event_header *event,
                                 struct cursor payload)
{
    bool is_id = event->id == LTTNG_MARKER_ID;
    for (unsigned texts = (is_id ? 1u : 2u) + walk->markers->per_channel; texts > 0; texts--)
        lttng_text(&payload);
    if (is_id)
        cursor_skip(&payload, lttng_pad(payload.at, 2, walk->header.alignment) + 7u);
    return payload.bad ? LTTNG_SIZE_UNKNOWN : (uint32_t)payload.at;
}

/* Learn from a description of size bytes, of which the payload holds those that were read. NULL, or what is wrong. */
static const char *learn(struct lttng_walk *walk, const struct lttng_event_header *event, struct cursor payload,
                         uint32_t size)
{
    if (size > payload.end)
        return size != LTTNG_SIZE_UNKNOWN && size <= walk->limit - event->payload ? "is too long"
                                                                                  : "goes beyond its block";
    payload.end = size;
    if (walk->header.family == LTTNG_FACILITIES)
        return learn_facility(walk, payload);
    return lttng_markers_learn(walk->markers, event->id == LTTNG_MARKER_FORMAT, payload, &walk->header);
}

static void take_description(struct lttng_walk *walk, const struct lttng_event_header *event)
{
    unsigned char data[DESCRIPTION_MOST];
    uint64_t left = walk->limit - event->payload;
    size_t n = input_read(walk->in, event->payload, data, left < sizeof data ? (size_t)left : sizeof data);
    struct cursor payload = cursor_in_memory(data, n, walk->header.big);
    uint32_t size = event->size == LTTNG_SIZE_UNKNOWN ? description_size(walk, event, payload) : event->size;
    const char *wrong = learn(walk, event, payload, size);
    if (wrong != NULL) {
        char why[100] = "a description that ";
        strncat(why, wrong, sizeof why - strlen(why) - 1u);
        size = description_size(walk, event, payload);
        skip(walk, event, end_by_header(event), size == LTTNG_SIZE_UNKNOWN ? NOWHERE : event->payload + size, why);
        return;
    }
    walk->base = lttng_full_stamp(walk->base, event);
    walk->at = event->payload + size;
    walk->events++;
}

/* ---- ordinary events --------------------------------------------------------------------------------------------- */

/* Set the walk's time. Time does not go back: an event whose time is before the last one's, or later than those of the
 * next ones, gets the time of the last one. */
static void take_time(struct lttng_walk *walk, const struct lttng_event_header *event)
{
    uint64_t tsc = lttng_full_stamp(walk->base, event);
    if (is_outlier(walk, tsc, walk->payload.end)) {
        lttng_walk_damage(walk, event->offset, 0, 0,
                          "an event of a time behind the next one's: it gets that of the one before");
        tsc = walk->base;
    }
    walk->before = walk->base;
    walk->base = tsc < walk->base ? walk->base : tsc;
    if (tsc >= walk->tsc) {
        walk->tsc = tsc;
        return;
    }
    if (!walk->reported_back)
        lttng_walk_damage(walk, event->offset, 0, 0, "time runs back: events get the time of the one before");
    walk->reported_back = true;
}

/* An event is late: is it the block's end that is wrong, not the event's time? So it is if this is the first event,
 * and the one behind it is late, too. */
static bool has_wrong_end(const struct lttng_walk *walk)
{
    struct lttng_event_header next;
    return !lttng_walk_is_open(walk) && walk->base == walk->before
           && lttng_event_header_read(walk, walk->payload.end, &next) && is_known(walk, next.id)
           && is_late(walk, &next);
}

/* Is the header's size wrong, when no format says how long the payload is? It is if no event follows, unless what
 * follows is a broken one: then a chain of events cannot be found before it. */
static bool has_wrong_size(struct lttng_walk *walk, const struct lttng_event_header *event)
{
    struct lttng_event_header next;
    uint64_t end = walk->payload.end;
    if (!walk->marker->as_bytes || lttng_walk_is_open(walk) || is_plausible(walk, end))
        return false;
    if (!lttng_event_header_read(walk, end, &next))
        return true;
    if (is_known(walk, next.id) && next.size <= walk->limit - next.payload)
        return false;
    return find_chain(walk, event->payload) < next.payload;
}

/* Is an event late, of which all else is right? The block's end or the walk's base is changed if that is what is
 * wrong. */
static bool stays_late(struct lttng_walk *walk, const struct lttng_event_header *event)
{
    if (!is_late(walk, event))
        return false;
    if (has_wrong_end(walk)) {
        lttng_walk_damage(walk, walk->block, 0, 0, "the block ends before its first event");
        walk->bounded = false;
    }
    if (is_late(walk, event) && !lttng_walk_is_open(walk)) /* it is not late if the last event's time was wrong */
        walk->base = walk->before;
    return is_late(walk, event);
}

static bool take_event(struct lttng_walk *walk, const struct lttng_event_header *event)
{
    const struct lttng_payload *payload = &walk->payload;
    if (!read_payload(walk, event, walk->marker, &walk->payload)) {
        skip(walk, event, end_by_header(event), NOWHERE, "an event that goes beyond its block");
        return false;
    }
    if (event->size != LTTNG_SIZE_UNKNOWN && payload->end - payload->start != event->size) {
        skip(walk, event, payload->start + event->size, payload->end,
             "an event whose size is not what its format says");
        return false;
    }
    if (has_wrong_size(walk, event)) {
        skip(walk, event, NOWHERE, NOWHERE, "an event of a wrong size");
        return false;
    }
    if (stays_late(walk, event)) {
        skip(walk, event, payload->end, NOWHERE, "an event of a time behind its block");
        return false;
    }
    take_time(walk, event);
    walk->offset = event->offset;
    walk->at = payload->end;
    walk->events++;
    return true;
}

/* ---- the walk ---------------------------------------------------------------------------------------------------- */

/* Set the walk's marker, if the event is an ordinary one. Returns false if its id is not known. */
static bool find_marker(struct lttng_walk *walk, uint32_t id)
{
    if (walk->metadata || is_heartbeat(walk, id))
        return is_known(walk, id);
    walk->marker = lttng_marker_find(walk->described, id);
    return walk->marker != NULL;
}

/* Take an event whose id is known. Returns true if it is to be given out. */
static bool take_known(struct lttng_walk *walk, const struct lttng_event_header *event)
{
    bool facilities = walk->header.family == LTTNG_FACILITIES;
    if (is_heartbeat(walk, event->id) && !(walk->metadata && facilities)) {
        take_heartbeat(walk, event);
        return false;
    }
    if (walk->metadata) {
        take_description(walk, event);
        return false;
    }
    if (walk->marker->as_bytes && !facilities && !walk->marker->reported && !walk->quiet) {
        lttng_walk_damage(walk, event->offset, 0, 0,
                          "an event whose marker has no format: it is shown as bytes (id %" PRIu32 ")", event->id);
        walk->marker->reported = true;
    }
    return take_event(walk, event);
}

/* A block begins with its first event. If that seems to be much later, it is in truth before the begin: either the
 * begin or the stamp is wrong. */
static void check_first(struct lttng_walk *walk, const struct lttng_event_header *event)
{
    unsigned bits = event->stamp_bits + event->truncate;
    uint64_t tsc = lttng_full_stamp(walk->base, event);
    if (bits >= LTTNG_FULL_STAMP || !walk->bounded || (tsc - walk->base) >> (bits - 1u) == 0)
        return;
    lttng_walk_damage(walk, walk->block, 0, 0, "the block begins after its first event");
    walk->base = walk->before = tsc - (UINT64_C(1) << bits);
}

/* Can the headers of compact events be taken apart? Their word has 32 bits, of which the stamp takes at least one. */
static bool has_good_words(const struct lttng_block_header *header)
{
    return header->tscbits > 0 && header->tscbits <= header->data_shift && header->data_shift <= 31u
           && header->truncate <= 32u;
}

/* Take what is at walk->at and move on behind it, to walk->limit at most. Returns true if it is an event to give
 * out. */
static bool take(struct lttng_walk *walk)
{
    struct lttng_event_header event;
    if (walk->compact && !has_good_words(&walk->header)) {
        lttng_walk_damage(walk, walk->block, walk->limit - walk->at, 0, "its compact words cannot be taken apart");
        walk->at = walk->limit;
        return false;
    }
    if (!lttng_event_header_read(walk, walk->at, &event)) {
        if (!lttng_walk_is_open(walk))
            lttng_walk_damage(walk, walk->at, walk->limit - walk->at, 0, "bytes that are too few for an event");
        walk->at = walk->limit;
        return false;
    }
    if (!find_marker(walk, event.id)) {
        skip(walk, &event, end_by_header(&event), NOWHERE, "an event that no marker describes");
        return false;
    }
    if (!walk->metadata && event.offset == walk->block + walk->header.first)
        check_first(walk, &event);
    return take_known(walk, &event);
}

bool lttng_event_next(struct lttng_walk *walk)
{
    for (;;) {
        while (walk->at < walk->limit) {
            if (take(walk))
                return true;
        }
        lttng_block_leave(walk);
        if (walk->trace->failed || !lttng_block_next(walk))
            return false;
    }
}
