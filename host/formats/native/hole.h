/* hole.h - bytes of the input that are in no image, as far as they are in memory; and where an image may be there.
 * Private to lost.c, seek.c and remains.c. */
#ifndef NATIVE_HOLE_H
#define NATIVE_HOLE_H

#include "formats/native/known.h"
#include "formats/native/slot.h"
#include "formats/native/image.h"

#include <string.h>

#define NATIVE_HOLE_MARKS 16u /* end marks that are tried */

/* A part of a hole in memory, and what was found out about the rest of it. */
struct native_hole {
    struct native_view *view;
    const struct native_known *known;
    uint64_t from, to;                /* offsets in the input of what is still to be searched */
    size_t after;                     /* the first of the known images behind the hole; known->n: none */
    const struct native_image *ahead; /* the image ahead of what is still to be searched; NULL: none, or not known */
    const unsigned char *bytes;       /* n of them, from `from` on */
    size_t n;
    uint64_t seals_from;               /* ahead of that offset in the input there is no seal that can be used */
    uint64_t marks[NATIVE_HOLE_MARKS]; /* offsets in the input of the first end marks */
    unsigned nmarks;
    uint64_t marks_from; /* the end marks ahead of that offset are known, or too many */
    bool begins;         /* `from` is where the hole begins, or behind an image that was found */
};

/* An image by its layout, and where its header was, counted from the hole's bytes: perhaps ahead of them. */
struct native_place {
    struct native_layout layout;
    int64_t at;
    bool sealed;
};

/* Numbers of slots, the last one excluded. */
struct native_slots {
    uint32_t from, to;
};

static inline uint32_t native_place_size(struct native_layout layout)
{
    return TLOG_CHUNK_BYTES((uint32_t)layout.slots, (uint32_t)layout.emergency);
}

/* The normal slots of an image that are in memory, whole. */
static inline struct native_slots native_place_slots(const struct native_hole *hole, const struct native_place *place)
{
    int64_t first = place->at + (int64_t)TLOG_HEADER_BYTES, end = ((int64_t)hole->n - first) / (int64_t)TLOG_SLOT_BYTES;
    struct native_slots slots = {1, place->layout.slots + 1u};
    if (first < 0)
        slots.from = (uint32_t)((-first + (int64_t)TLOG_SLOT_BYTES - 1) / (int64_t)TLOG_SLOT_BYTES) + 1u;
    if ((int64_t)hole->n < first)
        end = 0;
    if (end < (int64_t)place->layout.slots)
        slots.to = (uint32_t)end + 1u;
    return slots;
}

/* One of them. */
static inline const unsigned char *native_place_slot(const struct native_hole *hole, const struct native_place *place,
                                                     uint32_t slot)
{
    return hole->bytes + place->at + (int64_t)native_slot_offset(slot);
}

/* Whether a slot is one by its bits. */
static inline bool native_place_is_sound(const unsigned char *slot)
{
    uint32_t head = native_head(slot), tag = head & TLOG_TAG_MASK;
    if (tag != TLOG_TAG_ODD && tag != TLOG_TAG_EVEN)
        return false;
    return native_is_traceevent(head) ? (head & NATIVE_TRACEEVENT_ZERO) == 0 : native_is_record(slot);
}

/* The image behind the hole, or NULL. */
static inline const struct native_image *native_hole_behind(const struct native_hole *hole)
{
    return hole->after < hole->known->n ? &hole->known->images[hole->after] : NULL;
}

/* The image that is most like the lost one: the one ahead of the hole, or the one behind it if only that is of a
 * ring. */
static inline const struct native_image *native_hole_like(const struct native_hole *hole)
{
    const struct native_known *known = hole->known;
    const struct native_image *before = hole->after > 0 ? &known->images[hole->after - 1u] : NULL;
    const struct native_image *after = native_hole_behind(hole);
    bool is_better = after != NULL && native_role(after) == TLOG_ROLE_EVENTS;
    if (before == NULL || (is_better && native_role(before) != TLOG_ROLE_EVENTS))
        return after;
    return before;
}

#endif
