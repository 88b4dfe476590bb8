/* shark_types.c - makes a type of event per record code of the table in tlog_wire.h, and a few more: see shark_types.h.
 *
 * Each type has both parameters of the record as fields. If one of them has no meaning, it is the last field, and is
 * shown only where it is not 0: so every logged value is shown, and no unused one.
 */
#include "events/shark_types.h"

#include "base/bytes.h"
#include "events/rtos_types.h"
#include "tlog_wire.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define CODE_MANUAL_UNLOCK 0x43u /* mutex_unlock in the manual's table, a misprint of 0x36 */

/* ---- the tables -------------------------------------------------------------------------------------------------- */

/* What a code means in the picture of a system. */
#define CLASS_OF(code)                                                                                                 \
    ((code) == FTrace_EVT_context_switch                                      ? TLOG_MEANS_SWITCH                      \
     : (code) == FTrace_EVT_timer_wakeup_end                                  ? TLOG_MEANS_RESUME                      \
     : (code) == FTrace_EVT_trace_start                                       ? TLOG_MEANS_RUNNING                     \
     : (code) == FTrace_EVT_trace_stop                                        ? TLOG_MEANS_PAUSE                       \
     : (code) == FTrace_EVT_task_activate                                     ? TLOG_MEANS_WAKE                        \
     : (code) == FTrace_EVT_task_end_cycle || (code) == FTrace_EVT_task_sleep ? TLOG_MEANS_BLOCK                       \
     : (code) == FTrace_EVT_task_disable                                      ? TLOG_MEANS_BLOCK                       \
     : (code) == FTrace_EVT_task_create                                       ? TLOG_MEANS_CREATE                      \
     : (code) == FTrace_EVT_task_end                                          ? TLOG_MEANS_END                         \
     : (code) == FTrace_EVT_set_mutex_wait                                    ? TLOG_MEANS_LOCK                        \
     : (code) == FTrace_EVT_task_begin_cycle                                  ? TLOG_MEANS_UNBLOCK                     \
     : (code) == FTrace_EVT_interrupt_start                                   ? TLOG_MEANS_IRQ_ENTRY                   \
     : (code) == FTrace_EVT_interrupt_end                                     ? TLOG_MEANS_IRQ_EXIT                    \
     : (code) == FTrace_EVT_set_priority                                      ? TLOG_MEANS_PRIORITY                    \
                                                                              : TLOG_MEANS_PLAIN)

/* What the parameters are, by the family of the code. Where S.Ha.R.K. logs 0 for "the running task" or for "no task", 0
 * must not be shown as the idle task: TLOG_KIND_TASK_OR_0. */
#define OF(code, family) (((code)&FTrace_family_mask) == (FTrace_filter_##family & FTrace_family_mask))
#define TASK_MAY_BE_0(code)                                                                                            \
    ((code) == FTrace_EVT_task_begin_cycle || (code) == FTrace_EVT_task_sleep || (code) == FTrace_EVT_task_disable     \
     || (code) == FTrace_EVT_server_active || (code) == FTrace_EVT_timer_wakeup_start                                  \
     || (code) == FTrace_EVT_timer_wakeup_end || (code) == FTrace_EVT_set_mutex_unlock)
#define IS_TASK(code)                                                                                                  \
    (OF(code, task) || OF(code, priority) || OF(code, mutex) || OF(code, signal) || OF(code, timer)                    \
     || (code) == FTrace_EVT_id)
#define KIND_FIRST(code)                                                                                               \
    (TASK_MAY_BE_0(code)   ? TLOG_KIND_TASK_OR_0                                                                       \
     : IS_TASK(code)       ? TLOG_KIND_TASK                                                                            \
     : OF(code, interrupt) ? TLOG_KIND_INTERRUPT                                                                       \
                           : TLOG_KIND_UNSIGNED)
#define KIND_SECOND(code)                                                                                              \
    ((code) == FTrace_EVT_task_schedule || (code) == FTrace_EVT_inheritance ? TLOG_KIND_TASK                           \
     : OF(code, mutex)                                                      ? TLOG_KIND_MUTEX                          \
     : OF(code, timer)                                                      ? TLOG_KIND_TIMER                          \
     : (code) == FTrace_EVT_data_pointer                                    ? TLOG_KIND_ADDRESS                        \
     : (code) == FTrace_EVT_set_priority                                    ? TLOG_KIND_SIGNED                         \
                                                                            : TLOG_KIND_UNSIGNED)

/* word, one and two are the names of parameters. "": the parameter has no meaning in the manual's table, in this
 * runtime or in the sources of S.Ha.R.K. */
#define HAS(word)                (sizeof(word) > 1u)
#define NAME_OF(word, otherwise) (HAS(word) ? (word) : (otherwise))
#define KIND_1(code, one)        (HAS(one) ? KIND_FIRST(code) : TLOG_KIND_OPTIONAL)
#define KIND_2(code, two)        (HAS(two) ? KIND_SECOND(code) : TLOG_KIND_OPTIONAL)

/* If only the first parameter has no meaning, the second one stands before it. */
#define SWAPPED(one, two) (!HAS(one) && HAS(two))

#define FIELDS(code, event, one, two)                                                                                  \
    static const struct tlog_field fields_##event[] = {                                                                \
        {SWAPPED(one, two) ? NAME_OF(two, "par2") : NAME_OF(one, "par1"),                                              \
         SWAPPED(one, two) ? KIND_2(code, two) : KIND_1(code, one), SWAPPED(one, two) ? 4 : 0, 4},                     \
        {SWAPPED(one, two) ? NAME_OF(one, "par1") : NAME_OF(two, "par2"),                                              \
         SWAPPED(one, two) ? KIND_1(code, one) : KIND_2(code, two), SWAPPED(one, two) ? 0 : 4, 4},                     \
    };
TLOG_EVENTS(FIELDS)

#define FILTER_FIELDS(family, name)                                                                                    \
    static const struct tlog_field filter_fields_##name[] = {{"status", TLOG_KIND_UNSIGNED, 0, 4},                     \
                                                             {"par2", TLOG_KIND_OPTIONAL, 4, 4}};
TLOG_FAMILIES(FILTER_FIELDS)

#define TYPE(code, event, one, two) [code] = {"shark", #event, CLASS_OF(code), 8, 2, fields_##event, NULL},
#define FILTER_TYPE(family, name)                                                                                      \
    [0xF0 | (family)] = {"shark",                                                                                      \
                         "filter_" #name,                                                                              \
                         OF(family, priority) ? TLOG_MEANS_NO_SWITCHES : TLOG_MEANS_PLAIN,                             \
                         8,                                                                                            \
                         2,                                                                                            \
                         filter_fields_##name,                                                                         \
                         NULL},

static const struct tlog_type record_types[256] = {TLOG_EVENTS(TYPE) TLOG_FAMILIES(FILTER_TYPE)};

/* Codes that no table has. */
static const struct tlog_field unknown_fields[] = {
    {"code", TLOG_KIND_HEX, 0, 4},
    {"par1", TLOG_KIND_UNSIGNED, 4, 4},
    {"par2", TLOG_KIND_UNSIGNED, 8, 4},
};
static const struct tlog_type unknown_type = {"shark", "unknown", TLOG_MEANS_PLAIN, 12, 3, unknown_fields, NULL};
/* A code that no table has, but to which the firmware gave a name. */
static const struct tlog_type own_type = {
    "shark", "", TLOG_MEANS_PLAIN, 12, 3, unknown_fields, "\"par1=%u par2=%u\", REC->par1, REC->par2"};
static const struct tlog_type manual_unlock_type = {
    "shark",
    "unknown_mutex_unlock",
    TLOG_MEANS_PLAIN,
    12,
    3,
    unknown_fields,
    "\"code=0x%x par1=%u par2=%u (mutex_unlock in the manual's table, but 0x36 in the original's header)\", REC->code, "
    "REC->par1, REC->par2"};

/* ---- declaring --------------------------------------------------------------------------------------------------- */

void shark_types_declare(struct shark_types *types, struct trace *trace)
{
    for (unsigned code = 0; code < SHARK_CODES; code++) {
        bool known = record_types[code].name != NULL;
        types->record[code] = known ? trace_type(trace, &record_types[code]) : SHARK_TYPE_NONE;
    }
    types->unknown = trace_type(trace, &unknown_type);
    for (unsigned code = 0; code < SHARK_CODES; code++)
        types->other[code] = types->unknown;
    types->other[CODE_MANUAL_UNLOCK] = trace_type(trace, &manual_unlock_type);
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

enum tlog_kind shark_kind_called(const char *name)
{
    for (unsigned i = 0; i < TLOG_OBJECTS; i++) {
        if (strcmp(name, rtos_object_name(i)) == 0)
            return (enum tlog_kind)(TLOG_KIND_OBJECT + i);
    }
    return strcmp(name, "task") == 0    ? TLOG_KIND_TASK
           : strcmp(name, "irq") == 0   ? TLOG_KIND_INTERRUPT
           : strcmp(name, "mutex") == 0 ? TLOG_KIND_MUTEX
                                        : TLOG_KIND_UNSIGNED;
}

/* Whether a parameter may have this name: print formats can have it, and no other field has it. */
static bool is_parameter(const char *name, const struct tlog_field *other)
{
    return name[0] != '\0' && strchr("0123456789", name[0]) == NULL && strncmp(name, "common_", 7) != 0
           && strcmp(name, "code") != 0 && strcmp(name, other->name) != 0;
}

/* Name field i of the last two, with _ for characters that a name cannot have. It keeps its own name if this one cannot
 * be. */
static bool name_parameter(struct shark_named *named, unsigned i, char *name)
{
    struct tlog_field *field = &named->field[named->type.nfields - 2u];
    copy_plain(name, strlen(name) + 1u, name);
    if (!is_parameter(name, &field[1u - i]))
        return false;
    field[i].name = name;
    field[i].kind = shark_kind_called(name);
    return true;
}

/* Name the last two fields by the list "one,two)", or the first of them by "one)". */
static void name_listed(struct shark_named *named, const char *list)
{
    char *name = named->parameters;
    for (unsigned i = 0; i < 2; i++) {
        size_t n = strcspn(list, ",)");
        memcpy(name, list, n);
        name[n] = '\0';
        name_parameter(named, i, name);
        name += n + 1u;
        list += n + (list[n] == ',');
    }
}

/* Make a field what its conversion says. The first parameter of a record has 16 bits, and its sign is the highest of
 * these. */
static void convert(struct tlog_field *field, bool is_first, char letter)
{
    if (letter == 'x' || letter == 'X')
        field->kind = TLOG_KIND_HEX;
    if (letter == 'd' || letter == 'i') {
        field->kind = TLOG_KIND_SIGNED;
        field->size = is_first ? 2u : 4u;
    }
}

/* Name the last two fields by " one=%u two=%d", as far as that goes. */
static void name_typed(struct shark_named *named, const char *list)
{
    char *name = named->parameters;
    for (unsigned i = 0; i < 2; i++) {
        size_t n;
        list += strspn(list, " ,");
        n = strcspn(list, "= ,");
        memcpy(name, list, n);
        name[n] = '\0';
        if (list[n] != '=' || list[n + 1u] != '%')
            return;
        list += n + 2u;
        if (name_parameter(named, i, name))
            convert(&named->field[named->type.nfields - 2u + i], i == 0, *list);
        name += n + 1u;
        list += strcspn(list, " ,");
    }
}

/* Name the last two fields by what stands behind the event's name: a list in parentheses, or fields behind a colon. A
 * parameter without a name there stays par1 or par2. */
static void name_parameters(struct shark_named *named, const char *list)
{
    struct tlog_field *field = &named->field[named->type.nfields - 2u];
    uint16_t offset = (uint16_t)(named->type.size - 8u);
    field[0] = (struct tlog_field){"par1", TLOG_KIND_UNSIGNED, offset, 4};
    field[1] = (struct tlog_field){"par2", TLOG_KIND_UNSIGNED, (uint16_t)(offset + 4u), 4};
    if (*list == '(')
        name_listed(named, list + 1);
    else
        name_typed(named, list + 1);
}

/* Make a copy of a code's type under the firmware's name. list: the names of parameters, from the parenthesis or colon
 * on; NULL: they keep theirs. */
static void make_named(struct shark_named *named, const struct tlog_type *type, uint32_t code, const char *list)
{
    named->type = *type;
    strcpy(named->system, "shark");
    named->type.system = named->system;
    named->type.name = named->name;
    named->type.fields = named->field;
    named->origin = type == &own_type ? SHARK_IN_PAYLOAD : SHARK_KNOWN;
    named->code = code;
    memcpy(named->field, type->fields, type->nfields * sizeof named->field[0]);
    if (list != NULL) {
        named->type.print = NULL;
        name_parameters(named, list);
    }
}

/* Give a code the name: declare a copy of its type that bears it. */
static void name_event(struct shark_types *types, struct trace *trace, unsigned code, const char *given)
{
    bool known = record_types[code].name != NULL;
    const struct tlog_type *type = known ? &record_types[code] : &own_type;
    struct shark_named *named = &types->named[code];
    char stem[SHARK_NAME_BYTES];
    const char *list = strpbrk(given, "(:");
    size_t length;
    snprintf(stem, sizeof stem, "%.*s", (int)strcspn(given, "(:"), given);
    length = copy_plain(named->name, SHARK_NAME_BYTES - 8u, stem);
    if (length == 0 || (list == NULL && strcmp(named->name, type->name) == 0))
        return;
    make_unique(trace, named->name, length);
    make_named(named, type, code, list);
    *(known ? &types->record[code] : &types->other[code]) = trace_type(trace, &named->type);
}

void shark_types_name(struct shark_types *types, struct trace *trace)
{
    for (unsigned code = 1; code < SHARK_CODES - 1u; code++) {
        const char *given = trace_name(trace, TRACE_NAME_EVENT, code);
        if (given != NULL && given[0] != '\0')
            name_event(types, trace, code, given);
    }
}

/* ---- records to payloads and back -------------------------------------------------------------------------------- */

uint16_t shark_type(const struct shark_types *types, uint32_t code)
{
    if (code < 256u && types->record[code] != SHARK_TYPE_NONE)
        return types->record[code];
    return code < SHARK_CODES ? types->other[code] : types->unknown;
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

/* The address of a type's fields tells the code: each code has an array of its own. A type that the firmware named is
 * in a struct shark_named, which has the code. */
/* Whether the firmware named the type: only then it brings its system itself. Two constants that are equal may have one
 * address. */
static bool is_named(const struct tlog_type *type)
{
    return type->system == (const char *)type + offsetof(struct shark_named, system);
}

enum shark_origin shark_origin(const struct tlog_type *type, uint32_t *code)
{
    if ((*code = rtos_types_code(type)) != 0)
        return SHARK_KNOWN;
    if (is_named(type)) {
        const struct shark_named *named = (const struct shark_named *)(const void *)type;
        *code = named->code;
        return named->origin;
    }
    if (type->fields == unknown_fields)
        return SHARK_IN_PAYLOAD;
    for (*code = 0; *code < 256u; ++*code) {
        if (record_types[*code].fields != NULL && record_types[*code].fields == type->fields)
            return SHARK_KNOWN;
    }
    return SHARK_NO_RECORD;
}
