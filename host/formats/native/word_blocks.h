/* word_blocks.h - the search of word_search.c in many bytes at once. That file includes this one for each size of
 * vectors, with these macros:
 *
 *   VECTOR        bytes of a vector
 *   NAMED(name)   the name of a function or a type for this size
 *   TARGET        an attribute: compile for processors that have such vectors
 *
 * Vectors are those of gcc and clang. A comparison gives 0 or, where it holds, all bits.
 */

typedef unsigned char NAMED(vector) __attribute__((vector_size(VECTOR)));
typedef uint64_t NAMED(parts) __attribute__((vector_size(VECTOR)));

INLINE TARGET NAMED(vector) NAMED(load)(const unsigned char *bytes)
{
    NAMED(vector) vector;
    memcpy(&vector, bytes, VECTOR);
    return vector;
}

/* Which bytes are suspect: those that three bytes a, b, c of a word begin with, b being right, and a ^ c; of a word's
 * format or version a and c are right, nearly. That is few operations, and few other bytes pass: nine blocks of a
 * thousand in text, code or random bytes have any. */
INLINE TARGET NAMED(vector) NAMED(suspects)(const unsigned char *bytes)
{
    NAMED(vector) a = NAMED(load)(bytes), b = NAMED(load)(bytes + 1), c = NAMED(load)(bytes + 2), ends = a ^ c;
    NAMED(vector) l = (NAMED(vector))(b == 'L') & (NAMED(vector))((ends == ('T' ^ 'O')) | (ends == ('T' ^ 'P')));
    NAMED(vector) seal = (NAMED(vector))(b == 'A') & (NAMED(vector))(ends == ('E' ^ 'L'));
    NAMED(vector) magic = (NAMED(vector))(b == 0xD6) & (NAMED(vector))(ends == (0xB7 ^ 0x00));
    NAMED(vector) version = (NAMED(vector))(a == 0x02) & (NAMED(vector))((c & 0xD7) == 0x80); /* 80, A8, 88 and A0 */
    return l | seal | magic | version;
}

/* Whether a byte of a block is suspect. */
INLINE TARGET bool NAMED(is_any_suspect)(const unsigned char *block)
{
    NAMED(vector) all = {0};
    uint64_t any = 0;
    for (size_t i = 0; i < BLOCK; i += VECTOR)
        all |= NAMED(suspects)(block + i);
    for (size_t i = 0; i < VECTOR / sizeof any; i++)
        any |= ((NAMED(parts))all)[i];
    return any != 0;
}

/* Pass the blocks from `from` on. Returns where the search goes on byte by byte: where the first word begins, or near
 * the end, where no block is left. */
static TARGET size_t NAMED(pass_blocks)(const unsigned char *bytes, size_t n, size_t from)
{
    size_t at = from;
    while (at < n && n - at >= BLOCK + BEHIND) {
        size_t end = at + BLOCK;
        if (NAMED(is_any_suspect)(bytes + at)) {
            unsigned char suspect[BLOCK];
            for (size_t i = 0; i < BLOCK; i += VECTOR) {
                NAMED(vector) some = NAMED(suspects)(bytes + at + i);
                memcpy(suspect + i, &some, VECTOR);
            }
            at = find_among(suspect, bytes, from, at);
            if (at < end)
                return at;
        }
        at = end;
    }
    return at - from > AHEAD ? at - AHEAD : from;
}
