/* image_list.c - the images of a dump: see image_list.h.
 *
 * First all headers are searched for, and images are made of them. Then the bytes between these images are searched for
 * images that have lost their header. Of all these, the images of one run are kept: times of different runs cannot be
 * compared.
 */
#include "formats/native/image_list.h"

#include "formats/native/header_search.h"
#include "formats/native/image_end.h"
#include "formats/native/image_parse.h"
#include "formats/native/repair.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define IMAGES_FIRST 64u /* room for so many at first */
#define RUNS_NOTED   8u  /* in messages about those left out */

/* ---- images ------------------------------------------------------------------------------------------------------ */

struct native_image *native_image_list_add(struct native_image_list *list, struct trace *trace)
{
    if (list->n == list->room) {
        size_t room = list->room ? list->room * 2u : IMAGES_FIRST;
        struct native_image *bigger = realloc(list->image, room * sizeof *bigger);
        if (bigger == NULL) {
            trace_fail(trace, "%s: no memory for %zu chunks", trace->input_name, room);
            return NULL;
        }
        list->image = bigger;
        list->room = room;
    }
    return &list->image[list->n++];
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

/* What the search has come to. */
struct find {
    struct native_view *view;
    struct native_image_list *list;
    struct native_unread unread;
    struct native_image first; /* of a ring: the last one that was met */
    struct native_image open;  /* the last image whose end nothing shows; size 0: none */
    struct native_header open_header;
    uint64_t problem;                 /* offset of the first thing that looks like a header */
    char reason[NATIVE_REASON_BYTES]; /* what is wrong with it; "": there is none */
    bool foreign;                     /* its check is right: so it is damage, if there are images */
    struct native_search search;
};

/* Whether a header is left over from an earlier run, in memory of a ring that this run has not reached yet: then it has
 * the address that belongs to its place. */
static bool is_left_over(const struct native_image *first, const struct native_header *header)
{
    uint64_t chunks = first->place >> 24, offset = header->offset - first->offset;
    return header->region_size == 0 && offset < chunks * first->size && header->chunk.boot != first->boot
           && ((uint64_t)header->chunk.self_high << 32 | header->chunk.self) == first->self + offset;
}

/* Keep what is wrong with the first thing that looks like a header: it is the error if there is no image. */
static void note_problem(struct find *find, const struct native_header *header, bool foreign)
{
    if (find->reason[0] != '\0')
        return;
    find->problem = header->offset;
    find->foreign = foreign;
    memcpy(find->reason, find->search.reason, sizeof find->reason);
}

/* Report a chunk of a format that this decoder does not know. The first one is reported when there is an image. */
static void take_foreign(struct find *find, const struct native_header *header)
{
    if (find->reason[0] != '\0')
        trace_damage(find->view->trace, header->offset, 0, 0, "%s", find->search.reason);
    note_problem(find, header, true);
    native_search_pass(&find->search, header->offset + offsetof(struct tlog_chunk, next));
}

/* Make an image of a header. Returns 0, or -1 after trace_fail(). */
static int take_header(struct find *find, const struct native_header *header)
{
    struct native_image image;
    int result;
    if (is_left_over(&find->first, header)
        || (find->open.size > 0 && native_image_end_is_stale(&find->open, &find->open_header, header)))
        return 0;
    result = native_image_parse(find->view, header, &image);
    if (result < 0)
        return -1;
    if (native_role(&image) == TLOG_ROLE_EVENTS && native_number(&image) == 0 && !image.packed)
        find->first = image;
    if (result > 0) {
        struct native_image *added = native_image_list_add(find->list, find->view->trace);
        if (added == NULL)
            return -1;
        *added = image;
        native_search_pass(&find->search, header->offset + native_extent(&image));
        return 0;
    }
    find->open = image;
    find->open_header = *header;
    native_search_pass(&find->search, header->offset + offsetof(struct tlog_chunk, next));
    return native_unread_header(&find->unread, find->view->trace, header);
}

/* Find all images that can be read as they stand, and note what looks like more. Images are not searched inside.
 * Returns 0, or -1 after trace_fail(). */
static int find_images(struct find *find)
{
    struct native_header header;
    int result = 0;
    native_search_begin(&find->search, find->view->in, 0, input_size(find->view->in));
    while (result == 0) {
        enum native_found found = native_search_next(&find->search, &header);
        if (found == NATIVE_NOTHING)
            return 0;
        if (found == NATIVE_HEADER)
            result = take_header(find, &header);
        else if (found == NATIVE_FOREIGN)
            take_foreign(find, &header);
        else
            result = native_unread_place(&find->unread, find->view->trace, header.offset, found);
        if (found == NATIVE_UNPROVED)
            note_problem(find, &header, false);
    }
    return -1;
}

/* Repair what is damaged, and tell what only looks like a chunk. */
static int find_all(struct find *find)
{
    struct trace *trace = find->view->trace;
    if (find_images(find) != 0)
        return -1;
    if ((find->unread.nopens > 0 || find->unread.nplaces > 0)
        && native_repair(find->view, &find->unread, find->list) != 0)
        return -1;
    if (find->list->n == 0 && find->reason[0] == '\0')
        return trace_fail(trace, "%s: no tlog chunk found in %" PRIu64 " bytes", trace->input_name,
                          input_size(find->view->in));
    if (find->list->n == 0)
        return trace_fail(trace, "%s: offset 0x%" PRIx64 ": %s", trace->input_name, find->problem, find->reason);
    if (find->foreign)
        trace_damage(trace, find->problem, 0, 0, "%s", find->reason);
    return 0;
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

/* Report CPUs of which there are facts, but of no run a ring: the input may have been cut. */
static void check_rings(const struct native_image_list *list, struct native_view *view)
{
    bool has_facts[NATIVE_CPUS] = {false}, has_ring[NATIVE_CPUS] = {false};
    for (size_t i = 0; i < list->n; i++) {
        const struct native_image *image = &list->image[i];
        if (native_role(image) != TLOG_ROLE_NAMES)
            has_ring[native_cpu(image)] = true;
        else
            has_facts[native_cpu(image)] = has_facts[native_cpu(image)] || image->used > 0;
    }
    for (unsigned cpu = 0; cpu < NATIVE_CPUS; cpu++) {
        if (has_facts[cpu] && !has_ring[cpu])
            trace_damage(view->trace, input_size(view->in), 0, 0,
                         "the chunks of CPU %u are missing: there are only its names", cpu);
    }
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

int native_image_list_find(struct native_image_list *list, struct native_view *view)
{
    struct find *find = calloc(1, sizeof *find);
    int result;
    if (find == NULL)
        return trace_fail(view->trace, "%s: no memory", view->trace->input_name);
    find->view = view;
    find->list = list;
    result = find_all(find);
    native_unread_free(&find->unread);
    free(find);
    if (result != 0)
        return -1;
    check_rings(list, view);
    return keep_one_run(list, view->trace);
}
