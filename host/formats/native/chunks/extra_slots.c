/* extra_slots.c - how many of the slots that were overwritten were no events of their own.
 *
 * What was overwritten is known in slots, by laps and cursors. But an event may have several slots, and some slots are
 * no events: these are extra slots. A chunk's header counts all of them, in its word `extra`; the images show some; the
 * others are among what was overwritten. Example: a header counts 5, the image shows 2, and 64 slots were overwritten:
 * those were 64 - 3 = 61 events.
 */
#include "base/heap.h"
#include "formats/native/chunks/pieces.h"
#include "formats/native/chunks/index.h"

#include "formats/native/chunks/image.h"

#include <stdlib.h>

/* How far the images of a chunk reach so far. */
struct reach {
    uint64_t end;   /* number of the slot behind the last one that they show, counted through all laps from 0 on */
    uint64_t extra; /* extra slots ahead of that */
};

/* How many of the normal slots that the image shows are extra. Slots that are cut off, unfinished, damaged or unread
 * are taken for events. */
static uint64_t count_shown(struct native_view *view, const struct native_image *image)
{
    struct native_claims claims = native_claims_load(view, image);
    uint32_t last = image->lap > 1u ? image->layout.slots : image->used;
    uint64_t n = 0;
    last = last < native_slots_available(image) ? last : native_slots_available(image);
    native_view_load(view, image, TLOG_HEADER_BYTES, (size_t)last * TLOG_SLOT_BYTES);
    for (uint32_t i = 1; i <= last; i++) {
        const unsigned char *slot = native_view_slot(view, i);
        uint32_t tag = native_slot_tag(slot);
        uint32_t expected = i <= image->used ? native_tag(image->lap) : native_tag_before(image->lap);
        if (image->partial && native_is_unread(slot))
            continue;
        if (tag == TLOG_TAG_MASK || native_claims_have(&claims, i))
            n++;
        else if (tag == expected)
            n += native_is_extra(slot);
    }
    return n;
}

/* The number of a chunk's slot among those of its lane, as stream.c counts them. */
static uint64_t number_in_lane(const struct native_lane *lane, const struct native_image *image, uint64_t slot)
{
    uint32_t slots = image->layout.slots;
    uint64_t turn = slot / slots * lane->chunks + (lane->chunks > 1u ? native_number(image) : 0);
    return turn * slots + slot % slots + 1u;
}

/* Note the extra slots that were overwritten between the images before, which reach as far as *reach, and this one. */
static int add_image(struct native_index *index, struct native_lane *lane, struct native_view *view,
                     const struct native_image *image, struct reach *reach)
{
    uint64_t end = (image->lap - 1u) * image->layout.slots + image->used;
    uint64_t shown = image->lap > 1u ? image->layout.slots : image->used, from, overwritten, n;
    if (image->lap == 0)
        return 0;
    from = end - (image->piece ? (uint64_t)image->used - image->hidden : shown);
    if (from > reach->end && image->extra > reach->extra) {
        if (native_view_reserve(view, image) != 0)
            return -1;
        overwritten = image->extra - reach->extra;
        n = image->piece ? native_piece_extra(view, image) : count_shown(view, image);
        n = overwritten > n ? overwritten - n : 0;
        n = n < from - reach->end ? n : from - reach->end;
        if (n > 0) {
            index->extras[lane->extras++] =
                (struct native_extra_slots){.first = number_in_lane(lane, image, reach->end), .n = n};
        }
    }
    if (end >= reach->end)
        *reach = (struct reach){end, image->extra};
    return 0;
}

/* For qsort(): by number of the slot. */
static int slot_order(const void *a, const void *b)
{
    const struct native_extra_slots *left = a, *right = b;
    return (left->first > right->first) - (left->first < right->first);
}

/* Whether images show the same chunk. */
static bool is_same_chunk(const struct native_image *a, const struct native_image *b)
{
    return native_index_ring(a) == native_index_ring(b) && native_role(a) == native_role(b)
           && native_number(a) == native_number(b) && a->self == b->self;
}

/* Whether the lane has the events of a chunk that are not in emergency slots. */
static bool is_lane_of(const struct native_lane *lane, const struct native_image *image)
{
    bool alone = native_role(image) == TLOG_ROLE_FREE;
    return lane->ring == native_index_ring(image) && lane->kind == (alone ? NATIVE_ALONE : NATIVE_OF_RING)
           && (!alone || lane->number == native_number(image));
}

/* Go through n images of one chunk, the latest of which comes first. */
static int add_chunk(struct native_index *index, struct native_lane *lane, struct native_view *view,
                     const struct native_image *images, size_t n)
{
    struct reach reach = {0, 0};
    for (size_t i = n; i-- > 0;) {
        if (add_image(index, lane, view, &images[i], &reach) != 0)
            return -1;
    }
    return 0;
}

/* Chunks and lanes are in the same order, and a ring's lane stands for all of its chunks. */
int native_extra_slots_find(struct native_index *index, struct native_view *view)
{
    struct native_lane *lane = index->lanes, *end = lane + index->nlanes;
    size_t n;
    index->extras = heap_calloc(index->n + 1u, sizeof *index->extras);
    if (index->extras == NULL)
        return trace_fail(view->trace, "%s: no memory for %zu chunks", view->trace->input_name, index->n);
    for (size_t at = 0; at < index->n; at += n) {
        for (n = 1; at + n < index->n && is_same_chunk(&index->images[at + n], &index->images[at]);)
            n++;
        while (lane + 1 < end && !is_lane_of(lane, &index->images[at])) {
            lane[1].first_extra = lane[1].extras = lane->extras;
            lane++;
        }
        if (!is_lane_of(lane, &index->images[at]))
            break;
        if (add_chunk(index, lane, view, &index->images[at], n) != 0)
            return -1;
    }
    for (lane = index->lanes; lane < end; lane++) {
        if (lane->extras > lane->first_extra)
            qsort(index->extras + lane->first_extra, lane->extras - lane->first_extra, sizeof *index->extras,
                  slot_order);
    }
    return 0;
}
