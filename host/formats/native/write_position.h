/* write_position.h - where the cursor of a chunk image stood, and in which lap (target/FORMAT.md, 2.2 and 2.3).
 *
 * The words cursor and lap of the header tell it, and the tags of the slots agree with them, but for slots whose
 * writers had not finished. The words are overruled only where the tags cannot be explained so; that is reported as
 * damage.
 */
#ifndef NATIVE_WRITE_POSITION_H
#define NATIVE_WRITE_POSITION_H

#include "formats/native/image.h"

struct native_position {
    uint64_t lap;    /* the lap that is open, from 1 on; 0 = the chunk was never opened */
    uint32_t slot;   /* number of the slot that is filled next; 0 = not known */
    bool doubtful;   /* the cursor is one that cannot be */
    const char *why; /* what of the words was damaged, for a message; NULL: nothing */
};

/* Read the laps from the words cursor, lap and lap_high, which may be the header's or the seal's. */
void native_position_read(const struct native_image *image, uint32_t cursor, uint32_t lap, uint32_t lap_high,
                          struct native_position *position);

/* Whether the slots on both sides of the cursor bear the tags that they should. Loads slots. */
bool native_position_fits(struct native_view *view, const struct native_image *image,
                          const struct native_position *position);

/* Decide about laps that do not fit: whether there are unfinished slots next to the cursor, or the words are damaged.
 * Then *position becomes what the tags of all slots tell. Loads slots. */
void native_position_correct(struct native_view *view, const struct native_image *image,
                             struct native_position *position);

#endif
