/* index.h - what a dump holds: all its chunk images, and the laps in them in the order of time.
 *
 * Vocabulary
 *   segment  the slots of one lap that one image shows; an image has three at most: of its last lap, of the one before,
 *            and its emergency slots
 *   ring     the chunks that a CPU fills in turn; all name chunks count as one more
 *   lane     what is decoded as one stream: a ring, a chunk that stands alone, the emergency slots of a chunk
 *   place    of a lap in its lane: laps of the ring's chunks counted through, from 0 on
 *
 * The index keeps a small entry per image and segment, nothing per event. Private to the native reader.
 */
#ifndef NATIVE_INDEX_H
#define NATIVE_INDEX_H

#include "native/image.h"

#define NATIVE_CPUS       256u
#define NATIVE_RING_NAMES 256u
#define NATIVE_RINGS      257u

enum native_kind { NATIVE_OF_RING, NATIVE_ALONE, NATIVE_URGENT_OF_RING, NATIVE_URGENT_ALONE };

struct native_segment {
    uint64_t time; /* from its lap, in ticks: the same for all segments of the lap */
    uint32_t lap;
    uint32_t image; /* index in images, which has later images of a chunk first */
    uint32_t self;
    uint16_t ring;
    uint8_t kind; /* enum native_kind */
    uint8_t number;
    uint8_t which; /* 0: the lap before the image's last one, 1: the last one, 2: the emergency slots */
};

struct native_lane {
    size_t first, n; /* its segments */
    uint16_t ring;
    uint8_t kind;    /* enum native_kind */
    uint8_t number;  /* of its chunk; 0 for a ring */
    uint32_t chunks; /* that take turns */
};

struct native_ring {
    uint32_t chunks;
    uint32_t freq;       /* ticks per second, 0 = unknown */
    uint32_t dropped;    /* events lost for want of a slot */
    uint32_t unreported; /* those of them that no record tells of */
    bool has_dropped;    /* the chunk that counts them is there */
};

struct native_index {
    struct native_image *images;
    size_t n, room;
    struct native_segment *segments; /* by lane, then by time; the segments of a lap stand together */
    size_t nsegments;
    struct native_lane *lanes; /* by ring; every CPU's ring has one, if it is empty, too */
    size_t nlanes;
    unsigned ncpus;
    struct native_ring ring[NATIVE_RINGS];
};

/* Index the view's input. 0, or -1 after trace_fail(). */
int native_index_build(struct native_index *index, struct native_view *view);

void native_index_free(struct native_index *index);

/* Segments from `at` to `end` that show the same lap. */
size_t native_lap_segments(const struct native_index *index, size_t at, size_t end);

/* The slots of a segment: first to last, from 1 on. */
uint32_t native_segment_first(const struct native_index *index, const struct native_segment *segment);
uint32_t native_segment_last(const struct native_index *index, const struct native_segment *segment);

static inline bool native_is_urgent(unsigned kind)
{
    return kind == NATIVE_URGENT_OF_RING || kind == NATIVE_URGENT_ALONE;
}

#endif
