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

static const struct {
    uint32_t value;
    enum native_word word;
} words[] = {
    {TLOG_WIRE_MAGIC, NATIVE_WORD_MAGIC},
    {TLOG_WIRE_TAG, NATIVE_WORD_TAG},
    {FORMAT(4u), NATIVE_WORD_FORMAT},
    {FORMAT(8u), NATIVE_WORD_FORMAT},
    {TLOG_WIRE_SEAL, NATIVE_WORD_SEAL},
    {TLOG_PACK_MAGIC, NATIVE_WORD_REGION},
    {TLOG_PACK_VERSION | TLOG_PACK_HEAD_BYTES << 16, NATIVE_WORD_REGION_VERSION},
    {__builtin_bswap32(TLOG_WIRE_MAGIC), NATIVE_WORD_MAGIC_BIG},
    {__builtin_bswap32(TLOG_PACK_MAGIC), NATIVE_WORD_REGION_BIG},
};

#define WORDS (sizeof words / sizeof words[0])

/* Find a word byte by byte that begins from `from` on and ahead of `end`. Returns end if there is none. */
static size_t find_slowly(const unsigned char *bytes, size_t from, size_t end, enum native_word *word)
{
    for (; from < end; from++) {
        uint32_t value = get_le32(bytes + from);
        for (size_t i = 0; i < WORDS; i++) {
            if (words[i].value == value) {
                *word = words[i].word;
                return from;
            }
        }
    }
    return end;
}

/* ---- many bytes at once ------------------------------------------------------------------------------------------ */

#define BLOCK  64u /* bytes that are passed at once */
#define AHEAD  1u  /* a word begins at most so many bytes ahead of the three that are suspect in it */
#define BEHIND 3u  /* bytes behind a block that are looked at, too */

#define INLINE static inline __attribute__((always_inline))

/* Where a word begins at the earliest if bytes are suspect in it from `at` on. Not ahead of `from`. */
INLINE size_t step_back(size_t at, size_t from)
{
    return at - from > AHEAD ? at - AHEAD : from;
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
    size_t end = n >= NATIVE_WORD_BYTES ? n - NATIVE_WORD_BYTES + 1u : 0, found;
    found = find_slowly(bytes, pass_most(bytes, n, from), end, word);
    return found < end ? found : n;
}
