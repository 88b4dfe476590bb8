/* word_search.c - the search for the words of headers, heads and seals: see word_search.h.
 *
 * Nearly all bytes of nearly all memory belong to no word. They are passed many at a time, by operations on vectors,
 * which every processor has. With AVX2, on x86-64, these are vectors of 32 bytes, and a table tells in one operation
 * what each byte is compared with.
 */
#include "formats/native/bytes/word_search.h"

#include "base/bytes.h"
#include "tlog_wire.h"

#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

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

/* ---- suspects ---------------------------------------------------------------------------------------------------- */

/* Each word has, as its second or third byte, a byte b between two others a and c: `of` gets b and a ^ c. The low four
 * bits of these b are different. That is few operations, and few other bytes are so. */
#define SUSPECTS(of)                                                                                                   \
    of('O', 'L' ^ 'G')        /* TLOG */                                                                               \
        of('L', 'T' ^ 'P')    /* TLPK, KPLT */                                                                         \
        of('A', 'E' ^ 'L')    /* SEAL */                                                                               \
        of(0xD6, 0xB7 ^ 0x00) /* ED B7 D6 00, 00 D6 B7 ED */                                                           \
        of(0x00, 0x02 ^ 0x80) /* 02 00 80 04, 02 00 80 08 */                                                           \
        of(0xA8, 0x00 ^ 0x00) /* 02 00 A8 00 */

#define AHEAD  1u /* a word begins at a, or so many bytes ahead */
#define BEHIND 3u /* bytes behind a vector that are looked at, too */

/* ---- by vectors of any processor --------------------------------------------------------------------------------- */

#define VECTOR 16u
#define MANY   (4u * VECTOR)
typedef unsigned char vector
    __attribute__((vector_size(VECTOR))); /* a comparison of two gives 0 or 0xFF for each byte */
typedef uint64_t vector_halves __attribute__((vector_size(VECTOR)));

static inline vector load(const unsigned char *bytes)
{
    vector loaded;
    memcpy(&loaded, bytes, VECTOR);
    return loaded;
}

/* Which bytes are the a of a suspect. */
static inline vector suspects(const unsigned char *bytes)
{
    vector b = load(bytes + 1), ends = load(bytes) ^ load(bytes + 2), any = {0};
#define COMPARE(second, of_ends) any |= (vector)(b == (second)) & (vector)(ends == (of_ends));
    SUSPECTS(COMPARE)
#undef COMPARE
    return any;
}

/* Whether none of n bytes is the a of a suspect. */
static bool are_free(const unsigned char *bytes, size_t n)
{
    vector_halves any;
    vector found = {0};
    for (size_t i = 0; i < n; i += VECTOR)
        found |= suspects(bytes + i);
    any = (vector_halves)found;
    return (any[0] | any[1]) == 0;
}

/* How far the search goes on from a byte where no word begins: n bytes are there. */
static size_t step(const unsigned char *bytes, size_t n)
{
    if (n >= MANY + BEHIND && are_free(bytes, MANY))
        return MANY - AHEAD;
    return n >= VECTOR + BEHIND && are_free(bytes, VECTOR) ? VECTOR - AHEAD : 1u;
}

/* ---- by AVX2 ----------------------------------------------------------------------------------------------------- */

#if defined(__x86_64__)
#define AVX2  __attribute__((target("avx2")))
#define WIDE  ((unsigned)sizeof(__m256i))
#define BLOCK (4u * WIDE) /* bytes that are looked at together */

#define B_OF(b, ends)    [(b)&0xF] = (b),
#define ENDS_OF(b, ends) [(b)&0xF] = (ends),
/* The b and the a ^ c of a suspect, by the low four bits of b. Where there is none b is 0, which has other low bits. */
static const unsigned char b_of[16] = {SUSPECTS(B_OF)}, ends_of[16] = {SUSPECTS(ENDS_OF)};

static inline AVX2 __m256i load_avx2(const unsigned char *bytes)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)bytes);
}

static inline AVX2 __m256i twice(const unsigned char bytes[16])
{
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)bytes));
}

/* Which bytes are the a of a suspect. */
static inline AVX2 __m256i suspects_avx2(const unsigned char *bytes)
{
    __m256i b = load_avx2(bytes + 1), ends = _mm256_xor_si256(load_avx2(bytes), load_avx2(bytes + 2));
    __m256i low = _mm256_and_si256(b, _mm256_set1_epi8(0xF));
    __m256i b_is = _mm256_cmpeq_epi8(b, _mm256_shuffle_epi8(twice(b_of), low));
    __m256i ends_are = _mm256_cmpeq_epi8(ends, _mm256_shuffle_epi8(twice(ends_of), low));
    return _mm256_and_si256(b_is, ends_are);
}

/* The same of two vectors, laid on each other. */
static inline AVX2 __m256i suspects_of_two(const unsigned char *bytes)
{
    return _mm256_or_si256(suspects_avx2(bytes), suspects_avx2(bytes + WIDE));
}

/* Find the first word that has a suspect in a block, and does not begin ahead of `from`. Returns where it begins, or
 * where the next block does. */
static AVX2 size_t find_in_block(const unsigned char *bytes, size_t at, size_t from)
{
    size_t end = at + BLOCK;
    for (; at < end; at += WIDE) {
        uint32_t left = (uint32_t)_mm256_movemask_epi8(suspects_avx2(bytes + at));
        for (; left != 0; left &= left - 1u) {
            size_t a = at + (unsigned)__builtin_ctz(left);
            if (a > from && word_at(bytes + a - AHEAD) != NO_WORD)
                return a - AHEAD;
            if (word_at(bytes + a) != NO_WORD)
                return a;
        }
    }
    return end;
}

/* Pass the blocks from `from` on. Returns where the first word begins, or, near the end, where the search goes on. */
static AVX2 size_t pass_blocks(const unsigned char *bytes, size_t n, size_t from)
{
    size_t at = from, found;
    for (; n - at >= BLOCK + BEHIND; at += BLOCK) {
        __m256i any = _mm256_or_si256(suspects_of_two(bytes + at), suspects_of_two(bytes + at + 2u * WIDE));
        if (!_mm256_testz_si256(any, any) && (found = find_in_block(bytes, at, from)) < at + BLOCK)
            return found;
    }
    return at > from ? at - AHEAD : from;
}
#endif

/* ---- all of it --------------------------------------------------------------------------------------------------- */

/* Pieces often begin with a word: a chunk stands behind another one. So that is looked at first. */
size_t native_word_find(const unsigned char *bytes, size_t n, size_t from, enum native_word *word)
{
    if (from >= n || n - from < NATIVE_WORD_BYTES)
        return n;
#if defined(__x86_64__)
    if (word_at(bytes + from) == NO_WORD && __builtin_cpu_supports("avx2"))
        from = pass_blocks(bytes, n, from);
#endif
    while (n - from >= NATIVE_WORD_BYTES) {
        int found = word_at(bytes + from);
        if (found != NO_WORD) {
            *word = (enum native_word)found;
            return from;
        }
        from += step(bytes + from, n - from);
    }
    return n;
}
