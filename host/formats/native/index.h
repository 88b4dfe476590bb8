/* index.h - what a dump holds: all its chunk images, and the laps in them in the order of time.
 *
 *   part   the slots of one lap that one image shows; native/image.h has the three that an image may have
 *   ring   the chunks that a CPU fills in turn; the chunks of names, of all CPUs, count as one more ring
 *   lane   what is decoded as one stream: the laps of a ring, those of a chunk that stands alone, or the emergency
 *          slots of a chunk
 *
 * The index keeps a small entry for each image and part, and nothing for each event.
 */
#ifndef NATIVE_INDEX_H
#define NATIVE_INDEX_H

#include "formats/native/image.h"

#define NATIVE_CPUS       256u
#define NATIVE_RING_NAMES 256u /* number of the ring of names; other rings have the numbers of their CPUs */
#define NATIVE_RINGS      257u

/* Kinds of lanes. A ring's emergency slots are one lane for each of its chunks. */
enum native_kind { NATIVE_OF_RING, NATIVE_ALONE, NATIVE_EMERGENCY_OF_RING, NATIVE_EMERGENCY_ALONE };

struct native_part {
    uint64_t stamp; /* from its lap: the same for all parts of the lap */
    uint64_t lap;
    uint64_t self;
    uint32_t image; /* index in images, where later images of a chunk come first */
    uint16_t ring;
    uint8_t kind;   /* enum native_kind */
    uint8_t number; /* of its chunk */
    uint8_t which;  /* enum native_part_kind */
};

/* Slots that no image shows and that were no events: see extras.h. */
struct native_extra_slots {
    uint64_t last; /* number in the lane, from 1 on, of the last slot that they may be */
    uint64_t n;
};

struct native_lane {
    size_t first, n;            /* its parts */
    size_t first_extra, extras; /* its extras, the end excluded */
    uint16_t ring;
    uint8_t kind;    /* enum native_kind */
    uint8_t number;  /* of its chunk; 0 for a ring */
    uint32_t chunks; /* how many take turns; 0 = the dump has none of the ring */
};

struct native_ring {
    uint64_t dropped;    /* events lost because no slot was free */
    uint64_t unreported; /* those of them whose loss no record tells */
    uint32_t chunks;     /* in the ring, as far as is known; 0 = the dump has none of it */
    uint32_t freq;       /* ticks per second, 0 = unknown */
    bool has_dropped;    /* the dump has the chunk that counts them */
};

struct native_index {
    struct native_image *images; /* by ring, then by number */
    size_t n;
    struct native_part *parts; /* by lane, then by time; the parts of a lap stand together */
    size_t nparts;
    struct native_lane
        *lanes; /* by ring; each CPU's ring has a lane, even if it is empty; the last one has the names */
    size_t nlanes;
    struct native_extra_slots *extras; /* by lane, then by slot */
    struct native_anchor *anchors;     /* see coarse.h; by lane, then by lap and slot */
    size_t nanchors;
    unsigned ncpus;
    struct native_ring ring[NATIVE_RINGS];
};

/* Index the view's input; *index is all zeros before. Reports damage that it meets. Returns 0, or -1 after
 * trace_fail(). In both cases native_index_free() is due. */
int native_index_build(struct native_index *index, struct native_view *view);

void native_index_free(struct native_index *index);

/* The ring of an image: an index in native_index.ring. Chunks that stand alone count as those of their CPU. */
static inline unsigned native_index_ring(const struct native_image *image)
{
    return native_role(image) == TLOG_ROLE_NAMES ? NATIVE_RING_NAMES : native_cpu(image);
}

/* How many of the parts from `at` to `end`, excluded, show the same lap as the first one. */
size_t native_index_lap(const struct native_index *index, size_t at, size_t end);

/* Whether parts are of the same lane. */
bool native_index_same_lane(const struct native_part *a, const struct native_part *b);

/* Numbers of the first and the last slot of a part; of the last one that the input has, or the number ahead of the
 * first if it has none: only the end of a part can be cut off. */
uint32_t native_part_first(const struct native_index *index, const struct native_part *part);
uint32_t native_part_last(const struct native_index *index, const struct native_part *part);
uint32_t native_part_available(const struct native_index *index, const struct native_part *part);

static inline bool native_is_emergency(unsigned kind)
{
    return kind == NATIVE_EMERGENCY_OF_RING || kind == NATIVE_EMERGENCY_ALONE;
}

#endif
