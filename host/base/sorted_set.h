/* sorted_set.h - a set of elements. They may be added in any order, and looked up between two additions. To add n of
 * them takes n log n steps, whatever their order.
 *
 * The elements are in one array, no two of them equal. In front are those that came in order. Behind them are the
 * others, in runs. Each run is in order; its length is a power of two, and the longest comes first: 11 elements are
 * runs of 8, 2 and 1. A new element is a run of 1, and two runs of one length are merged, as in a binary counter.
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
    unsigned char *element; /* n of them, of which the first `ahead` came in order; room for `room` */
    size_t n, room, ahead;
};

/* Add a copy of an element that equals none. False: there is no memory, and nothing was added. */
bool sorted_set_add(struct sorted_set *set, const void *element);

/* The element that equals the key; NULL if there is none. Valid until one is added. `order` gets the key as its first
 * argument. */
const void *sorted_set_find(const struct sorted_set *set, const void *key);

/* Put the whole array in order. */
void sorted_set_sort(struct sorted_set *set);

/* Free the memory; there are no elements then. */
void sorted_set_free(struct sorted_set *set);

#endif
