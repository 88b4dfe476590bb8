/* traceevent.c - traceevent slots as events: see traceevent.h. */
#include "native/traceevent.h"

#include "tlog_wire.h"

#include <string.h>

bool native_is_control(const unsigned char *slot, uint32_t event)
{
    uint32_t word0 = get_le32(slot);

    return native_traceevent_class(word0) == TLOG_CLASS_CONTROL && native_traceevent_number(word0) == event;
}

bool native_is_no_event(const unsigned char *slot)
{
    return native_is_control(slot, TLOG_CONTROL_TIME) || native_is_control(slot, TLOG_CONTROL_BUFFER)
           || native_is_control(slot, TLOG_CONTROL_PAD);
}

struct qnx_event native_traceevent(const struct native_lap *lap, uint32_t index, uint32_t n, unsigned char *slots)
{
    uint32_t word0 = get_le32(native_lap_slot(lap, index));

    for (uint32_t i = 0; i < n && i < QNX_SLOTS_MAX; i++)
        memcpy(slots + (size_t)8u * i, native_lap_slot(lap, index + i) + 8, 8);
    return (struct qnx_event){native_traceevent_class(word0), native_traceevent_number(word0), n, slots, false};
}

void native_take_name(struct trace *trace, const struct native_lap *lap, uint32_t index, uint32_t n)
{
    static const enum trace_name_kind kinds[] = {
        [TLOG_NAME_TASK] = TRACE_NAME_TASK,
        [TLOG_NAME_INTERRUPT] = TRACE_NAME_IRQ,
        [TLOG_NAME_MUTEX] = TRACE_NAME_MUTEX,
        [TLOG_NAME_EVENT] = TRACE_NAME_EVENT,
    };
    char text[8u + TLOG_NAME_BYTES + 1u] = "";
    uint32_t what;

    for (uint32_t i = 0; i < n && 8u * i + 8u < sizeof text; i++)
        memcpy(text + 8u * i, native_lap_slot(lap, index + i) + 8, 8);
    what = get_le32(text);
    if (what >> 16 >= TLOG_NAME_TASK && what >> 16 <= TLOG_NAME_EVENT)
        trace_set_name(trace, kinds[what >> 16], what & 0xFFFFu, text + 4);
}
