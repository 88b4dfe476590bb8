/* own.h - the traceevents that tlog has added to QNX's class CONTROL: TLOG_PRINTK, functions, triggers
 * and faults.
 *
 * PRINTK becomes ftrace:print: its text as printf() would print it, without a newline at the end, if the firmware's
 * ELF file is known. If it is not, or the format does not take the words that the event has, the text is the address
 * of the format and these words. If trace->formats asks for it and viewers can format it, PRINTK becomes
 * ftrace:bprint instead, for which the function that logs it has to be known, too.
 *
 * TRIGGER becomes tlog:trigger, a mark.
 *
 * FUNC_ENTER and FUNC_EXIT become events of events/funcgraph.h, as trace->functions asks. FAULT becomes tlog:fault
 * or, of an ARMv7-A, tlog:fault_a.
 */
#ifndef NATIVE_OWN_H
#define NATIVE_OWN_H

#include "events/qnx_types.h"
#include "model/trace.h"

/* address_words: how many words an address has. False: the event is none of those. True: its payload, at most
 * QNX_PAYLOAD_MAX bytes, was put to data, its type to *type, and its size to *size; a size of 0 means that the user
 * does not want the event. */
bool native_own_payload(struct trace *trace, const struct qnx_event *event, uint32_t address_words, unsigned char *data,
                        uint16_t *type, uint16_t *size);

#endif
