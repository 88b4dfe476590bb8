/* wraps.h - a lap with the wraps of the clock that the firmware has not seen (target/FORMAT.md, 1.3). */
#ifndef NATIVE_WRAPS_H
#define NATIVE_WRAPS_H

#include "formats/native/coarse_clock.h"
#include "formats/native/lap.h"

/* Add the wraps that are missing to the slots of a lap that tell wraps, and set its steps. behind: the first part of
 * the lane's next lap, or NULL. The loader has room for what all slots tell, and one more. */
void native_wraps_add(struct native_loader *loader, struct native_lap *lap, const struct native_anchors *anchors,
                      const struct native_part *behind, struct native_span span);

/* The lap's times are settled: mark the slots behind its steps, and follow its trail. */
void native_wraps_mark(struct native_lap *lap);

/* Remember the last stamps of a lap. */
void native_wraps_follow(struct native_lap *lap);

#endif
