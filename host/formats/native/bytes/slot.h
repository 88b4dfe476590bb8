/* slot.h - what the words of one slot say: its lap tag, its kind, which event it is, and when that was logged
 * (target/FORMAT.md, 1).
 *
 * Stamps are in ticks of the target's clock, counted from the start of the run. A record's stamp has 63 bits: the high
 * word counts how often the clock's 32 bits have wrapped. A traceevent slot has the low 32 bits only; the rest follows
 * from the slot ahead of it, or, ahead of a lap's first record, from the slot behind it.
 *
 * The high word of a record may hold a context besides the wraps. The functions here expect it without; lap_load.c
 * takes the contexts out when it loads a lap.
 */
#ifndef NATIVE_SLOT_H
#define NATIVE_SLOT_H

#include "base/bytes.h"
#include "tlog_wire.h"

#include <stdbool.h>

/* Bits of the head of a traceevent slot that are always 0. */
#define NATIVE_TRACEEVENT_ZERO 0x00FC8000u

/* Offsets in a slot. Both kinds have the stamp's low word and the head in the same places. A traceevent has its data
 * where a record has par2 and the stamp's high word. */
enum {
    NATIVE_PAR2 = 4 * TLOG_WORD_PAR2,
    NATIVE_HIGH = 4 * TLOG_WORD_HIGH,
    NATIVE_LOW = 4 * TLOG_WORD_LOW,
    NATIVE_HEAD = 4 * TLOG_WORD_HEAD,
    NATIVE_DATA = 0,
};

#define NATIVE_DATA_BYTES 8u /* of data in each traceevent slot */

/* ---- tag, kind and event ----------------------------------------------------------------------------------------- */

/* The head of a slot, which tells what it holds. */
static inline uint32_t native_head(const unsigned char *slot)
{
    return get_le32(slot + NATIVE_HEAD);
}

/* The tag of a slot: TLOG_TAG_ODD, TLOG_TAG_EVEN, or, in a damaged one, 0 or TLOG_TAG_MASK. */
static inline uint32_t native_slot_tag(const unsigned char *slot)
{
    return native_head(slot) & TLOG_TAG_MASK;
}

/* Whether it is the tag of one lap, odd or even. */
static inline bool native_is_one_tag(uint32_t tag)
{
    return tag == TLOG_TAG_ODD || tag == TLOG_TAG_EVEN;
}

/* The tag that slots of a lap bear. */
static inline uint32_t native_tag(uint64_t lap)
{
    return lap & 1u ? TLOG_TAG_ODD : TLOG_TAG_EVEN;
}

/* The tag of the lap before that one. For lap 1 it is the tag of slots that were never written. */
static inline uint32_t native_tag_before(uint64_t lap)
{
    return lap > 1u ? native_tag(lap - 1u) : TLOG_TAG_EVEN;
}

/* Whether the head is that of a traceevent slot; otherwise it is that of a record. */
static inline bool native_is_traceevent(uint32_t head)
{
    return (head & TLOG_CLASS_MASK) != 0;
}

/* Whether a slot is a record whose words agree with each other. Its tag is not looked at. */
static inline bool native_is_record(const unsigned char *slot)
{
    uint32_t head = native_head(slot);
    uint32_t code = head & TLOG_RECORD_CODE;
    return !native_is_traceevent(head) && code != 0
           && ((get_le32(slot + NATIVE_HIGH) ^ get_le32(slot + NATIVE_LOW)) & TLOG_HIGH_MIRROR) == 0;
}

/* Whether a slot is valid by its bits: it bears one tag, and is a traceevent or a record that does not contradict
 * itself. */
static inline bool native_is_sound(const unsigned char *slot)
{
    uint32_t head = native_head(slot);
    if (!native_is_one_tag(head & TLOG_TAG_MASK))
        return false;
    return native_is_traceevent(head) ? (head & NATIVE_TRACEEVENT_ZERO) == 0 : native_is_record(slot);
}

/* Whether a slot has nothing but that head. */
static inline bool native_has_head_alone(const unsigned char *slot, uint32_t head)
{
    return native_head(slot) == head && get_le64(slot) == 0 && get_le32(slot + NATIVE_LOW) == 0;
}

/* Whether a slot is an end mark: both tags, and nothing else. */
static inline bool native_is_end_mark(const unsigned char *slot)
{
    return native_has_head_alone(slot, TLOG_TAG_MASK);
}

/* Heads of slots that were not read in time, in an image with NATIVE_CHUNK_PARTIAL (chunk.h); words 0 to 2 are 0. By
 * its tag such a slot is claimed. Of those that are side by side, as many are NOTHING as were extra slots. */
#define NATIVE_HEAD_UNREAD  (0x4C4F0000u | TLOG_TAG_MASK) /* an event is missing */
#define NATIVE_HEAD_NOTHING (0x4C4E0000u | TLOG_TAG_MASK) /* no event is */

static inline bool native_is_unread(const unsigned char *slot)
{
    return native_has_head_alone(slot, NATIVE_HEAD_UNREAD);
}

/* QNX class of a traceevent, from the head. */
static inline uint32_t native_traceevent_class(uint32_t head)
{
    return (head & TLOG_CLASS_MASK) >> TLOG_CLASS_SHIFT;
}

/* Number of a traceevent in its class, from the head. */
static inline uint32_t native_traceevent_number(uint32_t head)
{
    return (head >> TLOG_EVENT_HIGH_SHIFT & TLOG_EVENT_HIGH_MASK) << 8 | (head & TLOG_EVENT_LOW);
}

/* Whether the slot is a traceevent of class CONTROL with that number. */
static inline bool native_is_control(const unsigned char *slot, uint32_t number)
{
    uint32_t head = native_head(slot);
    return native_traceevent_class(head) == TLOG_CLASS_CONTROL && native_traceevent_number(head) == number;
}

/* Whether the slot is a traceevent that the firmware did not log as an event: it tells the time, the rate of the clock
 * or the number of a lap, or fills a gap. */
static inline bool native_is_no_event(const unsigned char *slot)
{
    return native_is_control(slot, TLOG_CONTROL_TIME) || native_is_control(slot, TLOG_CONTROL_BUFFER)
           || native_is_control(slot, TLOG_CONTROL_PAD) || native_is_control(slot, TLOG_CONTROL_COARSE)
           || native_is_control(slot, TLOG_CONTROL_RATE);
}

/* Whether the slot is an extra one, which the header's word `extra` counts: no event of its own, such as a further slot
 * of an event of several slots. */
static inline bool native_is_extra(const unsigned char *slot)
{
    uint32_t head = native_head(slot), structure = head >> TLOG_STRUCT_SHIFT;
    if (!native_is_traceevent(head))
        return (head & TLOG_RECORD_CODE) == TLOG_RECORD_LOSS;
    return structure == TLOG_STRUCT_CC || structure == TLOG_STRUCT_CE || native_is_no_event(slot)
           || native_is_control(slot, TLOG_CONTROL_TRIGGER);
}

/* Whether only the decoder needs the traceevent: no event is made of it. */
static inline bool native_is_private(const unsigned char *slot)
{
    return native_is_no_event(slot) || native_is_control(slot, TLOG_CONTROL_NAME);
}

/* The new priority that a record tells in par2. If *is_told, the record tells the priority before as well: *before. */
static inline int32_t native_record_priority(uint32_t par2, int32_t *before, bool *is_told)
{
    uint32_t high = par2 >> 16;
    *is_told = high != 0 && high != 0xFFFFu;
    *before = (int32_t)high - (int32_t)TLOG_PRIORITY_BIAS;
    return *is_told ? (int16_t)(uint16_t)par2 : (int32_t)par2;
}

/* ---- stamps ------------------------------------------------------------------------------------------------------ */

#define NATIVE_STAMP_UNKNOWN UINT64_MAX
#define NATIVE_WRAP          ((uint64_t)1 << 32) /* ticks in a wrap of the clock */

/* Words 1 and 2 of a record as one number: its stamp with the mirror bit on top. */
static inline uint64_t native_raw_stamp(const unsigned char *slot)
{
    uint64_t words = get_le64(slot + NATIVE_HIGH);
    return words << 32 | words >> 32;
}

/* A stamp without the mirror bit. */
static inline uint64_t native_without_mirror(uint64_t raw)
{
    return raw & ~((uint64_t)TLOG_HIGH_MIRROR << 32);
}

/* The stamp of a record. */
static inline uint64_t native_stamp(const unsigned char *slot)
{
    return native_without_mirror(native_raw_stamp(slot));
}

/* Low 32 bits of the stamp of a traceevent slot. */
static inline uint32_t native_low_stamp(const unsigned char *slot)
{
    return get_le32(slot + NATIVE_LOW);
}

/* The first stamp from ticks on that has these low 32 bits. */
static inline uint64_t native_stamp_from(uint64_t ticks, uint32_t low)
{
    return ticks + (uint32_t)(low - (uint32_t)ticks);
}

/* The last stamp up to ticks that has these low 32 bits; if there is none, the first one of all. */
static inline uint64_t native_stamp_until(uint64_t ticks, uint32_t low)
{
    uint32_t back = (uint32_t)ticks - low;
    return ticks >= back ? ticks - back : low;
}

/* The stamp that a CONTROL TIME slot tells with its own count of wraps, its first data word. */
static inline uint64_t native_told_stamp(const unsigned char *slot)
{
    return (uint64_t)get_le32(slot + NATIVE_DATA) << 32 | native_low_stamp(slot);
}

/* The stamp that a CONTROL COARSE slot tells: its wraps are its second data word. */
static inline uint64_t native_coarse_stamp(const unsigned char *slot)
{
    return (uint64_t)get_le32(slot + NATIVE_DATA + 4) << 32 | native_low_stamp(slot);
}

/* The stamp of a traceevent slot that follows an event at ticks. A CONTROL TIME slot may tell a later one. */
static inline uint64_t native_traceevent_stamp(uint64_t ticks, const unsigned char *slot)
{
    uint64_t stamp = native_stamp_from(ticks, native_low_stamp(slot)), told = native_told_stamp(slot);
    return native_is_control(slot, TLOG_CONTROL_TIME) && told > stamp ? told : stamp;
}

#endif
