/* word_search.c - the search for the words of headers, heads and seals: see word_search.h.
 *
 * Nearly all bytes of nearly all memory belong to no word. They are passed a block at a time, by operations on vectors
 * (word_blocks.h), which every processor has. On x86-64, whose baseline has vectors of 16 bytes only, all this is
 * compiled a second time for AVX2, with vectors of 32 bytes, and takes half the time.
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

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

#define BLOCK  256u /* bytes that are passed at once */
#define BEHIND 3u   /* bytes behind a block that are looked at, too */
#define AHEAD  2u   /* a word begins at most so many bytes ahead of a suspect byte */

/* Find the first word that has suspect bytes among n bytes at `at`. Each bit of suspect[i] tells that a word may begin
 * some bytes ahead of byte i: ahead[bit]. Returns where the word begins, not ahead of `from`; or the end of the
 * bytes. */
static inline size_t find_among(const unsigned char *suspect, size_t n, const unsigned char ahead[8],
                                const unsigned char *bytes, size_t from, size_t at)
{
    for (size_t part = 0; part < n; part += 8u) {
        for (uint64_t left = get_le64(suspect + part); left != 0; left &= left - 1u) {
            unsigned bit = (unsigned)__builtin_ctzll(left);
            size_t i = at + part + bit / 8u;
            if (i - from >= ahead[bit % 8u] && word_at(bytes + i - ahead[bit % 8u]) != NO_WORD)
                return i - ahead[bit % 8u];
        }
    }
    return at + n;
}

/* Where the search goes on byte by byte if there is no word in the blocks between two offsets. */
static size_t behind_blocks(size_t from, size_t at)
{
    return at - from > AHEAD ? at - AHEAD : from;
}

/* ---- by vectors of any processor --------------------------------------------------------------------------------- */

#define VECTOR 16u
#define STRIDE (VECTOR - 1u) /* if no byte of a vector is suspect no word begins at any of the first STRIDE ones */
typedef unsigned char vector
    __attribute__((vector_size(VECTOR))); /* a comparison of two gives 0 or 0xFF for each byte */
typedef uint64_t vector_halves __attribute__((vector_size(VECTOR)));

static inline vector load(const unsigned char *bytes)
{
    vector loaded;
    memcpy(&loaded, bytes, VECTOR);
    return loaded;
}

/* Which bytes are suspect: those that three bytes a, b, c of a word begin with, b being right, and a ^ c; of a word's
 * format or version a and c are right, nearly. That is few operations, and few other bytes pass. */
static inline vector suspects(const unsigned char *bytes)
{
    vector a = load(bytes), b = load(bytes + 1), c = load(bytes + 2), ends = a ^ c;
    vector l = (vector)(b == 'L') & (vector)((ends == ('T' ^ 'O')) | (ends == ('T' ^ 'P')));
    vector seal = (vector)(b == 'A') & (vector)(ends == ('E' ^ 'L'));
    vector magic = (vector)(b == 0xD6) & (vector)(ends == (0xB7 ^ 0x00));
    vector version = (vector)(a == 0x02) & (vector)((c & 0xD7) == 0x80); /* 80, A8, 88 and A0 */
    return l | seal | magic | version;
}

/* Pass the blocks from `from` on; words are often close to each other, so in the first one words are looked for at
 * once. Returns where the search goes on byte by byte: where the first word begins, or near
 * the end, where no block is left. */
static size_t pass_blocks(const unsigned char *bytes, size_t n, size_t from)
{
    static const unsigned char ahead[8] = {0, 1};
    size_t at = from;
    while (at < n && n - at >= BLOCK + BEHIND) {
        unsigned char suspect[VECTOR];
        vector any = {0};
        size_t end = at + BLOCK;
        for (size_t i = 0; at > from && i < BLOCK; i += VECTOR)
            any |= suspects(bytes + at + i);
        if (at > from && (((vector_halves)any)[0] | ((vector_halves)any)[1]) == 0)
            at = end;
        for (size_t found; at < end; at = found) {
            any = suspects(bytes + at) & 0x03;
            memcpy(suspect, &any, VECTOR);
            found = find_among(suspect, VECTOR, ahead, bytes, from, at);
            if (found < at + VECTOR)
                return found;
        }
    }
    return behind_blocks(from, at);
}

/* ---- by AVX2 ----------------------------------------------------------------------------------------------------- */

#if defined(__x86_64__)
#define AVX2 __attribute__((target("avx2")))

/* Two neighbouring bytes of each word that are not common side by side in other memory, and their bit. */
#define PAIRS(of, four)                                                                                                \
    (of(four, 'O', 'G', 0) | of(four, 0x80, 0x04, 1) | of(four, 0x80, 0x08, 1) | of(four, 'L', 'P', 2)                 \
     | of(four, 'E', 'A', 3) | of(four, 0xB7, 0xD6, 4) | of(four, 0xD6, 0xB7, 5) | of(four, 0x00, 0xA8, 6)             \
     | of(four, 'K', 'P', 7))
/* How far ahead of the pair of each bit the word begins. */
static const unsigned char pair_ahead[8] = {2, 2, 1, 1, 1, 1, 1, 0};

/* The bit of a pair if its first or second byte has these low or high four bits. */
#define FIRST_LOW(four, first, second, bit)   (((first)&0xF) == (four) ? 1 << (bit) : 0)
#define FIRST_HIGH(four, first, second, bit)  ((first) >> 4 == (four) ? 1 << (bit) : 0)
#define SECOND_LOW(four, first, second, bit)  FIRST_LOW(four, second, first, bit)
#define SECOND_HIGH(four, first, second, bit) FIRST_HIGH(four, second, first, bit)

/* For each value of four bits: the pairs that have them there. A search ends at each word, and there may be many: so
 * the tables are constants. */
#define FOUR(of, from) PAIRS(of, from), PAIRS(of, (from) + 1), PAIRS(of, (from) + 2), PAIRS(of, (from) + 3)
#define TABLE(low, high)                                                                                               \
    {                                                                                                                  \
        {FOUR(low, 0), FOUR(low, 4), FOUR(low, 8), FOUR(low, 12)},                                                     \
        {                                                                                                              \
            FOUR(high, 0), FOUR(high, 4), FOUR(high, 8), FOUR(high, 12)                                                \
        }                                                                                                              \
    }
static const unsigned char tables[2][2][16] = {TABLE(FIRST_LOW, FIRST_HIGH), TABLE(SECOND_LOW, SECOND_HIGH)};

struct table {
    __m256i low, high;
};

static inline AVX2 __m256i twice(const unsigned char bytes[16])
{
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)bytes));
}

static inline AVX2 struct table load_table(unsigned second)
{
    return (struct table){twice(tables[second][0]), twice(tables[second][1])};
}

/* The pairs that each byte is in. */
static inline AVX2 __m256i look_up(const struct table *table, const unsigned char *bytes)
{
    __m256i loaded = _mm256_loadu_si256((const __m256i *)(const void *)bytes), four = _mm256_set1_epi8(0xF);
    __m256i low = _mm256_and_si256(loaded, four), high = _mm256_and_si256(_mm256_srli_epi16(loaded, 4), four);
    return _mm256_and_si256(_mm256_shuffle_epi8(table->low, low), _mm256_shuffle_epi8(table->high, high));
}

static inline AVX2 __m256i suspects_avx2(const struct table table[2], const unsigned char *bytes)
{
    return _mm256_and_si256(look_up(&table[0], bytes), look_up(&table[1], bytes + 1));
}

static AVX2 size_t pass_blocks_avx2(const unsigned char *bytes, size_t n, size_t from)
{
    const struct table table[2] = {load_table(0), load_table(1)};
    size_t at = from;
    while (at < n && n - at >= BLOCK + BEHIND) {
        unsigned char suspect[sizeof(__m256i)];
        __m256i any = _mm256_setzero_si256();
        size_t end = at + BLOCK;
        for (size_t i = 0; at > from && i < BLOCK; i += sizeof any)
            any = _mm256_or_si256(any, suspects_avx2(table, bytes + at + i));
        if (at > from && _mm256_testz_si256(any, any))
            at = end;
        for (size_t found; at < end; at = found) {
            _mm256_storeu_si256((__m256i *)(void *)suspect, suspects_avx2(table, bytes + at));
            found = find_among(suspect, sizeof suspect, pair_ahead, bytes, from, at);
            if (found < at + sizeof suspect)
                return found;
        }
    }
    return behind_blocks(from, at);
}
#endif

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static size_t pass_most(const unsigned char *bytes, size_t n, size_t from)
{
    if (n - from < BLOCK + BEHIND)
        return from;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2"))
        return pass_blocks_avx2(bytes, n, from);
#endif
    return pass_blocks(bytes, n, from);
}

/* Whether no word begins at any of the STRIDE bytes. */
static bool is_free(const unsigned char *bytes)
{
    vector_halves any = (vector_halves)suspects(bytes);
    return (any[0] | any[1]) == 0;
}

/* Pieces often begin with a word: a chunk stands behind another one. So that is looked at first. */
size_t native_word_find(const unsigned char *bytes, size_t n, size_t from, enum native_word *word)
{
    if (from >= n || n - from < NATIVE_WORD_BYTES)
        return n;
    if (word_at(bytes + from) == NO_WORD)
        from = pass_most(bytes, n, from);
    while (n - from >= NATIVE_WORD_BYTES) {
        int found = word_at(bytes + from);
        if (found != NO_WORD) {
            *word = (enum native_word)found;
            return from;
        }
        from += n - from >= VECTOR + AHEAD && is_free(bytes + from) ? STRIDE : 1u;
    }
    return n;
}
