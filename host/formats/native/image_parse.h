/* image_parse.h - from a header that was found to a chunk image: how much of it there is, and whether the changing
 * words of the header are right.
 */
#ifndef NATIVE_IMAGE_PARSE_H
#define NATIVE_IMAGE_PARSE_H

#include "formats/native/header_search.h"
#include "formats/native/image.h"

/* Make *image of a header for which native_header_search() returned NATIVE_HEADER: how much of the image there is,
 * whether its seal is current, which laps its slots hold, and about when these were. Reports the damage it meets. Loads
 * bytes into the view. Returns 0, or -1 after trace_fail(). */
int native_image_parse(struct native_view *view, const struct native_header *header, struct native_image *image);

/* The image tells that its chunk was never opened, but other chunks of its ring tell that it was. If its slots are of
 * an even lap, take them for lap 2, and report damage. */
void native_image_set_opened(struct native_view *view, struct native_image *image);

#endif
