/* packets.h - packets that came by UDP in any order: each number once, sorted by number, their records in a temporary
 * file.
 *
 * Payloads go to the temporary file in the order they come. An index has the place of each one. A packet takes 16 bytes
 * of memory, and n packets take time for n log n steps, whatever order they come in (base/sorted_set.h).
 *
 * Packet numbers have 32 bits and wrap. They are widened to 64 bits, so that they stay in order: a number is taken for
 * the one that is nearest to the highest so far.
 */
#ifndef IO_PACKETS_H
#define IO_PACKETS_H

#include "base/sorted_set.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trace;

#define PACKETS_RECORD_BYTES 16u                      /* of a record of the S.Ha.R.K. tracer */
#define PACKETS_RECORDS_MAX  4095u                    /* in a packet; a datagram of UDP has no room for more */
#define PACKETS_FIRST        (UINT64_C(1) << 32 | 1u) /* packet 1, widened: numbers before it stay positive */

struct packet {
    uint64_t number; /* widened */
    uint64_t place;  /* of its first record in the file, in records, << 12 | how many it has */
};

struct packets {
    struct trace *trace;     /* for messages */
    int temporary;           /* the records of all packets, or -1 */
    uint64_t records;        /* how many there are */
    struct sorted_set index; /* of struct packet, by number */
    uint64_t highest;        /* number so far, valid when there is a packet */
    unsigned char buffer[PACKETS_RECORDS_MAX * PACKETS_RECORD_BYTES];
};

/* How many records a packet has. */
static inline size_t packet_records(const struct packet *packet)
{
    return (size_t)(packet->place & 0xFFFu);
}

/* How many packets there are. */
static inline size_t packets_count(const struct packets *packets)
{
    return packets->index.n;
}

/* The packets in order of number; to be called after packets_sort(). */
static inline const struct packet *packets_all(const struct packets *packets)
{
    return (const struct packet *)(const void *)packets->index.element;
}

/* No packets. packets must be all 0. 0, or -1 after trace_fail(). */
int packets_open(struct packets *packets, struct trace *trace);

/* Free what it holds, and close the temporary file unless it is -1. */
void packets_close(struct packets *packets);

/* A packet's number with 64 bits. */
uint64_t packets_widen(const struct packets *packets, uint32_t number);

/* The packet of a widened number, valid until the next one is added; NULL if there is none. */
const struct packet *packets_find(const struct packets *packets, uint64_t number);

/* Whether a packet has exactly these count records: 1 or 0; -1 after trace_fail(). */
int packets_match(struct packets *packets, const struct packet *packet, const unsigned char *records, size_t count);

/* Add a packet of count records whose widened number is not there. 1; 0 if there is no memory for it; -1 after
 * trace_fail(). */
int packets_add(struct packets *packets, uint64_t number, const unsigned char *records, size_t count);

/* Put the records in the temporary file into the order of their packets. After that no packet can be found or added. 0,
 * or -1 after trace_fail(). */
int packets_sort(struct packets *packets);

#endif
