/* map.c - Linux's events for the classes of events it has too, and who was running when.
 *
 * Vocabulary
 *   context   the number a firmware knows a task by; it is used as the task's pid
 *   task      what an event belongs to: a context, the code before the first switch ("main"), an interrupt, or, where the
 *             beginning is lost, until the first switch, nobody knows what ("<...>", as Linux's tools call such a task)
 *   base      the task under all interrupts; top: what really runs, an interrupt or the base
 *   derived   a sched_switch into or out of an interrupt: viewers draw a row per task, so an interrupt gets one
 *   meaning   what the mapping must know of a type of event
 *   special   an event of any class but TRACE_PLAIN; the plain ones from one to the next are a stretch
 *
 * Nobody can foresee which event comes next in a trace, the processor no more than others, and a branch it takes
 * wrongly costs it as much as a whole event. So the events of a slice are sorted into special and plain ones first,
 * without a branch; then the special ones are mapped; then the plain ones all get what holds for their stretch.
 */
#include "decode/map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

enum {
    MAIN_TASK = 65536,      /* pid of the code before the first switch: past the 16 bits of a record's context */
    UNKNOWN_TASK = 69999,   /* pid of what ran at a beginning that is lost; no task's, so that no task seems to run */
    INTERRUPT_TASK = 70000, /* pid of interrupt 0 */
    INTERRUPTS = 1024,      /* whose events are kept for the next time */
    TASKS = INTERRUPT_TASK + INTERRUPTS, /* tasks whose state is followed */
    NESTING = 16,                        /* interrupts followed inside each other */
    COMM = 16,                           /* bytes of a task name in Linux's events */
    WHO = COMM + 8,                      /* of name, pid and priority, which stand side by side there */
    SLICE = 256,                         /* events mapped in one go */
    EVENTS_PER_EVENT = 2,                /* most that come out for one that goes in */
    OUT_BYTES = 2 * 56,                  /* most bytes of payload of these: of two switches */
    STATE_RUNNING = 0,
    STATE_SLEEPING = 1,
    NOWHERE = UINT16_MAX, /* of a field: the type has none such, of 4 bytes */
};

enum { SWITCH_BYTES = 56, WAKING_BYTES = 28, ENTRY_BYTES = 8 + 32, EXIT_BYTES = 8 };
_Static_assert(TRACE_BATCH_EVENTS >= (SLICE * EVENTS_PER_EVENT), "a slice fits into a batch");
_Static_assert(OUT_BYTES == 2 * SWITCH_BYTES && ENTRY_BYTES <= SWITCH_BYTES, "most bytes for one event");

static const struct trace_field switch_fields[] = {
    {"prev_comm", TRACE_CHARS, 0, COMM}, {"prev_pid", TRACE_SIGNED, 16, 4},    {"prev_prio", TRACE_SIGNED, 20, 4},
    {"prev_state", TRACE_SIGNED, 24, 8}, {"next_comm", TRACE_CHARS, 32, COMM}, {"next_pid", TRACE_SIGNED, 48, 4},
    {"next_prio", TRACE_SIGNED, 52, 4},
};
static const struct trace_type type_switch = {"sched",
                                              "sched_switch",
                                              TRACE_SWITCH,
                                              SWITCH_BYTES,
                                              7,
                                              switch_fields,
                                              "\"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s ==> next_comm=%s "
                                              "next_pid=%d next_prio=%d\", REC->prev_comm, "
                                              "REC->prev_pid, REC->prev_prio, REC->prev_state ? "
                                              "__print_flags(REC->prev_state, \"|\", { 1, \"S\" }, { 2, \"D\" }) : "
                                              "\"R\", REC->next_comm, REC->next_pid, REC->next_prio"};

static const struct trace_field waking_fields[] = {
    {"comm", TRACE_CHARS, 0, COMM},
    {"pid", TRACE_SIGNED, 16, 4},
    {"prio", TRACE_SIGNED, 20, 4},
    {"target_cpu", TRACE_SIGNED, 24, 4},
};
static const struct trace_type type_waking = {
    "sched",
    "sched_waking",
    TRACE_WAKE,
    WAKING_BYTES,
    4,
    waking_fields,
    "\"comm=%s pid=%d prio=%d target_cpu=%03d\", REC->comm, REC->pid, REC->prio, REC->target_cpu"};

static const struct trace_field entry_fields[] = {{"irq", TRACE_SIGNED, 0, 4}, {"name", TRACE_STRING, 4, 4}};
static const struct trace_type type_entry = {
    "irq", "irq_handler_entry", TRACE_IRQ_ENTRY, 8, 2, entry_fields, "\"irq=%d name=%s\", REC->irq, __get_str(name)"};

static const struct trace_field exit_fields[] = {{"irq", TRACE_SIGNED, 0, 4}, {"ret", TRACE_SIGNED, 4, 4}};
static const struct trace_type type_exit = {"irq",
                                            "irq_handler_exit",
                                            TRACE_IRQ_EXIT,
                                            EXIT_BYTES,
                                            2,
                                            exit_fields,
                                            "\"irq=%d ret=%s\", REC->irq, REC->ret ? \"handled\" : \"unhandled\""};

struct cpu {
    uint32_t base;
    uint32_t top;
    uint32_t pid;                /* of top */
    uint32_t interrupt[NESTING]; /* numbers, outermost first */
    unsigned depth;
    uint8_t flags; /* of events: TRACE_IN_INTERRUPT or none */
    bool begun;    /* an event has come */
    size_t done;   /* events of the batch in work */
};

struct context {
    unsigned char who[WHO]; /* comm, pid, priority as events have them; the name as of naming */
    unsigned naming;
    int32_t priority;
    bool blocked;      /* will not be ready when switched out */
    bool says_blocked; /* the firmware logs when this context blocks */
    bool woken;        /* and has not run since */
};

struct entry {
    uint16_t size; /* 0: not made yet */
    unsigned char data[ENTRY_BYTES];
};

struct meaning {
    enum trace_class class;
    uint16_t place[2]; /* in the payload, of the first two fields, or NOWHERE */
};

struct map {
    struct trace *trace;
    enum map_mode mode;
    unsigned ntypes; /* types whose meaning is known */
    struct meaning meaning[TRACE_TYPES_MAX];
    uint16_t id_switch, id_waking, id_entry, id_exit;
    struct context context[TASKS];
    struct entry entry[INTERRUPTS + 1]; /* the last one for all other interrupts */
    unsigned ncpus;
    struct cpu cpu[];
};

struct map *map_new(struct trace *trace, enum map_mode mode)
{
    struct map *map = calloc(1, sizeof(*map) + trace->ncpus * sizeof(map->cpu[0]));
    if (!map)
        return NULL;
    map->trace = trace;
    map->mode = mode;
    map->ncpus = trace->ncpus;
    for (unsigned i = 0; i < map->ncpus; i++)
        map->cpu[i].base = MAIN_TASK;
    if (trace->mapped)
        return map;
    if (mode != MAP_NATIVE) {
        map->id_switch = trace_type(trace, &type_switch);
        map->id_waking = trace_type(trace, &type_waking);
        map->id_entry = trace_type(trace, &type_entry);
        map->id_exit = trace_type(trace, &type_exit);
    }
    trace_set_name(trace, TRACE_NAME_TASK, MAIN_TASK, "main");
    return map;
}

void map_free(struct map *map)
{
    free(map);
}

/* Learn what types mean that were declared since the last time. */
static void learn_types(struct map *map)
{
    for (; map->ntypes < map->trace->ntypes; map->ntypes++) {
        const struct trace_type *type = map->trace->types[map->ntypes];
        struct meaning *meaning = &map->meaning[map->ntypes];
        meaning->class = type->class;
        for (unsigned n = 0; n < 2; n++)
            meaning->place[n] = n < type->nfields && type->fields[n].size == 4 ? type->fields[n].offset : NOWHERE;
    }
}

static struct context *context_of(struct map *map, uint32_t task)
{
    return task < TASKS ? &map->context[task] : NULL;
}

/* Field n of an event, 0 or 1, as an unsigned number; 0 when it has none. */
static inline uint32_t number(const struct meaning *meaning, const struct trace_event *event, unsigned n)
{
    uint16_t place = meaning->place[n];
    return place == NOWHERE ? 0 : get_le32(event->data + place);
}

/* The number a viewer gets for a task. */
static inline uint32_t pid_of(const struct map *map, uint32_t task)
{
    return task == 0 ? 0 : task + map->trace->task_base;
}

/* After base or depth has changed. */
static inline void find_top(const struct map *map, struct cpu *cpu)
{
    cpu->top = cpu->depth ? INTERRUPT_TASK + cpu->interrupt[cpu->depth - 1] : cpu->base;
    cpu->pid = pid_of(map, cpu->top);
    cpu->flags = cpu->depth ? TRACE_IN_INTERRUPT : 0;
}

static void make_comm(const struct map *map, unsigned char *comm, uint32_t task)
{
    const char *name = task == 0              ? "idle"
                       : task == UNKNOWN_TASK ? "<...>"
                                              : trace_name(map->trace, TRACE_NAME_TASK, task);
    char text[32];
    memset(comm, 0, COMM);
    if (!name)
        snprintf(text, sizeof(text), "%stask-%u", map->trace->task_prefix, task);
    memcpy(comm, name ? name : text, strnlen(name ? name : text, COMM - 1));
}

static void make_who(const struct map *map, unsigned char *who, uint32_t task, int32_t priority)
{
    make_comm(map, who, task);
    put_le32(who + COMM, pid_of(map, task));
    put_le32(who + COMM + 4, (uint32_t)priority);
}

/* Made again only after a name was given: most events of a busy trace are switches. */
static inline void put_who(struct map *map, unsigned char *who, uint32_t task)
{
    struct context *context = context_of(map, task);
    if (!context) {
        make_who(map, who, task, 0);
        return;
    }
    if (context->naming != map->trace->naming) {
        make_who(map, context->who, task, context->priority);
        context->naming = map->trace->naming;
    }
    memcpy(who, context->who, WHO);
}

/* Give an event of out another type and payload, of size bytes, to fill. */
static inline unsigned char *change(struct trace_batch *out, struct trace_event *event, uint16_t type, size_t size)
{
    unsigned char *data = out->room + out->used; /* there is room: map_run() sees to it */
    out->used += (size + 7u) & ~(size_t)7;
    event->data = data;
    event->type = type;
    event->size = (uint16_t)size;
    return data;
}

static inline void change_to_switch(struct map *map, struct trace_batch *out, struct trace_event *event, uint32_t from,
                                    uint64_t state, uint32_t to)
{
    unsigned char *data = change(out, event, map->id_switch, SWITCH_BYTES);
    event->task = pid_of(map, from);
    put_who(map, data, from);
    put_le64(data + WHO, state);
    put_who(map, data + WHO + 8, to);
}

static void derive_switch(struct map *map, struct trace_batch *out, const struct trace_event *like, uint32_t from,
                          uint64_t state, uint32_t to)
{
    struct trace_event *derived = &out->event[out->n];
    if (map->mode != MAP_FULL)
        return;
    derived->time = like->time;
    derived->rest = like->rest;
    derived->flags = TRACE_DERIVED;
    derived->group = like->group;
    change_to_switch(map, out, derived, from, state, to);
    out->n++;
    map->trace->counts.derived++;
}

/* The name of an interrupt, which is also given to its task. */
static const char *name_interrupt(const struct map *map, uint32_t irq)
{
    const char *name = trace_name(map->trace, TRACE_NAME_IRQ, irq);
    char text[48];
    snprintf(text, sizeof(text), "ISR:%s", name ? name : "");
    if (!name)
        snprintf(text, sizeof(text), "ISR:%u", irq);
    trace_set_name(map->trace, TRACE_NAME_TASK, INTERRUPT_TASK + irq, text);
    name = trace_name(map->trace, TRACE_NAME_TASK, INTERRUPT_TASK + irq);
    return name ? name + strlen(map->trace->task_prefix) + strlen("ISR:") : "?";
}

/* The payload of an interrupt's entry, which is the same every time. */
static const struct entry *entry_of(struct map *map, uint32_t irq)
{
    struct entry *entry = &map->entry[irq < INTERRUPTS ? irq : INTERRUPTS];
    if (irq < INTERRUPTS && entry->size > 0)
        return entry;
    const char *name = name_interrupt(map, irq);
    size_t length = strlen(name) + 1;
    entry->size = (uint16_t)((8 + length + 3) & ~(size_t)3);
    memset(entry->data, 0, sizeof(entry->data));
    put_le32(entry->data, irq);
    put_le32(entry->data + 4, 8u | (uint32_t)length << 16);
    memcpy(entry->data + 8, name, length);
    return entry;
}

static void map_switch(struct map *map, struct cpu *cpu, struct trace_event *event, uint32_t to,
                       struct trace_batch *out)
{
    uint32_t from = cpu->base;
    struct context *old = context_of(map, from), *new = context_of(map, to);
    uint64_t state = old && old->blocked ? STATE_SLEEPING : STATE_RUNNING;
    if (map->mode != MAP_NATIVE)
        change_to_switch(map, out, event, from, state, to);
    cpu->base = to;
    if (new)
        new->blocked = new->woken = false;
    find_top(map, cpu);
    if (cpu->depth)
        derive_switch(map, out, event, to, STATE_RUNNING, cpu->top);
}

/* A wake-up of a task that was ready already is no wake-up to a viewer, which would draw its latency. */
static void map_wake(struct map *map, struct cpu *cpu, struct trace_event *event, uint32_t task,
                     struct trace_batch *out)
{
    struct context *context = context_of(map, task);
    bool ready = task == cpu->base || (context && (context->says_blocked ? !context->blocked : context->woken));
    if (context) {
        context->blocked = false;
        context->woken = true;
    }
    if (ready || map->mode == MAP_NATIVE)
        return;
    unsigned char *data = change(out, event, map->id_waking, WAKING_BYTES);
    put_who(map, data, task);
    put_le32(data + WHO, (uint32_t)(cpu - map->cpu) + map->trace->cpu_base);
}

static void map_block(struct map *map, const struct cpu *cpu, uint32_t task, bool blocked)
{
    struct context *context = context_of(map, task ? task : cpu->base);
    if (context) {
        context->blocked = blocked;
        context->says_blocked = true;
    }
}

static void map_entry(struct map *map, struct cpu *cpu, struct trace_event *event, uint32_t irq,
                      struct trace_batch *out)
{
    uint32_t below = cpu->top;
    if (cpu->depth == NESTING)
        return;
    cpu->interrupt[cpu->depth++] = irq;
    find_top(map, cpu);
    if (map->mode == MAP_NATIVE)
        return;
    const struct entry *entry = entry_of(map, irq);
    memcpy(change(out, event, map->id_entry, entry->size), entry->data, sizeof(entry->data));
    derive_switch(map, out, event, below, STATE_RUNNING, cpu->top);
}

/* An exit without its entry (lost, or before the trace) changes nothing; one of an outer interrupt ends the inner ones.
 * */
static void map_exit(struct map *map, struct cpu *cpu, struct trace_event *event, uint32_t irq, struct trace_batch *out)
{
    uint32_t task = cpu->top;
    unsigned depth = cpu->depth;
    while (depth > 0 && cpu->interrupt[depth - 1] != irq)
        depth--;
    if (map->mode != MAP_NATIVE) {
        unsigned char *data = change(out, event, map->id_exit, EXIT_BYTES);
        put_le32(data, irq);
        put_le32(data + 4, 1);
    }
    if (depth == 0)
        return;
    cpu->depth = depth - 1;
    find_top(map, cpu);
    derive_switch(map, out, event, task, STATE_SLEEPING, cpu->top);
}

/* Past a gap nobody knows which interrupts are still running. */
static void map_gap(struct map *map, struct cpu *cpu, const struct trace_event *event, struct trace_batch *out)
{
    uint32_t task = cpu->top;
    bool inside = cpu->depth > 0;
    map->trace->counts.events--; /* a gap is none */
    cpu->depth = 0;
    find_top(map, cpu);
    if (inside)
        derive_switch(map, out, event, task, STATE_SLEEPING, cpu->top);
}

static void map_priority(struct map *map, uint32_t task, int32_t priority)
{
    struct context *context = context_of(map, task);
    if (context) {
        context->priority = priority;
        put_le32(context->who + COMM + 4, (uint32_t)context->priority);
    }
}

/* Event from, of which a copy is in out: draw the consequences of its class. */
static inline void map_event(struct map *map, struct cpu *cpu, const struct trace_event *from,
                             struct trace_event *event, struct trace_batch *out)
{
    const struct meaning *meaning = &map->meaning[from->type];
    uint32_t first = number(meaning, from, 0);
    switch (meaning->class) {
    case TRACE_PLAIN:
        break;
    case TRACE_SWITCH:
        map_switch(map, cpu, event, first, out);
        break;
    case TRACE_WAKE:
        map_wake(map, cpu, event, first, out);
        break;
    case TRACE_BLOCK:
    case TRACE_UNBLOCK:
        map_block(map, cpu, first, meaning->class == TRACE_BLOCK);
        break;
    case TRACE_IRQ_ENTRY:
        map_entry(map, cpu, event, first, out);
        break;
    case TRACE_IRQ_EXIT:
        map_exit(map, cpu, event, first, out);
        break;
    case TRACE_PRIORITY:
        map_priority(map, first, (int32_t)number(meaning, from, 1));
        break;
    case TRACE_LOSS:
    case TRACE_DAMAGE:
        map_gap(map, cpu, event, out);
        break;
    }
}

static void widen_span(struct trace_counts *counts, uint64_t first, uint64_t last)
{
    if (counts->events == 0 || first < counts->first)
        counts->first = first;
    if (counts->events == 0 || last > counts->last)
        counts->last = last;
}

/* What holds for a stretch: how much further on its events stand in out than in the slice, and whose they are. */
struct stretch {
    size_t shift;
    uint32_t task;
    uint8_t flags;
};

struct slice {
    const struct trace_event *event;
    size_t n, nspecial;
    uint16_t plain[SLICE], special[SLICE]; /* indices in event */
    struct stretch stretch[SLICE + 1];     /* before the first special event, and after each */
};

static void sort_slice(const struct map *map, struct slice *slice)
{
    size_t n = 0;
    for (size_t i = 0; i < slice->n; i++) {
        slice->plain[i - n] = slice->special[n] = (uint16_t)i;
        n += map->meaning[slice->event[i].type].class != TRACE_PLAIN;
    }
    slice->nspecial = n;
}

static inline void fill(struct trace_event *to, const struct trace_event *event, const struct stretch *stretch)
{
    *to = *event;
    to->task = stretch->task;
    to->flags |= stretch->flags;
}

/* Map the special events, and leave room in out for the plain ones. */
static void map_special(struct map *map, struct cpu *cpu, struct slice *slice, struct trace_batch *out)
{
    struct stretch *stretch = slice->stretch;
    size_t at = 0;
    *stretch = (struct stretch){out->n, cpu->pid, cpu->flags};
    for (size_t k = 0; k < slice->nspecial; k++) {
        size_t i = slice->special[k];
        struct trace_event *event = &out->event[i + stretch->shift];
        fill(event, &slice->event[i], stretch);
        at = i + 1;
        out->n = at + stretch->shift;
        map_event(map, cpu, &slice->event[i], event, out);
        *++stretch = (struct stretch){out->n - at, cpu->pid, cpu->flags};
    }
    out->n += slice->n - at;
}

/* The plain events as they come. Before the one at i there are i - k special ones, if it is the k-th plain one. */
static void fill_plain(const struct slice *slice, struct trace_batch *out)
{
    struct trace_event *to = out->event + slice->stretch[0].shift;
    if (slice->nspecial == 0) {
        for (size_t i = 0; i < slice->n; i++)
            fill(&to[i], &slice->event[i], &slice->stretch[0]);
        return;
    }
    for (size_t k = 0; k < slice->n - slice->nspecial; k++) {
        size_t i = slice->plain[k];
        const struct stretch *stretch = &slice->stretch[i - k];
        fill(&out->event[i + stretch->shift], &slice->event[i], stretch);
    }
}

static bool has_room(const struct trace_batch *out, size_t n)
{
    return out->n + n * EVENTS_PER_EVENT <= TRACE_BATCH_EVENTS && out->used + n * OUT_BYTES <= sizeof(out->room);
}

/* Where a loss is ahead of a CPU's first event, the switch to what runs there may be lost. */
static void begin(const struct map *map, struct cpu *cpu, const struct slice *slice)
{
    for (size_t i = 0; i < slice->n && !cpu->begun; i++) {
        enum trace_class class = map->meaning[slice->event[i].type].class;
        cpu->begun = class != TRACE_LOSS && class != TRACE_DAMAGE;
        if (!cpu->begun)
            cpu->base = UNKNOWN_TASK;
    }
    find_top(map, cpu);
}

/* The events from at on, as far as out has room. Where it ended. */
static size_t map_run(struct map *map, struct cpu *cpu, const struct trace_batch *in, size_t at,
                      struct trace_batch *out)
{
    struct slice slice;
    for (; at < in->n; at += slice.n) {
        slice.event = &in->event[at];
        slice.n = in->n - at < SLICE ? in->n - at : SLICE;
        if (!has_room(out, slice.n))
            break;
        if (!cpu->begun)
            begin(map, cpu, &slice);
        sort_slice(map, &slice);
        map_special(map, cpu, &slice, out);
        fill_plain(&slice, out);
        map->trace->counts.events += slice.n;
    }
    return at;
}

/* Events that need nothing: they are counted. Their times may go back, as those of a clock of Linux do. */
static void pass_batch(struct map *map, const struct trace_batch *in, struct trace_batch *out)
{
    uint64_t gaps = 0, first = UINT64_MAX, last = 0;
    memcpy(out->event, in->event, in->n * sizeof(in->event[0]));
    out->n = in->n;
    for (size_t i = 0; i < in->n; i++) {
        enum trace_class class = map->trace->types[in->event[i].type]->class;
        gaps += class == TRACE_LOSS || class == TRACE_DAMAGE;
        first = in->event[i].time < first ? in->event[i].time : first;
        last = in->event[i].time > last ? in->event[i].time : last;
    }
    if (in->n > 0)
        widen_span(&map->trace->counts, first, last);
    map->trace->counts.events += in->n - gaps;
}

int map_batch(struct map *map, unsigned cpu, const struct trace_batch *in, struct trace_batch *out)
{
    size_t *done = &map->cpu[cpu].done;
    out->n = out->used = 0;
    learn_types(map);
    if (map->trace->mapped) {
        pass_batch(map, in, out);
        return 0;
    }
    if (*done == 0 && in->n > 0)
        widen_span(&map->trace->counts, in->event[0].time, in->event[in->n - 1].time);
    find_top(map, &map->cpu[cpu]);
    *done = map_run(map, &map->cpu[cpu], in, *done, out);
    if (*done < in->n)
        return 1;
    *done = 0;
    return 0;
}
