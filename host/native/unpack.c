/* unpack.c - see unpack.h. Every number of the input is checked before it is used; a group whose CRC is right is
 * decoded with the same care as one from anywhere. */
#include "native/unpack.h"

#include "base/bytes.h"
#include "base/crc32.h"
#include "tlog_wire.h"

#include <string.h>
#include <zlib.h>

#define NONE 0xFFu /* no slot */

/* What the seal's CRC of a lost group is off by: no single wrong byte of a group does that. */
#define WRONG 0xFFFFFFFFu

_Static_assert(UNPACK_HEADER_BYTES == TLOG_HEADER_BYTES, "header");

/* ---- head -------------------------------------------------------------------------------------------------------- */

struct head {
    unsigned char bytes[TLOG_PACK_HEAD_BYTES]; /* mended */
    uint32_t slots, emergency;
    uint32_t groups; /* of the normal slots; those of the emergency slots come after them */
    uint32_t all_groups;
    struct unpack_info info;
};

static bool mend(struct head *head)
{
    uint32_t right = get_le32(head->bytes + TLOG_PACK_CRC_BYTES);
    uint32_t difference = crc32_of(head->bytes, TLOG_PACK_CRC_BYTES) ^ right;
    struct crc32_error error;

    head->info.mended_at = UNPACK_INTACT;
    if (difference == 0)
        return true;
    error = crc32_locate(difference, TLOG_PACK_CRC_BYTES);
    if (error.at == CRC32_NOWHERE)
        return false;
    head->bytes[error.at] ^= error.bits;
    head->info.mended_at = error.at;
    return true;
}

/* Word of the chunk's header at that offset, 8..108. */
static uint32_t chunk_word(const struct head *head, size_t offset)
{
    return get_le32(head->bytes + TLOG_PACK_CHUNK_AT + offset - 8u);
}

/* Whether the chunk's own CRC is right, too. */
static bool is_chunk(const struct head *head)
{
    unsigned char bytes[TLOG_CRC_BYTES];

    put_le32(bytes, TLOG_WIRE_MAGIC);
    put_le32(bytes + 4, TLOG_WIRE_TAG);
    memcpy(bytes + 8, head->bytes + TLOG_PACK_CHUNK_AT, sizeof bytes - 8u);
    return crc32_of(bytes, sizeof bytes) == chunk_word(head, TLOG_CRC_BYTES);
}

/* Whether the sizes agree with each other, and what they are. */
static bool read_sizes(struct head *head)
{
    uint64_t size;

    head->info.region_size = get_le32(head->bytes + 8);
    head->slots = chunk_word(head, 20);
    head->emergency = chunk_word(head, 24);
    if (head->slots == 0 || head->slots > TLOG_SLOTS_MAX || head->emergency > TLOG_SLOTS_MAX
        || chunk_word(head, 8) << 8 != (TLOG_WIRE_VERSION | TLOG_HEADER_BYTES << 16) << 8)
        return false;
    head->groups = TLOG_GROUPS(head->slots);
    head->all_groups = head->groups + TLOG_GROUPS(head->emergency);
    size =
        TLOG_HEADER_BYTES + ((uint64_t)head->slots + 1u + head->emergency) * TLOG_SLOT_BYTES + sizeof(struct tlog_seal);
    head->info.image_size = chunk_word(head, 28);
    return head->info.image_size >= size + 4u * head->all_groups
           && head->info.image_size <= size + 4u * (head->all_groups + 3u) && head->info.region_size % 4u == 0
           && head->info.region_size > TLOG_PACK_HEAD_BYTES + head->all_groups * TLOG_PACK_GROUP_BYTES
           && head->info.region_size <= TLOG_PACK_HEAD_BYTES
                                            + ((uint64_t)head->slots + head->emergency) * TLOG_SLOT_BYTES
                                            + head->all_groups * TLOG_PACK_GROUP_BYTES;
}

static int read_head(struct head *head, const unsigned char *bytes, size_t size)
{
    bool whole;

    if (size < TLOG_PACK_HEAD_BYTES)
        return UNPACK_NOTHING;
    memcpy(head->bytes, bytes, TLOG_PACK_HEAD_BYTES);
    whole = mend(head);
    if (get_le32(head->bytes) != TLOG_PACK_MAGIC
        || get_le32(head->bytes + 4) != (TLOG_PACK_VERSION | TLOG_PACK_HEAD_BYTES << 16))
        return UNPACK_NOTHING;
    return whole && is_chunk(head) && read_sizes(head) ? 0 : UNPACK_BROKEN;
}

static void put_header(const struct head *head, unsigned char *to)
{
    put_le32(to, TLOG_WIRE_MAGIC);
    put_le32(to + 4, TLOG_WIRE_TAG);
    memcpy(to + 8, head->bytes + TLOG_PACK_CHUNK_AT, TLOG_HEADER_BYTES - 8u);
}

int unpack_peek(const unsigned char *bytes, size_t size, struct unpack_info *info)
{
    struct head head;
    int result = read_head(&head, bytes, size);

    if (result != 0)
        return result;
    *info = head.info;
    put_header(&head, info->header);
    return 0;
}

/* ---- bits -------------------------------------------------------------------------------------------------------- */

/* Bits of a payload, from bit 0 of its first word upwards. Beyond the end they are 0, and the payload is bad. */
struct bits {
    const unsigned char *bytes;
    uint32_t at, end; /* bits */
    bool bad;
};

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

static uint32_t bit_length(uint32_t value)
{
    uint32_t length = 0;

    for (; value; value >>= 1)
        length++;
    return length;
}

/* A number, or *verbatim: words 1 and 2 follow instead. */
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

/* The word of which expected is what it was in the model, or 0. */
static uint32_t take_value(struct bits *in, uint32_t expected, bool has_model)
{
    bool verbatim;
    uint32_t folded;

    if (take(in, 1) == 0)
        return expected;
    folded = take_number(in, 0, &verbatim) + 1u;
    in->bad = in->bad || verbatim || folded == 0;
    return has_model ? expected + (folded >> 1 ^ (0u - (folded & 1u))) : folded;
}

/* ---- model ------------------------------------------------------------------------------------------------------- */

/* The compressor's memory, as target/FORMAT.md describes it. */
struct model {
    uint32_t word0[TLOG_GROUP_SLOTS];
    uint32_t step[TLOG_GROUP_SLOTS];
    uint32_t par2[TLOG_GROUP_SLOTS];
    uint8_t by_key[64];
    uint8_t by_word0[32];
    uint32_t low, high;
    uint32_t context; /* bits 15..8 of the slot before */
    uint8_t after;
};

static uint32_t hash_key(uint32_t word0)
{
    return (word0 << 3 ^ (word0 & 0xFFFFu) >> 4) % 64u;
}

static uint32_t hash_word0(uint32_t word0)
{
    return (hash_key(word0) + (word0 >> 16) * 5u) % 32u;
}

static uint32_t expect_par1(const struct model *model, uint32_t like, uint32_t i)
{
    uint32_t par1 = model->word0[like] >> 16;

    if (like >= 1u && model->word0[like - 1u] >> 16 == par1)
        return model->word0[i - 1u] >> 16;
    if (like >= 2u && model->word0[like - 2u] >> 16 == par1)
        return model->word0[i - 2u] >> 16;
    return par1;
}

static uint32_t expect_high(const struct model *model, uint32_t low)
{
    uint32_t high = model->high;

    return (high ^ low) >> 31 ? high + TLOG_HIGH_MIRROR + (high >> 31) : high;
}

static void learn(struct model *model, uint32_t i, uint32_t word0)
{
    uint8_t *last = &model->by_word0[hash_word0(word0)], *key = &model->by_key[hash_key(word0)];
    uint32_t like = *last;

    if (like == NONE || model->word0[like] != word0) {
        like = *key;
        if (like != NONE && (uint16_t)model->word0[like] != (uint16_t)word0)
            like = NONE;
    }
    model->after = (uint8_t)(like == NONE ? NONE : like + 1u);
    *last = *key = (uint8_t)i;
    model->word0[i] = word0;
    model->context = word0 & 0xFF00u;
}

/* ---- slot -------------------------------------------------------------------------------------------------------- */

/* False: it is any key, and comes after par1. */
static bool take_key(struct bits *in, const struct model *model, uint32_t *key)
{
    static const uint8_t common[16] = TLOG_PACK_COMMON;
    uint32_t code = take(in, 1) == 0 ? common[take(in, 4)] : take(in, 8);

    *key = model->context | code;
    return code != TLOG_PACK_ANY_KEY;
}

static uint32_t take_par1(struct bits *in, uint32_t expected)
{
    if (take(in, 1) == 0)
        return expected;
    return take(in, 1) == 0 ? take(in, 4) : take(in, 16);
}

/* Without a model that is near. *like: the slot with the same code, or NONE. */
static uint32_t take_word0(struct bits *in, const struct model *model, uint32_t i, uint32_t *like)
{
    uint32_t key, expected = i ? model->word0[i - 1u] >> 16 : 0;

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
    key = model->word0[*like] & 0xFFFFu;
    return key | take_par1(in, expect_par1(model, *like, i)) << 16;
}

static void take_time(struct bits *in, struct model *model, uint32_t i, uint32_t word[4], uint32_t like)
{
    bool near = like != NONE, verbatim;
    uint32_t number = take_number(in, near ? 0 : TLOG_PACK_STEP_LEAST, &verbatim);

    if (verbatim) {
        word[1] = take(in, 32);
        word[2] = take(in, 32);
    } else {
        word[2] = model->low + (near ? model->step[like] + (number >> 1 ^ (0u - (number & 1u))) : number);
        word[1] = expect_high(model, word[2]);
    }
    model->step[i] = word[2] - model->low;
    model->low = word[2];
    model->high = word[1];
}

static void take_slot(struct bits *in, struct model *model, uint32_t i, uint32_t word[4])
{
    uint32_t like = model->after;
    bool near = like != NONE && take(in, 1) == 0;
    bool near_code = like != NONE && !near && take(in, 1) == 0, has_model, verbatim;

    if (near)
        word[0] = (model->word0[like] & 0xFFFFu) | expect_par1(model, like, i) << 16;
    else if (near_code)
        word[0] = (model->word0[like] & 0xFFFFu) | (take(in, 1) == 0 ? take(in, 4) : take(in, 16)) << 16;
    else
        word[0] = take_word0(in, model, i, &like);
    has_model = like != NONE;
    word[3] = take_value(in, has_model ? model->par2[like] : 0, has_model);
    if ((word[0] & TLOG_CLASS_MASK) == 0) {
        take_time(in, model, i, word, near || near_code ? like : NONE);
    } else {
        word[2] = take_value(in, has_model ? model->step[like] : 0, has_model);
        word[1] = model->low + take_number(in, TLOG_PACK_STEP_LEAST, &verbatim);
        in->bad = in->bad || verbatim;
        model->step[i] = word[2];
        model->high = expect_high(model, word[1]);
        model->low = word[1];
    }
    learn(model, i, word[0]);
    model->par2[i] = word[3];
}

/* ---- group ------------------------------------------------------------------------------------------------------- */

/* The groups of a region, and where they go. */
struct walk {
    const struct head *head;
    const unsigned char *bytes;
    size_t size; /* of the region, as far as it is there */
    uint32_t seed;
    unsigned char *image;
};

static uint32_t group_slots(const struct head *head, uint32_t group)
{
    bool is_normal = group < head->groups;
    uint32_t before = (is_normal ? group : group - head->groups) * TLOG_GROUP_SLOTS;
    uint32_t left = (is_normal ? head->slots : head->emergency) - before;

    return left < TLOG_GROUP_SLOTS ? left : TLOG_GROUP_SLOTS;
}

/* Offset in the image. The end mark stands before the emergency slots. */
static uint32_t group_offset(const struct head *head, uint32_t group)
{
    uint32_t before =
        group < head->groups ? group * TLOG_GROUP_SLOTS : head->slots + 1u + (group - head->groups) * TLOG_GROUP_SLOTS;

    return TLOG_HEADER_BYTES + before * TLOG_SLOT_BYTES;
}

/* Whether a group stands at an offset of the region: which, and how many bytes. */
static bool is_group(const struct walk *walk, size_t at, uint32_t *group, size_t *size)
{
    const unsigned char *header = walk->bytes + at;
    uint32_t words, crc;

    if (walk->size - at < TLOG_PACK_GROUP_BYTES)
        return false;
    words = get_le32(header) & 0xFFu;
    *group = get_le32(header) >> 16;
    if (*group >= walk->head->all_groups || words == 0 || words > 4u * group_slots(walk->head, *group))
        return false;
    *size = TLOG_PACK_GROUP_BYTES + 4u * words;
    if (*size > walk->size - at)
        return false;
    crc = (uint32_t)crc32(crc32(walk->seed, header + 4, 4u * words), header, 4);
    return crc == get_le32(header + 4u + 4u * words);
}

static bool decode(const unsigned char *header, uint32_t words, uint32_t slots, unsigned char *to)
{
    struct bits in = {header + 4, 0, 32u * words, false};
    struct model model = {.context = get_le32(header) & 0xFF00u, .after = NONE};

    memset(model.by_key, NONE, sizeof model.by_key);
    memset(model.by_word0, NONE, sizeof model.by_word0);
    for (uint32_t i = 0; i < slots && !in.bad; i++) {
        uint32_t word[4];

        take_slot(&in, &model, i, word);
        for (unsigned n = 0; n < 4; n++, to += 4)
            put_le32(to, word[n]);
    }
    return !in.bad && in.end - in.at < 32u && take(&in, in.end - in.at) == 0;
}

static bool unpack_group(const struct walk *walk, size_t at, uint32_t group)
{
    const unsigned char *header = walk->bytes + at;
    unsigned char *to = walk->image + group_offset(walk->head, group);
    uint32_t words = get_le32(header) & 0xFFu, slots = group_slots(walk->head, group);

    if (words < 4u * slots)
        return decode(header, words, slots, to);
    memcpy(to, header + 4, 4u * (size_t)words);
    return true;
}

/* Slots that no lap has. */
static void lose(const struct walk *walk, uint32_t group)
{
    unsigned char *slot = walk->image + group_offset(walk->head, group);
    uint32_t slots = group_slots(walk->head, group);

    memset(slot, 0, slots * TLOG_SLOT_BYTES);
    for (uint32_t i = 0; i < slots; i++)
        put_le32(slot + i * TLOG_SLOT_BYTES, TLOG_TAG_MASK);
}

/* ---- image ------------------------------------------------------------------------------------------------------- */

/* Where the seal's CRC of a group is. */
static unsigned char *group_crc(const struct walk *walk, uint32_t group)
{
    const struct head *head = walk->head;

    return walk->image + TLOG_HEADER_BYTES + (head->slots + 1u + head->emergency) * TLOG_SLOT_BYTES
           + sizeof(struct tlog_seal) + 4u * group;
}

static void put_group_crc(const struct walk *walk, uint32_t group, bool right)
{
    uint32_t crc =
        crc32_of(walk->image + group_offset(walk->head, group), group_slots(walk->head, group) * TLOG_SLOT_BYTES);

    put_le32(group_crc(walk, group), right ? crc : crc ^ WRONG);
}

/* Header and end mark; the rest is 0. */
static void put_frame(const struct walk *walk)
{
    memset(walk->image, 0, walk->head->info.image_size);
    put_header(walk->head, walk->image);
    put_le32(walk->image + TLOG_HEADER_BYTES + walk->head->slots * TLOG_SLOT_BYTES, TLOG_TAG_MASK);
}

/* The header's words, as they are in the image; the group CRCs are there. */
static void put_seal(const struct walk *walk)
{
    static const unsigned char words[] = {96, 100, 104, 108, 72};
    unsigned char *seal = group_crc(walk, 0) - sizeof(struct tlog_seal);
    uLong crc;

    put_le32(seal, TLOG_WIRE_SEAL);
    for (unsigned i = 0; i < sizeof words; i++)
        memcpy(seal + 4u + 4u * i, walk->image + words[i], 4);
    crc = crc32(crc32(0, seal, 28), group_crc(walk, 0), 4u * walk->head->all_groups);
    put_le32(seal + 28, (uint32_t)crc);
}

/* Groups stand one behind the other. Where none stands the next one is searched for, word by word. A group's number
 * tells where it belongs, so that none is missed because of another. */
static void unpack_groups(const struct walk *walk, bool *done)
{
    uint32_t group = 0;
    size_t at = TLOG_PACK_HEAD_BYTES, size = 0;

    while (at < walk->size) {
        if (is_group(walk, at, &group, &size)) {
            done[group] = done[group] || unpack_group(walk, at, group);
            at += size;
        } else {
            at += 4;
        }
    }
}

/* The seal's group CRCs. How many groups are lost. */
static int check_groups(const struct walk *walk, const bool *done)
{
    int lost = 0;

    for (uint32_t group = 0; group < walk->head->all_groups; group++) {
        if (!done[group]) {
            lose(walk, group);
            lost++;
        }
        put_group_crc(walk, group, done[group]);
    }
    return lost;
}

int unpack_region(const unsigned char *bytes, size_t size, unsigned char *image, size_t image_size)
{
    struct head head;
    struct walk walk = {.head = &head, .bytes = bytes, .image = image};
    bool done[2u * TLOG_GROUPS(TLOG_SLOTS_MAX)] = {false};
    int result = read_head(&head, bytes, size);

    if (result != 0)
        return result;
    if (image_size < head.info.image_size)
        return UNPACK_ROOM;
    walk.size = (size < head.info.region_size ? size : head.info.region_size) & ~(size_t)3;
    walk.seed = crc32_of(head.bytes + TLOG_PACK_CHUNK_AT, TLOG_HEADER_BYTES - 8u);
    put_frame(&walk);
    unpack_groups(&walk, done);
    result = check_groups(&walk, done);
    put_seal(&walk);
    return result;
}
