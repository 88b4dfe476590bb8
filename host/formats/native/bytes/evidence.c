/* evidence.c - the evidence in the words of a header: see evidence.h. */
#include "formats/native/bytes/evidence.h"

#include "formats/native/bytes/slot.h"

#include <string.h>

/* Bits 23..0 of the word format: version, and size of the header. */
#define FORMAT_BITS 0xFFFFFFu
#define NAMED_ALL   8u /* bytes of magic and tag */
#define NAMED_LEAST 3u /* of them are right in what looks like a header */

#define FORMAT_WORD (TLOG_WIRE_VERSION | TLOG_HEADER_BYTES << 16)

static bool is_format(const struct tlog_chunk *chunk)
{
    uint32_t pointer = chunk->format >> 24;
    return (chunk->format & FORMAT_BITS) == FORMAT_WORD && (pointer == 4u || pointer == 8u);
}

bool native_sizes_agree(const struct tlog_chunk *chunk)
{
    return chunk->slots > 0 && chunk->slots <= TLOG_SLOTS_MAX && chunk->emergency <= TLOG_SLOTS_MAX
           && chunk->buf_size == TLOG_CHUNK_BYTES(chunk->slots, chunk->emergency);
}

bool native_place_is_known(const struct tlog_chunk *chunk)
{
    return (chunk->place >> 16 & TLOG_ROLE_MASK) <= TLOG_ROLE_FREE
           && (chunk->place & TLOG_CONTEXT_KIND) != TLOG_CONTEXT_KIND;
}

int native_unknown_need(const struct tlog_chunk *chunk)
{
    return __builtin_ffs((int)(chunk->needs & ~TLOG_NEEDS_KNOWN)) - 1;
}

/* How many of the bytes of two words are 0. */
static unsigned count_zeros(uint64_t words)
{
    const uint64_t low = UINT64_C(0x7F7F7F7F7F7F7F7F);
    uint64_t zeros = ~((((words & low) + low) | words) | low) >> 7; /* 1 in each such byte */
    return (unsigned)(zeros * UINT64_C(0x0101010101010101) >> 56);
}

/* Most of a header also stands in the head of a region, but neither magic nor tag. */
bool native_looks_like_header(const unsigned char *bytes)
{
    unsigned named = count_zeros(get_le64(bytes) ^ ((uint64_t)TLOG_WIRE_TAG << 32 | TLOG_WIRE_MAGIC));
    struct tlog_chunk chunk;
    if (named < NAMED_LEAST || named == NAMED_ALL)
        return named == NAMED_ALL;
    chunk = native_read_header(bytes);
    return is_format(&chunk) || native_sizes_agree(&chunk);
}

/* The words stand side by side; nearly all other bytes are not so. */
bool native_may_have_position(const unsigned char *header)
{
    const uint64_t zeros = (uint64_t)NATIVE_LAP_ZERO << 32 | NATIVE_LAP_ZERO;
    uint64_t both = get_le64(header + offsetof(struct tlog_chunk, cursor));
    uint32_t cursor = (uint32_t)both, lap = (uint32_t)(both >> 32);
    return (both & zeros) == 0 && (cursor & TLOG_TAG_MASK) != 0 && cursor >> TLOG_CURSOR_SHIFT != 0
           && (lap & TLOG_TAG_MASK) == native_tag(lap >> TLOG_LAP_SHIFT);
}

/* Whether the check is right, but for magic and tag. */
static bool is_checked_unnamed(const unsigned char *header)
{
    unsigned char named[offsetof(struct tlog_chunk, next)];
    memcpy(named, header, sizeof named);
    put_le32(named, TLOG_WIRE_MAGIC);
    put_le32(named + offsetof(struct tlog_chunk, tag), TLOG_WIRE_TAG);
    return native_check(named) == get_le32(named + offsetof(struct tlog_chunk, check));
}

/* Headers that begin at so many bytes side by side are looked at together. */
#define TOGETHER 16u
typedef unsigned char vector __attribute__((vector_size(TOGETHER)));

static inline vector load(const unsigned char *bytes)
{
    vector loaded;
    memcpy(&loaded, bytes, sizeof loaded);
    return loaded;
}

/* Whether one of the headers that begin at TOGETHER bytes may have a position. In nearly all of them bits that must be
 * 0 are not, or the cursor has no tag. */
static bool may_any_have_position(const unsigned char *header)
{
    const unsigned char *cursor = header + offsetof(struct tlog_chunk, cursor), *lap = cursor + 4;
    vector low = (load(cursor) | load(lap)) & (unsigned char)(NATIVE_LAP_ZERO & 0xFFu);
    vector high = (load(cursor + 1) | load(lap + 1)) & (unsigned char)(NATIVE_LAP_ZERO >> 8);
    vector tag = load(cursor + 1) & (unsigned char)(TLOG_TAG_MASK >> 8);
    vector right = (vector)((low | high) == (unsigned char)0) & (vector)(tag != (unsigned char)0);
    uint64_t any[2];
    memcpy(any, &right, sizeof any);
    for (unsigned i = 0; (any[0] | any[1]) != 0 && i < TOGETHER; i++) {
        if (native_may_have_position(header + i))
            return true;
    }
    return false;
}

/* A header in two parts has its first three words in front. One whose magic and tag are right has another check. */
bool native_may_be_mended(const unsigned char *header)
{
    bool is_named = get_le32(header) == TLOG_WIRE_MAGIC && get_le32(header + 4) == TLOG_WIRE_TAG;
    bool is_front = is_named && (get_le32(header + 8) & FORMAT_BITS) == FORMAT_WORD;
    for (int by = -NATIVE_HEADER_REACH; is_front && by < NATIVE_HEADER_REACH; by += (int)TOGETHER) {
        if (may_any_have_position(header + by))
            return true;
    }
    return native_may_have_position(header + (is_front ? NATIVE_HEADER_REACH : 0))
           || (!is_named && is_checked_unnamed(header));
}

/* The bits of a word, if it agrees, and the bytes have it. */
static unsigned bits_of(const unsigned char *bytes, size_t at, uint32_t word, bool agrees, unsigned bits)
{
    return agrees && get_le32(bytes + at) == word ? bits : 0;
}

unsigned native_evidence(const struct tlog_chunk *chunk, const unsigned char *bytes)
{
    bool is_short = is_format(chunk) && chunk->format >> 24 == 4u, sizes = native_sizes_agree(chunk);
    return bits_of(bytes, offsetof(struct tlog_chunk, format), chunk->format, is_format(chunk), 31)
           + bits_of(bytes, offsetof(struct tlog_chunk, place), chunk->place, native_place_is_known(chunk), 4)
           + bits_of(bytes, offsetof(struct tlog_chunk, slots), chunk->slots, sizes, 16)
           + bits_of(bytes, offsetof(struct tlog_chunk, emergency), chunk->emergency, sizes, 16)
           + bits_of(bytes, offsetof(struct tlog_chunk, buf_size), chunk->buf_size, sizes, 32)
           + bits_of(bytes, offsetof(struct tlog_chunk, needs), chunk->needs, native_unknown_need(chunk) < 0, 31)
           + bits_of(bytes, offsetof(struct tlog_chunk, self_high), chunk->self_high, is_short && chunk->self_high == 0,
                     32);
}
