/* known.h - what the images that have a header tell of those whose header is lost. */
#ifndef NATIVE_KNOWN_H
#define NATIVE_KNOWN_H

#include "formats/native/image.h"

struct native_known {
    const struct native_image *images; /* n of them, in the order of their offsets */
    size_t n;
    struct native_known_place *places; /* of these images, sorted */
    uint8_t last[256];                 /* the highest number of a chunk in each CPU's ring */
    unsigned cpus;                     /* the highest number of a CPU, and 1 */
    bool has_arena;                    /* chunks were made at run time */
};

/* Learn from images. False: no memory. native_known_free() is due in both cases. */
bool native_known_learn(struct native_known *known, const struct native_image *images, size_t n);

void native_known_free(struct native_known *known);

/* Whether there are several images of that chunk. */
bool native_known_again(const struct native_known *known, const struct native_image *image);

/* The address of the chunk whose word `place` is that, if there is an image of it: then true. */
bool native_known_self(const struct native_known *known, uint32_t place, uint64_t *self);

#endif
