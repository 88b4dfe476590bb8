/* displaced_rear.h - images with a break: bytes were lost from them, or came into them, behind the header. The rear is
 * what stands behind the break: it is nearer to the header, or further from it, than it should be (target/FORMAT.md,
 * "Reading a damaged dump").
 */
#ifndef NATIVE_DISPLACED_REAR_H
#define NATIVE_DISPLACED_REAR_H

#include "formats/native/chunks/image.h"

/* The rear is searched for up to so many bytes from its place. */
#define NATIVE_DISPLACED_REACH 4096u

/* An image does not end as it should. Find its rear: by its seal, which must be right; else by its end mark; else by
 * where the image ends. limit: the rear ends before that offset from the header. bounded: there the next header stands,
 * or the input ends. marked: the end mark is in its place. True: image->displaced is set, and the break reported. */
bool native_displaced_rear_find(const struct native_view *view, struct native_image *image, uint32_t limit,
                                bool bounded, bool marked);

#endif
