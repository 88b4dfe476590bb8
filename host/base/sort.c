/* sort.c - see sort.h. */
#include "base/sort.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The array as a heap: an element is not below those at 2 i + 1 and 2 i + 2. */
struct heap {
    unsigned char *array;
    size_t n, size;
    int (*order)(const void *a, const void *b);
};

static unsigned char *at(const struct heap *heap, size_t i)
{
    return heap->array + i * heap->size;
}

static void swap(unsigned char *a, unsigned char *b, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        unsigned char byte = a[i];
        a[i] = b[i];
        b[i] = byte;
    }
}

/* Let an element sink to its place. */
static void sink(const struct heap *heap, size_t i)
{
    while (2u * i + 1u < heap->n) {
        size_t child = 2u * i + 1u;
        if (child + 1u < heap->n && heap->order(at(heap, child), at(heap, child + 1u)) < 0)
            child++;
        if (heap->order(at(heap, i), at(heap, child)) >= 0)
            return;
        swap(at(heap, i), at(heap, child), heap->size);
        i = child;
    }
}

static void sort_in_place(struct heap *heap)
{
    for (size_t i = heap->n / 2u; i > 0; i--)
        sink(heap, i - 1u);
    while (heap->n > 1) {
        swap(heap->array, at(heap, --heap->n), heap->size);
        sink(heap, 0);
    }
}

static bool is_sorted(const struct heap *heap)
{
    for (size_t i = 1; i < heap->n; i++) {
        if (heap->order(at(heap, i - 1u), at(heap, i)) > 0)
            return false;
    }
    return true;
}

void sort(void *array, size_t n, size_t size, int (*order)(const void *a, const void *b))
{
    struct heap heap = {array, n, size, order};
    if (n < 2 || is_sorted(&heap))
        return;
    if (n <= SORT_MEMORY / size)
        qsort(array, n, size, order);
    else
        sort_in_place(&heap);
}

size_t sort_first(const void *array, size_t n, size_t size, const void *key,
                  int (*order)(const void *element, const void *key))
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2u;
        if (order((const unsigned char *)array + middle * size, key) < 0)
            low = middle + 1u;
        else
            high = middle;
    }
    return low;
}
