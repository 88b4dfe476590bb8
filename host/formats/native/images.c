/* images.c - the images of a dump, by their headers, and in the holes between them without: see images.h. */
#include "formats/native/images.h"

#include "formats/native/find.h"
#include "formats/native/lost.h"
#include "formats/native/open.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define IMAGES_FIRST 64u /* room for so many at first */

/* ---- images ------------------------------------------------------------------------------------------------------ */

static int add_image(struct native_images *images, struct native_view *view, const struct native_header *header)
{
    if (images->n == images->room) {
        size_t room = images->room ? images->room * 2u : IMAGES_FIRST;
        struct native_image *bigger = realloc(images->image, room * sizeof *bigger);
        if (bigger == NULL)
            return trace_fail(view->trace, "%s: no memory for %zu chunks", view->trace->input_name, room);
        images->image = bigger;
        images->room = room;
    }
    return native_image_open(view, header, &images->image[images->n++]);
}

/* The first broken header. It is held back until an image is found: if none is, it is the error, else it is damage. */
struct problem {
    bool waiting; /* not reported yet */
    uint64_t offset;
    char reason[sizeof((struct native_header *)NULL)->reason]; /* "" = no header was broken */
};

static void report(struct native_view *view, struct problem *problem)
{
    if (problem->waiting)
        trace_damage(view->trace, problem->offset, 0, 0, "%s", problem->reason);
    problem->waiting = false;
}

/* Hold a broken header back if it is the first one and nothing else is damaged; else report it. */
static void take_broken(struct native_view *view, struct problem *first, const struct native_header *header)
{
    bool another = first->reason[0] != '\0' || view->trace->counts.gaps > 0;
    report(view, first);
    if (another) {
        trace_damage(view->trace, header->offset, 0, 0, "%s", header->reason);
        return;
    }
    first->waiting = true;
    first->offset = header->offset;
    memcpy(first->reason, header->reason, sizeof first->reason);
}

/* The memory of a ring, as the image of its first chunk tells it. */
struct extent {
    uint64_t from, to; /* offsets in the input */
    uint64_t self;     /* address of what is at `from` */
    uint32_t boot;
    uint32_t size; /* of a chunk */
};

/* The extent of the ring whose first chunk the image shows as it is in memory; nothing, if it is another image. */
static struct extent extent_of(const struct native_image *image)
{
    uint64_t chunks = image->place >> 24;
    if (native_role(image) != TLOG_ROLE_EVENTS || native_number(image) != 0 || image->packed)
        return (struct extent){0, 0, 0, 0, 1};
    return (struct extent){image->offset, image->offset + chunks * image->size, image->self, image->boot, image->size};
}

/* Whether a header is left over from an earlier run, in a chunk of a ring that this run has not reached yet. There it
 * has the address that belongs to its place. What is damaged means nothing there, unless a chunk of the ring may begin
 * with it. */
static bool is_left_over(const struct extent *extent, enum native_found found, const struct native_header *header)
{
    const struct tlog_chunk *chunk = &header->chunk;
    uint64_t offset = header->offset - extent->from, self = extent->self + offset;
    if (header->offset < extent->from || header->offset >= extent->to || header->region_size > 0)
        return false;
    if (found == NATIVE_BROKEN && header->intact)
        return native_self_of_version_1(chunk) == (uint32_t)self;
    if (found == NATIVE_BROKEN)
        return offset % extent->size != 0;
    return chunk->boot != extent->boot && ((uint64_t)chunk->self_high << 32 | chunk->self) == self;
}

/* Find all images of the input. Nothing is searched inside an image. Returns 0, or -1 after trace_fail(). */
static int find_images(struct native_images *images, struct native_view *view, struct problem *problem)
{
    struct extent extent = {0, 0, 0, 0, 1}, other;
    struct native_header header;
    enum native_found found;
    uint64_t at = 0;
    for (;;) {
        found = native_find(view->in, at, input_size(view->in), &header);
        if (found != NATIVE_NOTHING && is_left_over(&extent, found, &header)) {
            at = header.offset + NATIVE_PATTERNS_BYTES;
            continue;
        }
        switch (found) {
        case NATIVE_NOTHING:
            return 0;
        case NATIVE_BROKEN:
            take_broken(view, problem, &header);
            at = header.offset + (header.intact ? offsetof(struct tlog_chunk, next) : NATIVE_PATTERNS_BYTES);
            break;
        case NATIVE_HEADER:
            report(view, problem);
            if (add_image(images, view, &header) != 0)
                return -1;
            at = header.offset + native_extent(&images->image[images->n - 1u]);
            other = extent_of(&images->image[images->n - 1u]);
            extent = other.to > other.from ? other : extent;
            break;
        }
    }
}

/* ---- images without a header ------------------------------------------------------------------------------------- */

/* For qsort(): in the order of the input. */
static int offset_order(const void *a, const void *b)
{
    uint64_t left = ((const struct native_image *)a)->offset, right = ((const struct native_image *)b)->offset;
    return (left > right) - (left < right);
}

/* Find images in the hole that is searched. */
static int fill_hole(struct native_images *images, struct native_view *view, struct native_lost *lost)
{
    struct native_header header;
    while (native_lost_find(lost, &header)) {
        if (add_image(images, view, &header) != 0)
            return -1;
        lost->known.images = images->image;
        lost->hole.ahead = &images->image[images->n - 1u];
        native_lost_pass(lost, header.offset + native_extent(&images->image[images->n - 1u]));
    }
    return 0;
}

/* Search all holes between the first n images, which are in order. */
static int fill_holes(struct native_images *images, struct native_view *view, struct native_lost *lost, size_t n)
{
    uint64_t from = 0;
    for (size_t i = 0; i <= n; i++) {
        uint64_t to = i < n ? images->image[i].offset : input_size(view->in);
        native_lost_enter(lost, from, to, i);
        if (to > from && fill_hole(images, view, lost) != 0)
            return -1;
        if (i < n)
            from = to + native_extent(&images->image[i]);
    }
    return 0;
}

/* Find images whose headers are lost, between those that were found. */
static int find_lost(struct native_images *images, struct native_view *view)
{
    struct native_lost lost;
    int result;
    if (images->n > 0)
        qsort(images->image, images->n, sizeof *images->image, offset_order);
    result = native_lost_begin(&lost, view, images->image, images->n);
    if (result == 0)
        result = fill_holes(images, view, &lost, images->n);
    native_lost_end(&lost);
    return result;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

int native_images_find(struct native_images *images, struct native_view *view)
{
    struct problem problem = {0};
    struct trace *trace = view->trace;
    if (find_images(images, view, &problem) != 0 || find_lost(images, view) != 0)
        return -1;
    if (images->n == 0 && problem.reason[0] == '\0')
        return trace_fail(trace, "%s: no tlog chunk found in %" PRIu64 " bytes", trace->input_name,
                          input_size(view->in));
    if (images->n == 0)
        return trace_fail(trace, "%s: offset 0x%" PRIx64 ": %s", trace->input_name, problem.offset, problem.reason);
    report(view, &problem);
    return 0;
}
