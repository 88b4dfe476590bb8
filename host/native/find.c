/* find.c - headers of chunk images among any other bytes.
 *
 * A header shows by its magic or its tag; of both together one byte may be damaged, and the header's CRC tells which.
 * So does a region, by its magic or the word behind that. Candidates are found by one byte of each pattern, which the C
 * library's fast search looks for; it is in the same pattern of the other byte order, too.
 */
#include "native/image.h"

#include "base/crc32.h"
#include "native/unpack.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEARCH_BYTES 32768u
#define MARKS        4u

/* Bytes that candidates are found by: of a chunk's magic and tag, of a region's magic and the word behind it. */
static const unsigned char mark_of[MARKS] = {0xB7, 'O', 'P', 'x'};

/* What is looked for. */
static const struct pattern {
    unsigned mark;  /* index in mark_of */
    size_t mark_at; /* where that byte is in the pattern */
    size_t start;   /* bytes before the pattern that belong to the header */
    char bytes[5];
} patterns[] = {{0, 1, 0, "\xED\xB7\xD6\x00"},
                {0, 2, 0, "\x00\xD6\xB7\xED"},
                {1, 2, 4, "TLOG"},
                {2, 2, 0, "TLPK"},
                {2, 1, 0, "KPLT"},
                {3, 2, 4, "\x01\x00\x78\x00"}};

/* ---- what stands at one place ------------------------------------------------------------------------------------ */

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

static uint32_t word(const struct native_header *header, size_t offset)
{
    return get_le32(header->bytes + offset);
}

/* Bytes of an image. Its emergency slots have groups of their own. */
static uint64_t image_size(uint32_t slots, uint32_t emergency)
{
    uint64_t table = (native_groups(slots) + native_groups(emergency) + 3u) & ~(uint64_t)3;

    return TLOG_HEADER_BYTES + ((uint64_t)slots + emergency + 1u) * TLOG_SLOT_BYTES + sizeof(struct tlog_seal)
           + table * 4u;
}

/* The CRC is right: is it a header that this decoder can follow? */
static enum native_found read_header(struct native_header *header, size_t have)
{
    uint32_t format = word(header, 8), slots = word(header, 20), emergency = word(header, 24);

    header->intact = true;
    if ((format & 0xFFFFu) != TLOG_WIRE_VERSION)
        return broken(header, "chunk of format version %u; this decoder knows version %u", (unsigned)(format & 0xFFFFu),
                      TLOG_WIRE_VERSION);
    if ((format >> 16 & 0xFFu) != TLOG_HEADER_BYTES)
        return broken(header, "chunk with a header of %u bytes; version %u has %u", (unsigned)(format >> 16 & 0xFFu),
                      TLOG_WIRE_VERSION, TLOG_HEADER_BYTES);
    if (slots == 0 || slots > TLOG_SLOTS_MAX || emergency > TLOG_SLOTS_MAX
        || word(header, 28) != image_size(slots, emergency))
        return broken(header,
                      "chunk of impossible size: %" PRIu32 " slots, %" PRIu32 " emergency slots, %" PRIu32 " bytes",
                      slots, emergency, word(header, 28));
    if ((word(header, 12) >> 16 & TLOG_ROLE_MASK) > TLOG_ROLE_FREE
        || (word(header, 12) & TLOG_CONTEXT_KIND) == TLOG_CONTEXT_KIND)
        return broken(header, "chunk of unknown role %u", (unsigned)(word(header, 12) >> 16 & 0xFFu));
    if (have < TLOG_HEADER_BYTES)
        return broken(header, "the input ends in the header of a chunk");
    return NATIVE_HEADER;
}

static bool is_ours(const struct native_header *header)
{
    return word(header, 0) == TLOG_WIRE_MAGIC && word(header, 4) == TLOG_WIRE_TAG;
}

/* Both patterns stand in the right places, or one of them does and may be mended. */
static enum native_found judge_crc(struct native_header *header, size_t have)
{
    bool named = is_ours(header);
    uint32_t difference = crc32_of(header->bytes, TLOG_CRC_BYTES) ^ word(header, TLOG_CRC_BYTES);
    struct crc32_error error;

    if (difference != 0) {
        error = crc32_locate(difference, TLOG_CRC_BYTES);
        if (error.at == CRC32_NOWHERE)
            return named ? broken(header, "the header of a chunk is damaged beyond repair") : NATIVE_NOTHING;
        header->bytes[error.at] ^= error.bits;
        header->mended_at = error.at;
    }
    return is_ours(header) ? read_header(header, have) : NATIVE_NOTHING;
}

static bool is_big_endian(const struct native_header *header)
{
    return word(header, 0) == __builtin_bswap32(TLOG_WIRE_MAGIC) && word(header, 4) == __builtin_bswap32(TLOG_WIRE_TAG);
}

/* The head of a region that cannot be read: is it one nevertheless? */
static enum native_found judge_head(struct native_header *header, const unsigned char *head, size_t have)
{
    uint32_t version = get_le32(head + 4);

    if (memcmp(head, "KPLT\x00\x78\x00", 7) == 0) {
        header->intact = true;
        return broken(header, "big-endian compressed chunk; this decoder reads little-endian ones only");
    }
    if (have >= 4u && have < TLOG_PACK_HEAD_BYTES && memcmp(head, "TLPK\x01\x00\x78\x00", have < 8u ? have : 8u) == 0)
        return broken(header, "the input ends in the head of a compressed chunk");
    if (have < TLOG_PACK_HEAD_BYTES || get_le32(head) != TLOG_PACK_MAGIC || version >> 16 != TLOG_PACK_HEAD_BYTES)
        return NATIVE_NOTHING;
    header->intact = crc32_of(head, TLOG_PACK_CRC_BYTES) == get_le32(head + TLOG_PACK_CRC_BYTES);
    return broken(header, "compressed chunk of format version %u; this decoder knows version %u",
                  (unsigned)(version & 0xFFFFu), TLOG_PACK_VERSION);
}

/* Whether a region begins with these bytes, of which so many are from the input. */
static enum native_found judge_region(struct native_header *header, const unsigned char *head, size_t have)
{
    struct unpack_info info;

    switch (unpack_peek(head, have, &info)) {
    case 0:
        header->mended_at = info.mended_at;
        header->region_size = info.region_size;
        memcpy(header->bytes, info.header, sizeof header->bytes);
        return read_header(header, sizeof header->bytes);
    case UNPACK_BROKEN:
        return broken(header, "the head of a compressed chunk is damaged beyond repair, or says what cannot be");
    default:
        return judge_head(header, head, have);
    }
}

/* One of the two patterns that a region begins with, or the one of the other byte order, may be there. */
static bool may_be_region(const unsigned char *head)
{
    return get_le32(head) == TLOG_PACK_MAGIC || get_le32(head) == __builtin_bswap32(TLOG_PACK_MAGIC)
           || get_le32(head + 4) == (TLOG_PACK_VERSION | TLOG_PACK_HEAD_BYTES << 16);
}

/* Whether there is a header at offset. What begins with less than the magic's four bytes cannot be known. */
static enum native_found judge(struct input *in, uint64_t offset, struct native_header *header)
{
    unsigned char head[TLOG_PACK_HEAD_BYTES] = {0};
    size_t have;

    memset(header, 0, sizeof *header);
    header->offset = offset;
    header->mended_at = NATIVE_MEND_NONE;
    have = input_read(in, offset, head, sizeof head);
    if (may_be_region(head))
        return judge_region(header, head, have);
    if (have > sizeof header->bytes)
        have = sizeof header->bytes;
    memcpy(header->bytes, head, sizeof header->bytes);
    header->intact = is_big_endian(header);
    if (header->intact)
        return broken(header, "big-endian chunk; this decoder reads little-endian ones only");
    if (have >= TLOG_CRC_BYTES + 4u)
        return judge_crc(header, have);
    if (have >= 4u && memcmp(header->bytes, "\xED\xB7\xD6\x00TLOG", have < 8u ? have : 8u) == 0)
        return broken(header, "the input ends in the header of a chunk");
    return NATIVE_NOTHING;
}

/* ---- searching --------------------------------------------------------------------------------------------------- */

/* Where each byte that candidates are found by stands next. */
struct marks {
    const unsigned char *bytes;
    size_t n;
    size_t next[MARKS]; /* n = no more */
};

static size_t next_mark(const struct marks *marks, size_t from, unsigned mark)
{
    const unsigned char *found = from < marks->n ? memchr(marks->bytes + from, mark_of[mark], marks->n - from) : NULL;

    return found != NULL ? (size_t)(found - marks->bytes) : marks->n;
}

static unsigned first_mark(const struct marks *marks)
{
    unsigned first = 0;

    for (unsigned mark = 1; mark < MARKS; mark++)
        first = marks->next[mark] < marks->next[first] ? mark : first;
    return first;
}

/* Whether the pattern stands in bytes where its mark stands at `at`; its end may be missing. */
static bool stands(const struct marks *marks, size_t at, const struct pattern *pattern)
{
    size_t left;

    if (at < pattern->mark_at)
        return false;
    left = marks->n - (at - pattern->mark_at);
    return memcmp(marks->bytes + at - pattern->mark_at, pattern->bytes, left < 4u ? left : 4u) == 0;
}

/* The place, counted from `ahead` bytes before bytes, of the header that the mark belongs to, which is used up.
 * SIZE_MAX: it was chance. */
static size_t take_mark(struct marks *marks, unsigned mark, size_t ahead)
{
    size_t at = marks->next[mark];

    marks->next[mark] = next_mark(marks, at + 1u, mark);
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        size_t before = patterns[i].start + patterns[i].mark_at;

        if (patterns[i].mark == mark && ahead + at >= before && stands(marks, at, &patterns[i]))
            return ahead + at - before;
    }
    return SIZE_MAX;
}

/* Search in n bytes read from offset on; a header may begin up to `ahead` bytes before them. */
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

enum native_found native_find(struct input *in, uint64_t offset, uint64_t limit, struct native_header *header)
{
    const size_t overlap = 8; /* a pattern, or the magic before a tag, may lie across the end of what was read */
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
