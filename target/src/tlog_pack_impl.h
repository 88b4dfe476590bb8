/* SPDX-License-Identifier: MIT */
/* tlog_pack_impl.h - the working memory of tlog_pack(). tlog_pack.c says how it compresses.
 *
 * Private to tlog: firmware includes tlog_pack.h, and looks at no member. */
#ifndef TLOG_PACK_IMPL_H
#define TLOG_PACK_IMPL_H

#ifndef TLOG_PACK_H
#error "tlog: include tlog_pack.h"
#endif

#define TLOG_PACK_KEYS   64u /* entries of the table by code */
#define TLOG_PACK_WORDS  32u /* entries of the table by the whole head */
#define TLOG_PACK_TABLES ((TLOG_PACK_KEYS + TLOG_PACK_WORDS) / 4u)

/* The slots of the group in work are copied here, and not read from the chunk again, because a late writer may still
 * fill one of them. */
struct tlog_pack {
    uint32_t heads[TLOG_GROUP_SLOTS];
    uint32_t step[TLOG_GROUP_SLOTS]; /* record: ticks since the slot before; traceevent slot: its word 2 */
    uint32_t par2[TLOG_GROUP_SLOTS];
    uint32_t tables[TLOG_PACK_TABLES]; /* bytes: the last slot with a code, and with a code and par1, by hashes */
    const uint32_t *from;              /* the slots of the group */
    uint32_t *out;
    uint32_t at, limit; /* indices in out: of the next word, and of the first word that must not be written */
    uint32_t bits;      /* the bits of the next word, which is not complete */
    uint32_t crc;
    uint32_t first; /* index in out of the group's payload */
    uint32_t end;   /* words of the region */
    uint32_t seed;  /* the value that crc begins with in every group */
    uint32_t valid; /* slots, from the group's first one on, that were reserved; what stands behind them is no event */
    uint32_t low, high; /* time stamp of the slot before */
    uint32_t held;      /* bits of the head that are not written yet */
    uint8_t held_bits;
    uint8_t count;   /* slots of the group */
    uint8_t slot;    /* the slot in work, by its index in the group */
    uint8_t fill;    /* how many bits are in bits, 0..31 */
    uint8_t same;    /* the last slot with the code of the slot in work, or none */
    uint8_t after;   /* the slot that followed the last slot that was like the slot before, or none */
    uint16_t number; /* number of the group */
};

TLOG_STATIC_ASSERT(sizeof(void *) > 4u || sizeof(struct tlog_pack) == 540u, "working memory");

#endif
