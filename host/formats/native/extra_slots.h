/* extra_slots.h - how many of the slots that were overwritten were no events of their own.
 *
 * What was overwritten is known in slots, by laps and cursors. But an event may have several slots, and some slots are
 * no events: these are extra slots. A chunk's header counts all of them, in its word `extra`; the images show some; the
 * others are among what was overwritten. Example: a header counts 5, the image shows 2, and 64 slots were overwritten:
 * those were 64 - 3 = 61 events.
 */
#ifndef NATIVE_EXTRA_SLOTS_H
#define NATIVE_EXTRA_SLOTS_H

#include "formats/native/index.h"

/* Set the extra slots of all lanes of the index. Loads images ahead of which slots are missing. Returns 0, or -1
 * after trace_fail(). */
int native_extra_slots_find(struct native_index *index, struct native_view *view);

#endif
