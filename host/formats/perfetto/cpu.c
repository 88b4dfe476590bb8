/* cpu.c - see cpu.h. */
#include "formats/perfetto/cpu.h"

#include "base/heap.h"
#include "base/digits.h"
#include "model/display.h"
#include "model/known.h"
#include "formats/perfetto/proto.h"
#include "formats/perfetto/tracks.h"

#include <stdlib.h>

#define IDLE_COMM "swapper"
#define LOST_COMM "(events lost)"

enum {
    REASON_BYTES = 96,
    WAIT_KEY = 0, /* of the slice of a wait: no span and no function has it */
};

/* Indices of place[] in a shape, as forms[] of shape.c has the fields. */
enum { PREV_COMM, PREV_PID, PREV_PRIO, PREV_STATE, NEXT_COMM, NEXT_PID, NEXT_PRIO };
enum { COMM, PID, PRIO, TARGET_CPU };
enum { IRQ, NAME };

struct perfetto_cpu *perfetto_cpus_new(const struct trace *trace)
{
    return heap_calloc(trace->ncpus + 1u, sizeof(struct perfetto_cpu));
}

void perfetto_cpus_free(struct perfetto_cpu *cpus)
{
    heap_free(cpus);
}

/* The CPU's bundle. NULL after trace_fail(). */
static struct perfetto_bundle *bundle_of(struct perfetto *state, unsigned cpu)
{
    return perfetto_bundle_of(state, &state->cpu[cpu].lane, cpu);
}

/* An interrupt has a pid of its own, which is not the task that runs. In a trace with Linux's own events it has the pid
 * of the task. */
void perfetto_cpu_note(struct perfetto *state, unsigned cpu, const struct tlog_event *event, uint64_t time)
{
    struct perfetto_cpu *of = &state->cpu[cpu];
    if (!of->has_events)
        of->first = time;
    of->has_events = true;
    of->last = time;
    if (of->is_gap_open)
        of->gap_to = time;
    of->is_gap_open = false;
    if ((event->flags & TLOG_FLAG_IN_INTERRUPT) && !state->trace->mapped)
        return;
    of->current = event->task;
    of->has_current = of->is_fresh = !trace_pid_is_unknown(state->trace, cpu, event->task);
}

/* ---- why tasks wait ---------------------------------------------------------------------------------------------- */

/* Nearly always the task itself is about to wait: the reason is written when it is switched out. But a task that is not
 * on a CPU may be suspended, too, and one that waits may be moved to another object. Linux has no such thing, and
 * viewers show the task as before. So such a wait is a slice on the task's own track, from the event to the end of the
 * wait. No event of the task itself can come in between, so slices stay one in another. */

/* "mutex bus", or "signal bus", with the number of the board in front if there are several. An event that names no
 * object gives its own name. */
static void name_reason(char text[REASON_BYTES], const struct perfetto *state, unsigned cpu,
                        const struct perfetto_shape *shape, const struct tlog_event *event)
{
    const struct tlog_field *field = trace_object_of(shape->type);
    uint32_t number = field != NULL ? (uint32_t)tlog_event_number(event, field) : 0;
    bool is_signal = (event->flags & TLOG_FLAG_SIGNAL) != 0;
    unsigned board = perfetto_board(state, cpu);
    char name[DISPLAY_NAME_BYTES];
    if (field == NULL) {
        *put_at_most(text, shape->type->name, 64) = '\0';
        return;
    }
    perfetto_number_name(state->trace, shape, field, number, name);
    if (board > 0)
        text = put_word(put_unsigned(text, board), ":");
    *put_word(put_word(put_at_most(text, is_signal ? "signal" : field->name, 48), " "), name) = '\0';
}

/* The iid of the text that says why a task waits. 0: there are too many; or after trace_fail(). */
static uint64_t reason_of(struct perfetto *state, unsigned cpu, struct perfetto_shape *shape,
                          const struct tlog_event *event)
{
    const struct tlog_field *field = trace_object_of(shape->type);
    uint32_t number = field != NULL ? (uint32_t)tlog_event_number(event, field) : 0;
    bool is_signal = (event->flags & TLOG_FLAG_SIGNAL) != 0;
    char text[REASON_BYTES];
    if (shape->reason != 0 && shape->reason_number == number && shape->reason_naming == state->trace->naming + 1u
        && shape->reason_board == perfetto_board(state, cpu) && shape->reason_is_signal == is_signal)
        return shape->reason;
    name_reason(text, state, cpu, shape, event);
    shape->reason_is_signal = is_signal;
    shape->reason_board = perfetto_board(state, cpu);
    shape->reason_number = number;
    shape->reason_naming = state->trace->naming + 1u;
    shape->reason = perfetto_intern(&state->kernel, INTERNED_KERNEL_SYMBOLS, text, strlen(text));
    return shape->reason;
}

/* The task is switched out and waits: write why, if an event told that. The time is 1 ns after the switch: viewers take
 * events of one time in any order, and would drop a reason in front of its switch. */
static int put_reason(struct perfetto *state, struct perfetto_bundle *bundle, struct perfetto_task *task, uint64_t time)
{
    struct perfetto_other other = {FTRACE_BLOCKED_REASON, time + 1u, task->pid, task->reason, NULL, 0};
    if (task->reason == 0)
        return 0;
    task->reason = 0;
    return perfetto_bundle_other(state, bundle, &other);
}

/* The task no longer waits: end the slice if one is open. 0, or -1 after trace_fail(). */
static int end_wait(struct perfetto *state, struct perfetto_task *task, uint64_t time)
{
    if (!task->has_wait)
        return 0;
    task->has_wait = false;
    if (perfetto_slice_end(state, task, WAIT_KEY, time))
        return perfetto_put_end(state, task->track, time);
    return state->trace->failed ? -1 : 0;
}

/* Begin the slice, with the reason as its name. */
static int begin_wait(struct perfetto *state, unsigned cpu, const struct perfetto_shape *shape,
                      const struct tlog_event *event, struct perfetto_task *task, uint64_t time)
{
    char text[REASON_BYTES];
    uint64_t track;
    if (perfetto_task_describe(state, task, time) != 0)
        return -1;
    track = perfetto_task_track(state, task, false);
    if (track == 0)
        return -1;
    task->has_wait = perfetto_slice_begin(state, task, cpu, WAIT_KEY);
    if (!task->has_wait)
        return state->trace->failed ? -1 : 0;
    name_reason(text, state, cpu, shape, event);
    return perfetto_put_begin(state, track, text, time);
}

/* The event tells why the task will wait, or that it no longer does. 0, or -1 after trace_fail(). */
static int note_wait(struct perfetto *state, unsigned cpu, struct perfetto_shape *shape, const struct tlog_event *event,
                     struct perfetto_task *task, uint64_t time)
{
    bool is_over = shape->type->means == TLOG_MEANS_UNBLOCK || shape->type->means == TLOG_MEANS_END;
    if (task->out != 1u + state->forgotten) {
        task->reason = is_over ? 0 : reason_of(state, cpu, shape, event);
        return state->trace->failed ? -1 : 0;
    }
    if (end_wait(state, task, time) != 0)
        return -1;
    return is_over ? 0 : begin_wait(state, cpu, shape, event, task, time);
}

int perfetto_cpu_note_wait(struct perfetto *state, unsigned cpu, struct perfetto_shape *shape,
                           const struct tlog_event *event, uint64_t time)
{
    const struct perfetto_cpu *of = &state->cpu[cpu];
    enum tlog_meaning means = shape->type->means;
    bool is_running =
        means == TLOG_MEANS_BLOCK_RUNNING || means == TLOG_MEANS_LOCK_RUNNING || shape->type->nfields == 0;
    uint32_t pid = is_running ? 0 : (uint32_t)tlog_event_number(event, &shape->type->fields[0]);
    struct perfetto_task *task;
    if (pid == 0 && !of->has_current)
        return 0;
    task = perfetto_task(state, pid == 0 ? of->current : perfetto_pid(state, cpu, pid));
    if (task == NULL)
        return -1;
    if (of->has_current && of->current == task->pid)
        task->out = 0;
    return note_wait(state, cpu, shape, event, task, time);
}

/* ---- switches ---------------------------------------------------------------------------------------------------- */

/* Write a switch that the trace does not have. */
static int put_switch(struct perfetto *state, unsigned cpu, uint64_t time, uint32_t pid, int32_t priority,
                      const char *comm)
{
    struct perfetto_switch seed = {time, 0, pid, priority, comm};
    return perfetto_bundle_switch(state, state->cpu[cpu].lane.bundle, &seed);
}

/* Write a switch to the task that the trace does not have. */
static int put_task(struct perfetto *state, unsigned cpu, uint64_t time, struct perfetto_task *task)
{
    char comm[PERFETTO_COMM_BYTES];
    const char *name;
    if (task == NULL || perfetto_task_describe(state, task, time) != 0)
        return -1;
    name = task->comm[0] != '\0' ? task->comm : task->pid == 0 ? IDLE_COMM : task->name;
    *put_at_most(comm, name, sizeof comm - 1u) = '\0';
    return put_switch(state, cpu, time, task->pid, task->priority, comm);
}

/* Write the switch into a gap. */
static int put_gap(struct perfetto *state, unsigned cpu, uint64_t time)
{
    struct perfetto_task *lost = perfetto_task(state, PERFETTO_LOST_TID);
    if (lost != NULL)
        memcpy(lost->comm, LOST_COMM, sizeof LOST_COMM);
    return put_task(state, cpu, time, lost);
}

/* It is now known which task has run since the CPU's first event, or since the first one in a gap; NULL: it is not
 * known before now. Write the seed, or the switch into the gap; then the switch to that task. */
static int write_start(struct perfetto *state, unsigned cpu, struct perfetto_task *task)
{
    struct perfetto_cpu *of = &state->cpu[cpu];
    uint64_t time = of->in_gap ? of->gap_to : of->first;
    int result;
    if (of->is_seeded && !of->in_gap)
        return 0;
    result = of->in_gap ? 0 : put_switch(state, cpu, time, 0, 0, IDLE_COMM);
    if (result == 0 && (of->in_gap || task == NULL))
        result = put_gap(state, cpu, of->in_gap ? of->gap_from : time);
    of->in_gap = false;
    of->is_seeded = true;
    return result == 0 && task != NULL ? put_task(state, cpu, time, task) : result;
}

/* The task that these fields of the event are about; it takes name and priority from them. NULL after trace_fail(). */
static struct perfetto_task *task_at(struct perfetto *state, const struct tlog_event *event,
                                     const struct tlog_field *comm, const struct tlog_field *pid,
                                     const struct tlog_field *priority)
{
    struct perfetto_task *task = perfetto_task(state, (uint32_t)tlog_event_number(event, pid));
    size_t length = 0;
    const char *name = tlog_event_string(event, comm, &length);
    if (task == NULL)
        return NULL;
    if (name != NULL)
        perfetto_task_comm(task, (const unsigned char *)name, length);
    task->priority = (int32_t)tlog_event_number(event, priority);
    return task;
}

/* Whether that field of a switch tells the unknown task. */
static bool is_unknown(const struct tlog_event *event, const struct tlog_field *comm)
{
    size_t length = 0;
    const char *name = tlog_event_string(event, comm, &length);
    return trace_comm_is_unknown(name, length);
}

static int write_switch(struct perfetto *state, unsigned cpu, const struct perfetto_shape *shape,
                        const struct tlog_event *event, uint64_t time)
{
    const struct tlog_field *const *at = shape->place;
    bool is_from = !is_unknown(event, at[PREV_COMM]);
    uint64_t left = is_from ? tlog_event_number(event, at[PREV_STATE]) : 0;
    struct perfetto_task *old, *new;
    if (left == TRACE_STATE_ENDED && !state->trace->mapped)
        left = TRACE_STATE_ENDED_OTHER;
    if (is_unknown(event, at[NEXT_COMM]))
        return perfetto_cpu_forget(state, cpu, time);
    old = is_from ? task_at(state, event, at[PREV_COMM], at[PREV_PID], at[PREV_PRIO]) : NULL;
    new = task_at(state, event, at[NEXT_COMM], at[NEXT_PID], at[NEXT_PRIO]);
    if ((is_from && old == NULL) || new == NULL || write_start(state, cpu, old) != 0
        || perfetto_task_describe(state, new, time) != 0)
        return -1;
    state->cpu[cpu].current = new->pid;
    state->cpu[cpu].has_current = state->cpu[cpu].is_fresh = true;
    if (end_wait(state, new, time) != 0
        || perfetto_bundle_switch(state, state->cpu[cpu].lane.bundle,
                                  &(struct perfetto_switch){time, left, new->pid, new->priority, new->comm})
               != 0)
        return -1;
    if (old != NULL)
        old->out = 1u + state->forgotten;
    new->out = 0;
    return left != 0 ? put_reason(state, state->cpu[cpu].lane.bundle, old, time) : 0;
}

/* ---- wake-ups and interrupts ------------------------------------------------------------------------------------- */

static int write_waking(struct perfetto *state, unsigned cpu, const struct perfetto_shape *shape,
                        const struct tlog_event *event, uint64_t time)
{
    const struct tlog_field *const *at = shape->place;
    struct perfetto_task *task = task_at(state, event, at[COMM], at[PID], at[PRIO]);
    struct perfetto_waking waking = {.time = time,
                                     .target_cpu = (uint32_t)tlog_event_number(event, at[TARGET_CPU]),
                                     .in_interrupt = (event->flags & TLOG_FLAG_IN_INTERRUPT) != 0};
    if (task == NULL || perfetto_task_describe(state, task, time) != 0 || end_wait(state, task, time) != 0)
        return -1;
    waking.pid = task->pid;
    waking.priority = task->priority;
    waking.comm = task->comm;
    if (shape->form == FORM_WAKING)
        return perfetto_bundle_waking(state, state->cpu[cpu].lane.bundle, &waking);
    return perfetto_bundle_wakeup(state, state->cpu[cpu].lane.bundle, event->task, &waking);
}

static int write_interrupt(struct perfetto *state, unsigned cpu, const struct perfetto_shape *shape,
                           const struct tlog_event *event, uint64_t time)
{
    const struct perfetto_cpu *of = &state->cpu[cpu];
    bool is_entry = shape->form == FORM_IRQ_ENTRY;
    struct perfetto_other other = {
        is_entry ? FTRACE_IRQ_ENTRY : FTRACE_IRQ_EXIT, time, of->has_current ? of->current : 0,
        tlog_event_number(event, shape->place[IRQ]),   NULL, 0};
    if (is_entry)
        other.name = (const unsigned char *)tlog_event_string(event, shape->place[NAME], &other.length);
    if (is_entry && other.name == NULL)
        other.name = (const unsigned char *)"";
    return perfetto_bundle_other(state, of->lane.bundle, &other);
}

int perfetto_cpu_event(struct perfetto *state, unsigned cpu, const struct perfetto_shape *shape,
                       const struct tlog_event *event, uint64_t time)
{
    if (bundle_of(state, cpu) == NULL)
        return -1;
    if (shape->form == FORM_SWITCH)
        return write_switch(state, cpu, shape, event, time);
    if (shape->form == FORM_WAKING || shape->form == FORM_WAKEUP)
        return write_waking(state, cpu, shape, event, time);
    return write_interrupt(state, cpu, shape, event, time);
}

/* ---- losses ------------------------------------------------------------------------------------------------------ */

/* Whether the trace has switches. Only then viewers show a row of tasks for a CPU. */
static bool has_switches(struct perfetto *state)
{
    for (; !state->has_switches && state->ntypes < state->trace->ntypes; state->ntypes++) {
        const struct tlog_type *type = state->trace->types[state->ntypes];
        state->has_switches = strcmp(type->system, "sched") == 0 && strcmp(type->name, "sched_switch") == 0;
    }
    return state->has_switches;
}

int perfetto_cpu_forget(struct perfetto *state, unsigned cpu, uint64_t time)
{
    struct perfetto_cpu *of = &state->cpu[cpu];
    bool is_known = of->has_current && (of->is_fresh || !of->in_gap);
    of->has_current = of->is_fresh = false;
    state->forgotten++;
    if (perfetto_slices_end_all(state, cpu, time) != 0 || perfetto_mutexes_end_all(state, cpu, time) != 0)
        return -1;
    if (!is_known || !perfetto_cpu_has_bundles(cpu) || !(of->is_seeded || has_switches(state)))
        return 0;
    if (bundle_of(state, cpu) == NULL
        || ((of->in_gap || !of->is_seeded) && write_start(state, cpu, perfetto_task(state, of->current)) != 0))
        return -1;
    of->in_gap = of->is_gap_open = true;
    of->gap_from = of->gap_to = time;
    return 0;
}

int perfetto_cpu_loss(struct perfetto *state, unsigned cpu, uint64_t time)
{
    struct perfetto_cpu *of = &state->cpu[cpu];
    of->losses_open++;
    of->lost_at = time;
    if (perfetto_cpu_has_bundles(cpu)
        && (bundle_of(state, cpu) == NULL || perfetto_bundle_note_loss(state, &of->lane) != 0))
        return -1;
    return perfetto_cpu_forget(state, cpu, time);
}

int perfetto_cpu_finish(struct perfetto *state, unsigned cpu)
{
    struct perfetto_cpu *of = &state->cpu[cpu];
    struct perfetto_task *task = NULL;
    if (!of->in_gap && !of->lane.lost && of->lane.bundle == NULL)
        return 0;
    if (bundle_of(state, cpu) == NULL)
        return -1;
    if (of->in_gap && of->is_fresh) {
        task = perfetto_task(state, of->current);
        if (task == NULL)
            return -1;
    }
    if (of->in_gap && write_start(state, cpu, task) != 0)
        return -1;
    return perfetto_bundle_flush(state, of->lane.bundle);
}
