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

/* How many of the bytes of a word are right. */
static unsigned bytes_right(uint32_t word, uint32_t right)
{
    unsigned n = 0;
    for (unsigned shift = 0; shift < 32u; shift += 8u)
        n += (word >> shift & 0xFFu) == (right >> shift & 0xFFu);
    return n;
}

/* Most of a header also stands in the head of a region, but neither magic nor tag. */
bool native_looks_like_header(const unsigned char *bytes)
{
    unsigned named = bytes_right(get_le32(bytes), TLOG_WIRE_MAGIC) + bytes_right(get_le32(bytes + 4), TLOG_WIRE_TAG);
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

/* A header in two parts has its first three words in front. */
bool native_may_be_mended(const unsigned char *header)
{
    int reach = get_le32(header) == TLOG_WIRE_MAGIC && get_le32(header + 4) == TLOG_WIRE_TAG
                        && (get_le32(header + 8) & FORMAT_BITS) == FORMAT_WORD
                    ? NATIVE_HEADER_REACH
                    : 0;
    for (int by = -reach; by <= reach; by++) {
        if (native_may_have_position(header + by))
            return true;
    }
    return is_checked_unnamed(header);
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
