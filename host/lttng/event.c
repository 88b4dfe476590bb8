/* event.c - events in the blocks of an LTTng trace file: see event.h.
 *
 * Headers: stamp, id, size of the payload (0.3 to 1.0); a word of id and stamp, and more if an id of 29 to 31 says so
 * (2.x); a word of stamp, id and data (compact channel). Short stamps count on from the event before.
 */
#include "lttng/event.h"

#include "io/input.h"

#include <inttypes.h>
#include <string.h>

#define NO_SIZE     UINT32_MAX /* what the format says */
#define HEAD_MAX    24u
#define STAMP_BITS  27u /* of version 2 */
#define FULL_BITS   64u
#define JUMP_MAX    0x80000000u /* ticks a stamp of 32 bits can be ahead in a block without an end */
#define WITH_TIME   29u         /* ids of version 2 that announce more of a header: with size and full time */
#define WITH_SIZE   30u
#define WITH_ID     31u
#define FACILITY_7  28u   /* bytes of a facility's description, with the size of int */
#define FACILITY_6  24u   /* without */
#define CHAIN       8u    /* events that must follow each other to be believed */
#define SEARCH_MOST 4096u /* bytes in which they are looked for */

struct head {
    uint64_t offset, payload; /* in the file */
    uint64_t stamp;
    unsigned stamp_bits, truncate;
    uint32_t id, size, compact;
};

/* ---- headers ----------------------------------------------------------------------------------------------------- */

struct place {
    const struct lttng_walk *walk;
    uint64_t at; /* in the file */
    bool short_of;
};

static uint64_t take(struct place *cursor, unsigned size)
{
    unsigned char bytes[8];
    uint64_t left = cursor->at < cursor->walk->limit ? cursor->walk->limit - cursor->at : 0;

    if (left < size || input_read(cursor->walk->in, cursor->at, bytes, size) < size) {
        cursor->short_of = true;
        return 0;
    }
    cursor->at += size;
    return lttng_get(bytes, size, cursor->walk->header.big);
}

static void align(struct place *cursor, unsigned size, unsigned alignment)
{
    cursor->at += lttng_pad(cursor->at - cursor->walk->block, size, alignment);
}

static void read_old(struct place *cursor, struct head *head)
{
    const struct lttng_header *header = &cursor->walk->header;

    align(cursor, header->arch_size, header->alignment);
    head->stamp_bits = header->heartbeat ? 32u : FULL_BITS;
    head->stamp = take(cursor, header->heartbeat ? 4 : 8);
    if (header->family == LTTNG_MARKERS) {
        head->id = (uint32_t)take(cursor, 2);
    } else {
        head->id = (uint32_t)take(cursor, 1) << 8;
        head->id |= (uint32_t)take(cursor, 1);
    }
    head->size = (uint32_t)take(cursor, 2);
    if (head->size == LTTNG_SIZE_BY_FORMAT)
        head->size = NO_SIZE;
    align(cursor, header->arch_size, header->alignment);
}

static void read_compact(struct place *cursor, struct head *head)
{
    const struct lttng_header *header = &cursor->walk->header;
    uint32_t word;

    align(cursor, 4, header->alignment);
    word = (uint32_t)take(cursor, 4);
    head->truncate = header->truncate;
    head->stamp_bits = header->tscbits;
    head->stamp = word & ((UINT64_C(1) << header->tscbits) - 1u);
    head->id = (uint32_t)((word & ((UINT64_C(1) << header->data_shift) - 1u)) >> header->tscbits);
    head->compact = word >> header->data_shift;
    head->size = NO_SIZE;
}

static bool is_natural(const struct lttng_header *header)
{
    return header->family == LTTNG_METADATA && (header->minor == 4 || header->minor == 5);
}

static void read_new(struct place *cursor, struct head *head)
{
    const struct lttng_header *header = &cursor->walk->header;
    uint32_t word, kind;

    align(cursor, 4, header->alignment);
    word = (uint32_t)take(cursor, 4);
    kind = head->id = word >> STAMP_BITS;
    head->stamp_bits = STAMP_BITS;
    head->stamp = word & ((1u << STAMP_BITS) - 1u);
    head->size = NO_SIZE;
    if (kind >= WITH_TIME)
        head->id = (uint32_t)take(cursor, 2);
    if (kind == WITH_TIME || kind == WITH_SIZE) {
        head->size = (uint32_t)take(cursor, 2);
        if (head->size == LTTNG_SIZE_BY_FORMAT)
            head->size = (uint32_t)take(cursor, 4);
    }
    if (kind == WITH_TIME) {
        align(cursor, 8, is_natural(header) && header->alignment ? 8 : header->alignment);
        head->stamp = take(cursor, 8);
        head->stamp_bits = FULL_BITS;
    }
}

/* The header at an offset of the file; false if there is no room for one. */
static bool read_head(const struct lttng_walk *walk, uint64_t at, struct head *head)
{
    struct place cursor = {.walk = walk, .at = at};

    memset(head, 0, sizeof *head);
    head->offset = at;
    if (walk->compact)
        read_compact(&cursor, head);
    else if (walk->header.family == LTTNG_METADATA)
        read_new(&cursor, head);
    else
        read_old(&cursor, head);
    head->payload = cursor.at;
    return !cursor.short_of && cursor.at <= walk->limit;
}

/* The time of a stamp: the first one not before tsc. */
static uint64_t time_from(uint64_t tsc, const struct head *head)
{
    uint64_t mask, stamp = head->stamp << head->truncate;

    if (head->stamp_bits >= FULL_BITS)
        return head->stamp;
    mask = ((UINT64_C(1) << head->stamp_bits) - 1u) << head->truncate;
    if (stamp < (tsc & mask))
        tsc += UINT64_C(1) << (head->stamp_bits + head->truncate);
    return (tsc & ~mask) | stamp;
}

static uint64_t head_time(const struct lttng_walk *walk, const struct head *head)
{
    return time_from(walk->base, head);
}

/* ---- what is plausible ------------------------------------------------------------------------------------------- */

static bool is_heartbeat(const struct lttng_walk *walk, uint32_t id)
{
    return walk->header.family != LTTNG_METADATA && (id == LTTNG_HEARTBEAT_32 || id == LTTNG_HEARTBEAT_64);
}

static bool is_known(const struct lttng_walk *walk, uint32_t id)
{
    if (is_heartbeat(walk, id))
        return true;
    if (walk->metadata)
        return walk->header.family == LTTNG_FACILITIES ? id < 256u : id <= LTTNG_MARKER_FORMAT;
    return lttng_markers_find(walk->markers, walk->channel, id) != NULL;
}

static bool is_open(const struct lttng_walk *walk)
{
    return walk->header.lost == LTTNG_OPEN;
}

static bool is_late(const struct lttng_walk *walk, const struct head *head)
{
    uint64_t time = head_time(walk, head);

    if (is_open(walk))
        return time < walk->base || (head->stamp_bits == 32u && time - walk->base >= JUMP_MAX);
    return walk->bounded && time > walk->header.end;
}

static bool is_plausible(const struct lttng_walk *walk, uint64_t at)
{
    struct head head;

    return at == walk->limit
           || (at < walk->limit && read_head(walk, at, &head) && is_known(walk, head.id) && !is_late(walk, &head)
               && (head.size == NO_SIZE || head.size <= walk->limit - head.payload));
}

/* Do events follow each other from here to the end? False if their sizes are not told. */
static bool is_chain(const struct lttng_walk *walk, uint64_t at)
{
    struct head head;
    unsigned n;

    for (n = 0; n < CHAIN && at < walk->limit; n++) {
        if (!read_head(walk, at, &head) || !is_known(walk, head.id) || head.size == NO_SIZE || is_late(walk, &head)
            || head.size > walk->limit - head.payload)
            return false;
        at = head.payload + head.size;
    }
    return n > 0;
}

/* The first place behind from where a chain of events begins, or the end of the block's events. */
static uint64_t find_chain(const struct lttng_walk *walk, uint64_t from)
{
    uint64_t most = from + SEARCH_MOST < walk->limit ? from + SEARCH_MOST : walk->limit;

    for (; from < most; from++) {
        if (lttng_pad(from - walk->block, walk->header.arch_size, walk->header.alignment) == 0 && is_chain(walk, from))
            return from;
    }
    return walk->limit;
}

/* What is at head is no event that can be given out. Go on at one of two places, or where events are found again, or leave
 * the block. */
static void skip(struct lttng_walk *walk, const struct head *head, uint64_t place, uint64_t other, const char *why)
{
    bool guess = walk->header.family == LTTNG_METADATA && head->size == NO_SIZE; /* what comes may look like anything */
    uint64_t to = walk->limit;

    if (!guess && is_plausible(walk, place))
        to = place;
    if (!guess && other < to && is_plausible(walk, other)) /* a wrong size may lead to an event, too, but farther */
        to = other;
    if (is_open(walk)) {
        walk->at = walk->limit;
        return;
    }
    if (to == walk->limit && place != to && other != to && walk->header.family != LTTNG_METADATA)
        to = find_chain(walk, head->payload);
    if (head->stamp_bits == FULL_BITS && head->stamp >= walk->base && walk->bounded && head->stamp <= walk->header.end)
        walk->base = head->stamp; /* what comes may count on from it */
    walk->at = to;
    lttng_fault(walk, head->offset, to - head->offset, to < walk->limit || place == to || other == to ? 1 : 0,
                "%s (id %" PRIu32 ")", why, head->id);
}

static uint64_t behind(const struct head *head)
{
    return head->size == NO_SIZE ? UINT64_MAX : head->payload + head->size;
}

static bool read_payload(const struct lttng_walk *walk, const struct head *head, const struct lttng_marker *marker,
                         struct lttng_payload *payload)
{
    struct lttng_place place = {.in = walk->in, .block = walk->block, .at = head->payload, .limit = walk->limit};

    place.size = head->size;
    place.compact = head->compact;
    place.id = walk->header.family == LTTNG_FACILITIES ? head->id & 0xFFu : head->id;
    place.big = walk->header.big;
    place.aligns_start = walk->header.family == LTTNG_METADATA;
    place.natural = is_natural(&walk->header);
    return lttng_payload_read(marker, &place, payload);
}

/* Could an event of this time stand before one that is to come? */
static bool fits_before(const struct lttng_walk *walk, uint64_t tsc, const struct head *next)
{
    uint64_t time = time_from(tsc, next);

    return time >= tsc && time <= walk->header.end;
}

/* The header behind an event that was not taken yet. */
static bool read_after(const struct lttng_walk *walk, const struct head *head, struct head *after)
{
    const struct lttng_marker *marker = lttng_markers_find(walk->markers, walk->channel, head->id);
    struct lttng_payload payload = {0};

    if (marker == NULL || !read_payload(walk, head, marker, &payload) || !read_head(walk, payload.end, after))
        return false;
    return is_known(walk, after->id);
}

/* Is this time wrong? Then the event at an offset fits behind the last one, but not behind this, and neither does the one
 * after that; or that event ends the block, to the tick. */
static bool is_outlier(const struct lttng_walk *walk, uint64_t tsc, uint64_t at)
{
    struct head next, after;

    if (!walk->bounded || !read_head(walk, at, &next) || !is_known(walk, next.id) || fits_before(walk, tsc, &next)
        || !fits_before(walk, walk->base, &next))
        return false;
    if (read_after(walk, &next, &after))
        return !fits_before(walk, tsc, &after);
    return time_from(walk->base, &next) == walk->header.end;
}

/* ---- heartbeats, facilities, markers ----------------------------------------------------------------------------- */

static void take_heartbeat(struct lttng_walk *walk, const struct head *head)
{
    bool old = walk->header.family == LTTNG_FACILITIES && head->size != NO_SIZE;
    bool full = head->id == LTTNG_HEARTBEAT_64 && !(old && head->size != 8);
    uint32_t size = full ? 8 : old ? head->size : 0; /* before 0.7 with a time of its own */
    struct place cursor = {.walk = walk, .at = head->payload};
    uint64_t tsc = head_time(walk, head);

    if (head->size != NO_SIZE && (head->size != size || size % 4u != 0)) {
        skip(walk, head, head->payload + size, behind(head), "a heartbeat of a wrong size");
        return;
    }
    if (full)
        tsc = take(&cursor, 8);
    else
        cursor.at += size;
    if (cursor.short_of || cursor.at > walk->limit) {
        skip(walk, head, UINT64_MAX, UINT64_MAX, "a heartbeat that goes beyond its block");
        return;
    }
    if (tsc < walk->base || (walk->bounded && tsc > walk->header.end) || is_outlier(walk, tsc, cursor.at))
        lttng_fault(walk, head->offset, 0, 0, "a heartbeat of a time outside its block: ignored");
    else
        walk->base = tsc;
    walk->at = cursor.at;
    walk->events++;
}

/* Name, checksum, id, and sizes of what C has, in versions 0.3 to 0.8. Others of the core's events are passed over. */
static const char *learn_facility(struct lttng_walk *walk, const unsigned char *data, size_t n)
{
    const unsigned char *end = memchr(data, 0, n);
    size_t rest = end ? n - (size_t)(end - data) - 1u : 0, from;
    uint64_t id;

    if (rest < FACILITY_6 || rest >= FACILITY_7 + 4u || end == data)
        return NULL;
    from = n - (rest >= FACILITY_7 ? FACILITY_7 : FACILITY_6);
    id = lttng_get(data + from + 4u, 4, walk->header.big);
    if (id == 0 || id > 255u)
        return "gives a facility a number that is none of 1 to 255";
    return lttng_markers_facility(walk->markers, (uint16_t)(id << 8), (const char *)data);
}

/* Length of a marker's event whose header does not tell it. */
static uint32_t core_size(const struct lttng_walk *walk, const struct head *head, const unsigned char *data, size_t n)
{
    bool is_id = head->id == LTTNG_MARKER_ID;
    unsigned texts = (is_id ? 1u : 2u) + walk->markers->per_channel;
    size_t at = 0;

    for (; texts > 0; texts--) {
        const unsigned char *end = at < n ? memchr(data + at, 0, n - at) : NULL;

        if (end == NULL)
            return NO_SIZE;
        at = (size_t)(end - data) + 1u;
    }
    if (is_id)
        at += lttng_pad(at, 2, walk->header.alignment) + 7u;
    return at <= n ? (uint32_t)at : NO_SIZE;
}

static void take_metadata(struct lttng_walk *walk, const struct head *head)
{
    unsigned char data[LTTNG_TEXT_MAX];
    uint64_t left = walk->limit - head->payload;
    size_t n = input_read(walk->in, head->payload, data, left < sizeof data ? (size_t)left : sizeof data);
    uint32_t size = head->size == NO_SIZE ? core_size(walk, head, data, n) : head->size;
    const char *wrong = "goes beyond its block";

    if (size != NO_SIZE && size > n && size <= left)
        wrong = "is too long";
    if (size != NO_SIZE && size <= n)
        wrong = walk->header.family == LTTNG_FACILITIES
                    ? learn_facility(walk, data, size)
                    : lttng_markers_learn(walk->markers, head->id == LTTNG_MARKER_FORMAT, data, size, &walk->header);
    if (wrong != NULL) {
        char why[100] = "a description that ";

        strncat(why, wrong, sizeof why - strlen(why) - 1u);
        size = core_size(walk, head, data, n);
        skip(walk, head, behind(head), size == NO_SIZE ? UINT64_MAX : head->payload + size, why);
        return;
    }
    walk->base = head_time(walk, head);
    walk->at = head->payload + size;
    walk->events++;
}

/* ---- ordinary events --------------------------------------------------------------------------------------------- */

/* Time does not run back: an event that says so, or makes the next one say so, gets the time of the one before. */
static void take_time(struct lttng_walk *walk, const struct head *head)
{
    uint64_t tsc = head_time(walk, head);

    if (is_outlier(walk, tsc, walk->payload.end)) {
        lttng_fault(walk, head->offset, 0, 0,
                    "an event of a time behind the next one's: it gets that of the one before");
        tsc = walk->base;
    }
    walk->before = walk->base;
    walk->base = tsc < walk->base ? walk->base : tsc;
    if (tsc >= walk->tsc) {
        walk->tsc = tsc;
        return;
    }
    if (!walk->told_back)
        lttng_fault(walk, head->offset, 0, 0, "time runs back: events get the time of the one before");
    walk->told_back = true;
}

/* Late with the event behind it, and no event before it: then it is the block that tells a wrong end. */
static bool has_wrong_end(const struct lttng_walk *walk, const struct head *head)
{
    struct head next;

    return !is_open(walk) && walk->base == walk->before && is_late(walk, head)
           && read_head(walk, walk->payload.end, &next) && is_known(walk, next.id) && is_late(walk, &next);
}

/* A size that only the header tells is wrong if no event follows, unless the one that follows is a broken one. */
static bool has_wrong_size(const struct lttng_walk *walk, const struct head *head)
{
    struct head next;
    uint64_t end = walk->payload.end;

    if (!walk->marker->raw || is_open(walk) || is_plausible(walk, end))
        return false;
    if (!read_head(walk, end, &next))
        return true;
    if (is_known(walk, next.id) && next.size <= walk->limit - next.payload)
        return false;
    return find_chain(walk, head->payload) < next.payload;
}

static bool take_event(struct lttng_walk *walk, const struct head *head)
{
    bool fits = read_payload(walk, head, walk->marker, &walk->payload);

    if (!fits) {
        skip(walk, head, behind(head), UINT64_MAX, "an event that goes beyond its block");
        return false;
    }
    if (head->size != NO_SIZE && walk->payload.end - walk->payload.start != head->size) {
        skip(walk, head, walk->payload.start + head->size, walk->payload.end,
             "an event whose size is not what its format says");
        return false;
    }
    if (has_wrong_size(walk, head)) {
        skip(walk, head, UINT64_MAX, UINT64_MAX, "an event of a wrong size");
        return false;
    }
    if (has_wrong_end(walk, head)) {
        lttng_fault(walk, walk->block, 0, 0, "the block ends before its first event");
        walk->bounded = false;
    }
    if (is_late(walk, head) && !is_open(walk)) /* it is not, if the event before told a wrong time */
        walk->base = walk->before;
    if (is_late(walk, head)) {
        skip(walk, head, walk->payload.end, UINT64_MAX, "an event of a time behind its block");
        return false;
    }
    take_time(walk, head);
    walk->offset = head->offset;
    walk->at = walk->payload.end;
    walk->events++;
    return true;
}

static bool take_known(struct lttng_walk *walk, const struct head *head)
{
    if (is_heartbeat(walk, head->id) && !(walk->metadata && walk->header.family == LTTNG_FACILITIES)) {
        take_heartbeat(walk, head);
        return false;
    }
    if (walk->metadata) {
        take_metadata(walk, head);
        return false;
    }
    walk->marker = lttng_markers_find(walk->markers, walk->channel, head->id);
    if (walk->marker->raw && walk->header.family != LTTNG_FACILITIES && !walk->marker->told_raw && !walk->quiet) {
        lttng_fault(walk, head->offset, 0, 0,
                    "an event whose marker has no format: it is shown as bytes (id %" PRIu32 ")", head->id);
        walk->marker->told_raw = true;
    }
    return take_event(walk, head);
}

/* A block begins with its first event. One that seems to be much later is before it: its begin is wrong, or the stamp. */
static void check_first(struct lttng_walk *walk, const struct head *head)
{
    unsigned bits = head->stamp_bits + head->truncate;

    if (head->offset != walk->block + walk->header.first || bits >= FULL_BITS || !walk->bounded
        || (head_time(walk, head) - walk->base) >> (bits - 1u) == 0)
        return;
    lttng_fault(walk, walk->block, 0, 0, "the block begins after its first event");
    walk->base = walk->before = head_time(walk, head) - (UINT64_C(1) << bits);
}

bool lttng_event_take(struct lttng_walk *walk)
{
    struct head head;

    if (walk->compact
        && (walk->header.tscbits == 0 || walk->header.tscbits > walk->header.data_shift || walk->header.data_shift > 31u
            || walk->header.truncate > 32u)) {
        lttng_fault(walk, walk->block, walk->limit - walk->at, 0, "its compact words cannot be taken apart");
        walk->at = walk->limit;
        return false;
    }
    if (!read_head(walk, walk->at, &head)) {
        if (!is_open(walk))
            lttng_fault(walk, walk->at, walk->limit - walk->at, 0, "bytes that are too few for an event");
        walk->at = walk->limit;
        return false;
    }
    if (!is_known(walk, head.id)) {
        skip(walk, &head, behind(&head), UINT64_MAX, "an event that no marker describes");
        return false;
    }
    if (!walk->metadata)
        check_first(walk, &head);
    return take_known(walk, &head);
}
