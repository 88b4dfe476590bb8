/* stamp.h - the stamps of slots: times in ticks of the target's clock, counted from the start of the run.
 *
 * A record's stamp has 63 bits, of which the wraps of the clock are in the high word. A traceevent slot has only the
 * low 32 bits: the rest follows from the slot ahead of it, or, ahead of a lap's first record, from the slot behind it.
 * All functions are for slots without contexts in the high word; native/lap.c takes these out of a lap when it is
 * loaded.
 */
#ifndef NATIVE_STAMP_H
#define NATIVE_STAMP_H

#include "formats/native/slot.h"

#define NATIVE_STAMP_UNKNOWN UINT64_MAX
#define NATIVE_WRAP          ((uint64_t)1 << 32) /* ticks in a wrap of the clock */

/* The stamps that the events of a lap must lie between, both included. */
struct native_span {
    uint64_t from, to;
    uint64_t next; /* a stamp of the lap behind, as the firmware wrote it, or NATIVE_STAMP_UNKNOWN */
};

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

/* The stamp with these low 32 bits that is nearest to ticks, and not before it. */
static inline uint64_t native_stamp_from(uint64_t ticks, uint32_t low)
{
    return ticks + (uint32_t)(low - (uint32_t)ticks);
}

/* The stamp with these low 32 bits that is nearest to ticks, and not after it; if there is none, the first one. */
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

/* The stamp of a traceevent slot behind an event at ticks. A CONTROL TIME slot may tell a later one. */
static inline uint64_t native_traceevent_stamp(uint64_t ticks, const unsigned char *slot)
{
    uint64_t stamp = native_stamp_from(ticks, native_low_stamp(slot)), told = native_told_stamp(slot);
    return native_is_control(slot, TLOG_CONTROL_TIME) && told > stamp ? told : stamp;
}

#endif
