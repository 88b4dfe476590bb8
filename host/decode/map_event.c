/* map_event.c - see map_event.h. What becomes of an event with each meaning, and how that changes what runs. */
#include "decode/map_event.h"

#include "base/text.h"
#include "decode/cross_cpu.h"
#include "decode/lives.h"
#include "decode/map_known.h"
#include "decode/map_linux.h"
#include "model/display.h"

#include <string.h>

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
    struct decode_task_update update = {cpu->accesses, task->priority,     task->mutex, task->holder, task->waiter,
                                        task->state,   task->says_blocked, task->woken, task->begun};
    decode_cross_cpu_add(map->updates, map->trace, number, &update);
    task->accessed_by = number + 1u;
}

/* The CPU's next update is for this access: give the task the state that was recorded. */
static void apply_update(struct decode_map *map, struct cpu *cpu, struct task *task)
{
    set_priority(task, cpu->update.priority);
    task->mutex = cpu->update.mutex;
    task->holder = cpu->update.holder;
    task->waiter = cpu->update.waiter;
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
                         const struct tlog_event *event)
{
    enum tlog_meaning means = meaning->means;
    access_task(map, cpu, cpu->scheduled);
    if (means < TLOG_MEANS_IRQ_ENTRY || means == TLOG_MEANS_RESUME || means == TLOG_MEANS_PRIORITY
        || means == TLOG_MEANS_CREATE || means == TLOG_MEANS_END || meaning->teller != DECODE_TELLS_NOTHING)
        access_task(map, cpu, field_value(meaning, event, 0));
    if (means == TLOG_MEANS_SWITCH_OF)
        access_task(map, cpu, field_value(meaning, event, 1));
}

/* Derive the sched_wakeup of a sched_waking: its payload is the same. */
static void derive_wakeup(struct decode_map *map, struct trace_batch *out, const struct tlog_event *waking)
{
    struct tlog_event *derived = derive(map, out, waking);
    if (derived == NULL)
        return;
    derived->task = waking->task;
    derived->flags |= waking->flags & TLOG_FLAG_IN_INTERRUPT;
    derived->context = waking->context;
    derived->type = map->id_wakeup;
    derived->data = waking->data;
    derived->size = waking->size;
}

/* ---- classes of events ------------------------------------------------------------------------------------------- */

/* In these functions `event` is the copy in out. It becomes Linux's event if there is one. */

/* In which state a task leaves the CPU. The code before the first switch never runs again under its number. */
static uint8_t state_left_in(const struct decode_map *map, uint32_t number)
{
    if (number == BOOT_TASK)
        return DECODE_STATE_DEAD;
    return number < TASKS ? map->task[number].state : DECODE_STATE_RUNNING;
}

/* A switch. FreeRTOS logs one from a task to itself when it selects the same task again; that keeps its own name. */
static void map_switch(struct decode_map *map, struct cpu *cpu, struct tlog_event *event, uint32_t to,
                       struct trace_batch *out)
{
    uint32_t from = cpu->scheduled;
    struct task *new = task_of(map, to);
    cpu->hint = NO_TASK;
    if (map->converts && from != to)
        change_to_switch(map, out, event, from, state_left_in(map, from), to);
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
static void map_switch_of(struct decode_map *map, struct cpu *cpu, struct tlog_event *event,
                          const struct meaning *meaning, const struct tlog_event *from, struct trace_batch *out)
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
static void map_resume(struct decode_map *map, struct cpu *cpu, struct tlog_event *event, uint32_t number,
                       struct trace_batch *out)
{
    if (number != 0 && number != cpu->scheduled)
        map_switch(map, cpu, event, number, out);
}

/* When FreeRTOS changes the priority of a ready task, it logs that the task becomes ready once more. That comes after
 * the event of the change; or, if the task inherits the priority of one that waits for a mutex, after the event of that
 * wait. Note which task this may be about. */
static inline void note_raised(struct cpu *cpu, enum tlog_meaning means, uint32_t number)
{
    cpu->logs_waits |= means == TLOG_MEANS_LOCK_RUNNING || means == TLOG_MEANS_BLOCK_RUNNING;
    cpu->raised = NO_TASK;
    if (cpu->logs_waits && (means == TLOG_MEANS_LOCK || means == TLOG_MEANS_LOCK_RUNNING))
        cpu->raised = ANY_TASK;
    if (cpu->logs_waits && means == TLOG_MEANS_PRIORITY)
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
static void map_wake(struct decode_map *map, struct cpu *cpu, struct tlog_event *event, uint32_t number,
                     struct trace_batch *out)
{
    struct task *task = task_of(map, number);
    bool ready = is_ready(cpu, task, number);
    unsigned char *data;
    if (task != NULL) {
        map->meets_lives |= task->state == DECODE_STATE_DEAD;
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

/* The mutex of that number. What was known of it is forgotten behind a gap, and where another one has its hash. */
static struct task *mutex_of(struct decode_map *map, struct cpu *cpu, uint32_t mutex)
{
    uint32_t hash = mutex * 0x9E3779B1u >> 20;
    struct task *of = &map->task[hash];
    if (of->gaps != map->gaps && (map->updates == NULL || map->records))
        of->holder = of->waiter = of->accessed_by = 0; /* so that an update tells it */
    of->gaps = map->gaps;
    if (map->updates != NULL)
        access_task(map, cpu, hash);
    if (of->mutex != mutex)
        of->holder = of->waiter = 0;
    of->mutex = mutex;
    return of;
}

bool decode_map_follow_mutex(struct decode_map *map, struct cpu *cpu, const struct meaning *meaning,
                             const struct tlog_event *event, bool is_idle)
{
    uint32_t number = field_value(meaning, event, 0);
    struct task *of = mutex_of(map, cpu, field_value(meaning, event, 1));
    bool is_signal = of->holder == HANDLER || (number != 0 && of->holder == number);
    if (meaning->teller == DECODE_TELLS_WAIT) {
        of->waiter = number;
        return is_signal;
    }
    is_signal = meaning->teller == DECODE_TELLS_UNLOCK ? number == 0 && !is_idle
                                                       : of->holder == HANDLER && number != 0 && of->waiter == number;
    of->holder = meaning->teller == DECODE_TELLS_LOCK ? number : is_signal ? HANDLER : 0;
    of->waiter = is_signal && meaning->teller == DECODE_TELLS_UNLOCK ? of->waiter : 0;
    return is_signal;
}

static uint8_t state_behind(enum tlog_meaning means)
{
    return means == TLOG_MEANS_BLOCK  ? DECODE_STATE_SLEEPING
           : means == TLOG_MEANS_LOCK ? DECODE_STATE_LOCKED
                                      : DECODE_STATE_RUNNING;
}

/* How many interrupts run up to that one, and with it; 0: it does not run. */
static unsigned depth_of(const struct cpu *cpu, uint32_t irq)
{
    unsigned depth = cpu->depth;
    while (depth > 0 && cpu->interrupt[depth - 1] != irq)
        depth--;
    return depth;
}

/* The exit of an interrupt whose handler does not run. If the handler seemed to be left because the interrupt came once
 * more, and this is the second exit, each entry and exit is logged twice. */
static void note_twice(struct decode_map *map, struct cpu *cpu, uint32_t irq)
{
    if (cpu->again != irq)
        return;
    if (map->twice++ == 0)
        map->twice_first = irq;
    cpu->again = NO_TASK;
}

/* An interrupt begins. Viewers pair entry and exit by task, so both belong to the interrupt: they are its first event
 * and its last. Inside of NESTING interrupts further ones are not followed, and their entries keep their own name. */
static void map_entry(struct decode_map *map, struct cpu *cpu, struct tlog_event *event, uint32_t irq,
                      struct trace_batch *out)
{
    unsigned depth = map->trace->irqs_once ? depth_of(cpu, irq) : 0;
    const struct entry *entry;
    uint32_t interrupted;
    if (depth > 0)
        event = decode_map_leave(map, cpu, event, depth - 1u, out);
    if (depth > 0 || cpu->again == irq)
        cpu->again = depth > 0 ? irq : NO_TASK;
    if (cpu->depth == NESTING)
        return;
    interrupted = cpu->running;
    cpu->interrupt[cpu->depth++] = irq;
    find_running(map, cpu);
    if (irq >= INTERRUPTS || !map->task[INTERRUPT_TASK + irq].ran)
        decode_map_name_interrupt(map, irq);
    if (irq < INTERRUPTS)
        map->task[INTERRUPT_TASK + irq].ran = true;
    event->task = cpu->pid;
    event->flags |= cpu->flags;
    if (!map->converts)
        return;
    entry = decode_map_entry_of(map, irq);
    memcpy(change(out, event, map->id_entry, entry->size), entry->data, sizeof entry->data);
    derive_switch(map, out, event, interrupted, DECODE_STATE_RUNNING, cpu->running);
}

/* An interrupt ends. If its entry was lost or came before the trace, that does not change what runs. If it is an outer
 * one, those inside of it have ended too: their handlers were left, or their exits were not logged. */
static void map_exit(struct decode_map *map, struct cpu *cpu, struct tlog_event *event, uint32_t irq,
                     struct trace_batch *out)
{
    unsigned depth = depth_of(cpu, irq);
    uint32_t from;
    if (depth > 0)
        event = decode_map_leave(map, cpu, event, depth, out);
    else
        note_twice(map, cpu, irq);
    from = cpu->running;
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
static void map_leave(struct decode_map *map, struct cpu *cpu, struct tlog_event *event, struct trace_batch *out)
{
    if (cpu->depth > 0)
        map_exit(map, cpu, event, cpu->interrupt[cpu->depth - 1], out);
}

/* ---- lives -------------------------------------------------------------------------------------------------------
 * Whether a number is given again (lives.h) is looked for at creations and ends alone, so it costs nothing elsewhere.
 */

static int key_order(const void *a, const void *b)
{
    decode_lives_key_t left = *(const decode_lives_key_t *)a, right = *(const decode_lives_key_t *)b;
    return (left > right) - (left < right);
}

/* Note a key. Returns whether that was noted before. */
static bool note_key(struct decode_map *map, decode_lives_key_t key)
{
    if (map->knows_lives)
        return false;
    map->objects.size = sizeof key;
    map->objects.order = key_order;
    if (sorted_set_find(&map->objects, &key) != NULL)
        return true;
    if (!sorted_set_add(&map->objects, &key))
        trace_fail(map->trace, "%s: no memory for objects", map->trace->input_name);
    return false;
}

/* Note that an object was created or has ended. Returns whether that was noted before. */
static bool note_object(struct decode_map *map, enum tlog_kind kind, uint32_t number)
{
    enum trace_name_kind names;
    return number != 0 && display_names_of(kind, &names) && note_key(map, decode_lives_key(names, number));
}

/* Stands for a task's name among the keys of objects, whose kinds are less than that bit. */
static decode_lives_key_t name_key(const char *name)
{
    return text_hash(name) | UINT64_C(1) << 63;
}

/* Note that a task which was created in the trace has ended. */
static void note_end(struct decode_map *map, uint32_t number)
{
    const char *name = trace_name(map->trace, TRACE_NAME_TASK, number);
    if (name != NULL && task_of(map, number) != NULL && task_of(map, number)->created)
        note_key(map, name_key(name));
}

/* Whether a task of the same name was noted. */
static bool has_ended(const struct decode_map *map, uint32_t number)
{
    const char *name = trace_name(map->trace, TRACE_NAME_TASK, number);
    decode_lives_key_t key = name != NULL ? name_key(name) : 0;
    return name != NULL && map->objects.n > 0 && sorted_set_find(&map->objects, &key) != NULL;
}

/* A task that was created, has run, was woken or has waited, and is created now, is another one. The runtime tells the
 * priority of a new task only if the one before it had another one. */
static void create_task(struct decode_map *map, struct task *task, uint32_t number)
{
    uint32_t before = map->lives != NULL ? decode_lives_before(map->lives, number) : number;
    map->meets_lives |= task->created || task->begun || task->ran || task->says_blocked || has_ended(map, number);
    task->created = true;
    if (before != number)
        set_priority(task, map->task[before].priority);
}

static void create(struct decode_map *map, enum tlog_kind kind, uint32_t number)
{
    if (kind >= TLOG_KIND_MUTEX)
        map->meets_lives |= note_object(map, kind, number);
    else if (number != 0 && task_of(map, number) != NULL)
        create_task(map, task_of(map, number), number);
}

/* A task, or another object, is new or has ended. */
static void map_life(struct decode_map *map, const struct cpu *cpu, const struct meaning *meaning, uint32_t number)
{
    if (meaning->means == TLOG_MEANS_CREATE)
        create(map, meaning->kind, number);
    else if (meaning->kind >= TLOG_KIND_MUTEX)
        note_object(map, meaning->kind, number);
    else {
        note_end(map, number);
        map_block(map, cpu, number, DECODE_STATE_DEAD);
    }
}

/* ---- rarer classes ----------------------------------------------------------------------------------------------- */

/* Map an event of one of the rarer classes. first: the value of its first field. */
static void map_other(struct decode_map *map, struct cpu *cpu, const struct meaning *meaning, struct tlog_event *event,
                      uint32_t first, struct trace_batch *out)
{
    enum tlog_meaning means = meaning->means;
    if (means == TLOG_MEANS_IRQ_LEAVE)
        map_leave(map, cpu, event, out);
    if (means == TLOG_MEANS_BLOCK_RUNNING || means == TLOG_MEANS_LOCK_RUNNING)
        map_block(map, cpu, 0, means == TLOG_MEANS_LOCK_RUNNING ? DECODE_STATE_LOCKED : DECODE_STATE_SLEEPING);
    if (means == TLOG_MEANS_CREATE || means == TLOG_MEANS_END)
        map_life(map, cpu, meaning, first);
    if (means == TLOG_MEANS_RESUME)
        map_resume(map, cpu, event, first, out);
    if (means == TLOG_MEANS_RUNNING)
        decode_map_running(map, cpu, event, first, out);
    if (means == TLOG_MEANS_PAUSE)
        decode_map_pause(cpu, event);
    if (means == TLOG_MEANS_NO_SWITCHES)
        decode_map_no_switches(map, cpu, event, out);
    if (trace_class_is_gap(means))
        decode_map_gap(map, cpu, event, out);
    if (means == TLOG_MEANS_MARK)
        map->trace->counts.events--;
}

/* Take what an event tells about what runs, besides its meaning. Returns the event. */
static inline struct tlog_event *take_told(struct decode_map *map, struct cpu *cpu, const struct tlog_event *from,
                                           struct tlog_event *event, struct trace_batch *out)
{
    const struct meaning *meaning = &map->meaning[from->type];
    event->flags &= (uint8_t)~TLOG_FLAG_IN_THREAD;
    if ((from->flags & TLOG_FLAG_IN_THREAD) != 0)
        event = decode_map_leave(map, cpu, event, 0, out);
    if (meaning->teller != DECODE_TELLS_NOTHING && (from->flags & TLOG_FLAG_IN_INTERRUPT) == 0)
        event = decode_map_teller(map, cpu, meaning->teller, event, field_value(meaning, from, 0), out);
    return event;
}

/* Take an event about a mutex. Returns whether that is a signal there. */
static bool take_mutex(struct decode_map *map, struct cpu *cpu, const struct tlog_event *from, struct tlog_event *event)
{
    bool is_idle = cpu->scheduled == 0 && cpu->depth == 0;
    bool is_signal = decode_map_follow_mutex(map, cpu, &map->meaning[from->type], from, is_idle);
    event->flags |= is_signal ? TLOG_FLAG_SIGNAL : 0;
    return is_signal;
}

/* Map a special event according to its meaning. from: the event in the slice; event: its copy in out. */
static inline void map_special(struct decode_map *map, struct cpu *cpu, const struct tlog_event *from,
                               struct tlog_event *event, struct trace_batch *out)
{
    const struct meaning *meaning = &map->meaning[from->type];
    uint32_t first = field_value(meaning, from, 0);
    bool is_signal = meaning->is_of_mutex && take_mutex(map, cpu, from, event);
    if (map->updates != NULL)
        access_tasks(map, cpu, meaning, from);
    event = take_told(map, cpu, from, event, out);
    switch (meaning->means) {
    case TLOG_MEANS_PLAIN:
        return;
    case TLOG_MEANS_SWITCH:
        map_switch(map, cpu, event, first, out);
        break;
    case TLOG_MEANS_SWITCH_OF:
        map_switch_of(map, cpu, event, meaning, from, out);
        break;
    case TLOG_MEANS_WAKE:
        map_wake(map, cpu, event, first, out);
        break;
    case TLOG_MEANS_BLOCK:
    case TLOG_MEANS_LOCK:
    case TLOG_MEANS_UNBLOCK:
        map_block(map, cpu, first, is_signal ? DECODE_STATE_SLEEPING : state_behind(meaning->means));
        break;
    case TLOG_MEANS_IRQ_ENTRY:
        map_entry(map, cpu, event, first, out);
        break;
    case TLOG_MEANS_IRQ_EXIT:
        map_exit(map, cpu, event, first, out);
        break;
    case TLOG_MEANS_PRIORITY:
        if (task_of(map, first) != NULL)
            set_priority(task_of(map, first), (int32_t)field_value(meaning, from, 1));
        break;
    default:
        map_other(map, cpu, meaning, event, first, out);
        break;
    }
    note_raised(cpu, meaning->means, first);
}

void decode_map_one(struct decode_map *map, struct cpu *cpu, const struct tlog_event *from, struct tlog_event *event,
                    struct trace_batch *out)
{
    if (cpu->is_paused)
        decode_map_resume(map, cpu, out);
    map_special(map, cpu, from, event, out);
}

void decode_map_special(struct decode_map *map, struct cpu *cpu, struct slice *slice, struct trace_batch *out)
{
    struct segment *segment = slice->segment;
    size_t at = 0;
    if (cpu->is_paused)
        decode_map_resume(map, cpu, out);
    *segment = (struct segment){out->n, cpu->pid, cpu->flags};
    for (size_t k = 0; k < slice->nspecial; k++) {
        size_t i = slice->special[k];
        struct tlog_event *event = &out->event[i + segment->added];
        copy_event(event, &slice->event[i], segment);
        at = i + 1;
        out->n = at + segment->added;
        map_special(map, cpu, &slice->event[i], event, out);
        if (cpu->is_paused && at < slice->n)
            decode_map_resume(map, cpu, out);
        *++segment = (struct segment){out->n - at, cpu->pid, cpu->flags};
    }
    out->n += slice->n - at;
}
