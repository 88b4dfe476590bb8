/* chunk.c - the header and the seal of a chunk image: see chunk.h. */
#include "formats/native/bytes/chunk.h"

#include "base/bytes.h"
#include "base/cursor.h"

/* Both structures consist of 32-bit words alone, so their fields are read in the order in which tlog_wire.h has
 * them. */
static void read_words(const unsigned char *bytes, void *structure, size_t size)
{
    for (size_t at = 0; at < size; at += sizeof(uint32_t)) {
        uint32_t word = get_le32(bytes + at);
        memcpy((unsigned char *)structure + at, &word, sizeof word);
    }
}

struct tlog_chunk native_read_header(const unsigned char *bytes)
{
    struct tlog_chunk header;
    read_words(bytes, &header, sizeof header);
    return header;
}

/* ---- the check of a header --------------------------------------------------------------------------------------- */

#define CHECK_AT (4u * TLOG_CHECK_WORDS) /* offset of the word `check` */

/* What a word adds to the check, without its factor. The function is its own inverse. */
static uint32_t fold(uint32_t word)
{
    return word ^ word >> 16;
}

uint32_t native_check(const unsigned char *bytes)
{
    uint32_t sum = 0, factor = 1;
    for (size_t at = 0; at < CHECK_AT; at += 4u) {
        factor *= TLOG_CHECK_ROOT;
        sum += TLOG_CHECK_TERM(get_le32(bytes + at), factor);
    }
    return sum;
}

/* The number whose product with an odd factor is 1, modulo 2^32. An odd factor is its own inverse in the lowest three
 * bits; each step doubles the number of bits that are right. */
static uint32_t inverse(uint32_t factor)
{
    uint32_t result = factor;
    for (unsigned bits = 3; bits < 32; bits *= 2u)
        result *= 2u - factor * result;
    return result;
}

/* Note a change of the word at an offset if it changes a single byte. Returns how many such changes are known now. */
static unsigned note_change(uint32_t word_at, uint32_t change, unsigned known, uint32_t *at, unsigned char *bits)
{
    for (unsigned byte = 0; byte < 4u; byte++) {
        if (change != 0 && (change & ~((uint32_t)0xFF << 8u * byte)) == 0) {
            *at = word_at + byte;
            *bits = (unsigned char)(change >> 8u * byte);
            return known + 1u;
        }
    }
    return known;
}

/* For each word exactly one value makes the sum right, while the others stay as they are. */
uint32_t native_check_locate(const unsigned char *bytes, unsigned char *bits)
{
    uint32_t check = native_check(bytes), missing = get_le32(bytes + CHECK_AT) - check, factor = 1, at = 0;
    unsigned known = note_change(CHECK_AT, get_le32(bytes + CHECK_AT) ^ check, 0, &at, bits);
    for (uint32_t word_at = 0; word_at < CHECK_AT; word_at += 4u) {
        uint32_t word = get_le32(bytes + word_at);
        factor *= TLOG_CHECK_ROOT;
        known = note_change(word_at, word ^ fold(fold(word) + missing * inverse(factor)), known, &at, bits);
    }
    return known == 1u ? at : NATIVE_MEND_NONE;
}

/* ---- counts and seals -------------------------------------------------------------------------------------------- */

uint64_t native_count(uint32_t low, uint32_t high)
{
    if ((low ^ high) & TLOG_COUNT_MIRROR)
        high += TLOG_COUNT_MIRROR + (high >> 31);
    return (uint64_t)(high & ~TLOG_COUNT_MIRROR) << 32 | low;
}

struct tlog_seal native_read_seal(const unsigned char *bytes)
{
    struct tlog_seal seal;
    read_words(bytes, &seal, sizeof seal);
    return seal;
}
