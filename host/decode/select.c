/* select.c - see select.h. What a type means is found out when its first event comes. */
#include "decode/select.h"

#include "base/heap.h"
#include "base/bytes.h"
#include "base/text.h"
#include "model/known.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TASKS_OF_EVENT = 2 }; /* that an event is about, besides the one it belongs to */
enum { WINDOWS_FIRST = 64, WINDOWS_MOST = 1 << 20 };

/* What a type means. */
struct meaning {
    bool is_known, is_gap, is_edge;
    bool is_wanted;                                /* by --event */
    enum { NEITHER, ENTRY, EXIT } irq_part;        /* an interrupt begins, or ends */
    const struct tlog_field *irq, *irq_name;       /* if so: number and name of the interrupt, or NULL */
    const struct tlog_field *task[TASKS_OF_EVENT]; /* numbers of tasks that a switch or a wake-up is about, or NULL */
};

/* What is known of a CPU. */
struct cpu_state {
    uint64_t open;       /* a bit for each interrupt that runs, the innermost in bit 0: set if it is wanted */
    bool was_irq_wanted; /* the last event that is not derived is wanted by --irq */
};

struct decode_select {
    const struct decode_selection *selection;
    struct trace *trace;
    struct decode_window time;
    const struct decode_windows *windows; /* of --around; NULL: it is not given */
    bool found[SELECT_KINDS][SELECT_PATTERNS];
    struct meaning of[TRACE_TYPES_MAX];
    struct cpu_state cpu[]; /* one for each CPU of the trace */
};

/* ---- windows ----------------------------------------------------------------------------------------------------- */

static int by_begin(const void *a, const void *b)
{
    const struct decode_window *one = a, *other = b;
    return (one->from > other->from) - (one->from < other->from);
}

void decode_windows_sort(struct decode_windows *windows)
{
    size_t kept = 0;
    if (windows->n > 0)
        qsort(windows->around, windows->n, sizeof *windows->around, by_begin);
    for (size_t i = 1; i < windows->n; i++) {
        struct decode_window *last = &windows->around[kept], *next = &windows->around[i];
        if (next->from > last->to)
            windows->around[++kept] = *next;
        else if (next->to > last->to)
            last->to = next->to;
    }
    windows->n = windows->n > 0 ? kept + 1u : 0;
}

/* Make room for one more window. Returns NULL, or what failed. */
static const char *make_room(struct decode_windows *windows)
{
    size_t room = windows->room > 0 ? 2u * windows->room : WINDOWS_FIRST;
    struct decode_window *longer;
    if (windows->n == WINDOWS_MOST)
        decode_windows_sort(windows);
    if (windows->n == WINDOWS_MOST)
        return "--around: more than a million windows apart";
    if (windows->n < windows->room)
        return NULL;
    longer = heap_realloc(windows->around, room * sizeof *longer);
    if (longer == NULL)
        return "no memory for windows";
    windows->around = longer;
    windows->room = room;
    return NULL;
}

/* Events come in the order of time, as a rule. So if the new window overlaps others, these are the last ones. */
const char *decode_windows_add(struct decode_windows *windows, struct decode_window window)
{
    const char *why;
    while (windows->n > 0) {
        const struct decode_window *last = &windows->around[windows->n - 1u];
        if (window.from > last->to || window.to < last->from)
            break;
        window.from = last->from < window.from ? last->from : window.from;
        window.to = last->to > window.to ? last->to : window.to;
        windows->n--;
    }
    why = make_room(windows);
    if (why == NULL)
        windows->around[windows->n++] = window;
    return why;
}

/* The number, from 1, of the window of --around that a time is in; 0: it is in none. The windows must be in order. */
static size_t find_window(const struct decode_windows *windows, uint64_t time)
{
    size_t low = 0, high = windows->n; /* those before low begin at the time or before it, those from high on later */
    while (low < high) {
        size_t middle = low + (high - low) / 2u;
        if (windows->around[middle].from <= time)
            low = middle + 1u;
        else
            high = middle;
    }
    return low > 0 && time <= windows->around[low - 1u].to ? low : 0;
}

void decode_windows_free(struct decode_windows *windows)
{
    heap_free(windows->around);
    *windows = (struct decode_windows){0};
}

/* ---- times ------------------------------------------------------------------------------------------------------- */

/* The time of an edge as events have it: in ns, or in ticks if the clock's frequency is not known. */
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
    struct decode_select *select = heap_calloc(1, sizeof *select + trace->ncpus * sizeof select->cpu[0]);
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
    heap_free(select);
}

/* ---- types ------------------------------------------------------------------------------------------------------- */

bool decode_select_is_like(const struct select_pattern *pattern, const struct tlog_type *type)
{
    return (pattern->system == NULL || text_fits(pattern->system, type->system))
           && text_fits(pattern->name, type->name);
}

/* Whether --event wants the type: it matches a pattern, or there are none. Notes which patterns it matches. */
static bool is_like(struct decode_select *select, const struct tlog_type *type)
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

/* Find the fields with tasks. Linux's events are recognised by their names, because a trace.dat file does not keep
 * meanings; other events by their meaning. */
static void learn_tasks(struct meaning *of, const struct tlog_type *type)
{
    if (strcmp(type->system, "sched") == 0) {
        const struct tlog_field *prev = tlog_field_named(type, "prev_pid");
        of->task[0] = prev != NULL ? prev : tlog_field_named(type, "pid");
        of->task[1] = tlog_field_named(type, "next_pid");
    } else if (type->nfields > 0
               && (type->means == TLOG_MEANS_SWITCH || type->means == TLOG_MEANS_SWITCH_OF
                   || type->means == TLOG_MEANS_WAKE)) {
        of->task[0] = &type->fields[0];
        of->task[1] = type->means == TLOG_MEANS_SWITCH_OF && type->nfields > 1 ? &type->fields[1] : NULL;
    }
}

static void learn_irq(struct meaning *of, const struct tlog_type *type)
{
    bool is_irq = strcmp(type->system, "irq") == 0;
    if (type->means == TLOG_MEANS_IRQ_ENTRY || (is_irq && strcmp(type->name, "irq_handler_entry") == 0))
        of->irq_part = ENTRY;
    else if (type->means == TLOG_MEANS_IRQ_EXIT || type->means == TLOG_MEANS_IRQ_LEAVE
             || (is_irq && strcmp(type->name, "irq_handler_exit") == 0))
        of->irq_part = EXIT;
    if (of->irq_part == NEITHER)
        return;
    of->irq = is_irq ? tlog_field_named(type, "irq") : type->nfields > 0 ? &type->fields[0] : NULL;
    if (type->means == TLOG_MEANS_IRQ_LEAVE)
        of->irq = NULL;
    of->irq_name = is_irq ? tlog_field_named(type, "name") : NULL;
}

static const struct meaning *meaning_of(struct decode_select *select, unsigned index)
{
    struct meaning *of = &select->of[index];
    const struct tlog_type *type = select->trace->types[index];
    if (of->is_known)
        return of;
    of->is_known = true;
    of->is_gap = trace_class_is_gap(type->means);
    of->is_edge = type->means == TLOG_MEANS_LEFT_OUT;
    of->is_wanted = is_like(select, type);
    learn_tasks(of, type);
    learn_irq(of, type);
    return of;
}

/* ---- numbers and names ------------------------------------------------------------------------------------------- */

/* Read the number in a field, which may be NULL. False: the event has none. */
static bool number_in(const struct tlog_event *event, const struct tlog_field *field, uint32_t *number)
{
    if (field == NULL || field->size == 0 || field->size > 8u || (unsigned)field->offset + field->size > event->size)
        return false;
    *number = (uint32_t)number_at(event->data + field->offset, field->size, false);
    return true;
}

/* Copy the text in a field, at most n bytes with its NUL. It is empty if the field has none. */
static void text_in(const struct tlog_event *event, const struct tlog_field *field, char *to, size_t n)
{
    size_t offset = field != NULL ? field->offset : 0, length = field != NULL ? field->size : 0;
    uint32_t place;
    to[0] = '\0';
    if (field != NULL && field->kind == TLOG_KIND_STRING && number_in(event, field, &place)) {
        offset = place & 0xFFFFu;
        length = place >> 16;
    }
    if (offset + length <= event->size && length > 0)
        snprintf(to, n, "%.*s", (int)length, (const char *)event->data + offset);
}

/* Whether a number or its name, which may be NULL, matches a pattern. */
static bool matches(const struct select_pattern *pattern, uint32_t number, const char *name)
{
    if (pattern->is_number)
        return pattern->number == number;
    return name != NULL
           && (text_fits(pattern->name, name)
               || (pattern->stem != NULL && pattern->number == number && text_fits(pattern->stem, name)));
}

/* Whether a number or its name, which may be NULL, matches one of an option's patterns. Every pattern is tried, because
 * the user is told which of them match nothing. */
static bool is_one(struct decode_select *select, enum select_kind kind, uint32_t number, const char *name)
{
    bool any = false;
    for (unsigned i = 0; i < select->selection->list[kind].n; i++) {
        bool is = matches(&select->selection->list[kind].pattern[i], number, name);
        select->found[kind][i] |= is;
        any |= is;
    }
    return any;
}

/* Whether --task wants a task. With several boards, names may be known by the board's own numbers, which are lower.
 * Idle has the name that lines begin with, and the one that fields show; a task without a name has that of fields. */
static bool is_task(struct decode_select *select, uint32_t task)
{
    const struct trace *trace = select->trace;
    const char *name = task == 0 ? "<idle>" : trace_name(trace, TRACE_NAME_TASK, task);
    char text[40];
    bool is_named;
    if (name == NULL && task > trace->task_base)
        name = trace_name(trace, TRACE_NAME_TASK, task - trace->task_base);
    if (name == NULL) {
        snprintf(text, sizeof text, "%stask-%" PRIu32, trace->task_prefix, task - trace->task_base);
        name = text;
    }
    is_named = is_one(select, SELECT_TASK, task, name); /* is_one() notes which patterns were found */
    return (task == 0 && is_one(select, SELECT_TASK, task, "idle")) || is_named;
}

/* Whether --irq wants the event's interrupt. The name in the event counts before the trace's, which may be that of a
 * handler in an ELF file. */
static bool is_irq(struct decode_select *select, const struct meaning *of, const struct tlog_event *event)
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

static bool is_about_task(struct decode_select *select, const struct meaning *of, const struct tlog_event *event)
{
    bool is = is_task(select, event->task);
    for (unsigned i = 0; i < TASKS_OF_EVENT; i++) {
        uint32_t task;
        if (number_in(event, of->task[i], &task))
            is |= is_task(select, task);
    }
    return is;
}

/* Whether --irq wants the event. A derived event comes after the one it is derived from, and is wanted if that is: so
 * is the switch that follows an interrupt's end. */
static bool is_about_irq(struct decode_select *select, struct cpu_state *state, const struct meaning *of,
                         const struct tlog_event *event)
{
    bool is = of->irq_part != NEITHER && is_irq(select, of, event);
    if ((event->flags & TLOG_FLAG_DERIVED) != 0)
        return state->was_irq_wanted;
    if (of->irq_part == ENTRY)
        state->open = state->open << 1 | is;
    is |= state->open != 0;
    if (of->irq_part == EXIT)
        state->open >>= 1;
    state->was_irq_wanted = is;
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

/* The number, from 1, of the window that a time is in, 0 if it is in none. Without --around there is one window. */
static size_t window_of(const struct decode_select *select, uint64_t time)
{
    if (time < select->time.from || time > select->time.to)
        return 0;
    return select->windows != NULL ? find_window(select->windows, time) : 1;
}

/* Every option looks at every event, even if another one does not want it: they follow interrupts and note matches. */
static bool is_wanted(struct decode_select *select, unsigned cpu, const struct meaning *of,
                      const struct tlog_event *event)
{
    const struct decode_selection *selection = select->selection;
    bool is = of->is_wanted;
    is &= is_cpu(select, cpu + select->trace->cpu_base);
    if (selection->list[SELECT_TASK].n > 0)
        is &= is_about_task(select, of, event);
    if (selection->list[SELECT_IRQ].n > 0)
        is &= is_about_irq(select, &select->cpu[cpu], of, event);
    return is;
}

bool decode_select_edge(const struct decode_select *select, size_t n, struct decode_edge *edge)
{
    return decode_known_edge(select->time, select->windows, n, edge);
}

void decode_select_batch(struct decode_select *select, unsigned cpu, struct trace_batch *batch)
{
    struct trace_counts *counts = &select->trace->counts;
    size_t kept = 0;
    for (size_t i = 0; i < batch->n; i++) {
        struct tlog_event *event = &batch->event[i];
        const struct meaning *of = meaning_of(select, event->type);
        if (of->is_gap)
            select->cpu[cpu].open = 0; /* the end of an interrupt may be missing */
        if (of->is_gap || of->is_edge || (is_wanted(select, cpu, of, event) && window_of(select, event->time) > 0))
            batch->event[kept++] = *event;
        else if ((event->flags & TLOG_FLAG_DERIVED) != 0)
            counts->derived_left_out++;
        else
            counts->left_out++;
    }
    batch->n = kept;
}

/* ---- what the user is told --------------------------------------------------------------------------------------- */

/* The number that a task is shown by, whose name is known by that one. */
static uint32_t shown_number(const struct trace *trace, uint32_t id)
{
    return id == 0 ? 0 : id + trace->task_base;
}

static void note_task(void *ctx, uint32_t id, const char *name)
{
    struct decode_select *select = ctx;
    is_one(select, SELECT_TASK, shown_number(select->trace, id), name);
}

static void note_irq(void *ctx, uint32_t id, const char *name)
{
    is_one(ctx, SELECT_IRQ, id, name);
}

/* The name of a type that contains the pattern's text; NULL: there is none. */
static const char *similar_name(const struct trace *trace, const struct select_pattern *pattern)
{
    for (unsigned i = 0; i < trace->ntypes; i++) {
        if (strstr(trace->types[i]->name, pattern->name) != NULL)
            return trace->types[i]->name;
    }
    return NULL;
}

void decode_select_tell_none(const struct trace *reporter, const struct trace *trace, const char *option,
                             const struct select_pattern *pattern)
{
    const char *similar = similar_name(trace, pattern);
    trace_note(reporter, "--%s=%s: no event has that name%s%s", option, pattern->text,
               similar != NULL ? "; there is " : "", similar != NULL ? similar : "");
}

/* Tell the user that nothing matches the pattern. */
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

bool decode_select_finds_task(struct decode_select *select, unsigned i)
{
    trace_each_name(select->trace, TRACE_NAME_TASK, note_task, select);
    return select->found[SELECT_TASK][i];
}

/* Where a list of tasks goes. */
struct listing {
    const struct trace *trace;
    const char *like;
    struct decode_select_list *list;
};

static void list_task(void *ctx, uint32_t id, const char *name)
{
    const struct listing *listing = ctx;
    struct decode_select_list *list = listing->list;
    size_t left = sizeof list->text - list->used;
    int n;
    if (name[0] == '\0' || list->is_full || !text_fits(listing->like, name))
        return;
    n = snprintf(list->text + list->used, left, "%s%s:%" PRIu32, list->used > 0 ? ", " : "", name,
                 shown_number(listing->trace, id));
    list->is_full = (size_t)n >= left;
    list->used += list->is_full ? 0 : (size_t)n;
    if (list->is_full)
        memcpy(list->text + sizeof list->text - sizeof ", ...", ", ...", sizeof ", ...");
}

void decode_select_list_tasks(const struct decode_select *select, const char *like, struct decode_select_list *list)
{
    trace_each_name(select->trace, TRACE_NAME_TASK, list_task, &(struct listing){select->trace, like, list});
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
