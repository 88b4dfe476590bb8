/* shark_types.c - makes a type of event per record code of the table in tlog_wire.h, and a few more: see shark_types.h.
 *
 * Each type has both parameters of the record. A parameter without a meaning in the manual is the last field, and is
 * shown only if it is not 0: so no logged value is left out, and no unused one is shown.
 */
#include "events/shark_types.h"

#include "base/bytes.h"
#include "tlog_wire.h"

#include <stdio.h>
#include <string.h>

#define FAMILY_USER        0x9u  /* low four bits of user events' codes */
#define CODE_MANUAL_UNLOCK 0x43u /* mutex_unlock in the manual's table, a misprint of 0x36 */

/* ---- the tables -------------------------------------------------------------------------------------------------- */

/* What a code means in the picture of a system. */
#define CLASS_OF(code)                                                                                                 \
    ((code) == FTrace_EVT_context_switch                                           ? TRACE_SWITCH                      \
     : (code) == FTrace_EVT_task_activate || (code) == FTrace_EVT_timer_wakeup_end ? TRACE_WAKE                        \
     : (code) == FTrace_EVT_task_end_cycle || (code) == FTrace_EVT_task_sleep      ? TRACE_BLOCK                       \
     : (code) == FTrace_EVT_set_mutex_wait || (code) == FTrace_EVT_task_end        ? TRACE_BLOCK                       \
     : (code) == FTrace_EVT_task_disable                                           ? TRACE_BLOCK                       \
     : (code) == FTrace_EVT_task_begin_cycle                                       ? TRACE_UNBLOCK                     \
     : (code) == FTrace_EVT_interrupt_start                                        ? TRACE_IRQ_ENTRY                   \
     : (code) == FTrace_EVT_interrupt_end                                          ? TRACE_IRQ_EXIT                    \
     : (code) == FTrace_EVT_set_priority                                           ? TRACE_PRIORITY                    \
                                                                                   : TRACE_PLAIN)

/* First and second parameters that the manual's table leaves empty, though this runtime or the sources of S.Ha.R.K. use
 * them. They have a name, but are still shown only if they are not 0. */
#define ADDED_FIRST(code)                                                                                              \
    ((code) == FTrace_EVT_task_begin_cycle || (code) == FTrace_EVT_task_sleep || (code) == FTrace_EVT_interrupt_count  \
     || ADDED_BOTH(code))
#define ADDED_SECOND(code)                                                                                             \
    ((code) == FTrace_EVT_blackout_start || (code) == FTrace_EVT_blackout_end || (code) == FTrace_EVT_numevents        \
     || (code) == FTrace_EVT_task_deadline_miss || (code) == FTrace_EVT_task_wcet_violation                            \
     || (code) == FTrace_EVT_timer_wakeup_end || ADDED_BOTH(code))
#define ADDED_BOTH(code)                                                                                               \
    ((code) == FTrace_EVT_task_disable || (code) == FTrace_EVT_set_priority || (code) == FTrace_EVT_set_mutex_create   \
     || (code) == FTrace_EVT_set_mutex_inherit || (code) == FTrace_EVT_signal || (code) == FTrace_EVT_timer_post       \
     || (code) == FTrace_EVT_timer_delete || (code) == FTrace_EVT_timer_wakeup_start)

/* word, one and two are the names of parameters; "" if the manual's table has none. */
#define NAME_OF(word, otherwise) (sizeof(word) > 1u ? (word) : (otherwise))
#define HIDES_FIRST(code, one)   (sizeof(one) == 1u || ADDED_FIRST(code))
#define HIDES_SECOND(code, two)  (sizeof(two) == 1u || ADDED_SECOND(code))
#define KIND_SECOND(code, two)                                                                                         \
    (HIDES_SECOND(code, two) ? TRACE_OPTIONAL : (code) == FTrace_EVT_data_pointer ? TRACE_ADDRESS : TRACE_UNSIGNED)

/* If only the first parameter is hidden when it is zero, the second one stands before it. */
#define SWAPPED(code, one, two) (HIDES_FIRST(code, one) && !HIDES_SECOND(code, two))

#define FIELDS(code, event, one, two)                                                                                  \
    static const struct trace_field fields_##event[] = {                                                               \
        {SWAPPED(code, one, two) ? NAME_OF(two, "par2") : NAME_OF(one, "par1"),                                        \
         SWAPPED(code, one, two)  ? KIND_SECOND(code, two)                                                             \
         : HIDES_FIRST(code, one) ? TRACE_OPTIONAL                                                                     \
                                  : TRACE_UNSIGNED,                                                                    \
         SWAPPED(code, one, two) ? 4 : 0, 4},                                                                          \
        {SWAPPED(code, one, two) ? NAME_OF(one, "par1") : NAME_OF(two, "par2"),                                        \
         SWAPPED(code, one, two) ? TRACE_OPTIONAL : KIND_SECOND(code, two), SWAPPED(code, one, two) ? 0 : 4, 4},       \
    };
TLOG_EVENTS(FIELDS)

#define FILTER_FIELDS(family, name)                                                                                    \
    static const struct trace_field filter_fields_##name[] = {{"status", TRACE_UNSIGNED, 0, 4},                        \
                                                              {"par2", TRACE_OPTIONAL, 4, 4}};
TLOG_FAMILIES(FILTER_FIELDS)

#define TYPE(code, event, one, two) [code] = {"shark", #event, CLASS_OF(code), 8, 2, fields_##event, NULL},
#define FILTER_TYPE(family, name)                                                                                      \
    [0xF0 | (family)] = {"shark", "filter_" #name, TRACE_PLAIN, 8, 2, filter_fields_##name, NULL},

static const struct trace_type record_types[256] = {TLOG_EVENTS(TYPE) TLOG_FAMILIES(FILTER_TYPE)};

/* Codes that no table has. */
static const struct trace_field unknown_fields[] = {
    {"code", TRACE_HEX, 0, 4},
    {"par1", TRACE_UNSIGNED, 4, 4},
    {"par2", TRACE_UNSIGNED, 8, 4},
};
static const struct trace_type unknown_type = {"shark", "unknown", TRACE_PLAIN, 12, 3, unknown_fields, NULL};
static const struct trace_type manual_unlock_type = {
    "shark",
    "unknown_mutex_unlock",
    TRACE_PLAIN,
    12,
    3,
    unknown_fields,
    "\"code=0x%x par1=%u par2=%u (mutex_unlock in the manual's table, but 0x36 in the original's header)\", REC->code, "
    "REC->par1, REC->par2"};

/* ---- declaring --------------------------------------------------------------------------------------------------- */

void shark_types_declare(struct shark_types *types, struct trace *trace)
{
    for (unsigned code = 0; code < 256u; code++) {
        bool known = record_types[code].name != NULL;
        types->record[code] = known ? trace_type(trace, &record_types[code]) : SHARK_TYPE_NONE;
    }
    types->unknown = trace_type(trace, &unknown_type);
    types->manual_unlock = trace_type(trace, &manual_unlock_type);
    types->loss = trace_type(trace, &trace_loss_type);
    types->damage = trace_type(trace, &trace_damage_type);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Copy a name; characters that a type's name cannot have become '_'. Cut to fit in room. Returns the length. */
static size_t copy_plain(char *to, size_t room, const char *from)
{
    size_t n;
    for (n = 0; n < room - 1u && from[n] != '\0'; n++)
        to[n] = is_plain(from[n]) ? from[n] : '_';
    to[n] = '\0';
    return n;
}

/* Whether a type of the trace has the name already. */
static bool is_taken(const struct trace *trace, const char *name)
{
    for (unsigned i = 0; i < trace->ntypes; i++) {
        if (strcmp(trace->types[i]->system, "shark") == 0 && strcmp(trace->types[i]->name, name) == 0)
            return true;
    }
    return false;
}

/* Append _2, _3 ... to a name that is taken: users look for events by name. */
static void make_unique(const struct trace *trace, char *name, size_t length)
{
    for (unsigned n = 2; is_taken(trace, name); n++)
        snprintf(name + length, SHARK_NAME_BYTES - length, "_%u", n);
}

/* Give user event number the name: declare a copy of its type that bears it. */
static void name_event(struct shark_types *types, struct trace *trace, unsigned number, const char *given)
{
    unsigned code = number << 4 | FAMILY_USER;
    char *name = types->name[number];
    size_t length = copy_plain(name, SHARK_NAME_BYTES - 8u, given);
    if (strcmp(name, record_types[code].name) == 0)
        return;
    make_unique(trace, name, length);
    types->named[number] = record_types[code];
    types->named[number].name = name;
    types->record[code] = trace_type(trace, &types->named[number]);
}

void shark_types_name(struct shark_types *types, struct trace *trace)
{
    for (unsigned number = 0; number < SHARK_USER_EVENTS; number++) {
        const char *given = trace_name(trace, TRACE_NAME_EVENT, number << 4 | FAMILY_USER);
        if (given != NULL && given[0] != '\0')
            name_event(types, trace, number, given);
    }
}

/* ---- records to payloads and back -------------------------------------------------------------------------------- */

uint16_t shark_type(const struct shark_types *types, uint32_t code)
{
    if (code < 256u && types->record[code] != SHARK_TYPE_NONE)
        return types->record[code];
    return code == CODE_MANUAL_UNLOCK ? types->manual_unlock : types->unknown;
}

uint16_t shark_payload(const struct shark_types *types, unsigned char *data, uint32_t code, uint32_t par1,
                       uint32_t par2)
{
    bool known = code < 256u && types->record[code] != SHARK_TYPE_NONE;
    if (!known) {
        put_le32(data, code);
        data += 4;
    }
    put_le32(data, par1);
    put_le32(data + 4, par2);
    return known ? 8 : 12;
}

/* Each code has an array of fields of its own, which its types share, also those with names of the firmware. So the
 * array's address tells the code. */
enum shark_origin shark_origin(const struct trace_type *type, uint32_t *code)
{
    if (type->fields == unknown_fields)
        return SHARK_IN_PAYLOAD;
    for (*code = 0; *code < 256u; ++*code) {
        if (record_types[*code].fields != NULL && record_types[*code].fields == type->fields)
            return SHARK_KNOWN;
    }
    return SHARK_NO_RECORD;
}
