/* coarse_clock.c - the coarse clock of a dump: see coarse_clock.h.
 *
 * Between two anchors the coarse clock tells about how many ticks have passed, and the low words of the clock tell
 * exactly how many, but for whole wraps. So the distances between all anchors of a lane are known exactly, but not yet
 * where the first one is. The firmware's own counts of wraps are right or too low: so the anchors get the earliest
 * stamps that are not before those counts.
 */
#include "formats/native/time/coarse_clock.h"

#include "base/heap.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

#define SLOTS_READ 1024u /* at once */
#define RATIO_MIN  4u    /* ticks of the clock in one of the coarse clock: with fewer that itself wraps too often */
#define RATIO_MAX  0x20000000u /* with more it cannot tell wraps of the clock apart */
#define WRAPS_MAX  ((int64_t)1 << 30)

__extension__ typedef unsigned __int128 wide;

/* ---- collecting -------------------------------------------------------------------------------------------------- */

/* The search for COARSE slots: index->anchors has room for so many. */
struct search {
    struct native_index *index;
    struct native_view *view;
    size_t room;
};

/* Whether the coarse clock tells wraps of the clock. */
static bool has_clock(const struct native_image *image)
{
    uint32_t ratio = image->coarse_freq > 0 ? image->freq / image->coarse_freq : 0;
    return ratio >= RATIO_MIN && ratio <= RATIO_MAX;
}

static bool is_coarse(const unsigned char *slot, uint64_t lap)
{
    return native_is_control(slot, TLOG_CONTROL_COARSE) && native_slot_tag(slot) == native_tag(lap)
           && (native_head(slot) & NATIVE_TRACEEVENT_ZERO) == 0 && native_coarse_stamp(slot) <= INT64_MAX;
}

static int add_anchor(struct search *search, struct native_anchor anchor)
{
    struct native_index *index = search->index;
    struct native_anchor *anchors = heap_grow(index->anchors, index->nanchors, &search->room, sizeof *anchors);
    if (anchors == NULL)
        return trace_fail(search->view->trace, "%s: no memory for more than %zu slots", search->view->trace->input_name,
                          search->room);
    index->anchors = anchors;
    anchors[index->nanchors++] = anchor;
    return 0;
}

/* Whether the seal confirms a slot's group. */
static bool is_sealed(struct native_view *view, const struct native_image *image, uint32_t slot)
{
    size_t group = native_group_of(image->layout, slot);
    native_view_load(view, image, native_group_offset(image->layout, group), native_group_size(image->layout, group));
    native_view_load(view, image, native_group_crc_offset(image->layout, group), 4);
    return native_view_group_difference(view, image, group) == 0;
}

/* Whether a COARSE slot follows another one, with nothing between but a CONTROL TIME. Slots from `first` on are in
 * view. */
static bool is_beside(const struct native_view *view, uint32_t first, uint32_t slot)
{
    slot -= slot > first && native_is_control(native_view_slot(view, slot - 1u), TLOG_CONTROL_TIME);
    return slot > first && native_is_control(native_view_slot(view, slot - 1u), TLOG_CONTROL_COARSE);
}

/* Add the COARSE slots from first to last of an image's part. Those of a group whose check is wrong are left out. */
static int add_slots(struct search *search, uint32_t lap, const struct native_part *part, uint32_t first, uint32_t last)
{
    struct native_view *view = search->view;
    const struct native_image *image = &search->index->images[part->image];
    native_view_load(view, image, native_slot_offset(first), (last - first + 1u) * (size_t)TLOG_SLOT_BYTES);
    for (uint32_t i = first; i <= last; i++) {
        const unsigned char *slot = native_view_slot(view, i);
        struct native_anchor anchor = {
            .counted = native_coarse_stamp(slot), .count = get_le32(slot + NATIVE_DATA), .part = lap, .slot = i};
        if (!is_coarse(slot, part->lap) || !native_has_slot(image, i) || native_is_torn(image, i))
            continue;
        if (image->sealed && !is_sealed(view, image, i))
            continue;
        anchor.proven = image->sealed;
        anchor.beside = is_beside(view, first, i);
        if (add_anchor(search, anchor) != 0)
            return -1;
    }
    return 0;
}

/* Add the COARSE slots of a part, whose lap begins with part number `lap`. */
static int add_part(struct search *search, uint32_t lap, const struct native_part *part)
{
    const struct native_image *image = &search->index->images[part->image];
    uint32_t last = native_part_last(search->index, part), n;
    if (!has_clock(image))
        return 0;
    if (native_view_reserve(search->view, image) != 0)
        return -1;
    for (uint32_t i = native_part_first(search->index, part); i <= last; i += n) {
        n = last - i < SLOTS_READ ? last - i + 1u : SLOTS_READ;
        if (add_slots(search, lap, part, i, i + n - 1u) != 0)
            return -1;
    }
    return 0;
}

/* For qsort(): by lap, then by slot; proven ones first. */
static int anchor_order(const void *a, const void *b)
{
    const struct native_anchor *left = a, *right = b;
    if (left->part != right->part)
        return left->part < right->part ? -1 : 1;
    if (left->slot != right->slot)
        return left->slot < right->slot ? -1 : 1;
    return right->proven - left->proven;
}

/* Collect the COARSE slots of all laps, each once, in order. */
static int collect(struct search *search)
{
    struct native_index *index = search->index;
    size_t n = 0;
    for (size_t at = 0, lap; at < index->nparts; at += lap) {
        lap = native_index_parts_of_lap(index, at, index->nparts);
        for (size_t i = at; i < at + lap; i++) {
            const struct native_part *part = &index->parts[i];
            if (part->ring != NATIVE_RING_NAMES && !native_is_emergency(part->kind)
                && add_part(search, (uint32_t)at, part) != 0)
                return -1;
        }
    }
    if (index->nanchors > 0)
        qsort(index->anchors, index->nanchors, sizeof *index->anchors, anchor_order);
    for (size_t i = 0; i < index->nanchors; i++) {
        const struct native_anchor *anchor = &index->anchors[i];
        if (n == 0 || index->anchors[n - 1u].part != anchor->part || index->anchors[n - 1u].slot != anchor->slot)
            index->anchors[n++] = *anchor;
    }
    index->nanchors = n;
    return 0;
}

/* ---- believing --------------------------------------------------------------------------------------------------- */

static bool is_same_lane(const struct native_index *index, const struct native_anchor *a, const struct native_anchor *b)
{
    return native_index_same_lane(&index->parts[a->part], &index->parts[b->part]);
}

/* Ticks of the clock from one anchor to a later one. An interrupt between reading the two clocks can make the coarse
 * clock go back: if it is by less than half a wrap of the clock, no time has passed. */
static uint64_t ticks_between(const struct native_index *index, const struct native_anchor *from,
                              const struct native_anchor *to)
{
    const struct native_image *image = &index->images[index->parts[to->part].image];
    uint64_t back = (uint64_t)((wide)(from->count - to->count) * image->freq / image->coarse_freq);
    uint64_t about = (uint64_t)((wide)(to->count - from->count) * image->freq / image->coarse_freq);
    uint32_t ticks = (uint32_t)to->counted - (uint32_t)from->counted;
    uint64_t rounded = (back < NATIVE_WRAP / 2u ? 0 : about) + NATIVE_WRAP / 2u;
    return rounded < ticks ? ticks : ((rounded - ticks) & ~(NATIVE_WRAP - 1u)) + ticks;
}

/* How many wraps have passed between two anchors that the firmware has not counted; below 0: it has counted some that
 * it lacked. */
static int64_t wraps_missed(const struct native_index *index, const struct native_anchor *from,
                            const struct native_anchor *to)
{
    return (int64_t)(ticks_between(index, from, to) - (to->counted - from->counted)) / (int64_t)NATIVE_WRAP;
}

/* Whether the two clocks tell the same time between two anchors of a lane. */
static bool agree(const struct native_index *index, const struct native_anchor *from, const struct native_anchor *to)
{
    return is_same_lane(index, from, to) && wraps_missed(index, from, to) == 0;
}

/* Drop the slots that are not believed. */
static void drop_doubtful(struct native_index *index)
{
    struct native_anchor *anchor = index->anchors;
    size_t n = 0, all = index->nanchors;
    int64_t lacking = 0; /* at the last one that is believed, and more than at the lane's first one */
    bool before = false;
    for (size_t i = 0; i < all; i++) {
        bool behind = i + 1u < all && agree(index, &anchor[i], &anchor[i + 1u]);
        bool follows = n > 0 && is_same_lane(index, &anchor[n - 1u], &anchor[i]);
        int64_t missed = follows ? wraps_missed(index, &anchor[n - 1u], &anchor[i]) : 0;
        bool caught_up = follows && lacking > 0 && missed == -lacking;
        if (before || behind || caught_up || anchor[i].proven) {
            lacking = follows && lacking + missed > 0 ? lacking + missed : 0;
            anchor[n++] = anchor[i];
        }
        before = behind;
    }
    index->nanchors = n;
}

/* ---- their stamps ------------------------------------------------------------------------------------------------ */

/* Set the stamps of n anchors of one lane. False: these are impossible. */
static bool set_stamps(const struct native_index *index, struct native_anchor *anchor, size_t n)
{
    int64_t wraps = 0, least = 0;
    for (size_t pass = 0; pass < 2; pass++) {
        wraps = -least;
        for (size_t i = 0; i < n; i++) {
            wraps += i > 0 ? wraps_missed(index, &anchor[i - 1u], &anchor[i]) : 0;
            least = wraps < least ? wraps : least;
            anchor[i].stamp = anchor[i].counted + (uint64_t)wraps * NATIVE_WRAP;
            if (wraps > WRAPS_MAX || wraps < -WRAPS_MAX || (pass > 0 && anchor[i].stamp > INT64_MAX))
                return false;
        }
    }
    return true;
}

/* Set whether the firmware watches the clock while it is idle, in n anchors of one lane. */
static void set_watched(struct native_anchor *anchor, size_t n)
{
    bool watched = false;
    for (size_t i = 1; i < n; i++)
        watched |= anchor[i].beside && native_may_be_watched(anchor[i - 1u].counted, anchor[i].counted);
    for (size_t i = 0; i < n; i++)
        anchor[i].watched = watched;
}

static void set_all_stamps(struct native_index *index)
{
    struct native_anchor *anchor = index->anchors;
    size_t kept = 0, n;
    for (size_t at = 0; at < index->nanchors; at += n) {
        for (n = 1; at + n < index->nanchors && is_same_lane(index, &anchor[at], &anchor[at + n]);)
            n++;
        if (!set_stamps(index, &anchor[at], n))
            continue;
        set_watched(&anchor[at], n);
        memmove(&anchor[kept], &anchor[at], n * sizeof *anchor);
        kept += n;
    }
    index->nanchors = kept;
}

int native_anchors_find(struct native_index *index, struct native_view *view)
{
    struct search search = {index, view, 0};
    if (collect(&search) != 0)
        return -1;
    drop_doubtful(index);
    set_all_stamps(index);
    return 0;
}

/* ---- for a lap --------------------------------------------------------------------------------------------------- */

static int part_order(const void *anchor, const void *part)
{
    size_t left = ((const struct native_anchor *)anchor)->part, right = *(const size_t *)part;
    return (left > right) - (left < right);
}

/* The number of the first anchor that is in a part or behind it. */
static size_t first_from(const struct native_index *index, size_t part)
{
    return sort_first(index->anchors, index->nanchors, sizeof *index->anchors, &part, part_order);
}

struct native_anchors native_anchors_of_lap(const struct native_index *index, const struct native_part *part)
{
    size_t at = (size_t)(part - index->parts), first = first_from(index, at), end = first_from(index, at + 1u);
    struct native_anchors found = {NULL, (uint32_t)(end - first), NULL, NULL};
    const struct native_anchor *anchor = index->anchors;
    if (index->nanchors == 0)
        return found;
    found.first = &anchor[first];
    if (first > 0 && native_index_same_lane(&index->parts[anchor[first - 1u].part], part))
        found.ahead = &anchor[first - 1u];
    if (end < index->nanchors && native_index_same_lane(&index->parts[anchor[end].part], part))
        found.behind = &anchor[end];
    return found;
}

static int slot_order(const void *number, const void *anchor)
{
    uint32_t left = *(const uint32_t *)number, right = ((const struct native_anchor *)anchor)->slot;
    return (left > right) - (left < right);
}

const struct native_anchor *native_anchor_at(const struct native_anchors *anchors, uint32_t slot)
{
    return anchors->n > 0 ? bsearch(&slot, anchors->first, anchors->n, sizeof *anchors->first, slot_order) : NULL;
}

bool native_anchors_believe(const struct native_anchors *anchors, const struct native_image *image, uint32_t number,
                            const unsigned char *slot)
{
    const struct native_anchor *anchor = native_anchor_at(anchors, number);
    if (!has_clock(image))
        return image->coarse_freq > 0;
    return anchor != NULL && anchor->counted == native_coarse_stamp(slot);
}

/* Whether the firmware has counted all wraps from one anchor to another, which may be NULL. */
static bool is_counted(const struct native_anchor *from, const struct native_anchor *to)
{
    if (to == NULL)
        return true;
    return from != NULL && to->stamp == to->counted && to->stamp - from->stamp < NATIVE_WRAP;
}

bool native_anchors_all_counted(const struct native_anchors *anchors)
{
    const struct native_anchor *before = anchors->ahead;
    if (before != NULL && before->stamp != before->counted)
        return false;
    for (uint32_t i = 0; i < anchors->n; i++) {
        if (!is_counted(before, &anchors->first[i]))
            return false;
        before = &anchors->first[i];
    }
    return is_counted(before, anchors->behind);
}
