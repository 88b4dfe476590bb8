/* layout.h - where the parts of a chunk image are: slots, end mark, emergency slots, claims, seal (target/FORMAT.md,
 * 2).
 *
 * Slots are numbered from 1 on. The numbers go on behind the end mark, as if that were a slot: the first emergency
 * slot is `slots` + 2.
 *
 * A group is what target/FORMAT.md calls so: up to 32 slots that have a CRC of their own in the seal. Groups are
 * counted from 0 on: those of the normal slots, then those of the emergency slots. The groups of events that a trace
 * has are called trace groups in this folder.
 */
#ifndef NATIVE_LAYOUT_H
#define NATIVE_LAYOUT_H

#include "tlog_wire.h"

#include <stddef.h>

/* What all offsets in an image follow from. */
struct native_layout {
    uint16_t slots;     /* 1 to TLOG_SLOTS_MAX */
    uint16_t emergency; /* emergency slots, 0 to TLOG_SLOTS_MAX */
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

/* The group that a slot is in. */
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

/* Bytes of the seal with its table of groups, without the zeros behind that. */
static inline size_t native_seal_size(struct native_layout layout)
{
    return sizeof(struct tlog_seal) + 4u * native_groups(layout);
}

/* Offset in the image of the CRC that the seal has of a group. */
static inline size_t native_group_crc_offset(struct native_layout layout, size_t group)
{
    return native_seal_offset(layout) + sizeof(struct tlog_seal) + 4u * group;
}

#endif
