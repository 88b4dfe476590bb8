/* table.h - a hash table of elements that have a number as their key: tasks, interrupts, mutexes. It never has more
 * than a given number of them, so that its memory is bounded for any input. */
#ifndef ANSWER_TABLE_H
#define ANSWER_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All 0 at the beginning, but for size and most. */
struct table {
    size_t size;     /* bytes of an element; it begins with its key, a uint64_t; all else is 0 when it is new */
    size_t most;     /* elements that are allowed */
    bool is_full;    /* there would have been more */
    size_t n;        /* elements */
    void **element;  /* n of them, in the order in which they were added */
    uint32_t *place; /* by the hash of a key: 1 + the index of its element; 0 = free */
    size_t places;   /* a power of two */
};

/* The element of a key, which is added if it is new. NULL: there are too many, or there is no memory. */
void *table_at(struct table *table, uint64_t key);

/* The element of a key, or NULL. */
void *table_find(const struct table *table, uint64_t key);

/* Put the elements in order. After that none is found by its key: the table is only for reading by index. */
void table_sort(struct table *table, int (*order)(const void *a, const void *b));

/* Free all elements. */
void table_free(struct table *table);

#endif
