/* traceevent.c - traceevents out of their slots: see traceevent.h. */
#include "native/traceevent.h"

#include "base/cursor.h"
#include "native/own.h"

/* Copy the data of at most `most` of n slots one behind the other. */
static void copy_data(const struct native_lap *lap, uint32_t index, uint32_t n, unsigned char *to, uint32_t most)
{
    for (uint32_t i = 0; i < n && i < most; i++)
        memcpy(to + (size_t)i * NATIVE_DATA_BYTES, native_lap_slot(lap, index + i) + NATIVE_DATA, NATIVE_DATA_BYTES);
}

struct qnx_event native_traceevent(const struct native_lap *lap, uint32_t index, uint32_t n, unsigned char *data)
{
    uint32_t word0 = get_le32(native_lap_slot(lap, index));
    copy_data(lap, index, n, data, QNX_SLOTS_MAX);
    return (struct qnx_event){.class = native_traceevent_class(word0),
                              .event = native_traceevent_number(word0),
                              .slots = n,
                              .data = data,
                              .big = false};
}

/* Events that tlog has added to QNX's are looked for first: both are in class CONTROL. */
uint16_t native_payload(struct native_types *types, struct trace *trace, const struct qnx_event *event,
                        unsigned char *data, uint16_t *type)
{
    uint16_t size;
    if (native_own_payload(trace, event, data, type, &size))
        return size;
    return native_types_payload(types, event, data, type);
}

/* The data is the kind and id of what has the name, in one word, then the name and its NUL. */
void native_take_name(struct trace *trace, const struct native_lap *lap, uint32_t index, uint32_t n)
{
    static const enum trace_name_kind kinds[] = {
        [TLOG_NAME_TASK] = TRACE_NAME_TASK,
        [TLOG_NAME_INTERRUPT] = TRACE_NAME_IRQ,
        [TLOG_NAME_MUTEX] = TRACE_NAME_MUTEX,
        [TLOG_NAME_EVENT] = TRACE_NAME_EVENT,
    };
    unsigned char data[NATIVE_DATA_BYTES + TLOG_NAME_BYTES + 1u] = {0}; /* ends with a NUL in any case */
    struct cursor cursor = cursor_in_memory(data, sizeof data, false);
    char name[sizeof data];
    uint32_t what, kind;
    copy_data(lap, index, n, data, sizeof data / NATIVE_DATA_BYTES);
    what = cursor_32(&cursor);
    kind = what >> 16;
    if (cursor_string(&cursor, name, sizeof name) && kind >= TLOG_NAME_TASK && kind <= TLOG_NAME_EVENT)
        trace_set_name(trace, kinds[kind], what & 0xFFFFu, name);
}
