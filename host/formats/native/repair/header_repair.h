/* header_repair.h - a damaged header, or a damaged head of a region, made right again, if there is evidence enough that
 * it is one (target/FORMAT.md, 4.2).
 */
#ifndef NATIVE_HEADER_REPAIR_H
#define NATIVE_HEADER_REPAIR_H

#include "formats/native/repair/siblings.h"

/* What stands at an offset of the input is no right header: prove that it is a damaged one. siblings: the proved
 * images. True: *header is as it should be, and header->repaired tells what was wrong. Takes what it looks at from the
 * view's budget. */
bool native_header_repair(struct native_view *view, const struct native_siblings *siblings, uint64_t offset,
                          struct native_header *header);

/* Whether a damaged header at an offset is proved by itself, whatever other images there are. */
bool native_header_is_repairable(struct input *in, uint64_t offset);

#endif
