/* runs.c - see runs.h. */
#include "base/runs.h"

#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM_FIRST = 16 }; /* elements that a new array has room for */

static unsigned char *at(const struct runs *runs, size_t i)
{
    return runs->element + i * runs->size;
}

static bool make_room(struct runs *runs)
{
    size_t room = runs->room > 0 ? runs->room * 2u : ROOM_FIRST;
    unsigned char *more;
    if (runs->n < runs->room)
        return true;
    more = realloc(runs->element, room * runs->size);
    if (more == NULL)
        return false;
    runs->element = more;
    runs->room = room;
    return true;
}

/* Make one run of two that have `half` elements each and end with the array. The elements of the first one go to a
 * place of their own; then the array is filled from the front, and never overtakes the second one. */
static bool merge(struct runs *runs, size_t half)
{
    unsigned char *to = at(runs, runs->n - 2u * half);
    const unsigned char *right = to + half * runs->size, *end = at(runs, runs->n);
    unsigned char *copy = malloc(half * runs->size), *left = copy, *left_end;
    if (copy == NULL)
        return false;
    left_end = copy + half * runs->size;
    memcpy(copy, to, half * runs->size);
    for (; left < left_end; to += runs->size) {
        bool first = right == end || runs->order(left, right) < 0;
        memmove(to, first ? left : right, runs->size);
        left += first ? runs->size : 0;
        right += first ? 0 : runs->size;
    }
    free(copy);
    return true;
}

/* Without memory for merging, all of the array is put in order in place: the same, but slower. */
bool runs_add(struct runs *runs, const void *element)
{
    size_t behind;
    if (!make_room(runs))
        return false;
    memcpy(at(runs, runs->n), element, runs->size);
    if (runs->ahead == runs->n && (runs->n == 0 || runs->order(at(runs, runs->n - 1u), element) < 0)) {
        runs->ahead = ++runs->n;
        return true;
    }
    behind = runs->n++ - runs->ahead;
    for (size_t half = 1; (behind & half) != 0; half *= 2u) {
        if (!merge(runs, half)) {
            runs_sort(runs);
            break;
        }
    }
    return true;
}

static const void *find_in(const struct runs *runs, const void *key, size_t from, size_t n)
{
    return bsearch(key, at(runs, from), n, runs->size, runs->order);
}

const void *runs_find(const struct runs *runs, const void *key)
{
    size_t from = runs->ahead, behind = runs->n - runs->ahead;
    const void *found = NULL;
    if (runs->n == 0)
        return NULL;
    if (runs->order(key, at(runs, runs->ahead - 1u)) <= 0)
        found = find_in(runs, key, 0, runs->ahead);
    for (size_t run = (size_t)1 << (sizeof run * 8u - 1u); found == NULL && run > 0; run /= 2u) {
        if ((behind & run) == 0)
            continue;
        found = find_in(runs, key, from, run);
        from += run;
    }
    return found;
}

void runs_sort(struct runs *runs)
{
    if (runs->ahead < runs->n)
        sort(runs->element, runs->n, runs->size, runs->order);
    runs->ahead = runs->n;
}

void runs_free(struct runs *runs)
{
    free(runs->element);
    runs->element = NULL;
    runs->n = runs->room = runs->ahead = 0;
}
