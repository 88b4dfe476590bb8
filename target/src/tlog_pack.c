/* SPDX-License-Identifier: MIT */
/* tlog_pack.c - compresses a chunk into a region. target/FORMAT.md, "Compressed region", specifies what it writes, and
 * host/formats/native/packed/unpack.c reads it.
 *
 * How a slot is predicted
 *   An event that has followed another one usually follows it again. Let p be the slot before the one that is written.
 *   Look up the last earlier slot with the same head as p or, if there is none, the last one with the same code. The
 *   slot behind that one is the model: it predicts code, par1, par2 and the time since the slot before. Mostly one bit
 *   says that code and par1 are as predicted, and another bit that par2 is. Without a model the number of an earlier
 *   slot with the same code is written, and without such a slot the code itself.
 *   The model's par1 may be that of a slot before it, as when two events belong to one task. Then the corresponding
 *   slot predicts par1.
 *
 * Groups
 *   Each group of up to 32 slots is compressed without knowledge of the others, so damage in one group does not affect
 *   the next. A group that would not become smaller is copied.
 *
 * Bits are collected in words from bit 0 upwards, and words are written in the target's byte order. */
#include "tlog_speed.h"
#include "tlog_pack.h"

#include <stdbool.h>

#if !defined(TLOG_ENABLE) || TLOG_ENABLE

/* Slots of the group are named by their numbers, 0..31. TLOG_PACK_NONE is no slot. Two flags may be added.
 * TLOG_PACK_NEAR: the slot is the model, so it predicts the time, too. TLOG_PACK_FULL_KEY: the key of the head is
 * written in full. Every function is either always or never inlined, so that the stack need of a call does not depend
 * on the compiler. */
#define TLOG_PACK_NONE     0xFFu
#define TLOG_PACK_NEAR     0x100u
#define TLOG_PACK_FULL_KEY 0x200u

#define TLOG_PACK_HEAD_WORDS (TLOG_PACK_HEAD_BYTES / 4u)

/* ---- CRC --------------------------------------------------------------------------------------------------------- */

/* Four bits at a time: the table takes 64 bytes of flash, and this a third of the time of tlog_ring_crc(), which has no
 * table. */
static TLOG_FORCE_INLINE uint32_t crc_word(uint32_t crc, uint32_t word)
{
    static const uint32_t table[16] = {0x00000000u, 0x1DB71064u, 0x3B6E20C8u, 0x26D930ACu, 0x76DC4190u, 0x6B6B51F4u,
                                       0x4DB26158u, 0x5005713Cu, 0xEDB88320u, 0xF00F9344u, 0xD6D6A3E8u, 0xCB61B38Cu,
                                       0x9B64C2B0u, 0x86D3D2D4u, 0xA00AE278u, 0xBDBDF21Cu};
    crc ^= word;
    crc = crc >> 4 ^ table[crc & 15u];
    crc = crc >> 4 ^ table[crc & 15u];
    crc = crc >> 4 ^ table[crc & 15u];
    crc = crc >> 4 ^ table[crc & 15u];
    crc = crc >> 4 ^ table[crc & 15u];
    crc = crc >> 4 ^ table[crc & 15u];
    crc = crc >> 4 ^ table[crc & 15u];
    return crc >> 4 ^ table[crc & 15u];
}

static TLOG_NOINLINE uint32_t crc_words(uint32_t crc, const uint32_t *words, uint32_t count)
{
    for (const uint32_t *end = words + count; words < end; words++)
        crc = crc_word(crc, *words);
    return crc;
}

/* ---- bits -------------------------------------------------------------------------------------------------------- */

/* Append a word to the region. Beyond the limit words are only counted, so that at > limit tells it in the end. */
static TLOG_FORCE_INLINE void emit(struct tlog_pack *work, uint32_t word)
{
    uint32_t at = work->at;
    work->at = at + 1u;
    if (at >= work->limit)
        return;
    work->out[at] = word;
    work->crc = crc_word(work->crc, word);
}

/* Append 1..32 bits; the other bits of value are 0. */
static TLOG_NOINLINE void put_bits(struct tlog_pack *work, uint32_t value, uint32_t bits)
{
    uint32_t fill = work->fill, word = work->bits | value << fill;
    if (fill + bits >= 32u) {
        emit(work, word);
        word = fill ? value >> (32u - fill) : 0;
        bits -= 32u;
    }
    work->bits = word;
    work->fill = (uint8_t)(fill + bits);
}

/* Up to 32 bits that are collected before they are appended. */
struct bits {
    uint32_t value, count;
};

static TLOG_FORCE_INLINE void add(struct bits *bits, uint32_t value, uint32_t count)
{
    bits->value |= value << bits->count;
    bits->count += count;
}

/* Append the bits that hold_bits() has kept, and then more. */
static TLOG_FORCE_INLINE void put_held(struct tlog_pack *work, const struct bits *more)
{
    uint32_t count = work->held_bits;
    if (count + more->count > 32u) {
        put_bits(work, work->held, count);
        put_bits(work, more->value, more->count);
    } else {
        put_bits(work, work->held | more->value << count, count + more->count);
    }
}

/* The position of the highest bit that is set, from 1 on; 0 if none is. On cores without CLZ the compiler would call
 * libgcc for __builtin_clz(). */
static TLOG_FORCE_INLINE uint32_t bit_length(uint32_t value)
{
#if defined(__ARM_FEATURE_CLZ) || !defined(__arm__)
    return value ? 32u - (uint32_t)__builtin_clz(value) : 0;
#else
    uint32_t length = 0;
    for (uint32_t step = 16; step > 0; step >>= 1) {
        if (value >> step) {
            value >>= step;
            length += step;
        }
    }
    return length + value;
#endif
}

/* Append the bits that are kept, and then a number: its length, and its bits except the highest, which is always 1.
 * Numbers of up to `least` bits all have the same length. */
static TLOG_NOINLINE void put_number(struct tlog_pack *work, uint32_t value, uint32_t least)
{
    uint32_t length = bit_length(value), more = length - least;
    if (length <= least) {
        put_held(work, &(struct bits){value << TLOG_PACK_LENGTH_BITS, TLOG_PACK_LENGTH_BITS + least});
        return;
    }
    value ^= 1u << (length - 1u);
    if (more < TLOG_PACK_LONG) {
        put_held(work, &(struct bits){more | value << TLOG_PACK_LENGTH_BITS, TLOG_PACK_LENGTH_BITS + length - 1u});
    } else {
        more = TLOG_PACK_LONG | (more - TLOG_PACK_LONG) << TLOG_PACK_LENGTH_BITS;
        put_held(work, &(struct bits){more, TLOG_PACK_LONG_BITS});
        put_bits(work, value, length - 1u);
    }
}

/* Keep bits in work, to be appended together with what comes next. */
static TLOG_FORCE_INLINE void hold_bits(struct tlog_pack *work, const struct bits *bits)
{
    work->held = bits->value;
    work->held_bits = (uint8_t)bits->count;
}

/* Append the bits that are kept, and then a value, of which 0 is the most frequent. A 0 is one bit, which is only
 * kept. */
static TLOG_FORCE_INLINE void put_value(struct tlog_pack *work, uint32_t value)
{
    uint32_t count = work->held_bits;
    if (value != 0) {
        work->held |= 1u << count;
        work->held_bits = (uint8_t)(count + 1u);
        put_number(work, value - 1u, 0);
        count = ~0u;
        work->held = 0;
    }
    work->held_bits = (uint8_t)(count + 1u);
}

/* The signed difference as a number: 0, -1, 1, -2, 2, ... become 0, 1, 2, 3, 4, ... */
static TLOG_FORCE_INLINE uint32_t fold_sign(uint32_t difference)
{
    return difference << 1 ^ (0u - (difference >> 31));
}

/* ---- prediction -------------------------------------------------------------------------------------------------- */

/* A key is bits 15..0 of a head. */
static TLOG_FORCE_INLINE uint32_t hash_key(uint32_t head)
{
    return (head << 3 ^ (head & 0xFFFFu) >> 4) % TLOG_PACK_KEYS;
}

static TLOG_FORCE_INLINE uint32_t hash_head(uint32_t head)
{
    return (hash_key(head) + (head >> 16) * 5u) % TLOG_PACK_WORDS;
}

/* Table of the last slot with each key, indexed by hash_key(). */
static TLOG_FORCE_INLINE uint8_t *by_key(struct tlog_pack *work)
{
    return (uint8_t *)work->tables;
}

/* Table of the last slot with each head, indexed by hash_head(). */
static TLOG_FORCE_INLINE uint8_t *by_head(struct tlog_pack *work)
{
    return (uint8_t *)work->tables + TLOG_PACK_KEYS;
}

static TLOG_FORCE_INLINE bool same_key(uint32_t a, uint32_t b)
{
    return (uint16_t)a == (uint16_t)b;
}

/* Whether two words 0 have the same par1, bits 31..16. */
static TLOG_FORCE_INLINE bool same_par1(uint32_t a, uint32_t b)
{
    return (a ^ b) >> 16 == 0;
}

/* The par1 that slot i has if it is like slot `like`: where that one repeats the par1 of one of the two slots before
 * it, slot i repeats that of the corresponding slot. In bits 31..16; the other bits are 0. */
static TLOG_FORCE_INLINE uint32_t expect_par1(const struct tlog_pack *work, uint32_t like, uint32_t i)
{
    const uint32_t *at = work->heads + like;
    const uint32_t *now = work->heads + i;
    uint32_t word = at[0];
    if (like >= 1u && same_par1(word, at[-1]))
        word = now[-1];
    else if (like >= 2u && same_par1(word, at[-2]))
        word = now[-2];
    return word & 0xFFFF0000u;
}

/* The high word that follows work->high when the low word is `low`: carried over as tlog_ring_tick() does, if the
 * mirror bit tells that half a wrap is complete. */
static TLOG_FORCE_INLINE uint32_t expect_high(const struct tlog_pack *work, uint32_t low)
{
    uint32_t high = work->high;
    return (high ^ low) >> 31 ? high + TLOG_HIGH_MIRROR + (high >> 31) : high;
}

/* Look up the model for the slot after the one in work, then enter the slot in work into the tables. */
static TLOG_NOINLINE void learn(struct tlog_pack *work)
{
    uint32_t i = work->slot, head = work->heads[i];
    uint8_t *last = &by_head(work)[hash_head(head)];
    uint32_t like = *last;
    if (like == TLOG_PACK_NONE || work->heads[like] != head)
        like = work->same;
    work->after = (uint8_t)(like == TLOG_PACK_NONE ? TLOG_PACK_NONE : like + 1u);
    *last = (uint8_t)i;
    by_key(work)[hash_key(head)] = (uint8_t)i;
}

/* ---- slot -------------------------------------------------------------------------------------------------------- */

/* Add a code that no earlier slot of the group has. Returns TLOG_PACK_FULL_KEY if the key of the head must
 * follow in full, or 0. */
static TLOG_FORCE_INLINE uint32_t add_key(struct bits *bits, uint32_t head, uint32_t before)
{
    static const uint8_t common[16] = TLOG_PACK_COMMON;
    uint32_t code = head & 0xFFu, known = TLOG_PACK_COMMON_HASH(code);
    if (((before ^ head) & 0xFF00u) != 0 || code == TLOG_PACK_ANY_KEY) {
        add(bits, 1u | TLOG_PACK_ANY_KEY << 1, 9);
        return TLOG_PACK_FULL_KEY;
    }
    if (common[known] == code)
        add(bits, known << 1, 5);
    else
        add(bits, 1u | code << 1, 9);
    return 0;
}

/* Add the par1 of a head. */
static TLOG_FORCE_INLINE void add_par1(struct bits *bits, uint32_t head)
{
    uint32_t par1 = head >> 16;
    if (par1 < 16u)
        add(bits, par1 << 1, 5);
    else
        add(bits, 1u | par1 << 1, 17);
}

/* Head of the slot before slot i. Before the first slot it counts as its own key with par1 0. */
static TLOG_FORCE_INLINE uint32_t head_before(const struct tlog_pack *work, uint32_t i, uint32_t head)
{
    return i ? work->heads[i - 1u] : head & 0xFFFFu;
}

/* Add a head that the model does not predict, or without a model: the number of the slot `same`, which has the same
 * key, or the code. Returns the slot that it is like, or none, with TLOG_PACK_FULL_KEY. */
static TLOG_FORCE_INLINE uint32_t add_head(struct tlog_pack *work, struct bits *bits, uint32_t head, uint32_t same)
{
    uint32_t i = work->slot, expected = head_before(work, i, head), like = same;
    if (work->after != TLOG_PACK_NONE)
        add(bits, 3, 2);
    if (same == TLOG_PACK_NONE) {
        add(bits, 1, 1);
        like |= add_key(bits, head, expected);
    } else {
        add(bits, same << 1, 1u + bit_length(i - 1u));
        expected = expect_par1(work, same, i);
    }
    add(bits, !same_par1(head, expected), 1);
    if (!same_par1(head, expected))
        add_par1(bits, head);
    return like;
}

/* Write the head; its bits are kept in work. Returns the slot that the other words are like, or none, with
 * TLOG_PACK_NEAR if it is the model. */
static TLOG_NOINLINE uint32_t put_head(struct tlog_pack *work, uint32_t head)
{
    struct bits bits = {0, 0};
    uint32_t like = work->after, same = by_key(work)[hash_key(head)];
    if (same != TLOG_PACK_NONE && !same_key(work->heads[same], head))
        same = TLOG_PACK_NONE;
    if (like == TLOG_PACK_NONE || !same_key(work->heads[like], head)) {
        like = add_head(work, &bits, head, same);
    } else {
        if (same_par1(expect_par1(work, like, work->slot), head)) {
            add(&bits, 0, 1);
        } else {
            add(&bits, 1, 2);
            add_par1(&bits, head);
        }
        like |= TLOG_PACK_NEAR;
    }
    hold_bits(work, &bits);
    work->same = (uint8_t)same;
    work->heads[work->slot] = head;
    return like;
}

static TLOG_FORCE_INLINE void put_verbatim(struct tlog_pack *work, uint32_t high, uint32_t low)
{
    put_held(work, &(struct bits){TLOG_PACK_LONG | TLOG_PACK_VERBATIM << TLOG_PACK_LENGTH_BITS, TLOG_PACK_LONG_BITS});
    put_bits(work, high, 32);
    put_bits(work, low, 32);
}

/* Write the stamp of a record. */
static TLOG_FORCE_INLINE void put_record_words(struct tlog_pack *work, const volatile uint32_t *slot, uint32_t like)
{
    uint32_t high = slot[TLOG_WORD_HIGH], low = slot[TLOG_WORD_LOW], step = low - work->low;
    if (expect_high(work, low) != high)
        put_verbatim(work, high, low);
    else if (like & TLOG_PACK_NEAR)
        put_number(work, fold_sign(step - work->step[like & ~TLOG_PACK_NEAR]), 0);
    else
        put_number(work, step, TLOG_PACK_STEP_LEAST);
    work->step[work->slot] = step;
    work->high = high;
    work->low = low;
}

static TLOG_FORCE_INLINE void put_traceevent(struct tlog_pack *work, const volatile uint32_t *slot, uint32_t like)
{
    uint32_t low = slot[TLOG_WORD_LOW], data = slot[0];
    uint32_t value = like == TLOG_PACK_NONE ? data : fold_sign(data - work->step[like & ~TLOG_PACK_NEAR]);
    put_value(work, value);
    put_number(work, low - work->low, TLOG_PACK_STEP_LEAST);
    work->step[work->slot] = data;
    work->high = expect_high(work, low);
    work->low = low;
}

/* Write all but the head: par2 or the second word of data first. Each word of a slot is read only once, because a late
 * owner may still change it. */
static TLOG_FORCE_INLINE void put_words(struct tlog_pack *work, const volatile uint32_t *slot, uint32_t like)
{
    uint32_t i = work->slot, is_record = (work->heads[i] & TLOG_CLASS_MASK) == 0;
    uint32_t par2 = slot[is_record ? TLOG_WORD_PAR2 : 1u];
    if (like & TLOG_PACK_FULL_KEY) {
        put_bits(work, work->held, work->held_bits);
        hold_bits(work, &(struct bits){work->heads[i] & 0xFFFFu, 16});
        like = TLOG_PACK_NONE;
    }
    uint32_t value = like == TLOG_PACK_NONE ? par2 : fold_sign(par2 - work->par2[like & ~TLOG_PACK_NEAR]);
    put_value(work, value);
    work->par2[i] = par2;
    if (is_record)
        put_record_words(work, slot, like);
    else
        put_traceevent(work, slot, like);
}

/* ---- group ------------------------------------------------------------------------------------------------------- */

/* Begin a payload: no slot is known, nothing is written, and there is room for that many words. */
static TLOG_NOINLINE void begin(struct tlog_pack *work, uint32_t room)
{
    for (volatile uint32_t *word = work->tables; word < work->tables + TLOG_PACK_TABLES; word++)
        *word = ~0u; /* `none`, four times; volatile: otherwise the compiler calls memset */
    work->after = (uint8_t)TLOG_PACK_NONE;
    work->low = work->high = 0;
    work->bits = 0;
    work->fill = 0;
    work->slot = 0;
    work->crc = work->seed;
    work->at = work->first;
    work->limit = work->at + room;
}

static TLOG_FORCE_INLINE bool has_overflown(const struct tlog_pack *work)
{
    return work->at > work->limit;
}

/* Begin a group behind what is written. False: there is no room for it. */
static TLOG_FORCE_INLINE bool begin_group(struct tlog_pack *work)
{
    work->first = work->at + 1u;
    return work->first < work->end;
}

/* Words that are left in the region for a payload. */
static TLOG_FORCE_INLINE uint32_t room(const struct tlog_pack *work)
{
    return work->end - work->first - 1u;
}

/* A slot of the group: in its first lap a chunk is not formatted behind the cursor, and any bytes may stand there. */
static TLOG_FORCE_INLINE const volatile uint32_t *slot_at(const struct tlog_pack *work, uint32_t i)
{
    static const uint32_t empty[4] = {[TLOG_WORD_HEAD] = TLOG_SLOT_EMPTY};
    return i < work->valid ? work->from + 4u * i : empty;
}

/* Write the slots of a group compressed, in fewer words than they have. If that is not possible, has_overflown() says
 * so. */
static TLOG_NOINLINE void encode(struct tlog_pack *work)
{
    uint32_t most = 4u * work->count - 1u;
    begin(work, room(work) < most ? room(work) : most);
    for (; work->slot < work->count && !has_overflown(work); work->slot++) {
        const volatile uint32_t *slot = slot_at(work, work->slot);
        put_words(work, slot, put_head(work, slot[TLOG_WORD_HEAD]));
        learn(work);
    }
    if (work->fill)
        put_bits(work, 0, 32u - work->fill);
}

/* Write the slots of a group as they are. The header has bits of the first head as it was read before; where the
 * payload is a copy no decoder uses them. */
static TLOG_NOINLINE void copy(struct tlog_pack *work)
{
    begin(work, room(work));
    for (uint32_t i = 0; i < 4u * work->count; i++)
        put_bits(work, slot_at(work, i / 4u)[i % 4u], 32);
}

/* Write the header of the group, and its CRC. */
static TLOG_NOINLINE void end_group(struct tlog_pack *work)
{
    uint32_t *header = work->out + work->first - 1u;
    *header = (work->at - work->first) | (work->heads[0] & 0xFF00u) | (uint32_t)work->number << 16;
    work->out[work->at++] = ~crc_words(work->crc, header, 1);
    work->number++;
}

/* Write `left` slots, from work->from on. False: there is no room. */
static TLOG_FORCE_INLINE bool put_group_slots(struct tlog_pack *work, uint32_t left)
{
    for (; left > 0; left -= work->count) {
        work->count = (uint8_t)(left < TLOG_GROUP_SLOTS ? left : TLOG_GROUP_SLOTS);
        if (!begin_group(work))
            return false;
        encode(work);
        if (has_overflown(work))
            copy(work);
        if (has_overflown(work))
            return false;
        end_group(work);
        work->from += work->count * 4u;
        work->valid -= work->valid < work->count ? work->valid : work->count;
    }
    return true;
}

/* ---- region ------------------------------------------------------------------------------------------------------ */

/* The sum that the word `check` of a header holds. */
static TLOG_NOINLINE uint32_t check_of(const volatile uint32_t *word)
{
    uint32_t sum = 0, factor = 1;
    for (uint32_t i = 0; i < TLOG_CHECK_WORDS; i++) {
        factor *= TLOG_CHECK_ROOT;
        sum += TLOG_CHECK_TERM(word[i], factor);
    }
    return sum;
}

/* The word of the chunk's header at that offset, as the head of the region has it. */
#define TLOG_PACK_WORD(out, member)                                                                                    \
    ((out)[TLOG_PACK_CHUNK_AT / 4u + __builtin_offsetof(struct tlog_chunk, member) / 4u - 2u])

/* How many of a chunk's normal slots were ever reserved. */
static TLOG_FORCE_INLINE uint32_t valid_slots(const uint32_t *out)
{
    const uint32_t lap = TLOG_PACK_WORD(out, lap), cursor = TLOG_PACK_WORD(out, cursor);
    if (TLOG_PACK_WORD(out, lap_high) != 0 || (lap != TLOG_LAP_NONE && lap != TLOG_LAP_FIRST))
        return TLOG_SLOTS_MAX;
    if (lap == TLOG_LAP_FIRST)
        return cursor & TLOG_TAG_ODD ? (cursor >> TLOG_CURSOR_SHIFT) - 1u : TLOG_SLOTS_MAX;
    return cursor & TLOG_TAG_ODD ? TLOG_SLOTS_MAX : 0;
}

/* Write the chunk's header without magic and tag, with which a reader would find a chunk there, and its claims. False:
 * it is no chunk. */
static TLOG_NOINLINE bool put_header(uint32_t *out, const struct tlog_chunk *chunk)
{
    const volatile uint32_t *from = &chunk->magic;
    static const uint32_t left_out[2] = {TLOG_WIRE_MAGIC, TLOG_WIRE_TAG};
    if (from[0] != left_out[0] || from[1] != left_out[1])
        return false;
    for (uint32_t i = 2; i < TLOG_HEADER_BYTES / 4u; i++)
        out[i + 1u] = from[i];
    if (check_of(from) != chunk->check)
        return false;
    from = (const uint32_t *)(chunk + 1) + (chunk->slots + 1u + chunk->emergency) * 4u;
    for (uint32_t i = 0; i < TLOG_CLAIMS; i++)
        out[TLOG_HEADER_BYTES / 4u + 1u + i] = valid_slots(out) < chunk->slots ? 0 : from[i];
    return true;
}

/* Write the rest of the head, its magic last: until it is written there is no valid region. Returns the region's
 * bytes. */
static TLOG_NOINLINE int32_t finish(struct tlog_pack *work)
{
    static const uint32_t magic = TLOG_PACK_MAGIC;
    uint32_t *out = work->out, *last = out + TLOG_PACK_HEAD_WORDS - 1u;
    out[1] = TLOG_PACK_VERSION | TLOG_PACK_HEAD_BYTES << 16;
    out[2] = work->at * 4u;
    *last = ~crc_words(crc_words(~0u, &magic, 1), out + 1, TLOG_PACK_HEAD_WORDS - 2u);
    *(volatile uint32_t *)out = magic;
    return (int32_t)(work->at * 4u);
}

static TLOG_NOINLINE int32_t start(struct tlog_pack *work, const struct tlog_chunk *chunk, uint32_t *out,
                                   uint32_t bytes)
{
    if (bytes < TLOG_PACK_HEAD_BYTES)
        return TLOG_PACK_ROOM;
    *(volatile uint32_t *)out = 0;
    if (!put_header(out, chunk))
        return TLOG_PACK_CHUNK;
    work->out = out;
    work->at = TLOG_PACK_HEAD_WORDS;
    work->end = bytes / 4u;
    work->number = 0;
    work->seed = crc_words(~0u, out + 3, TLOG_PACK_HEAD_WORDS - 4u);
    return 0;
}

/* Write the normal slots, skip the end mark, write the emergency slots. */
static TLOG_FORCE_INLINE int32_t put_chunk(struct tlog_pack *work, const struct tlog_chunk *chunk)
{
    work->from = (const uint32_t *)(chunk + 1);
    for (bool normal = true;; normal = false) {
        work->valid = normal ? valid_slots(work->out) : TLOG_PACK_WORD(work->out, emergency_used);
        if (!put_group_slots(work, normal ? chunk->slots : chunk->emergency))
            return TLOG_PACK_ROOM;
        if (!normal)
            return finish(work);
        work->from += 4;
    }
}

int32_t tlog_pack(const struct tlog_chunk *chunk, void *region, uint32_t bytes, struct tlog_pack *work)
{
    int32_t error = start(work, chunk, region, bytes);
    return error ? error : put_chunk(work, chunk);
}

#endif
