/* select.c - see select.h. What a type means is found out when its first event comes. */
#include "decode/select.h"

#include "base/bytes.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TASKS_OF_EVENT = 2 };

/* What an event means for interrupts. */
enum turn { NO_TURN, ENTRY, EXIT };

/* What a type means. */
struct meaning {
    bool is_known, is_gap;
    bool is_wanted;                                 /* by --event */
    enum turn turn;                                 /* of an interrupt, whose number is in this field or NULL: */
    const struct trace_field *irq, *irq_name;       /* and its name, or NULL */
    const struct trace_field *task[TASKS_OF_EVENT]; /* numbers of tasks that a switch or a wake-up is about */
};

/* A CPU. */
struct lane {
    uint64_t open;       /* interrupts that have been entered, the innermost in bit 0: set if it is wanted */
    bool was_irq_wanted; /* of the last event that is not derived */
    size_t window;       /* that the last event which is left is in, from 1; 0: none is left */
};

struct decode_select {
    const struct decode_selection *selection;
    struct trace *trace;
    struct decode_window time;
    const struct decode_windows *windows; /* of --around; NULL: it is not given */
    bool found[SELECT_KINDS][SELECT_PATTERNS];
    struct meaning of[TRACE_TYPES_MAX];
    struct lane lane[]; /* one for each CPU */
};

/* ---- times ------------------------------------------------------------------------------------------------------- */

/* The time of an edge as events have it: ns, or ticks where the clock is not known. */
static uint64_t time_of(const struct trace *trace, const struct select_edge *edge)
{
    if (trace->clock_hz == 0)
        return edge->seconds;
    return edge->seconds > UINT64_MAX / 1000000000u - 1u ? UINT64_MAX : edge->seconds * 1000000000u + edge->ns;
}

struct decode_window decode_select_time(const struct decode_selection *selection, const struct trace *trace)
{
    const struct select_edge *from = &selection->from, *to = &selection->to;
    return (struct decode_window){from->is_given && !from->is_event ? time_of(trace, from) : 0,
                                  to->is_given && !to->is_event ? time_of(trace, to) : UINT64_MAX};
}

bool decode_select_names_events(const struct decode_selection *selection)
{
    return selection->from.is_event || selection->to.is_event || selection->list[SELECT_AROUND].n > 0;
}

struct decode_select *decode_select_new(const struct decode_selection *selection, const struct decode_windows *windows,
                                        struct trace *trace)
{
    struct decode_select *select = calloc(1, sizeof *select + trace->ncpus * sizeof select->lane[0]);
    if (select == NULL)
        return NULL;
    select->selection = selection;
    select->trace = trace;
    select->time = windows != NULL ? windows->time : decode_select_time(selection, trace);
    select->windows = selection->list[SELECT_AROUND].n > 0 ? windows : NULL;
    return select;
}

void decode_select_free(struct decode_select *select)
{
    free(select);
}

/* ---- types ------------------------------------------------------------------------------------------------------- */

static const struct trace_field *field_named(const struct trace_type *type, const char *name)
{
    for (unsigned i = 0; i < type->nfields; i++) {
        if (strcmp(type->fields[i].name, name) == 0)
            return &type->fields[i];
    }
    return NULL;
}

bool decode_select_is_like(const struct select_pattern *pattern, const struct trace_type *type)
{
    return (pattern->system == NULL || fnmatch(pattern->system, type->system, 0) == 0)
           && fnmatch(pattern->name, type->name, 0) == 0;
}

/* Note which of the patterns the type is like. True: one of them, or there is none. */
static bool is_like(struct decode_select *select, const struct trace_type *type)
{
    unsigned n = select->selection->list[SELECT_EVENT].n;
    bool any = n == 0;
    for (unsigned i = 0; i < n; i++) {
        bool is = decode_select_is_like(&select->selection->list[SELECT_EVENT].pattern[i], type);
        select->found[SELECT_EVENT][i] |= is;
        any |= is;
    }
    return any;
}

/* Linux's events are known by their names, because a trace.dat file keeps names only; others by their classes. */
static void learn_tasks(struct meaning *of, const struct trace_type *type)
{
    if (strcmp(type->system, "sched") == 0) {
        const struct trace_field *prev = field_named(type, "prev_pid");
        of->task[0] = prev != NULL ? prev : field_named(type, "pid");
        of->task[1] = field_named(type, "next_pid");
    } else if (type->nfields > 0
               && (type->class == TRACE_SWITCH || type->class == TRACE_SWITCH_OF || type->class == TRACE_WAKE)) {
        of->task[0] = &type->fields[0];
        of->task[1] = type->class == TRACE_SWITCH_OF && type->nfields > 1 ? &type->fields[1] : NULL;
    }
}

static void learn_turn(struct meaning *of, const struct trace_type *type)
{
    bool is_irq = strcmp(type->system, "irq") == 0;
    if (type->class == TRACE_IRQ_ENTRY || (is_irq && strcmp(type->name, "irq_handler_entry") == 0))
        of->turn = ENTRY;
    else if (type->class == TRACE_IRQ_EXIT || type->class == TRACE_IRQ_LEAVE
             || (is_irq && strcmp(type->name, "irq_handler_exit") == 0))
        of->turn = EXIT;
    if (of->turn == NO_TURN)
        return;
    of->irq = is_irq ? field_named(type, "irq") : type->nfields > 0 ? &type->fields[0] : NULL;
    if (type->class == TRACE_IRQ_LEAVE)
        of->irq = NULL;
    of->irq_name = is_irq ? field_named(type, "name") : NULL;
}

static const struct meaning *meaning_of(struct decode_select *select, unsigned index)
{
    struct meaning *of = &select->of[index];
    const struct trace_type *type = select->trace->types[index];
    if (of->is_known)
        return of;
    of->is_known = true;
    of->is_gap = type->class == TRACE_LOSS || type->class == TRACE_DAMAGE;
    of->is_wanted = is_like(select, type);
    learn_tasks(of, type);
    learn_turn(of, type);
    return of;
}

/* ---- numbers and names ------------------------------------------------------------------------------------------- */

/* The number in a field. False: it has none. */
static bool number_in(const struct trace_event *event, const struct trace_field *field, uint32_t *number)
{
    if (field == NULL || field->size == 0 || field->size > 8u || (unsigned)field->offset + field->size > event->size)
        return false;
    *number = (uint32_t)number_at(event->data + field->offset, field->size, false);
    return true;
}

/* The text in a field, of n bytes at most with its NUL; empty if it has none. */
static void text_in(const struct trace_event *event, const struct trace_field *field, char *to, size_t n)
{
    size_t offset = field != NULL ? field->offset : 0, length = field != NULL ? field->size : 0;
    uint32_t place;
    to[0] = '\0';
    if (field != NULL && field->kind == TRACE_STRING && number_in(event, field, &place)) {
        offset = place & 0xFFFFu;
        length = place >> 16;
    }
    if (offset + length <= event->size && length > 0)
        snprintf(to, n, "%.*s", (int)length, (const char *)event->data + offset);
}

/* Whether a number or its name is one of the patterns. name: NULL if it has none. All patterns are looked at, so that
 * those are known that nothing is like. */
static bool is_one(struct decode_select *select, enum select_kind kind, uint32_t number, const char *name)
{
    bool any = false;
    for (unsigned i = 0; i < select->selection->list[kind].n; i++) {
        const struct select_pattern *pattern = &select->selection->list[kind].pattern[i];
        bool is = pattern->is_number ? pattern->number == number : name != NULL && fnmatch(pattern->name, name, 0) == 0;
        select->found[kind][i] |= is;
        any |= is;
    }
    return any;
}

/* Names of several boards' tasks are told by the numbers that the boards use themselves. */
static bool is_task(struct decode_select *select, uint32_t task)
{
    const struct trace *trace = select->trace;
    const char *name = task == 0 ? "<idle>" : trace_name(trace, TRACE_NAME_TASK, task);
    if (name == NULL && task > trace->task_base)
        name = trace_name(trace, TRACE_NAME_TASK, task - trace->task_base);
    return is_one(select, SELECT_TASK, task, name);
}

/* The name that the event itself tells counts before the trace's, which may be of a handler in an ELF file. */
static bool is_irq(struct decode_select *select, const struct meaning *of, const struct trace_event *event)
{
    uint32_t number;
    char text[64];
    if (!number_in(event, of->irq, &number))
        return false;
    text_in(event, of->irq_name, text, sizeof text);
    return is_one(select, SELECT_IRQ, number,
                  text[0] != '\0' ? text : trace_name(select->trace, TRACE_NAME_IRQ, number));
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static bool is_about_task(struct decode_select *select, const struct meaning *of, const struct trace_event *event)
{
    bool is = is_task(select, event->task);
    for (unsigned i = 0; i < TASKS_OF_EVENT; i++) {
        uint32_t task;
        if (number_in(event, of->task[i], &task))
            is |= is_task(select, task);
    }
    return is;
}

/* What is derived stands behind its event, and is wanted as that is: the switch behind an interrupt's end, too. */
static bool is_about_irq(struct decode_select *select, struct lane *lane, const struct meaning *of,
                         const struct trace_event *event)
{
    bool is = of->turn != NO_TURN && is_irq(select, of, event);
    if ((event->flags & TRACE_DERIVED) != 0)
        return lane->was_irq_wanted;
    if (of->turn == ENTRY)
        lane->open = lane->open << 1 | is;
    is |= lane->open != 0;
    if (of->turn == EXIT)
        lane->open >>= 1;
    lane->was_irq_wanted = is;
    return is;
}

static bool is_cpu(struct decode_select *select, unsigned cpu)
{
    unsigned n = select->selection->list[SELECT_CPU].n;
    bool any = n == 0;
    for (unsigned i = 0; i < n; i++) {
        const struct select_pattern *pattern = &select->selection->list[SELECT_CPU].pattern[i];
        bool is = cpu >= pattern->number && cpu <= pattern->last;
        select->found[SELECT_CPU][i] |= is;
        any |= is;
    }
    return any;
}

/* The number of the window that an event is in, 0 if it is in none. Where only --time tells there is one window. */
static size_t window_of(const struct decode_select *select, uint64_t time)
{
    if (time < select->time.from || time > select->time.to)
        return 0;
    return select->windows != NULL ? decode_windows_find(select->windows, time) : 1;
}

/* Every option looks at every event. */
static bool is_wanted(struct decode_select *select, unsigned cpu, const struct meaning *of,
                      const struct trace_event *event)
{
    const struct decode_selection *selection = select->selection;
    bool is = of->is_wanted;
    is &= is_cpu(select, cpu + select->trace->cpu_base);
    if (selection->list[SELECT_TASK].n > 0)
        is &= is_about_task(select, of, event);
    if (selection->list[SELECT_IRQ].n > 0)
        is &= is_about_irq(select, &select->lane[cpu], of, event);
    return is;
}

/* Whether the event stays, and on which side of a hole it is. */
static bool keep(struct decode_select *select, unsigned cpu, const struct meaning *of, struct trace_event *event)
{
    struct lane *lane = &select->lane[cpu];
    size_t window = window_of(select, event->time);
    if (!is_wanted(select, cpu, of, event) || window == 0)
        return false;
    if (lane->window != 0 && lane->window != window)
        event->flags |= TRACE_BEHIND_HOLE;
    lane->window = window;
    return true;
}

void decode_select_batch(struct decode_select *select, unsigned cpu, struct trace_batch *batch)
{
    struct trace_counts *counts = &select->trace->counts;
    size_t kept = 0;
    for (size_t i = 0; i < batch->n; i++) {
        struct trace_event *event = &batch->event[i];
        const struct meaning *of = meaning_of(select, event->type);
        if (of->is_gap)
            select->lane[cpu].open = 0; /* the end of an interrupt may be missing */
        if (of->is_gap || keep(select, cpu, of, event))
            batch->event[kept++] = *event;
        else if ((event->flags & TRACE_DERIVED) != 0)
            counts->derived_left_out++;
        else
            counts->left_out++;
    }
    batch->n = kept;
}

/* ---- what the user is told --------------------------------------------------------------------------------------- */

static void note_task(void *ctx, uint32_t id, const char *name)
{
    is_one(ctx, SELECT_TASK, id, name);
}

static void note_irq(void *ctx, uint32_t id, const char *name)
{
    is_one(ctx, SELECT_IRQ, id, name);
}

/* The name of an event that has the pattern's text in it; NULL: there is none. */
static const char *similar_name(const struct trace *trace, const struct select_pattern *pattern)
{
    for (unsigned i = 0; i < trace->ntypes; i++) {
        if (strstr(trace->types[i]->name, pattern->name) != NULL)
            return trace->types[i]->name;
    }
    return NULL;
}

void decode_select_tell_none(const struct trace *told, const struct trace *trace, const char *option,
                             const struct select_pattern *pattern)
{
    const char *similar = similar_name(trace, pattern);
    trace_note(told, "--%s=%s: no event has that name%s%s", option, pattern->text, similar != NULL ? "; there is " : "",
               similar != NULL ? similar : "");
}

/* Nothing is like the pattern. */
static void tell_none(const struct decode_select *select, enum select_kind kind, const struct select_pattern *pattern)
{
    static const char *const nothing[SELECT_KINDS] = {
        [SELECT_TASK] = "no task has that name",
        [SELECT_CPU] = "there is no such CPU",
        [SELECT_IRQ] = "no interrupt has that name",
    };
    if (kind == SELECT_EVENT)
        decode_select_tell_none(select->trace, select->trace, decode_select_names[kind], pattern);
    else
        trace_note(select->trace, "--%s=%s: %s", decode_select_names[kind], pattern->text, nothing[kind]);
}

void decode_select_tell(struct decode_select *select)
{
    const struct trace_counts *counts = &select->trace->counts;
    trace_note(select->trace, "%" PRIu64 " of %" PRIu64 " events are left",
               counts->events + counts->derived - counts->left_out - counts->derived_left_out,
               counts->events + counts->derived);
    for (unsigned i = 0; i < select->trace->ntypes; i++)
        is_like(select, select->trace->types[i]);
    trace_each_name(select->trace, TRACE_NAME_TASK, note_task, select);
    trace_each_name(select->trace, TRACE_NAME_IRQ, note_irq, select);
    for (enum select_kind kind = SELECT_TASK; kind <= SELECT_IRQ; kind++) {
        for (unsigned i = 0; i < select->selection->list[kind].n; i++) {
            if (!select->found[kind][i])
                tell_none(select, kind, &select->selection->list[kind].pattern[i]);
        }
    }
}
