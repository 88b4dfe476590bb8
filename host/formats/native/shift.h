/* shift.h - images that bytes were lost from, or came into, somewhere behind their header: what is behind that place
 * stands nearer to the header, or further from it, than it should (target/FORMAT.md, "Reading a damaged dump"). */
#ifndef NATIVE_SHIFT_H
#define NATIVE_SHIFT_H

#include "formats/native/image.h"

/* The rear of an image is searched for up to so many bytes from its place. */
#define NATIVE_SHIFT_REACH 4096u

/* Find the rear of an image that does not end as it should: by its seal, which must be right, else by its end mark,
 * else by what follows behind the image. It ends before `limit`, counted from the header; bounded: the next header or
 * the input's end is there. marked: its end mark is in its place. True: image->shift is set, and that is reported. */
bool native_shift_find(const struct native_view *view, struct native_image *image, uint32_t limit, bool bounded,
                       bool marked);

#endif
