/* lost.c - the search for images without a header: see lost.h.
 *
 * A hole is brought into memory a window at a time, which has room for several of the largest images. Where a place for
 * an image is tells seek.c, what its header was remains.c.
 */
#include "formats/native/lost.h"

#include "formats/native/remains.h"
#include "formats/native/seek.h"

#include <stdlib.h>

#define WINDOW  (8u << 20) /* bytes of a hole in memory */
#define LARGEST TLOG_CHUNK_BYTES(TLOG_SLOTS_MAX, TLOG_SLOTS_MAX)

_Static_assert(WINDOW >= 3u * LARGEST, "an image of which a part is in the window is in the next one as a whole");

/* ---- the window -------------------------------------------------------------------------------------------------- */

/* Have room for n bytes of a hole. */
static bool fit(struct native_lost *lost, size_t n)
{
    unsigned char *bytes;
    if (n <= lost->room)
        return true;
    bytes = realloc(lost->bytes, n);
    if (bytes == NULL)
        return false;
    lost->bytes = bytes;
    lost->room = n;
    return true;
}

/* Read the hole from where it is searched next. */
static bool fill(struct native_lost *lost)
{
    struct native_hole *hole = &lost->hole;
    size_t size = hole->to - hole->from < WINDOW ? (size_t)(hole->to - hole->from) : WINDOW;
    lost->at = hole->from;
    lost->n = 0;
    if (!fit(lost, size))
        return false;
    lost->n = input_read(hole->view->in, hole->from, lost->bytes, size);
    return true;
}

/* Have the bytes in memory that are searched next. False: there are none. */
static bool look(struct native_lost *lost)
{
    struct native_hole *hole = &lost->hole;
    uint64_t end = lost->at + lost->n;
    bool is_in = hole->from >= lost->at && hole->from < end && (end >= hole->to || end - hole->from >= WINDOW / 2u);
    if (hole->from >= hole->to || hole->to - hole->from <= TLOG_SLOT_BYTES || (!is_in && !fill(lost)))
        return false;
    hole->bytes = lost->bytes + (hole->from - lost->at);
    hole->n = (size_t)(lost->at + lost->n - hole->from);
    return hole->n > TLOG_SLOT_BYTES;
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

/* Find a place in what is in memory. Where chunks were made at run time slots without a header are what is left of a
 * chunk that was deleted. */
static bool find_place(struct native_hole *hole, struct native_place *place)
{
    const struct native_image *like = native_hole_like(hole);
    struct native_layout layout;
    if (native_seek_seal(hole, place))
        return true;
    if (hole->known->has_arena)
        return false;
    if (like != NULL)
        return native_seek_slots(hole, like->layout, place);
    return hole->begins && native_seek_layout(hole, &layout) && native_seek_slots(hole, layout, place);
}

/* The same in all of the hole. */
static bool find(struct native_lost *lost, struct native_place *place)
{
    struct native_hole *hole = &lost->hole;
    while (look(lost)) {
        if (find_place(hole, place))
            return true;
        if (hole->from + hole->n >= hole->to || hole->n <= 2u * LARGEST)
            return false;
        hole->from += hole->n - 2u * LARGEST;
        hole->begins = false;
    }
    return false;
}

/* Nothing tells which chunk an image is of: its events could be taken for those of another run, or CPU. */
static void leave_out(struct native_lost *lost, const struct native_place *place)
{
    struct native_hole *hole = &lost->hole;
    uint64_t from = hole->from + (uint64_t)(place->at > 0 ? place->at : 0);
    uint64_t to = hole->from + (uint64_t)(place->at + (int64_t)native_place_size(place->layout));
    to = to < hole->to ? to : hole->to;
    trace_damage(hole->view->trace, from, to - from, 0,
                 "the header of a chunk is lost, and nothing tells of which run or CPU it is: it is left out");
    native_lost_pass(lost, to);
    hole->ahead = NULL;
}

bool native_lost_find(struct native_lost *lost, struct native_header *header)
{
    struct native_hole *hole = &lost->hole;
    struct native_place place = {{0, 0}, 0, false};
    while (find(lost, &place)) {
        if (native_remains_are_right(hole, &place))
            return false;
        if (!native_remains_read(hole, &place, header)) {
            leave_out(lost, &place);
            place.sealed = false;
            continue;
        }
        trace_damage(hole->view->trace, hole->from + (uint64_t)(place.at > 0 ? place.at : 0), TLOG_HEADER_BYTES, 0,
                     "the header of a chunk is lost; %s", place.sealed ? "its seal is used" : "its slots are used");
        return true;
    }
    return false;
}

void native_lost_pass(struct native_lost *lost, uint64_t offset)
{
    lost->hole.from = offset > lost->hole.from ? offset : lost->hole.to;
    lost->hole.begins = true;
}

/* ---- beginning and end ------------------------------------------------------------------------------------------- */

int native_lost_begin(struct native_lost *lost, struct native_view *view, const struct native_image *images, size_t n)
{
    *lost = (struct native_lost){.hole = {.view = view}};
    if (native_known_learn(&lost->known, images, n))
        return 0;
    return trace_fail(view->trace, "%s: no memory for %zu chunks", view->trace->input_name, n);
}

void native_lost_end(struct native_lost *lost)
{
    native_known_free(&lost->known);
    free(lost->bytes);
    lost->bytes = NULL;
}

void native_lost_enter(struct native_lost *lost, uint64_t from, uint64_t to, size_t after)
{
    struct native_view *view = lost->hole.view;
    const struct native_image *ahead = after > 0 ? &lost->known.images[after - 1u] : NULL;
    lost->hole = (struct native_hole){
        .view = view, .known = &lost->known, .from = from, .to = to, .after = after, .ahead = ahead, .begins = true};
    lost->n = 0;
}

bool native_lost_has_seal(struct input *in)
{
    struct native_view view = {.in = in, .budget = native_view_budget(in)};
    struct native_lost lost = {.hole = {.view = &view}};
    struct native_place place;
    bool found = false;
    native_lost_enter(&lost, 0, input_size(in), 0);
    while (!found && look(&lost)) {
        found = native_seek_seal(&lost.hole, &place);
        if (lost.hole.n <= 2u * LARGEST || lost.hole.from + lost.hole.n >= lost.hole.to)
            break;
        lost.hole.from += lost.hole.n - 2u * LARGEST;
    }
    native_lost_end(&lost);
    return found;
}
