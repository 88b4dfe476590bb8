/* ring_turns.h - the chunks of a ring take turns: so those that images show tell which others a run has opened, in which
 * lap these are, and when that was written. The firmware's ELF file tells which rings there are.
 */
#ifndef NATIVE_RING_TURNS_H
#define NATIVE_RING_TURNS_H

#include "formats/native/image.h"

/* An image, and the address of chunk 0 of its ring and bank. */
struct native_member {
    const struct native_image *image;
    uint64_t address;
};

/* What there is of a ring in one run. */
struct native_turns {
    const struct trace_ring *ring;
    uint64_t address;                    /* of chunk 0 */
    const struct native_image *like;     /* one of its images; or if there is none, one of the same CPU's names */
    const struct native_member *members; /* its images, n of them */
    size_t n;
    uint64_t newest;  /* the highest number of a lap; 0: there are no images of events */
    unsigned current; /* the last chunk that is in this lap, */
    bool is_full;     /* and whether it is full */
    bool shown[256];  /* the chunks of which there are images */
};

/* A chunk that must have been opened, and that no image shows. */
struct native_turn {
    const struct native_turns *turns;
    unsigned number;
    uint64_t lap; /* the latest in which it may be; 0: not known */
    bool is_full; /* it is in this lap, and full; else it may have any slots of this lap, or none */
};

/* Stamps from the first to the last one that records may have. */
struct native_times {
    uint64_t from, to;
};

/* Call a function for each ring of the firmware, and each run that tells of it, until it returns another number than 0.
 * None if there is no ELF file, or it is of another firmware than an image. Returns that number, or -1 after
 * trace_fail(). */
int native_turns_each(struct native_view *view, const struct native_image *images, size_t n,
                      int (*call)(void *ctx, const struct native_turns *turns), void *ctx);

/* Whether the run must have opened a chunk that no image shows. *turn: what is known of it. */
bool native_turns_lack(const struct native_turns *turns, unsigned number, struct native_turn *turn);

/* When a lap of the chunk was written, as far as the other chunks tell. If the clock has wrapped unseen they do not. */
struct native_times native_turn_times(const struct native_turn *turn, uint64_t lap);

#endif
