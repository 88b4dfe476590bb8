/* index.c - the images of a dump and the order of their laps: see index.h.
 *
 * The laps of a lane are put in order by their numbers, if these are confirmed: each by a seal or a CONTROL BUFFER
 * slot, or all because they follow each other without a gap. Otherwise they are put in order by a stamp from each lap.
 * So a damaged number may cost an exact count of what was overwritten, but never the order of events.
 */
#include "formats/native/chunks/index.h"

#include "base/heap.h"
#include "formats/native/chunks/image_parse.h"
#include "formats/native/chunks/lap_numbers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CHUNKS_PER_RING 256u

/* Memory that lanes may take: LANES bytes, and LANES_TIMES bytes more for each byte of the input. */
#define LANES       (36u << 20)
#define LANES_TIMES 2u
#define LANE_BYTES  800u /* what a lane takes besides its image */

/* ---- rings ------------------------------------------------------------------------------------------------------- */

static int compare(uint64_t left, uint64_t right)
{
    return (left > right) - (left < right);
}

static bool is_alone(const struct native_image *image)
{
    return native_role(image) == TLOG_ROLE_FREE;
}

/* For qsort(): by ring, chunks that stand alone behind those of the ring; then by chunk, its latest image first. */
static int image_order(const void *a, const void *b)
{
    const struct native_image *left = a, *right = b;
    int order = compare(native_index_ring(left), native_index_ring(right));
    if (order == 0)
        order = compare(is_alone(left), is_alone(right));
    if (order == 0)
        order = compare(native_number(left), native_number(right));
    if (order == 0)
        order = compare(left->self, right->self);
    if (order == 0)
        order = compare(right->lap, left->lap);
    if (order == 0)
        order = compare(right->used, left->used);
    return order ? order : compare(right->offset, left->offset);
}

/* The chunks of a ring, each by its latest image. */
struct ring {
    struct native_image *chunk[CHUNKS_PER_RING]; /* by number; NULL: not in the input */
    unsigned last;                               /* the highest number there is */
};

/* Collect the chunks of n images, of which the latest of each chunk comes first. */
static void collect_ring(struct ring *ring, struct native_image *image, size_t n)
{
    memset(ring, 0, sizeof *ring);
    for (size_t i = 0; i < n; i++) {
        unsigned number = native_number(&image[i]);
        if (ring->chunk[number] == NULL)
            ring->chunk[number] = &image[i];
        if (number > ring->last)
            ring->last = number;
    }
}

/* Correct images that tell that their chunk was never opened, although other images show that it was. Chunks of a ring
 * take turns: a chunk has been opened if any chunk is in lap 2, or one with a higher number is in lap 1. */
static void reopen_chunks(const struct ring *ring, struct native_view *view)
{
    uint64_t lap = 0; /* above 0: a chunk with a higher number is in lap 1, or any chunk is in a later lap */
    for (unsigned i = 0; i <= ring->last; i++) {
        if (ring->chunk[i] != NULL && ring->chunk[i]->lap > 1u)
            lap = ring->chunk[i]->lap;
    }
    for (unsigned i = ring->last + 1u; i-- > 0;) {
        struct native_image *image = ring->chunk[i];
        if (image != NULL && image->lap == 0 && lap > 0)
            native_image_set_opened(view, image);
        if (image != NULL && image->lap > lap)
            lap = image->lap;
    }
}

/* Where the word `next` of a chunk leads: to the chunk with the next number; back to the first one; nowhere, as no
 * chunk follows; or it is damaged. */
enum way { WAY_ON, WAY_AROUND, WAY_STOP, WAY_WRONG };

/* If the chunk that should follow is not in the input, chunks of the ring are taken to stand side by side in memory, as
 * the firmware has them. */
static enum way find_way(const struct ring *ring, const struct native_image *image)
{
    unsigned number = native_number(image);
    const struct native_image *after = number + 1u < CHUNKS_PER_RING ? ring->chunk[number + 1u] : NULL;
    uint64_t to = native_next_self(image);
    if (image->stops && number == ring->last)
        return WAY_STOP;
    if (after != NULL)
        return to == after->self ? WAY_ON : WAY_WRONG;
    if (ring->chunk[0] != NULL && to == ring->chunk[0]->self)
        return WAY_AROUND;
    if (ring->chunk[0] == NULL && image->next == 0u - number * image->size)
        return WAY_AROUND;
    return image->next == image->size ? WAY_ON : WAY_WRONG;
}

/* How many chunks the ring has: at least so many, if the input lacks its last chunk. */
static uint32_t count_chunks(const struct ring *ring, struct trace *trace)
{
    uint32_t chunks = ring->last + 1u;
    for (unsigned i = 0; i <= ring->last; i++) {
        enum way way = ring->chunk[i] != NULL ? find_way(ring, ring->chunk[i]) : WAY_STOP;
        if (way == WAY_WRONG)
            trace_damage(trace, native_damage_offset(ring->chunk[i], offsetof(struct tlog_chunk, next)), 0, 0,
                         "the word `next` of a chunk is damaged");
        if (way == WAY_ON && i == ring->last)
            chunks++;
    }
    return chunks;
}

/* Learn about a ring from n images: of its chunks, or of chunks that stand alone on the same CPU. */
static void describe_ring(struct native_index *index, struct native_view *view, struct native_image *image, size_t n)
{
    struct native_ring *to = &index->ring[native_index_ring(image)];
    struct ring ring;
    for (size_t i = 0; i < n && to->freq == 0; i++)
        to->freq = image[i].freq;
    if (native_cpu(image) >= index->ncpus && native_role(image) != TLOG_ROLE_NAMES)
        index->ncpus = native_cpu(image) + 1u;
    if (is_alone(image))
        return;
    collect_ring(&ring, image, n);
    reopen_chunks(&ring, view);
    to->chunks = count_chunks(&ring, view->trace);
    if (ring.chunk[0] != NULL) {
        to->has_dropped = !ring.chunk[0]->counts_lost;
        to->dropped = ring.chunk[0]->dropped;
        to->unreported = ring.chunk[0]->unreported;
    }
}

static void describe_rings(struct native_index *index, struct native_view *view)
{
    size_t n;
    index->ncpus = 1;
    qsort(index->images, index->n, sizeof *index->images, image_order);
    for (size_t at = 0; at < index->n; at += n) {
        struct native_image *first = &index->images[at];
        for (n = 1; at + n < index->n; n++) {
            if (native_index_ring(&first[n]) != native_index_ring(first) || is_alone(&first[n]) != is_alone(first))
                break;
        }
        if (native_role(first) == TLOG_ROLE_EVENTS && native_lap_numbers_correct(view->trace, first, n))
            qsort(first, n, sizeof *first, image_order);
        describe_ring(index, view, first, n);
    }
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

/* By lane. Only in the lane of a ring are chunks of several numbers. */
static int lane_order(const struct native_part *a, const struct native_part *b)
{
    int order = compare(a->ring, b->ring);
    if (order == 0)
        order = compare(a->kind, b->kind);
    return order == 0 && a->kind != NATIVE_OF_RING ? compare(a->number, b->number) : order;
}

bool native_index_same_lane(const struct native_part *a, const struct native_part *b)
{
    return lane_order(a, b) == 0;
}

static bool is_same_lap(const struct native_part *a, const struct native_part *b)
{
    return lane_order(a, b) == 0 && a->self == b->self && a->number == b->number && a->lap == b->lap;
}

/* For qsort(): by lane, then by the number of the lap; parts of the same lap by image, the latest first. */
static int lap_order(const void *a, const void *b)
{
    const struct native_part *left = a, *right = b;
    int order = lane_order(left, right);
    if (order == 0)
        order = compare(left->lap, right->lap);
    if (order == 0)
        order = compare(left->number, right->number);
    if (order == 0)
        order = compare(left->self, right->self);
    return order ? order : compare(left->image, right->image);
}

/* For qsort() of the parts of one lane: by time. */
static int stamp_order(const void *a, const void *b)
{
    const struct native_part *left = a, *right = b;
    int order = compare(left->stamp, right->stamp);
    return order ? order : lap_order(a, b);
}

/* Whether an image has a part, and of which lap it is. Emergency slots are filled once: in lap 1. */
static bool has_part(const struct native_image *image, enum native_part_kind which, uint64_t *lap)
{
    switch (which) {
    case NATIVE_PART_BEFORE:
        *lap = image->lap - 1u;
        return image->lap > 1u && !image->piece && image->used < image->layout.slots;
    case NATIVE_PART_LAST:
        *lap = image->lap;
        return image->lap > 0 && image->used > 0;
    default:
        *lap = 1u;
        return image->emergency_used > 0;
    }
}

/* Add the parts that an image has. */
static void add_parts(struct native_index *index, uint32_t image)
{
    const struct native_image *of = &index->images[image];
    for (unsigned which = 0; which < NATIVE_PARTS; which++) {
        unsigned kind = is_alone(of) ? NATIVE_ALONE : NATIVE_OF_RING;
        uint64_t lap;
        if (which == NATIVE_PART_EMERGENCY)
            kind = is_alone(of) ? NATIVE_EMERGENCY_ALONE : NATIVE_EMERGENCY_OF_RING;
        if (has_part(of, which, &lap))
            index->parts[index->nparts++] = (struct native_part){.stamp = of->stamp[which],
                                                                 .lap = lap,
                                                                 .image = image,
                                                                 .self = of->self,
                                                                 .ring = (uint16_t)native_index_ring(of),
                                                                 .kind = (uint8_t)kind,
                                                                 .number = (uint8_t)native_number(of),
                                                                 .which = (uint8_t)which};
    }
}

size_t native_index_parts_of_lap(const struct native_index *index, size_t at, size_t end)
{
    size_t n = 1;
    while (at + n < end && is_same_lap(&index->parts[at + n], &index->parts[at]))
        n++;
    return n;
}

/* Give all parts of a lap one stamp. A lap without any legible event takes that of the lap before it. */
static void share_stamps(struct native_index *index)
{
    uint64_t before = 0;
    size_t n;
    for (size_t at = 0; at < index->nparts; at += n) {
        struct native_part *part = &index->parts[at];
        uint64_t stamp = NATIVE_STAMP_UNKNOWN;
        n = native_index_parts_of_lap(index, at, index->nparts);
        for (size_t i = 0; i < n; i++)
            stamp = part[i].stamp < stamp ? part[i].stamp : stamp;
        if (stamp == NATIVE_STAMP_UNKNOWN)
            stamp = at > 0 && lane_order(&part[-1], part) == 0 ? before : 0;
        for (size_t i = 0; i < n; i++)
            part[i].stamp = stamp;
        before = stamp;
    }
}

/* The number of a part's lap among all laps of its lane, from 0 on: its chunks take turns. */
static uint64_t turn_of(const struct native_index *index, const struct native_part *part)
{
    uint32_t chunks = part->kind == NATIVE_OF_RING ? index->ring[part->ring].chunks : 1u;
    return chunks > 1u ? (part->lap - 1u) * chunks + part->number : part->lap - 1u;
}

/* Whether the laps of parts `at` to end - 1, which are of one lane, follow each other without a gap: then their numbers
 * are right. */
static bool are_consecutive(const struct native_index *index, size_t at, size_t end)
{
    uint64_t turn = turn_of(index, &index->parts[at]);
    for (size_t n; at < end; at += n, turn++) {
        if (turn_of(index, &index->parts[at]) != turn)
            return false;
        n = native_index_parts_of_lap(index, at, end);
    }
    return true;
}

/* Where the stamps of laps that follow each other step back, the clock wrapped unseen: add the wraps. A lap of a single
 * slot does not tell that. */
static void unwrap_lane(struct native_index *index, size_t at, size_t end)
{
    uint64_t before = 0, wraps = 0;
    for (size_t n; at < end; at += n) {
        struct native_part *part = &index->parts[at];
        uint64_t stamp = part->stamp + wraps;
        n = native_index_parts_of_lap(index, at, end);
        if (stamp < before && before - stamp < NATIVE_WRAP / 2u
            && native_part_last(index, part) > native_part_first(index, part))
            wraps += NATIVE_WRAP;
        for (size_t i = 0; i < n; i++)
            part[i].stamp += wraps;
        before = part->stamp;
    }
}

/* Whether the numbers of all laps are confirmed by a seal or a CONTROL BUFFER slot. */
static bool are_confirmed(const struct native_index *index, size_t at, size_t end)
{
    for (; at < end; at++) {
        const struct native_image *image = &index->images[index->parts[at].image];
        if (!image->sealed && !image->lap_confirmed)
            return false;
    }
    return true;
}

/* Put the parts of each lane in order. So far they are in the order of their laps' numbers. */
static void order_lanes(struct native_index *index)
{
    size_t n;
    for (size_t at = 0; at < index->nparts; at += n) {
        bool is_ring = !native_is_emergency(index->parts[at].kind) && index->parts[at].ring != NATIVE_RING_NAMES;
        bool follow;
        for (n = 1; at + n < index->nparts && lane_order(&index->parts[at + n], &index->parts[at]) == 0;)
            n++;
        follow = is_ring && are_consecutive(index, at, at + n);
        if (follow)
            unwrap_lane(index, at, at + n);
        if (!follow && !are_confirmed(index, at, at + n))
            qsort(&index->parts[at], n, sizeof *index->parts, stamp_order);
    }
}

/* Make the list of parts, in order. It is sorted by the numbers of laps first, because a lap without a stamp takes the
 * stamp of the lap before it. Returns 0, or -1 after trace_fail(). */
static int order_parts(struct native_index *index, struct trace *trace)
{
    index->parts = heap_calloc(index->n * NATIVE_PARTS, sizeof *index->parts);
    if (index->parts == NULL)
        return trace_fail(trace, "%s: no memory for %zu chunks", trace->input_name, index->n);
    for (size_t i = 0; i < index->n; i++)
        add_parts(index, (uint32_t)i);
    qsort(index->parts, index->nparts, sizeof *index->parts, lap_order);
    share_stamps(index);
    order_lanes(index);
    return 0;
}

uint32_t native_part_first(const struct native_index *index, const struct native_part *part)
{
    const struct native_image *image = &index->images[part->image];
    if (part->which == NATIVE_PART_EMERGENCY)
        return native_first_emergency(image->layout);
    return part->which == NATIVE_PART_LAST ? image->hidden + 1u : image->used + 1u;
}

uint32_t native_part_last(const struct native_index *index, const struct native_part *part)
{
    const struct native_image *image = &index->images[part->image];
    if (part->which == NATIVE_PART_EMERGENCY)
        return native_first_emergency(image->layout) + image->emergency_used - 1u;
    return part->which == NATIVE_PART_LAST ? image->used : image->layout.slots;
}

uint32_t native_part_available(const struct native_index *index, const struct native_part *part)
{
    uint32_t first = native_part_first(index, part), last = native_part_last(index, part);
    uint32_t have = native_slot_available(&index->images[part->image]);
    if (have >= last)
        return last;
    return have >= first ? have : first - 1u;
}

/* ---- lanes ------------------------------------------------------------------------------------------------------- */

/* Add the lane that the part `like` is of. Its parts begin with part number `first`; if that part is of another lane,
 * the lane is empty. Returns the number of the part behind the lane. */
static size_t add_lane(struct native_index *index, size_t first, struct native_part like)
{
    bool is_ring = like.kind == NATIVE_OF_RING;
    size_t n = 0;
    while (first + n < index->nparts && lane_order(&index->parts[first + n], &like) == 0)
        n++;
    index->lanes[index->nlanes++] = (struct native_lane){.first = first,
                                                         .n = n,
                                                         .ring = like.ring,
                                                         .kind = like.kind,
                                                         .number = is_ring ? 0 : like.number,
                                                         .chunks = is_ring ? index->ring[like.ring].chunks : 1u};
    return first + n;
}

/* Add all lanes of a ring, whose parts begin with number `first`: the ring's own lane even if it is empty. Returns the
 * number of the next ring's first part. */
static size_t add_lanes(struct native_index *index, unsigned ring, size_t first)
{
    size_t at = add_lane(index, first, (struct native_part){.ring = (uint16_t)ring, .kind = NATIVE_OF_RING});
    while (at < index->nparts && index->parts[at].ring == ring)
        at = add_lane(index, at, index->parts[at]);
    return at;
}

/* Make the list of lanes. Returns 0, or -1 after trace_fail(). */
static int collect_lanes(struct native_index *index, struct trace *trace)
{
    size_t at = 0;
    index->lanes = heap_calloc(index->nparts + index->ncpus + 1u, sizeof *index->lanes);
    if (index->lanes == NULL)
        return trace_fail(trace, "%s: no memory for %zu laps", trace->input_name, index->nparts);
    for (unsigned cpu = 0; cpu < index->ncpus; cpu++)
        at = add_lanes(index, cpu, at);
    add_lanes(index, NATIVE_RING_NAMES, at);
    return 0;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* The memory for unpacking any image of a lane: bytes of the largest one and its region. 0: none is packed. */
static uint64_t unpacked_size(const struct native_index *index, const struct native_lane *lane)
{
    uint64_t most = 0;
    for (size_t i = 0; i < lane->n; i++) {
        const struct native_image *image = &index->images[index->parts[lane->first + i].image];
        uint64_t size = image->packed ? (uint64_t)image->size + image->region_size : 0;
        most = size > most ? size : most;
    }
    return most;
}

/* All lanes are read at the same time, each with an image in memory. Images that are not compressed take no more memory
 * together than the input has bytes. Compressed ones may take more, and a hostile dump has more lanes than any
 * firmware: those that are too many are left out. */
static void leave_out_lanes(struct native_index *index, struct native_view *view)
{
    uint64_t room = LANES + LANES_TIMES * input_size(view->in);
    size_t n = 0;
    for (size_t i = 0; i < index->nlanes; i++) {
        struct native_lane lane = index->lanes[i];
        uint64_t size = LANE_BYTES + unpacked_size(index, &lane);
        bool fits = lane.n == 0 || size <= room;
        if (fits && lane.n > 0)
            room -= size;
        if (!fits)
            trace_damage(view->trace, index->images[index->parts[lane.first].image].offset, 0, 0,
                         "chunk %u of CPU %u is left out: there are too many to merge", lane.number, lane.ring);
        lane.n = fits ? lane.n : 0;
        if (fits || lane.kind == NATIVE_OF_RING)
            index->lanes[n++] = lane;
    }
    index->nlanes = n;
}

/* ---- chunks that are missing ------------------------------------------------------------------------------------- */

static bool has_chunk(const struct native_index *index, unsigned ring, unsigned number)
{
    for (size_t i = 0; i < index->n; i++) {
        const struct native_image *image = &index->images[i];
        if (native_index_ring(image) == ring && !is_alone(image) && native_number(image) == number)
            return true;
    }
    return false;
}

/* Whether the run must have opened a chunk of a ring, as another one tells: the chunks of a ring take turns. */
static bool must_be_open(const struct native_index *index, unsigned ring, unsigned number)
{
    for (size_t i = 0; i < index->n; i++) {
        const struct native_image *image = &index->images[i];
        if (native_index_ring(image) == ring && !is_alone(image)
            && (image->lap > 1u || (image->lap == 1u && native_number(image) > number)))
            return true;
    }
    return false;
}

/* How many chunks a ring has, as its images tell. */
static unsigned chunks_told(const struct native_index *index, unsigned ring)
{
    unsigned chunks = index->ring[ring].chunks;
    for (size_t i = 0; i < index->n; i++) {
        const struct native_image *image = &index->images[i];
        if (native_index_ring(image) == ring && !is_alone(image) && image->place >> 24 > chunks)
            chunks = image->place >> 24;
    }
    return chunks;
}

/* Report the chunks of a ring that no image shows, although they were opened: the input may have been cut. */
static void check_ring(const struct native_index *index, unsigned ring, struct native_view *view)
{
    unsigned chunks = native_view_spend(view, index->n) ? chunks_told(index, ring) : 0;
    for (unsigned number = 0; number < chunks && native_view_spend(view, index->n); number++) {
        if (!has_chunk(index, ring, number) && must_be_open(index, ring, number))
            trace_damage(view->trace, input_size(view->in), 0, 0,
                         "chunk %u of CPU %u is missing: other chunks tell that it was opened", number, ring);
    }
}

/* A chunk was left for another one, which stands alone: report it if no image shows that one. */
static void check_goal(const struct native_index *index, const struct native_image *image, struct native_view *view)
{
    bool found = image->goal == 0 || !native_view_spend(view, index->n);
    for (size_t i = 0; i < index->n && !found; i++)
        found = index->images[i].self == native_goal_self(image);
    if (!found)
        trace_damage(view->trace, input_size(view->in), 0, 0,
                     "a chunk is missing that logging went on in behind chunk %u of CPU %u", native_number(image),
                     native_cpu(image));
}

static void check_missing(const struct native_index *index, struct native_view *view)
{
    for (unsigned ring = 0; ring < index->ncpus; ring++)
        check_ring(index, ring, view);
    for (size_t i = 0; i < index->n; i++)
        check_goal(index, &index->images[i], view);
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

int native_index_build(struct native_index *index, struct native_view *view)
{
    describe_rings(index, view);
    if (order_parts(index, view->trace) != 0 || collect_lanes(index, view->trace) != 0)
        return -1;
    leave_out_lanes(index, view);
    check_missing(index, view);
    return 0;
}

void native_index_free(struct native_index *index)
{
    heap_free(index->images);
    heap_free(index->parts);
    heap_free(index->lanes);
    heap_free(index->extras);
    heap_free(index->anchors);
}
