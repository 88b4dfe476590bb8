/* traceevent.h - the traceevents of a lap: as events of QNX and as payloads of the model. */
#ifndef NATIVE_TRACEEVENT_H
#define NATIVE_TRACEEVENT_H

#include "events/qnx_types.h"
#include "formats/native/lap.h"
#include "formats/native/types.h"

/* The event of n slots, the first one with number index. Its data is copied to `data`, which has room for QNX_SLOTS_MAX
 * times QNX_SLOT_BYTES; of further slots nothing is kept. */
struct qnx_event native_traceevent(const struct native_lap *lap, uint32_t index, uint32_t n, unsigned char *data);

/* Put the payload of a traceevent to data, at most QNX_PAYLOAD_MAX bytes, and its type to *type. Returns its size; 0 if
 * no event is to be made of it, or after trace_fail(). */
uint16_t native_payload(struct native_types *types, struct trace *trace, const struct qnx_event *event,
                        unsigned char *data, uint16_t *type);

#endif
