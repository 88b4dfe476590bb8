/* block.h - blocks of the LTTng 0.x trace files: what stands in front of their events.
 *
 * Sources: "The LTTng trace format" (2008), and the headers of the versions that were in use, 0.3 to 2.6. A block
 * (sub-buffer) is a block header and a trace header, packed, in the byte order of the tracer, then events, then bytes
 * without a meaning. Byte order and version are told by the trace header's magic number and the bytes behind it.
 */
#ifndef LTTNG_BLOCK_H
#define LTTNG_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LTTNG_MAGIC            0x00D6B7EDu
#define LTTNG_OPEN             0xFFFFFFFFu /* lost_size or data_size of a block that was not finished */
#define LTTNG_HEADER_MAX       192u        /* no header is longer */
#define LTTNG_HEADER_MIN       60u         /* none is shorter */
#define LTTNG_HEADER_1_0       109u
#define LTTNG_PAGE             4096u
#define LTTNG_SIZE_BY_FORMAT   0xFFFFu /* event_size: what the marker's format says */
#define LTTNG_FIRST_COMPACT_ID 8u
#define LTTNG_FIRST_ID         128u /* of ordinary markers */

enum lttng_core { LTTNG_MARKER_ID, LTTNG_MARKER_FORMAT, LTTNG_HEARTBEAT_32, LTTNG_HEARTBEAT_64, LTTNG_CORE_IDS = 8 };

enum lttng_family {
    LTTNG_FACILITIES, /* 0.3 to 0.8: facility and event, a byte each; formats are not in the trace */
    LTTNG_SEED,       /* the document of 2008 to the letter: markers, but ids as in 0.x, start_time in 2 x 4 bytes */
    LTTNG_MARKERS,    /* 1.0: markers, 16-bit ids */
    LTTNG_METADATA,   /* 2.0 to 2.6: ids per channel, 27-bit stamps */
};

struct lttng_header {
    enum lttng_family family;
    bool big; /* byte order */
    bool heartbeat;
    uint8_t major, minor, arch_size, alignment, flight;
    uint8_t truncate, tscbits, data_shift; /* of the compact channel */
    uint32_t first;                        /* offset of the first event, before alignment */
    uint32_t freq_scale;
    uint64_t start_freq, start_tsc;
    uint64_t start_ns; /* real time of start_tsc, since 1970 */
    uint64_t begin, end;
    uint64_t size;                 /* of the block, as it says */
    uint32_t lost;                 /* bytes without events at its end, or LTTNG_OPEN; 2.5 and 2.6: bytes with events */
    uint32_t events_lost, corrupt; /* 2.2 and later: events and blocks lost since the trace began */
};

/* A number of size bytes (1, 2, 4, 8). */
static inline uint64_t lttng_get(const unsigned char *from, unsigned size, bool big)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < size; i++)
        value = value << 8 | from[big ? i : size - 1u - i];
    return value;
}

static inline void lttng_put(unsigned char *to, unsigned size, bool big, uint64_t value)
{
    for (unsigned i = 0; i < size; i++)
        to[big ? size - 1u - i : i] = (unsigned char)(value >> 8u * i);
}

/* Bytes to skip at an offset for something of size bytes, with alignment 0 or a power of two. */
static inline uint32_t lttng_pad(uint64_t offset, unsigned size, unsigned alignment)
{
    unsigned least = alignment < size ? alignment : size;

    return least == 0 ? 0 : (uint32_t)((least - offset) & (least - 1u));
}

/* Is this the beginning of a block, by its magic number? Needs LTTNG_HEADER_MIN bytes; more decide better. */
bool lttng_header_is(const unsigned char *bytes, size_t n);

/* Read a block's headers. With seed, headers of version 1.0 are those of the document of 2008. NULL if they are good,
 * else what is wrong. The sizes are only read, not judged. */
const char *lttng_header_read(struct lttng_header *header, const unsigned char *bytes, size_t n, bool seed);

/* Are they headers of one trace: alike in version, byte order, clock, and what tells how events lie in blocks? */
bool lttng_header_alike(const struct lttng_header *a, const struct lttng_header *b);

/* Write a 1.0 header, LTTNG_HEADER_1_0 bytes; lost and size as they are to appear. arch_type: see lttng/block.c. */
void lttng_header_write(const struct lttng_header *header, unsigned char *bytes, uint32_t arch_type);

/* Bytes of a block of size bytes that hold headers and events; size of an open block. More than size: it lies. */
uint64_t lttng_header_used(const struct lttng_header *header, uint64_t size);

/* The clock: ticks per second are freq / divisor. freq 0 = unknown, or too fast to be true. */
void lttng_header_clock(const struct lttng_header *header, uint64_t *freq, uint32_t *divisor);

#endif
