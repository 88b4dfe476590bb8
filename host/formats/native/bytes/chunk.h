/* chunk.h - the bytes of a chunk image: where its parts are, its header, its seal (target/FORMAT.md, 2).
 *
 *   header | slots 1..n | end mark | emergency slots n + 2.. | notes of claimed slots | seal with CRCs of the groups
 *
 * Slots are numbered from 1 on. The end mark counts as one, so that the first emergency slot of a chunk with 64 slots
 * has number 66.
 *
 * A group is up to 32 slots with a CRC of their own in the seal. Groups are counted from 0 on: first those of the
 * normal slots, then those of the emergency slots. The groups of events that a trace has are called trace groups in
 * this folder.
 */
#ifndef NATIVE_CHUNK_H
#define NATIVE_CHUNK_H

#include "base/bytes.h"

#include "tlog_wire.h"

#include <stddef.h>

/* ---- where the parts are ----------------------------------------------------------------------------------------- */

/* What all offsets in a chunk image follow from. */
struct native_layout {
    uint16_t slots;     /* 1 to TLOG_SLOTS_MAX */
    uint16_t emergency; /* emergency slots, 0 to TLOG_SLOTS_MAX */
};

/* Numbers of slots that follow each other; 0: there are none. */
struct native_slots {
    uint16_t first, last;
};

/* A break in an image: bytes were lost from it, or came into it. */
struct native_displacement {
    int32_t by; /* the input has the bytes from offset `from` on so much further on; below 0: nearer; 0: no break */
    uint32_t from;
    struct native_slots torn[2]; /* slots that cannot be relied on */
};

/* Offset in the image of the slot with that number. */
static inline size_t native_slot_offset(size_t index)
{
    return TLOG_HEADER_BYTES + (index - 1u) * TLOG_SLOT_BYTES;
}

/* Number of the first emergency slot, whether there is one or not. */
static inline uint32_t native_first_emergency(struct native_layout layout)
{
    return layout.slots + 2u;
}

/* Number of the last emergency slot; without any, that of the end mark. */
static inline uint32_t native_last_slot(struct native_layout layout)
{
    return layout.slots + 1u + layout.emergency;
}

/* All groups of an image. */
static inline size_t native_groups(struct native_layout layout)
{
    return TLOG_GROUPS((size_t)layout.slots) + TLOG_GROUPS((size_t)layout.emergency);
}

/* The group of a slot. The end mark is in no group. */
static inline size_t native_group_of(struct native_layout layout, uint32_t index)
{
    if (index <= layout.slots)
        return (index - 1u) / TLOG_GROUP_SLOTS;
    return TLOG_GROUPS((size_t)layout.slots) + (index - native_first_emergency(layout)) / TLOG_GROUP_SLOTS;
}

/* Number of the first slot of a group. */
static inline uint32_t native_group_first(struct native_layout layout, size_t group)
{
    size_t normal = TLOG_GROUPS((size_t)layout.slots);
    return (uint32_t)(group < normal ? 1u + group * TLOG_GROUP_SLOTS
                                     : native_first_emergency(layout) + (group - normal) * TLOG_GROUP_SLOTS);
}

/* Slots of a group: TLOG_GROUP_SLOTS, or fewer in the last group of the normal or of the emergency slots. */
static inline uint32_t native_group_slots(struct native_layout layout, size_t group)
{
    uint32_t first = native_group_first(layout, group);
    uint32_t left = (first <= layout.slots ? layout.slots : native_last_slot(layout)) + 1u - first;
    return left < TLOG_GROUP_SLOTS ? left : TLOG_GROUP_SLOTS;
}

/* Offset of a group's slots in the image, and their size in bytes. */
static inline size_t native_group_offset(struct native_layout layout, size_t group)
{
    return native_slot_offset(native_group_first(layout, group));
}

static inline size_t native_group_size(struct native_layout layout, size_t group)
{
    return (size_t)native_group_slots(layout, group) * TLOG_SLOT_BYTES;
}

/* Offset in the image of the notes of claimed slots. */
static inline size_t native_claims_offset(struct native_layout layout)
{
    return native_slot_offset(native_last_slot(layout) + 1u);
}

/* Offset of the seal in the image. */
static inline size_t native_seal_offset(struct native_layout layout)
{
    return native_claims_offset(layout) + sizeof(struct tlog_claims);
}

/* Bytes of the seal with its table of groups, without the zeros behind it. */
static inline size_t native_seal_size(struct native_layout layout)
{
    return sizeof(struct tlog_seal) + 4u * native_groups(layout);
}

/* Offset in the image of the CRC that the seal has of a group. */
static inline size_t native_group_crc_offset(struct native_layout layout, size_t group)
{
    return native_seal_offset(layout) + sizeof(struct tlog_seal) + 4u * group;
}

/* A bit of the header's word `flags` that the firmware never sets: some slots of the image were not read in time, and
 * bear NATIVE_HEAD_UNREAD (slot.h). What reads memory while the firmware logs makes such images. */
#define NATIVE_CHUNK_PARTIAL 0x100u

/* ---- header and seal --------------------------------------------------------------------------------------------- */

/* To mend a byte is to put it right, where a check or a CRC shows which byte is damaged. NATIVE_MEND_NONE in place of
 * the offset of such a byte: there is none. */
#define NATIVE_MEND_NONE UINT32_MAX

/* Read the header of a little-endian chunk from TLOG_HEADER_BYTES bytes, into the byte order of the host. The values of
 * its fields are not checked. */
struct tlog_chunk native_read_header(const unsigned char *bytes);

/* What the word `check` of the header in these bytes should be. */
uint32_t native_check(const unsigned char *bytes);

/* Find the one byte that makes the wrong check of a header right when it is changed. Returns its offset, and in *bits
 * those bits that are to be inverted; NATIVE_MEND_NONE if there is no such byte, or several. */
uint32_t native_check_locate(const unsigned char *bytes, unsigned char *bits);

/* A count of 64 bits, from its low word, and its high word with the mirror bit (TLOG_COUNT_MIRROR). */
uint64_t native_count(uint32_t low, uint32_t high);

/* Read a seal without its table of groups, in the same way, from sizeof(struct tlog_seal) bytes. */
struct tlog_seal native_read_seal(const unsigned char *bytes);

#endif
