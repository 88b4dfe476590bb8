/* native_types.c - one type of event per record code, from the table in tlog_wire.h, and a few more: see
 * native_types.h.
 *
 * Every record keeps both parameters, also where its code gives one no meaning: nothing that was logged is left out.
 */
#include "native_types.h"

#include "tlog_wire.h"

#define CLASS_OF(code)                                                                                                 \
    ((code) == FTrace_EVT_context_switch                                           ? TRACE_SWITCH                      \
     : (code) == FTrace_EVT_task_activate || (code) == FTrace_EVT_timer_wakeup_end ? TRACE_WAKE                        \
     : (code) == FTrace_EVT_task_end_cycle || (code) == FTrace_EVT_task_sleep      ? TRACE_BLOCK                       \
     : (code) == FTrace_EVT_set_mutex_wait || (code) == FTrace_EVT_task_end        ? TRACE_BLOCK                       \
     : (code) == FTrace_EVT_task_begin_cycle                                       ? TRACE_UNBLOCK                     \
     : (code) == FTrace_EVT_task_disable                                           ? TRACE_BLOCK                       \
     : (code) == FTrace_EVT_interrupt_start                                        ? TRACE_IRQ_ENTRY                   \
     : (code) == FTrace_EVT_interrupt_end                                          ? TRACE_IRQ_EXIT                    \
     : (code) == FTrace_EVT_set_priority                                           ? TRACE_PRIORITY                    \
                                                                                   : TRACE_PLAIN)

#define FIELDS(code, event, first, second)                                                                             \
    static const struct trace_field fields_##event[] = {                                                               \
        {sizeof(first) > 1u ? first : "par1", TRACE_UNSIGNED, 0, 4},                                                   \
        {sizeof(second) > 1u ? second : "par2", (code) == FTrace_EVT_data_pointer ? TRACE_HEX : TRACE_UNSIGNED, 4, 4}, \
    };
TLOG_EVENTS(FIELDS)

static const struct trace_field filter_fields[] = {{"status", TRACE_UNSIGNED, 0, 4}, {"par2", TRACE_UNSIGNED, 4, 4}};

#define TYPE(code, event, first, second) [code] = {"shark", #event, CLASS_OF(code), 8, 2, fields_##event, NULL},
#define FILTER_TYPE(family, name)                                                                                      \
    [0xF0 | (family)] = {"shark", "filter_" #name, TRACE_PLAIN, 8, 2, filter_fields, NULL},

static const struct trace_type record_types[256] = {TLOG_EVENTS(TYPE) TLOG_FAMILIES(FILTER_TYPE)};

static const struct trace_field unknown_fields[] = {
    {"code", TRACE_HEX, 0, 4},
    {"par1", TRACE_UNSIGNED, 4, 4},
    {"par2", TRACE_UNSIGNED, 8, 4},
};
static const struct trace_type unknown_type = {"shark", "unknown", TRACE_PLAIN, 12, 3, unknown_fields, NULL};

static const struct trace_field traceevent_fields[] = {
    {"class", TRACE_UNSIGNED, 0, 4}, {"event", TRACE_UNSIGNED, 4, 4}, {"struct", TRACE_UNSIGNED, 8, 4},
    {"data0", TRACE_HEX, 12, 4},     {"data1", TRACE_HEX, 16, 4},
};
static const struct trace_type traceevent_type = {"qnx", "traceevent", TRACE_PLAIN, 20, 5, traceevent_fields, NULL};

static const struct trace_field count_fields[] = {{"count", TRACE_UNSIGNED, 0, 8}};
static const struct trace_type loss_type = {"tlog", "loss", TRACE_LOSS, 8, 1, count_fields, NULL};
static const struct trace_type damage_type = {"tlog", "damage", TRACE_DAMAGE, 8, 1, count_fields, NULL};

void native_declare_types(struct native_types *types, struct trace *trace)
{
    for (unsigned code = 0; code < 256u; code++) {
        bool known = record_types[code].name != NULL;

        types->record[code] = known ? trace_type(trace, &record_types[code]) : NATIVE_TYPE_NONE;
        types->simple[code] = types->record[code];
    }
    types->simple[FTrace_EVT_blackout_start] = NATIVE_TYPE_NONE;
    types->simple[FTrace_EVT_blackout_end] = NATIVE_TYPE_NONE;
    types->unknown = trace_type(trace, &unknown_type);
    types->traceevent = trace_type(trace, &traceevent_type);
    types->loss = trace_type(trace, &loss_type);
    types->damage = trace_type(trace, &damage_type);
}
