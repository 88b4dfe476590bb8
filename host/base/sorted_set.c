/* sorted_set.c - see sorted_set.h. */
#include "base/sorted_set.h"

#include "base/heap.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

static unsigned char *at(const struct sorted_set *set, size_t i)
{
    return set->element + i * set->size;
}

static bool make_room(struct sorted_set *set)
{
    unsigned char *more = heap_grow(set->element, set->n, &set->room, set->size);
    if (more != NULL)
        set->element = more;
    return more != NULL;
}

/* Make one run of two that have `half` elements each and end with the array. The elements of the first one go to a
 * place of their own; then the array is filled from the front, and never overtakes the second one. */
static bool merge(struct sorted_set *set, size_t half)
{
    unsigned char *to = at(set, set->n - 2u * half);
    const unsigned char *right = to + half * set->size, *end = at(set, set->n);
    unsigned char *copy = heap_alloc(half * set->size), *left = copy, *left_end;
    if (copy == NULL)
        return false;
    left_end = copy + half * set->size;
    memcpy(copy, to, half * set->size);
    for (; left < left_end; to += set->size) {
        bool first = right == end || set->order(left, right) < 0;
        memmove(to, first ? left : right, set->size);
        left += first ? set->size : 0;
        right += first ? 0 : set->size;
    }
    heap_free(copy);
    return true;
}

/* Without memory for merging, all of the array is put in order in place: the same, but slower. */
bool sorted_set_add(struct sorted_set *set, const void *element)
{
    size_t behind;
    if (!make_room(set))
        return false;
    memcpy(at(set, set->n), element, set->size);
    if (set->ahead == set->n && (set->n == 0 || set->order(at(set, set->n - 1u), element) < 0)) {
        set->ahead = ++set->n;
        return true;
    }
    behind = set->n++ - set->ahead;
    for (size_t half = 1; (behind & half) != 0; half *= 2u) {
        if (!merge(set, half)) {
            sorted_set_sort(set);
            break;
        }
    }
    return true;
}

static const void *find_in(const struct sorted_set *set, const void *key, size_t from, size_t n)
{
    return bsearch(key, at(set, from), n, set->size, set->order);
}

const void *sorted_set_find(const struct sorted_set *set, const void *key)
{
    size_t from = set->ahead, behind = set->n - set->ahead;
    const void *found = NULL;
    if (set->n == 0)
        return NULL;
    if (set->order(key, at(set, set->ahead - 1u)) <= 0)
        found = find_in(set, key, 0, set->ahead);
    for (size_t run = (size_t)1 << (sizeof run * 8u - 1u); found == NULL && run > 0; run /= 2u) {
        if ((behind & run) == 0)
            continue;
        found = find_in(set, key, from, run);
        from += run;
    }
    return found;
}

void sorted_set_sort(struct sorted_set *set)
{
    if (set->ahead < set->n)
        sort(set->element, set->n, set->size, set->order);
    set->ahead = set->n;
}

void sorted_set_free(struct sorted_set *set)
{
    heap_free(set->element);
    set->element = NULL;
    set->n = set->room = set->ahead = 0;
}
