/* payload.h - the types and payloads of the events of a dump: of S.Ha.R.K. records and of QNX's traceevents.
 *
 * What a kind of event becomes is decided once, when the first event of it comes, and remembered in struct
 * native_types: so fast_path.c makes the others without asking again. Types are indexes in struct trace.
 *
 * Most traceevents are QNX's. tlog has added some to QNX's class CONTROL:
 *
 *   PRINTK                  becomes ftrace:print: its text as printf() would print it, without a newline at the end, if
 *                           the firmware's ELF file is known. If it is not, or the format does not take the words that
 *                           the event has, the text is the address of the format and these words. If trace->formats
 *                           asks for it and viewers can format it, PRINTK becomes ftrace:bprint instead, for which the
 *                           function that logs it has to be known, too.
 *   FUNC_ENTER, FUNC_EXIT   become events of events/nesting.h, as trace->functions asks
 *   TRIGGER                 becomes tlog:trigger, a mark
 *   FAULT                   becomes tlog:fault or, of an ARMv7-A, tlog:fault_a
 *   events of the firmware  get the types of events/own_types.h
 */
#ifndef NATIVE_PAYLOAD_H
#define NATIVE_PAYLOAD_H

#include "base/bytes.h"
#include "events/own_types.h"
#include "events/qnx_types.h"
#include "events/rtos_types.h"
#include "events/shark_types.h"
#include "formats/native/chunks/lap.h"

#define NATIVE_CLASSES 32u

/* What is known of traceevents of one slot, with a class and number. QNX_UNKNOWN: nothing. Users' events are not here:
 * they share the types of their class. */
struct native_simple {
    uint16_t type;
    uint16_t layout; /* enum qnx_layout */
};

/* What is known of traceevents of several slots, if their payload has up to NATIVE_WIDE_BYTES for each slot. */
struct native_wide {
    uint16_t type;
    uint16_t size;   /* of the payload; 0: nothing is known */
    uint16_t layout; /* enum qnx_layout */
};

#define NATIVE_WIDE_BYTES  32u
#define NATIVE_OWN_RECORDS 0x4000u

/* SHARK_TYPE_NONE in place of a type: no such event has come yet. */
struct native_types {
    struct native_simple traceevent[NATIVE_CLASSES * _TRACE_MAX_EVENT_NUM]; /* by class and number */
    uint16_t record[256]; /* by code; SHARK_TYPE_NONE: the code is unknown, or more than an event is made of it */
    uint16_t own_record[NATIVE_OWN_RECORDS]; /* by par1: of records that stand for an event that the firmware defines,
                                                and whose payload is par2; SHARK_TYPE_NONE: nothing is known */
    bool priorities;                         /* records of set_priority may tell more than the new priority */
    struct shark_types shark;
    struct rtos_types rtos;
    struct qnx_types qnx;
    struct own_types *own; /* of the events that the firmware defines */
    struct native_wide wide[QNX_WORDS_SLOTS + 1]
                           [NATIVE_CLASSES * _TRACE_MAX_EVENT_NUM]; /* by slots, class and number */
    uint32_t address_words;                   /* words of an address in an event of tlog's own: 1 or 2 */
    uint16_t user_text;                       /* of users' events that are text */
    uint16_t user_words[QNX_WORDS_SLOTS + 1]; /* of those that are words, by slots */
};

/* Put the payload of an ordinary record, 8 bytes, to data. Returns its type; SHARK_TYPE_NONE: it is not ordinary. */
static inline uint16_t native_types_record(const struct native_types *types, uint32_t head, uint32_t par2,
                                           unsigned char *data)
{
    uint16_t type = types->record[head & 0xFFu];
    uint32_t par1 = head >> 16;
    bool is_own = type == SHARK_TYPE_NONE;
    if (is_own && rtos_is_code(head & 0xFFu)) {
        rtos_put(data, head & 0xFFu, par1, par2);
        return types->rtos.index[rtos_place(head & 0xFFu, par1)];
    }
    if (is_own && (head & 0xFFu) == OWN_RECORD && par1 < NATIVE_OWN_RECORDS)
        type = types->own_record[par1];
    put_le32(data, is_own ? par2 : par1);
    put_le32(data + 4, is_own ? 0 : par2);
    return type;
}

/* Declare the types of records in the trace, and prepare for those of traceevents. native_types_free() is due then. */
void native_types_declare(struct native_types *types, struct trace *trace);

/* Use the names that the firmware gave to codes of records, once they are known. */
void native_types_name(struct native_types *types, struct trace *trace);

/* Free what the types have allocated. Notes how many events had more data than an event has room for. */
void native_types_free(struct native_types *types, const struct trace *trace);

/* ---- traceevents ------------------------------------------------------------------------------------------------- */

/* The event of n slots, the first one with number index. Its data is copied to `data`, which has room for QNX_SLOTS_MAX
 * times QNX_SLOT_BYTES; of further slots nothing is kept. */
struct qnx_event native_traceevent(const struct native_lap *lap, uint32_t index, uint32_t n, unsigned char *data);

/* Put the payload of a traceevent to data, at most QNX_PAYLOAD_MAX bytes, and its type to *type. Returns its size; 0 if
 * no event is to be made of it, or after trace_fail(). */
uint16_t native_traceevent_payload(struct native_types *types, struct trace *trace, const struct qnx_event *event,
                                   unsigned char *data, uint16_t *type);

#endif
