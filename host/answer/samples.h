/* samples.h - a series of values, such as response times: their number, sum, least, most, and percentiles.
 *
 * Memory is bounded. A series keeps all its values, so that percentiles are exact, up to SAMPLES_EXACT of them, or
 * until all series together have used up the pool. Then it becomes a histogram. Its classes are at most 1/64 of their
 * values wide, so that a percentile is less than 1 % off. Number, sum, least and most are exact in any case.
 */
#ifndef ANSWER_SAMPLES_H
#define ANSWER_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SAMPLES_EXACT  1000000u
#define SAMPLES_MEMORY (32u << 20) /* bytes, for all series of a pool */

__extension__ typedef unsigned __int128 samples_sum;

/* Memory that series share, and how much they may take. All 0 at the beginning, but for most. */
struct samples_pool {
    size_t used, most; /* bytes */
};

/* All 0 at the beginning. */
struct samples {
    uint64_t n;
    samples_sum sum;
    uint64_t least, most, most_at;       /* most_at: the time at which the largest value was found */
    uint64_t missed;                     /* values that percentiles do not include, because there was no memory */
    struct samples_block *narrow;        /* values below 2^32, of 4 bytes */
    struct samples_block *wide;          /* larger ones, of 8 bytes */
    struct samples_histogram *histogram; /* NULL: all values are kept */
};

/* Add a value that was found at a time. */
void samples_add(struct samples *samples, struct samples_pool *pool, uint64_t value, uint64_t at);

/* The smallest value that `percent` (1 to 100) percent of all values do not exceed. 0 if there are no values. */
uint64_t samples_percentile(struct samples *samples, unsigned percent);

/* Whether percentiles are exact. */
static inline bool samples_are_exact(const struct samples *samples)
{
    return samples->histogram == NULL && samples->missed == 0;
}

/* The average, rounded down; 0 if there are no values. */
static inline uint64_t samples_average(const struct samples *samples)
{
    return samples->n > 0 ? (uint64_t)(samples->sum / samples->n) : 0;
}

/* Forget all values, and give their memory back to the pool. */
void samples_clear(struct samples *samples, struct samples_pool *pool);

#endif
