/* header_search.c - the search for headers, heads of regions, and seals: see header_search.h.
 *
 * A header begins with its magic, its tag and its format, the head of a region with its magic and its version. The
 * search looks for each of these words, so that a header is found although some of them are damaged.
 */
#include "formats/native/chunks/header_search.h"

#include "base/heap.h"
#include "base/bytes.h"
#include "base/crc32.h"
#include "base/sort.h"
#include "formats/native/bytes/evidence.h"
#include "formats/native/packed/region.h"
#include "formats/native/bytes/word_search.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define REGION_VERSION_1 0x00780001u /* the second word of a region of format version 1 */
#define NAMED_BYTES      8u          /* a header or a head is known by so many first bytes where the input ends in it */

#define UNKNOWN_NEED  "needs bit %d, which this decoder does not know"
#define OTHER_VERSION "%s of format version %u, which this decoder does not read; it reads version %u"

/* ---- what is at one offset --------------------------------------------------------------------------------------- */

/* The bytes at an offset of the input where a header may begin. */
struct candidate {
    unsigned char bytes[TLOG_PACK_HEAD_BYTES]; /* enough for a header or a head; zeros behind the end of the input */
    size_t have;                               /* bytes that are from the input */
    char *reason;
};

static enum native_found because(enum native_found found, const struct candidate *candidate, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Tell why it is no header that can be read. */
static enum native_found because(enum native_found found, const struct candidate *candidate, const char *format, ...)
{
    va_list arguments;
    if (candidate->reason == NULL)
        return found;
    va_start(arguments, format);
    vsnprintf(candidate->reason, NATIVE_REASON_BYTES, format, arguments);
    va_end(arguments);
    return found;
}

/* Whether this decoder understands a header whose check is right: its version, sizes and role. */
static enum native_found judge_contents(const struct tlog_chunk *chunk, const struct candidate *candidate)
{
    unsigned version = chunk->format & 0xFFFFu, size = chunk->format >> 16 & 0xFFu;
    if (version != TLOG_WIRE_VERSION)
        return because(NATIVE_FOREIGN, candidate, OTHER_VERSION, "chunk", version, TLOG_WIRE_VERSION);
    if (native_unknown_need(chunk) >= 0)
        return because(NATIVE_FOREIGN, candidate, "chunk that " UNKNOWN_NEED, native_unknown_need(chunk));
    if (size != TLOG_HEADER_BYTES)
        return because(NATIVE_FOREIGN, candidate, "chunk with a header of %u bytes; version %u has %u", size,
                       TLOG_WIRE_VERSION, TLOG_HEADER_BYTES);
    if (!native_sizes_agree(chunk))
        return because(NATIVE_FOREIGN, candidate,
                       "chunk of impossible size: %" PRIu32 " slots, %" PRIu32 " emergency slots, %" PRIu32 " bytes",
                       chunk->slots, chunk->emergency, chunk->buf_size);
    if (!native_place_is_known(chunk))
        return because(NATIVE_FOREIGN, candidate, "chunk of unknown role %u", (unsigned)(chunk->place >> 16 & 0xFFu));
    return NATIVE_HEADER;
}

/* Whether magic and tag are a chunk's. */
static bool is_named(const struct tlog_chunk *chunk)
{
    return chunk->magic == TLOG_WIRE_MAGIC && chunk->tag == TLOG_WIRE_TAG;
}

static bool is_big_endian(const unsigned char *bytes)
{
    return get_le32(bytes) == __builtin_bswap32(TLOG_WIRE_MAGIC)
           && get_le32(bytes + 4) == __builtin_bswap32(TLOG_WIRE_TAG);
}

/* Whether the header is one of format version 1, by its first words. It has another check. */
static bool is_version_1(const struct tlog_chunk *chunk)
{
    return is_named(chunk) && (chunk->format & 0xFFFFFFu) == (1u | 112u << 16);
}

/* Look at a header whose check is wrong. What it needs may be damaged, too: then it can be repaired. */
static enum native_found judge_damaged(const struct tlog_chunk *chunk, const struct candidate *candidate)
{
    if (!native_looks_like_header(candidate->bytes))
        return NATIVE_NOTHING;
    if (native_unknown_need(chunk) >= 0)
        return because(NATIVE_UNPROVED, candidate, "the header of a chunk is damaged; it " UNKNOWN_NEED,
                       native_unknown_need(chunk));
    return because(NATIVE_UNPROVED, candidate, "the header of a chunk is damaged beyond repair");
}

/* Look at what may be a chunk's header; all bytes that its check protects are there. */
static enum native_found judge_chunk(const struct tlog_chunk *chunk, const struct candidate *candidate)
{
    enum native_found found;
    if (is_big_endian(candidate->bytes))
        return because(NATIVE_UNPROVED, candidate, "big-endian chunk; this decoder reads little-endian ones only");
    if (is_version_1(chunk))
        return because(NATIVE_UNPROVED, candidate, OTHER_VERSION, "chunk", 1u, TLOG_WIRE_VERSION);
    if (!is_named(chunk) || native_check(candidate->bytes) != chunk->check)
        return judge_damaged(chunk, candidate);
    found = judge_contents(chunk, candidate);
    if (found == NATIVE_HEADER && candidate->have < TLOG_HEADER_BYTES)
        return because(NATIVE_FOREIGN, candidate, "the input ends in the header of a chunk");
    return found;
}

/* Whether the input ends within something of `whole` bytes that begins with the eight bytes `begin`. At least four of
 * the eight have to be there. */
static bool ends_in(const struct candidate *candidate, const char *begin, size_t whole)
{
    return candidate->have >= 4u && candidate->have < whole
           && memcmp(candidate->bytes, begin, candidate->have < NAMED_BYTES ? candidate->have : NAMED_BYTES) == 0;
}

/* Look at what cannot be read as the head of a region: it may be of another byte order or version, or cut. */
static enum native_found judge_unread_head(const struct candidate *candidate)
{
    const unsigned char *head = candidate->bytes;
    uint32_t magic = get_le32(head), version = get_le32(head + 4), crc_at;
    bool right;
    if (memcmp(head, "KPLT\x00\xA8\x00", 7) == 0)
        return because(NATIVE_UNPROVED, candidate,
                       "big-endian compressed chunk; this decoder reads little-endian ones only");
    if (ends_in(candidate, "TLPK\x02\x00\xA8\x00", TLOG_PACK_HEAD_BYTES))
        return because(NATIVE_UNPROVED, candidate, "the input ends in the head of a compressed chunk");
    if (magic != TLOG_PACK_MAGIC || (version >> 16 != TLOG_PACK_HEAD_BYTES && version != REGION_VERSION_1)
        || candidate->have < version >> 16)
        return NATIVE_NOTHING;
    crc_at = (version >> 16) - 4u;
    right = crc32_of(head, crc_at) == get_le32(head + crc_at);
    return because(right ? NATIVE_FOREIGN : NATIVE_UNPROVED, candidate, OTHER_VERSION, "compressed chunk",
                   (unsigned)(version & 0xFFFFu), TLOG_PACK_VERSION);
}

/* Look at what may be the head of a region. */
static enum native_found judge_region(struct native_header *header, const struct candidate *candidate)
{
    struct native_region region;
    switch (native_region_read_head(candidate->bytes, candidate->have, &region)) {
    case 0:
        header->region_size = region.size;
        header->chunk = region.chunk;
        header->may_be_mended = true;
        return region.mended_at == NATIVE_MEND_NONE
                   ? judge_contents(&header->chunk, candidate)
                   : because(NATIVE_UNPROVED, candidate, "a byte of the head of a compressed chunk is damaged");
    case NATIVE_REGION_BROKEN:
        return because(NATIVE_UNPROVED, candidate,
                       "the head of a compressed chunk is damaged beyond repair, or says what cannot be");
    default:
        return judge_unread_head(candidate);
    }
}

/* Whether one of the two words that a region begins with is there, or its magic in the other byte order. */
static bool may_be_region(const unsigned char *bytes)
{
    uint32_t magic = get_le32(bytes), version = get_le32(bytes + 4);
    return magic == TLOG_PACK_MAGIC || magic == __builtin_bswap32(TLOG_PACK_MAGIC)
           || version == (TLOG_PACK_VERSION | TLOG_PACK_HEAD_BYTES << 16);
}

/* Find out what header or head a candidate is, whose bytes are there. Fills *header, except its offset. */
static enum native_found judge(struct candidate *candidate, struct native_header *header)
{
    if (may_be_region(candidate->bytes))
        return judge_region(header, candidate);
    header->chunk = native_read_header(candidate->bytes);
    if (candidate->have >= offsetof(struct tlog_chunk, next))
        return judge_chunk(&header->chunk, candidate);
    if (ends_in(candidate, "\xED\xB7\xD6\x00TLOG", offsetof(struct tlog_chunk, next)))
        return because(NATIVE_UNPROVED, candidate, "the input ends in the header of a chunk");
    return NATIVE_NOTHING;
}

enum native_found native_header_at(struct input *in, uint64_t offset, struct native_header *header, char *reason)
{
    struct candidate candidate = {{0}, 0, reason};
    candidate.have = input_read(in, offset, candidate.bytes, sizeof candidate.bytes);
    *header = (struct native_header){.offset = offset};
    return judge(&candidate, header);
}

/* ---- places that are known --------------------------------------------------------------------------------------- */

#define PLACES (1u << 16)

/* A word of an input that was found to belong to something. */
struct noted {
    uint64_t offset;
    unsigned char found, ahead; /* what: enum native_found; how many bytes ahead of the word it begins */
    bool may_be_mended;
};

/* The first such words. The reader's probe() notes them, and the input keeps them for its open(), which searches the
 * same bytes. */
struct native_places {
    size_t n;
    struct noted word[PLACES]; /* in order */
};

/* Note the word at an offset, unless it was noted before. */
static void note(struct native_places *places, uint64_t offset, const struct native_header *header,
                 enum native_found found)
{
    if (places != NULL && places->n < PLACES && (places->n == 0 || offset > places->word[places->n - 1u].offset))
        places->word[places->n++] = (struct noted){offset, (unsigned char)found,
                                                   (unsigned char)(offset - header->offset), header->may_be_mended};
}

/* Where that begins which a word belongs to. */
static uint64_t start_of(const struct noted *noted)
{
    return noted->offset - noted->ahead;
}

static int offset_order(const void *noted, const void *offset)
{
    return ((const struct noted *)noted)->offset < *(const uint64_t *)offset ? -1 : 1;
}

/* ---- searching --------------------------------------------------------------------------------------------------- */

/* How far ahead of a word the header or the head begins. */
static const unsigned char ahead_of[] = {
    [NATIVE_WORD_MAGIC] = 0,     [NATIVE_WORD_TAG] = 4,        [NATIVE_WORD_FORMAT] = 8,
    [NATIVE_WORD_SEAL] = 0,      [NATIVE_WORD_REGION] = 0,     [NATIVE_WORD_REGION_VERSION] = 4,
    [NATIVE_WORD_MAGIC_BIG] = 0, [NATIVE_WORD_REGION_BIG] = 0,
};
#define AHEAD_MAX   8u
#define SEAL_BYTES  12u /* of a seal that is looked at */
#define FIRST_BYTES 12u /* of the first three words of a header */

/* Whether what begins with the magic of a seal can be one, by its next two words. */
static bool may_be_seal(const unsigned char *bytes)
{
    return ((get_le32(bytes + 4) | get_le32(bytes + 8)) & NATIVE_LAP_ZERO) == 0;
}

/* Whether the words where something begins may be its: nearly all words that are found are constants of code, beside
 * other ones. */
static bool may_begin(const unsigned char *bytes, enum native_word word)
{
    if (word == NATIVE_WORD_SEAL)
        return may_be_seal(bytes);
    return may_be_region(bytes) || is_big_endian(bytes) || native_looks_like_header(bytes);
}

/* The same of a word that a scan has found; of what is not all in its memory nothing is known yet. */
static bool may_tell(const struct native_word_scan *scan, uint64_t offset, enum native_word word)
{
    const unsigned char *bytes = native_word_scan_at(scan, offset - ahead_of[word], TLOG_PACK_HEAD_BYTES);
    return bytes == NULL || may_begin(bytes, word);
}

void native_search_begin(struct native_search *search, struct input *in, uint64_t from, uint64_t to)
{
    search->in = in;
    search->from = from;
    search->to = to;
    search->seen = search->begun = 0;
    search->known = input_kept(in);
    search->passed = search->known == NULL ? 0
                                           : sort_first(search->known->word, search->known->n,
                                                        sizeof search->known->word[0], &from, offset_order);
    search->noted = NULL;
    native_word_scan_begin(&search->scan, in, may_tell);
}

void native_search_note(struct native_search *search)
{
    search->known = NULL;
    search->noted = heap_calloc(1, sizeof *search->noted);
    input_keep(search->in, search->noted);
}

void native_search_end(struct native_search *search)
{
    native_word_scan_end(&search->scan);
}

/* Whether what begins at an offset is searched for, still. */
static bool is_in(const struct native_search *search, uint64_t start)
{
    return start >= search->from && start < search->to;
}

/* The first word that was noted from an offset on, of what begins where the search is or behind. NULL: none, or it is
 * not known. */
static const struct noted *first_known(struct native_search *search, uint64_t offset)
{
    const struct native_places *places = search->known;
    while (places != NULL && search->passed < places->n
           && (places->word[search->passed].offset < offset || start_of(&places->word[search->passed]) < search->from))
        search->passed++;
    return places != NULL && search->passed < places->n ? &places->word[search->passed] : NULL;
}

/* Whether a change may prove what looks like a header. */
static bool may_be_mended(const struct native_search *search, uint64_t start)
{
    unsigned char bytes[TLOG_HEADER_BYTES + 2 * NATIVE_HEADER_REACH] = {0};
    size_t ahead = start < NATIVE_HEADER_REACH ? (size_t)start : NATIVE_HEADER_REACH;
    native_word_scan_read(&search->scan, start - ahead, bytes + (NATIVE_HEADER_REACH - ahead),
                          sizeof bytes - (NATIVE_HEADER_REACH - ahead));
    return native_may_be_mended(bytes + NATIVE_HEADER_REACH);
}

/* Whether magic, tag and format of a header are right. Nothing else begins in these: of the words that are searched for
 * only tag and format do, which belong to the same header. */
static bool has_first_words(const unsigned char *bytes)
{
    return get_le32(bytes) == TLOG_WIRE_MAGIC && get_le32(bytes + 4) == TLOG_WIRE_TAG
           && (get_le32(bytes + 8) & 0xFFFFFFu) == (TLOG_WIRE_VERSION | TLOG_HEADER_BYTES << 16);
}

/* Look at what a word that was found belongs to. */
static enum native_found judge_word(struct native_search *search, uint64_t offset, enum native_word word,
                                    struct native_header *header)
{
    struct candidate candidate = {{0}, 0, NULL};
    uint64_t start = offset - ahead_of[word];
    enum native_found found;
    if (offset < ahead_of[word] || !is_in(search, start) || (word != NATIVE_WORD_SEAL && start + 1u == search->seen))
        return NATIVE_NOTHING;
    candidate.have = native_word_scan_read(&search->scan, start, candidate.bytes, sizeof candidate.bytes);
    *header = (struct native_header){.offset = start};
    if (word == NATIVE_WORD_SEAL)
        return candidate.have >= SEAL_BYTES && may_be_seal(candidate.bytes) ? NATIVE_SEAL : NATIVE_NOTHING;
    search->seen = start + 1u;
    search->begun = has_first_words(candidate.bytes) ? search->seen : 0;
    found = judge(&candidate, header);
    if (found == NATIVE_UNPROVED && !header->may_be_mended)
        header->may_be_mended = may_be_mended(search, start);
    return found;
}

/* Have what an earlier search has found at a word. False: it has to be looked at, or is not in what is searched. */
static bool take_known(const struct native_search *search, const struct noted *known, struct native_header *header)
{
    *header = (struct native_header){.offset = start_of(known), .may_be_mended = known->may_be_mended};
    return is_in(search, header->offset) && (known->found == NATIVE_UNPROVED || known->found == NATIVE_SEAL);
}

/* Find the first word from an offset on that belongs to something, and what. */
static enum native_found find_next(struct native_search *search, uint64_t offset, struct native_header *header)
{
    const uint64_t to = search->to + AHEAD_MAX;
    for (;; offset++) {
        const struct noted *known;
        enum native_found found;
        enum native_word word;
        if (search->begun > 0 && offset >= search->begun && offset < search->begun + FIRST_BYTES)
            offset = search->begun + FIRST_BYTES - 1u;
        known = first_known(search, offset);
        offset = known != NULL ? known->offset : offset;
        if (known != NULL && offset < to && take_known(search, known, header))
            return (enum native_found)known->found;
        if (!native_word_scan_next(&search->scan, &offset, to, &word))
            return NATIVE_NOTHING;
        found = judge_word(search, offset, word, header);
        if (found != NATIVE_NOTHING) {
            note(search->noted, offset, header, found);
            return found;
        }
    }
}

enum native_found native_search_next(struct native_search *search, struct native_header *header)
{
    enum native_found found = search->from < search->to ? find_next(search, search->from, header) : NATIVE_NOTHING;
    search->from = found != NATIVE_NOTHING ? header->offset + 1u : search->to;
    return found;
}
