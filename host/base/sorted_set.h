/* sorted_set.h - elements that are added in any order, and searched meanwhile: n of them cost n log n, whatever the
 * order.
 *
 * The elements are in one array, without two equal ones. At first they are those that came in order; behind them are
 * the others, in runs: each run is in order, and the lengths of the runs are the bits of their sum, the longest first.
 * A new element is a run of 1, and runs of the same length become one, as a carry does when one is added to a number.
 */
#ifndef BASE_SORTED_SET_H
#define BASE_SORTED_SET_H

#include <stdbool.h>
#include <stddef.h>

/* As for qsort() and bsearch(). */
typedef int sorted_set_order(const void *a, const void *b);

/* All 0 to begin with, but for size and order. */
struct sorted_set {
    size_t size; /* bytes of an element */
    sorted_set_order *order;
    unsigned char *element; /* n of them; the first `ahead` of them came in order */
    size_t n, room, ahead;
};

/* Add a copy of an element that equals none. False: there is no memory, and nothing was added. */
bool sorted_set_add(struct sorted_set *set, const void *element);

/* The element that equals the key, which the order gets first; NULL if there is none. Valid until one is added. */
const void *sorted_set_find(const struct sorted_set *set, const void *key);

/* Put all elements in order. */
void sorted_set_sort(struct sorted_set *set);

/* Free the memory; there are no elements then. */
void sorted_set_free(struct sorted_set *set);

#endif
