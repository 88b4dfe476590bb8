/* lap_load.h - a lap is brought into memory, and about each of its slots it is decided whether it is an event. */
#ifndef NATIVE_LAP_LOAD_H
#define NATIVE_LAP_LOAD_H

#include "formats/native/lap.h"

/* Load the lap that n parts of the index show, at least one, from `parts` on. behind: the first part of the lane's next
 * lap; NULL: there is none. span: where the stamps should lie. Reports damage. Returns 0, or -1 after trace_fail(). */
int native_lap_load(struct native_loader *loader, struct native_lap *lap, const struct native_part *parts, size_t n,
                    const struct native_part *behind, struct native_span span);

#endif
