/* unpack.c - the decoder of a group's payload: see unpack.h. target/FORMAT.md, 7.2 and 7.3, has the rules that each
 * function here follows, and the names W, P, D, L, H, K, V in comments.
 *
 * The bits may be anything, for all that the CRC shows: every number is checked before it is used.
 */
#include "formats/native/packed/unpack.h"

#include "base/bytes.h"
#include "formats/native/bytes/slot.h"

#include <string.h>

#define NONE 0xFFu /* in place of the number of a slot: there is none */

/* ---- bits -------------------------------------------------------------------------------------------------------- */

/* Bits of a payload, from bit 0 of its first word upwards. Behind the end they read as 0, and the payload is bad. */
struct bits {
    const unsigned char *bytes;
    uint32_t at, end; /* bits */
    bool bad;
};

/* The next count bits, at most 32. */
static uint32_t take(struct bits *in, uint32_t count)
{
    uint64_t word;
    uint32_t at = in->at / 32u * 4u;
    if (count > in->end - in->at) {
        in->bad = true;
        in->at = in->end;
        return 0;
    }
    if (count == 0)
        return 0;
    word = get_le32(in->bytes + at);
    if (at + 4u < in->end / 8u)
        word |= (uint64_t)get_le32(in->bytes + at + 4u) << 32;
    word >>= in->at % 32u;
    in->at += count;
    return (uint32_t)(word & (((uint64_t)1 << count) - 1u));
}

/* How many bits a value needs. */
static uint32_t bit_length(uint32_t value)
{
    uint32_t length = 0;
    for (; value; value >>= 1)
        length++;
    return length;
}

/* S(n): a number as a signed difference, modulo 2^32. */
static uint32_t difference(uint32_t number)
{
    return number >> 1 ^ (0u - (number & 1u));
}

/* N(least): the next number. Sets *verbatim if instead both words of the stamp follow as they are; the number is 0
 * then. */
static uint32_t take_number(struct bits *in, uint32_t least, bool *verbatim)
{
    uint32_t length = take(in, TLOG_PACK_LENGTH_BITS);
    *verbatim = false;
    if (length == 0)
        return take(in, least);
    if (length == TLOG_PACK_LONG) {
        uint32_t more = take(in, TLOG_PACK_LONG_BITS - TLOG_PACK_LENGTH_BITS);
        *verbatim = more == TLOG_PACK_VERBATIM;
        length += more;
    }
    length += least;
    if (length > 32u) {
        in->bad = in->bad || !*verbatim;
        return 0;
    }
    return take(in, length - 1u) | (uint32_t)1 << (length - 1u);
}

/* The next value: a word that is expected to be `expected`, if a slot is known that this one is like, else 0. */
static uint32_t take_value(struct bits *in, uint32_t expected, bool is_like_one)
{
    bool verbatim;
    uint32_t number;
    if (take(in, 1) == 0)
        return expected;
    number = take_number(in, 0, &verbatim) + 1u;
    in->bad = in->bad || verbatim || number == 0;
    return is_like_one ? expected + difference(number) : number;
}

/* ---- what is remembered ------------------------------------------------------------------------------------------ */

/* What decoder and compressor remember of the slots of the group so far: FORMAT.md, 7.2. */
struct model {
    uint32_t head[TLOG_GROUP_SLOTS]; /* W, D, P, by slot */
    uint32_t step[TLOG_GROUP_SLOTS];
    uint32_t last[TLOG_GROUP_SLOTS];
    uint8_t by_key[64]; /* K and V: numbers of slots, or NONE */
    uint8_t by_head[32];
    uint32_t low, high; /* L and H */
    uint32_t bits;      /* bits 15..8 of the head of the slot before */
    uint8_t next;       /* the slot that the next one is expected to be like, or NONE */
};

/* hk(w) */
static uint32_t hash_key(uint32_t head)
{
    return (head << 3 ^ (head & 0xFFFFu) >> 4) % 64u;
}

/* hv(w) */
static uint32_t hash_head(uint32_t head)
{
    return (hash_key(head) + (head >> 16) * 5u) % 32u;
}

/* A(like): par1 that slot i is expected to have if it is like that slot. */
static uint32_t expect_par1(const struct model *model, uint32_t like, uint32_t i)
{
    uint32_t par1 = model->head[like] >> 16;
    if (like >= 1u && model->head[like - 1u] >> 16 == par1)
        return model->head[i - 1u] >> 16;
    if (like >= 2u && model->head[like - 2u] >> 16 == par1)
        return model->head[i - 2u] >> 16;
    return par1;
}

/* E(low): the high word that is expected with that clock. Where bit 31 of the clock changes the mirror bit does, too,
 * and where the clock wraps the count of wraps goes up. */
static uint32_t expect_high(const struct model *model, uint32_t low)
{
    uint32_t high = model->high;
    return (high ^ low) >> 31 ? high + TLOG_HIGH_MIRROR + (high >> 31) : high;
}

/* Remember the head of slot i, and find the slot that the one behind it is expected to be like. */
static void learn(struct model *model, uint32_t i, uint32_t head)
{
    uint8_t *last = &model->by_head[hash_head(head)], *key = &model->by_key[hash_key(head)];
    uint32_t like = *last;
    if (like == NONE || model->head[like] != head) {
        like = *key;
        if (like != NONE && (uint16_t)model->head[like] != (uint16_t)head)
            like = NONE;
    }
    model->next = (uint8_t)(like == NONE ? NONE : like + 1u);
    *last = *key = (uint8_t)i;
    model->head[i] = head;
    model->bits = head & 0xFF00u;
}

/* ---- slot -------------------------------------------------------------------------------------------------------- */

/* Take a code, and make it a key. False: the code is the one that says that a whole key comes after par1. */
static bool take_key(struct bits *in, const struct model *model, uint32_t *key)
{
    static const uint8_t common[16] = TLOG_PACK_COMMON;
    uint32_t code = take(in, 1) == 0 ? common[take(in, 4)] : take(in, 8);
    *key = model->bits | code;
    return code != TLOG_PACK_ANY_KEY;
}

/* A par1 that is not as expected: 4 or 16 bits. */
static uint32_t take_other_par1(struct bits *in)
{
    return take(in, 1) == 0 ? take(in, 4) : take(in, 16);
}

static uint32_t take_par1(struct bits *in, uint32_t expected)
{
    return take(in, 1) == 0 ? expected : take_other_par1(in);
}

/* The head of slot i that is not near another one. *like becomes the slot with the same key, or NONE. */
static uint32_t take_head(struct bits *in, const struct model *model, uint32_t i, uint32_t *like)
{
    uint32_t key, expected = i ? model->head[i - 1u] >> 16 : 0;
    *like = NONE;
    if (take(in, 1) != 0) {
        bool any = !take_key(in, model, &key);
        uint32_t par1 = take_par1(in, expected);
        return (any ? take(in, 16) : key) | par1 << 16;
    }
    *like = i ? take(in, bit_length(i - 1u)) : NONE;
    if (*like >= i) {
        in->bad = true;
        *like = NONE;
        return 0;
    }
    key = model->head[*like] & 0xFFFFu;
    return key | take_par1(in, expect_par1(model, *like, i)) << 16;
}

/* The stamp of a record that is near slot `near`, or NONE. */
static void take_stamp(struct bits *in, struct model *model, uint32_t i, uint32_t word[4], uint32_t near)
{
    bool verbatim;
    uint32_t number = take_number(in, near != NONE ? 0 : TLOG_PACK_STEP_LEAST, &verbatim);
    if (verbatim) {
        word[TLOG_WORD_HIGH] = take(in, 32);
        word[TLOG_WORD_LOW] = take(in, 32);
    } else {
        word[TLOG_WORD_LOW] = model->low + (near != NONE ? model->step[near] + difference(number) : number);
        word[TLOG_WORD_HIGH] = expect_high(model, word[TLOG_WORD_LOW]);
    }
    model->step[i] = word[TLOG_WORD_LOW] - model->low;
    model->low = word[TLOG_WORD_LOW];
    model->high = word[TLOG_WORD_HIGH];
}

/* The first word of data and the clock of a traceevent slot that is like another one, or NONE. */
static void take_traceevent(struct bits *in, struct model *model, uint32_t i, uint32_t word[4], uint32_t like)
{
    bool verbatim;
    word[0] = take_value(in, like != NONE ? model->step[like] : 0, like != NONE);
    word[TLOG_WORD_LOW] = model->low + take_number(in, TLOG_PACK_STEP_LEAST, &verbatim);
    in->bad = in->bad || verbatim;
    model->step[i] = word[0];
    model->high = expect_high(model, word[TLOG_WORD_LOW]);
    model->low = word[TLOG_WORD_LOW];
}

/* The four words of slot i. */
static void take_slot(struct bits *in, struct model *model, uint32_t i, uint32_t word[4])
{
    uint32_t like = model->next, last;
    bool same = like != NONE && take(in, 1) == 0;              /* key and par1 are as expected */
    bool same_key = like != NONE && !same && take(in, 1) == 0; /* only the key is */
    if (same)
        word[TLOG_WORD_HEAD] = (model->head[like] & 0xFFFFu) | expect_par1(model, like, i) << 16;
    else if (same_key)
        word[TLOG_WORD_HEAD] = (model->head[like] & 0xFFFFu) | take_other_par1(in) << 16;
    else
        word[TLOG_WORD_HEAD] = take_head(in, model, i, &like);
    last = take_value(in, like != NONE ? model->last[like] : 0, like != NONE);
    word[native_is_traceevent(word[TLOG_WORD_HEAD]) ? 1u : TLOG_WORD_PAR2] = last;
    if (native_is_traceevent(word[TLOG_WORD_HEAD]))
        take_traceevent(in, model, i, word, like);
    else
        take_stamp(in, model, i, word, same || same_key ? like : NONE);
    learn(model, i, word[TLOG_WORD_HEAD]);
    model->last[i] = last;
}

bool native_unpack(const unsigned char *payload, uint32_t words, uint32_t bits, uint32_t slots, unsigned char *to)
{
    struct bits in = {payload, 0, 32u * words, false};
    struct model model = {.bits = bits, .next = NONE};
    memset(model.by_key, NONE, sizeof model.by_key);
    memset(model.by_head, NONE, sizeof model.by_head);
    for (uint32_t i = 0; i < slots && !in.bad; i++) {
        uint32_t word[4];
        take_slot(&in, &model, i, word);
        for (unsigned n = 0; n < 4; n++, to += 4)
            put_le32(to, word[n]);
    }
    return !in.bad && in.end - in.at < 32u && take(&in, in.end - in.at) == 0;
}
