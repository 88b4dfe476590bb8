/* map.c - Linux's events for the classes of events it has too, and which task was running when.
 *
 * Vocabulary
 *   task      what an event belongs to: a task that the firmware numbered; the code before the first switch ("main");
 *             an interrupt; or, until the first switch of a CPU whose beginning is lost, an unknown one ("<...>", as
 *             Linux's tools call a task without a name)
 *   number    what a task is known by here: the firmware's own number, which becomes its pid, or one of those below
 *   scheduled said of the task that the last switch on a CPU was to; interrupts run above it
 *   running   said of the task whose code really runs: the innermost interrupt, else the scheduled task
 *   derived   said of a sched_switch into or out of an interrupt that the mapping adds: viewers draw a row per task, so
 *             each interrupt is shown as a task
 *   meaning   what the mapping must know of a type of event
 *   special   said of an event of any class but TRACE_PLAIN; the plain ones from one to the next are a stretch
 *   slice     some events of a batch that are mapped together
 *
 * The processor cannot predict whether the next event of a trace is special, and a branch that it predicts wrongly
 * takes as long as a whole event. So the events of a slice are sorted into special and plain ones first, without a
 * branch; then the special ones are mapped; then all plain ones get what holds for their stretch.
 */
#include "decode/map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "decode/linux_event.h"

enum {
    MAIN_TASK = 65536,      /* the code before the first switch: above the 16 bits of a number in a record */
    UNKNOWN_TASK = 69999,   /* what ran at a beginning that is lost; the number of no task, so that none seems to run */
    INTERRUPT_TASK = 70000, /* interrupt 0; the others follow */
    INTERRUPTS = 1024,      /* interrupts whose payload of an entry is kept */
    TASKS = INTERRUPT_TASK + INTERRUPTS,       /* tasks whose state is followed: those of lower numbers */
    NESTING = 16,                              /* interrupts followed inside each other */
    SLICE = 256,                               /* events of a slice, at most */
    EVENTS_PER_EVENT = 2,                      /* most events that come out for one that goes in */
    BYTES_PER_EVENT = 2 * DECODE_SWITCH_BYTES, /* most bytes of payloads of these: two switches */
    NOWHERE = UINT16_MAX,                      /* the place of a field that a type does not have, or not with 4 bytes */
};

_Static_assert(TRACE_BATCH_EVENTS >= (SLICE * EVENTS_PER_EVENT), "a slice fits into a batch");
_Static_assert((int)DECODE_ENTRY_BYTES <= (int)DECODE_SWITCH_BYTES, "most bytes for one event");

/* What runs on a CPU. */
struct cpu {
    uint32_t scheduled;
    uint32_t running;
    uint32_t pid;                /* of running */
    uint32_t interrupt[NESTING]; /* the interrupts that run, by their numbers, the outermost first */
    unsigned depth;              /* how many those are */
    uint8_t flags;               /* for events: TRACE_IN_INTERRUPT or none */
    bool begun;                  /* an event has come that is no loss and no damage */
    size_t done;                 /* events already mapped of the batch that decode_map_batch() was last given */
};

/* What is known of a task. */
struct task {
    unsigned char field[DECODE_TASK_BYTES]; /* name, pid, priority as payloads have them; the name as of naming */
    unsigned naming;                        /* trace.naming when field was made; 0 = not yet made */
    int32_t priority;
    bool blocked;      /* will not be ready when it is switched out */
    bool says_blocked; /* the firmware logs when this task blocks */
    bool woken;        /* and has not run since */
};

/* The payload of an interrupt's entry. */
struct entry {
    uint16_t size; /* bytes; 0 = not yet made */
    unsigned char data[DECODE_ENTRY_BYTES];
};

struct meaning {
    enum trace_class class;
    uint16_t place[2]; /* of the first two fields: offset in the payload, or NOWHERE */
};

struct decode_map {
    struct trace *trace;
    enum decode_map_mode mode;
    unsigned ntypes; /* types whose meaning is known */
    struct meaning meaning[TRACE_TYPES_MAX];
    uint16_t id_switch, id_waking, id_entry, id_exit; /* numbers of Linux's types in the trace */
    struct task task[TASKS];
    struct entry entry[INTERRUPTS + 1]; /* the last one is made anew for each other interrupt */
    struct cpu cpu[];                   /* trace->ncpus */
};

/* ---- beginning and end ------------------------------------------------------------------------------------------- */

struct decode_map *decode_map_new(struct trace *trace, enum decode_map_mode mode)
{
    struct decode_map *map = calloc(1, sizeof *map + trace->ncpus * sizeof map->cpu[0]);
    if (map == NULL)
        return NULL;
    map->trace = trace;
    map->mode = mode;
    for (unsigned i = 0; i < trace->ncpus; i++)
        map->cpu[i].scheduled = MAIN_TASK;
    if (trace->mapped)
        return map;
    if (mode != DECODE_MAP_NATIVE) {
        map->id_switch = trace_type(trace, &decode_type_switch);
        map->id_waking = trace_type(trace, &decode_type_waking);
        map->id_entry = trace_type(trace, &decode_type_entry);
        map->id_exit = trace_type(trace, &decode_type_exit);
    }
    trace_set_name(trace, TRACE_NAME_TASK, MAIN_TASK, "main");
    return map;
}

void decode_map_free(struct decode_map *map)
{
    free(map);
}

/* Note the meaning of types that were declared since the last call. */
static void learn_types(struct decode_map *map)
{
    for (; map->ntypes < map->trace->ntypes; map->ntypes++) {
        const struct trace_type *type = map->trace->types[map->ntypes];
        struct meaning *meaning = &map->meaning[map->ntypes];
        meaning->class = type->class;
        for (unsigned n = 0; n < 2; n++)
            meaning->place[n] = n < type->nfields && type->fields[n].size == 4 ? type->fields[n].offset : NOWHERE;
    }
}

/* ---- tasks ------------------------------------------------------------------------------------------------------- */

/* What is known of a task; NULL: its state is not followed. */
static struct task *task_of(struct decode_map *map, uint32_t number)
{
    return number < TASKS ? &map->task[number] : NULL;
}

/* Field n of an event, 0 or 1, as an unsigned number; 0 if the event has no such field. */
static inline uint32_t field_value(const struct meaning *meaning, const struct trace_event *event, unsigned n)
{
    uint16_t place = meaning->place[n];
    return place == NOWHERE ? 0 : get_le32(event->data + place);
}

/* The pid that a viewer gets for a task. */
static inline uint32_t pid_of(const struct decode_map *map, uint32_t number)
{
    return number == 0 ? 0 : number + map->trace->task_base;
}

/* Find out what runs after scheduled or depth has changed. */
static inline void find_running(const struct decode_map *map, struct cpu *cpu)
{
    cpu->running = cpu->depth > 0 ? INTERRUPT_TASK + cpu->interrupt[cpu->depth - 1] : cpu->scheduled;
    cpu->pid = pid_of(map, cpu->running);
    cpu->flags = cpu->depth > 0 ? TRACE_IN_INTERRUPT : 0;
}

static void make_task(const struct decode_map *map, unsigned char *field, uint32_t number, int32_t priority)
{
    const char *name = number == 0              ? "idle"
                       : number == UNKNOWN_TASK ? "<...>"
                                                : trace_name(map->trace, TRACE_NAME_TASK, number);
    decode_put_task(field, map->trace, number, name, pid_of(map, number), priority);
}

/* Put a task into a payload. Most events of a busy trace are switches, so the bytes are kept, and made again only after
 * a name was given. */
static inline void put_task(struct decode_map *map, unsigned char *field, uint32_t number)
{
    struct task *task = task_of(map, number);
    if (task == NULL) {
        make_task(map, field, number, 0);
        return;
    }
    if (task->naming != map->trace->naming) {
        make_task(map, task->field, number, task->priority);
        task->naming = map->trace->naming;
    }
    memcpy(field, task->field, DECODE_TASK_BYTES);
}

/* ---- Linux's events ---------------------------------------------------------------------------------------------- */

/* Give an event of out another type, and a payload of size bytes that the caller fills. map_slices() has made sure that
 * there is room. */
static inline unsigned char *change(struct trace_batch *out, struct trace_event *event, uint16_t type, size_t size)
{
    unsigned char *data = out->room + out->used;
    out->used += (size + 7u) & ~(size_t)7;
    event->data = data;
    event->type = type;
    event->size = (uint16_t)size;
    return data;
}

/* Make the event a sched_switch. state: of the task switched out, DECODE_STATE_... */
static inline void change_to_switch(struct decode_map *map, struct trace_batch *out, struct trace_event *event,
                                    uint32_t from, uint64_t state, uint32_t to)
{
    unsigned char *data = change(out, event, map->id_switch, DECODE_SWITCH_BYTES);
    event->task = pid_of(map, from);
    put_task(map, data, from);
    put_le64(data + DECODE_TASK_BYTES, state);
    put_task(map, data + DECODE_TASK_BYTES + 8, to);
}

/* Add a sched_switch behind the event `like`, with its time, if the mode wants derived events. */
static void derive_switch(struct decode_map *map, struct trace_batch *out, const struct trace_event *like,
                          uint32_t from, uint64_t state, uint32_t to)
{
    struct trace_event *derived = &out->event[out->n];
    if (map->mode != DECODE_MAP_FULL)
        return;
    derived->time = like->time;
    derived->rest = like->rest;
    derived->flags = TRACE_DERIVED;
    derived->group = like->group;
    change_to_switch(map, out, derived, from, state, to);
    out->n++;
    map->trace->counts.derived++;
}

/* The name of an interrupt, which is also given to its task, with "ISR:" before it. */
static const char *name_interrupt(const struct decode_map *map, uint32_t irq)
{
    const char *name = trace_name(map->trace, TRACE_NAME_IRQ, irq);
    char text[48];
    if (name != NULL)
        snprintf(text, sizeof text, "ISR:%s", name);
    else
        snprintf(text, sizeof text, "ISR:%u", irq);
    trace_set_name(map->trace, TRACE_NAME_TASK, INTERRUPT_TASK + irq, text);
    name = trace_name(map->trace, TRACE_NAME_TASK, INTERRUPT_TASK + irq);
    return name != NULL ? name + strlen(map->trace->task_prefix) + strlen("ISR:") : "?";
}

/* The payload of an interrupt's entry. It is the same every time, and thus made once, with the name known then. */
static const struct entry *entry_of(struct decode_map *map, uint32_t irq)
{
    struct entry *entry = &map->entry[irq < INTERRUPTS ? irq : INTERRUPTS];
    if (irq >= INTERRUPTS || entry->size == 0)
        entry->size = decode_put_entry(entry->data, irq, name_interrupt(map, irq));
    return entry;
}

/* ---- classes of events ------------------------------------------------------------------------------------------- */

/* In these functions event is the copy in out, which is changed to Linux's event if there is one. */

static void map_switch(struct decode_map *map, struct cpu *cpu, struct trace_event *event, uint32_t to,
                       struct trace_batch *out)
{
    uint32_t from = cpu->scheduled;
    struct task *old = task_of(map, from), *new = task_of(map, to);
    uint64_t state = old != NULL && old->blocked ? DECODE_STATE_SLEEPING : DECODE_STATE_RUNNING;
    if (map->mode != DECODE_MAP_NATIVE)
        change_to_switch(map, out, event, from, state, to);
    cpu->scheduled = to;
    if (new != NULL)
        new->blocked = new->woken = false;
    find_running(map, cpu);
    if (cpu->depth > 0)
        derive_switch(map, out, event, to, DECODE_STATE_RUNNING, cpu->running);
}

/* A wake-up of a task that is ready already keeps its own name: a viewer would take a sched_waking for the beginning of
 * a latency, and draw that. Tasks of a firmware that does not log when they block count as ready from a wake-up until
 * they are switched to. */
static void map_wake(struct decode_map *map, struct cpu *cpu, struct trace_event *event, uint32_t number,
                     struct trace_batch *out)
{
    struct task *task = task_of(map, number);
    bool ready = number == cpu->scheduled || (task != NULL && (task->says_blocked ? !task->blocked : task->woken));
    unsigned char *data;
    if (task != NULL) {
        task->blocked = false;
        task->woken = true;
    }
    if (ready || map->mode == DECODE_MAP_NATIVE)
        return;
    data = change(out, event, map->id_waking, DECODE_WAKING_BYTES);
    put_task(map, data, number);
    put_le32(data + DECODE_TASK_BYTES, (uint32_t)(cpu - map->cpu) + map->trace->cpu_base);
}

/* Number 0 stands for the scheduled task. */
static void map_block(struct decode_map *map, const struct cpu *cpu, uint32_t number, bool blocked)
{
    struct task *task = task_of(map, number != 0 ? number : cpu->scheduled);
    if (task != NULL) {
        task->blocked = blocked;
        task->says_blocked = true;
    }
}

/* An entry above NESTING interrupts is not followed, and keeps its own name. */
static void map_entry(struct decode_map *map, struct cpu *cpu, struct trace_event *event, uint32_t irq,
                      struct trace_batch *out)
{
    uint32_t interrupted = cpu->running;
    const struct entry *entry;
    if (cpu->depth == NESTING)
        return;
    cpu->interrupt[cpu->depth++] = irq;
    find_running(map, cpu);
    if (map->mode == DECODE_MAP_NATIVE)
        return;
    entry = entry_of(map, irq);
    memcpy(change(out, event, map->id_entry, entry->size), entry->data, sizeof entry->data);
    derive_switch(map, out, event, interrupted, DECODE_STATE_RUNNING, cpu->running);
}

/* An exit without its entry, which was lost or came before the trace, does not change what runs. An exit of an outer
 * interrupt ends those inside it, too: their exits were lost. */
static void map_exit(struct decode_map *map, struct cpu *cpu, struct trace_event *event, uint32_t irq,
                     struct trace_batch *out)
{
    uint32_t from = cpu->running;
    unsigned depth = cpu->depth;
    while (depth > 0 && cpu->interrupt[depth - 1] != irq)
        depth--;
    if (map->mode != DECODE_MAP_NATIVE) {
        unsigned char *data = change(out, event, map->id_exit, DECODE_EXIT_BYTES);
        put_le32(data, irq);
        put_le32(data + 4, 1); /* handled */
    }
    if (depth == 0)
        return;
    cpu->depth = depth - 1;
    find_running(map, cpu);
    derive_switch(map, out, event, from, DECODE_STATE_SLEEPING, cpu->running);
}

/* A loss or damage. It is not known which interrupts still run behind it: all are taken for ended. */
static void map_gap(struct decode_map *map, struct cpu *cpu, const struct trace_event *event, struct trace_batch *out)
{
    uint32_t from = cpu->running;
    bool inside = cpu->depth > 0;
    map->trace->counts.events--; /* map_slices() counts it, but it is no event of the input */
    cpu->depth = 0;
    find_running(map, cpu);
    if (inside)
        derive_switch(map, out, event, from, DECODE_STATE_SLEEPING, cpu->running);
}

static void map_priority(struct decode_map *map, uint32_t number, int32_t priority)
{
    struct task *task = task_of(map, number);
    if (task != NULL) {
        task->priority = priority;
        put_le32(task->field + DECODE_COMM_BYTES + 4, (uint32_t)priority);
    }
}

/* Do what the class of a special event wants. from: the event in the slice; event: its copy in out. */
static inline void map_event(struct decode_map *map, struct cpu *cpu, const struct trace_event *from,
                             struct trace_event *event, struct trace_batch *out)
{
    const struct meaning *meaning = &map->meaning[from->type];
    uint32_t first = field_value(meaning, from, 0);
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
        map_priority(map, first, (int32_t)field_value(meaning, from, 1));
        break;
    case TRACE_LOSS:
    case TRACE_DAMAGE:
        map_gap(map, cpu, event, out);
        break;
    }
}

/* ---- slices ------------------------------------------------------------------------------------------------------ */

/* What holds for the plain events of a stretch. */
struct stretch {
    size_t shift; /* what is added to an event's index in the slice to get that in out */
    uint32_t pid; /* of the task they belong to */
    uint8_t flags;
};

struct slice {
    const struct trace_event *event;
    size_t n, nspecial;
    uint16_t plain[SLICE], special[SLICE]; /* indices in event, in their order */
    struct stretch stretch[SLICE + 1];     /* before the first special event, and after each */
};

/* Sort the events' indices into special and plain. Every index is written to both lists, and stays in one of them: no
 * branch depends on the event. */
static void sort_slice(const struct decode_map *map, struct slice *slice)
{
    size_t n = 0;
    for (size_t i = 0; i < slice->n; i++) {
        slice->plain[i - n] = slice->special[n] = (uint16_t)i;
        n += map->meaning[slice->event[i].type].class != TRACE_PLAIN;
    }
    slice->nspecial = n;
}

static inline void copy_event(struct trace_event *to, const struct trace_event *event, const struct stretch *stretch)
{
    *to = *event;
    to->task = stretch->pid;
    to->flags |= stretch->flags;
}

/* Map the special events, and leave room in out for the plain ones. */
static void map_special(struct decode_map *map, struct cpu *cpu, struct slice *slice, struct trace_batch *out)
{
    struct stretch *stretch = slice->stretch;
    size_t at = 0;
    *stretch = (struct stretch){out->n, cpu->pid, cpu->flags};
    for (size_t k = 0; k < slice->nspecial; k++) {
        size_t i = slice->special[k];
        struct trace_event *event = &out->event[i + stretch->shift];
        copy_event(event, &slice->event[i], stretch);
        at = i + 1;
        out->n = at + stretch->shift;
        map_event(map, cpu, &slice->event[i], event, out);
        *++stretch = (struct stretch){out->n - at, cpu->pid, cpu->flags};
    }
    out->n += slice->n - at;
}

/* Copy the plain events to the places left for them. The k-th plain event, at i, has i - k special events before it; so
 * that is the number of its stretch. */
static void copy_plain(const struct slice *slice, struct trace_batch *out)
{
    struct trace_event *to = out->event + slice->stretch[0].shift;
    if (slice->nspecial == 0) {
        for (size_t i = 0; i < slice->n; i++)
            copy_event(&to[i], &slice->event[i], &slice->stretch[0]);
        return;
    }
    for (size_t k = 0; k < slice->n - slice->nspecial; k++) {
        size_t i = slice->plain[k];
        const struct stretch *stretch = &slice->stretch[i - k];
        copy_event(&out->event[i + stretch->shift], &slice->event[i], stretch);
    }
}

/* Whether out has room for whatever n events become. */
static bool has_room(const struct trace_batch *out, size_t n)
{
    return out->n + n * EVENTS_PER_EVENT <= TRACE_BATCH_EVENTS && out->used + n * BYTES_PER_EVENT <= sizeof out->room;
}

/* Choose the first task of a CPU that has had no event yet: main; but after a loss or damage the unknown task, because
 * the switch to what runs there may be among what is missing. */
static void choose_first_task(const struct decode_map *map, struct cpu *cpu, const struct slice *slice)
{
    for (size_t i = 0; i < slice->n && !cpu->begun; i++) {
        enum trace_class class = map->meaning[slice->event[i].type].class;
        cpu->begun = class != TRACE_LOSS && class != TRACE_DAMAGE;
        if (!cpu->begun)
            cpu->scheduled = UNKNOWN_TASK;
    }
    find_running(map, cpu);
}

/* Map the events of in from index `at` on, slice by slice, as far as out has room. Returns the index where it ended. */
static size_t map_slices(struct decode_map *map, struct cpu *cpu, const struct trace_batch *in, size_t at,
                         struct trace_batch *out)
{
    struct slice slice;
    for (; at < in->n; at += slice.n) {
        slice.event = &in->event[at];
        slice.n = in->n - at < SLICE ? in->n - at : SLICE;
        if (!has_room(out, slice.n))
            break;
        if (!cpu->begun)
            choose_first_task(map, cpu, &slice);
        sort_slice(map, &slice);
        map_special(map, cpu, &slice, out);
        copy_plain(&slice, out);
        map->trace->counts.events += slice.n;
    }
    return at;
}

/* ---- batches ----------------------------------------------------------------------------------------------------- */

/* Widen the span of the trace's events, before the events from first to last are counted. */
static void widen_span(struct trace_counts *counts, uint64_t first, uint64_t last)
{
    if (counts->events == 0 || first < counts->first)
        counts->first = first;
    if (counts->events == 0 || last > counts->last)
        counts->last = last;
}

/* Copy and count events of a trace that is mapped already. Their times may go back, as those of Linux's clocks do. */
static void pass_batch(struct decode_map *map, const struct trace_batch *in, struct trace_batch *out)
{
    uint64_t gaps = 0, first = UINT64_MAX, last = 0;
    memcpy(out->event, in->event, in->n * sizeof in->event[0]);
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

int decode_map_batch(struct decode_map *map, unsigned cpu, const struct trace_batch *in, struct trace_batch *out)
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
    find_running(map, &map->cpu[cpu]);
    *done = map_slices(map, &map->cpu[cpu], in, *done, out);
    if (*done < in->n)
        return 1;
    *done = 0;
    return 0;
}
