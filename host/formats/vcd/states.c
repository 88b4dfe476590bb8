/* states.c - see states.h. */
#include "formats/vcd/states.h"

#include "base/bytes.h"
#include "model/display.h"
#include "text/print_format.h"

#include <stdio.h>

/* Places of shapes, in the order of shape.c. */
enum { PREV_COMM, PREV_PID, PREV_STATE, NEXT_COMM, NEXT_PID };
enum { COMM, PID };
enum { IRQ, IRQ_NAME };
enum { OWNER, MUTEX };

enum { STATE_BYTES = PIECE_NAMES_BYTES + 64 };

#define UNKNOWN      "x"
#define UNKNOWN_COMM "<...>" /* the name of a task that is not known */
#define NOBODY       "-"

/* ---- names ------------------------------------------------------------------------------------------------------- */

void vcd_task_name(const struct vcd *vcd, unsigned board, uint32_t pid, const char *name, char to[VCD_NAME_BYTES])
{
    const char *found = pid == 0 ? "idle" : trace_name(vcd->trace, TRACE_NAME_TASK, pid);
    if (found == NULL && name[0] != '\0')
        found = name;
    if (found != NULL)
        snprintf(to, VCD_NAME_BYTES, "%s", found);
    else if (vcd->board[board] != NULL)
        snprintf(to, VCD_NAME_BYTES, "%u:task-%u", board, pid - vcd->board[board]->task_base);
    else
        snprintf(to, VCD_NAME_BYTES, "task-%u", pid);
}

/* Keep the name that a field has for a thing. */
static void take_name(struct vcd_thing *thing, const struct trace_event *event, const struct trace_field *field)
{
    size_t n = 0;
    const char *text = thing->name[0] == '\0' ? vcd_string(event, field, &n) : NULL;
    if (text != NULL && (n != strlen(UNKNOWN_COMM) || memcmp(text, UNKNOWN_COMM, n) != 0))
        snprintf(thing->name, sizeof thing->name, "%.*s", (int)(n < VCD_NAME_BYTES ? n : VCD_NAME_BYTES - 1u), text);
}

static void put_word_of(struct vcd *vcd, uint32_t id, const char *text)
{
    vcd_text(vcd, id, text, strlen(text));
}

/* ---- CPUs -------------------------------------------------------------------------------------------------------- */

/* The CPU with its variables. NULL: there is no room for them. */
static struct vcd_cpu *cpu_of(struct vcd *vcd, unsigned cpu)
{
    struct vcd_cpu *of = &vcd->cpu[cpu];
    if (of->thing == NULL)
        of->thing = vcd_thing(vcd, vcd_key(vcd_board(vcd, cpu), VCD_CPU, cpu, cpu), CPU_IDS);
    return of->thing != NULL ? of : NULL;
}

static void show_cpu(struct vcd *vcd, const struct vcd_cpu *of, char idle, const char *name)
{
    vcd_wire(vcd, of->thing->first + CPU_IDLE, idle);
    put_word_of(vcd, of->thing->first + CPU_TASK, name);
}

/* ---- tasks ------------------------------------------------------------------------------------------------------- */

/* The task of a pid; a field has its name. NULL: it is idle, or there is no room. */
static struct vcd_thing *task_of(struct vcd *vcd, unsigned cpu, uint32_t pid)
{
    return pid != 0 ? vcd_thing(vcd, vcd_key(vcd_board(vcd, cpu), VCD_TASK, 0, pid), TASK_IDS) : NULL;
}

/* "blocked: mutex bus", or the name of the event that told that it waits. */
static void show_blocked(struct vcd *vcd, const struct vcd_thing *task)
{
    static const char blocked[] = "blocked";
    const struct vcd_shape *shape = task->reason_type != 0 ? vcd->shape[task->reason_type - 1u] : NULL;
    char text[STATE_BYTES];
    size_t n;
    if (shape == NULL) {
        put_word_of(vcd, task->first + TASK_STATE, blocked);
        return;
    }
    if (shape->object != NULL) {
        n = (size_t)snprintf(text, 64, "%s: %.40s ", blocked, shape->object->name);
        n += vcd_called(vcd->trace, shape, shape->object, task->reason, text + n, PIECE_NAMES_BYTES);
    } else {
        n = (size_t)snprintf(text, 64, "%s: %.48s", blocked, shape->type->name);
    }
    vcd_text(vcd, task->first + TASK_STATE, text, n);
}

/* Change a task's state, and its variables. */
static void set_state(struct vcd *vcd, struct vcd_thing *task, enum vcd_state state)
{
    static const struct {
        char runs, ready;
        const char *name;
    } shown[] = {{'x', 'x', UNKNOWN}, {'1', '0', "running"}, {'0', '1', "ready"}, {'0', '0', NULL}};
    if (task->state == state)
        return;
    if (task->state == VCD_UNKNOWN || shown[task->state].runs != shown[state].runs)
        vcd_wire(vcd, task->first + TASK_RUNS, shown[state].runs);
    if (task->state == VCD_UNKNOWN || shown[task->state].ready != shown[state].ready)
        vcd_wire(vcd, task->first + TASK_READY, shown[state].ready);
    task->state = (uint8_t)state;
    if (state == VCD_BLOCKED)
        show_blocked(vcd, task);
    else
        put_word_of(vcd, task->first + TASK_STATE, shown[state].name);
    if (state != VCD_BLOCKED)
        task->reason_type = 0;
    if (state == VCD_READY || state == VCD_BLOCKED)
        vcd_know(&vcd->known[vcd_board_of(task)], task);
    else
        vcd_unlist(task);
}

/* The first switch of a CPU tells what ran before it. */
static void note_initial(const struct vcd *vcd, struct vcd_cpu *of, struct vcd_thing *task, uint32_t pid)
{
    vcd_task_name(vcd, vcd_board_of(of->thing), pid, task != NULL ? task->name : "", of->initial);
    of->thing->initial = pid == 0 ? '1' : '0';
    if (task != NULL && task->state == VCD_UNKNOWN && task->initial == 'x') {
        task->initial = '1';
        task->state = VCD_RUNS;
    }
}

/* The task that a switch switches from. If it is not the one that was known to run, the switch between is missing. */
static void leave(struct vcd *vcd, unsigned cpu, const struct vcd_shape *shape, const struct trace_event *event)
{
    struct vcd_cpu *of = &vcd->cpu[cpu];
    uint32_t pid = (uint32_t)vcd_value(event, shape->place[PREV_PID]);
    size_t n = 0;
    const char *comm = vcd_string(event, shape->place[PREV_COMM], &n);
    bool is_unknown = comm != NULL && n == strlen(UNKNOWN_COMM) && memcmp(comm, UNKNOWN_COMM, n) == 0
                      && trace_name(vcd->trace, TRACE_NAME_TASK, pid) == NULL && !of->is_known;
    struct vcd_thing *task = is_unknown ? NULL : task_of(vcd, cpu, pid);
    if (task != NULL)
        take_name(task, event, shape->place[PREV_COMM]);
    if (!of->is_known && !of->had_gap && !is_unknown)
        note_initial(vcd, of, task, pid);
    if (of->runs != NULL && of->runs != task)
        set_state(vcd, of->runs, VCD_UNKNOWN);
    if (task != NULL && (of->is_known || !of->had_gap))
        set_state(vcd, task, vcd_value(event, shape->place[PREV_STATE]) == 0 ? VCD_READY : VCD_BLOCKED);
}

static void change_task(struct vcd *vcd, unsigned cpu, const struct vcd_shape *shape, const struct trace_event *event)
{
    struct vcd_cpu *of = cpu_of(vcd, cpu);
    uint32_t pid = (uint32_t)vcd_value(event, shape->place[NEXT_PID]);
    struct vcd_thing *task;
    char name[VCD_NAME_BYTES];
    if (of == NULL)
        return;
    leave(vcd, cpu, shape, event);
    task = task_of(vcd, cpu, pid);
    if (task != NULL) {
        take_name(task, event, shape->place[NEXT_COMM]);
        set_state(vcd, task, VCD_RUNS);
    }
    of->runs = task;
    vcd_task_name(vcd, vcd_board_of(of->thing), pid, task != NULL ? task->name : "", name);
    if (!of->is_known || of->is_idle != (pid == 0))
        vcd_wire(vcd, of->thing->first + CPU_IDLE, pid == 0 ? '1' : '0');
    put_word_of(vcd, of->thing->first + CPU_TASK, name);
    of->is_known = true;
    of->is_idle = pid == 0;
}

static void wake(struct vcd *vcd, unsigned cpu, const struct vcd_shape *shape, const struct trace_event *event)
{
    struct vcd_thing *task = task_of(vcd, cpu, (uint32_t)vcd_value(event, shape->place[PID]));
    if (task == NULL)
        return;
    take_name(task, event, shape->place[COMM]);
    if (task->state != VCD_RUNS)
        set_state(vcd, task, VCD_READY);
}

void vcd_block(struct vcd *vcd, unsigned cpu, const struct vcd_shape *shape, const struct trace_event *event)
{
    const struct trace_field *first = shape->type->nfields > 0 && !shape->of_running ? &shape->type->fields[0] : NULL;
    uint32_t number = first != NULL ? (uint32_t)vcd_value(event, first) : 0;
    uint32_t base = vcd->trace->boards != NULL ? vcd->trace->boards[cpu].task_base : 0;
    struct vcd_thing *task = number == 0 ? vcd->cpu[cpu].runs : task_of(vcd, cpu, number + base);
    if (task == NULL)
        return;
    task->reason_type = shape->unblocks ? 0 : (uint16_t)(event->type + 1u);
    task->reason = shape->object != NULL ? (uint32_t)vcd_value(event, shape->object) : 0;
}

/* ---- interrupts -------------------------------------------------------------------------------------------------- */

/* An interrupt's first event tells its state before that event, unless events are missing. */
static void interrupt(struct vcd *vcd, unsigned cpu, const struct vcd_shape *shape, const struct trace_event *event)
{
    struct vcd_cpu *of = &vcd->cpu[cpu];
    uint32_t number = (uint32_t)vcd_value(event, shape->place[IRQ]);
    bool is_entry = shape->form == VCD_FORM_ENTRY;
    uint32_t ids = vcd->ids;
    struct vcd_thing *irq = vcd_thing(vcd, vcd_key(vcd_board(vcd, cpu), VCD_IRQ, cpu, number), 1);
    if (irq == NULL)
        return;
    if (irq->first == ids && !of->had_gap)
        irq->initial = is_entry ? '0' : '1';
    if (is_entry)
        take_name(irq, event, shape->place[IRQ_NAME]);
    vcd_wire(vcd, irq->first, is_entry ? '1' : '0');
    irq->state = 1;
    vcd_know(&of->known, irq);
}

/* ---- mutexes ----------------------------------------------------------------------------------------------------- */

/* The mutex of a lock or an unlock, with its name. */
static struct vcd_thing *mutex_of(struct vcd *vcd, unsigned cpu, const struct vcd_shape *shape,
                                  const struct trace_event *event)
{
    uint32_t number = (uint32_t)vcd_value(event, shape->place[MUTEX]);
    uint32_t ids = vcd->ids;
    struct vcd_thing *mutex = vcd_thing(vcd, vcd_key(vcd_board(vcd, cpu), VCD_MUTEX, 0, number), MUTEX_IDS);
    char text[PIECE_NAMES_BYTES];
    size_t n;
    if (mutex == NULL || mutex->first != ids)
        return mutex;
    n = vcd_called(vcd->trace, shape, shape->place[MUTEX], number, text, sizeof text);
    snprintf(mutex->name, sizeof mutex->name, "%.*s", (int)(n < VCD_NAME_BYTES ? n : VCD_NAME_BYTES - 1u), text);
    if (!vcd->cpu[cpu].had_gap)
        mutex->initial = shape->form == VCD_FORM_LOCK ? '0' : '1';
    return mutex;
}

/* A mutex may be locked several times by its owner, and is free after as many unlocks. */
static void lock(struct vcd *vcd, unsigned cpu, const struct vcd_shape *shape, const struct trace_event *event)
{
    struct vcd_thing *mutex = mutex_of(vcd, cpu, shape, event);
    uint32_t number = (uint32_t)vcd_value(event, shape->place[OWNER]);
    uint32_t base = number != 0 && vcd->trace->boards != NULL ? vcd->trace->boards[cpu].task_base : 0;
    bool is_locked = mutex != NULL && mutex->state != 0 && mutex->depth > 0, is_owner;
    char name[VCD_NAME_BYTES];
    if (mutex == NULL)
        return;
    is_owner = is_locked && mutex->owner == number + base;
    mutex->state = 1;
    vcd_know(&vcd->known[vcd_board_of(mutex)], mutex);
    if (shape->form == VCD_FORM_UNLOCK) {
        mutex->depth = is_locked ? mutex->depth - 1u : 0;
        if (mutex->depth == 0) {
            vcd_wire(vcd, mutex->first + MUTEX_LOCKED, '0');
            put_word_of(vcd, mutex->first + MUTEX_OWNER, NOBODY);
        }
        return;
    }
    mutex->depth = is_owner ? mutex->depth + 1u : 1u;
    mutex->owner = number + base;
    if (!is_locked)
        vcd_wire(vcd, mutex->first + MUTEX_LOCKED, '1');
    vcd_task_name(vcd, vcd_board_of(mutex), mutex->owner, "", name);
    if (!is_owner)
        put_word_of(vcd, mutex->first + MUTEX_OWNER, name);
}

/* ---- losses ------------------------------------------------------------------------------------------------------ */

/* Take a thing out of its list: nothing is known of it any more. */
static void forget(struct vcd *vcd, struct vcd_thing *thing)
{
    if (vcd_kind_of(thing) == VCD_TASK) {
        set_state(vcd, thing, VCD_UNKNOWN);
        return;
    }
    vcd_unlist(thing);
    thing->state = 0;
    thing->depth = 0;
    vcd_wire(vcd, thing->first, 'x');
    if (vcd_kind_of(thing) == VCD_MUTEX)
        put_word_of(vcd, thing->first + MUTEX_OWNER, UNKNOWN);
}

/* A thing can be forgotten only after an event told of it, so all losses together take no more time than the events. */
static void lose(struct vcd *vcd, unsigned cpu, const struct trace_event *event)
{
    struct vcd_cpu *of = cpu_of(vcd, cpu);
    unsigned board = vcd_board(vcd, cpu);
    vcd->cpu[cpu].had_gap = true;
    if (of == NULL)
        return;
    of->lost += event->size >= 8u ? get_le64(event->data) : 0;
    of->gaps++;
    vcd_number(vcd, of->thing->first + CPU_LOST, of->lost);
    vcd_number(vcd, of->thing->first + CPU_GAPS, of->gaps);
    if (of->is_known)
        show_cpu(vcd, of, 'x', UNKNOWN);
    if (of->runs != NULL)
        set_state(vcd, of->runs, VCD_UNKNOWN);
    of->runs = NULL;
    of->is_known = false;
    while (of->known != NULL)
        forget(vcd, of->known);
    while (vcd->known[board] != NULL)
        forget(vcd, vcd->known[board]);
}

void vcd_change(struct vcd *vcd, unsigned cpu, const struct vcd_shape *shape, const struct trace_event *event)
{
    switch (shape->form) {
    case VCD_FORM_SWITCH:
        change_task(vcd, cpu, shape, event);
        break;
    case VCD_FORM_WAKING:
        wake(vcd, cpu, shape, event);
        break;
    case VCD_FORM_ENTRY:
    case VCD_FORM_EXIT:
        interrupt(vcd, cpu, shape, event);
        break;
    case VCD_FORM_LOCK:
    case VCD_FORM_UNLOCK:
        lock(vcd, cpu, shape, event);
        break;
    default:
        lose(vcd, cpu, event);
        break;
    }
}
