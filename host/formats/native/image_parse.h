/* image_parse.h - a chunk image behind a header that was found: what there is of it, and what its changing words
 * are. */
#ifndef NATIVE_IMAGE_PARSE_H
#define NATIVE_IMAGE_PARSE_H

#include "formats/native/header_search.h"
#include "formats/native/image.h"

/* Make *image of a header that native_header_search() relies on: how much of the image there is, whether its seal is
 * current, which laps its slots hold, and about when these were. Reports the damage it meets. Uses the view's memory.
 * Returns 0, or -1 after trace_fail(). */
int native_image_parse(struct native_view *view, const struct native_header *header, struct native_image *image);

/* The image says that its chunk was never opened, but other chunks of its ring tell that it was: take its slots for
 * those of lap 2, if they are of an even lap, and report that as damage. */
void native_image_set_opened(struct native_view *view, struct native_image *image);

#endif
