/* own.h - traceevents of class CONTROL that are tlog's own: TLOG_PRINTK and the functions of a firmware. Private to
 * the native reader. */
#ifndef NATIVE_OWN_H
#define NATIVE_OWN_H

#include "events/qnx_types.h"
#include "model/trace.h"

/* False: the event is none of those. Else put its payload, at most QNX_PAYLOAD_MAX bytes, to data, its type in *type,
 * and its size in *size: 0 if the user does not want it.
 *
 * PRINTK becomes ftrace:print: its text as printf prints it, less a newline at the end, if the firmware's ELF file is
 * known; else, or if its format does not take the words that the event has, the address of the format and these words. If
 * trace->formats wants it and viewers can format it, it becomes ftrace:bprint instead, which needs to be told the function
 * that logs it. FUNC_ENTER and FUNC_EXIT become events of funcgraph.h, as trace->functions wants. */
bool native_own_payload(struct trace *trace, const struct qnx_event *event, unsigned char *data, uint16_t *type,
                        uint16_t *size);

#endif
