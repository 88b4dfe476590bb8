/* index.c - the images of a dump and the order of their laps: see index.h.
 *
 * Laps are ordered by a time from each, not by their number: a damaged number then costs an exact count, never the
 * order.
 */
#include "native/index.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IMAGES_FIRST    64u
#define RUNS_SHOWN      8u
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

/* A broken header is damage; the first one is held back until an image is found, because without any it is the error.
 */
struct problem {
    bool waiting;
    uint64_t offset;
    char reason[sizeof((struct native_header *)NULL)->reason];
};

static void tell(struct native_view *view, struct problem *problem)
{
    if (problem->waiting)
        trace_damage(view->trace, problem->offset, 0, 0, "%s", problem->reason);
    problem->waiting = false;
}

static void take_broken(struct native_view *view, struct problem *first, const struct native_header *header)
{
    bool another = first->reason[0] != '\0' || view->trace->counts.gaps > 0;

    tell(view, first);
    if (another) {
        trace_damage(view->trace, header->offset, 0, 0, "%s", header->reason);
        return;
    }
    first->waiting = true;
    first->offset = header->offset;
    memcpy(first->reason, header->reason, sizeof first->reason);
}

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
            at = header.offset + (header.intact ? TLOG_CRC_BYTES : 8u);
            break;
        case NATIVE_HEADER:
            tell(view, problem);
            if (add_image(index, view, &header) != 0)
                return -1;
            at = header.offset + native_extent(&index->images[index->n - 1u]);
            break;
        }
    }
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

static int boot_order(const void *a, const void *b)
{
    uint32_t left = ((const struct native_image *)a)->boot, right = ((const struct native_image *)b)->boot;

    return (left < right) - (left > right);
}

static size_t images_of_run(const struct native_index *index, size_t first)
{
    size_t n = 1;

    while (first + n < index->n && index->images[first + n].boot == index->images[first].boot)
        n++;
    return n;
}

/* Numbers of runs wrap: the newest one is that with the widest gap above it. The images of its run are the first ones
 * then, those of the run before it the next ones, and so on. */
static int turn_to_newest(struct native_index *index, struct trace *trace)
{
    uint32_t above = index->images[index->n - 1u].boot, widest = 0;
    size_t newest = 0;
    struct native_image *images;

    for (size_t at = 0; at < index->n; at += images_of_run(index, at)) {
        uint32_t gap = above - index->images[at].boot - 1u; /* of the only run: all there is */

        if (gap > widest) {
            widest = gap;
            newest = at;
        }
        above = index->images[at].boot;
    }
    if (newest == 0)
        return 0;
    images = malloc(index->n * sizeof *images);
    if (images == NULL)
        return trace_fail(trace, "%s: no memory for %zu chunks", trace->input_name, index->n);
    for (size_t i = 0; i < index->n; i++)
        images[i] = index->images[(newest + i) % index->n];
    free(index->images);
    index->images = images;
    index->room = index->n;
    return 0;
}

/* Where the images of the run that is asked for begin: by its number, or by how many runs before the newest it was. */
static int choose_run(const struct native_index *index, struct trace *trace, size_t *chosen)
{
    int64_t wanted = trace->run;
    size_t at = 0;

    for (; at < index->n; at += images_of_run(index, at)) {
        if (wanted > 0 ? index->images[at].boot == wanted : wanted++ == 0)
            break;
    }
    *chosen = at;
    if (at < index->n)
        return 0;
    return trace_fail(trace, "%s: there is no such run; the newest is run %" PRIu32, trace->input_name,
                      index->images[0].boot);
}

static void say_run(const struct native_index *index, const struct trace *trace, size_t at, uint32_t decoded)
{
    size_t n = images_of_run(index, at);

    fprintf(stderr,
            "tlog-decode: %s: run %" PRIu32 " of the firmware is left out (%zu chunk%s); decoding run %" PRIu32 "\n",
            trace->input_name, index->images[at].boot, n, n == 1 ? "" : "s", decoded);
}

/* Times of different runs cannot be compared: keep the newest, or the one that is asked for, and say what is left out. */
static int keep_one_run(struct native_index *index, struct trace *trace)
{
    unsigned shown = 0;
    size_t chosen;

    qsort(index->images, index->n, sizeof *index->images, boot_order);
    if (turn_to_newest(index, trace) != 0 || choose_run(index, trace, &chosen) != 0)
        return -1;
    for (size_t at = 0; at < index->n && !trace->quiet && shown <= RUNS_SHOWN; at += images_of_run(index, at)) {
        if (at == chosen)
            continue;
        if (shown++ == RUNS_SHOWN)
            fprintf(stderr, "tlog-decode: %s: and further runs\n", trace->input_name);
        else
            say_run(index, trace, at, index->images[chosen].boot);
    }
    index->n = images_of_run(index, chosen);
    memmove(index->images, index->images + chosen, index->n * sizeof *index->images);
    return 0;
}

/* ---- rings ------------------------------------------------------------------------------------------------------- */

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

/* By ring and chunk, those that stand alone behind the ring's; of one chunk the latest image first. */
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

/* Where `next` may lead from a chunk: to the one numbered after it, else to the first one, or nowhere. */
enum way { WAY_ON, WAY_AROUND, WAY_STOP, WAY_WRONG };

static enum way way_of(const struct ring *ring, const struct native_image *image)
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

/* Chunks of the ring; if its end is not in the input, at least so many. */
static uint32_t count_chunks(const struct ring *ring, struct trace *trace)
{
    uint32_t chunks = ring->last + 1u;

    for (unsigned i = 0; i <= ring->last; i++) {
        enum way way = ring->chunk[i] != NULL ? way_of(ring, ring->chunk[i]) : WAY_STOP;

        if (way == WAY_WRONG)
            trace_damage(trace, native_place(ring->chunk[i], 64), 0, 0, "the word `next` of a chunk is damaged");
        if (way == WAY_ON && i == ring->last)
            chunks++;
    }
    return chunks;
}

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

        for (n = 1;
             at + n < index->n && ring_of(&first[n]) == ring_of(first) && is_alone(&first[n]) == is_alone(first);)
            n++;
        describe_ring(index, trace, first, n);
    }
}

/* ---- segments ---------------------------------------------------------------------------------------------------- */

/* By lanes. Only a ring has chunks of several numbers. */
static int lane_order(const struct native_segment *a, const struct native_segment *b)
{
    int order = compare(a->ring, b->ring);

    if (order == 0)
        order = compare(a->kind, b->kind);
    return order == 0 && a->kind != NATIVE_OF_RING ? compare(a->number, b->number) : order;
}

static bool same_lap(const struct native_segment *a, const struct native_segment *b)
{
    return lane_order(a, b) == 0 && a->self == b->self && a->number == b->number && a->lap == b->lap;
}

static int place_order(const void *a, const void *b)
{
    const struct native_segment *left = a, *right = b;
    int order = lane_order(left, right);

    if (order == 0)
        order = compare(left->lap, right->lap);
    if (order == 0)
        order = compare(left->number, right->number);
    if (order == 0)
        order = compare(left->self, right->self);
    return order ? order : compare(left->image, right->image);
}

static int time_order(const void *a, const void *b)
{
    const struct native_segment *left = a, *right = b;
    int order = lane_order(left, right);

    if (order == 0)
        order = compare(left->time, right->time);
    return order ? order : place_order(a, b);
}

/* Which of an image's three segments there are, and of which lap. Emergency slots are filled once: in lap 1. */
static bool has_segment(const struct native_image *image, unsigned which, uint32_t *lap)
{
    *lap = which == 2u ? 1u : image->lap - 1u + which;
    if (which == 2u)
        return image->emergency_used > 0;
    return which == 1u ? image->lap > 0 && image->used > 0 : image->lap > 1u && image->used < image->slots;
}

static void add_segments(struct native_index *index, uint32_t image)
{
    const struct native_image *of = &index->images[image];

    for (unsigned which = 0; which < 3u; which++) {
        unsigned kind = (is_alone(of) ? NATIVE_ALONE : NATIVE_OF_RING) + (which == 2u ? 2u : 0u);
        uint32_t lap;

        if (has_segment(of, which, &lap))
            index->segments[index->nsegments++] = (struct native_segment){
                of->time[which], lap, image, of->self, (uint16_t)ring_of(of), (uint8_t)kind, (uint8_t)native_number(of),
                (uint8_t)which};
    }
}

size_t native_lap_segments(const struct native_index *index, size_t at, size_t end)
{
    size_t n = 1;

    while (at + n < end && same_lap(&index->segments[at + n], &index->segments[at]))
        n++;
    return n;
}

/* One time for all segments of a lap; a lap without any legible event stays behind the one before it. */
static void share_times(struct native_index *index)
{
    uint64_t before = 0;
    size_t n;

    for (size_t at = 0; at < index->nsegments; at += n) {
        struct native_segment *segment = &index->segments[at];
        uint64_t time = NATIVE_TIME_UNKNOWN;

        n = native_lap_segments(index, at, index->nsegments);
        for (size_t i = 0; i < n; i++)
            time = segment[i].time < time ? segment[i].time : time;
        if (time == NATIVE_TIME_UNKNOWN)
            time = at > 0 && lane_order(&segment[-1], segment) == 0 ? before : 0;
        for (size_t i = 0; i < n; i++)
            segment[i].time = time;
        before = time;
    }
}

static int order_segments(struct native_index *index, struct trace *trace)
{
    index->segments = calloc(index->n * 3u, sizeof *index->segments);
    if (index->segments == NULL)
        return trace_fail(trace, "%s: no memory for %zu chunks", trace->input_name, index->n);
    for (size_t i = 0; i < index->n; i++)
        add_segments(index, (uint32_t)i);
    qsort(index->segments, index->nsegments, sizeof *index->segments, place_order);
    share_times(index);
    qsort(index->segments, index->nsegments, sizeof *index->segments, time_order);
    return 0;
}

/* ---- lanes ------------------------------------------------------------------------------------------------------- */

static void add_lane(struct native_index *index, size_t first, size_t n, struct native_segment like)
{
    bool is_ring = like.kind == NATIVE_OF_RING;

    index->lanes[index->nlanes++] = (struct native_lane){
        first, n, like.ring, like.kind, is_ring ? 0 : like.number, is_ring ? index->ring[like.ring].chunks : 1u};
}

/* The lanes of a ring, whose segments begin at first; where those of the next one do. */
static size_t add_lanes(struct native_index *index, unsigned ring, size_t first)
{
    struct native_segment like = {.ring = (uint16_t)ring, .kind = NATIVE_OF_RING};
    size_t n = 0, at = first;

    while (at + n < index->nsegments && lane_order(&index->segments[at + n], &like) == 0)
        n++;
    add_lane(index, at, n, like);
    for (at += n; at < index->nsegments && index->segments[at].ring == ring; at += n) {
        like = index->segments[at];
        for (n = 1; at + n < index->nsegments && lane_order(&index->segments[at + n], &like) == 0;)
            n++;
        add_lane(index, at, n, like);
    }
    return at;
}

static int collect_lanes(struct native_index *index, struct trace *trace)
{
    size_t at = 0;

    index->lanes = calloc(index->nsegments + index->ncpus + 1u, sizeof *index->lanes);
    if (index->lanes == NULL)
        return trace_fail(trace, "%s: no memory for %zu laps", trace->input_name, index->nsegments);
    for (unsigned cpu = 0; cpu < index->ncpus; cpu++)
        at = add_lanes(index, cpu, at);
    add_lanes(index, NATIVE_RING_NAMES, at);
    return 0;
}

uint32_t native_segment_first(const struct native_index *index, const struct native_segment *segment)
{
    const struct native_image *image = &index->images[segment->image];

    if (segment->which == 2u)
        return image->slots + 2u;
    return segment->which ? 1u : image->used + 1u;
}

uint32_t native_segment_last(const struct native_index *index, const struct native_segment *segment)
{
    const struct native_image *image = &index->images[segment->image];

    if (segment->which == 2u)
        return image->slots + 1u + image->emergency_used;
    return segment->which ? image->used : image->slots;
}

/* ---- what is not there ------------------------------------------------------------------------------------------- */

static bool has_chunk(const struct native_index *index, unsigned ring, unsigned number)
{
    for (size_t i = 0; i < index->n; i++) {
        const struct native_image *image = &index->images[i];

        if (ring_of(image) == ring && !is_alone(image) && native_number(image) == number)
            return true;
    }
    return false;
}

/* When a CPU's last events fill their chunk, those after them are in the chunk that follows. If the input has never
 * seen that one it may have been cut off. Every other gap shows in the laps. */
static void look_for_follower(const struct native_index *index, const struct native_lane *lane, struct trace *trace,
                              uint64_t end)
{
    const struct native_segment *last = &index->segments[lane->first + lane->n - 1u];
    const struct native_image *image = &index->images[last->image];
    unsigned follower = (last->number + 1u) % (lane->chunks ? lane->chunks : 1u);

    if (image->used < image->slots || (image->stops && follower == 0) || has_chunk(index, lane->ring, follower))
        return;
    trace_damage(trace, end, 0, 0, "chunk %u of CPU %u is missing: the input may have been cut", follower, lane->ring);
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
    tell(view, &problem);
    if (keep_one_run(index, trace) != 0)
        return -1;
    describe_rings(index, trace);
    if (order_segments(index, trace) != 0 || collect_lanes(index, trace) != 0)
        return -1;
    for (size_t i = 0; i < index->nlanes; i++) {
        const struct native_lane *lane = &index->lanes[i];

        if (lane->n > 0 && lane->kind == NATIVE_OF_RING && lane->ring != NATIVE_RING_NAMES)
            look_for_follower(index, lane, trace, input_size(view->in));
    }
    return 0;
}

void native_index_free(struct native_index *index)
{
    free(index->images);
    free(index->segments);
    free(index->lanes);
}
