/* siblings.h - what the proved images of a dump tell about others: siblings are of the same firmware, and stand in the
 * same memory or the same stream.
 */
#ifndef NATIVE_SIBLINGS_H
#define NATIVE_SIBLINGS_H

#include "formats/native/chunks/header_search.h"
#include "formats/native/chunks/image.h"

/* Bits of the word place: which chunk it is; and what all chunks of a run have in common, but for the number of chunks
 * of their ring. */
#define NATIVE_CHUNK_BITS   (0xFFFFu | TLOG_ROLE_MASK << 16)
#define NATIVE_CONTEXT_BITS TLOG_CONTEXT_KIND

struct native_siblings {
    const struct native_image *images; /* n of them, in the order of their offsets */
    size_t n;
    struct native_sibling_place *places; /* which chunks these images show, sorted */
    uint8_t last[256];                   /* the highest number of a chunk in each CPU's ring */
    unsigned cpus;                       /* the highest number of a CPU, and 1 */
};

/* Learn from n images, which outlive the siblings; where offsets are asked for, in their order. False: no memory.
 * native_siblings_free() is due in both cases. */
bool native_siblings_learn(struct native_siblings *siblings, const struct native_image *images, size_t n);

void native_siblings_free(struct native_siblings *siblings);

/* The number of the first image that begins behind an offset; n: none does. */
size_t native_siblings_behind(const struct native_siblings *siblings, uint64_t offset);

/* Whether an offset is inside an image. */
bool native_siblings_cover(const struct native_siblings *siblings, uint64_t offset);

/* Whether a header is left over from an earlier run, in memory of a ring that a later run has not reached yet: then it
 * has the address that belongs to its place. */
bool native_siblings_left_over(const struct native_siblings *siblings, struct native_view *view,
                               const struct native_header *header);

/* Whether there are several images of the chunk that this one shows, as in a stream. */
bool native_siblings_repeat(const struct native_siblings *siblings, const struct native_image *image);

/* Whether there is an image of the same chunk that is at least as new as this one; and, if `same`, no newer. */
bool native_siblings_newer(const struct native_siblings *siblings, const struct native_image *image, bool same);

/* Whether an image shows that chunk, by its word `place`, in that run. */
bool native_siblings_have(const struct native_siblings *siblings, uint32_t place, uint32_t boot);

/* Find the address of the chunk that a header's word `place` names, in a run. True: an image tells it, and *self is
 * it. */
bool native_siblings_address(const struct native_siblings *siblings, uint32_t place, uint32_t boot, uint64_t *self);

#endif
