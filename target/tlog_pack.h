/* tlog_pack.h - make a chunk smaller: a new region of memory that holds the same slots in a fraction of the bytes.
 *
 *     static struct tlog_pack work;
 *     for (struct tlog_chunk *chunk = tlog_chunk_behind(NULL); chunk; chunk = tlog_chunk_behind(chunk)) {
 *         int32_t bytes = tlog_pack(chunk, region, sizeof(region), &work);
 *         ...
 *     }
 *
 * The region is what is kept or sent; the decoder makes the chunk of it again. Its layout is target/FORMAT.md,
 * "Compressed region". No allocation, no libc, no division; it calls nothing and stores nothing outside region and
 * work.
 */
#ifndef TLOG_PACK_H
#define TLOG_PACK_H

#ifdef TLOG_CONFIG
#include TLOG_CONFIG
#endif

#include "tlog_wire.h"

/* Why there is no region. */
enum tlog_pack_error {
    TLOG_PACK_ROOM = -1,  /* the region is too small */
    TLOG_PACK_CHUNK = -2, /* that is no chunk: its magic, its tag or the CRC of its constants is wrong */
};

#define TLOG_PACK_KEYS   64u /* entries of a table by code */
#define TLOG_PACK_WORDS  32u /* entries of a table by the whole word 0 */
#define TLOG_PACK_TABLES ((TLOG_PACK_KEYS + TLOG_PACK_WORDS) / 4u)

/* Working memory, 536 bytes on a 32-bit target. It need not be initialised and holds nothing between two calls. The
 * slots of the group in work are remembered here, and not looked up in the chunk, because a late writer may still fill
 * one. */
struct tlog_pack {
    uint32_t word0[TLOG_GROUP_SLOTS];
    uint32_t step[TLOG_GROUP_SLOTS]; /* record: ticks since the slot before; traceevent slot: its word 2 */
    uint32_t par2[TLOG_GROUP_SLOTS];
    uint32_t tables[TLOG_PACK_TABLES]; /* bytes: the last slot with a code, and with a code and par1, by their hashes */
    const uint32_t *from;              /* the slots of the group */
    uint32_t *out;
    uint32_t at, limit; /* in words of out: the next one, and the first one that is not to be written */
    uint32_t bits;      /* of the word that is not complete */
    uint32_t crc;
    uint32_t first;     /* of the group's payload */
    uint32_t end;       /* of the region, in words */
    uint32_t seed;      /* what crc begins with in every group */
    uint32_t low, high; /* time of the slot before */
    uint32_t head;      /* bits of word 0 that are not put yet */
    uint8_t head_bits;
    uint8_t count;   /* of the group's slots */
    uint8_t slot;    /* in work */
    uint8_t fill;    /* bits in bits, 0..31 */
    uint8_t same;    /* the last slot with the code of the one in work, or none */
    uint8_t after;   /* what followed when last a slot was like the one before, or none */
    uint16_t number; /* of the group */
};

TLOG_STATIC_ASSERT(sizeof(void *) > 4u || sizeof(struct tlog_pack) == 536u, "working memory");

/* A region of that many bytes is enough for a chunk with that many slots, whatever they hold. */
#define TLOG_PACK_BYTES(slots, emergency)                                                                              \
    (TLOG_PACK_HEAD_BYTES + ((slots) + (emergency)) * TLOG_SLOT_BYTES                                                  \
     + (TLOG_GROUPS(slots) + TLOG_GROUPS(emergency)) * TLOG_PACK_GROUP_BYTES)

TLOG_BEGIN_C

/* Compress a chunk into a region of at most `bytes` bytes, aligned to 4. Returns the bytes written, a multiple of 4, or
 * a negative enum tlog_pack_error; then nothing in the region is valid. The chunk is only read. Any context; one call
 * at a time for each region and each work. A chunk that is logged to in the meantime gives a region that shows each
 * slot as it was at some moment, as a copy of the chunk would. Stack: 128 bytes at most, calls included. With
 * TLOG_ENABLE = 0 there are no chunks: TLOG_PACK_CHUNK. */
#if defined(TLOG_ENABLE) && !TLOG_ENABLE
TLOG_INLINE int32_t tlog_pack(const struct tlog_chunk *chunk, void *region, uint32_t bytes, struct tlog_pack *work)
{
    (void)chunk, (void)region, (void)bytes, (void)work;
    return TLOG_PACK_CHUNK;
}
#else
int32_t tlog_pack(const struct tlog_chunk *chunk, void *region, uint32_t bytes, struct tlog_pack *work);
#endif

TLOG_END_C

#endif
