/* traceevent.c - traceevents out of their slots: see traceevent.h. */
#include "formats/native/traceevent.h"

#include "formats/native/own.h"
#include "tlog_wire.h"

/* Copy the data of at most `most` of n slots one behind the other. */
static void copy_data(const struct native_lap *lap, uint32_t index, uint32_t n, unsigned char *to, uint32_t most)
{
    for (uint32_t i = 0; i < n && i < most; i++)
        memcpy(to + (size_t)i * NATIVE_DATA_BYTES, native_lap_slot(lap, index + i) + NATIVE_DATA, NATIVE_DATA_BYTES);
}

struct qnx_event native_traceevent(const struct native_lap *lap, uint32_t index, uint32_t n, unsigned char *data)
{
    uint32_t head = native_head(native_lap_slot(lap, index));
    copy_data(lap, index, n, data, QNX_SLOTS_MAX);
    return (struct qnx_event){.class = native_traceevent_class(head),
                              .event = native_traceevent_number(head),
                              .slots = n,
                              .data = data,
                              .big = false};
}

/* The payload of an event that the firmware defines and logs by the address of its descriptor; 0: it is none. */
static uint16_t portable_payload(const struct native_types *types, const struct qnx_event *event, unsigned char *data,
                                 uint16_t *type)
{
    uint32_t skip = types->address_words, words = 2u * event->slots;
    struct own_data from = {event->data + (size_t)4u * skip, words - skip};
    uint64_t address = qnx_word(event, 0);
    if (event->class != TLOG_CLASS_CONTROL || event->event < OWN_CONTROL_EVENT || event->event > OWN_CONTROL_END
        || event->slots > QNX_SLOTS_MAX)
        return 0;
    if (skip > 1u)
        address |= (uint64_t)qnx_word(event, 1) << 32;
    return own_types_payload_at(types->own, address, (enum own_tag)(event->event - OWN_CONTROL_EVENT), from, data,
                                type);
}

/* The payload of a TLOG_PRINTK as an event with fields; 0: it is none, or the user wants texts. On a target of 64 bits
 * arguments have other sizes. */
static uint16_t text_payload(const struct native_types *types, const struct trace *trace, const struct qnx_event *event,
                             unsigned char *data, uint16_t *type)
{
    struct own_data from = {event->data + 4, 2u * event->slots - 1u};
    if (!trace->typed_text || event->class != TLOG_CLASS_CONTROL || event->event != TLOG_CONTROL_PRINTK
        || types->address_words != 1u || event->slots > QNX_SLOTS_MAX)
        return 0;
    return own_types_payload_of_text(types->own, qnx_word(event, 0), from, data, type);
}

/* Events that tlog has added to QNX's are looked for first: both are in class CONTROL. */
uint16_t native_payload(struct native_types *types, struct trace *trace, const struct qnx_event *event,
                        unsigned char *data, uint16_t *type)
{
    uint16_t size;
    size = text_payload(types, trace, event, data, type);
    if (size > 0)
        return size;
    if (native_own_payload(trace, event, types->address_words, data, type, &size))
        return size;
    size = portable_payload(types, event, data, type);
    return size > 0 ? size : native_types_payload(types, event, data, type);
}
