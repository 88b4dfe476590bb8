/* event_header.c - headers of events, of all versions: see event_header.h.
 *
 *   0.3 to 1.0       stamp of 32 or 64 bits, id, size of the payload
 *   2.0 to 2.6       a word of id and stamp, and more if an id of 29 to 31 announces it
 *   channel compact  a word of data, id and stamp
 */
#include "formats/lttng/event_header.h"

#include "io/input.h"

#define HEADER_MOST 32u /* no header is longer, in bytes, padding included */
#define STAMP_BITS  27u /* of version 2 */
#define WITH_TIME   29u /* ids of version 2 that announce more of a header: id, size and full stamp */
#define WITH_SIZE   30u /* id and size */
#define WITH_ID     31u /* id */

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
                     struct lttng_event_header *event)
{
    align(cursor, from, header->arch_size, header->alignment);
    event->stamp_bits = header->heartbeat ? 32u : LTTNG_FULL_STAMP;
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
                         struct lttng_event_header *event)
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
                     struct lttng_event_header *event)
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
        event->stamp_bits = LTTNG_FULL_STAMP;
    }
}

/* The bytes that a header can have are read at once, since this is done for each event, often more than once. */
bool lttng_event_header_read(const struct lttng_walk *walk, uint64_t at, struct lttng_event_header *event)
{
    unsigned char bytes[HEADER_MOST];
    uint64_t left = at < walk->limit ? walk->limit - at : 0, from = at - walk->block;
    size_t n = input_read(walk->in, at, bytes, left < HEADER_MOST ? (size_t)left : HEADER_MOST);
    struct cursor cursor = cursor_in_memory(bytes, n, walk->header.big);
    *event = (struct lttng_event_header){.offset = at};
    if (walk->compact)
        read_compact(&cursor, from, &walk->header, event);
    else if (walk->header.family == LTTNG_METADATA)
        read_new(&cursor, from, &walk->header, event);
    else
        read_old(&cursor, from, &walk->header, event);
    event->payload = at + cursor.at;
    return !cursor.bad;
}
