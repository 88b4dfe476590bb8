/* lap_times.h - the times of a lap that is not clean: wraps of the clock that were not seen are added, and slots whose
 * times contradict the others are damaged (target/FORMAT.md, "Reading a damaged dump").
 *
 * As few slots as possible are left out, so that the times of the others never go back. A slot that could be left out
 * in the place of another one is left out as well: a gap is better than an event that may be wrong.
 */
#ifndef NATIVE_LAP_TIMES_H
#define NATIVE_LAP_TIMES_H

#include "formats/native/time/lap_slots.h"

/* Settle the times of all slots: add the wraps that are missing, damage the slots whose times are not believed, and
 * mark those ahead of which the clock wrapped unseen. Reports damage. Sets lap->base_stamp. */
void native_lap_times_settle(const struct native_lap_times *times);

#endif
