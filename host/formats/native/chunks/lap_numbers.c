/* lap_numbers.c - numbers of laps that were damaged: see lap_numbers.h.
 *
 * The chunks of a ring take turns: lap n of chunk k of c chunks is turn (n - 1) * c + k, and turns follow each other in
 * time. If the turns of parts that were put in order of time do not rise, one of the two images between which they fall
 * is wrong. It is believed to be so if the others are in order without it, and there is a turn for it among them.
 */
#include "formats/native/chunks/lap_numbers.h"

#include "base/heap.h"

#include <stdlib.h>

/* A part of an image: slots of one lap. */
struct part {
    uint64_t stamp, turn;
    struct native_image *image;
    uint32_t back; /* 1: the lap before the image's last one, else 0 */
};

struct parts {
    struct part *part; /* n of them, in the order of time */
    size_t n;
    uint64_t chunks; /* of the ring */
};

static uint64_t turn_of(const struct native_image *image, uint64_t lap, uint64_t chunks)
{
    return (lap - 1u) * chunks + native_number(image);
}

/* For qsort(): by time. */
static int stamp_order(const void *a, const void *b)
{
    const struct part *left = a, *right = b;
    if (left->stamp != right->stamp)
        return left->stamp < right->stamp ? -1 : 1;
    return (left->turn > right->turn) - (left->turn < right->turn);
}

static void add_part(struct parts *parts, struct native_image *image, enum native_part_kind kind)
{
    uint32_t back = kind == NATIVE_PART_BEFORE;
    if (image->lap > back && image->stamp[kind] != NATIVE_STAMP_UNKNOWN)
        parts->part[parts->n++] =
            (struct part){image->stamp[kind], turn_of(image, image->lap - back, parts->chunks), image, back};
}

/* Whether the parts of all images but one are in order. */
static bool are_in_order(const struct parts *parts, const struct native_image *without)
{
    const struct part *before = NULL;
    for (size_t i = 0; i < parts->n; i++) {
        const struct part *part = &parts->part[i];
        if (part->image == without)
            continue;
        if (before != NULL && before->turn > part->turn)
            return false;
        before = part;
    }
    return true;
}

/* The turns that an image's last lap can have. */
struct range {
    uint64_t from, to; /* both included */
    bool above;        /* there is a part behind it */
};

/* Narrow the range by a part of another image. A part of the same chunk may be of the same lap. */
static void narrow(struct range *range, const struct part *own, const struct part *other, uint64_t chunks)
{
    uint64_t turn = other->turn + own->back * chunks, same = other->image->self == own->image->self;
    if (other->stamp < own->stamp && turn + !same > range->from)
        range->from = turn + !same;
    if (other->stamp > own->stamp) {
        range->above = true;
        range->to = turn + same < range->to + 1u ? turn + same - 1u : range->to;
    }
}

static struct range find_range(const struct parts *parts, const struct native_image *image)
{
    struct range range = {0, UINT64_MAX - 1u, false};
    for (size_t i = 0; i < parts->n; i++) {
        for (size_t k = 0; k < parts->n && parts->part[i].image == image; k++) {
            if (parts->part[k].image != image)
                narrow(&range, &parts->part[i], &parts->part[k], parts->chunks);
        }
    }
    return range;
}

/* The lap in that range that bears the tag of the image's lap; 0: there is none. It is the first one behind another
 * part, or, if there is none, the last one ahead of another part. */
static uint64_t find_lap(const struct parts *parts, const struct native_image *image, struct range range)
{
    uint64_t least =
        image->used < image->layout.slots && image->lap > 1u ? 2u + (image->lap & 1u) : 2u - (image->lap & 1u);
    uint64_t lap = image->lap_guessed ? image->lap : least, turn = turn_of(image, lap, parts->chunks);
    uint64_t step = 2u * parts->chunks;
    if (turn < range.from)
        lap += (range.from - turn + step - 1u) / step * 2u;
    turn = turn_of(image, lap, parts->chunks);
    if (turn > range.to)
        return 0;
    return range.from == 0 && range.above ? lap + (range.to - turn) / step * 2u : lap;
}

static int turn_order(const void *a, const void *b)
{
    const struct part *left = a, *right = b;
    return (left->turn > right->turn) - (left->turn < right->turn);
}

/* Whether the turns follow each other without a gap: then they are right, whatever their times are. */
static bool are_consecutive(struct parts *parts)
{
    bool consecutive = true;
    qsort(parts->part, parts->n, sizeof *parts->part, turn_order);
    for (size_t i = 1; i < parts->n; i++)
        consecutive = consecutive && parts->part[i].turn - parts->part[i - 1u].turn <= 1u;
    return consecutive;
}

/* Correct an image that may be wrong. */
static bool correct(struct trace *trace, const struct parts *parts, struct native_image *image)
{
    uint64_t lap;
    if (image->sealed || image->lap_confirmed || image->packed || !are_in_order(parts, image))
        return false;
    lap = find_lap(parts, image, find_range(parts, image));
    if (lap == 0 || lap == image->lap)
        return false;
    trace_damage(trace, native_damage_offset(image, offsetof(struct tlog_chunk, lap)), 0, 0,
                 "the lap word of a chunk was damaged; the times of other chunks tell what it was");
    image->lap = lap;
    return true;
}

/* Find an image whose lap is guessed, or the first place where the turns do not rise: of the two images there the one
 * with more laps is tried first. */
static bool find_wrong(struct trace *trace, struct parts *parts)
{
    bool consecutive = are_consecutive(parts);
    qsort(parts->part, parts->n, sizeof *parts->part, stamp_order);
    for (size_t i = 0; i < parts->n; i++) {
        if (parts->part[i].image->lap_guessed)
            return correct(trace, parts, parts->part[i].image);
    }
    for (size_t i = 1; i < parts->n && !consecutive; i++) {
        struct native_image *ahead = parts->part[i - 1u].image, *behind = parts->part[i].image;
        bool ahead_first = ahead->lap > behind->lap;
        if (parts->part[i - 1u].turn > parts->part[i].turn)
            return correct(trace, parts, ahead_first ? ahead : behind)
                   || correct(trace, parts, ahead_first ? behind : ahead);
    }
    return false;
}

bool native_lap_numbers_correct(struct trace *trace, struct native_image *images, size_t n)
{
    struct parts parts = {heap_calloc(2u * n, sizeof *parts.part), 0, 0};
    bool corrected;
    if (parts.part == NULL)
        return false;
    for (size_t i = 0; i < n; i++)
        parts.chunks = native_number(&images[i]) >= parts.chunks ? native_number(&images[i]) + 1u : parts.chunks;
    for (size_t i = 0; i < n; i++) {
        add_part(&parts, &images[i], NATIVE_PART_BEFORE);
        add_part(&parts, &images[i], NATIVE_PART_LAST);
    }
    corrected = find_wrong(trace, &parts);
    heap_free(parts.part);
    return corrected;
}
