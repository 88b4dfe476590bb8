/* lost.h - images whose header is lost (target/FORMAT.md, "Reading a damaged dump"). */
#ifndef NATIVE_LOST_H
#define NATIVE_LOST_H

#include "formats/native/header_search.h"
#include "formats/native/hole.h"

/* A search through the holes of an input, one behind the other. */
struct native_lost {
    struct native_known known; /* the images that have a header */
    struct native_hole hole;   /* the one that is searched */
    unsigned char *bytes;      /* n bytes of it, from an offset of the input on */
    uint64_t at;
    size_t n, room;
};

/* Begin with n images, in the order of their offsets. Returns 0, or -1 after trace_fail(). native_lost_end() is due in
 * both cases. */
int native_lost_begin(struct native_lost *lost, struct native_view *view, const struct native_image *images, size_t n);

void native_lost_end(struct native_lost *lost);

/* Search a hole from now on, ahead of image `after`. */
void native_lost_enter(struct native_lost *lost, uint64_t from, uint64_t to, size_t after);

/* Find the next image in the hole, by its seal, or by its slots if an image next to it tells how many there are. True:
 * *header is what its header should be, and that is reported. native_lost_pass() is due then. */
bool native_lost_find(struct native_lost *lost, struct native_header *header);

/* Go on behind that offset of the input. */
void native_lost_pass(struct native_lost *lost, uint64_t offset);

/* Whether the input has a right seal. */
bool native_lost_has_seal(struct input *in);

#endif
