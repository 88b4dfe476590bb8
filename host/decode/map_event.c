/* map_event.c - see map_event.h. What becomes of an event of each class, and how that changes what runs. */
#include "decode/map_event.h"

#include "decode/cross_cpu.h"

#include <stdio.h>
#include <string.h>

/* ---- Linux's types ----------------------------------------------------------------------------------------------- */

/* Fields and print formats are those of Linux (include/trace/events/sched.h and irq.h), because viewers look for them.
 * Offsets are ours, and trace.dat tells them to viewers. */
/* clang-format off */
static const struct trace_field switch_fields[] = {
    {"prev_comm",  TRACE_CHARS,   0, DECODE_COMM_BYTES},
    {"prev_pid",   TRACE_SIGNED, 16, 4},
    {"prev_prio",  TRACE_SIGNED, 20, 4},
    {"prev_state", TRACE_SIGNED, 24, 8},
    {"next_comm",  TRACE_CHARS,  32, DECODE_COMM_BYTES},
    {"next_pid",   TRACE_SIGNED, 48, 4},
    {"next_prio",  TRACE_SIGNED, 52, 4},
};
static const struct trace_type type_switch = {
    "sched", "sched_switch", TRACE_SWITCH, DECODE_SWITCH_BYTES, 7, switch_fields,
    "\"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s ==> next_comm=%s next_pid=%d next_prio=%d\", "
    "REC->prev_comm, REC->prev_pid, REC->prev_prio, REC->prev_state ? "
    "__print_flags(REC->prev_state, \"|\", { 1, \"S\" }, { 2, \"D\" }) : \"R\", "
    "REC->next_comm, REC->next_pid, REC->next_prio",
};

#define WAKING_PRINT \
    "\"comm=%s pid=%d prio=%d target_cpu=%03d\", REC->comm, REC->pid, REC->prio, REC->target_cpu"
static const struct trace_field waking_fields[] = {
    {"comm",       TRACE_CHARS,   0, DECODE_COMM_BYTES},
    {"pid",        TRACE_SIGNED, 16, 4},
    {"prio",       TRACE_SIGNED, 20, 4},
    {"target_cpu", TRACE_SIGNED, 24, 4},
};
static const struct trace_type type_waking = {
    "sched", "sched_waking", TRACE_WAKE, DECODE_WAKING_BYTES, 4, waking_fields, WAKING_PRINT,
};
static const struct trace_type type_wakeup = {
    "sched", "sched_wakeup", TRACE_PLAIN, DECODE_WAKING_BYTES, 4, waking_fields, WAKING_PRINT,
};

static const struct trace_field entry_fields[] = {
    {"irq",  TRACE_SIGNED, 0, 4},
    {"name", TRACE_STRING, 4, 4},
};
static const struct trace_type type_entry = {
    "irq", "irq_handler_entry", TRACE_IRQ_ENTRY, 8, 2, entry_fields,
    "\"irq=%d name=%s\", REC->irq, __get_str(name)",
};

static const struct trace_field exit_fields[] = {
    {"irq", TRACE_SIGNED, 0, 4},
    {"ret", TRACE_SIGNED, 4, 4},
};
static const struct trace_type type_exit = {
    "irq", "irq_handler_exit", TRACE_IRQ_EXIT, DECODE_EXIT_BYTES, 2, exit_fields,
    "\"irq=%d ret=%s\", REC->irq, REC->ret ? \"handled\" : \"unhandled\"",
};
/* clang-format on */

void decode_map_declare_types(struct decode_map *map)
{
    map->id_switch = trace_type(map->trace, &type_switch);
    map->id_waking = trace_type(map->trace, &type_waking);
    map->id_wakeup = trace_type(map->trace, &type_wakeup); /* trace-cmd report --profile needs it in any case */
    map->id_entry = trace_type(map->trace, &type_entry);
    map->id_exit = trace_type(map->trace, &type_exit);
}

/* ---- tasks ------------------------------------------------------------------------------------------------------- */

/* Write a task's name, pid and priority as they stand in payloads: DECODE_TASK_BYTES. name: NULL = it has none, so that
 * it becomes "task-NUMBER", with the prefix of the trace. */
static void write_task(unsigned char *to, const struct trace *trace, uint32_t number, const char *name, uint32_t pid,
                       int32_t priority)
{
    char text[32];
    if (name == NULL) {
        snprintf(text, sizeof text, "%stask-%u", trace->task_prefix, number);
        name = text;
    }
    memset(to, 0, DECODE_COMM_BYTES);
    memcpy(to, name, strnlen(name, DECODE_COMM_BYTES - 1));
    put_le32(to + DECODE_COMM_BYTES, pid);
    put_le32(to + DECODE_COMM_BYTES + 4, (uint32_t)priority);
}

static void make_task(const struct decode_map *map, unsigned char *field, uint32_t number, int32_t priority)
{
    const char *name = number == 0              ? "idle"
                       : number == UNKNOWN_TASK ? "<...>"
                                                : trace_name(map->trace, TRACE_NAME_TASK, number);
    write_task(field, map->trace, number, name, pid_of(map, number), priority);
}

/* Put a task into a payload. Most events of a busy trace are switches, so the bytes are kept, and are made again only
 * after any task was given a name. */
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

/* ---- updates ----------------------------------------------------------------------------------------------------- */

void decode_map_next_update(struct decode_map *map, struct cpu *cpu)
{
    if (!decode_cross_cpu_next(map->updates, map->trace, (unsigned)(cpu - map->cpu), &cpu->update))
        cpu->update.access = UINT64_MAX;
}

/* The CPU accesses a task for the first time, or after another CPU did: record the task's state for it. */
static void record_update(struct decode_map *map, const struct cpu *cpu, struct task *task)
{
    unsigned number = (unsigned)(cpu - map->cpu);
    struct decode_task_update update = {cpu->accesses,      task->priority, task->state,
                                        task->says_blocked, task->woken,    task->begun};
    decode_cross_cpu_add(map->updates, map->trace, number, &update);
    task->accessed_by = number + 1u;
}

/* The CPU's next update is for this access: give the task the state that was recorded. */
static void apply_update(struct decode_map *map, struct cpu *cpu, struct task *task)
{
    set_priority(task, cpu->update.priority);
    task->state = cpu->update.state;
    task->says_blocked = cpu->update.says_blocked;
    task->woken = cpu->update.woken;
    task->begun = cpu->update.begun;
    decode_map_next_update(map, cpu);
}

static inline void access_task(struct decode_map *map, struct cpu *cpu, uint32_t number)
{
    struct task *task = task_of(map, number);
    if (task == NULL)
        return;
    cpu->accesses++;
    if (!map->records && cpu->accesses == cpu->update.access)
        apply_update(map, cpu, task);
    else if (map->records && task->accessed_by != (unsigned)(cpu - map->cpu) + 1u)
        record_update(map, cpu, task);
}

/* Access all tasks that the event may use or change. They are the same when updates are recorded and when they are
 * applied. */
static void access_tasks(struct decode_map *map, struct cpu *cpu, const struct meaning *meaning,
                         const struct trace_event *event)
{
    enum trace_class class = meaning->class;
    access_task(map, cpu, cpu->scheduled);
    if (class < TRACE_IRQ_ENTRY || class == TRACE_RESUME || class == TRACE_PRIORITY)
        access_task(map, cpu, field_value(meaning, event, 0));
    if (class == TRACE_SWITCH_OF)
        access_task(map, cpu, field_value(meaning, event, 1));
}

/* ---- Linux's events ---------------------------------------------------------------------------------------------- */

/* Give an event of out another type, and a payload of size bytes that the caller fills. There is room: map_slices() has
 * made sure. */
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

/* Add a derived event to out, with the time of the event `like`. Returns NULL if the mode wants no derived events. */
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

/* Give the task that stands for an interrupt its name, such as "ISR:uart". Returns the part after "ISR:". */
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

/* Write the payload of an interrupt's entry: the name, which has at most 31 bytes, follows a fixed part of 8 bytes.
 * Returns its size, a multiple of 4; DECODE_ENTRY_BYTES are written in any case. */
static uint16_t write_entry(unsigned char *to, uint32_t irq, const char *name)
{
    size_t length = strlen(name) + 1;
    memset(to, 0, DECODE_ENTRY_BYTES);
    put_le32(to, irq);
    put_le32(to + 4, 8u | (uint32_t)length << 16);
    memcpy(to + 8, name, length);
    return (uint16_t)((8 + length + 3) & ~(size_t)3);
}

/* The payload of an interrupt's entry. It is made once, with the name that is known then. */
static const struct entry *entry_of(struct decode_map *map, uint32_t irq)
{
    struct entry *entry = &map->entry[irq < INTERRUPTS ? irq : INTERRUPTS];
    if (irq >= INTERRUPTS || entry->size == 0)
        entry->size = write_entry(entry->data, irq, name_interrupt(map, irq));
    return entry;
}

/* ---- classes of events ------------------------------------------------------------------------------------------- */

/* In these functions `event` is the copy in out. It becomes Linux's event if there is one. */

/* A switch. FreeRTOS logs one from a task to itself when it selects the same task again; that keeps its own name. */
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

/* A switch that also tells which task ran until now, and its state. That counts more than what earlier events told,
 * because some of them may be missing. */
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

/* An interrupt ends, and the event tells which task runs now. If that is another one, it is a switch. */
static void map_resume(struct decode_map *map, struct cpu *cpu, struct trace_event *event, uint32_t number,
                       struct trace_batch *out)
{
    if (number != 0 && number != cpu->scheduled)
        map_switch(map, cpu, event, number, out);
}

/* The event tells which task runs, and belongs to that task itself. */
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

/* When FreeRTOS changes the priority of a ready task, it logs that the task becomes ready once more. That comes after
 * the event of the change; or, if the task inherits the priority of one that waits for a mutex, after the event of that
 * wait. Note which task this may be about. */
static inline void note_raised(struct cpu *cpu, enum trace_class class, uint32_t number)
{
    cpu->logs_waits |= class == TRACE_LOCK_RUNNING || class == TRACE_BLOCK_RUNNING;
    cpu->raised = NO_TASK;
    if (cpu->logs_waits && (class == TRACE_LOCK || class == TRACE_LOCK_RUNNING))
        cpu->raised = ANY_TASK;
    if (cpu->logs_waits && class == TRACE_PRIORITY)
        cpu->raised = number;
}

/* Whether a task that wakes is ready already. If the firmware has not logged so far when this task blocks, the task
 * counts as ready from a wake-up until it is switched to. */
static bool is_ready(const struct cpu *cpu, const struct task *task, uint32_t number)
{
    if (number == cpu->scheduled || task == NULL)
        return number == cpu->scheduled;
    if (task->says_blocked)
        return task->state == DECODE_STATE_RUNNING;
    return task->woken || (task->begun && (cpu->raised == number || cpu->raised == ANY_TASK));
}

/* A wake-up. If the task is ready already, the event keeps its own name, because viewers measure and draw a latency
 * from each sched_waking on. */
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

/* A task is going to wait, or is not: state is the one in which it will leave the CPU. Number 0 stands for the
 * scheduled task. */
static void map_block(struct decode_map *map, const struct cpu *cpu, uint32_t number, uint8_t state)
{
    struct task *task = task_of(map, number != 0 ? number : cpu->scheduled);
    if (task != NULL) {
        task->state = state;
        task->says_blocked = true;
    }
}

/* An interrupt begins. Viewers pair entry and exit by task, so both belong to the interrupt: they are its first event
 * and its last. Inside of NESTING interrupts further ones are not followed, and their entries keep their own name. */
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

/* An interrupt ends. If its entry was lost or came before the trace, that does not change what runs. If it is an outer
 * one, those inside of it have ended too: their exits were lost. */
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

/* An interrupt ends, and the event does not tell which one: it is the innermost. If none is known to run, the event
 * keeps its own name. */
static void map_leave(struct decode_map *map, struct cpu *cpu, struct trace_event *event, struct trace_batch *out)
{
    if (cpu->depth > 0)
        map_exit(map, cpu, event, cpu->interrupt[cpu->depth - 1], out);
}

/* A loss or damage. It is not known which interrupts still run after it, so all of them are taken as ended. */
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

/* Map an event of one of the rarer classes. first: the value of its first field. */
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

/* Map a special event according to its class. from: the event in the slice; event: its copy in out. */
static inline void map_special(struct decode_map *map, struct cpu *cpu, const struct trace_event *from,
                               struct trace_event *event, struct trace_batch *out)
{
    const struct meaning *meaning = &map->meaning[from->type];
    uint32_t first = field_value(meaning, from, 0);
    if (map->updates != NULL)
        access_tasks(map, cpu, meaning, from);
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

void decode_map_one(struct decode_map *map, struct cpu *cpu, const struct trace_event *from, struct trace_event *event,
                    struct trace_batch *out)
{
    map_special(map, cpu, from, event, out);
}

void decode_map_special(struct decode_map *map, struct cpu *cpu, struct slice *slice, struct trace_batch *out)
{
    struct segment *segment = slice->segment;
    size_t at = 0;
    *segment = (struct segment){out->n, cpu->pid, cpu->flags};
    for (size_t k = 0; k < slice->nspecial; k++) {
        size_t i = slice->special[k];
        struct trace_event *event = &out->event[i + segment->added];
        copy_event(event, &slice->event[i], segment);
        at = i + 1;
        out->n = at + segment->added;
        map_special(map, cpu, &slice->event[i], event, out);
        *++segment = (struct segment){out->n - at, cpu->pid, cpu->flags};
    }
    out->n += slice->n - at;
}
