/* image_end.h - images whose end nothing shows as they stand: they were cut short, or overwritten, or bytes were lost
 * from them or came into them (target/FORMAT.md, 4.1).
 */
#ifndef NATIVE_IMAGE_END_H
#define NATIVE_IMAGE_END_H

#include "formats/native/chunks/header_search.h"
#include "formats/native/chunks/image.h"

enum native_end {
    NATIVE_END_FAILED = -1, /* after trace_fail() */
    NATIVE_END_UNKNOWN,     /* nothing shows where it ends: it may be a piece of an image, as memory has them */
    NATIVE_END_NEAR,  /* it is damaged, but the next image or the input's end is where it should end, or near by */
    NATIVE_END_SHOWN, /* it is shown where it ends */
};

/* Make *image of a header for which native_image_parse() returned 0. next: offset of the next proved image that may
 * have cut it, or the input's size. Reports the damage it meets. Loads bytes into the view. */
enum native_end native_image_end_find(struct native_view *view, const struct native_header *header, uint64_t next,
                                      struct native_image *image);

#endif
