/* runs.h - elements that are added in any order, and searched meanwhile: n of them cost n log n, whatever the order.
 *
 * The elements are in one array, without two equal ones. At first they are those that came in order; behind them are
 * the others, in runs: each run is in order, and the lengths of the runs are the bits of their sum, the longest first.
 * A new element is a run of 1, and runs of the same length become one, as a carry does when one is added to a number.
 */
#ifndef BASE_RUNS_H
#define BASE_RUNS_H

#include <stdbool.h>
#include <stddef.h>

/* As for qsort() and bsearch(). */
typedef int runs_order(const void *a, const void *b);

/* All 0 to begin with, but for size and order. */
struct runs {
    size_t size; /* bytes of an element */
    runs_order *order;
    unsigned char *element; /* n of them; the first `ahead` of them came in order */
    size_t n, room, ahead;
};

/* Add a copy of an element that equals none. False: there is no memory, and nothing was added. */
bool runs_add(struct runs *runs, const void *element);

/* The element that equals the key, which the order gets first; NULL if there is none. Valid until one is added. */
const void *runs_find(const struct runs *runs, const void *key);

/* Put all elements in order. */
void runs_sort(struct runs *runs);

/* Free the memory; there are no elements then. */
void runs_free(struct runs *runs);

#endif
