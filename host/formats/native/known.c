/* known.c - what the images that have a header tell of those whose header is lost: see known.h. */
#include "formats/native/known.h"

#include "base/sort.h"

#include <stdlib.h>

/* The bits of the word `place` that tell which chunk it is. */
#define CHUNK_BITS 0x3FFFFFu

struct native_known_place {
    uint64_t self;
    uint32_t place, boot;
};

/* For qsort() and bsearch(): by chunk, then by all else. */
static int place_order(const void *a, const void *b)
{
    const struct native_known_place *left = a, *right = b;
    uint32_t first = left->place & CHUNK_BITS, second = right->place & CHUNK_BITS;
    if (first != second)
        return first < second ? -1 : 1;
    if (left->place != right->place)
        return left->place < right->place ? -1 : 1;
    if (left->boot != right->boot)
        return left->boot < right->boot ? -1 : 1;
    return (left->self > right->self) - (left->self < right->self);
}

/* The first place that is not ahead of the key. */
static const struct native_known_place *first_at(const struct native_known *known, const struct native_known_place *key)
{
    return known->places + sort_first(known->places, known->n, sizeof *known->places, key, place_order);
}

static void note(struct native_known *known, const struct native_image *image)
{
    unsigned cpu = native_cpu(image), number = native_number(image);
    if (native_role(image) == TLOG_ROLE_EVENTS && number > known->last[cpu])
        known->last[cpu] = (uint8_t)number;
    known->cpus = cpu >= known->cpus ? cpu + 1u : known->cpus;
    known->has_arena = known->has_arena || native_role(image) == TLOG_ROLE_FREE;
}

bool native_known_learn(struct native_known *known, const struct native_image *images, size_t n)
{
    *known = (struct native_known){.images = images, .n = n, .places = malloc((n + 1u) * sizeof *known->places)};
    if (known->places == NULL)
        return false;
    for (size_t i = 0; i < n; i++) {
        known->places[i] = (struct native_known_place){images[i].self, images[i].place, images[i].boot};
        note(known, &images[i]);
    }
    if (n > 0)
        qsort(known->places, n, sizeof *known->places, place_order);
    return true;
}

void native_known_free(struct native_known *known)
{
    free(known->places);
    known->places = NULL;
}

bool native_known_again(const struct native_known *known, const struct native_image *image)
{
    struct native_known_place key = {0, image->place, image->boot};
    const struct native_known_place *found = first_at(known, &key);
    return found + 1 < known->places + known->n && found[1].place == image->place && found[1].boot == image->boot;
}

bool native_known_self(const struct native_known *known, uint32_t place, uint64_t *self)
{
    struct native_known_place key = {0, place & CHUNK_BITS, 0};
    const struct native_known_place *found = first_at(known, &key);
    if (found == known->places + known->n || ((found->place ^ place) & CHUNK_BITS) != 0)
        return false;
    *self = found->self;
    return true;
}
