/* table.h - elements that are found by a number: tasks, interrupts, mutexes. There are never more than a given number
 * of them, so that no input makes them take more memory. */
#ifndef ANSWER_TABLE_H
#define ANSWER_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All 0 to begin with, but for size and most. */
struct table {
    size_t size;     /* bytes of an element, which begins with its key, a uint64_t, and is else 0 when it is new */
    size_t most;     /* elements */
    bool is_full;    /* there were more */
    size_t n;        /* elements */
    void **element;  /* n of them, in the order in which they were added */
    uint32_t *place; /* indices of elements + 1 by the hash of their keys; 0 = free */
    size_t places;
};

/* The element of a key, which is added if it is new. NULL: there are too many, or there is no memory. */
void *table_at(struct table *table, uint64_t key);

/* Put the elements in order; the table is then only for reading, and none is found by its key. */
void table_order(struct table *table, int (*order)(const void *a, const void *b));

/* Free all elements. */
void table_free(struct table *table);

#endif
