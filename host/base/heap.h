/* heap.h - memory from the C library, which is counted where somebody has a bound for it.
 *
 * All of host/ takes memory here. A thread may have an account: what it takes then is counted there until it is freed,
 * by whichever thread, and an account that is full refuses more, as if there were no memory. Without an account these
 * are malloc(), calloc(), realloc() and free(). */
#ifndef BASE_HEAP_H
#define BASE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct heap_account {
    uint64_t most; /* bytes; 0: there is no bound */
    uint64_t used; /* bytes, with what the counting takes */
    uint64_t peak; /* the most that was used so far */
    bool refused;  /* more was asked for than there is */
};

/* The calling thread takes memory on this account from now on; NULL: on none. Returns the account so far. An account
 * must live as long as the memory that was taken on it, and one thread uses it at a time. */
struct heap_account *heap_use(struct heap_account *account);

/* Bytes that the calling thread may still take. */
uint64_t heap_left(void);

void *heap_alloc(size_t size);
void *heap_calloc(size_t n, size_t size);
void *heap_realloc(void *memory, size_t size);
void heap_free(void *memory);

/* Make room for one more in a list of n elements of size bytes, which has room for *room of them: it grows to twice as
 * many, 16 at first. Returns the list, which may have moved. NULL: no memory; the list stays as it was. */
void *heap_grow(void *list, size_t n, size_t *room, size_t size);

#endif
