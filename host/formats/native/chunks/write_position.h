/* write_position.h - which slot of an image the firmware would have filled next, and in which lap (target/FORMAT.md,
 * 2.2 and 2.3).
 *
 * The words cursor and lap tell it. The slots ahead of the cursor bear the tag of the lap that is open, those from the
 * cursor on that of the lap before; but for slots whose writers had not finished. Where the tags cannot be explained
 * so, they overrule the words, and that is damage.
 */
#ifndef NATIVE_WRITE_POSITION_H
#define NATIVE_WRITE_POSITION_H

#include "formats/native/chunks/image.h"

/* If so many slots ahead of the cursor bear the tag of the lap before, they are not unfinished, but the cursor is
 * damaged: each unfinished slot is one of a writer that was interrupted, and there are never so many of these at
 * once. */
#define NATIVE_UNFINISHED_MAX 8u

struct native_position {
    uint64_t lap;    /* the lap that is open, from 1 on; 0: the chunk was never opened */
    uint32_t slot;   /* number of the slot that is filled next; 0: not known */
    bool doubtful;   /* the cursor cannot be right */
    bool lap_lost;   /* the lap word tells nothing: only whether the lap is odd may be right */
    const char *why; /* what was damaged in the words, for a message; NULL: nothing */
};

/* Read the position from the words cursor, lap and lap_high of a header or a seal. */
void native_position_read(const struct native_image *image, uint32_t cursor, uint32_t lap, uint32_t lap_high,
                          struct native_position *position);

/* Whether the firmware has taken a header back, or has not finished it, though a seal or the ELF file tells that there
 * is a chunk: its magic is 0, its tag is right, and lap and cursor are those of a chunk without events. A chunk of no
 * ring (role 2) is deleted with the words that it has. */
bool native_position_is_taken_back(const struct tlog_chunk *chunk);

/* Whether the slots on both sides of the position bear the tags that they should. Loads slots. */
bool native_position_fits(struct native_view *view, const struct native_image *image,
                          const struct native_position *position);

/* Whether the slots from the position on are empty, up to the end mark, as they are in lap 1. Loads slots. */
bool native_position_has_unused(struct native_view *view, const struct native_image *image,
                                const struct native_position *position);

/* A position does not fit: find out whether only slots beside it are unfinished, or the words are damaged. In the
 * second case correct it by the tags of all slots. Loads slots. */
void native_position_correct(struct native_view *view, const struct native_image *image,
                             struct native_position *position);

/* The number of the lap that is open, as a CONTROL BUFFER slot at the beginning of a lap tells it, of which the
 * firmware logs the low 32 bits; 0: none does. used: slots of that lap. Loads slots. */
uint32_t native_position_logged_lap(struct native_view *view, const struct native_image *image, uint32_t used);

#endif
