/* map_class.c - what becomes of an event of each class. */
#include "decode/map_class.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "decode/news.h"

/* ---- tasks ------------------------------------------------------------------------------------------------------- */

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
    if (task->naming != map->trace->naming + 1u) {
        make_task(map, task->field, number, task->priority);
        task->naming = map->trace->naming + 1u;
    }
    memcpy(field, task->field, DECODE_TASK_BYTES);
}

static void set_priority(struct task *task, int32_t priority)
{
    task->priority = priority;
    put_le32(task->field + DECODE_COMM_BYTES + 4, (uint32_t)priority);
}

/* ---- looks ------------------------------------------------------------------------------------------------------- */

void decode_map_find_news(struct decode_map *map, struct cpu *cpu)
{
    if (!decode_news_next(map->news, map->trace, (unsigned)(cpu - map->cpu), &cpu->news))
        cpu->news.look = UINT64_MAX;
}

/* The CPU looks at a task at which another one has looked since, or no one yet: keep news for it. */
static void keep_news(struct decode_map *map, const struct cpu *cpu, struct task *task)
{
    unsigned number = (unsigned)(cpu - map->cpu);
    struct decode_news_item item = {cpu->looks,         task->priority, task->state,
                                    task->says_blocked, task->woken,    task->begun};
    decode_news_keep(map->news, map->trace, number, &item);
    task->seen_by = number + 1u;
}

/* There are news for this look: they hold for the task. */
static void tell_news(struct decode_map *map, struct cpu *cpu, struct task *task)
{
    set_priority(task, cpu->news.priority);
    task->state = cpu->news.state;
    task->says_blocked = cpu->news.says_blocked;
    task->woken = cpu->news.woken;
    task->begun = cpu->news.begun;
    decode_map_find_news(map, cpu);
}

static inline void look(struct decode_map *map, struct cpu *cpu, uint32_t number)
{
    struct task *task = task_of(map, number);
    if (task == NULL)
        return;
    cpu->looks++;
    if (!map->collects && cpu->looks == cpu->news.look)
        tell_news(map, cpu, task);
    else if (map->collects && task->seen_by != (unsigned)(cpu - map->cpu) + 1u)
        keep_news(map, cpu, task);
}

/* Look at all tasks that the event may use or change. These are the same whether news are kept or told. */
static void look_at_tasks(struct decode_map *map, struct cpu *cpu, const struct meaning *meaning,
                          const struct trace_event *event)
{
    enum trace_class class = meaning->class;
    look(map, cpu, cpu->scheduled);
    if (class < TRACE_IRQ_ENTRY || class == TRACE_RESUME || class == TRACE_PRIORITY)
        look(map, cpu, field_value(meaning, event, 0));
    if (class == TRACE_SWITCH_OF)
        look(map, cpu, field_value(meaning, event, 1));
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

/* Add an event behind the event `like`, with its time, if the mode wants derived events; else returns NULL. */
static struct trace_event *derive(struct decode_map *map, struct trace_batch *out, const struct trace_event *like)
{
    struct trace_event *derived = &out->event[out->n];
    if (!map->derives)
        return NULL;
    *derived =
        (struct trace_event){.time = like->time, .rest = like->rest, .flags = TRACE_DERIVED, .group = like->group};
    out->n++;
    map->trace->counts.derived++;
    return derived;
}

/* Derive a sched_switch. */
static void derive_switch(struct decode_map *map, struct trace_batch *out, const struct trace_event *like,
                          uint32_t from, uint64_t state, uint32_t to)
{
    struct trace_event *derived = derive(map, out, like);
    if (derived != NULL)
        change_to_switch(map, out, derived, from, state, to);
}

/* Derive the sched_wakeup of a sched_waking: its payload is the same. */
static void derive_wakeup(struct decode_map *map, struct trace_batch *out, const struct trace_event *waking)
{
    struct trace_event *derived = derive(map, out, waking);
    if (derived == NULL)
        return;
    derived->task = waking->task;
    derived->flags |= waking->flags & TRACE_IN_INTERRUPT;
    derived->context = waking->context;
    derived->type = map->id_wakeup;
    derived->data = waking->data;
    derived->size = waking->size;
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

/* A switch from a task to itself, as FreeRTOS logs when it selects the same task again, keeps its own name. */
static void map_switch(struct decode_map *map, struct cpu *cpu, struct trace_event *event, uint32_t to,
                       struct trace_batch *out)
{
    uint32_t from = cpu->scheduled;
    struct task *old = task_of(map, from), *new = task_of(map, to);
    if (map->converts && from != to)
        change_to_switch(map, out, event, from, old != NULL ? old->state : DECODE_STATE_RUNNING, to);
    cpu->scheduled = to;
    if (new != NULL) {
        new->state = DECODE_STATE_RUNNING;
        new->woken = false;
        new->ran = new->begun = true;
    }
    if (from == to)
        return;
    find_running(map, cpu);
    if (cpu->depth > 0)
        derive_switch(map, out, event, to, DECODE_STATE_RUNNING, cpu->running);
}

/* A switch that tells the task that ran until now, and whether it is still ready: what was known of it from the events
 * before may be wrong, because events are missing. */
static void map_switch_of(struct decode_map *map, struct cpu *cpu, struct trace_event *event,
                          const struct meaning *meaning, const struct trace_event *from, struct trace_batch *out)
{
    uint32_t state = field_value(meaning, from, 2);
    struct task *old;
    cpu->scheduled = field_value(meaning, from, 1);
    old = task_of(map, cpu->scheduled);
    if (old != NULL) {
        old->state = state == 0 || state == DECODE_STATE_LOCKED ? (uint8_t)state : DECODE_STATE_SLEEPING;
        old->ran = old->begun = true;
    }
    find_running(map, cpu);
    event->task = cpu->pid;
    map_switch(map, cpu, event, field_value(meaning, from, 0), out);
}

/* The end of an interrupt that tells which task runs now: a switch, if that is another one. */
static void map_resume(struct decode_map *map, struct cpu *cpu, struct trace_event *event, uint32_t number,
                       struct trace_batch *out)
{
    if (number != 0 && number != cpu->scheduled)
        map_switch(map, cpu, event, number, out);
}

/* Which task has been running. The event itself is the first one of that task, as far as is known. */
static void map_running(struct decode_map *map, struct cpu *cpu, struct trace_event *event, uint32_t number)
{
    struct task *task = task_of(map, number);
    if (number == 0)
        return;
    if (task != NULL)
        task->ran = true;
    cpu->scheduled = number;
    find_running(map, cpu);
    event->task = cpu->pid;
}

/* When FreeRTOS changes the priority of a ready task, it makes the task ready again: behind the event of the change,
 * or, where a task inherits a priority, behind the one that tells who is going to wait for a mutex. Note the task. */
static inline void note_raised(struct cpu *cpu, enum trace_class class, uint32_t number)
{
    cpu->logs_waits |= class == TRACE_LOCK_RUNNING || class == TRACE_BLOCK_RUNNING;
    cpu->raised = NO_TASK;
    if (cpu->logs_waits && (class == TRACE_LOCK || class == TRACE_LOCK_RUNNING))
        cpu->raised = ANY_TASK;
    if (cpu->logs_waits && class == TRACE_PRIORITY)
        cpu->raised = number;
}

/* Whether a task that wakes is ready already. Tasks that have not logged yet that they block count as ready from a
 * wake-up until they are switched to. */
static bool is_ready(const struct cpu *cpu, const struct task *task, uint32_t number)
{
    if (number == cpu->scheduled || task == NULL)
        return number == cpu->scheduled;
    if (task->says_blocked)
        return task->state == DECODE_STATE_RUNNING;
    return task->woken || (task->begun && (cpu->raised == number || cpu->raised == ANY_TASK));
}

/* A wake-up of a task that is ready already keeps its own name: a viewer would take a sched_waking for the beginning of
 * a latency, and draw that. */
static void map_wake(struct decode_map *map, struct cpu *cpu, struct trace_event *event, uint32_t number,
                     struct trace_batch *out)
{
    struct task *task = task_of(map, number);
    bool ready = is_ready(cpu, task, number);
    unsigned char *data;
    if (task != NULL) {
        task->state = DECODE_STATE_RUNNING;
        task->woken = task->begun = true;
    }
    if (ready || !map->converts)
        return;
    data = change(out, event, map->id_waking, DECODE_WAKING_BYTES);
    put_task(map, data, number);
    put_le32(data + DECODE_TASK_BYTES, (uint32_t)(cpu - map->cpu) + map->trace->cpu_base);
    derive_wakeup(map, out, event);
}

/* Number 0 stands for the scheduled task. */
static void map_block(struct decode_map *map, const struct cpu *cpu, uint32_t number, uint8_t state)
{
    struct task *task = task_of(map, number != 0 ? number : cpu->scheduled);
    if (task != NULL) {
        task->state = state;
        task->says_blocked = true;
    }
}

/* The entry is the first event of the interrupt, as the exit is its last: viewers pair them by task. An entry above
 * NESTING interrupts is not followed, and keeps its own name. */
static void map_entry(struct decode_map *map, struct cpu *cpu, struct trace_event *event, uint32_t irq,
                      struct trace_batch *out)
{
    uint32_t interrupted = cpu->running;
    const struct entry *entry;
    if (cpu->depth == NESTING)
        return;
    cpu->interrupt[cpu->depth++] = irq;
    find_running(map, cpu);
    if (irq >= INTERRUPTS || !map->task[INTERRUPT_TASK + irq].ran)
        name_interrupt(map, irq);
    if (irq < INTERRUPTS)
        map->task[INTERRUPT_TASK + irq].ran = true;
    event->task = cpu->pid;
    event->flags |= cpu->flags;
    if (!map->converts)
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
    if (map->converts) {
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

/* The end of an interrupt that does not tell which. If none is known to run, the event keeps its own name. */
static void map_leave(struct decode_map *map, struct cpu *cpu, struct trace_event *event, struct trace_batch *out)
{
    if (cpu->depth > 0)
        map_exit(map, cpu, event, cpu->interrupt[cpu->depth - 1], out);
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

/* Do what the rarer classes of special events want; first: the event's first field. */
static void map_other(struct decode_map *map, struct cpu *cpu, enum trace_class class, struct trace_event *event,
                      uint32_t first, struct trace_batch *out)
{
    if (class == TRACE_IRQ_LEAVE)
        map_leave(map, cpu, event, out);
    if (class == TRACE_BLOCK_RUNNING || class == TRACE_LOCK_RUNNING)
        map_block(map, cpu, 0, class == TRACE_LOCK_RUNNING ? DECODE_STATE_LOCKED : DECODE_STATE_SLEEPING);
    if (class == TRACE_RESUME)
        map_resume(map, cpu, event, first, out);
    if (class == TRACE_RUNNING)
        map_running(map, cpu, event, first);
    if (class == TRACE_LOSS || class == TRACE_DAMAGE)
        map_gap(map, cpu, event, out);
    if (class == TRACE_MARK)
        map->trace->counts.events--;
}

/* Do what the class of a special event wants. from: the event in the slice; event: its copy in out. */
static inline void map_event(struct decode_map *map, struct cpu *cpu, const struct trace_event *from,
                             struct trace_event *event, struct trace_batch *out)
{
    const struct meaning *meaning = &map->meaning[from->type];
    uint32_t first = field_value(meaning, from, 0);
    if (map->news != NULL)
        look_at_tasks(map, cpu, meaning, from);
    switch (meaning->class) {
    case TRACE_SWITCH:
        map_switch(map, cpu, event, first, out);
        break;
    case TRACE_SWITCH_OF:
        map_switch_of(map, cpu, event, meaning, from, out);
        break;
    case TRACE_WAKE:
        map_wake(map, cpu, event, first, out);
        break;
    case TRACE_BLOCK:
        map_block(map, cpu, first, DECODE_STATE_SLEEPING);
        break;
    case TRACE_LOCK:
        map_block(map, cpu, first, DECODE_STATE_LOCKED);
        break;
    case TRACE_UNBLOCK:
        map_block(map, cpu, first, DECODE_STATE_RUNNING);
        break;
    case TRACE_IRQ_ENTRY:
        map_entry(map, cpu, event, first, out);
        break;
    case TRACE_IRQ_EXIT:
        map_exit(map, cpu, event, first, out);
        break;
    case TRACE_PRIORITY:
        if (task_of(map, first) != NULL)
            set_priority(task_of(map, first), (int32_t)field_value(meaning, from, 1));
        break;
    default:
        map_other(map, cpu, meaning->class, event, first, out);
        break;
    }
    note_raised(cpu, meaning->class, first);
}

void decode_map_class(struct decode_map *map, struct cpu *cpu, const struct trace_event *from,
                      struct trace_event *event, struct trace_batch *out)
{
    map_event(map, cpu, from, event, out);
}

void decode_map_special(struct decode_map *map, struct cpu *cpu, struct slice *slice, struct trace_batch *out)
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
