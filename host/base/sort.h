/* sort.h - qsort() with a bound on its memory, and searching what is sorted. */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stddef.h>

#define SORT_MEMORY (8u << 20) /* bytes that sorting takes at most, beside the array */

/* As qsort(), in n log n in any case. The C library's takes as much memory as the array has, so arrays that are larger
 * than SORT_MEMORY are sorted in place, and more slowly. Elements that are in order already cost one pass. */
void sort(void *array, size_t n, size_t size, int (*order)(const void *a, const void *b));

/* The index of the first element that is not below the key; n if all are below it. The array is sorted as `order` says,
 * which gets an element and the key. To find an equal element there is bsearch(). */
size_t sort_first(const void *array, size_t n, size_t size, const void *key,
                  int (*order)(const void *element, const void *key));

#endif
