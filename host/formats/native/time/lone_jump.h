/* lone_jump.h - a stamp that alone tells that the clock ran on by whole wraps (target/FORMAT.md, 4.5).
 *
 * The clock of its slot is about as far from that of the slot ahead as those of other slots are; only its count of
 * wraps is another one, and no other slot tells so. After a pause of whole wraps the clock would be anywhere. So the
 * count is damaged: no single slot sets the clock.
 */
#ifndef NATIVE_LONE_JUMP_H
#define NATIVE_LONE_JUMP_H

#include "formats/native/chunks/lap.h"

#define NATIVE_JUMP_SLOTS 32u /* ahead of a stamp, that tell how far slots are from each other */

/* Whether a stamp is whole wraps behind the one ahead of it, and else as near as slots are that took so many ticks
 * together. */
bool native_is_jump(uint64_t ahead, uint64_t stamp, uint64_t ticks);

/* Whether a clean lap, behind which there is none, has such a stamp: a record that ends it, or a CONTROL TIME that
 * begins it, if it has no records. span: of the lap. */
bool native_lap_has_lone_jump(const struct native_lap *lap, struct native_span span);

#endif
