/* stray.c - what the images whose header was found tell of those that have lost it: see stray.h. */
#include "formats/native/stray.h"

#include "base/sort.h"

#include <stdlib.h>

/* The bits of the word `place` that tell which chunk it is. */
#define CHUNK_BITS 0x3FFFFFu

/* A sibling, as far as it is searched for. */
struct native_sibling_place {
    uint64_t self;
    uint32_t place, boot;
};

/* For qsort() and sort_first(): by chunk, then by all else. */
static int place_order(const void *a, const void *b)
{
    const struct native_sibling_place *left = a, *right = b;
    uint32_t first = left->place & CHUNK_BITS, second = right->place & CHUNK_BITS;
    if (first != second)
        return first < second ? -1 : 1;
    if (left->place != right->place)
        return left->place < right->place ? -1 : 1;
    if (left->boot != right->boot)
        return left->boot < right->boot ? -1 : 1;
    return (left->self > right->self) - (left->self < right->self);
}

/* The first entry that is not ahead of the key. */
static const struct native_sibling_place *first_at(const struct native_siblings *siblings,
                                                   const struct native_sibling_place *key)
{
    return siblings->places + sort_first(siblings->places, siblings->n, sizeof *siblings->places, key, place_order);
}

static void note(struct native_siblings *siblings, const struct native_image *image)
{
    unsigned cpu = native_cpu(image), number = native_number(image);
    if (native_role(image) == TLOG_ROLE_EVENTS && number > siblings->last[cpu])
        siblings->last[cpu] = (uint8_t)number;
    siblings->cpus = cpu >= siblings->cpus ? cpu + 1u : siblings->cpus;
    siblings->has_arena = siblings->has_arena || native_role(image) == TLOG_ROLE_FREE;
}

bool native_siblings_learn(struct native_siblings *siblings, const struct native_image *images, size_t n)
{
    *siblings =
        (struct native_siblings){.images = images, .n = n, .places = malloc((n + 1u) * sizeof *siblings->places)};
    if (siblings->places == NULL)
        return false;
    for (size_t i = 0; i < n; i++) {
        siblings->places[i] = (struct native_sibling_place){images[i].self, images[i].place, images[i].boot};
        note(siblings, &images[i]);
    }
    if (n > 0)
        qsort(siblings->places, n, sizeof *siblings->places, place_order);
    return true;
}

void native_siblings_free(struct native_siblings *siblings)
{
    free(siblings->places);
    siblings->places = NULL;
}

bool native_siblings_repeat(const struct native_siblings *siblings, const struct native_image *image)
{
    struct native_sibling_place key = {0, image->place, image->boot};
    const struct native_sibling_place *found = first_at(siblings, &key);
    return found + 1 < siblings->places + siblings->n && found[1].place == image->place && found[1].boot == image->boot;
}

bool native_siblings_address(const struct native_siblings *siblings, uint32_t place, uint64_t *self)
{
    struct native_sibling_place key = {0, place & CHUNK_BITS, 0};
    const struct native_sibling_place *found = first_at(siblings, &key);
    if (found == siblings->places + siblings->n || ((found->place ^ place) & CHUNK_BITS) != 0)
        return false;
    *self = found->self;
    return true;
}
