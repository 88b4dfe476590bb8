/* image_list.h - the images of a dump that are decoded: all that there are of one run of the firmware. */
#ifndef NATIVE_IMAGE_LIST_H
#define NATIVE_IMAGE_LIST_H

#include "formats/native/image.h"

struct native_image_list {
    struct native_image *image; /* n of them, in no certain order; the caller frees them */
    size_t n, room;
};

/* Add an image to the list, which the caller fills. NULL after trace_fail(). */
struct native_image *native_image_list_add(struct native_image_list *list, struct trace *trace);

/* Fill a list, all zeros so far, with the images in the view's input of the run that trace->run asks for: also those
 * whose header is lost. Notes which other runs there are. Reports damage. But if what looks like a header is all that is
 * found, what is wrong with it is the error. Returns 0, or -1 after trace_fail(), also if there is no image or no such run. In both cases the
 * caller frees the images. */
int native_image_list_find(struct native_image_list *list, struct native_view *view);

#endif
