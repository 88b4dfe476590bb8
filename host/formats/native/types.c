/* types.c - the types of records and traceevents: see types.h. */
#include "formats/native/types.h"

#include "tlog_wire.h"

#include <inttypes.h>
#include <string.h>

/* Contexts of threads, which are pids to viewers. Those of records and of the task "main" are below, and above are the
 * pids of the task that is not known and of interrupts. */
#define CONTEXT_FIRST 65537u
#define CONTEXT_LAST  69998u

#define QNX_RELEASE 6u /* whose numbers the firmware's traceevents have */

/* Records of a loss take part in the count of losses, and those of an event that the firmware defines have its type:
 * native/stream.c makes events of them. */
static void set_records(struct native_types *types)
{
    memcpy(types->record, types->shark.record, sizeof types->record);
    types->record[TLOG_RECORD_LOSS] = SHARK_TYPE_NONE;
    types->record[OWN_RECORD] = SHARK_TYPE_NONE;
    if (types->priorities)
        types->record[FTrace_EVT_set_priority] = SHARK_TYPE_NONE;
}

void native_types_declare(struct native_types *types, struct trace *trace)
{
    shark_types_declare(&types->shark, trace);
    types->own = own_types_new(trace);
    memset(types->own_record, 0xFF, sizeof types->own_record);
    if (types->own == NULL)
        trace_fail(trace, "%s: no memory", trace->input_name);
    rtos_types_start(&types->rtos, trace);
    qnx_types_start(&types->qnx, trace, QNX_RELEASE, CONTEXT_FIRST, CONTEXT_LAST);
    types->user_text = SHARK_TYPE_NONE;
    for (uint32_t i = 0; i <= QNX_WORDS_SLOTS; i++)
        types->user_words[i] = SHARK_TYPE_NONE;
    set_records(types);
}

void native_types_name(struct native_types *types, struct trace *trace)
{
    shark_types_name(&types->shark, trace);
    set_records(types);
}

/* Remember the type of a user's event of so many slots. */
static void learn_user(struct native_types *types, uint32_t slots, uint16_t type)
{
    if (types->qnx.layout == QNX_EVENT_TEXT)
        types->user_text = type;
    else if (slots <= QNX_WORDS_SLOTS)
        types->user_words[slots] = type;
}

/* Remember the type of an event of another class, and the size of its payload. */
static void learn_event(struct native_types *types, const struct qnx_event *event, uint16_t type, uint16_t size)
{
    uint32_t number = event->class * _TRACE_MAX_EVENT_NUM + event->event;
    enum qnx_layout layout = types->qnx.layout;
    if (event->slots == 1u)
        types->traceevent[number] = (struct native_simple){type, (uint16_t)layout};
    else if (layout >= QNX_MORE_WORDS && event->slots <= QNX_WORDS_SLOTS && size <= event->slots * NATIVE_WIDE_BYTES)
        types->wide[event->slots][number] = (struct native_wide){type, size, (uint16_t)layout};
}

/* The payload of an event that the firmware defines. 0: nothing is known of it. One whose payload is its data is
 * learned as an event that is words. */
static uint16_t own_payload(struct native_types *types, const struct qnx_event *event, unsigned char *data,
                            uint16_t *type)
{
    struct own_data words = {event->data, 2u * (event->slots < QNX_SLOTS_MAX ? event->slots : QNX_SLOTS_MAX)};
    bool is_plain;
    uint16_t size =
        own_types_payload(types->own, event->class - OWN_CLASS_FIRST, event->event, words, data, type, &is_plain);
    types->qnx.layout = !is_plain ? QNX_OTHER : event->slots == 1u ? QNX_WORDS : QNX_MORE_WORDS;
    return size;
}

uint16_t native_types_payload(struct native_types *types, const struct qnx_event *event, unsigned char *data,
                              uint16_t *type)
{
    bool is_own = event->class >= OWN_CLASS_FIRST && event->class < OWN_CLASS_FIRST + OWN_CLASSES;
    uint16_t size = is_own ? own_payload(types, event, data, type) : 0;
    bool is_untold = is_own && size == 0;
    if (size == 0)
        size = qnx_payload(&types->qnx, event, data, type);
    if (is_untold && own_types_are_known(types->own))
        return size; /* the next one may be as described */
    if (size > 0 && event->class == TLOG_TRACE_USER)
        learn_user(types, event->slots, *type);
    else if (size > 0)
        learn_event(types, event, *type, size);
    return size;
}

void native_types_free(struct native_types *types, const struct trace *trace)
{
    uint64_t cut = types->qnx.cut;
    if (cut > 0)
        trace_note(trace, "%" PRIu64 " event%s of more than %u slots cut there", cut, cut == 1u ? "" : "s",
                   QNX_SLOTS_MAX);
    qnx_types_free(&types->qnx);
    own_types_free(types->own);
    rtos_types_free(&types->rtos);
}
