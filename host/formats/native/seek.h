/* seek.h - where in a hole an image is whose header is lost: by its seal, or by its slots. */
#ifndef NATIVE_SEEK_H
#define NATIVE_SEEK_H

#include "formats/native/hole.h"

/* Bytes from the end of what is in memory on that a seal may need: those are searched when more is in memory. */
#define NATIVE_SEEK_SEAL_BYTES (sizeof(struct tlog_seal) + 8u * TLOG_GROUPS(TLOG_SLOTS_MAX))

/* Find the first image in what is in memory of the hole, by its seal. */
bool native_seek_seal(struct native_hole *hole, struct native_place *place);

/* Find the best place for an image of a layout, by the slots: at the beginning of the hole, at its end, or ahead of an
 * end mark. */
bool native_seek_slots(struct native_hole *hole, struct native_layout layout, struct native_place *best);

/* The layout if no image tells it: the header was at the beginning of the hole, and the slots end at an end mark. */
bool native_seek_layout(const struct native_hole *hole, struct native_layout *layout);

#endif
