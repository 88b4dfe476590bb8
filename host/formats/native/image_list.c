/* image_list.c - the images of a dump: see image_list.h.
 *
 * First all headers are searched for, and images are made of them. Then the bytes between these images are searched for
 * images that have lost their header. Of all these, the images of one run are kept: times of different runs cannot be
 * compared.
 */
#include "formats/native/image_list.h"

#include "formats/native/header_search.h"
#include "formats/native/orphans.h"
#include "formats/native/image_parse.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define IMAGES_FIRST 64u /* room for so many at first */
#define RUNS_NOTED   8u  /* in messages about those left out */

/* ---- images ------------------------------------------------------------------------------------------------------ */

static int add_image(struct native_image_list *list, struct native_view *view, const struct native_header *header)
{
    if (list->n == list->room) {
        size_t room = list->room ? list->room * 2u : IMAGES_FIRST;
        struct native_image *bigger = realloc(list->image, room * sizeof *bigger);
        if (bigger == NULL)
            return trace_fail(view->trace, "%s: no memory for %zu chunks", view->trace->input_name, room);
        list->image = bigger;
        list->room = room;
    }
    return native_image_parse(view, header, &list->image[list->n++]);
}

/* The first broken header. It is held back until an image is found: if none is found it is the error, else it is
 * damage. */
struct problem {
    bool waiting; /* not reported yet */
    uint64_t offset;
    char reason[sizeof((struct native_header *)NULL)->reason]; /* "": no header was broken */
};

static void report(struct native_view *view, struct problem *problem)
{
    if (problem->waiting)
        trace_damage(view->trace, problem->offset, 0, 0, "%s", problem->reason);
    problem->waiting = false;
}

/* Hold a broken header back if it is the first one and nothing else is damaged yet; else report it. */
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

/* Where a ring's chunks stand, one behind the other, as the image of its first chunk tells it. */
struct extent {
    uint64_t from, to; /* offsets in the input */
    uint64_t self;     /* address of what is at `from` */
    uint32_t boot;
    uint32_t size; /* of a chunk */
};

/* The extent of the ring whose first chunk the image shows. It is empty if the image shows another chunk, or is a
 * region: a region does not have the size that the chunk has in memory. */
static struct extent extent_of(const struct native_image *image)
{
    uint64_t chunks = image->place >> 24;
    if (native_role(image) != TLOG_ROLE_EVENTS || native_number(image) != 0 || image->packed)
        return (struct extent){0, 0, 0, 0, 1};
    return (struct extent){image->offset, image->offset + chunks * image->size, image->self, image->boot, image->size};
}

/* Whether a header is left over from an earlier run, in memory of a ring that this run has not reached yet: then it has
 * the address that belongs to its place. A damaged header inside the ring means nothing either, unless it stands where
 * a chunk begins. */
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

/* Find all images that have a header. Images are not searched inside. Returns 0, or -1 after trace_fail(). */
static int find_images(struct native_image_list *list, struct native_view *view, struct problem *problem)
{
    struct extent extent = {0, 0, 0, 0, 1}, other;
    struct native_header header;
    enum native_found found;
    uint64_t at = 0;
    for (;;) {
        found = native_header_search(view->in, at, input_size(view->in), &header);
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
            if (add_image(list, view, &header) != 0)
                return -1;
            at = header.offset + native_extent(&list->image[list->n - 1u]);
            other = extent_of(&list->image[list->n - 1u]);
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

/* Find orphans in the stray bytes that are searched. */
static int add_orphans(struct native_image_list *list, struct native_view *view, struct native_orphans *orphans)
{
    struct native_header header;
    while (native_orphans_next(orphans, &header)) {
        if (add_image(list, view, &header) != 0)
            return -1;
        native_orphans_pass(orphans, list->image, list->n);
    }
    return 0;
}

/* Search all bytes between the first n images, which are in order. */
static int search_between(struct native_image_list *list, struct native_view *view, struct native_orphans *orphans,
                          size_t n)
{
    uint64_t from = 0;
    for (size_t i = 0; i <= n; i++) {
        uint64_t to = i < n ? list->image[i].offset : input_size(view->in);
        native_orphans_enter(orphans, from, to, i);
        if (to > from && add_orphans(list, view, orphans) != 0)
            return -1;
        if (i < n)
            from = to + native_extent(&list->image[i]);
    }
    return 0;
}

/* Find images whose headers are lost, between those that were found. */
static int find_orphans(struct native_image_list *list, struct native_view *view)
{
    struct native_orphans orphans;
    int result;
    if (list->n > 0)
        qsort(list->image, list->n, sizeof *list->image, offset_order);
    result = native_orphans_begin(&orphans, view, list->image, list->n);
    if (result == 0)
        result = search_between(list, view, &orphans, list->n);
    native_orphans_end(&orphans);
    return result;
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

/* For qsort(): runs with higher numbers first. */
static int boot_order(const void *a, const void *b)
{
    uint32_t left = ((const struct native_image *)a)->boot, right = ((const struct native_image *)b)->boot;
    return (left < right) - (left > right);
}

/* How many of n images, which are in the order of runs, are of the run of number `first`. */
static size_t count_images(const struct native_image *images, size_t n, size_t first)
{
    size_t count = 1;
    while (first + count < n && images[first + count].boot == images[first].boot)
        count++;
    return count;
}

/* The first image of the newest run. Numbers of runs wrap: the newest is the one with the widest gap above its
 * number. */
static size_t find_newest(const struct native_image *images, size_t n)
{
    uint32_t above = images[n - 1u].boot, widest = 0;
    size_t newest = 0;
    for (size_t at = 0; at < n; at += count_images(images, n, at)) {
        uint32_t gap = above - images[at].boot - 1u; /* of a single run: as wide as can be */
        if (gap > widest) {
            widest = gap;
            newest = at;
        }
        above = images[at].boot;
    }
    return newest;
}

static void reverse(struct native_image *images, size_t n)
{
    for (size_t i = 0; i < n / 2u; i++) {
        struct native_image swap = images[i];
        images[i] = images[n - 1u - i];
        images[n - 1u - i] = swap;
    }
}

/* Order the images by run: those of the newest run first, then those of the run before it, and so on. */
static void order_by_run(struct native_image *images, size_t n)
{
    size_t newest;
    qsort(images, n, sizeof *images, boot_order);
    newest = find_newest(images, n);
    reverse(images, newest);
    reverse(images + newest, n - newest);
    reverse(images, n);
}

/* Find the first image of the run that trace->run asks for: above 0 it is a run's number, 0 the newest run, -1 the one
 * before it, and so on. Returns 0, or -1 after trace_fail(). */
static int choose_run(const struct native_image *images, size_t n, struct trace *trace, size_t *chosen)
{
    int64_t wanted = trace->run;
    size_t at = 0;
    for (; at < n; at += count_images(images, n, at)) {
        if (wanted > 0 ? images[at].boot == wanted : wanted++ == 0)
            break;
    }
    *chosen = at;
    if (at < n)
        return 0;
    return trace_fail(trace, "%s: there is no such run; the newest is run %" PRIu32, trace->input_name, images[0].boot);
}

/* Note which runs are left out, but not more than RUNS_NOTED of them. */
static void note_others(const struct native_image *images, size_t n, size_t chosen, const struct trace *trace)
{
    unsigned noted = 0;
    size_t count;
    for (size_t at = 0; at < n && noted <= RUNS_NOTED; at += count) {
        count = count_images(images, n, at);
        if (at == chosen)
            continue;
        if (noted++ == RUNS_NOTED)
            trace_note(trace, "and further runs");
        else
            trace_note(trace, "run %" PRIu32 " of the firmware is left out (%zu chunk%s); decoding run %" PRIu32,
                       images[at].boot, count, count == 1 ? "" : "s", images[chosen].boot);
    }
}

/* Keep the images of the run that trace->run asks for, of at least one image, and tell which other runs there are. The
 * order of the images changes. Returns 0, or -1 after trace_fail() if there is no such run. */
static int keep_one_run(struct native_image_list *list, struct trace *trace)
{
    struct native_image *images = list->image;
    size_t n = list->n, chosen, runs = 0;
    order_by_run(images, n);
    for (size_t at = 0; at < n; at += count_images(images, n, at))
        runs++;
    trace_set_detail(trace, "runs", runs);
    if (choose_run(images, n, trace, &chosen) != 0)
        return -1;
    note_others(images, n, chosen, trace);
    trace_set_detail(trace, "run", images[chosen].boot);
    list->n = count_images(images, n, chosen);
    trace_set_detail(trace, "chunks", list->n);
    memmove(images, images + chosen, list->n * sizeof *images);
    return 0;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

int native_image_list_find(struct native_image_list *list, struct native_view *view)
{
    struct problem problem = {0};
    struct trace *trace = view->trace;
    if (find_images(list, view, &problem) != 0 || find_orphans(list, view) != 0)
        return -1;
    if (list->n == 0 && problem.reason[0] == '\0')
        return trace_fail(trace, "%s: no tlog chunk found in %" PRIu64 " bytes", trace->input_name,
                          input_size(view->in));
    if (list->n == 0)
        return trace_fail(trace, "%s: offset 0x%" PRIx64 ": %s", trace->input_name, problem.offset, problem.reason);
    report(view, &problem);
    return keep_one_run(list, trace);
}
