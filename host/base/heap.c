/* heap.c - see heap.h. Ahead of each block stands on which account it is. */
#include "base/heap.h"

#include <stdlib.h>
#include <string.h>

enum { GROW_FIRST = 16 }; /* elements that a new list has room for */

/* As large as malloc()'s alignment, which what follows keeps. */
struct block {
    _Alignas(max_align_t) struct heap_account *account; /* or NULL */
    size_t size;                                        /* bytes behind this, and with it */
};

static _Thread_local struct heap_account *current;

struct heap_account *heap_use(struct heap_account *account)
{
    struct heap_account *before = current;
    current = account;
    return before;
}

uint64_t heap_left(void)
{
    return current == NULL || current->most == 0 ? UINT64_MAX : current->most - current->used;
}

/* Put `size` bytes more on an account. False: it has no room for them. */
static bool charge(struct heap_account *account, size_t size)
{
    if (account == NULL)
        return true;
    if (account->most != 0 && size > account->most - account->used) {
        account->refused = true;
        return false;
    }
    account->used += size;
    account->peak = account->used > account->peak ? account->used : account->peak;
    return true;
}

static void discharge(struct heap_account *account, size_t size)
{
    if (account != NULL)
        account->used -= size;
}

/* The memory of a block that is charged, or NULL: then it was not to be had. */
static void *finish(struct block *block, struct heap_account *account, size_t size)
{
    if (block == NULL) {
        discharge(account, size);
        return NULL;
    }
    *block = (struct block){account, size};
    return block + 1;
}

static void *take(size_t size, bool zeroed)
{
    struct heap_account *account = current;
    if (size > SIZE_MAX - sizeof(struct block) || !charge(account, size + sizeof(struct block)))
        return NULL;
    size += sizeof(struct block);
    return finish(zeroed ? calloc(1, size) : malloc(size), account, size);
}

void *heap_alloc(size_t size)
{
    return take(size, false);
}

void *heap_calloc(size_t n, size_t size)
{
    return size != 0 && n > SIZE_MAX / size ? NULL : take(n * size, true);
}

/* The account has room for both blocks: realloc() may need them at a time. */
void *heap_realloc(void *memory, size_t size)
{
    struct block *block = memory != NULL ? (struct block *)memory - 1 : NULL, *larger;
    size_t before;
    if (block == NULL)
        return heap_alloc(size);
    before = block->size;
    if (size > SIZE_MAX - sizeof *block || !charge(block->account, size + sizeof *block))
        return NULL;
    size += sizeof *block;
    larger = realloc(block, size);
    if (larger == NULL) {
        discharge(block->account, size);
        return NULL;
    }
    larger->size = size;
    discharge(larger->account, before);
    return larger + 1;
}

void heap_free(void *memory)
{
    if (memory != NULL) {
        struct block *block = (struct block *)memory - 1;
        discharge(block->account, block->size);
        free(block);
    }
}

void *heap_grow(void *list, size_t n, size_t *room, size_t size)
{
    size_t more = *room > 0 ? 2u * *room : GROW_FIRST;
    void *larger;
    if (n < *room)
        return list;
    larger = more <= SIZE_MAX / size ? heap_realloc(list, more * size) : NULL;
    if (larger != NULL)
        *room = more;
    return larger;
}
