/* display.c - see display.h. */
#include "model/display.h"

#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool display_names_of(enum tlog_kind kind, enum trace_name_kind *names)
{
    static const enum trace_name_kind of[] = {[TLOG_KIND_TASK] = TRACE_NAME_TASK,
                                              [TLOG_KIND_TASK_OR_0] = TRACE_NAME_TASK,
                                              [TLOG_KIND_INTERRUPT] = TRACE_NAME_IRQ,
                                              [TLOG_KIND_MUTEX] = TRACE_NAME_MUTEX};
    if (!tlog_kind_has_names(kind))
        return false;
    *names =
        kind >= TLOG_KIND_OBJECT ? (enum trace_name_kind)(TRACE_NAME_OBJECT + (kind - TLOG_KIND_OBJECT)) : of[kind];
    return true;
}

/* Number 0 of a task, which has a name in every trace: NULL for other kinds. */
static const char *name_of_0(enum tlog_kind kind)
{
    return kind == TLOG_KIND_TASK ? "idle" : kind == TLOG_KIND_TASK_OR_0 ? "-" : NULL;
}

const char *display_label(const struct tlog_field *field)
{
    bool is_task = field->kind == TLOG_KIND_TASK || field->kind == TLOG_KIND_TASK_OR_0;
    return is_task && strcmp(field->name, "context") == 0 ? "task" : field->name;
}

/* How many names of a kind the input gave. Names of tasks that the mapping added do not count. */
struct tally {
    enum trace_name_kind kind;
    size_t n;
};

static void count_name(void *ctx, uint32_t id, const char *name)
{
    struct tally *tally = ctx;
    bool is_mapped = tally->kind == TRACE_NAME_TASK && id >= TRACE_MAPPED_TASK && id < TRACE_MAPPED_TASK_END;
    tally->n += name[0] != '\0' && !is_mapped;
}

bool display_by_name(const struct trace *trace, enum tlog_kind kind)
{
    struct tally tally = {0};
    if (trace->only_numbers || !display_names_of(kind, &tally.kind))
        return false;
    trace_each_name(trace, tally.kind, count_name, &tally);
    return tally.n > 0 && tally.n <= DISPLAY_NAMES_MAX;
}

/* Copy a name, cut to its room. */
static void copy_name(char to[DISPLAY_NAME_BYTES], const char *name)
{
    size_t n = text_length(name, DISPLAY_NAME_BYTES - 1u);
    memcpy(to, name, n);
    to[n] = '\0';
}

bool display_plain_name(const struct trace *trace, enum tlog_kind kind, uint32_t number, char name[DISPLAY_NAME_BYTES])
{
    enum trace_name_kind names;
    const char *found;
    if (!display_names_of(kind, &names))
        return false;
    found = number == 0 ? name_of_0(kind) : NULL;
    if (found == NULL)
        found = trace_name(trace, names, number);
    if (found == NULL || found[0] == '\0')
        return false;
    copy_name(name, found);
    return true;
}

void display_tell_apart(const struct trace *trace, uint32_t task, char name[DISPLAY_NAME_BYTES])
{
    char number[12];
    size_t n, most, digits;
    if (task == 0 || !trace_task_name_is_shared(trace, task))
        return;
    digits = (size_t)snprintf(number, sizeof number, ":%u", task);
    n = strlen(name);
    most = DISPLAY_NAME_BYTES - 1u - digits;
    memcpy(name + (n < most ? n : most), number, digits + 1u);
}

bool display_name(const struct trace *trace, enum tlog_kind kind, uint32_t number, char name[DISPLAY_NAME_BYTES])
{
    if (!display_plain_name(trace, kind, number, name))
        return false;
    if (kind == TLOG_KIND_TASK || kind == TLOG_KIND_TASK_OR_0)
        display_tell_apart(trace, number, name);
    return true;
}

const char *display_print_name(const char *name, char to[DISPLAY_NAME_BYTES])
{
    copy_name(to, name);
    for (char *at = to; *at != '\0'; at++)
        *at = *at == '"' || *at == '\\' ? '_' : *at;
    return to;
}

size_t display_number(const struct trace *trace, enum tlog_kind kind, uint64_t number, bool is_named,
                      char name[DISPLAY_NAME_BYTES])
{
    bool is_hex = kind == TLOG_KIND_HEX || display_is_handle(kind);
    if (is_named && number <= UINT32_MAX && display_name(trace, kind, (uint32_t)number, name))
        return strlen(name);
    return (size_t)snprintf(name, DISPLAY_NAME_BYTES, is_hex ? "0x%" PRIx64 : "%" PRIu64, number);
}

/* What display_each_name() calls, and for what. */
struct each {
    const struct trace *trace;
    enum tlog_kind kind;
    void (*call)(void *ctx, uint32_t number, const char *name);
    void *ctx;
};

static void show(struct each *each, uint32_t number)
{
    char name[DISPLAY_NAME_BYTES];
    if (display_name(each->trace, each->kind, number, name))
        each->call(each->ctx, number, name);
}

/* Number 0 of a task comes first, whether or not the trace has a name for it. */
static void show_named(void *ctx, uint32_t id, const char *name)
{
    struct each *each = ctx;
    (void)name;
    if (id != 0 || name_of_0(each->kind) == NULL)
        show(each, id);
}

void display_each_name(const struct trace *trace, enum tlog_kind kind,
                       void (*call)(void *ctx, uint32_t number, const char *name), void *ctx)
{
    struct each each = {trace, kind, call, ctx};
    enum trace_name_kind names;
    if (!display_by_name(trace, kind) || !display_names_of(kind, &names))
        return;
    if (name_of_0(kind) != NULL)
        show(&each, 0);
    trace_each_name(trace, names, show_named, &each);
}
