/* orphan_header.h - a header for each orphan: an image that has lost its header, but has a right seal
 * (target/FORMAT.md, 4.3). It stands in stray bytes, which are in no image whose header is proved.
 *
 * What an orphan does not tell by itself, its siblings may: those on both sides of the stray bytes tell which chunk may
 * stand between them.
 *
 * orphans.c searches for orphans; others do not use this header.
 */
#ifndef NATIVE_ORPHAN_HEADER_H
#define NATIVE_ORPHAN_HEADER_H

#include "formats/native/repair/siblings.h"

#include <string.h>

#define TORN 64 /* bytes that were lost from a header, or came into it */

/* ---- stray bytes ------------------------------------------------------------------------------------------------- */

/* Stray bytes between two images. Offsets are in the input. */
struct native_stray {
    struct native_view *view;
    const struct native_siblings *siblings;
    uint64_t from, to;
    uint64_t least;             /* up to TORN bytes ahead of them: the rear of an image whose seal is not right may have
                                 * lost as many, and end there */
    size_t after;               /* number of the sibling behind them; siblings->n: none */
    const unsigned char *bytes; /* n of them are in memory, from offset `at` on */
    uint64_t at;
    size_t n;
};

/* The sibling ahead of the stray bytes, or NULL; and the one behind them. */
static inline const struct native_image *native_stray_ahead(const struct native_stray *stray)
{
    return stray->after > 0 ? &stray->siblings->images[stray->after - 1u] : NULL;
}

static inline const struct native_image *native_stray_behind(const struct native_stray *stray)
{
    return stray->after < stray->siblings->n ? &stray->siblings->images[stray->after] : NULL;
}

/* The sibling whose words are used for what is lost of an orphan: the one ahead of the stray bytes, or the one behind
 * them if only that is of a ring. NULL: there is neither. */
static inline const struct native_image *native_stray_template(const struct native_stray *stray)
{
    const struct native_image *before = native_stray_ahead(stray), *after = native_stray_behind(stray);
    bool is_better = after != NULL && native_role(after) == TLOG_ROLE_EVENTS;
    if (before == NULL || (is_better && native_role(before) != TLOG_ROLE_EVENTS))
        return after;
    return before;
}

/* ---- orphans ----------------------------------------------------------------------------------------------------- */

/* An orphan in stray bytes. */
struct native_orphan {
    struct native_layout layout;
    int64_t at; /* offset of its header from the first byte in memory; below 0: ahead of it */
};

/* Numbers of slots, the last one excluded. */
struct native_slot_range {
    uint32_t from, to;
};

static inline uint32_t native_orphan_size(struct native_layout layout)
{
    return TLOG_CHUNK_BYTES((uint32_t)layout.slots, (uint32_t)layout.emergency);
}

/* The normal slots of an orphan that are in memory, whole. */
static inline struct native_slot_range native_orphan_slots(const struct native_stray *stray,
                                                           const struct native_orphan *orphan)
{
    int64_t first = orphan->at + (int64_t)TLOG_HEADER_BYTES;
    int64_t end = ((int64_t)stray->n - first) / (int64_t)TLOG_SLOT_BYTES;
    struct native_slot_range slots = {1, orphan->layout.slots + 1u};
    if (first < 0)
        slots.from = (uint32_t)((-first + (int64_t)TLOG_SLOT_BYTES - 1) / (int64_t)TLOG_SLOT_BYTES) + 1u;
    if ((int64_t)stray->n < first)
        end = 0;
    if (end < (int64_t)orphan->layout.slots)
        slots.to = (uint32_t)end + 1u;
    return slots;
}

/* One of these slots. */
static inline const unsigned char *native_orphan_slot(const struct native_stray *stray,
                                                      const struct native_orphan *orphan, uint32_t slot)
{
    return stray->bytes + orphan->at + (int64_t)native_slot_offset(slot);
}

/* ---- their headers ----------------------------------------------------------------------------------------------- */

/* Whether it is no orphan, because a header with a right check stands there: one that was refused, or that is left over
 * from an earlier run; or because the firmware has taken the header back, or not finished it. */
bool native_orphan_has_header(const struct native_stray *stray, const struct native_orphan *orphan);

/* Whether the orphan fills the space between the images on both sides, as in a dump that has nothing but images. Bytes
 * may have been lost from its header, or have come into it. */
bool native_orphan_fills_space(const struct native_stray *stray, const struct native_orphan *orphan);

/* The same of an image of which no group is right: its seal, which is in memory, tells how many there are. That seal is
 * current if those on both sides are: a dump made through a sink has no other ones. A header whose check is right is no
 * orphan's, nor is one that the firmware has taken back. */
bool native_orphan_may_fill_space(const struct native_stray *stray, size_t seal, uint32_t groups);

/* Make an orphan's header, of what is legible of it, of its seal, and of its siblings. False: these do not tell which
 * chunk of which run it is. */
bool native_orphan_header(const struct native_stray *stray, const struct native_orphan *orphan,
                          struct native_header *header);

#endif
