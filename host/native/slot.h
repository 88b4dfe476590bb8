/* slot.h - what the words of one slot say: its lap tag, its kind, and which event it is (target/FORMAT.md, 1). */
#ifndef NATIVE_SLOT_H
#define NATIVE_SLOT_H

#include "base/bytes.h"
#include "tlog_wire.h"

#include <stdbool.h>

/* Bits of word 0 of a traceevent slot that are always 0. */
#define NATIVE_TRACEEVENT_ZERO 0x00FC8000u

/* Offsets in a slot: a traceevent's clock and first data word; a record's wraps and clock are in their places. */
enum { NATIVE_WORD_1 = 4, NATIVE_WORD_2 = 8, NATIVE_WORD_3 = 12, NATIVE_DATA = 8 };

#define NATIVE_DATA_BYTES 8u /* of data in each traceevent slot */

/* The tag of a slot: TLOG_TAG_ODD, TLOG_TAG_EVEN, or, in a damaged one, 0 or TLOG_TAG_MASK. */
static inline uint32_t native_slot_tag(const unsigned char *slot)
{
    return get_le32(slot) & TLOG_TAG_MASK;
}

/* The tag that slots of a lap bear. */
static inline uint32_t native_tag(uint32_t lap)
{
    return lap & 1u ? TLOG_TAG_ODD : TLOG_TAG_EVEN;
}

/* The tag of the lap before that one. For lap 1 it is the tag of slots that were never written. */
static inline uint32_t native_tag_before(uint32_t lap)
{
    return lap > 1u ? native_tag(lap - 1u) : TLOG_TAG_EVEN;
}

/* Whether word 0 is that of a traceevent slot; otherwise it is that of a record. */
static inline bool native_is_traceevent(uint32_t word0)
{
    return (word0 & TLOG_CLASS_MASK) != 0;
}

/* Whether a slot is a record whose words agree with each other. Its tag is not looked at. */
static inline bool native_is_record(const unsigned char *slot)
{
    uint32_t word0 = get_le32(slot);
    uint32_t code = word0 & TLOG_RECORD_CODE;
    return !native_is_traceevent(word0) && code != 0 && code != FTrace_EVT_next_chunk
           && ((get_le32(slot + NATIVE_WORD_1) ^ get_le32(slot + NATIVE_WORD_2)) & TLOG_HIGH_MIRROR) == 0;
}

/* QNX class of a traceevent, from word 0. */
static inline uint32_t native_traceevent_class(uint32_t word0)
{
    return (word0 & TLOG_CLASS_MASK) >> TLOG_CLASS_SHIFT;
}

/* Number of a traceevent in its class, from word 0. */
static inline uint32_t native_traceevent_number(uint32_t word0)
{
    return (word0 >> TLOG_EVENT_HIGH_SHIFT & TLOG_EVENT_HIGH_MASK) << 8 | (word0 & TLOG_EVENT_LOW);
}

/* Whether the slot is a traceevent of class CONTROL with that number. */
static inline bool native_is_control(const unsigned char *slot, uint32_t number)
{
    uint32_t word0 = get_le32(slot);
    return native_traceevent_class(word0) == TLOG_CLASS_CONTROL && native_traceevent_number(word0) == number;
}

/* Whether the slot is no event of the firmware's: it tells the time or the number of a lap, or it is left over. */
static inline bool native_is_no_event(const unsigned char *slot)
{
    return native_is_control(slot, TLOG_CONTROL_TIME) || native_is_control(slot, TLOG_CONTROL_BUFFER)
           || native_is_control(slot, TLOG_CONTROL_PAD);
}

/* Whether only the decoder needs the traceevent: no event comes of it. */
static inline bool native_is_private(const unsigned char *slot)
{
    return native_is_no_event(slot) || native_is_control(slot, TLOG_CONTROL_NAME);
}

#endif
