/* states.c - see states.h. */
#include "formats/vcd/states.h"

#include "base/bytes.h"
#include "model/display.h"
#include "model/known.h"
#include "text/print_format.h"

#include <stdio.h>

/* The needed fields of each form, in the order of the table in encoder.c. */
enum { PREV_COMM, PREV_PID, PREV_STATE, NEXT_COMM, NEXT_PID };
enum { COMM, PID };
enum { IRQ, IRQ_NAME, IRQ_RESULT = IRQ_NAME };
enum { OWNER, MUTEX };

enum { STATE_BYTES = PIECE_NAMES_BYTES + 64 };

#define UNKNOWN "x"
#define NOBODY  "-"

/* ---- names ------------------------------------------------------------------------------------------------------- */

void vcd_task_name(const struct vcd *vcd, unsigned board, uint32_t pid, const char *name, char to[VCD_NAME_BYTES])
{
    const char *found = pid == 0 ? "idle" : trace_name(vcd->trace, TRACE_NAME_TASK, pid);
    if (found == NULL && name[0] != '\0')
        found = name;
    if (found != NULL) {
        snprintf(to, VCD_NAME_BYTES, "%s", found);
        display_tell_apart(vcd->trace, pid, to);
    } else if (vcd->board[board] != NULL)
        snprintf(to, VCD_NAME_BYTES, "%u:task-%u", board, pid - vcd->board[board]->task_base);
    else
        snprintf(to, VCD_NAME_BYTES, "task-%u", pid);
}

/* Keep the name that a field has for an entity. */
static void take_name(struct vcd_entity *entity, const struct tlog_event *event, const struct tlog_field *field)
{
    size_t n = 0;
    const char *text = entity->name[0] == '\0' ? tlog_event_string(event, field, &n) : NULL;
    if (text != NULL && !trace_comm_is_unknown(text, n))
        snprintf(entity->name, sizeof entity->name, "%.*s", (int)(n < VCD_NAME_BYTES ? n : VCD_NAME_BYTES - 1u), text);
}

/* Keep the priority that a field of a switch has for a task. */
static void take_priority(struct vcd_entity *task, const struct tlog_event *event, const struct tlog_field *field)
{
    if (field == NULL || !tlog_event_has(event, field))
        return;
    task->priority = (int32_t)tlog_event_number(event, field);
    task->has_priority = true;
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
    if (of->entity == NULL)
        of->entity = vcd_entity_of(vcd, vcd_key(vcd_board(vcd, cpu), VCD_CPU, cpu, cpu), CPU_IDS);
    return of->entity != NULL ? of : NULL;
}

static void show_cpu(struct vcd *vcd, const struct vcd_cpu *of, char idle, const char *name)
{
    vcd_wire(vcd, of->entity->first + CPU_IDLE, idle);
    put_word_of(vcd, of->entity->first + CPU_TASK, name);
}

/* ---- tasks ------------------------------------------------------------------------------------------------------- */

/* The task of a pid; a field has its name. NULL: it is idle, or there is no room. */
static struct vcd_entity *task_of(struct vcd *vcd, unsigned cpu, uint32_t pid)
{
    return pid != 0 ? vcd_entity_of(vcd, vcd_key(vcd_board(vcd, cpu), VCD_TASK, 0, pid), TASK_IDS) : NULL;
}

/* "blocked: mutex bus", "blocked: signal bus", or the name of the event that told that it waits. */
static void show_blocked(struct vcd *vcd, const struct vcd_entity *task)
{
    static const char blocked[] = "blocked";
    const struct vcd_encoder *encoder = task->reason_type != 0 ? vcd->encoder[task->reason_type - 1u] : NULL;
    char text[STATE_BYTES];
    size_t n;
    if (encoder == NULL) {
        put_word_of(vcd, task->first + TASK_STATE, blocked);
        return;
    }
    if (encoder->object != NULL) {
        n = (size_t)snprintf(text, 64, "%s: %.40s ", blocked, task->for_signal ? "signal" : encoder->object->name);
        n += vcd_number_name(vcd->trace, encoder, encoder->object, task->reason, text + n, PIECE_NAMES_BYTES);
    } else {
        n = (size_t)snprintf(text, 64, "%s: %.48s", blocked, encoder->type->name);
    }
    vcd_text(vcd, task->first + TASK_STATE, text, n);
}

/* Change a task's state, and its variables. */
static void set_state(struct vcd *vcd, struct vcd_entity *task, enum vcd_state state)
{
    static const struct {
        char runs, ready;
        const char *name;
    } shown[] = {
        {'x', 'x', UNKNOWN}, {'1', '0', "running"}, {'0', '1', "ready"}, {'0', '0', NULL}, {'0', '0', "ended"}};
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
    if (state >= VCD_READY)
        vcd_track(&vcd->tracked[vcd_board_of(task)], task);
    else
        vcd_untrack(task);
}

/* Take an entity out of its list: nothing is known of it any more. */
static void forget(struct vcd *vcd, struct vcd_entity *entity)
{
    if (vcd_kind_of(entity) == VCD_TASK) {
        set_state(vcd, entity, VCD_UNKNOWN);
        return;
    }
    vcd_untrack(entity);
    entity->state = 0;
    entity->depth = 0;
    vcd_wire(vcd, entity->first, 'x');
    if (vcd_kind_of(entity) == VCD_MUTEX)
        put_word_of(vcd, entity->first + MUTEX_OWNER, UNKNOWN);
}

/* Nothing is known of a CPU any more. An entity can be forgotten only after an event told its state, so all losses
 * together take no more time than the events. */
static void forget_cpu(struct vcd *vcd, struct vcd_cpu *of)
{
    unsigned board = vcd_board_of(of->entity);
    of->had_gap = true;
    if (of->is_known)
        show_cpu(vcd, of, 'x', UNKNOWN);
    if (of->runs != NULL)
        set_state(vcd, of->runs, VCD_UNKNOWN);
    of->runs = NULL;
    of->is_known = false;
    while (of->tracked != NULL)
        forget(vcd, of->tracked);
    while (vcd->tracked[board] != NULL)
        forget(vcd, vcd->tracked[board]);
}

/* The first switch of a CPU tells what ran before it. */
static void note_initial(const struct vcd *vcd, struct vcd_cpu *of, struct vcd_entity *task, uint32_t pid)
{
    vcd_task_name(vcd, vcd_board_of(of->entity), pid, task != NULL ? task->name : "", of->initial);
    of->entity->initial = pid == 0 ? '1' : '0';
    if (task != NULL && task->state == VCD_UNKNOWN && task->initial == 'x') {
        task->initial = '1';
        task->state = VCD_RUNS;
    }
}

/* The state in which a switch leaves a task, as Linux has it. */
static enum vcd_state state_left_in(uint64_t state)
{
    return state == 0 ? VCD_READY : trace_state_is_ended(state) ? VCD_ENDED : VCD_BLOCKED;
}

/* The task that a switch leaves. If another one was known to run, a switch between is missing. */
static void leave(struct vcd *vcd, unsigned cpu, const struct vcd_encoder *encoder, const struct tlog_event *event)
{
    struct vcd_cpu *of = &vcd->cpu[cpu];
    uint32_t pid = (uint32_t)tlog_event_number(event, encoder->needed[PREV_PID]);
    size_t n = 0;
    const char *comm = tlog_event_string(event, encoder->needed[PREV_COMM], &n);
    bool is_unknown = trace_comm_is_unknown(comm, n) && !of->is_known;
    struct vcd_entity *task = is_unknown ? NULL : task_of(vcd, cpu, pid);
    if (task != NULL) {
        take_name(task, event, encoder->needed[PREV_COMM]);
        take_priority(task, event, encoder->left);
    }
    if (!of->is_known && !of->had_gap && !is_unknown)
        note_initial(vcd, of, task, pid);
    if (of->runs != NULL && of->runs != task)
        set_state(vcd, of->runs, VCD_UNKNOWN);
    if (task != NULL)
        set_state(vcd, task, state_left_in(tlog_event_number(event, encoder->needed[PREV_STATE])));
}

/* A task runs from now on; NULL: the idle task, or there is no room for it. */
static void run(struct vcd *vcd, struct vcd_cpu *of, struct vcd_entity *task, uint32_t pid)
{
    char name[VCD_NAME_BYTES];
    if (task != NULL)
        set_state(vcd, task, VCD_RUNS);
    of->runs = task;
    vcd_task_name(vcd, vcd_board_of(of->entity), pid, task != NULL ? task->name : "", name);
    if (!of->is_known || of->is_idle != (pid == 0))
        vcd_wire(vcd, of->entity->first + CPU_IDLE, pid == 0 ? '1' : '0');
    put_word_of(vcd, of->entity->first + CPU_TASK, name);
    of->is_known = true;
    of->is_idle = pid == 0;
}

/* If it is not known what runs, the task that an event belongs to does; a switch tells that itself. Of a CPU that
 * begins later than the others nothing is known before its first event. */
static void note_task(struct vcd *vcd, unsigned cpu, const struct vcd_encoder *encoder, const struct tlog_event *event)
{
    struct vcd_cpu *of = &vcd->cpu[cpu];
    bool tells = encoder->form != VCD_FORM_SWITCH && (event->flags & TLOG_FLAG_IN_INTERRUPT) == 0
                 && !trace_pid_is_unknown(vcd->trace, cpu, event->task);
    of->had_gap |= !of->has_begun && vcd->now > vcd->first;
    of->has_begun = true;
    if (of->had_gap && !of->is_known && tells && cpu_of(vcd, cpu) != NULL)
        run(vcd, of, task_of(vcd, cpu, event->task), event->task);
}

/* A switch to the unknown task. If it is the CPU's first one, it tells what ran before it, as any other does. */
static void stop(struct vcd *vcd, unsigned cpu, const struct vcd_encoder *encoder, const struct tlog_event *event)
{
    struct vcd_cpu *of = &vcd->cpu[cpu];
    uint32_t pid = (uint32_t)tlog_event_number(event, encoder->needed[PREV_PID]);
    size_t n = 0;
    const char *comm = tlog_event_string(event, encoder->needed[PREV_COMM], &n);
    if (!of->is_known && !of->had_gap && !trace_comm_is_unknown(comm, n)) {
        of->runs = task_of(vcd, cpu, pid);
        if (of->runs != NULL) {
            take_name(of->runs, event, encoder->needed[PREV_COMM]);
            take_priority(of->runs, event, encoder->left);
        }
        note_initial(vcd, of, of->runs, pid);
        of->is_known = true;
    }
    forget_cpu(vcd, of);
}

static void change_task(struct vcd *vcd, unsigned cpu, const struct vcd_encoder *encoder,
                        const struct tlog_event *event)
{
    struct vcd_cpu *of = cpu_of(vcd, cpu);
    uint32_t pid = (uint32_t)tlog_event_number(event, encoder->needed[NEXT_PID]);
    const char *comm;
    size_t n = 0;
    struct vcd_entity *task;
    if (of == NULL)
        return;
    comm = tlog_event_string(event, encoder->needed[NEXT_COMM], &n);
    if (trace_comm_is_unknown(comm, n)) {
        stop(vcd, cpu, encoder, event);
        return;
    }
    leave(vcd, cpu, encoder, event);
    task = task_of(vcd, cpu, pid);
    if (task != NULL) {
        take_name(task, event, encoder->needed[NEXT_COMM]);
        take_priority(task, event, encoder->next);
    }
    run(vcd, of, task, pid);
}

static void wake(struct vcd *vcd, unsigned cpu, const struct vcd_encoder *encoder, const struct tlog_event *event)
{
    struct vcd_entity *task = task_of(vcd, cpu, (uint32_t)tlog_event_number(event, encoder->needed[PID]));
    if (task == NULL)
        return;
    take_name(task, event, encoder->needed[COMM]);
    if (task->state != VCD_RUNS)
        set_state(vcd, task, VCD_READY);
}

/* The task that an event is about which means something for one: 0, or no field, is the running one. NULL: there is
 * none. */
static struct vcd_entity *subject_of(struct vcd *vcd, unsigned cpu, const struct vcd_encoder *encoder,
                                     const struct tlog_event *event)
{
    const struct tlog_field *first =
        encoder->type->nfields > 0 && !encoder->of_running ? &encoder->type->fields[0] : NULL;
    uint32_t number = first != NULL ? (uint32_t)tlog_event_number(event, first) : 0;
    uint32_t base = vcd->trace->boards != NULL ? vcd->trace->boards[cpu].task_base : 0;
    return number == 0 ? vcd->cpu[cpu].runs : task_of(vcd, cpu, number + base);
}

/* A task has ended. If it runs, it does so until its next switch. */
static void end(struct vcd *vcd, unsigned cpu, const struct vcd_encoder *encoder, const struct tlog_event *event)
{
    struct vcd_entity *task = subject_of(vcd, cpu, encoder, event);
    if (task != NULL && task->state >= VCD_READY)
        set_state(vcd, task, VCD_ENDED);
}

/* Remember why a task will wait, if the event tells that. One that is ready, and does not run, waits from now on. */
static void note_reason(struct vcd *vcd, unsigned cpu, const struct vcd_encoder *encoder,
                        const struct tlog_event *event)
{
    struct vcd_entity *task = subject_of(vcd, cpu, encoder, event);
    if (task == NULL)
        return;
    task->reason_type = encoder->unblocks ? 0 : (uint16_t)(event->type + 1u);
    task->reason = encoder->object != NULL ? (uint32_t)tlog_event_number(event, encoder->object) : 0;
    task->for_signal = (event->flags & TLOG_FLAG_SIGNAL) != 0;
    if (encoder->blocks && task->state == VCD_READY)
        set_state(vcd, task, VCD_BLOCKED);
    else if (encoder->blocks && task->state == VCD_BLOCKED)
        show_blocked(vcd, task);
}

/* ---- interrupts -------------------------------------------------------------------------------------------------- */

/* An interrupt's first event tells its state before that event, unless events are missing. */
static void interrupt(struct vcd *vcd, unsigned cpu, const struct vcd_encoder *encoder, const struct tlog_event *event)
{
    struct vcd_cpu *of = &vcd->cpu[cpu];
    uint32_t number = (uint32_t)tlog_event_number(event, encoder->needed[IRQ]);
    bool is_entry = encoder->form == VCD_FORM_ENTRY;
    uint32_t ids = vcd->ids;
    struct vcd_entity *irq = vcd_entity_of(vcd, vcd_key(vcd_board(vcd, cpu), VCD_IRQ, cpu, number), 1);
    if (irq == NULL)
        return;
    if (irq->first == ids && !of->had_gap)
        irq->initial = is_entry ? '0' : '1';
    if (is_entry)
        take_name(irq, event, encoder->needed[IRQ_NAME]);
    if (!is_entry && tlog_event_number(event, encoder->needed[IRQ_RESULT]) == TRACE_EXIT_UNKNOWN) {
        forget(vcd, irq);
        return;
    }
    vcd_wire(vcd, irq->first, is_entry ? '1' : '0');
    irq->state = 1;
    vcd_track(&of->tracked, irq);
}

/* ---- mutexes ----------------------------------------------------------------------------------------------------- */

/* Whether nothing has been missing so far on any CPU. */
static bool is_whole(const struct vcd *vcd)
{
    for (unsigned i = 0; i < vcd->trace->ncpus; i++) {
        if (!vcd->cpu[i].has_begun || vcd->cpu[i].had_gap)
            return false;
    }
    return true;
}

/* The mutex of a lock or an unlock, with its name. */
static struct vcd_entity *mutex_of(struct vcd *vcd, unsigned cpu, const struct vcd_encoder *encoder,
                                   const struct tlog_event *event)
{
    uint32_t number = (uint32_t)tlog_event_number(event, encoder->needed[MUTEX]);
    uint32_t ids = vcd->ids;
    struct vcd_entity *mutex = vcd_entity_of(vcd, vcd_key(vcd_board(vcd, cpu), VCD_MUTEX, 0, number), MUTEX_IDS);
    char text[PIECE_NAMES_BYTES];
    size_t n;
    if (mutex == NULL || mutex->first != ids)
        return mutex;
    n = vcd_number_name(vcd->trace, encoder, encoder->needed[MUTEX], number, text, sizeof text);
    snprintf(mutex->name, sizeof mutex->name, "%.*s", (int)(n < VCD_NAME_BYTES ? n : VCD_NAME_BYTES - 1u), text);
    if (is_whole(vcd))
        mutex->initial = encoder->form == VCD_FORM_LOCK ? '0' : '1';
    return mutex;
}

static void unlock(struct vcd *vcd, struct vcd_entity *mutex)
{
    mutex->depth = 0;
    vcd_wire(vcd, mutex->first + MUTEX_LOCKED, '0');
    put_word_of(vcd, mutex->first + MUTEX_OWNER, NOBODY);
}

/* A mutex that is a signal is not locked, and one that is nothing else has no variables. */
static void note_signal(struct vcd *vcd, unsigned cpu, const struct tlog_event *event)
{
    const struct tlog_field *field = tlog_field_named(vcd->trace->types[event->type], "mutex");
    uint32_t number = field != NULL ? (uint32_t)tlog_event_number(event, field) : 0;
    struct vcd_entity *mutex = vcd_entity_of(vcd, vcd_key(vcd_board(vcd, cpu), VCD_MUTEX, 0, number), 0);
    if (mutex != NULL && mutex->depth > 0)
        unlock(vcd, mutex);
}

/* A mutex may be locked several times by its owner, and is free after as many unlocks. */
static void lock(struct vcd *vcd, unsigned cpu, const struct vcd_encoder *encoder, const struct tlog_event *event)
{
    struct vcd_entity *mutex = mutex_of(vcd, cpu, encoder, event);
    uint32_t number = (uint32_t)tlog_event_number(event, encoder->needed[OWNER]);
    uint32_t base = number != 0 && vcd->trace->boards != NULL ? vcd->trace->boards[cpu].task_base : 0;
    bool is_locked = mutex != NULL && mutex->state != 0 && mutex->depth > 0, is_owner;
    char name[VCD_NAME_BYTES];
    if (mutex == NULL)
        return;
    is_owner = is_locked && mutex->owner == number + base;
    mutex->state = 1;
    vcd_track(&vcd->tracked[vcd_board_of(mutex)], mutex);
    if (encoder->form == VCD_FORM_UNLOCK) {
        if (is_locked && mutex->depth > 1u)
            mutex->depth--;
        else
            unlock(vcd, mutex);
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

static void lose(struct vcd *vcd, unsigned cpu, const struct tlog_event *event)
{
    struct vcd_cpu *of = cpu_of(vcd, cpu);
    vcd->cpu[cpu].had_gap = true;
    if (of == NULL)
        return;
    of->lost += event->size >= 8u ? get_le64(event->data) : 0;
    of->gaps++;
    vcd_number(vcd, of->entity->first + CPU_LOST, of->lost);
    vcd_number(vcd, of->entity->first + CPU_GAPS, of->gaps);
    forget_cpu(vcd, of);
}

/* ---- events with variables of their own -------------------------------------------------------------------------- */

/* Put the task or interrupt that an event was of, if the entity's event before was of another one. */
static void put_owner(struct vcd *vcd, unsigned cpu, struct vcd_entity *entity, uint32_t task)
{
    char name[VCD_NAME_BYTES] = UNKNOWN;
    if (entity->task == task && entity->naming == vcd->trace->naming + 1u)
        return;
    entity->task = task;
    entity->naming = vcd->trace->naming + 1u;
    if (!trace_pid_is_unknown(vcd->trace, cpu, task))
        vcd_task_name(vcd, vcd_board_of(entity), task, "", name);
    vcd_text(vcd, entity->first + EVENT_TASK, name, strlen(name));
}

/* The value of the counter that the event tells of. */
static void put_counter(struct vcd *vcd, unsigned cpu, const struct counter *counter, const struct tlog_event *event)
{
    char text[DIGITS_MOST];
    uint64_t value = tlog_event_number(event, counter->field);
    char *end = counter->field->kind == TLOG_KIND_SIGNED ? put_signed(text, value) : put_unsigned(text, value);
    struct vcd_entity *entity = vcd_entity_of(vcd, vcd_key(vcd_board(vcd, cpu), VCD_COUNTER, 0, counter->number), 1);
    if (entity != NULL && tlog_event_has(event, counter->field))
        vcd_real(vcd, entity->first, text, (size_t)(end - text));
}

/* Write an event of the form EVENT or COUNTER. */
static void happen(struct vcd *vcd, unsigned cpu, const struct vcd_encoder *encoder, const struct tlog_event *event)
{
    struct vcd_entity *entity;
    if (encoder->counter.field != NULL)
        put_counter(vcd, cpu, &encoder->counter, event);
    if (encoder->form == VCD_FORM_COUNTER)
        return;
    entity = vcd_entity_of(vcd, vcd_key(vcd_board(vcd, cpu), VCD_EVENT, 0, event->type), EVENT_FIELDS + encoder->ids);
    if (entity == NULL)
        return;
    vcd_trigger(vcd, entity->first + EVENT_HAPPENS);
    put_owner(vcd, cpu, entity, event->task);
    vcd_fields(vcd, encoder, event, entity->first + EVENT_FIELDS);
}

/* ---- all events -------------------------------------------------------------------------------------------------- */

/* An event of any form but EVENT and COUNTER. */
static void change(struct vcd *vcd, unsigned cpu, const struct vcd_encoder *encoder, const struct tlog_event *event)
{
    switch (encoder->form) {
    case VCD_FORM_SWITCH:
        change_task(vcd, cpu, encoder, event);
        break;
    case VCD_FORM_WAKING:
        wake(vcd, cpu, encoder, event);
        break;
    case VCD_FORM_ENTRY:
    case VCD_FORM_EXIT:
        interrupt(vcd, cpu, encoder, event);
        break;
    case VCD_FORM_LOCK:
    case VCD_FORM_UNLOCK:
        if ((event->flags & TLOG_FLAG_SIGNAL) == 0)
            lock(vcd, cpu, encoder, event);
        break;
    case VCD_FORM_LEFT_OUT:
        if (tlog_event_number(event, &encoder->type->fields[0]) == 0 && cpu_of(vcd, cpu) != NULL)
            forget_cpu(vcd, &vcd->cpu[cpu]);
        break;
    default:
        lose(vcd, cpu, event);
        break;
    }
}

void vcd_event(struct vcd *vcd, unsigned cpu, const struct vcd_encoder *encoder, const struct tlog_event *event)
{
    vcd_set_time(vcd, event->time);
    if (!vcd->cpu[cpu].is_known && encoder->form < VCD_FORM_GAP)
        note_task(vcd, cpu, encoder, event);
    if (encoder->ends)
        end(vcd, cpu, encoder, event);
    if ((event->flags & TLOG_FLAG_SIGNAL) != 0)
        note_signal(vcd, cpu, event);
    if (encoder->blocks || encoder->unblocks)
        note_reason(vcd, cpu, encoder, event);
    if (encoder->form != VCD_FORM_EVENT && encoder->form != VCD_FORM_COUNTER)
        change(vcd, cpu, encoder, event);
    else if (!vcd->only_wires)
        happen(vcd, cpu, encoder, event);
}
