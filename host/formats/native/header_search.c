/* header_search.c - the search for headers of chunk images and for heads of compressed regions: see header_search.h.
 *
 * A header begins with its magic and its tag, the head of a region with its magic and its version: four patterns to
 * look for. If a byte of a header's magic or tag is damaged, the other word is still found, and the header's check
 * tells which byte it is. Of each pattern the search looks for one byte, its mark, with memchr(), which is fast.
 *
 * The magic numbers are also found in the other byte order, to tell the user about big-endian dumps. There the mark is
 * the same byte.
 */
#include "formats/native/header_search.h"

#include "base/bytes.h"
#include "base/crc32.h"
#include "formats/native/region.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SEARCH_BYTES 32768u /* read and searched at once */
#define MARKS        4u

#define REGION_VERSION_1 0x00780001u /* the second word of a region of format version 1 */

#define OTHER_VERSION "%s of format version %u, which this decoder does not read; it reads version %u"

/* The marks: a byte of a chunk's magic, of its tag, of a region's magic, of its version. */
static const unsigned char mark_of[MARKS] = {0xB7, 'O', 'P', 0xA8};

/* The patterns, those of magic numbers in both byte orders. */
static const struct pattern {
    unsigned mark;  /* index in mark_of */
    size_t mark_at; /* offset of that byte in the pattern */
    size_t start;   /* offset of the pattern in the header */
    char bytes[5];
} patterns[] = {{0, 1, 0, "\xED\xB7\xD6\x00"},
                {0, 2, 0, "\x00\xD6\xB7\xED"},
                {1, 2, 4, "TLOG"},
                {2, 2, 0, "TLPK"},
                {2, 1, 0, "KPLT"},
                {3, 2, 4, "\x02\x00\xA8\x00"}};

/* ---- what is at one offset --------------------------------------------------------------------------------------- */

/* The bytes at an offset of the input where a header may begin. */
struct candidate {
    unsigned char bytes[TLOG_PACK_HEAD_BYTES]; /* enough for a header or a head; zeros behind the end of the input */
    size_t have;                               /* bytes that are from the input */
};

static enum native_found broken(struct native_header *header, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static enum native_found broken(struct native_header *header, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(header->reason, sizeof header->reason, format, arguments);
    va_end(arguments);
    return NATIVE_BROKEN;
}

/* Whether the header is one of format version 1, by its first words. Its check, a CRC, is not needed: two bytes of the
 * word `format` of another version would have to be damaged to look like that. */
static bool is_version_1(const struct tlog_chunk *chunk)
{
    return (chunk->format & 0xFFFFFFu) == (1u | 112u << 16);
}

/* Whether this decoder understands a header whose check is right: its version, sizes and role. */
static enum native_found check_contents(struct native_header *header)
{
    const struct tlog_chunk *chunk = &header->chunk;
    unsigned version = chunk->format & 0xFFFFu, size = chunk->format >> 16 & 0xFFu;
    header->intact = true;
    if (version != TLOG_WIRE_VERSION)
        return broken(header, OTHER_VERSION, "chunk", version, TLOG_WIRE_VERSION);
    if (size != TLOG_HEADER_BYTES)
        return broken(header, "chunk with a header of %u bytes; version %u has %u", size, TLOG_WIRE_VERSION,
                      TLOG_HEADER_BYTES);
    if (chunk->slots == 0 || chunk->slots > TLOG_SLOTS_MAX || chunk->emergency > TLOG_SLOTS_MAX
        || chunk->buf_size != TLOG_CHUNK_BYTES(chunk->slots, chunk->emergency))
        return broken(header,
                      "chunk of impossible size: %" PRIu32 " slots, %" PRIu32 " emergency slots, %" PRIu32 " bytes",
                      chunk->slots, chunk->emergency, chunk->buf_size);
    if ((chunk->place >> 16 & TLOG_ROLE_MASK) > TLOG_ROLE_FREE
        || (chunk->place & TLOG_CONTEXT_KIND) == TLOG_CONTEXT_KIND)
        return broken(header, "chunk of unknown role %u", (unsigned)(chunk->place >> 16 & 0xFFu));
    return NATIVE_HEADER;
}

/* Whether magic and tag are a chunk's. */
static bool is_chunk(const struct tlog_chunk *chunk)
{
    return chunk->magic == TLOG_WIRE_MAGIC && chunk->tag == TLOG_WIRE_TAG;
}

static bool is_big_endian(const struct tlog_chunk *chunk)
{
    return chunk->magic == __builtin_bswap32(TLOG_WIRE_MAGIC) && chunk->tag == __builtin_bswap32(TLOG_WIRE_TAG);
}

/* Look at what may be a chunk's header; all bytes that its check protects are there. If one byte is damaged it is
 * mended: then it must be a header. */
static enum native_found judge_chunk(struct native_header *header, struct candidate *candidate)
{
    bool named = is_chunk(&header->chunk);
    enum native_found found;
    unsigned char bits;
    if (named && is_version_1(&header->chunk))
        return check_contents(header);
    if (native_check(candidate->bytes) != header->chunk.check) {
        header->mended_at = native_check_locate(candidate->bytes, &bits);
        if (header->mended_at == NATIVE_MEND_NONE)
            return named ? broken(header, "the header of a chunk is damaged beyond repair") : NATIVE_NOTHING;
        candidate->bytes[header->mended_at] ^= bits;
        header->chunk = native_read_header(candidate->bytes);
    }
    if (!is_chunk(&header->chunk))
        return NATIVE_NOTHING;
    found = check_contents(header);
    if (found == NATIVE_HEADER && candidate->have < TLOG_HEADER_BYTES)
        return broken(header, "the input ends in the header of a chunk");
    return found;
}

/* Whether the input ends within something of `whole` bytes that begins with the eight bytes `begin`. At least four of
 * the eight have to be there. */
static bool ends_in(const struct candidate *candidate, const char *begin, size_t whole)
{
    return candidate->have >= 4u && candidate->have < whole
           && memcmp(candidate->bytes, begin,
                     candidate->have < NATIVE_PATTERNS_BYTES ? candidate->have : NATIVE_PATTERNS_BYTES)
                  == 0;
}

/* Look at what cannot be read as the head of a region: it may be of another byte order or version, or cut. */
static enum native_found judge_unread_head(struct native_header *header, const struct candidate *candidate)
{
    const unsigned char *head = candidate->bytes;
    struct cursor cursor = cursor_in_memory(head, TLOG_PACK_HEAD_BYTES, false);
    uint32_t magic = cursor_32(&cursor), version = cursor_32(&cursor), crc_at;
    if (memcmp(head, "KPLT\x00\xA8\x00", 7) == 0) {
        header->intact = true;
        return broken(header, "big-endian compressed chunk; this decoder reads little-endian ones only");
    }
    if (ends_in(candidate, "TLPK\x02\x00\xA8\x00", TLOG_PACK_HEAD_BYTES))
        return broken(header, "the input ends in the head of a compressed chunk");
    if (magic != TLOG_PACK_MAGIC || (version >> 16 != TLOG_PACK_HEAD_BYTES && version != REGION_VERSION_1)
        || candidate->have < version >> 16)
        return NATIVE_NOTHING;
    crc_at = (version >> 16) - 4u;
    header->intact = crc32_of(head, crc_at) == get_le32(head + crc_at);
    return broken(header, OTHER_VERSION, "compressed chunk", (unsigned)(version & 0xFFFFu), TLOG_PACK_VERSION);
}

/* Look at what may be the head of a region. */
static enum native_found judge_region(struct native_header *header, const struct candidate *candidate)
{
    struct native_region region;
    switch (native_region_read_head(candidate->bytes, candidate->have, &region)) {
    case 0:
        header->mended_at = region.mended_at;
        header->region_size = region.size;
        header->chunk = region.chunk;
        return check_contents(header);
    case NATIVE_REGION_BROKEN:
        return broken(header, "the head of a compressed chunk is damaged beyond repair, or says what cannot be");
    default:
        return judge_unread_head(header, candidate);
    }
}

/* Whether one of the two patterns that a region begins with is there, or its magic in the other byte order. */
static bool may_be_region(const struct candidate *candidate)
{
    struct cursor cursor = cursor_in_memory(candidate->bytes, sizeof candidate->bytes, false);
    uint32_t magic = cursor_32(&cursor), version = cursor_32(&cursor);
    return magic == TLOG_PACK_MAGIC || magic == __builtin_bswap32(TLOG_PACK_MAGIC)
           || version == (TLOG_PACK_VERSION | TLOG_PACK_HEAD_BYTES << 16);
}

/* Look at what begins at an offset of the input. */
static enum native_found judge(struct input *in, uint64_t offset, struct native_header *header)
{
    struct candidate candidate = {{0}, 0};
    memset(header, 0, sizeof *header);
    header->offset = offset;
    header->mended_at = NATIVE_MEND_NONE;
    candidate.have = input_read(in, offset, candidate.bytes, sizeof candidate.bytes);
    if (may_be_region(&candidate))
        return judge_region(header, &candidate);
    header->chunk = native_read_header(candidate.bytes);
    header->intact = is_big_endian(&header->chunk);
    if (header->intact)
        return broken(header, "big-endian chunk; this decoder reads little-endian ones only");
    if (candidate.have >= offsetof(struct tlog_chunk, next))
        return judge_chunk(header, &candidate);
    if (ends_in(&candidate, "\xED\xB7\xD6\x00TLOG", offsetof(struct tlog_chunk, next)))
        return broken(header, "the input ends in the header of a chunk");
    return NATIVE_NOTHING;
}

/* ---- searching --------------------------------------------------------------------------------------------------- */

/* Bytes that are searched, and where each mark is next. */
struct marks {
    const unsigned char *bytes;
    size_t n;
    size_t next[MARKS]; /* offset in bytes; n: the mark does not come again */
};

static size_t next_mark(const struct marks *marks, size_t from, unsigned mark)
{
    const unsigned char *found = from < marks->n ? memchr(marks->bytes + from, mark_of[mark], marks->n - from) : NULL;
    return found != NULL ? (size_t)(found - marks->bytes) : marks->n;
}

/* The mark that comes first. */
static unsigned first_mark(const struct marks *marks)
{
    unsigned first = 0;
    for (unsigned mark = 1; mark < MARKS; mark++)
        first = marks->next[mark] < marks->next[first] ? mark : first;
    return first;
}

/* Whether the pattern is there, with its mark at offset `at`. It may end behind the bytes. */
static bool matches(const struct marks *marks, size_t at, const struct pattern *pattern)
{
    size_t left;
    if (at < pattern->mark_at)
        return false;
    left = marks->n - (at - pattern->mark_at);
    return memcmp(marks->bytes + at - pattern->mark_at, pattern->bytes, left < 4u ? left : 4u) == 0;
}

/* Take the next mark of a kind. Returns where the header with it begins, counted from `ahead` bytes before the bytes;
 * SIZE_MAX: the byte is not part of a pattern. */
static size_t take_mark(struct marks *marks, unsigned mark, size_t ahead)
{
    size_t at = marks->next[mark];
    marks->next[mark] = next_mark(marks, at + 1u, mark);
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        size_t before = patterns[i].start + patterns[i].mark_at;
        if (patterns[i].mark == mark && ahead + at >= before && matches(marks, at, &patterns[i]))
            return ahead + at - before;
    }
    return SIZE_MAX;
}

/* Search n bytes that were read from offset on. A header may begin up to `ahead` bytes before them. */
static enum native_found search(struct input *in, uint64_t offset, const unsigned char *bytes, size_t n, size_t ahead,
                                struct native_header *header)
{
    struct marks marks = {bytes, n, {0}};
    unsigned mark;
    for (mark = 0; mark < MARKS; mark++)
        marks.next[mark] = next_mark(&marks, 0, mark);
    while (mark = first_mark(&marks), marks.next[mark] < n) {
        size_t at = take_mark(&marks, mark, ahead);
        enum native_found found = at == SIZE_MAX ? NATIVE_NOTHING : judge(in, offset - ahead + at, header);
        if (found != NATIVE_NOTHING)
            return found;
    }
    return NATIVE_NOTHING;
}

enum native_found native_header_search(struct input *in, uint64_t offset, uint64_t limit, struct native_header *header)
{
    const size_t overlap =
        NATIVE_PATTERNS_BYTES; /* a pattern, or the magic ahead of a tag, may lie across the end of what was read */
    unsigned char bytes[SEARCH_BYTES];
    enum native_found found = judge(in, offset, header);
    uint64_t start = offset;
    limit += overlap;
    while (found == NATIVE_NOTHING && offset < limit) {
        size_t want = limit - offset < sizeof bytes ? (size_t)(limit - offset) : sizeof bytes;
        size_t n = input_read(in, offset, bytes, want);
        size_t ahead = offset - start < overlap ? (size_t)(offset - start) : overlap;
        if (n == 0)
            break;
        found = search(in, offset, bytes, n, ahead, header);
        if (n < want || offset + n >= limit)
            break;
        offset += n - overlap;
    }
    return header->offset < limit - overlap ? found : NATIVE_NOTHING;
}
