/* traceevent.h - traceevent slots of a lap as QNX's events and as names. Private to the native reader. */
#ifndef NATIVE_TRACEEVENT_H
#define NATIVE_TRACEEVENT_H

#include "native/lap.h"
#include "events/qnx_types.h"

/* Class and number of an event, from word 0. */
static inline uint32_t native_traceevent_class(uint32_t word0)
{
    return (word0 & TLOG_CLASS_MASK) >> TLOG_CLASS_SHIFT;
}

static inline uint32_t native_traceevent_number(uint32_t word0)
{
    return (word0 >> TLOG_EVENT_HIGH_SHIFT & TLOG_EVENT_HIGH_MASK) << 8 | (word0 & TLOG_EVENT_LOW);
}

/* Whether the slot tells the decoder something, and viewers nothing. */
static inline bool native_is_private(const unsigned char *slot)
{
    uint32_t word0 = get_le32(slot), number = native_traceevent_number(word0);

    return native_traceevent_class(word0) == TLOG_CLASS_CONTROL
           && (number == TLOG_CONTROL_TIME || number == TLOG_CONTROL_BUFFER || number == TLOG_CONTROL_NAME
               || number == TLOG_CONTROL_PAD);
}

/* Whether the slot is of class CONTROL and that event. */
bool native_is_control(const unsigned char *slot, uint32_t event);

/* Whether the slot tells the time or the number of a lap, or is left over: it is no event of the firmware's. */
bool native_is_no_event(const unsigned char *slot);

/* The event of n slots from slot index on. Its data is copied to slots, at most QNX_SLOTS_MAX times 8 bytes. */
struct qnx_event native_traceevent(const struct native_lap *lap, uint32_t index, uint32_t n, unsigned char *slots);

/* A CONTROL NAME of n slots. */
void native_take_name(struct trace *trace, const struct native_lap *lap, uint32_t index, uint32_t n);

#endif
