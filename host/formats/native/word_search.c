/* word_search.c - the search for the words of headers, heads and seals: see word_search.h.
 *
 * Nearly all bytes of nearly all memory belong to no word. They are passed a block at a time, by operations on vectors
 * (word_blocks.h), which every processor has. On x86-64, whose baseline has vectors of 16 bytes only, all this is
 * compiled a second time for AVX2, with vectors of 32 bytes, and takes half the time.
 */
#include "formats/native/word_search.h"

#include "base/bytes.h"
#include "tlog_wire.h"

#include <stdbool.h>
#include <string.h>

#define FORMAT(address_bytes) (TLOG_WIRE_VERSION | TLOG_HEADER_BYTES << 16 | (address_bytes) << 24)

#define NO_WORD (-1)

/* Which word the four bytes are: a number of enum native_word, or NO_WORD. */
static int word_at(const unsigned char *bytes)
{
    switch (get_le32(bytes)) {
    case TLOG_WIRE_MAGIC:
        return NATIVE_WORD_MAGIC;
    case TLOG_WIRE_TAG:
        return NATIVE_WORD_TAG;
    case FORMAT(4u):
    case FORMAT(8u):
        return NATIVE_WORD_FORMAT;
    case TLOG_WIRE_SEAL:
        return NATIVE_WORD_SEAL;
    case TLOG_PACK_MAGIC:
        return NATIVE_WORD_REGION;
    case TLOG_PACK_VERSION | TLOG_PACK_HEAD_BYTES << 16:
        return NATIVE_WORD_REGION_VERSION;
    case __builtin_bswap32(TLOG_WIRE_MAGIC):
        return NATIVE_WORD_MAGIC_BIG;
    case __builtin_bswap32(TLOG_PACK_MAGIC):
        return NATIVE_WORD_REGION_BIG;
    default:
        return NO_WORD;
    }
}

/* ---- many bytes at once ------------------------------------------------------------------------------------------ */

#define BLOCK  256u /* bytes that are passed at once */
#define BEHIND 3u   /* bytes behind a block that are looked at, too */
#define AHEAD  1u   /* a word begins at most so many bytes ahead of the first of its bytes that are suspect */

#define INLINE static inline __attribute__((always_inline))

/* Find the first word that has suspect bytes of the block at `at`: suspect[i] is 0 or 0xFF. Returns where the word
 * begins, not ahead of `from`; or the end of the block. */
static size_t find_among(const unsigned char *suspect, const unsigned char *bytes, size_t from, size_t at)
{
    for (size_t part = 0; part < BLOCK; part += 8u) {
        for (uint64_t left = get_le64(suspect + part); left != 0;) {
            unsigned bit = (unsigned)__builtin_ctzll(left);
            size_t i = at + part + bit / 8u;
            left &= ~((uint64_t)0xFF << bit);
            if (i > from && word_at(bytes + i - AHEAD) != NO_WORD)
                return i - AHEAD;
            if (word_at(bytes + i) != NO_WORD)
                return i;
        }
    }
    return at + BLOCK;
}

#define VECTOR      16u
#define NAMED(name) name##_16
#define TARGET
#include "formats/native/word_blocks.h"
#undef VECTOR
#undef NAMED
#undef TARGET

#if defined(__x86_64__)
#define VECTOR      32u
#define NAMED(name) name##_32
#define TARGET      __attribute__((target("avx2")))
#include "formats/native/word_blocks.h"
#endif

static size_t pass_most(const unsigned char *bytes, size_t n, size_t from)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2"))
        return pass_blocks_32(bytes, n, from);
#endif
    return pass_blocks_16(bytes, n, from);
}

size_t native_word_find(const unsigned char *bytes, size_t n, size_t from, enum native_word *word)
{
    for (from = pass_most(bytes, n, from); from < n && n - from >= NATIVE_WORD_BYTES; from++) {
        int found = word_at(bytes + from);
        if (found != NO_WORD) {
            *word = (enum native_word)found;
            return from;
        }
    }
    return n;
}
