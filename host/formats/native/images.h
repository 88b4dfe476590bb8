/* images.h - the search for all images of a dump. */
#ifndef NATIVE_IMAGES_H
#define NATIVE_IMAGES_H

#include "formats/native/image.h"

struct native_images {
    struct native_image *image; /* n of them; the caller frees them */
    size_t n, room;
};

/* Find all images of the view's input, those whose header is lost too. Reports damage, but for one broken header if
 * nothing else is found. Returns 0, or -1 after trace_fail(), also if there is none. */
int native_images_find(struct native_images *images, struct native_view *view);

#endif
