/* repair.c - what could not be read as it stands: see repair.h.
 *
 *   headers   those that are damaged are proved or not, by header_repair.c
 *   ends      where images end whose end nothing shows, image_end.c finds out; a piece of an image adds nothing if the
 *             dump has a whole one of the same chunk that is as new
 *   seals     of images without a header: orphans.c
 *
 * The order is that: which header is right tells where images end, and both where no image is.
 */
#include "formats/native/repair.h"

#include "formats/native/header_repair.h"
#include "formats/native/image_end.h"
#include "formats/native/image_parse.h"
#include "formats/native/orphans.h"

#include <stdlib.h>
#include <string.h>

#define FIRST      64u        /* room for so many at first */
#define PLACES_MAX (1u << 16) /* places that are looked at: hostile dumps have more */

/* ---- what could not be read -------------------------------------------------------------------------------------- */

/* Make room for one more of n elements. NULL after trace_fail(): then `memory` is as it was. */
static void *grow(struct trace *trace, void *memory, size_t n, size_t *room, size_t size)
{
    size_t more = *room ? *room * 2u : FIRST;
    void *bigger;
    if (n < *room)
        return memory;
    bigger = realloc(memory, more * size);
    if (bigger == NULL) {
        trace_fail(trace, "%s: no memory for %zu chunks", trace->input_name, more);
        return NULL;
    }
    *room = more;
    return bigger;
}

int native_unread_header(struct native_unread *unread, struct trace *trace, const struct native_header *header)
{
    struct native_open *opens = grow(trace, unread->opens, unread->nopens, &unread->opens_room, sizeof *unread->opens);
    if (opens == NULL)
        return -1;
    unread->opens = opens;
    unread->opens[unread->nopens++] = (struct native_open){.header = *header};
    return 0;
}

int native_unread_place(struct native_unread *unread, struct trace *trace, uint64_t offset, enum native_found found)
{
    struct native_place *places;
    if (unread->nplaces == PLACES_MAX)
        return 0;
    places = grow(trace, unread->places, unread->nplaces, &unread->places_room, sizeof *unread->places);
    if (places == NULL)
        return -1;
    unread->places = places;
    unread->places[unread->nplaces++] = (struct native_place){offset, found, false};
    return 0;
}

void native_unread_free(struct native_unread *unread)
{
    free(unread->opens);
    free(unread->places);
}

/* ---- state ------------------------------------------------------------------------------------------------------- */

struct repair {
    struct native_view *view;
    struct native_unread *unread;
    struct native_image_list *list; /* images that are whole, or proved */
    struct native_image *known;     /* these and those whose end nothing shows: nknown, in the order of their offsets */
    size_t nknown;
    struct native_siblings siblings; /* what is known of all of these */
};

/* For qsort(): in the order of the input. */
static int image_order(const void *a, const void *b)
{
    uint64_t left = ((const struct native_image *)a)->offset, right = ((const struct native_image *)b)->offset;
    return (left > right) - (left < right);
}

/* The images whose headers are known: those of the list, and, with `open`, those without an end. Returns 0, or -1 after
 * trace_fail(). */
static int learn(struct repair *repair, bool open)
{
    const struct native_unread *unread = repair->unread;
    size_t n = repair->list->n + (open ? unread->nopens : 0);
    struct native_image *known = realloc(repair->known, (n + 1u) * sizeof *known);
    native_siblings_free(&repair->siblings);
    if (known == NULL)
        return trace_fail(repair->view->trace, "%s: no memory for %zu chunks", repair->view->trace->input_name, n);
    repair->known = known;
    repair->nknown = n;
    if (repair->list->n > 0)
        memcpy(known, repair->list->image, repair->list->n * sizeof *known);
    for (size_t i = repair->list->n; i < n; i++) {
        if (native_image_begin(repair->view, &unread->opens[i - repair->list->n].header, &known[i]) != 0)
            return -1;
    }
    if (n > 0)
        qsort(known, n, sizeof *known, image_order);
    if (native_siblings_learn(&repair->siblings, known, n))
        return 0;
    return trace_fail(repair->view->trace, "%s: no memory for %zu chunks", repair->view->trace->input_name, n);
}

/* ---- images ------------------------------------------------------------------------------------------------------ */

/* Report what was repaired of a header. */
static void report_header(const struct repair *repair, const struct native_header *header)
{
    if (header->repaired != NULL)
        trace_damage(repair->view->trace, header->offset + header->repaired_at, 0, 0, "%s", header->repaired);
}

/* Make an image of a header. next: where the next image begins. Returns 1; 0 if nothing shows its end; or -1 after
 * trace_fail(). */
static int parse(struct repair *repair, const struct native_header *header, uint64_t next, struct native_image *image)
{
    int result;
    report_header(repair, header);
    result = native_image_parse(repair->view, header, image);
    return result == 0 ? native_image_end_find(repair->view, header, next, image) : result;
}

/* The same, but report nothing. */
static int parse_quietly(struct repair *repair, const struct native_header *header, uint64_t next,
                         struct native_image *image)
{
    struct trace *trace = repair->view->trace;
    struct trace_counts counts = trace->counts;
    bool quiet = trace->quiet;
    int result;
    trace->quiet = true;
    result = parse(repair, header, next, image);
    trace->counts = counts;
    trace->quiet = quiet;
    return result;
}

/* Add the image of a header to the list. */
static int add(struct repair *repair, const struct native_header *header, uint64_t next)
{
    struct native_image *image = native_image_list_add(repair->list, repair->view->trace);
    return image == NULL || parse(repair, header, next, image) < 0 ? -1 : 0;
}

/* ---- headers ----------------------------------------------------------------------------------------------------- */

/* Try to repair what may be a header at an offset. Returns 1 if it was one, 0 if not, or -1 after trace_fail(). */
static int repair_header(struct repair *repair, uint64_t offset)
{
    struct native_header header;
    if (!native_header_repair(repair->view, &repair->siblings, offset, &header)
        || native_siblings_left_over(&repair->siblings, &header))
        return 0;
    return native_unread_header(repair->unread, repair->view->trace, &header) != 0 ? -1 : 1;
}

/* Repair the headers that are damaged. */
static int repair_headers(struct repair *repair)
{
    for (size_t i = 0; i < repair->unread->nplaces; i++) {
        struct native_place *place = &repair->unread->places[i];
        int result = place->found == NATIVE_UNPROVED ? repair_header(repair, place->offset) : 0;
        if (result < 0)
            return -1;
        place->proved = result > 0;
    }
    return 0;
}

/* Whether an image shows the first chunk of a ring in memory that is known, and not a stream of the ring's chunks. */
static bool is_first(const struct native_siblings *siblings, const struct native_image *image)
{
    uint32_t place = image->place & ~(uint32_t)0xFF00u;
    if (native_role(image) != TLOG_ROLE_EVENTS || image->packed || native_siblings_repeat(siblings, image))
        return false;
    for (unsigned i = 0; i < native_number(image); i++) {
        if (native_siblings_have(siblings, place | i << 8, image->boot))
            return false;
    }
    return true;
}

/* Where the address of a chunk's image tells that a chunk of its ring stands that no image shows, there may be a header
 * of which neither magic nor tag nor format is right. */
static int look_beside(struct repair *repair, const struct native_image *image)
{
    for (unsigned i = 0; i < image->place >> 24; i++) {
        uint64_t offset = image->offset + (uint64_t)((int64_t)i - (int64_t)native_number(image)) * image->size;
        uint32_t place = (image->place & ~(uint32_t)0xFF00u) | i << 8;
        if (i == native_number(image) || native_siblings_have(&repair->siblings, place, image->boot)
            || offset >= input_size(repair->view->in) || native_siblings_cover(&repair->siblings, offset))
            continue;
        if (repair_header(repair, offset) < 0)
            return -1;
    }
    return 0;
}

static int look_for_rings(struct repair *repair)
{
    for (size_t i = 0; i < repair->nknown; i++) {
        if (is_first(&repair->siblings, &repair->known[i]) && look_beside(repair, &repair->known[i]) != 0)
            return -1;
    }
    return 0;
}

/* ---- ends -------------------------------------------------------------------------------------------------------- */

/* Where the next image begins that may have cut the one that begins at an offset. */
static uint64_t next_image(const struct repair *repair, uint64_t offset)
{
    size_t behind = native_siblings_behind(&repair->siblings, offset);
    return behind < repair->nknown ? repair->known[behind].offset : input_size(repair->view->in);
}

/* Add the images whose end is shown, and note what may have cut the others. */
static int add_shown(struct repair *repair)
{
    for (size_t i = 0; i < repair->unread->nopens; i++) {
        struct native_open *open = &repair->unread->opens[i];
        struct native_image image;
        int result;
        open->next = next_image(repair, open->header.offset);
        result = parse_quietly(repair, &open->header, open->next, &image);
        open->shown = result > 0;
        if (result < 0 || (open->shown && add(repair, &open->header, open->next) != 0))
            return -1;
    }
    return 0;
}

/* Add the others, but not those that are pieces of images that the list has. */
static int add_others(struct repair *repair)
{
    for (size_t i = 0; i < repair->unread->nopens; i++) {
        const struct native_open *open = &repair->unread->opens[i];
        struct native_image image;
        if (open->shown)
            continue;
        if (parse_quietly(repair, &open->header, open->next, &image) < 0
            || (!native_siblings_newer(&repair->siblings, &image) && add(repair, &open->header, open->next) != 0))
            return -1;
    }
    return 0;
}

/* ---- seals ------------------------------------------------------------------------------------------------------- */

/* An image without a header is known, and all of its slots are as they were sealed, if it is whole. It is no damage
 * that it has no header if there is a whole image of its chunk that is as new. */
static int add_orphan(struct repair *repair, const struct native_header *header, bool whole)
{
    struct native_image image, *added;
    uint64_t next = next_image(repair, header->offset);
    bool older;
    int result = parse_quietly(repair, header, next, &image);
    if (result < 0)
        return -1;
    older = native_siblings_newer(&repair->siblings, &image);
    if (older && !whole)
        return 0;
    if (!older)
        trace_damage(repair->view->trace, header->offset, TLOG_HEADER_BYTES, 0,
                     "the header of a chunk is lost; its seal is used");
    added = native_image_list_add(repair->list, repair->view->trace);
    if (added == NULL)
        return -1;
    return (older ? parse_quietly : parse)(repair, header, next, added) < 0 ? -1 : learn(repair, false);
}

/* Find the images that have lost their header, but have a seal. */
static int find_orphans(struct repair *repair)
{
    for (size_t i = 0; i < repair->unread->nplaces; i++) {
        struct native_place *place = &repair->unread->places[i];
        struct native_header header;
        enum native_orphan_found found;
        if (place->found != NATIVE_SEAL || native_siblings_cover(&repair->siblings, place->offset))
            continue;
        found = native_orphan_find(repair->view, &repair->siblings, place->offset, &header);
        place->proved = found != NATIVE_ORPHAN_NONE;
        if (found != NATIVE_ORPHAN_NONE && found != NATIVE_ORPHAN_UNKNOWN
            && add_orphan(repair, &header, found == NATIVE_ORPHAN_WHOLE) != 0)
            return -1;
    }
    return 0;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static int repair_all(struct repair *repair)
{
    if (learn(repair, true) != 0 || repair_headers(repair) != 0)
        return -1;
    if (learn(repair, true) != 0 || look_for_rings(repair) != 0)
        return -1;
    if (learn(repair, true) != 0 || add_shown(repair) != 0)
        return -1;
    if (learn(repair, false) != 0 || add_others(repair) != 0)
        return -1;
    return learn(repair, false) != 0 ? -1 : find_orphans(repair);
}

int native_repair(struct native_view *view, struct native_unread *unread, struct native_image_list *list)
{
    struct repair repair = {.view = view, .unread = unread, .list = list};
    int result = repair_all(&repair);
    native_siblings_free(&repair.siblings);
    free(repair.known);
    return result;
}
