/* word_blocks.h - the search of word_search.c in many bytes at once. That file includes this one for each size of
 * vectors, with these macros:
 *
 *   VECTOR        bytes of a vector
 *   NAMED(name)   the name of a function or a type for this size
 *   TARGET        an attribute: compile for processors that have such vectors
 *
 * Vectors are those of gcc and clang: a comparison gives 0 or, where it holds, all bits. They are handed from function
 * to function by address, because how they are handed by value depends on the processor; everything is inlined.
 */

typedef unsigned char NAMED(bytes) __attribute__((vector_size(VECTOR)));
typedef uint32_t NAMED(words) __attribute__((vector_size(VECTOR)));
typedef uint64_t NAMED(parts) __attribute__((vector_size(VECTOR)));

/* Whether a bit of the vector is set. */
INLINE TARGET bool NAMED(has_any)(const NAMED(bytes) * vector)
{
    NAMED(parts) parts = (NAMED(parts)) * vector;
    uint64_t all = 0;
    for (unsigned i = 0; i < VECTOR / 8u; i++)
        all |= parts[i];
    return all != 0;
}

/* Whether a word may begin in the block, or AHEAD of it. False is certain. Looks for three bytes a, b, c of each word:
 * b must be right, and a ^ c; of a word's format or version b may be anything. That is few operations, and few other
 * bytes pass: nine blocks of a thousand in text, code or random bytes. */
INLINE TARGET bool NAMED(may_begin)(const unsigned char *block)
{
    NAMED(bytes) a, b, c, ends, suspect = {0};
    for (size_t at = 0; at < BLOCK; at += VECTOR) {
        memcpy(&a, block + at, VECTOR);
        memcpy(&b, block + at + 1, VECTOR);
        memcpy(&c, block + at + 2, VECTOR);
        ends = a ^ c;
        suspect |= (NAMED(bytes))(b == 'L') & (NAMED(bytes))((ends == ('T' ^ 'O')) | (ends == ('T' ^ 'P')));
        suspect |= (NAMED(bytes))(b == 'A') & (NAMED(bytes))(ends == ('E' ^ 'L'));
        suspect |= (NAMED(bytes))(b == 0xD6) & (NAMED(bytes))(ends == (0xB7 ^ 0x00));
        suspect |= (NAMED(bytes))(a == 0x02) & (NAMED(bytes))((c & 0xD7) == 0x80); /* 80, A8 and two others */
    }
    return NAMED(has_any)(&suspect);
}

/* Whether a word begins in the block. It may end behind it. */
INLINE TARGET bool NAMED(begins)(const unsigned char *block)
{
    NAMED(words) value, found = {0};
    for (size_t shift = 0; shift < NATIVE_WORD_BYTES; shift++) {
        for (size_t at = shift; at < BLOCK; at += VECTOR) {
            memcpy(&value, block + at, VECTOR);
            for (size_t i = 0; i < WORDS; i++)
                found |= (NAMED(words))(value == le32(words[i].value));
        }
    }
    return NAMED(has_any)((const NAMED(bytes) *)&found);
}

/* Pass the blocks, from `from` on, in which no word begins. Returns where a search byte by byte has to go on: a word
 * begins less than a block behind, or there are less than a block's bytes left, and a few. */
static TARGET size_t NAMED(pass_blocks)(const unsigned char *bytes, size_t n, size_t from)
{
    size_t at = from;
    while (at < n && n - at >= BLOCK + BEHIND) {
        if (NAMED(may_begin)(bytes + at)) {
            at = step_back(at, from);
            if (NAMED(begins)(bytes + at))
                return at;
        }
        at += BLOCK;
    }
    return step_back(at, from);
}
