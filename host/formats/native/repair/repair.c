/* repair.c - what could not be read as it stands: see repair.h.
 *
 *   headers   those that are damaged are proved or not, by header_repair.c
 *   ends      where images end whose end nothing shows, image_end.c finds out; a piece of an image adds nothing if the
 *             dump has a whole one of the same chunk that is as new
 *   seals     of images without a header: orphans.c
 *   symbols   of the firmware, for images of which neither is left: lost_chunks.c
 *
 * The order is that: which header is right tells where images end, and both where no image is.
 */
#include "formats/native/repair/repair.h"

#include "base/heap.h"
#include "formats/native/repair/break_search.h"
#include "formats/native/repair/header_repair.h"
#include "formats/native/repair/image_end.h"
#include "formats/native/chunks/image_parse.h"
#include "formats/native/repair/lost_chunks.h"
#include "formats/native/repair/orphans.h"

#include <stdlib.h>
#include <string.h>

#define FAR 64 /* bytes that may have been lost from an image, or come into it, without a doubt that it is one */

/* ---- state ------------------------------------------------------------------------------------------------------- */

struct repair {
    struct native_view *view;
    struct native_image_list *list; /* images that are whole, or proved */
    struct native_image *known;     /* these and those whose end nothing shows: nknown, in the order of their offsets */
    size_t nknown;
    struct native_siblings siblings; /* what is known of all of these */
    struct native_siblings listed;   /* and of those of the list alone */
};

/* For qsort(): in the order of the input. */
static int image_order(const void *a, const void *b)
{
    uint64_t left = ((const struct native_image *)a)->offset, right = ((const struct native_image *)b)->offset;
    return (left > right) - (left < right);
}

/* The image of a header as it would be if it were whole. Returns 0, or -1 after trace_fail(). */
static int begin_image(struct repair *repair, const struct native_header *header, struct native_image *image)
{
    if (native_image_begin(repair->view, header, image) != 0)
        return -1;
    image->available = native_image_in_input(repair->view, image, image->size);
    image->region_size = native_image_in_input(repair->view, image, image->region_size);
    return 0;
}

/* Learn of all images whose headers are known: those of the list, and those that are not settled. Returns 0, or -1
 * after trace_fail(). */
static int learn(struct repair *repair)
{
    const struct native_unread *unread = &repair->list->unread;
    size_t n = repair->list->n;
    struct native_image *known = heap_realloc(repair->known, (n + unread->nopens + 1u) * sizeof *known);
    native_siblings_free(&repair->siblings);
    native_siblings_free(&repair->listed);
    if (known == NULL)
        return trace_fail(repair->view->trace, "%s: no memory for %zu chunks", repair->view->trace->input_name, n);
    repair->known = known;
    if (n > 0)
        memcpy(known, repair->list->image, n * sizeof *known);
    for (size_t i = 0; i < unread->nopens; i++) {
        if (!unread->opens[i].settled && begin_image(repair, &unread->opens[i].header, &known[n++]) != 0)
            return -1;
    }
    repair->nknown = n;
    if (n > 0)
        qsort(known, n, sizeof *known, image_order);
    if (native_siblings_learn(&repair->siblings, known, n)
        && native_siblings_learn(&repair->listed, repair->list->image, repair->list->n))
        return 0;
    return trace_fail(repair->view->trace, "%s: no memory for %zu chunks", repair->view->trace->input_name, n);
}

/* ---- images ------------------------------------------------------------------------------------------------------ */

/* Make an image of a header, and report what is damaged. next: where the next image begins. */
static enum native_end parse(struct native_view *view, const struct native_header *header, uint64_t next,
                             struct native_image *image)
{
    int result;
    if (header->repaired != NULL)
        trace_damage(view->trace, header->offset + header->repaired_at, 0, 0, "%s", header->repaired);
    result = native_image_parse(view, header, image);
    if (result == 0)
        return native_image_end_find(view, header, next, image);
    return result > 0 ? NATIVE_END_SHOWN : NATIVE_END_FAILED;
}

/* Where the next image begins that may have cut the one that begins at an offset. */
static uint64_t next_image(const struct repair *repair, uint64_t offset)
{
    size_t behind = native_siblings_behind(&repair->siblings, offset);
    return behind < repair->nknown ? repair->known[behind].offset : input_size(repair->view->in);
}

/* An image that was made of a header. */
struct made {
    const struct native_header *header;
    uint64_t next; /* where the next image begins */
    struct native_image image;
    enum native_end end;
    bool damaged;
};

/* Make an image of a header, and report nothing. Returns 0, or -1 after trace_fail(). */
static int make(const struct repair *repair, const struct native_header *header, struct made *made)
{
    struct trace_silence silence;
    made->header = header;
    made->next = next_image(repair, header->offset);
    trace_silence_begin(repair->view->trace, &silence);
    made->end = parse(repair->view, header, made->next, &made->image);
    made->damaged = trace_silence_end(repair->view->trace, &silence);
    return made->end == NATIVE_END_FAILED ? -1 : 0;
}

/* Add an image to the list. Returns 0, or -1 after trace_fail(). */
static int add(struct repair *repair, const struct made *made, bool report)
{
    struct trace *trace = repair->view->trace;
    struct native_image *image = native_image_list_add(repair->list, trace);
    if (image == NULL)
        return -1;
    *image = made->image;
    return report && made->damaged ? native_image_list_add_report(repair->list, trace, made->header, made->next) : 0;
}

/* Whether the words of an image's header that tell how new it is can be right. */
static bool has_date(const struct made *made, const struct native_position *position)
{
    return made->image.available >= TLOG_HEADER_BYTES && position->why == NULL && !position->doubtful
           && (native_role(&made->image) != TLOG_ROLE_NAMES || position->lap == 1u);
}

/* Whether the slots ahead of the cursor, as far as they are there, bear these words out. */
static bool is_borne_out(const struct repair *repair, const struct made *made, const struct native_position *position)
{
    const struct native_image *image = &made->image;
    uint32_t last = position->slot == 1u && position->lap > 1u ? image->layout.slots : position->slot - 1u;
    if (native_role(image) == TLOG_ROLE_NAMES)
        return true;
    last = last < native_slots_available(image) ? last : native_slots_available(image);
    return native_image_has_slots(repair->view, image, position, last, UINT32_MAX);
}

/* Whether the list has an image of the chunk that is at least as new; if `same`, just as new. How new one is its seal
 * tells, or else its header. What is not known to be new is not newer than any image. */
static bool has_newer(const struct repair *repair, const struct made *made, bool same)
{
    struct tlog_chunk chunk = made->header->chunk;
    struct native_image image = made->image;
    struct native_position position;
    bool dated;
    if (image.sealed)
        return native_siblings_newer(&repair->listed, &image, same);
    native_break_read_words(repair->view, &image, &chunk);
    native_position_read(&image, chunk.cursor, chunk.lap, chunk.lap_high, &position);
    dated = has_date(made, &position) && (same || is_borne_out(repair, made, &position));
    image.lap = dated ? position.lap : 0;
    image.used = (uint16_t)(dated && position.lap > 0 ? position.slot - 1u : 0);
    return native_siblings_newer(&repair->listed, &image, same && dated);
}

/* ---- headers ----------------------------------------------------------------------------------------------------- */

/* Try to repair what may be a header at an offset. beside: where the address of this sibling's chunk tells that the
 * next one of its ring stands; or NULL. Returns 1 if it was one, 0 if not, or -1 after trace_fail(). */
static int repair_header(struct repair *repair, uint64_t offset, const struct native_image *beside)
{
    struct native_header header;
    if (!native_header_repair(repair->view, &repair->siblings, offset, &header)
        || native_siblings_left_over(&repair->siblings, repair->view, &header))
        return 0;
    if (beside != NULL
        && (header.chunk.boot != beside->boot
            || ((uint64_t)header.chunk.self_high << 32 | header.chunk.self) - beside->self != offset - beside->offset))
        return 0;
    return native_image_list_add_open(repair->list, repair->view->trace, &header) != 0 ? -1 : 1;
}

/* Repair the headers that are damaged. */
static int repair_headers(struct repair *repair)
{
    for (size_t i = 0; i < repair->list->unread.nplaces; i++) {
        struct native_place *place = &repair->list->unread.places[i];
        int result = place->may_be_mended ? repair_header(repair, place->offset, NULL) : 0;
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
        if (repair_header(repair, offset, image) < 0)
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

/* What becomes of an image. */
enum fate { ADD, ADD_QUIETLY, DROP };

/* An image whose end nothing shows is a piece if the list has one of its chunk that is at least as new; one whose end
 * is near by, if it has one that is just as new. Where there is such an image, that a header was damaged is no damage,
 * nor that a sealed image is in two parts far from each other; but then all of its slots must be as they were
 * sealed. */
static enum fate decide(const struct repair *repair, const struct made *made)
{
    const struct native_image *image = &made->image;
    bool is_far = image->displaced.by > FAR || image->displaced.by < -FAR, newer = has_newer(repair, made, false);
    if (made->end == NATIVE_END_UNKNOWN && newer)
        return DROP;
    if (made->end == NATIVE_END_NEAR && has_newer(repair, made, true))
        return DROP;
    if (newer && image->sealed && is_far)
        return native_view_is_as_sealed(repair->view, image) ? ADD_QUIETLY : DROP;
    return newer && made->header->repaired != NULL ? ADD_QUIETLY : ADD;
}

/* Add the image of a header, if it adds something. Without `all` it is left open unless its end is shown. Returns 0, or
 * -1 after trace_fail(). */
static int settle(struct repair *repair, struct native_open *open, bool all)
{
    struct made made;
    enum fate fate;
    if (make(repair, &open->header, &made) != 0)
        return -1;
    if (made.end != NATIVE_END_SHOWN && !all)
        return 0;
    open->settled = true;
    fate = decide(repair, &made);
    return fate == DROP ? 0 : add(repair, &made, fate == ADD);
}

static int settle_all(struct repair *repair, bool all)
{
    for (size_t i = 0; i < repair->list->unread.nopens; i++) {
        if (!repair->list->unread.opens[i].settled && settle(repair, &repair->list->unread.opens[i], all) != 0)
            return -1;
    }
    return 0;
}

/* ---- seals ------------------------------------------------------------------------------------------------------- */

/* Add an image without a header. Where there is an image of its chunk that is at least as new, that is no damage; but
 * then all of its slots must be as they were sealed. If it stands between images, as in a stream, the other one must be
 * just as new. Returns 0, or -1 after trace_fail(). */
static int add_orphan(struct repair *repair, struct native_header *header, enum native_orphan_found found)
{
    struct made made;
    bool older;
    header->repaired = "the header of a chunk is lost; its seal is used";
    if (make(repair, header, &made) != 0)
        return -1;
    older = native_siblings_newer(&repair->listed, &made.image, found == NATIVE_ORPHAN_HIT);
    if (older && found != NATIVE_ORPHAN_WHOLE)
        return 0;
    return add(repair, &made, !older) != 0 ? -1 : learn(repair);
}

#define WHICH_RUN "the header of a chunk is lost, and nothing tells of which run or CPU it is: it is left out"
#define NO_GROUP  "the header of a chunk is lost, and none of its slots is as it was sealed: it is left out"

/* Look for the image that a seal belongs to. Returns 0, or -1 after trace_fail(). */
static int find_orphan(struct repair *repair, struct native_place *place)
{
    struct native_header header;
    enum native_orphan_found found = native_orphan_find(repair->view, &repair->siblings, place->offset, &header);
    switch (found) {
    case NATIVE_ORPHAN_WHOLE:
    case NATIVE_ORPHAN_PIECE:
    case NATIVE_ORPHAN_HIT:
        place->proved = true;
        return add_orphan(repair, &header, found);
    case NATIVE_ORPHAN_EMPTY:
    case NATIVE_ORPHAN_LOST:
        place->proved = true;
        trace_damage(repair->view->trace, place->offset, 0, 0, found == NATIVE_ORPHAN_LOST ? WHICH_RUN : NO_GROUP);
        return 0;
    case NATIVE_ORPHAN_UNKNOWN:
        place->is_image = true;
        return 0;
    default:
        return 0;
    }
}

/* Find the images that have lost their header, but have a seal. */
static int find_orphans(struct repair *repair)
{
    for (size_t i = 0; i < repair->list->unread.nplaces; i++) {
        struct native_place *place = &repair->list->unread.places[i];
        if (place->found == NATIVE_SEAL && !place->proved && !native_siblings_cover(&repair->siblings, place->offset)
            && find_orphan(repair, place) != 0)
            return -1;
    }
    return 0;
}

/* ---- neither header nor seal ------------------------------------------------------------------------------------- */

static int add_lost(void *ctx, const struct native_header *header)
{
    struct repair *repair = ctx;
    struct made made;
    return make(repair, header, &made) != 0 ? -1 : add(repair, &made, true);
}

static int find_lost(struct repair *repair)
{
    return native_lost_chunks_find(repair->view, &repair->siblings, add_lost, repair);
}

/* ---- the rest ---------------------------------------------------------------------------------------------------- */

/* Tell what looks like a chunk and is not proved to be one. */
static void tell_unproved(const struct repair *repair)
{
    struct trace *trace = repair->view->trace;
    for (size_t i = 0; i < repair->list->unread.nplaces; i++) {
        const struct native_place *place = &repair->list->unread.places[i];
        char reason[NATIVE_REASON_BYTES] = WHICH_RUN;
        struct native_header header;
        if (place->proved || native_siblings_cover(&repair->siblings, place->offset))
            continue;
        if (place->found == NATIVE_UNPROVED && trace->nunproved < TRACE_UNPROVED_MAX)
            native_header_at(repair->view->in, place->offset, &header, reason);
        if (place->found == NATIVE_UNPROVED || place->is_image)
            trace_add_unproved(trace, place->offset, reason);
    }
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static int repair_all(struct repair *repair)
{
    if (learn(repair) != 0 || repair_headers(repair) != 0)
        return -1;
    if (learn(repair) != 0 || look_for_rings(repair) != 0)
        return -1;
    if (learn(repair) != 0 || settle_all(repair, false) != 0)
        return -1;
    if (learn(repair) != 0 || find_orphans(repair) != 0)
        return -1;
    if (learn(repair) != 0 || settle_all(repair, true) != 0)
        return -1;
    if (learn(repair) != 0 || find_orphans(repair) != 0 || find_lost(repair) != 0 || learn(repair) != 0)
        return -1;
    tell_unproved(repair);
    return 0;
}

int native_repair(struct native_view *view, struct native_image_list *list)
{
    struct repair repair = {.view = view, .list = list};
    int result = repair_all(&repair);
    native_siblings_free(&repair.siblings);
    native_siblings_free(&repair.listed);
    heap_free(repair.known);
    return result;
}

/* For qsort(): in the order of the input. */
static int report_order(const void *a, const void *b)
{
    uint64_t left = ((const struct native_report *)a)->header.offset;
    uint64_t right = ((const struct native_report *)b)->header.offset;
    return (left > right) - (left < right);
}

int native_repair_report(struct native_view *view, struct native_image_list *list)
{
    struct native_unread *unread = &list->unread;
    struct native_image image;
    if (unread->nreports > 0)
        qsort(unread->reports, unread->nreports, sizeof *unread->reports, report_order);
    for (size_t i = 0; i < unread->nreports; i++) {
        const struct native_report *report = &unread->reports[i];
        if (report->header.chunk.boot == list->image[0].boot
            && parse(view, &report->header, report->next, &image) == NATIVE_END_FAILED)
            return -1;
    }
    return 0;
}
