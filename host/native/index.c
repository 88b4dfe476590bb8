/* index.c - the images of a dump and the order of their laps: see index.h.
 *
 * Laps are put in order by a stamp from each, not by their numbers: so a damaged number may cost an exact count of what
 * was overwritten, but never the order of events.
 */
#include "native/index.h"

#include "native/find.h"
#include "native/open.h"
#include "native/runs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define IMAGES_FIRST    64u /* room for so many at first */
#define CHUNKS_PER_RING 256u

/* ---- images ------------------------------------------------------------------------------------------------------ */

static int add_image(struct native_index *index, struct native_view *view, const struct native_header *header)
{
    if (index->n == index->room) {
        size_t room = index->room ? index->room * 2u : IMAGES_FIRST;
        struct native_image *images = realloc(index->images, room * sizeof *images);
        if (images == NULL)
            return trace_fail(view->trace, "%s: no memory for %zu chunks", view->trace->input_name, room);
        index->images = images;
        index->room = room;
    }
    return native_image_open(view, header, &index->images[index->n++]);
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

/* Find all images of the input. Nothing is searched inside an image. Returns 0, or -1 after trace_fail(). */
static int find_images(struct native_index *index, struct native_view *view, struct problem *problem)
{
    struct native_header header;
    uint64_t at = 0;
    for (;;) {
        switch (native_find(view->in, at, input_size(view->in), &header)) {
        case NATIVE_NOTHING:
            return 0;
        case NATIVE_BROKEN:
            take_broken(view, problem, &header);
            at = header.offset + (header.intact ? TLOG_CRC_BYTES : NATIVE_PATTERNS_BYTES);
            break;
        case NATIVE_HEADER:
            report(view, problem);
            if (add_image(index, view, &header) != 0)
                return -1;
            at = header.offset + native_extent(&index->images[index->n - 1u]);
            break;
        }
    }
}

/* ---- rings ------------------------------------------------------------------------------------------------------- */

/* The ring of an image: an index in native_index.ring. Chunks that stand alone count as those of their CPU. */
static unsigned ring_of(const struct native_image *image)
{
    return native_role(image) == TLOG_ROLE_NAMES ? NATIVE_RING_NAMES : native_cpu(image);
}

static bool is_alone(const struct native_image *image)
{
    return native_role(image) == TLOG_ROLE_FREE;
}

static int compare(uint64_t left, uint64_t right)
{
    return (left > right) - (left < right);
}

/* For qsort(): by ring, chunks that stand alone behind those of the ring; then by chunk, its latest image first. */
static int image_order(const void *a, const void *b)
{
    const struct native_image *left = a, *right = b;
    int order = compare(ring_of(left), ring_of(right));
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
    const struct native_image *chunk[CHUNKS_PER_RING]; /* by number; NULL = not in the input */
    unsigned last;                                     /* highest number there is */
};

/* Collect the chunks of n images, of which the latest of each chunk comes first. */
static void collect_ring(struct ring *ring, const struct native_image *image, size_t n)
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

/* Where the word `next` of a chunk leads: to the chunk with the next number, to the first one, or nowhere. */
enum way { WAY_ON, WAY_AROUND, WAY_STOP, WAY_WRONG };

/* If the chunk that should follow is not in the input, the chunks of a ring are taken to lie side by side in memory, as
 * the firmware has them. */
static enum way find_way(const struct ring *ring, const struct native_image *image)
{
    unsigned number = native_number(image);
    const struct native_image *after = number + 1u < CHUNKS_PER_RING ? ring->chunk[number + 1u] : NULL;
    uint32_t to = image->self + image->next;
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

/* How many chunks the ring has; if its last chunk is not in the input, how many it has at least. */
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

/* Learn about a ring from n images of its chunks, or of chunks that stand alone on the same CPU. */
static void describe_ring(struct native_index *index, struct trace *trace, const struct native_image *image, size_t n)
{
    struct native_ring *to = &index->ring[ring_of(image)];
    struct ring ring;
    for (size_t i = 0; i < n && to->freq == 0; i++)
        to->freq = image[i].freq;
    if (native_cpu(image) >= index->ncpus && native_role(image) != TLOG_ROLE_NAMES)
        index->ncpus = native_cpu(image) + 1u;
    if (is_alone(image))
        return;
    collect_ring(&ring, image, n);
    to->chunks = count_chunks(&ring, trace);
    if (ring.chunk[0] != NULL) {
        to->has_dropped = true;
        to->dropped = ring.chunk[0]->dropped;
        to->unreported = ring.chunk[0]->dropped - ring.chunk[0]->reported;
    }
}

static void describe_rings(struct native_index *index, struct trace *trace)
{
    size_t n;
    index->ncpus = 1;
    qsort(index->images, index->n, sizeof *index->images, image_order);
    for (size_t at = 0; at < index->n; at += n) {
        const struct native_image *first = &index->images[at];
        for (n = 1; at + n < index->n; n++) {
            if (ring_of(&first[n]) != ring_of(first) || is_alone(&first[n]) != is_alone(first))
                break;
        }
        describe_ring(index, trace, first, n);
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

/* For qsort(): by lane, then by time. */
static int stamp_order(const void *a, const void *b)
{
    const struct native_part *left = a, *right = b;
    int order = lane_order(left, right);
    if (order == 0)
        order = compare(left->stamp, right->stamp);
    return order ? order : lap_order(a, b);
}

/* Whether an image has a part, and of which lap it is. Emergency slots are filled once: in lap 1. */
static bool has_part(const struct native_image *image, enum native_part_kind which, uint32_t *lap)
{
    switch (which) {
    case NATIVE_PART_BEFORE:
        *lap = image->lap - 1u;
        return image->lap > 1u && image->used < image->layout.slots;
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
        uint32_t lap;
        if (which == NATIVE_PART_EMERGENCY)
            kind = is_alone(of) ? NATIVE_EMERGENCY_ALONE : NATIVE_EMERGENCY_OF_RING;
        if (has_part(of, which, &lap))
            index->parts[index->nparts++] = (struct native_part){.stamp = of->stamp[which],
                                                                 .lap = lap,
                                                                 .image = image,
                                                                 .self = of->self,
                                                                 .ring = (uint16_t)ring_of(of),
                                                                 .kind = (uint8_t)kind,
                                                                 .number = (uint8_t)native_number(of),
                                                                 .which = (uint8_t)which};
    }
}

size_t native_index_lap(const struct native_index *index, size_t at, size_t end)
{
    size_t n = 1;
    while (at + n < end && is_same_lap(&index->parts[at + n], &index->parts[at]))
        n++;
    return n;
}

/* Give all parts of a lap one stamp. A lap without any legible event stays behind the lap before it. */
static void share_stamps(struct native_index *index)
{
    uint64_t before = 0;
    size_t n;
    for (size_t at = 0; at < index->nparts; at += n) {
        struct native_part *part = &index->parts[at];
        uint64_t stamp = NATIVE_STAMP_UNKNOWN;
        n = native_index_lap(index, at, index->nparts);
        for (size_t i = 0; i < n; i++)
            stamp = part[i].stamp < stamp ? part[i].stamp : stamp;
        if (stamp == NATIVE_STAMP_UNKNOWN)
            stamp = at > 0 && lane_order(&part[-1], part) == 0 ? before : 0;
        for (size_t i = 0; i < n; i++)
            part[i].stamp = stamp;
        before = stamp;
    }
}

/* Make the list of parts, in order. Twice, because a lap without a stamp takes that of the lap before it: so the laps
 * have to be in the order of their numbers first. Returns 0, or -1 after trace_fail(). */
static int order_parts(struct native_index *index, struct trace *trace)
{
    index->parts = calloc(index->n * NATIVE_PARTS, sizeof *index->parts);
    if (index->parts == NULL)
        return trace_fail(trace, "%s: no memory for %zu chunks", trace->input_name, index->n);
    for (size_t i = 0; i < index->n; i++)
        add_parts(index, (uint32_t)i);
    qsort(index->parts, index->nparts, sizeof *index->parts, lap_order);
    share_stamps(index);
    qsort(index->parts, index->nparts, sizeof *index->parts, stamp_order);
    return 0;
}

uint32_t native_part_first(const struct native_index *index, const struct native_part *part)
{
    const struct native_image *image = &index->images[part->image];
    if (part->which == NATIVE_PART_EMERGENCY)
        return native_first_emergency(image->layout);
    return part->which == NATIVE_PART_LAST ? 1u : image->used + 1u;
}

uint32_t native_part_last(const struct native_index *index, const struct native_part *part)
{
    const struct native_image *image = &index->images[part->image];
    if (part->which == NATIVE_PART_EMERGENCY)
        return native_first_emergency(image->layout) + image->emergency_used - 1u;
    return part->which == NATIVE_PART_LAST ? image->used : image->layout.slots;
}

/* ---- lanes ------------------------------------------------------------------------------------------------------- */

/* Add the lane that begins with part first, if that is of the lane `like`; otherwise an empty lane. Returns the part
 * behind it. */
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

/* Add all lanes of a ring, whose parts begin at first; the ring's own lane even if it is empty. Returns the first part
 * of the next ring. */
static size_t add_lanes(struct native_index *index, unsigned ring, size_t first)
{
    size_t at = add_lane(index, first, (struct native_part){.ring = (uint16_t)ring, .kind = NATIVE_OF_RING});
    while (at < index->nparts && index->parts[at].ring == ring)
        at = add_lane(index, at, index->parts[at]);
    return at;
}

/* Make the list of lanes of the parts, which are in order. Returns 0, or -1 after trace_fail(). */
static int collect_lanes(struct native_index *index, struct trace *trace)
{
    size_t at = 0;
    index->lanes = calloc(index->nparts + index->ncpus + 1u, sizeof *index->lanes);
    if (index->lanes == NULL)
        return trace_fail(trace, "%s: no memory for %zu laps", trace->input_name, index->nparts);
    for (unsigned cpu = 0; cpu < index->ncpus; cpu++)
        at = add_lanes(index, cpu, at);
    add_lanes(index, NATIVE_RING_NAMES, at);
    return 0;
}

/* ---- chunks that are missing ------------------------------------------------------------------------------------- */

static bool has_chunk(const struct native_index *index, unsigned ring, unsigned number)
{
    for (size_t i = 0; i < index->n; i++) {
        const struct native_image *image = &index->images[i];
        if (ring_of(image) == ring && !is_alone(image) && native_number(image) == number)
            return true;
    }
    return false;
}

/* When a ring's last events fill their chunk, the events after them are in the chunk that follows. If no image shows
 * that one, report that the input may have been cut, which ends at `end`. Any other gap shows in the numbers of
 * laps. */
static void check_follower(const struct native_index *index, const struct native_lane *lane, struct trace *trace,
                           uint64_t end)
{
    const struct native_part *last = &index->parts[lane->first + lane->n - 1u];
    const struct native_image *image = &index->images[last->image];
    unsigned follower = (last->number + 1u) % (lane->chunks ? lane->chunks : 1u);
    if (image->used < image->layout.slots || (image->stops && follower == 0) || has_chunk(index, lane->ring, follower))
        return;
    trace_damage(trace, end, 0, 0, "chunk %u of CPU %u is missing: the input may have been cut", follower, lane->ring);
}

static void check_followers(const struct native_index *index, struct native_view *view)
{
    for (size_t i = 0; i < index->nlanes; i++) {
        const struct native_lane *lane = &index->lanes[i];
        if (lane->n > 0 && lane->kind == NATIVE_OF_RING && lane->ring != NATIVE_RING_NAMES)
            check_follower(index, lane, view->trace, input_size(view->in));
    }
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

int native_index_build(struct native_index *index, struct native_view *view)
{
    struct problem problem = {0};
    struct trace *trace = view->trace;
    if (find_images(index, view, &problem) != 0)
        return -1;
    if (index->n == 0 && problem.reason[0] == '\0')
        return trace_fail(trace, "%s: no tlog chunk found in %" PRIu64 " bytes", trace->input_name,
                          input_size(view->in));
    if (index->n == 0)
        return trace_fail(trace, "%s: offset 0x%" PRIx64 ": %s", trace->input_name, problem.offset, problem.reason);
    report(view, &problem);
    if (native_keep_one_run(index->images, &index->n, trace) != 0)
        return -1;
    describe_rings(index, trace);
    if (order_parts(index, trace) != 0 || collect_lanes(index, trace) != 0)
        return -1;
    check_followers(index, view);
    return 0;
}

void native_index_free(struct native_index *index)
{
    free(index->images);
    free(index->parts);
    free(index->lanes);
}
