/* types.c - the types of S.Ha.R.K. records and of QNX's traceevents: see types.h. */
#include "native/types.h"

#include "tlog_wire.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Contexts of threads: beyond those of records and "main", below the task that is not known and those that interrupts are
 * in a viewer. */
#define CONTEXT_FIRST 65537u
#define CONTEXT_LAST  69998u

static void set_simple(struct native_types *types)
{
    memcpy(types->simple, types->shark.record, sizeof types->simple);
    types->simple[FTrace_EVT_blackout_start] = SHARK_TYPE_NONE;
    types->simple[FTrace_EVT_blackout_end] = SHARK_TYPE_NONE;
}

static void start_user(struct native_types *types)
{
    types->user_text = SHARK_TYPE_NONE;
    for (uint32_t i = 0; i <= QNX_WORDS_SLOTS; i++)
        types->user_words[i] = SHARK_TYPE_NONE;
}

static void learn_user(struct native_types *types, uint32_t slots, uint16_t type)
{
    if (types->qnx.layout == QNX_EVENT_TEXT)
        types->user_text = type;
    else if (slots <= QNX_WORDS_SLOTS)
        types->user_words[slots] = type;
}

void native_declare_types(struct native_types *types, struct trace *trace)
{
    shark_types_declare(&types->shark, trace);
    qnx_types_start(&types->qnx, trace, 6, CONTEXT_FIRST, CONTEXT_LAST);
    start_user(types);
    set_simple(types);
}

void native_name_types(struct native_types *types, struct trace *trace)
{
    shark_types_name(&types->shark, trace);
    set_simple(types);
}

static void learn_event(struct native_types *types, const struct qnx_event *event, uint16_t type, uint16_t size)
{
    uint32_t number = event->class * _TRACE_MAX_EVENT_NUM + event->event;
    enum qnx_layout layout = types->qnx.layout;

    if (event->slots == 1u)
        types->traceevent[number] = (struct native_simple){type, (uint16_t)layout};
    else if (layout >= QNX_MORE_WORDS && event->slots <= QNX_WORDS_SLOTS && size <= event->slots * NATIVE_SLOT_BYTES)
        types->wide[event->slots][number] = (struct native_wide){type, size, (uint16_t)layout};
}

uint16_t native_qnx_payload(struct native_types *types, const struct qnx_event *event, unsigned char *data,
                            uint16_t *type)
{
    uint16_t size = qnx_payload(&types->qnx, event, data, type);

    if (size > 0 && event->class == TLOG_TRACE_USER)
        learn_user(types, event->slots, *type);
    else if (size > 0)
        learn_event(types, event, *type, size);
    return size;
}

void native_free_types(struct native_types *types, const struct trace *trace)
{
    if (types->qnx.cut > 0 && !trace->quiet)
        fprintf(stderr, "tlog-decode: %s: %" PRIu64 " event%s of more than %u slots cut there\n", trace->input_name,
                types->qnx.cut, types->qnx.cut == 1u ? "" : "s", QNX_SLOTS_MAX);
    qnx_types_free(&types->qnx);
}
