/* event_header.h - the headers of events: stamp, id, size of the payload. */
#ifndef LTTNG_EVENT_HEADER_H
#define LTTNG_EVENT_HEADER_H

#include "formats/lttng/walk.h"

#define LTTNG_FULL_STAMP 64u /* bits of a stamp that needs no other to count on from */

struct lttng_event_header {
    uint64_t offset, payload; /* offsets in the file: of the header, and behind it */
    uint64_t stamp;
    unsigned stamp_bits; /* lower bits that the stamp has */
    unsigned truncate;   /* lowest bits that a compact event's stamp lacks; they are taken to be 0 */
    uint32_t id;
    uint32_t size;    /* of the payload in bytes, or LTTNG_SIZE_UNKNOWN */
    uint32_t compact; /* data in the header of a compact event */
};

/* Read the header of an event at an offset of the file, in the walk's current block. Returns false, and the header
 * is not to be used, if the block's events end before the header does. */
bool lttng_event_header_read(const struct lttng_walk *walk, uint64_t at, struct lttng_event_header *event);

/* The full stamp: the first one not before tsc that ends in the bits of the event's stamp. */
static inline uint64_t lttng_full_stamp(uint64_t tsc, const struct lttng_event_header *event)
{
    uint64_t mask, stamp = event->stamp << event->truncate;
    if (event->stamp_bits >= LTTNG_FULL_STAMP)
        return event->stamp;
    mask = ((UINT64_C(1) << event->stamp_bits) - 1u) << event->truncate;
    if (stamp < (tsc & mask))
        tsc += UINT64_C(1) << (event->stamp_bits + event->truncate);
    return (tsc & ~mask) | stamp;
}

#endif
