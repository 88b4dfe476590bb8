/* lost_chunks.h - chunks of which neither header nor seal is left: the firmware's ELF file tells where they are
 * (target/FORMAT.md, 4.4).
 */
#ifndef NATIVE_LOST_CHUNKS_H
#define NATIVE_LOST_CHUNKS_H

#include "formats/native/repair/siblings.h"

/* Whether the input's addresses (io/input.h) are those of its images: one of them stands where it says. */
bool native_addresses_agree(const struct native_view *view, const struct native_image *images, size_t n);

/* Whether the run of an image must have opened a chunk that no image shows, and the firmware's ELF file tells where it
 * is. False if it is the file of another firmware than one of the images'. */
bool native_lost_chunks_exist(struct native_view *view, const struct native_image *images, size_t n);

/* Find these chunks in the input. Of each one take() gets what its header should be; it returns 0, or -1 to end the
 * search. Takes what it looks at from the view's budget. Returns 0, or -1. */
int native_lost_chunks_find(struct native_view *view, const struct native_siblings *siblings,
                            int (*take)(void *ctx, const struct native_header *header), void *ctx);

#endif
