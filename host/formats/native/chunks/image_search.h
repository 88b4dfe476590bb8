/* image_search.h - the search for the images of a dump that can be read as they stand. */
#ifndef NATIVE_IMAGE_SEARCH_H
#define NATIVE_IMAGE_SEARCH_H

#include "formats/native/chunks/image_list.h"

/* Fill a list, all zeros so far, with the images in the view's input whose headers are right, and that end as they
 * should; and with what looks like more. Damage is noted, not reported. Loads bytes into the view. Returns 0, or -1
 * after trace_fail(). In both cases the caller frees the images and what could not be read. */
int native_image_search(struct native_image_list *list, struct native_view *view);

#endif
