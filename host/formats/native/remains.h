/* remains.h - what the header of an image told that is lost. */
#ifndef NATIVE_REMAINS_H
#define NATIVE_REMAINS_H

#include "formats/native/header_search.h"
#include "formats/native/hole.h"

/* Whether there is a header that is right: then it is not lost, but refused, or left over from an earlier run. The
 * firmware takes an image back, to make a new one in its place, by a magic of 0. */
bool native_remains_are_right(const struct native_hole *hole, const struct native_place *place);

/* Make the header of an image, of what is legible of it, of its seal and slots, and of the images on both sides. False:
 * these do not tell which chunk of which run it is. */
bool native_remains_read(const struct native_hole *hole, const struct native_place *place,
                         struct native_header *header);

#endif
