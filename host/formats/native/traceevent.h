/* traceevent.h - the traceevents of a lap: out of their slots, and as payloads of the model's events.
 *
 * Most are events of QNX (types.h). tlog has added some to QNX's class CONTROL:
 *
 *   PRINTK                  becomes ftrace:print: its text as printf() would print it, without a newline at the end, if
 *                           the firmware's ELF file is known. If it is not, or the format does not take the words that
 *                           the event has, the text is the address of the format and these words. If trace->formats
 *                           asks for it and viewers can format it, PRINTK becomes ftrace:bprint instead, for which the
 *                           function that logs it has to be known, too.
 *   FUNC_ENTER, FUNC_EXIT   become events of events/funcgraph.h, as trace->functions asks
 *   TRIGGER                 becomes tlog:trigger, a mark
 *   FAULT                   becomes tlog:fault or, of an ARMv7-A, tlog:fault_a
 *   events of the firmware  get the types of events/own_types.h
 */
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
uint16_t native_traceevent_payload(struct native_types *types, struct trace *trace, const struct qnx_event *event,
                                   unsigned char *data, uint16_t *type);

#endif
