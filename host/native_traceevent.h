/* native_traceevent.h - traceevent slots of a lap as QNX's events and as names. Private to the native reader. */
#ifndef NATIVE_TRACEEVENT_H
#define NATIVE_TRACEEVENT_H

#include "native_lap.h"
#include "qnx_types.h"

/* Whether the slot is of class CONTROL and that event. */
bool native_is_control(const unsigned char *slot, uint32_t event);

/* Whether the slot tells the time or the number of a lap, or is left over: it is no event of the firmware's. */
bool native_is_no_event(const unsigned char *slot);

/* The event of n slots from slot index on. Its data is copied to slots, at most QNX_SLOTS_MAX times 8 bytes. */
struct qnx_event native_traceevent(const struct native_lap *lap, uint32_t index, uint32_t n, unsigned char *slots);

/* A CONTROL NAME of n slots. */
void native_take_name(struct trace *trace, const struct native_lap *lap, uint32_t index, uint32_t n);

#endif
