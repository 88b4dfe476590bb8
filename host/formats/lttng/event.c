/* event.c - the events of one file of a trace: see event.h.
 *
 * An event is given out only if it looks right: its id is known, its payload ends where the header says, and its time
 * lies between the begin and the end of its block. Where something is wrong, reading goes on at the next offset that
 * seems to hold an event, and the bytes between are reported.
 *
 * Headers of events
 *   0.3 to 1.0       stamp of 32 or 64 bits, id, size of the payload
 *   2.0 to 2.6       a word of id and stamp, and more if an id of 29 to 31 announces it
 *   channel compact  a word of data, id and stamp
 */
#include "formats/lttng/event.h"

#include "formats/lttng/layout.h"
#include "formats/lttng/payload.h"

#include "io/input.h"

#include <inttypes.h>
#include <string.h>

#define HEADER_MOST      32u         /* no header is longer, in bytes, padding included */
#define STAMP_BITS       27u         /* of version 2 */
#define WITH_TIME        29u         /* ids of version 2 that announce more of a header: id, size and full stamp */
#define WITH_SIZE        30u         /* id and size */
#define WITH_ID          31u         /* id */
#define FULL_STAMP       64u         /* bits of a stamp that needs no other to count on from */
#define JUMP_MAX         0x80000000u /* ticks that a stamp of 32 bits can be ahead in an open block */
#define CHAIN            8u          /* events that must follow each other to be taken for events */
#define SEARCH_MOST      4096u       /* bytes in which such events are searched at a time, */
#define SEARCH_FACTOR    2u          /* and how often each byte of a block may be, on average */
#define DESCRIPTION_MOST 4096u       /* bytes of the longest description that is read */
#define NOWHERE          UINT64_MAX  /* an offset at which no event can be */

/* ---- headers ----------------------------------------------------------------------------------------------------- */

/* The header of an event. */
struct event_header {
    uint64_t offset, payload; /* offsets in the file: of the header, and behind it */
    uint64_t stamp;
    unsigned stamp_bits; /* lower bits that the stamp has */
    unsigned truncate;   /* lowest bits that a compact event's stamp lacks; they are taken to be 0 */
    uint32_t id;
    uint32_t size;    /* of the payload in bytes, or LTTNG_SIZE_UNKNOWN */
    uint32_t compact; /* data in the header of a compact event */
};

/* Skip padding. from: offset in the block of what the cursor is in. */
static void align(struct cursor *cursor, uint64_t from, unsigned size, unsigned alignment)
{
    uint32_t pad = lttng_pad(from + cursor->at, size, alignment);
    if (pad > 0)
        cursor_skip(cursor, pad);
}

static uint32_t known_size(uint32_t size)
{
    return size == LTTNG_SIZE_BY_FORMAT ? LTTNG_SIZE_UNKNOWN : size;
}

static void read_old(struct cursor *cursor, uint64_t from, const struct lttng_block_header *header,
                     struct event_header *event)
{
    align(cursor, from, header->arch_size, header->alignment);
    event->stamp_bits = header->heartbeat ? 32u : FULL_STAMP;
    event->stamp = header->heartbeat ? cursor_32(cursor) : cursor_64(cursor);
    if (header->family == LTTNG_MARKERS) {
        event->id = cursor_16(cursor);
    } else {
        event->id = (uint32_t)cursor_number(cursor, 1) << 8; /* facility */
        event->id |= (uint32_t)cursor_number(cursor, 1);
    }
    event->size = known_size(cursor_16(cursor));
    align(cursor, from, header->arch_size, header->alignment);
}

/* From the word's lowest bit on: tscbits of stamp; the id up to bit data_shift; data. */
static void read_compact(struct cursor *cursor, uint64_t from, const struct lttng_block_header *header,
                         struct event_header *event)
{
    uint32_t word;
    align(cursor, from, 4, header->alignment);
    word = cursor_32(cursor);
    event->truncate = header->truncate;
    event->stamp_bits = header->tscbits;
    event->stamp = word & ((UINT64_C(1) << header->tscbits) - 1u);
    event->id = (uint32_t)((word & ((UINT64_C(1) << header->data_shift) - 1u)) >> header->tscbits);
    event->compact = word >> header->data_shift;
    event->size = LTTNG_SIZE_UNKNOWN;
}

static void read_new(struct cursor *cursor, uint64_t from, const struct lttng_block_header *header,
                     struct event_header *event)
{
    uint32_t word, kind;
    align(cursor, from, 4, header->alignment);
    word = cursor_32(cursor);
    kind = event->id = word >> STAMP_BITS;
    event->stamp_bits = STAMP_BITS;
    event->stamp = word & ((1u << STAMP_BITS) - 1u);
    event->size = LTTNG_SIZE_UNKNOWN;
    if (kind >= WITH_TIME)
        event->id = cursor_16(cursor);
    if (kind == WITH_TIME || kind == WITH_SIZE) {
        event->size = cursor_16(cursor);
        if (event->size == LTTNG_SIZE_BY_FORMAT) /* here: a size of 32 bits follows */
            event->size = cursor_32(cursor);
    }
    if (kind == WITH_TIME) {
        align(cursor, from, 8, lttng_block_header_is_natural(header) && header->alignment != 0 ? 8 : header->alignment);
        event->stamp = cursor_64(cursor);
        event->stamp_bits = FULL_STAMP;
    }
}

/* The bytes that a header can have are read at once, since this is done for each event, often more than once. */
static bool read_header(const struct lttng_stream *stream, uint64_t at, struct event_header *event)
{
    unsigned char bytes[HEADER_MOST];
    uint64_t left = at < stream->limit ? stream->limit - at : 0, from = at - stream->block;
    size_t n = input_read(stream->in, at, bytes, left < HEADER_MOST ? (size_t)left : HEADER_MOST);
    struct cursor cursor = cursor_in_memory(bytes, n, stream->header.big);
    *event = (struct event_header){.offset = at};
    if (stream->compact)
        read_compact(&cursor, from, &stream->header, event);
    else if (stream->header.family == LTTNG_METADATA)
        read_new(&cursor, from, &stream->header, event);
    else
        read_old(&cursor, from, &stream->header, event);
    event->payload = at + cursor.at;
    return !cursor.bad;
}

/* The full stamp: the first one not before tsc that ends in the bits of the event's stamp. */
static uint64_t full_stamp(uint64_t tsc, const struct event_header *event)
{
    uint64_t mask, stamp = event->stamp << event->truncate;
    if (event->stamp_bits >= FULL_STAMP)
        return event->stamp;
    mask = ((UINT64_C(1) << event->stamp_bits) - 1u) << event->truncate;
    if (stamp < (tsc & mask))
        tsc += UINT64_C(1) << (event->stamp_bits + event->truncate);
    return (tsc & ~mask) | stamp;
}

/* ---- what looks right -------------------------------------------------------------------------------------------- */

static bool is_heartbeat(const struct lttng_stream *stream, uint32_t id)
{
    return stream->header.family != LTTNG_METADATA && (id == LTTNG_HEARTBEAT_32 || id == LTTNG_HEARTBEAT_64);
}

/* Can an event of this id be in the file? */
static bool is_known(const struct lttng_stream *stream, uint32_t id)
{
    if (is_heartbeat(stream, id))
        return true;
    if (stream->metadata)
        return stream->header.family == LTTNG_FACILITIES ? id < 256u : id <= LTTNG_MARKER_FORMAT;
    return lttng_marker_find(stream->described, id) != NULL;
}

/* Is the event's time behind the block's end? An open block has none: there, a stamp that is too far ahead is wrong. */
static bool is_late(const struct lttng_stream *stream, const struct event_header *event)
{
    uint64_t tsc = full_stamp(stream->base, event);
    if (lttng_in_open_block(stream))
        return tsc < stream->base || (event->stamp_bits == 32u && tsc - stream->base >= JUMP_MAX);
    return stream->bounded && tsc > stream->header.end;
}

/* Does an event seem to be at this offset, or is it the end of the block's events? */
static bool is_plausible(const struct lttng_stream *stream, uint64_t at)
{
    struct event_header event;
    if (at >= stream->limit)
        return at == stream->limit;
    return read_header(stream, at, &event) && is_known(stream, event.id) && !is_late(stream, &event)
           && (event.size == LTTNG_SIZE_UNKNOWN || event.size <= stream->limit - event.payload);
}

/* Do CHAIN events, or all up to the end of the block, follow each other from here? False if the size of one is
 * unknown. */
static bool is_chain(const struct lttng_stream *stream, uint64_t at)
{
    struct event_header event;
    unsigned n;
    for (n = 0; n < CHAIN && at < stream->limit; n++) {
        if (!read_header(stream, at, &event) || !is_known(stream, event.id) || event.size == LTTNG_SIZE_UNKNOWN
            || is_late(stream, &event) || event.size > stream->limit - event.payload)
            return false;
        at = event.payload + event.size;
    }
    return n > 0;
}

/* Offset of the first chain of events at or behind an offset. It is the end of the block's events if there is none, or
 * if so much of the block was searched in vain that it can hardly hold events. */
static uint64_t find_chain(struct lttng_stream *stream, uint64_t from)
{
    uint64_t most = from + SEARCH_MOST < stream->limit ? from + SEARCH_MOST : stream->limit;
    if (stream->searched > SEARCH_MOST + SEARCH_FACTOR * (stream->limit - stream->block))
        return stream->limit;
    for (; from < most; from++, stream->searched++) {
        if (lttng_pad(from - stream->block, stream->header.arch_size, stream->header.alignment) == 0
            && is_chain(stream, from))
            return from;
    }
    return stream->limit;
}

/* ---- leaving out what is no event -------------------------------------------------------------------------------- */

/* Offset at which the header says that the event ends, or NOWHERE. */
static uint64_t end_by_header(const struct event_header *event)
{
    return event->size == LTTNG_SIZE_UNKNOWN ? NOWHERE : event->payload + event->size;
}

/* Where to go on behind a broken event: at the first or the second offset if an event seems to be there, else at the
 * next chain of events, else at the end of the block. In version 2 nearly every word looks like an event, so there only
 * sizes are followed. */
static uint64_t find_next(struct lttng_stream *stream, const struct event_header *event, uint64_t first,
                          uint64_t second)
{
    bool is_version_2 = stream->header.family == LTTNG_METADATA;
    uint64_t to = stream->limit;
    if (is_version_2 && event->size == LTTNG_SIZE_UNKNOWN)
        return to;
    if (is_plausible(stream, first))
        to = first;
    if (second < to && is_plausible(stream, second)) /* a wrong size may lead to an event, too, but to a later one */
        to = second;
    if (to == stream->limit && first != to && second != to && !is_version_2)
        to = find_chain(stream, event->payload);
    return to;
}

/* A broken event is left out: report it and go on behind it, see find_next(). If its stamp is full and lies in the
 * block's time, short stamps count on from it. In an open block the first broken event is taken to be the end, which
 * is no damage. */
static void skip(struct lttng_stream *stream, const struct event_header *event, uint64_t first, uint64_t second,
                 const char *why)
{
    uint64_t to;
    bool is_one_event;
    if (lttng_in_open_block(stream)) {
        stream->at = stream->limit;
        return;
    }
    to = find_next(stream, event, first, second);
    is_one_event = to < stream->limit || first == to || second == to;
    if (event->stamp_bits == FULL_STAMP && stream->bounded && event->stamp >= stream->base
        && event->stamp <= stream->header.end)
        stream->base = event->stamp;
    stream->at = to;
    lttng_stream_damage(stream, event->offset, to - event->offset, is_one_event ? 1 : 0, "%s (id %" PRIu32 ")", why,
                        event->id);
}

/* ---- times that are wrong ---------------------------------------------------------------------------------------- */

static bool read_payload(const struct lttng_stream *stream, const struct event_header *event,
                         const struct lttng_marker *marker, struct lttng_payload *payload)
{
    bool facilities = stream->header.family == LTTNG_FACILITIES;
    const struct lttng_stored_payload stored = {
        .in = stream->in,
        .block = stream->block,
        .at = event->payload,
        .limit = stream->limit,
        .size = event->size,
        .compact = event->compact,
        .id = facilities ? event->id & 0xFFu : event->id, /* the event's number in its facility */
        .big = stream->header.big,
        .aligns_start = stream->header.family == LTTNG_METADATA,
        .natural = lttng_block_header_is_natural(&stream->header),
    };
    return lttng_payload_read(marker, &stored, payload);
}

/* Can an event of time tsc come before the next one, in this block? */
static bool fits_before(const struct lttng_stream *stream, uint64_t tsc, const struct event_header *next)
{
    uint64_t next_tsc = full_stamp(tsc, next);
    return next_tsc >= tsc && next_tsc <= stream->header.end;
}

/* Read the header behind an event that was not taken yet. */
static bool read_after(const struct lttng_stream *stream, const struct event_header *event, struct event_header *after)
{
    const struct lttng_marker *marker = lttng_marker_find(stream->described, event->id);
    struct lttng_payload payload;
    if (marker == NULL || !read_payload(stream, event, marker, &payload) || !read_header(stream, payload.end, after))
        return false;
    return is_known(stream, after->id);
}

/* Is the time of an event wrong? Its full stamp is tsc, and the next event begins at an offset. The time is wrong if
 * the next event fits behind the one before, but neither of the next two fits behind this one: 900 in 10, 900, 11, 12.
 * If only one event follows, that one must be at the block's end, to the tick. */
static bool is_outlier(const struct lttng_stream *stream, uint64_t tsc, uint64_t at)
{
    struct event_header next, after;
    if (!stream->bounded || !read_header(stream, at, &next) || !is_known(stream, next.id)
        || fits_before(stream, tsc, &next) || !fits_before(stream, stream->base, &next))
        return false;
    if (read_after(stream, &next, &after))
        return !fits_before(stream, tsc, &after);
    return full_stamp(stream->base, &next) == stream->header.end;
}

/* ---- heartbeats -------------------------------------------------------------------------------------------------- */

/* Bytes of a heartbeat's payload: a full stamp, or nothing. Before 0.7 it has a time of its own, which is not
 * needed. */
static uint32_t heartbeat_size(const struct lttng_stream *stream, const struct event_header *event)
{
    bool has_time = stream->header.family == LTTNG_FACILITIES && event->size != LTTNG_SIZE_UNKNOWN;
    if (event->id == LTTNG_HEARTBEAT_64 && !(has_time && event->size != 8))
        return 8;
    return has_time ? event->size : 0;
}

static void take_heartbeat(struct lttng_stream *stream, const struct event_header *event)
{
    uint32_t size = heartbeat_size(stream, event);
    struct cursor cursor = input_cursor(stream->in, event->payload, stream->limit, stream->header.big);
    uint64_t tsc = full_stamp(stream->base, event);
    if (event->size != LTTNG_SIZE_UNKNOWN && (event->size != size || size % 4u != 0)) {
        skip(stream, event, event->payload + size, end_by_header(event), "a heartbeat of a wrong size");
        return;
    }
    if (event->id == LTTNG_HEARTBEAT_64 && size == 8)
        tsc = cursor_64(&cursor);
    else
        cursor_skip(&cursor, size);
    if (cursor.bad) {
        skip(stream, event, NOWHERE, NOWHERE, "a heartbeat that goes beyond its block");
        return;
    }
    if (tsc < stream->base || (stream->bounded && tsc > stream->header.end) || is_outlier(stream, tsc, cursor.at))
        lttng_stream_damage(stream, event->offset, 0, 0, "a heartbeat of a time outside its block: ignored");
    else
        stream->base = tsc;
    stream->at = cursor.at;
    stream->events++;
}

/* ---- descriptions ------------------------------------------------------------------------------------------------ */

/* Learn from a description of size bytes, of which the payload holds those that were read. NULL, or what is wrong. */
static const char *learn(struct lttng_stream *stream, const struct event_header *event, struct cursor payload,
                         uint32_t size)
{
    if (size > payload.end)
        return size != LTTNG_SIZE_UNKNOWN && size <= stream->limit - event->payload ? "is too long"
                                                                                    : "goes beyond its block";
    payload.end = size;
    return lttng_markers_learn(stream->markers, event->id, payload, &stream->header);
}

static void take_description(struct lttng_stream *stream, const struct event_header *event)
{
    unsigned char data[DESCRIPTION_MOST];
    uint64_t left = stream->limit - event->payload;
    size_t n = input_read(stream->in, event->payload, data, left < sizeof data ? (size_t)left : sizeof data);
    struct cursor payload = cursor_in_memory(data, n, stream->header.big);
    uint32_t size = event->size == LTTNG_SIZE_UNKNOWN
                        ? lttng_markers_description_size(stream->markers, event->id, payload, &stream->header)
                        : event->size;
    const char *wrong = learn(stream, event, payload, size);
    if (wrong != NULL) {
        char why[100] = "a description that ";
        strncat(why, wrong, sizeof why - strlen(why) - 1u);
        size = lttng_markers_description_size(stream->markers, event->id, payload, &stream->header);
        skip(stream, event, end_by_header(event), size == LTTNG_SIZE_UNKNOWN ? NOWHERE : event->payload + size, why);
        return;
    }
    stream->base = full_stamp(stream->base, event);
    stream->at = event->payload + size;
    stream->events++;
}

/* ---- ordinary events --------------------------------------------------------------------------------------------- */

/* Set the stream's time. Time does not go back: an event that seems to be earlier than the one before it, or later than
 * those behind it, gets the time of the one before. */
static void take_time(struct lttng_stream *stream, const struct event_header *event)
{
    uint64_t tsc = full_stamp(stream->base, event);
    if (is_outlier(stream, tsc, stream->payload.end)) {
        lttng_stream_damage(stream, event->offset, 0, 0,
                            "an event of a time behind the next one's: it gets that of the one before");
        tsc = stream->base;
    }
    stream->before = stream->base;
    stream->base = tsc < stream->base ? stream->base : tsc;
    if (tsc >= stream->tsc) {
        stream->tsc = tsc;
        return;
    }
    if (!stream->reported_back)
        lttng_stream_damage(stream, event->offset, 0, 0, "time runs back: events get the time of the one before");
    stream->reported_back = true;
}

/* An event is late. Is the block's end wrong, rather than the event's time? It is if the event is the block's first
 * one, and the one behind it is late, too. */
static bool has_wrong_end(const struct lttng_stream *stream)
{
    struct event_header next;
    return !lttng_in_open_block(stream) && stream->base == stream->before
           && read_header(stream, stream->payload.end, &next) && is_known(stream, next.id) && is_late(stream, &next);
}

/* Is the size in the header wrong, where no format tells how long the payload is? It is if no event follows. But if a
 * broken event follows, the size is right: then no chain of events is found before that one's payload. */
static bool has_wrong_size(struct lttng_stream *stream, const struct event_header *event)
{
    struct event_header next;
    uint64_t end = stream->payload.end;
    if (!stream->marker->as_bytes || lttng_in_open_block(stream) || is_plausible(stream, end))
        return false;
    if (!read_header(stream, end, &next))
        return true;
    if (is_known(stream, next.id) && next.size <= stream->limit - next.payload)
        return false;
    return find_chain(stream, event->payload) < next.payload;
}

/* Is the event late, though all else in it is right? If the block's end or stream->base is what is wrong, that is
 * corrected, and the event is not late. */
static bool stays_late(struct lttng_stream *stream, const struct event_header *event)
{
    if (!is_late(stream, event))
        return false;
    if (has_wrong_end(stream)) {
        lttng_stream_damage(stream, stream->block, 0, 0, "the block ends before its first event");
        stream->bounded = false;
    }
    if (is_late(stream, event) && !lttng_in_open_block(stream)) /* it is not late if the last event's time was wrong */
        stream->base = stream->before;
    return is_late(stream, event);
}

static bool take_event(struct lttng_stream *stream, const struct event_header *event)
{
    const struct lttng_payload *payload = &stream->payload;
    if (!read_payload(stream, event, stream->marker, &stream->payload)) {
        skip(stream, event, end_by_header(event), NOWHERE, "an event that goes beyond its block");
        return false;
    }
    if (event->size != LTTNG_SIZE_UNKNOWN && payload->end - payload->start != event->size) {
        skip(stream, event, payload->start + event->size, payload->end,
             "an event whose size is not what its format says");
        return false;
    }
    if (has_wrong_size(stream, event)) {
        skip(stream, event, NOWHERE, NOWHERE, "an event of a wrong size");
        return false;
    }
    if (stays_late(stream, event)) {
        skip(stream, event, payload->end, NOWHERE, "an event of a time behind its block");
        return false;
    }
    take_time(stream, event);
    stream->offset = event->offset;
    stream->at = payload->end;
    stream->events++;
    return true;
}

/* ---- the next event ---------------------------------------------------------------------------------------------- */

/* Set the stream's marker, if the event is an ordinary one. Returns false if its id is not known. */
static bool find_marker(struct lttng_stream *stream, uint32_t id)
{
    if (stream->metadata || is_heartbeat(stream, id))
        return is_known(stream, id);
    stream->marker = lttng_marker_find(stream->described, id);
    return stream->marker != NULL;
}

/* Take an event whose id is known. Returns true if it is to be given out. */
static bool take_known(struct lttng_stream *stream, const struct event_header *event)
{
    bool facilities = stream->header.family == LTTNG_FACILITIES;
    if (is_heartbeat(stream, event->id) && !(stream->metadata && facilities)) {
        take_heartbeat(stream, event);
        return false;
    }
    if (stream->metadata) {
        take_description(stream, event);
        return false;
    }
    if (stream->marker->as_bytes && !facilities && !stream->marker->reported && !stream->quiet) {
        lttng_stream_damage(stream, event->offset, 0, 0,
                            "an event whose marker has no format: it is shown as bytes (id %" PRIu32 ")", event->id);
        stream->marker->reported = true;
    }
    return take_event(stream, event);
}

/* A block begins at the time of its first event. If the event's short stamp seems to be much later, it is in truth
 * earlier than the begin: one of the two is wrong. */
static void check_first(struct lttng_stream *stream, const struct event_header *event)
{
    unsigned bits = event->stamp_bits + event->truncate;
    uint64_t tsc = full_stamp(stream->base, event);
    if (bits >= FULL_STAMP || !stream->bounded || (tsc - stream->base) >> (bits - 1u) == 0)
        return;
    lttng_stream_damage(stream, stream->block, 0, 0, "the block begins after its first event");
    stream->base = stream->before = tsc - (UINT64_C(1) << bits);
}

/* Can the headers of compact events be taken apart? Their word has 32 bits, of which the stamp takes at least one. */
static bool has_good_words(const struct lttng_block_header *header)
{
    return header->tscbits > 0 && header->tscbits <= header->data_shift && header->data_shift <= 31u
           && header->truncate <= 32u;
}

/* Take what is at stream->at and move on behind it, to stream->limit at most. Returns true if it is an event to give
 * out. */
static bool take(struct lttng_stream *stream)
{
    struct event_header event;
    if (stream->compact && !has_good_words(&stream->header)) {
        lttng_stream_damage(stream, stream->block, stream->limit - stream->at, 0,
                            "its compact words cannot be taken apart");
        stream->at = stream->limit;
        return false;
    }
    if (!read_header(stream, stream->at, &event)) {
        if (!lttng_in_open_block(stream))
            lttng_stream_damage(stream, stream->at, stream->limit - stream->at, 0,
                                "bytes that are too few for an event");
        stream->at = stream->limit;
        return false;
    }
    if (!find_marker(stream, event.id)) {
        skip(stream, &event, end_by_header(&event), NOWHERE, "an event that no marker describes");
        return false;
    }
    if (!stream->metadata && event.offset == stream->block + stream->header.first)
        check_first(stream, &event);
    return take_known(stream, &event);
}

bool lttng_event_next(struct lttng_stream *stream)
{
    for (;;) {
        while (stream->at < stream->limit) {
            if (take(stream))
                return true;
        }
        lttng_stream_leave_block(stream);
        if (stream->trace->failed || !lttng_stream_next_block(stream))
            return false;
    }
}
