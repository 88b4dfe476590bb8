/* laps.h - where the cursor of a chunk image stands, and in which lap.
 *
 * The header tells; the tags of the slots agree with it, up to slots whose writers had not finished. Only what
 * contradicts them is overruled, and said to be damage. Private to the native reader.
 */
#ifndef NATIVE_LAPS_H
#define NATIVE_LAPS_H

#include "native/image.h"

/* What the header's cursor and lap say, and what becomes of it. */
struct native_laps {
    uint32_t lap;
    uint32_t index;  /* of the slot that is filled next */
    bool doubtful;   /* the words contradict themselves */
    const char *why; /* ... or the slots, in this way; NULL: no damage */
};

static inline const unsigned char *native_view_slot(const struct native_view *view, size_t index)
{
    return view->bytes + native_slot_offset(index);
}

static inline uint32_t native_slot_tag(const unsigned char *slot)
{
    return get_le32(slot) & TLOG_TAG_MASK;
}

/* The laps that a cursor and a lap word tell. */
void native_laps_tell(struct native_view *view, const struct native_image *image, uint32_t cursor, uint32_t lap,
                      struct native_laps *laps);

/* Whether the slots on both sides of the cursor bear the tags they should. */
bool native_laps_fit(struct native_view *view, const struct native_image *image, const struct native_laps *laps);

/* The words do not fit the tags next to the cursor: unfinished slots, or damage? */
void native_laps_settle(struct native_view *view, const struct native_image *image, struct native_laps *laps);

#endif
