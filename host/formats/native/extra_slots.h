/* extra_slots.h - how many of the slots that no image shows were no events of their own.
 *
 * What was overwritten is known in slots: by the laps and cursors of the images. But an event may have several slots,
 * and some slots are no events. The header of a chunk counts these, its `extra`, and the images show some of them; the
 * others are among what was overwritten. */
#ifndef NATIVE_EXTRA_SLOTS_H
#define NATIVE_EXTRA_SLOTS_H

#include "formats/native/index.h"

/* Set the extras of all lanes of the index, whose images are in order. Loads slots of images in front of which others
 * are missing. Returns 0, or -1 after trace_fail(). */
int native_extra_slots_find(struct native_index *index, struct native_view *view);

#endif
