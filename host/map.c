/* map.c - Linux's events for the classes of events it has too, and who was running when.
 *
 * Vocabulary
 *   context   the number a firmware knows a task by; it is used as the task's pid
 *   task      what an event belongs to: a context, the code before the first switch ("main"), or an interrupt
 *   base      the task under all interrupts; top: what really runs, an interrupt or the base
 *   derived   a sched_switch into or out of an interrupt: viewers draw a row per task, so an interrupt gets one
 */
#include "map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"

enum {
    MAIN_TASK = 65536,      /* pid of the code before the first switch: past the 16 bits of a record's context */
    INTERRUPT_TASK = 70000, /* pid of interrupt 0 */
    TASKS = 71024,          /* tasks whose state is followed, interrupts up to 1023 among them */
    NESTING = 16,           /* interrupts followed inside each other */
    COMM = 16,              /* bytes of a task name in Linux's events */
    WHO = COMM + 8,         /* of name, pid and priority, which stand side by side there */
    EVENTS_PER_EVENT = 3,   /* most that come out for one that goes in */
    OUT_BYTES = 256,        /* most bytes of payload of these */
    STATE_RUNNING = 0,
    STATE_SLEEPING = 1,
};

enum { SWITCH_BYTES = 56, WAKING_BYTES = 28, ENTRY_BYTES = 8 + 32, EXIT_BYTES = 8 };

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
    uint32_t interrupt[NESTING]; /* numbers, outermost first */
    unsigned depth;
    size_t done; /* events of the batch in work */
};

struct context {
    unsigned char who[WHO]; /* comm, pid, priority as events have them; the name as of naming */
    unsigned naming;
    const char *irq_name; /* of an interrupt: its name without "ISR:" */
    int32_t priority;
    bool blocked;      /* will not be ready when switched out */
    bool says_blocked; /* the firmware logs when this context blocks */
    bool woken;        /* and has not run since */
};

struct map {
    struct trace *trace;
    enum map_mode mode;
    uint16_t id_switch, id_waking, id_entry, id_exit;
    struct context context[TASKS];
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

static uint32_t top(const struct cpu *cpu)
{
    return cpu->depth ? INTERRUPT_TASK + cpu->interrupt[cpu->depth - 1] : cpu->base;
}

static struct context *context_of(struct map *map, uint32_t task)
{
    return task < TASKS ? &map->context[task] : NULL;
}

/* Field n of an event as an unsigned number; 0 when it has none. */
static uint32_t number(const struct map *map, const struct trace_event *event, unsigned n)
{
    const struct trace_type *type = map->trace->types[event->type];
    if (n >= type->nfields || type->fields[n].size != 4)
        return 0;
    return get_le32(event->data + type->fields[n].offset);
}

static void make_comm(const struct map *map, unsigned char *comm, uint32_t task)
{
    const char *name = task == 0 ? "idle" : trace_name(map->trace, TRACE_NAME_TASK, task);
    memset(comm, 0, COMM);
    if (name)
        strncpy((char *)comm, name, COMM - 1);
    else
        snprintf((char *)comm, COMM, "task-%u", task);
}

static void make_who(const struct map *map, unsigned char *who, uint32_t task, int32_t priority)
{
    make_comm(map, who, task);
    put_le32(who + COMM, task);
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

/* A new event like another one, of another type, with a payload of size bytes to fill. */
static unsigned char *emit(struct trace_batch *out, const struct trace_event *like, uint32_t task, uint16_t type,
                           size_t size)
{
    unsigned char *data = out->room + out->used; /* there is room: map_run() sees to it */
    struct trace_event *event = &out->event[out->n++];
    out->used += (size + 7u) & ~(size_t)7;
    *event = *like;
    event->data = data;
    event->task = task;
    event->type = type;
    event->size = (uint16_t)size;
    return data;
}

static void emit_switch(struct map *map, struct trace_batch *out, const struct trace_event *like, uint32_t from,
                        uint64_t state, uint32_t to)
{
    unsigned char *data = emit(out, like, from, map->id_switch, SWITCH_BYTES);
    put_who(map, data, from);
    put_le64(data + WHO, state);
    put_who(map, data + WHO + 8, to);
}

static void derive_switch(struct map *map, struct trace_batch *out, const struct trace_event *like, uint32_t from,
                          uint64_t state, uint32_t to)
{
    struct trace_event derived = *like;
    if (map->mode != MAP_FULL)
        return;
    derived.flags |= TRACE_DERIVED;
    emit_switch(map, out, &derived, from, state, to);
    map->trace->counts.derived++;
}

/* The name of an interrupt, which is also given to its task, once. */
static const char *name_interrupt(struct map *map, uint32_t irq)
{
    struct context *context = context_of(map, INTERRUPT_TASK + irq);
    const char *name;
    char text[48];
    if (context && context->irq_name)
        return context->irq_name;
    name = trace_name(map->trace, TRACE_NAME_IRQ, irq);
    snprintf(text, sizeof(text), "ISR:%s", name ? name : "");
    if (!name)
        snprintf(text, sizeof(text), "ISR:%u", irq);
    trace_set_name(map->trace, TRACE_NAME_TASK, INTERRUPT_TASK + irq, text);
    name = trace_name(map->trace, TRACE_NAME_TASK, INTERRUPT_TASK + irq);
    name = name ? name + strlen("ISR:") : "?";
    if (context)
        context->irq_name = name;
    return name;
}

/* The event as it came, now of a task. Its payload stays where it is. */
static inline void pass(struct trace_batch *out, const struct trace_event *event, uint32_t task)
{
    out->event[out->n] = *event;
    out->event[out->n++].task = task;
}

static void map_switch(struct map *map, struct cpu *cpu, const struct trace_event *event, struct trace_batch *out)
{
    uint32_t from = cpu->base, to = number(map, event, 0);
    struct context *old = context_of(map, from), *new = context_of(map, to);
    uint64_t state = old && old->blocked ? STATE_SLEEPING : STATE_RUNNING;
    if (map->mode == MAP_NATIVE)
        pass(out, event, top(cpu));
    else
        emit_switch(map, out, event, from, state, to);
    cpu->base = to;
    if (new)
        new->blocked = new->woken = false;
    if (cpu->depth)
        derive_switch(map, out, event, to, STATE_RUNNING, top(cpu));
}

/* A wake-up of a task that was ready already is no wake-up to a viewer, which would draw its latency. */
static void map_wake(struct map *map, unsigned number_of_cpu, struct cpu *cpu, const struct trace_event *event,
                     struct trace_batch *out)
{
    uint32_t task = number(map, event, 0);
    struct context *context = context_of(map, task);
    bool ready = task == cpu->base || (context && (context->says_blocked ? !context->blocked : context->woken));
    if (context) {
        context->blocked = false;
        context->woken = true;
    }
    if (ready || map->mode == MAP_NATIVE) {
        pass(out, event, top(cpu));
        return;
    }
    unsigned char *data = emit(out, event, top(cpu), map->id_waking, WAKING_BYTES);
    put_who(map, data, task);
    put_le32(data + WHO, number_of_cpu);
}

static void map_block(struct map *map, struct cpu *cpu, const struct trace_event *event, struct trace_batch *out,
                      bool blocked)
{
    uint32_t task = number(map, event, 0);
    struct context *context = context_of(map, task ? task : cpu->base);
    if (context) {
        context->blocked = blocked;
        context->says_blocked = true;
    }
    pass(out, event, top(cpu));
}

static void map_entry(struct map *map, struct cpu *cpu, const struct trace_event *event, struct trace_batch *out)
{
    uint32_t irq = number(map, event, 0), below = top(cpu);
    if (cpu->depth == NESTING) {
        pass(out, event, below);
        return;
    }
    cpu->interrupt[cpu->depth++] = irq;
    if (map->mode == MAP_NATIVE) {
        pass(out, event, below);
        return;
    }
    const char *name = name_interrupt(map, irq);
    size_t length = strlen(name) + 1;
    size_t size = (8 + length + 3) & ~(size_t)3;
    unsigned char *data = emit(out, event, below, map->id_entry, size);
    memset(data + size - 4, 0, 4);
    put_le32(data, irq);
    put_le32(data + 4, 8u | (uint32_t)length << 16);
    memcpy(data + 8, name, length);
    derive_switch(map, out, event, below, STATE_RUNNING, top(cpu));
}

/* An exit without its entry (lost, or before the trace) changes nothing; one of an outer interrupt ends the inner ones.
 * */
static void map_exit(struct map *map, struct cpu *cpu, const struct trace_event *event, struct trace_batch *out)
{
    uint32_t irq = number(map, event, 0), task = top(cpu);
    unsigned depth = cpu->depth;
    while (depth > 0 && cpu->interrupt[depth - 1] != irq)
        depth--;
    if (map->mode == MAP_NATIVE) {
        pass(out, event, task);
    } else {
        unsigned char *data = emit(out, event, task, map->id_exit, EXIT_BYTES);
        put_le32(data, irq);
        put_le32(data + 4, 1);
    }
    if (depth == 0)
        return;
    out->event[out->n - 1].flags |= TRACE_IN_INTERRUPT;
    cpu->depth = depth - 1;
    derive_switch(map, out, event, task, STATE_SLEEPING, top(cpu));
}

/* Past a gap nobody knows which interrupts are still running. */
static void map_gap(struct map *map, struct cpu *cpu, const struct trace_event *event, struct trace_batch *out)
{
    uint32_t task = top(cpu);
    bool inside = cpu->depth > 0;
    pass(out, event, task);
    cpu->depth = 0;
    if (inside)
        derive_switch(map, out, event, task, STATE_SLEEPING, top(cpu));
}

static void map_priority(struct map *map, struct cpu *cpu, const struct trace_event *event, struct trace_batch *out)
{
    struct context *context = context_of(map, number(map, event, 0));
    if (context) {
        context->priority = (int32_t)number(map, event, 1);
        put_le32(context->who + COMM + 4, (uint32_t)context->priority);
    }
    pass(out, event, top(cpu));
}

static void map_event(struct map *map, unsigned n, enum trace_class class, const struct trace_event *event,
                      struct trace_batch *out)
{
    struct cpu *cpu = &map->cpu[n];
    switch (class) {
    case TRACE_PLAIN:
        pass(out, event, top(cpu));
        break;
    case TRACE_SWITCH:
        map_switch(map, cpu, event, out);
        break;
    case TRACE_WAKE:
        map_wake(map, n, cpu, event, out);
        break;
    case TRACE_BLOCK:
        map_block(map, cpu, event, out, true);
        break;
    case TRACE_UNBLOCK:
        map_block(map, cpu, event, out, false);
        break;
    case TRACE_IRQ_ENTRY:
        map_entry(map, cpu, event, out);
        break;
    case TRACE_IRQ_EXIT:
        map_exit(map, cpu, event, out);
        break;
    case TRACE_PRIORITY:
        map_priority(map, cpu, event, out);
        break;
    case TRACE_LOSS:
    case TRACE_DAMAGE:
        map_gap(map, cpu, event, out);
        break;
    }
}

static void widen_span(struct trace_counts *counts, const struct trace_batch *in)
{
    if (in->n == 0)
        return;
    uint64_t first = in->event[0].time, last = in->event[in->n - 1].time;
    if (counts->events == 0 || first < counts->first)
        counts->first = first;
    if (counts->events == 0 || last > counts->last)
        counts->last = last;
}

/* Plain events as they come, at most n: most of any trace, so they only learn their task. How many they were. */
static inline size_t pass_plain(const struct map *map, const struct cpu *cpu, const struct trace_event *event, size_t n,
                                struct trace_batch *out)
{
    const struct trace_type *const *types = map->trace->types;
    struct trace_event *to = &out->event[out->n];
    uint32_t task = top(cpu);
    uint8_t flags = cpu->depth ? TRACE_IN_INTERRUPT : 0;
    size_t i;
    for (i = 0; i < n && types[event[i].type]->class == TRACE_PLAIN; i++) {
        to[i] = event[i];
        to[i].task = task;
        to[i].flags |= flags;
    }
    out->n += i;
    return i;
}

/* The events from at on, as far as out has room. Where it ended. */
static size_t map_run(struct map *map, unsigned n, const struct trace_batch *in, size_t at, struct trace_batch *out)
{
    const struct cpu *cpu = &map->cpu[n];
    uint64_t gaps = 0;
    size_t begin = at;
    while (out->n + EVENTS_PER_EVENT <= TRACE_BATCH_EVENTS && out->used + OUT_BYTES <= sizeof(out->room)) {
        size_t left = in->n - at, room = TRACE_BATCH_EVENTS - EVENTS_PER_EVENT - out->n;
        at += pass_plain(map, cpu, &in->event[at], left < room ? left : room, out);
        if (at == in->n)
            break;
        const struct trace_event *event = &in->event[at++];
        enum trace_class class = map->trace->types[event->type]->class;
        struct trace_event *first = &out->event[out->n];
        uint8_t flags = cpu->depth ? TRACE_IN_INTERRUPT : 0;
        map_event(map, n, class, event, out);
        first->flags |= flags;
        gaps += class == TRACE_LOSS || class == TRACE_DAMAGE;
    }
    map->trace->counts.events += at - begin - gaps;
    return at;
}

/* Events that need nothing: they are counted. */
static void pass_batch(struct map *map, const struct trace_batch *in, struct trace_batch *out)
{
    uint64_t gaps = 0;
    memcpy(out->event, in->event, in->n * sizeof(in->event[0]));
    out->n = in->n;
    for (size_t i = 0; i < in->n; i++) {
        enum trace_class class = map->trace->types[in->event[i].type]->class;
        gaps += class == TRACE_LOSS || class == TRACE_DAMAGE;
    }
    map->trace->counts.events += in->n - gaps;
}

int map_batch(struct map *map, unsigned cpu, const struct trace_batch *in, struct trace_batch *out)
{
    size_t *done = &map->cpu[cpu].done;
    out->n = out->used = 0;
    if (*done == 0)
        widen_span(&map->trace->counts, in);
    if (map->trace->mapped) {
        pass_batch(map, in, out);
        return 0;
    }
    *done = map_run(map, cpu, in, *done, out);
    if (*done < in->n)
        return 1;
    *done = 0;
    return 0;
}
