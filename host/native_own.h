/* native_own.h - traceevents of class CONTROL that are tlog's own: TLOG_PRINTK and the functions of a firmware. Private to
 * the native reader. */
#ifndef NATIVE_OWN_H
#define NATIVE_OWN_H

#include "qnx_types.h"
#include "trace.h"

/* Put the payload of a CONTROL event that tlog logged to data, at most QNX_PAYLOAD_MAX bytes, and its type in *type. The
 * size; 0 if the event is none of those.
 *
 * PRINTK becomes ftrace:print: its text as printf prints it, less a newline at the end, if the firmware's ELF file is
 * known, else the address of its format and the words of its arguments. Formats of Linux's own ftrace:bprint are fewer
 * than C's, and a file's words are not the target's, so there is no way around rendering. */
uint16_t native_own_payload(struct trace *trace, const struct qnx_event *event, unsigned char *data, uint16_t *type);

#endif
