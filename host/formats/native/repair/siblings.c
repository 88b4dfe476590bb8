/* siblings.c - what the proved images of a dump tell about others: see siblings.h. */
#include "formats/native/repair/siblings.h"

#include "base/heap.h"
#include "base/sort.h"
#include "formats/native/chunks/image_parse.h"

#include <stdlib.h>

#define RING_MAX 256u /* chunks of a ring: so many images ahead of a header may be of its ring */

/* What siblings are sorted and searched by. */
struct native_sibling_place {
    uint64_t self, lap;
    uint32_t place, boot, used;
};

static int compare(uint64_t left, uint64_t right)
{
    return (left > right) - (left < right);
}

/* For qsort() and sort_first(): by chunk, run and address; the newest image of a chunk is the last one. */
static int place_order(const void *a, const void *b)
{
    const struct native_sibling_place *left = a, *right = b;
    int order = compare(left->place & NATIVE_CHUNK_BITS, right->place & NATIVE_CHUNK_BITS);
    if (order == 0)
        order = compare(left->boot, right->boot);
    if (order == 0)
        order = compare(left->self, right->self);
    if (order == 0)
        order = compare(left->lap, right->lap);
    return order ? order : compare(left->used, right->used);
}

static struct native_sibling_place place_of(const struct native_image *image)
{
    return (struct native_sibling_place){image->self, image->lap, image->place, image->boot, image->used};
}

/* The first entry that is not ahead of the key. */
static const struct native_sibling_place *first_at(const struct native_siblings *siblings,
                                                   const struct native_sibling_place *key)
{
    return siblings->places + sort_first(siblings->places, siblings->n, sizeof *siblings->places, key, place_order);
}

/* Learn from a sibling. */
static void note(struct native_siblings *siblings, const struct native_image *image)
{
    unsigned cpu = native_cpu(image), number = native_number(image);
    if (native_role(image) == TLOG_ROLE_EVENTS && number > siblings->last[cpu])
        siblings->last[cpu] = (uint8_t)number;
    siblings->cpus = cpu >= siblings->cpus ? cpu + 1u : siblings->cpus;
}

bool native_siblings_learn(struct native_siblings *siblings, const struct native_image *images, size_t n)
{
    *siblings =
        (struct native_siblings){.images = images, .n = n, .places = heap_alloc((n + 1u) * sizeof *siblings->places)};
    if (siblings->places == NULL)
        return false;
    for (size_t i = 0; i < n; i++) {
        siblings->places[i] = place_of(&images[i]);
        note(siblings, &images[i]);
    }
    if (n > 0)
        qsort(siblings->places, n, sizeof *siblings->places, place_order);
    return true;
}

void native_siblings_free(struct native_siblings *siblings)
{
    heap_free(siblings->places);
    siblings->places = NULL;
}

/* ---- by place in the input --------------------------------------------------------------------------------------- */

/* For sort_first(): an image that begins at the offset is ahead of what is behind it, too. */
static int offset_order(const void *image, const void *offset)
{
    return ((const struct native_image *)image)->offset <= *(const uint64_t *)offset ? -1 : 1;
}

size_t native_siblings_behind(const struct native_siblings *siblings, uint64_t offset)
{
    return sort_first(siblings->images, siblings->n, sizeof *siblings->images, &offset, offset_order);
}

bool native_siblings_cover(const struct native_siblings *siblings, uint64_t offset)
{
    size_t behind = native_siblings_behind(siblings, offset);
    const struct native_image *ahead = behind > 0 ? &siblings->images[behind - 1u] : NULL;
    return ahead != NULL && offset - ahead->offset < native_extent(ahead);
}

bool native_siblings_left_over(const struct native_siblings *siblings, struct native_view *view,
                               const struct native_header *header)
{
    size_t at = native_siblings_behind(siblings, header->offset);
    for (size_t n = 0; at > 0 && n < RING_MAX; n++) {
        if (native_image_has_left_over(view, &siblings->images[--at], header))
            return true;
    }
    return false;
}

/* ---- by chunk ---------------------------------------------------------------------------------------------------- */

/* Whether an entry is of that chunk and run. */
static bool is_of(const struct native_siblings *siblings, const struct native_sibling_place *entry, uint32_t place,
                  uint32_t boot)
{
    return entry < siblings->places + siblings->n && ((entry->place ^ place) & NATIVE_CHUNK_BITS) == 0
           && entry->boot == boot;
}

bool native_siblings_newer(const struct native_siblings *siblings, const struct native_image *image, bool same)
{
    struct native_sibling_place key = place_of(image);
    const struct native_sibling_place *found = first_at(siblings, &key);
    return is_of(siblings, found, image->place, image->boot) && found->self == image->self
           && (!same || (found->lap == image->lap && found->used == image->used));
}

bool native_siblings_have(const struct native_siblings *siblings, uint32_t place, uint32_t boot)
{
    struct native_sibling_place key = {.place = place, .boot = boot};
    return is_of(siblings, first_at(siblings, &key), place, boot);
}

bool native_siblings_repeat(const struct native_siblings *siblings, const struct native_image *image)
{
    struct native_sibling_place key = {.place = image->place, .boot = image->boot};
    return is_of(siblings, first_at(siblings, &key) + 1, image->place, image->boot);
}

bool native_siblings_address(const struct native_siblings *siblings, uint32_t place, uint32_t boot, uint64_t *self)
{
    struct native_sibling_place key = {.place = place, .boot = boot};
    const struct native_sibling_place *found = first_at(siblings, &key);
    if (!is_of(siblings, found, place, boot))
        return false;
    *self = found->self;
    return true;
}
