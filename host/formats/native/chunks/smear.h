/* smear.h - images of chunks that were read piece by piece while the firmware logged: by a probe that does not halt the
 * core, a slow one, by DMA. Their slots are of several moments (target/FORMAT.md, 4.6).
 *
 * Reading begins with the header, so whatever the firmware logs from then on is at and behind the header's cursor. A
 * slot shows the newest event at the time when it was read. So the slots fall into pieces, each of one lap; where two
 * pieces meet, reader and writer met, and slots there may hold words of two events.
 */
#ifndef NATIVE_SMEAR_H
#define NATIVE_SMEAR_H

#include "formats/native/chunks/image.h"
#include "formats/native/chunks/write_position.h"

/* Slots of one lap that stand side by side and can be relied on; none if the last is ahead of the first. */
struct native_smear_piece {
    uint32_t first, last;
    uint64_t lap;
};

/* An image that may be smeared, and what it shows. */
struct native_smear {
    const struct native_image *image;
    struct native_position position;  /* where it would stand if it was of one moment */
    struct native_smear_piece *piece; /* n of them, in the order of slots; the caller frees them with heap_free() */
    size_t n;
};

/* Whether images of the chunks of a ring, in the order of their addresses, or of a single chunk, show slots of several
 * moments: only if that explains the tags and the times of all slots, but for a few unfinished ones. `pieces`: if so,
 * set those of each image. Loads slots. */
bool native_smear_find(struct native_view *view, struct native_smear *smears, size_t n, bool pieces);

/* In lap 1: the slot that would be filled next when the reader came by, if it is behind that of the position; else that
 * of the position. Loads slots. */
uint32_t native_smear_first_unused(struct native_view *view, const struct native_image *image,
                                   const struct native_position *position);

#endif
