/* pieces.h - smeared images among those of a run: each becomes as many images as it has pieces, of one lap each, so
 * that all else need not know of them. */
#ifndef NATIVE_PIECES_H
#define NATIVE_PIECES_H

#include "formats/native/chunks/image_list.h"

/* Make pieces of the smeared images in the list. Tells how many slots are left out. The order of the images changes.
 * Returns 0, or -1 after trace_fail(). */
int native_pieces_make(struct native_image_list *list, struct native_view *view);

/* How many slots that a piece shows are extra ones. Loads slots. */
uint64_t native_piece_extra(struct native_view *view, const struct native_image *piece);

#endif
