/* test_word_search.c - the search for the words of headers, heads and seals finds what a search byte by byte finds: in
 * memory full of bytes that are nearly such words, at every alignment, of every length. So does the search as other
 * processors do it, which has vectors of another size. And where the words of a header that change may stand if bytes
 * were lost from it or came in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "formats/native/bytes/evidence.h"
#include "formats/native/bytes/word_search.h"
#include "lib/tier.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The search without the instructions that only some x86-64 have. */
#undef __x86_64__
#define native_word_find find_in_baseline
#include "formats/native/bytes/word_search.c"
#undef native_word_find

enum { PATTERNS = 9, ALIGNMENTS = 64, LONGEST = 700 };

#define NONE ((enum native_word)99) /* what a search leaves in *word that finds nothing */

/* The words, as target/FORMAT.md has their bytes. */
static const struct {
    char bytes[5];
    enum native_word word;
} patterns[PATTERNS] = {
    {"\xED\xB7\xD6\x00", NATIVE_WORD_MAGIC},
    {"TLOG", NATIVE_WORD_TAG},
    {"\x02\x00\x80\x04", NATIVE_WORD_FORMAT},
    {"\x02\x00\x80\x08", NATIVE_WORD_FORMAT},
    {"SEAL", NATIVE_WORD_SEAL},
    {"TLPK", NATIVE_WORD_REGION},
    {"\x02\x00\xA8\x00", NATIVE_WORD_REGION_VERSION},
    {"\x00\xD6\xB7\xED", NATIVE_WORD_MAGIC_BIG},
    {"KPLT", NATIVE_WORD_REGION_BIG},
};

static uint32_t random32(void)
{
    static uint64_t state = 0x9E3779B97F4A7C15u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 24);
}

/* ---- the search to compare with ---------------------------------------------------------------------------------- */

static size_t find_by_comparing(const unsigned char *bytes, size_t n, size_t from, enum native_word *word)
{
    for (; from + 4u <= n; from++) {
        for (size_t i = 0; i < PATTERNS; i++) {
            if (memcmp(bytes + from, patterns[i].bytes, 4) == 0) {
                *word = patterns[i].word;
                return from;
            }
        }
    }
    return n;
}

/* Search from an offset on: all searches must find the same. Returns where, and n if there is no word. */
static size_t find(const unsigned char *bytes, size_t n, size_t from)
{
    enum native_word expected = NONE, word = NONE, baseline = NONE;
    size_t at = find_by_comparing(bytes, n, from, &expected);
    assert_int_equal(native_word_find(bytes, n, from, &word), at);
    assert_int_equal(word, expected);
    assert_int_equal(find_in_baseline(bytes, n, from, &baseline), at);
    assert_int_equal(baseline, expected);
    return at;
}

/* Search n bytes, at an address of that alignment, for one word after the other. Returns how many there are. The
 * sanitizer notices a read behind them. */
static size_t find_all(const unsigned char *bytes, size_t n, size_t alignment)
{
    unsigned char *block = malloc(alignment + n + (n == 0)), *copy = block + alignment;
    size_t found = 0, at;
    memcpy(copy, bytes, n);
    for (size_t from = 0; from <= n; from = at + 1u) {
        at = find(copy, n, from);
        found += at < n;
    }
    free(block);
    return found;
}

/* ---- memory to search -------------------------------------------------------------------------------------------- */

/* Something that is nearly one of the words, or is one: with a byte or a bit changed, cut, or one beside another. */
static size_t add_piece(unsigned char *to, size_t room)
{
    unsigned char piece[8];
    size_t n = 4, skip = 0;
    memcpy(piece, patterns[random32() % PATTERNS].bytes, 4);
    memcpy(piece + 4, patterns[random32() % PATTERNS].bytes, 4);
    switch (random32() % 6u) {
    case 0:
        piece[random32() % 4u] = (unsigned char)random32();
        break;
    case 1:
        piece[random32() % 4u] ^= (unsigned char)(1u << random32() % 8u);
        break;
    case 2:
        n = 1u + random32() % 3u;
        break;
    case 3:
        skip = 1u + random32() % 3u;
        break;
    case 4:
        memcpy(piece + 2, patterns[random32() % PATTERNS].bytes + 2, 2);
        break;
    default:
        n = random32() % 4u ? 4 : 8;
        break;
    }
    n = n < skip + 1u ? skip + 1u : n;
    n = n - skip < room ? n - skip : room;
    memcpy(to, piece + skip, n);
    return n;
}

static void fill(unsigned char *bytes, size_t n)
{
    for (size_t at = 0; at < n;)
        at += add_piece(bytes + at, n - at);
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

static void finds_what_a_slow_search_finds(void **state)
{
    unsigned char bytes[LONGEST];
    size_t found = 0;
    (void)state;
    for (size_t n = 0; n <= LONGEST; n++) {
        for (size_t alignment = n % 3u; alignment < ALIGNMENTS; alignment += tier_step(11)) {
            fill(bytes, n);
            found += find_all(bytes, n, alignment);
        }
    }
    assert_true(found > 10u * LONGEST);
}

/* A word at an offset, or the first bytes of it, in n bytes that are all the same otherwise, or count up. The sanitizer
 * notices a read behind them. */
static void find_one(size_t pattern, size_t at, size_t n)
{
    unsigned char *bytes = malloc(n);
    enum native_word word = NONE;
    for (size_t i = 0; i < n; i++)
        bytes[i] = pattern % 2u ? 0xFF : (unsigned char)i;
    memcpy(bytes + at, patterns[pattern].bytes, n - at < 4u ? n - at : 4u);
    assert_int_equal(find(bytes, n, 0), at + 4u <= n ? at : n);
    native_word_find(bytes, n, 0, &word);
    assert_int_equal(word, at + 4u <= n ? patterns[pattern].word : NONE);
    free(bytes);
}

static void finds_each_word_at_each_offset(void **state)
{
    (void)state;
    for (size_t i = 0; i < PATTERNS; i++) {
        for (size_t at = 0; at < LONGEST; at++) {
            find_one(i, at, at + 3u);
            find_one(i, at, at + 4u);
            find_one(i, at, LONGEST + 4u);
        }
    }
}

/* Memory that is far longer than what a step of the search looks at. */
static void searches_much_memory(void **state)
{
    size_t n = (1u << 20) + 13u, found = 0;
    unsigned char *bytes = malloc(n);
    (void)state;
    for (size_t i = 0; i < n; i++)
        bytes[i] = (unsigned char)random32();
    for (size_t at = 0; at + 8u <= n; at += 1u + random32() % 5000u)
        add_piece(bytes + at, 8);
    for (size_t alignment = 0; alignment < ALIGNMENTS; alignment += 13)
        found += find_all(bytes, n, alignment);
    assert_true(found > 0);
    free(bytes);
}

/* The search may begin behind the last byte, and anywhere near it. */
static void begins_anywhere(void **state)
{
    unsigned char bytes[128];
    (void)state;
    fill(bytes, sizeof bytes);
    for (size_t n = 0; n <= sizeof bytes; n++) {
        for (size_t from = 0; from <= n + 3u; from++)
            find(bytes, n, from);
    }
}

/* Cursor and lap at each distance from their place: the header may be mended if that is at most NATIVE_HEADER_REACH. */
static void finds_words_that_are_displaced(void **state)
{
    static const unsigned char first[] = {0xED, 0xB7, 0xD6, 0, 'T', 'L', 'O', 'G', 2, 0, 0x80, 4};
    static const unsigned char position[] = {0, 1, 5, 0, 0, 1, 1, 0}; /* slot 5 of lap 1 */
    enum { REACH = NATIVE_HEADER_REACH, CURSOR = 112, LEFT = 100 };
    (void)state;
    for (int by = -LEFT; by <= LEFT - 20; by++) {
        unsigned char bytes[LEFT + 128 + LEFT];
        memset(bytes, 0xFF, sizeof bytes);
        memcpy(bytes + LEFT, first, sizeof first);
        memcpy(bytes + LEFT + CURSOR + by, position, sizeof position);
        assert_int_equal(native_may_be_mended(bytes + LEFT), by >= -REACH && by <= REACH);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_a_slow_search_finds), cmocka_unit_test(finds_each_word_at_each_offset),
        cmocka_unit_test(searches_much_memory),           cmocka_unit_test(begins_anywhere),
        cmocka_unit_test(finds_words_that_are_displaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
