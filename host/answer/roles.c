/* roles.c - see roles.h. */
#include "answer/roles.h"

#include "model/display.h"
#include "text/print_format.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Types whose name tells their role in every input. field: the field with the role's first number; NULL = the first. */
static const struct named_role {
    const char *system, *name, *field;
    enum role role;
} named_roles[] = {
    {"sched", "sched_switch", "next_pid", ROLE_SWITCH}, {"sched", "sched_waking", "pid", ROLE_WAKE},
    {"sched", "sched_wakeup", "pid", ROLE_WAKE},        {"sched", "sched_wakeup_new", "pid", ROLE_WAKE},
    {"irq", "irq_handler_entry", "irq", ROLE_ENTRY},    {"irq", "irq_handler_exit", "irq", ROLE_EXIT},
    {"shark", "task_begin_cycle", NULL, ROLE_BEGIN},    {"shark", "task_end_cycle", NULL, ROLE_END},
    {"shark", "task_deadline_miss", NULL, ROLE_MISS},   {"shark", "task_sleep", NULL, ROLE_BLOCK},
    {"shark", "task_create", NULL, ROLE_NEW},           {"shark", "task_end", NULL, ROLE_GONE},
    {"shark", "task_disable", NULL, ROLE_BLOCK},        {"shark", "set_mutex_wait", NULL, ROLE_LOCK},
    {"shark", "set_mutex_lock", NULL, ROLE_ACQUIRE},    {"shark", "set_mutex_unlock", NULL, ROLE_RELEASE},
    {"shark", "set_priority", NULL, ROLE_PRIORITY},     {"shark", "trace_stop", NULL, ROLE_PAUSE},
    {"shark", "interrupt_hit", NULL, ROLE_HIT},         {"shark", "interrupt_count", NULL, ROLE_HITS},
};

/* ---- fields ------------------------------------------------------------------------------------------------------ */

/* Whether the field, which may be NULL, has one number. */
static bool is_number(const struct tlog_field *field)
{
    return field != NULL && (field->kind <= TLOG_KIND_OPTIONAL || field->kind == TLOG_KIND_ADDRESS)
           && (field->size == 1 || field->size == 2 || field->size == 4 || field->size == 8);
}

static struct role_place number_of(const struct tlog_field *field)
{
    return is_number(field) ? role_place_of(field) : (struct role_place){0};
}

static struct role_place text_of(const struct tlog_field *field)
{
    bool is_text = field != NULL && field->kind == TLOG_KIND_CHARS && field->size >= 8 && field->size <= 64;
    return is_text ? role_place_of(field) : (struct role_place){0};
}

static struct role_place number_named(const struct tlog_type *type, const char *name)
{
    return number_of(tlog_field_named(type, name));
}

/* The i-th field, or NULL. */
static const struct tlog_field *field_at(const struct tlog_type *type, unsigned i)
{
    return i < type->nfields ? &type->fields[i] : NULL;
}

static bool has_word(const char *text, const char *word)
{
    return strstr(text, word) != NULL;
}

bool role_is_watermark(const struct tlog_type *type, const struct tlog_field *field)
{
    bool is_of_either = has_word(type->name, "stack") || has_word(type->name, "heap") || has_word(field->name, "stack")
                        || has_word(field->name, "heap");
    return is_of_either && is_number(field) && field->kind <= TLOG_KIND_HEX;
}

/* ---- types ------------------------------------------------------------------------------------------------------- */

static enum role role_by_name(const struct tlog_type *type, const char **field)
{
    for (size_t i = 0; i < sizeof named_roles / sizeof named_roles[0]; i++) {
        *field = named_roles[i].field;
        if (strcmp(named_roles[i].name, type->name) == 0 && strcmp(named_roles[i].system, type->system) == 0)
            return named_roles[i].role;
    }
    *field = NULL;
    return ROLE_NONE;
}

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), tail = strlen(end);
    return n >= tail && strcmp(text + n - tail, end) == 0;
}

/* Whether the event tells what the running task is going to wait for, so that it has no field for the task. Its meaning
 * tells that, or its name, such as queue_receive_block. */
static bool is_of_running(const struct tlog_type *type)
{
    if (strcmp(type->system, "rtos") != 0)
        return type->means == TLOG_MEANS_BLOCK_RUNNING || type->means == TLOG_MEANS_LOCK_RUNNING;
    return strcmp(type->name, "delay") == 0 || ends_with(type->name, "_block");
}

static enum role role_of_running(const struct tlog_type *type)
{
    bool is_lock = type->means == TLOG_MEANS_LOCK_RUNNING || strncmp(type->name, "mutex_", 6) == 0
                   || strncmp(type->name, "lock_", 5) == 0;
    return is_lock ? ROLE_LOCK : ROLE_BLOCK;
}

static enum role role_by_class(const struct tlog_type *type)
{
    static const enum role roles[] = {[TLOG_MEANS_WAKE] = ROLE_READY,        [TLOG_MEANS_BLOCK] = ROLE_BLOCK,
                                      [TLOG_MEANS_LOCK] = ROLE_LOCK,         [TLOG_MEANS_UNBLOCK] = ROLE_READY,
                                      [TLOG_MEANS_PRIORITY] = ROLE_PRIORITY, [TLOG_MEANS_LOSS] = ROLE_GAP,
                                      [TLOG_MEANS_DAMAGE] = ROLE_GAP,        [TLOG_MEANS_PAUSE] = ROLE_PAUSE,
                                      [TLOG_MEANS_LEFT_OUT] = ROLE_LEFT_OUT, [TLOG_MEANS_NO_SWITCHES] = ROLE_NONE,
                                      [TLOG_MEANS_MARK] = ROLE_NONE};
    return trace_ends_task(type) ? ROLE_GONE : roles[type->means];
}

/* The field that tells what a task waits for: behind the field with the task, the first one that is the number of a
 * mutex or another object. A trace.dat file does not tell what fields are numbers of. There it is the second field in
 * an event about a lock, and the first field in an event about the running task, which has no field for the task. */
static const struct tlog_field *find_object(const struct tlog_type *type, enum role role, bool is_running)
{
    for (unsigned i = is_running ? 0 : 1; i < type->nfields; i++) {
        if (tlog_kind_has_names(type->fields[i].kind) && type->fields[i].kind >= TLOG_KIND_MUTEX)
            return &type->fields[i];
    }
    if (is_running)
        return strcmp(type->name, "delay") != 0 ? field_at(type, 0) : NULL;
    return role == ROLE_LOCK || role == ROLE_ACQUIRE || role == ROLE_RELEASE ? field_at(type, 1) : NULL;
}

/* Where the print format has the names of a field's numbers: at { 2, "bus" } in __print_symbolic(REC->mutex, { 2, "bus"
 * }). NULL: there are none. */
static const char *find_symbols(const struct tlog_type *type, const struct tlog_field *field)
{
    char begin[80];
    const char *at;
    if (type->print == NULL || field == NULL)
        return NULL;
    snprintf(begin, sizeof begin, "__print_symbolic(REC->%s,", field->name);
    at = strstr(type->print, begin);
    return at != NULL ? at + strlen(begin) : NULL;
}

static void learn_switch(struct role_of *of, const struct tlog_type *type)
{
    of->second = number_named(type, "prev_pid");
    of->third = number_named(type, "prev_state");
    of->priority[0] = number_named(type, "next_prio");
    of->priority[1] = number_named(type, "prev_prio");
    of->name[0] = text_of(tlog_field_named(type, "next_comm"));
    of->name[1] = text_of(tlog_field_named(type, "prev_comm"));
}

static bool tells_watermark(const struct tlog_type *type)
{
    for (unsigned i = 0; i < type->nfields; i++) {
        if (role_is_watermark(type, &type->fields[i]))
            return true;
    }
    return false;
}

static void learn(struct role_of *of, const struct tlog_type *type)
{
    bool is_running = is_of_running(type);
    const char *field = NULL;
    of->role = is_running ? role_of_running(type) : role_by_name(type, &field);
    if (of->role == ROLE_NONE)
        of->role = role_by_class(type);
    if (of->role == ROLE_NONE && tells_watermark(type))
        of->role = ROLE_WATERMARK;
    of->first = field != NULL ? number_named(type, field) : number_of(is_running ? NULL : field_at(type, 0));
    of->object = find_object(type, of->role, is_running);
    of->second = number_of(of->object != NULL ? of->object : field_at(type, 1));
    if (!is_number(of->object))
        of->object = NULL;
    of->symbols = find_symbols(type, of->object);
    if (of->role == ROLE_SWITCH)
        learn_switch(of, type);
    if (of->role == ROLE_WAKE)
        of->name[0] = text_of(tlog_field_named(type, "comm"));
    if (of->first.size == 0 && !is_running && of->role < ROLE_WATERMARK)
        of->role = ROLE_NONE;
}

void roles_learn(struct roles *roles)
{
    for (; roles->n < roles->trace->ntypes; roles->n++)
        learn(&roles->of[roles->n], roles->trace->types[roles->n]);
}

/* ---- names of values --------------------------------------------------------------------------------------------- */

/* Look up the name that the print format has for a number. Of very many names only the first ones are looked at. */
static bool find_symbol(const char *symbols, uint64_t value, char name[32])
{
    const char *at = symbols, *text;
    uint64_t number;
    size_t length;
    while (at != NULL && at < symbols + PIECE_SYMBOLS_BYTES && print_format_symbol(&at, &number, &text, &length)) {
        if (number == value) {
            snprintf(name, 32, "%.*s", (int)length, text);
            return true;
        }
        at += strspn(at, ", ");
    }
    return false;
}

void role_value_name(const struct trace *trace, const struct role_of *of, uint64_t value, char name[32])
{
    enum tlog_kind kind = of->object->kind;
    bool is_hex = kind == TLOG_KIND_HEX || kind == TLOG_KIND_ADDRESS || display_is_handle(kind);
    bool is_named =
        tlog_kind_has_names(kind) && value <= UINT32_MAX && display_name(trace, kind, (uint32_t)value, name);
    if (!is_named && !find_symbol(of->symbols, value, name))
        snprintf(name, 32, is_hex ? "0x%" PRIx64 : "%" PRIu64, value);
}
