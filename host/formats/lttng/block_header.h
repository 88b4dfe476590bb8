/* block_header.h - the headers at the beginning of each block, of all versions.
 *
 * First comes a block header with the block's times and sizes, then a trace header with what holds for the whole trace.
 * Both are packed, in the byte order of the tracer. The trace header's magic number tells the byte order; the version
 * stands behind it. Version 2 has one header with all of that.
 */
#ifndef LTTNG_BLOCK_HEADER_H
#define LTTNG_BLOCK_HEADER_H

#include "formats/lttng/layout.h"

#define LTTNG_MAGIC      0x00D6B7EDu
#define LTTNG_OPEN       0xFFFFFFFFu /* lost_size or data_size of an open block */
#define LTTNG_HEADER_MAX 192u        /* no headers of a block are longer, in bytes */
#define LTTNG_HEADER_1_0 109u        /* bytes of the headers of version 1.0 */
#define LTTNG_START_AT   93u         /* offset in them of the real time of the start, */
#define LTTNG_START_MOST 16u         /* and the bytes that it has at most */

enum lttng_family {
    LTTNG_FACILITIES, /* 0.3 to 0.8: facility and event, a byte each; formats are not in the trace */
    LTTNG_SEED,       /* the document of 2008 to the letter: markers, but ids as in 0.x, start_time in 2 x 4 bytes */
    LTTNG_MARKERS,    /* 1.0: markers, 16-bit ids */
    LTTNG_METADATA,   /* 2.0 to 2.6: ids per channel, 27-bit stamps */
};

struct lttng_block_header {
    enum lttng_family family;
    bool big;       /* numbers are big-endian */
    bool heartbeat; /* there are heartbeats, and stamps have 32 bits */
    uint8_t major, minor, arch_size, alignment, flight;
    uint8_t truncate, tscbits, data_shift; /* of compact events; see event.c */
    uint32_t first;                        /* offset of the first event in the block, before alignment */
    uint32_t freq_scale;
    uint64_t start_freq, start_tsc;
    uint64_t start_ns;             /* real time of start_tsc, ns since 1970 */
    uint64_t begin, end;           /* full stamps of the block's first and last event */
    uint64_t size;                 /* bytes of the block, as the header has it */
    uint32_t lost;                 /* unused bytes at its end, or LTTNG_OPEN; 2.5 and 2.6: bytes that are used */
    uint32_t events_lost, corrupt; /* 2.2 and later: events and blocks lost since the trace began */
};

/* Do n bytes begin a block? Only the magic number is looked at, which is in the first 60 bytes, or in the first 76 of
 * versions that have wall times before it. */
bool lttng_block_header_is(const unsigned char *bytes, size_t n);

/* Read a block's headers from its first n bytes; LTTNG_HEADER_MAX are always enough. With seed, headers of version 1.0
 * are read as those of the document of 2008. Returns NULL, or what is wrong: then the header is not to be used. The
 * block's sizes are read, but not judged. */
const char *lttng_block_header_read(struct lttng_block_header *header, const unsigned char *bytes, size_t n, bool seed);

/* Are they headers of one trace: alike in version, byte order, clock, and in how events lie in blocks? */
bool lttng_block_header_alike(const struct lttng_block_header *a, const struct lttng_block_header *b);

/* Are numbers aligned to their own size, if they are aligned at all? So in versions 2.4 and 2.5; in the others, to no
 * more than the header's alignment. */
bool lttng_block_header_is_natural(const struct lttng_block_header *header);

/* Write headers of version 1.0, or as the document of 2008 has them: header->first bytes, LTTNG_HEADER_1_0 at most.
 * arch_type is the tracer's number of the processor; block_header.c has a list. */
void lttng_block_header_write(const struct lttng_block_header *header, unsigned char *bytes, uint32_t arch_type);

/* Write only the real time of the start; returns how many bytes that are. */
size_t lttng_block_header_write_start(const struct lttng_block_header *header, unsigned char *bytes);

/* How many bytes of a block of size bytes hold headers and events: all of an open block. More than size: the header is
 * wrong. */
uint64_t lttng_block_header_used(const struct lttng_block_header *header, uint64_t size);

/* The clock's frequency, freq / divisor ticks per second. freq is 0 if it is unknown or does not fit in 64 bits. */
void lttng_block_header_clock(const struct lttng_block_header *header, uint64_t *freq, uint32_t *divisor);

#endif
