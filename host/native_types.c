/* native_types.c - the types of S.Ha.R.K. records, and one for QNX's: see native_types.h. */
#include "native_types.h"

#include "tlog_wire.h"

#include <string.h>

static const struct trace_field traceevent_fields[] = {
    {"class", TRACE_UNSIGNED, 0, 4}, {"event", TRACE_UNSIGNED, 4, 4}, {"struct", TRACE_UNSIGNED, 8, 4},
    {"data0", TRACE_HEX, 12, 4},     {"data1", TRACE_HEX, 16, 4},
};
static const struct trace_type traceevent_type = {"qnx", "traceevent", TRACE_PLAIN, 20, 5, traceevent_fields, NULL};

static void set_simple(struct native_types *types)
{
    memcpy(types->simple, types->shark.record, sizeof types->simple);
    types->simple[FTrace_EVT_blackout_start] = SHARK_TYPE_NONE;
    types->simple[FTrace_EVT_blackout_end] = SHARK_TYPE_NONE;
}

void native_declare_types(struct native_types *types, struct trace *trace)
{
    shark_types_declare(&types->shark, trace);
    types->traceevent = trace_type(trace, &traceevent_type);
    set_simple(types);
}

void native_name_types(struct native_types *types, struct trace *trace)
{
    shark_types_name(&types->shark, trace);
    set_simple(types);
}
