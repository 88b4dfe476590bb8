/* pack_harness.h - what the tests of compressed chunks share: chunks of noise, of events and of a mixture, which the
 * target's compressor packs and the decoder unpacks.
 */
#ifndef DECODER_NATIVE_PACK_HARNESS_H
#define DECODER_NATIVE_PACK_HARNESS_H

#include "tlog_pack.h"
#include "formats/native/packed/region.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <cmocka.h>

#define GROUP_BYTES (TLOG_GROUP_SLOTS * TLOG_SLOT_BYTES)

/* A region. */
struct packed {
    unsigned char *bytes;
    size_t size;
};

/* Which groups of a region were lost. */
struct loss {
    bool lost[4096]; /* by group */
};

/* The next number of a sequence that is the same each time. */
uint32_t noise(void);

/* A chunk whose slots are all 0, in memory of exactly its size. To be freed with free(). */
struct tlog_chunk *new_chunk(uint32_t slots, uint32_t emergency);

/* The chunk's slots, four words each; and how many groups it has, those of emergency slots included. */
uint32_t *slots_of(struct tlog_chunk *chunk);
uint32_t all_groups(const struct tlog_chunk *chunk);

/* Put end mark and seal, as tlog_dump() makes them. */
void seal(struct tlog_chunk *chunk);

/* Make the check of a header right. */
void set_check(struct tlog_chunk *chunk);

/* Fill count slots with any words. */
void fill_noise(uint32_t *slots, uint32_t count);

/* Fill them with records like those of a kernel: of few codes and tasks, with times that go up, sometimes by half a
 * wrap of the clock. */
void fill_events(uint32_t *slots, uint32_t count);

/* Fill them with slots of every kind beside every other: empty, unfinished, with any tag, of any class, damaged, and
 * repeated. */
void fill_mixture(uint32_t *slots, uint32_t count);

/* Pack a chunk: first into memory of the size that is always enough, then again into as much as that took. */
struct packed pack(const struct tlog_chunk *chunk);

/* Unpack a region, and compare the image with the chunk. Returns what native_region_unpack() returned. */
int unpack_region(const struct tlog_chunk *chunk, struct packed packed, struct loss *loss);

/* Seal, pack and unpack a chunk. Returns the size of the region. */
size_t round_trip(struct tlog_chunk *chunk);

/* The group that a byte of a region is in; -1: it is in the head. */
int group_of(struct packed packed, size_t at);

/* A chunk with groups that can be compressed and one that cannot, whole and short groups, and emergency slots. */
struct tlog_chunk *small_chunk(void);

#endif
