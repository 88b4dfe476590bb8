/* index.h - what a dump holds: all its chunk images, and the laps in them in the order of time.
 *
 *   part   the slots of one lap that one image shows; image.h has the three that an image may have
 *   ring   the chunks that a CPU fills in turn; the chunks of names, of all CPUs, count as one more ring
 *   lane   what is decoded as one stream: the laps of a ring, those of a chunk that stands alone, or the emergency
 *          slots of a chunk
 *
 * Example: CPU 0 has a ring of two chunks. The dump shows chunk 0 in lap 5, of which 10 of 64 slots are filled, and
 * chunk 1 in lap 4, which is full. The lane of the ring has three parts: slots 11 to 64 of chunk 0 in lap 4, all slots
 * of chunk 1 in lap 4, and slots 1 to 10 of chunk 0 in lap 5.
 *
 * The index has a small entry for each image and part, and nothing for each event.
 */
#ifndef NATIVE_INDEX_H
#define NATIVE_INDEX_H

#include "formats/native/chunks/image.h"

#define NATIVE_RING_NAMES 256u /* number of the ring of names; other rings have the numbers of their CPUs */
#define NATIVE_RINGS      257u

/* Kinds of lanes. A ring's emergency slots are one lane for each of its chunks. */
enum native_kind { NATIVE_OF_RING, NATIVE_ALONE, NATIVE_EMERGENCY_OF_RING, NATIVE_EMERGENCY_ALONE };

struct native_part {
    uint64_t stamp; /* about when its lap was: the same in all parts of the lap */
    uint64_t lap;   /* number of its lap */
    uint64_t self;  /* address of its chunk */
    uint32_t image; /* index in images, where the latest image of a chunk comes first */
    uint16_t ring;
    uint8_t kind;   /* enum native_kind */
    uint8_t number; /* of its chunk */
    uint8_t which;  /* enum native_part_kind */
};

/* Slots that no image shows and that were no events of their own: see extra_slots.c. */
struct native_extra_slots {
    uint64_t first; /* the n slots are that one or behind it; number of a slot in its lane, from 1 on */
    uint64_t n;
};

/* A lane. Its parts stand together in native_index.parts. */
struct native_lane {
    size_t first, n;            /* its parts */
    size_t first_extra, extras; /* its entries in index->extras: number first_extra to extras - 1 */
    uint16_t ring;
    uint8_t kind;    /* enum native_kind */
    uint8_t number;  /* of its chunk; 0 for a ring */
    uint32_t chunks; /* how many take turns; 0: the dump has none of the ring */
};

struct native_ring {
    uint64_t dropped;    /* events lost because no slot was free */
    uint64_t unreported; /* those of them that no record reports */
    uint32_t chunks;     /* in the ring, as far as is known; 0: the dump has none of them */
    uint32_t freq;       /* ticks per second; 0: unknown */
    bool has_dropped;    /* the dump has the chunk that counts dropped */
};

struct native_index {
    struct native_image *images; /* by ring, then by number */
    size_t n;
    struct native_part *parts; /* by lane, then by time; the parts of a lap stand together */
    size_t nparts;
    struct native_lane *lanes; /* by ring; each CPU's ring has one, even if it is empty; the last one has the names */
    size_t nlanes;
    struct native_extra_slots *extras; /* by lane, then by slot */
    struct native_anchor *anchors;     /* see coarse_clock.h; by lane, then by lap and slot */
    size_t nanchors;
    unsigned ncpus;
    struct native_ring ring[NATIVE_RINGS];
};

/* Index the images of one run. *index must be all zeros but for these images; extras and anchors stay so, and are
 * filled by the next function and by native_anchors_find(). Reports damage. Returns 0, or -1 after trace_fail(). In
 * both cases native_index_free() is due, which also frees the images. */
int native_index_build(struct native_index *index, struct native_view *view);

/* Set the extra slots of all lanes. Loads images ahead of which slots are missing. Returns 0, or -1 after
 * trace_fail(). */
int native_extra_slots_find(struct native_index *index, struct native_view *view);

void native_index_free(struct native_index *index);

/* The ring of an image, as an index in native_index.ring. Chunks that stand alone count as those of their CPU. */
static inline unsigned native_index_ring(const struct native_image *image)
{
    return native_role(image) == TLOG_ROLE_NAMES ? NATIVE_RING_NAMES : native_cpu(image);
}

/* How many of the parts `at` to end - 1 show the lap of the first one; they come first. */
size_t native_index_parts_of_lap(const struct native_index *index, size_t at, size_t end);

/* Whether two parts are of the same lane. */
bool native_index_same_lane(const struct native_part *a, const struct native_part *b);

/* Number of the first slot of a part, and of its last one. */
uint32_t native_part_first(const struct native_index *index, const struct native_part *part);
uint32_t native_part_last(const struct native_index *index, const struct native_part *part);

/* Number of the last slot of a part that the input has, as its end may be cut off; without any: first - 1. */
uint32_t native_part_available(const struct native_index *index, const struct native_part *part);

/* Whether lanes of that kind have emergency slots. */
static inline bool native_is_emergency(unsigned kind)
{
    return kind == NATIVE_EMERGENCY_OF_RING || kind == NATIVE_EMERGENCY_ALONE;
}

#endif
