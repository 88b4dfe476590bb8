/* image.h - one chunk image of a dump: what the reader remembers of it.
 *
 * native/open.c makes a struct native_image of a header that was found. The slots themselves stay in the input;
 * native/view.c brings them into memory when they are needed.
 */
#ifndef NATIVE_IMAGE_H
#define NATIVE_IMAGE_H

#include "native/layout.h"
#include "native/stamp.h"
#include "native/wire.h"

/* An image has up to three parts: the slots of the lap before its last one, which that has not overwritten yet,
 * those of its last lap, and its emergency slots. */
enum native_part_kind { NATIVE_PART_BEFORE, NATIVE_PART_LAST, NATIVE_PART_EMERGENCY, NATIVE_PARTS };

/* There is one for each image of the dump, so it is kept small. Fields with the names of a header's words are these. */
struct native_image {
    uint64_t offset;              /* of the header in the input; of a region: of its head */
    uint64_t stamp[NATIVE_PARTS]; /* of an event near the first one of each part, or NATIVE_STAMP_UNKNOWN */
    uint32_t available;   /* bytes the input has of it; all of a region's, with lost slots in place of lost groups */
    uint32_t size;        /* bytes it should have */
    uint32_t region_size; /* bytes of its region that the input has, else 0 */
    uint32_t boot, self, place, freq, next, dropped, reported;
    uint32_t lap;     /* the last lap that was opened, from 1 on; 0 = none. May be beyond 2^22: see native/laps.c */
    uint32_t mend_at; /* offset of the damaged byte of its seal, or NATIVE_MEND_NONE */
    struct native_layout layout;
    uint16_t emergency_used; /* emergency slots that hold events */
    uint16_t used;           /* slots before the cursor, which belong to lap; the others belong to lap - 1 */
    bool stops;              /* when it is full no chunk follows */
    uint8_t mend;            /* bits of the byte at mend_at that are to be inverted */
    bool sealed;             /* its seal is current, so the CRCs of its groups are to be checked */
    bool packed;             /* it stands in the dump as a region, compressed */
};

/* CPU, number and role of the chunk: fields of the header's word place. */
static inline unsigned native_cpu(const struct native_image *image)
{
    return image->place & 0xFFu;
}

static inline unsigned native_number(const struct native_image *image)
{
    return image->place >> 8 & 0xFFu;
}

static inline unsigned native_role(const struct native_image *image)
{
    return image->place >> 16 & TLOG_ROLE_MASK;
}

/* Whether word 1 of its records tells the context they were logged in. */
static inline bool native_has_context(const struct native_image *image)
{
    return (image->place & TLOG_CONTEXT_KIND) != 0;
}

/* The stamp of a record as it stands in the image, perhaps with a context. */
static inline uint64_t native_stamp_in(const struct native_image *image, const unsigned char *slot)
{
    uint64_t stamp = native_stamp(slot);
    return native_has_context(image) ? stamp >> (32u + TLOG_CONTEXT_BITS) << 32 | (uint32_t)stamp : stamp;
}

/* How many of the normal slots the input has, whole. */
static inline uint32_t native_slots_available(const struct native_image *image)
{
    size_t n = image->available < TLOG_HEADER_BYTES ? 0 : (image->available - TLOG_HEADER_BYTES) / TLOG_SLOT_BYTES;
    return n < image->layout.slots ? (uint32_t)n : image->layout.slots;
}

/* Whether the input has the slot with that number, whole. */
static inline bool native_has_slot(const struct native_image *image, uint32_t index)
{
    return native_slot_offset(index + 1u) <= image->available;
}

/* Bytes that the image, or its region, takes in the input. */
static inline uint32_t native_extent(const struct native_image *image)
{
    return image->packed ? image->region_size : image->available;
}

/* Offset in the input of damage at an offset of the image. Damage in a region is reported at its head: bytes of the
 * image have no places of their own there. */
static inline uint64_t native_damage_offset(const struct native_image *image, size_t offset)
{
    return image->packed ? image->offset : image->offset + offset;
}

/* How many bytes of damage to report, likewise; 0 in a region. */
static inline size_t native_damage_length(const struct native_image *image, size_t length)
{
    return image->packed ? 0 : length;
}

#endif
