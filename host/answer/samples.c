/* samples.c - see samples.h. */
#include "answer/samples.h"

#include "base/heap.h"

#include <string.h>

enum { FIRST_BYTES = 64, LARGE_BYTES = 4096, MOST_BYTES = 16384 }; /* of the values in a block */
enum { PAGE_BITS = 6, PAGE = 1 << PAGE_BITS }; /* classes of values that have the same highest bit */
enum { PAGES = 64 - PAGE_BITS + 1 };
enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS }; /* of a value whose rank is looked for */

/* Some values of a series. Each block points to the one before it. */
struct samples_block {
    struct samples_block *next;
    uint32_t used, room; /* bytes */
    unsigned char value[];
};

/* Counts of values by class, in pages of PAGE classes that are allocated when they are needed. Page 0 counts each value
 * below PAGE by itself; page k counts the values of k + PAGE_BITS bits. */
struct samples_histogram {
    uint64_t *page[PAGES];
};

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* Allocate from the pool. NULL: it is used up, or there is no memory. */
static void *take(struct samples_pool *pool, size_t bytes)
{
    void *memory = pool->used + bytes <= pool->most ? heap_calloc(1, bytes) : NULL;
    pool->used += memory != NULL ? bytes : 0;
    return memory;
}

static void give(struct samples_pool *pool, void *memory, size_t bytes)
{
    heap_free(memory);
    pool->used -= bytes;
}

static void free_blocks(struct samples_block **first, struct samples_pool *pool)
{
    while (*first != NULL) {
        struct samples_block *block = *first;
        *first = block->next;
        give(pool, block, sizeof *block + block->room);
    }
}

static void free_histogram(struct samples *samples, struct samples_pool *pool)
{
    for (unsigned i = 0; samples->histogram != NULL && i < PAGES; i++) {
        if (samples->histogram->page[i] != NULL)
            give(pool, samples->histogram->page[i], PAGE * sizeof(uint64_t));
    }
    if (samples->histogram != NULL)
        give(pool, samples->histogram, sizeof *samples->histogram);
    samples->histogram = NULL;
}

void samples_clear(struct samples *samples, struct samples_pool *pool)
{
    free_blocks(&samples->narrow, pool);
    free_blocks(&samples->wide, pool);
    free_histogram(samples, pool);
    *samples = (struct samples){0};
}

/* ---- the histogram ----------------------------------------------------------------------------------------------- */

static unsigned page_of(uint64_t value)
{
    unsigned bits = value == 0 ? 0 : 64u - (unsigned)__builtin_clzll(value);
    return bits > PAGE_BITS ? bits - PAGE_BITS : 0;
}

/* How many low bits of a value in that page are ignored to get its class. */
static unsigned shift_of(unsigned page)
{
    return page > 0 ? page - 1u : 0;
}

static void count(struct samples *samples, struct samples_pool *pool, uint64_t value)
{
    unsigned page = page_of(value);
    uint64_t **counts = &samples->histogram->page[page];
    if (*counts == NULL)
        *counts = take(pool, PAGE * sizeof **counts);
    if (*counts != NULL)
        (*counts)[value >> shift_of(page) & (PAGE - 1u)]++;
    else
        samples->missed++;
}

/* The middle of a class. */
static uint64_t middle_of(unsigned page, unsigned means)
{
    unsigned shift = shift_of(page);
    uint64_t least = page > 0 ? (uint64_t)(PAGE | means) << shift : means;
    return least + ((UINT64_C(1) << shift) - 1u) / 2u;
}

/* The middle of the class that has the value of that rank, from 1 on. */
static uint64_t rank_in_histogram(const struct samples *samples, uint64_t rank)
{
    uint64_t passed = 0;
    for (unsigned page = 0; page < PAGES; page++) {
        const uint64_t *counts = samples->histogram->page[page];
        for (unsigned means = 0; counts != NULL && means < PAGE; means++) {
            passed += counts[means];
            if (passed >= rank)
                return middle_of(page, means);
        }
    }
    return samples->most;
}

static uint64_t value_at(const struct samples_block *block, uint32_t at, bool is_wide)
{
    uint64_t wide;
    uint32_t narrow;
    if (is_wide) {
        memcpy(&wide, block->value + at, sizeof wide);
        return wide;
    }
    memcpy(&narrow, block->value + at, sizeof narrow);
    return narrow;
}

static void count_block(struct samples *samples, struct samples_pool *pool, const struct samples_block *block,
                        bool is_wide)
{
    for (uint32_t at = 0; at < block->used; at += is_wide ? 8u : 4u)
        count(samples, pool, value_at(block, at, is_wide));
}

/* Make the series a histogram. Each block is given back to the pool before its values are counted: a large block has
 * more memory than a histogram needs, so the histogram may take memory beyond the pool's limit for a moment. */
static void become_histogram(struct samples *samples, struct samples_pool *pool)
{
    struct samples_block **first[] = {&samples->narrow, &samples->wide};
    bool is_large = samples->narrow != NULL && samples->narrow->room >= LARGE_BYTES;
    pool->most += is_large ? sizeof *samples->histogram : 0;
    samples->histogram = take(pool, sizeof *samples->histogram);
    pool->most -= is_large ? sizeof *samples->histogram : 0;
    for (unsigned i = 0; samples->histogram != NULL && i < 2; i++) {
        while (*first[i] != NULL) {
            struct samples_block *block = *first[i];
            size_t bytes = sizeof *block + block->room;
            *first[i] = block->next;
            pool->used -= bytes;
            count_block(samples, pool, block, i == 1);
            heap_free(block);
        }
    }
}

/* ---- adding ------------------------------------------------------------------------------------------------------ */

/* Room for a value of that many bytes. NULL: no memory. */
static void *room_for(struct samples_block **first, struct samples_pool *pool, uint32_t bytes)
{
    struct samples_block *block = *first;
    if (block == NULL || block->used + bytes > block->room) {
        uint32_t room = block == NULL ? FIRST_BYTES : block->room < MOST_BYTES ? block->room * 2u : MOST_BYTES;
        block = take(pool, sizeof *block + room);
        if (block == NULL)
            return NULL;
        *block = (struct samples_block){*first, 0, room};
        *first = block;
    }
    block->used += bytes;
    return block->value + block->used - bytes;
}

/* Keep the value itself. False: there is no memory. */
static bool keep(struct samples *samples, struct samples_pool *pool, uint64_t value)
{
    uint32_t narrow = (uint32_t)value;
    bool is_wide = value > UINT32_MAX;
    void *room = room_for(is_wide ? &samples->wide : &samples->narrow, pool, is_wide ? 8u : 4u);
    if (room != NULL && is_wide)
        memcpy(room, &value, sizeof value);
    else if (room != NULL)
        memcpy(room, &narrow, sizeof narrow);
    return room != NULL;
}

void samples_add(struct samples *samples, struct samples_pool *pool, uint64_t value, uint64_t at)
{
    samples->least = samples->n == 0 || value < samples->least ? value : samples->least;
    if (samples->n == 0 || value > samples->most) {
        samples->most = value;
        samples->most_at = at;
    }
    samples->sum += value;
    if (samples->histogram == NULL && (samples->n == SAMPLES_EXACT || !keep(samples, pool, value)))
        become_histogram(samples, pool);
    else if (samples->histogram == NULL) {
        samples->n++;
        return;
    }
    samples->n++;
    if (samples->histogram != NULL)
        count(samples, pool, value);
    else
        samples->missed++;
}

/* ---- percentiles ------------------------------------------------------------------------------------------------- */

static size_t bytes_in(const struct samples_block *block)
{
    size_t bytes = 0;
    for (; block != NULL; block = block->next)
        bytes += block->used;
    return bytes;
}

/* Look at the values whose higher digits are those of `value`, and count them by their digit at bit `shift`. */
static void count_digits(const struct samples_block *block, bool is_wide, uint64_t value, unsigned shift,
                         uint64_t counts[DIGITS])
{
    uint64_t above = shift + DIGIT_BITS < 64u ? UINT64_MAX << (shift + DIGIT_BITS) : 0;
    for (; block != NULL; block = block->next) {
        for (uint32_t at = 0; at < block->used; at += is_wide ? 8u : 4u) {
            uint64_t other = value_at(block, at, is_wide);
            if (((other ^ value) & above) == 0)
                counts[other >> shift & (DIGITS - 1u)]++;
        }
    }
}

/* The value of that rank, from 1 on, among those of some blocks. Its digits are found one by one, the highest first,
 * which needs no memory, and less time than sorting. */
static uint64_t rank_in(const struct samples_block *blocks, bool is_wide, uint64_t rank)
{
    uint64_t value = 0;
    for (unsigned shift = is_wide ? 64u : 32u; shift > 0;) {
        uint64_t counts[DIGITS] = {0}, digit = 0;
        shift -= DIGIT_BITS;
        count_digits(blocks, is_wide, value, shift, counts);
        for (; digit < DIGITS - 1u && rank > counts[digit]; digit++)
            rank -= counts[digit];
        value |= digit << shift;
    }
    return value;
}

/* Limit the middle of a class to the range of all values. */
static uint64_t between(const struct samples *samples, uint64_t value)
{
    return value < samples->least ? samples->least : value > samples->most ? samples->most : value;
}

uint64_t samples_percentile(struct samples *samples, unsigned percent)
{
    uint64_t known = samples->n - samples->missed, narrow = bytes_in(samples->narrow) / 4u;
    uint64_t rank = (uint64_t)(((samples_sum)known * percent + 99u) / 100u);
    if (known == 0)
        return 0;
    if (samples->histogram != NULL)
        return between(samples, rank_in_histogram(samples, rank));
    return rank <= narrow ? rank_in(samples->narrow, false, rank) : rank_in(samples->wide, true, rank - narrow);
}
