/* native_index.h - what a dump holds: all its chunk images, and the laps in them in the order of time.
 *
 * Vocabulary
 *   segment  the slots of one lap that one image shows; an image has two at most: of its last lap and the one before
 *   lane     what is decoded as one stream: the event chunks of a CPU, or all name chunks
 *   place    of a lap in its lane: laps of the ring's chunks counted through, from 0 on
 *
 * The index keeps a small entry per image and segment, nothing per event. Private to the native reader.
 */
#ifndef NATIVE_INDEX_H
#define NATIVE_INDEX_H

#include "native_image.h"

#define NATIVE_CPUS       256u
#define NATIVE_LANE_NAMES 256u
#define NATIVE_LANES      257u

struct native_segment {
    uint64_t time; /* from its lap, in ticks: the same for all segments of the lap */
    uint32_t lap;
    uint32_t image; /* index in images, which has later images of a chunk first */
    uint32_t self;
    uint16_t lane;
    uint8_t number;
    uint8_t which; /* 1: the image's last lap, 0: the one before */
};

struct native_lane {
    size_t first, n;     /* its segments */
    uint32_t chunks;     /* of its ring */
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
    unsigned ncpus;
    struct native_lane lane[NATIVE_LANES];
};

/* Index the view's input. 0, or -1 after trace_fail(). */
int native_index_build(struct native_index *index, struct native_view *view);

void native_index_free(struct native_index *index);

/* Segments from `at` to `end` that show the same lap. */
size_t native_lap_segments(const struct native_index *index, size_t at, size_t end);

/* The slots of a segment: first to last, from 1 on. */
uint32_t native_segment_first(const struct native_index *index, const struct native_segment *segment);
uint32_t native_segment_last(const struct native_index *index, const struct native_segment *segment);

#endif
