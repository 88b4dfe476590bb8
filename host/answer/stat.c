/* stat.c - the writer of --stat: passes each event on to what counts it, and shows the figures at the end. */
#include "base/heap.h"
#include "base/text.h"
#include "answer/answer.h"
#include "answer/mutexes.h"
#include "answer/roles.h"
#include "answer/scheduling.h"
#include "answer/table.h"
#include "model/known.h"

#include <string.h>

/* ---- beginning and end ------------------------------------------------------------------------------------------- */

struct stat *stat_new(struct trace *trace)
{
    struct stat *stat = heap_calloc(1, sizeof *stat);
    if (stat == NULL)
        return NULL;
    stat->trace = trace;
    stat->roles.trace = trace;
    stat->pool.most = SAMPLES_MEMORY;
    stat->tasks = (struct table){.size = sizeof(struct stat_task), .most = STAT_TASKS_MOST};
    stat->irqs = (struct table){.size = sizeof(struct stat_irq), .most = STAT_IRQS_MOST};
    stat->mutexes = (struct table){.size = sizeof(struct stat_mutex), .most = STAT_MUTEXES_MOST};
    stat->watermarks = (struct table){.size = sizeof(struct stat_watermark), .most = STAT_WATERMARKS_MOST};
    stat->cpu = heap_calloc(trace->ncpus + 1u, sizeof *stat->cpu);
    if (stat->cpu == NULL) {
        stat_free(stat);
        return NULL;
    }
    return stat;
}

void stat_free(struct stat *stat)
{
    if (stat == NULL)
        return;
    for (size_t i = 0; i < stat->tasks.n; i++)
        task_free(stat, stat->tasks.element[i]);
    for (size_t i = 0; i < stat->irqs.n; i++) {
        struct stat_irq *irq = stat->irqs.element[i];
        heap_free(irq->entered.on);
        heap_free(irq->own.on);
    }
    for (unsigned i = 0; stat->cpu != NULL && i < stat->trace->ncpus; i++) {
        heap_free(stat->cpu[i].load);
        heap_free(stat->cpu[i].known);
    }
    table_free(&stat->tasks);
    table_free(&stat->irqs);
    table_free(&stat->mutexes);
    table_free(&stat->watermarks);
    heap_free(stat->cpu);
    heap_free(stat);
}

void stat_end(struct stat *stat)
{
    for (unsigned i = 0; i < stat->trace->ncpus; i++) {
        struct stat_cpu *cpu = &stat->cpu[i];
        if (!cpu->has_begun || cpu->in_gap)
            continue;
        if (stat->watch != NULL)
            stat->watch->ran(stat, cpu, stat->last);
        if (cpu->depth > 0)
            cpu->irq_time += stat_elapsed(cpu->irq_since, stat->last);
        cpu_account(stat, cpu, stat->last);
        cpu->seen += stat_elapsed(cpu->seen_since, stat->last);
    }
    if (stat->left_out)
        stat_close_stretch(stat, stat->last);
    for (size_t i = 0; i < stat->tasks.n; i++)
        task_close(stat, stat->tasks.element[i], stat->last);
    mutex_end(stat, stat->last);
}

/* ---- names from events ------------------------------------------------------------------------------------------- */

/* Take a task's name from an event, unless an earlier one told it. */
static void learn_name(struct stat_task *task, const struct tlog_event *event, struct role_place place)
{
    size_t size = place.size < sizeof task->name ? place.size : sizeof task->name - 1u;
    if (task->name[0] == '\0' && place.size > 0 && (unsigned)place.offset + place.size <= event->size)
        memcpy(task->name, event->data + place.offset, size);
}

static void learn_priority(struct stat_task *task, const struct tlog_event *event, struct role_place place)
{
    if (place.size == 0)
        return;
    task->priority = (int32_t)role_number(event, place);
    task->has_priority = true;
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

/* Whether a switch is to or from the task that stands for an interrupt (--map=full). Interrupts are counted by their
 * own events. */
static bool is_row(const struct stat *stat, const struct tlog_event *event, struct role_place name)
{
    return stat->trace->mapped && name.size > 0 && (unsigned)name.offset + name.size <= event->size
           && memcmp(event->data + name.offset, "ISR:", 4) == 0;
}

/* Whether a switch tells, by the name of a task, that this one is not known. */
static bool is_unknown(const struct tlog_event *event, struct role_place name)
{
    const char *text = (const char *)event->data + name.offset;
    return name.size > 0 && (unsigned)name.offset + name.size <= event->size
           && trace_comm_is_unknown(text, text_length(text, name.size));
}

/* Take a switch to or from the unknown task. If that leaves as a task that waits, there was no switch: the task that it
 * tells has run before. */
static void take_known(struct stat *stat, struct stat_cpu *cpu, const struct role_of *of,
                       const struct tlog_event *event)
{
    bool is_to = !is_unknown(event, of->name[0]);
    struct stat_task *task = is_to ? task_of(stat, role_number(event, of->first)) : NULL;
    if (task != NULL) {
        learn_name(task, event, of->name[0]);
        learn_priority(task, event, of->priority[0]);
    }
    if (is_to && role_number(event, of->third) == 0)
        task_switch(stat, cpu, NULL, 0, task, event->time);
    else
        task_known(stat, cpu, task, event->time);
}

static void take_switch(struct stat *stat, struct stat_cpu *cpu, const struct role_of *of,
                        const struct tlog_event *event)
{
    struct stat_task *to, *from;
    if (is_row(stat, event, of->name[0]) || is_row(stat, event, of->name[1]))
        return;
    if (is_unknown(event, of->name[0]) || is_unknown(event, of->name[1])) {
        take_known(stat, cpu, of, event);
        return;
    }
    to = task_of(stat, role_number(event, of->first));
    from = task_of(stat, role_number(event, of->second));
    if (to != NULL) {
        learn_name(to, event, of->name[0]);
        learn_priority(to, event, of->priority[0]);
    }
    if (from != NULL) {
        learn_name(from, event, of->name[1]);
        learn_priority(from, event, of->priority[1]);
    }
    task_switch(stat, cpu, from, role_number(event, of->third), to, event->time);
}

/* The task that an event is about: 0 is the running one. */
static struct stat_task *subject_of(struct stat *stat, const struct stat_cpu *cpu, const struct role_of *of,
                                    const struct tlog_event *event)
{
    uint64_t pid = role_number(event, of->first);
    uint32_t base = stat->trace->boards != NULL ? stat->trace->boards[cpu - stat->cpu].task_base : 0;
    return pid != 0 ? task_of(stat, pid + base) : cpu->task;
}

static void add_watermark(struct stat_watermark *mark, int64_t value, uint64_t time)
{
    if (mark->n == 0 || value < mark->least) {
        mark->least = value;
        mark->least_at = time;
    }
    if (mark->n == 0 || value > mark->most) {
        mark->most = value;
        mark->most_at = time;
    }
    mark->last = value;
    mark->n++;
}

/* Count the watermarks of an event: each of its fields that has one. */
static void take_watermarks(struct stat *stat, const struct tlog_event *event)
{
    const struct tlog_type *type = stat->trace->types[event->type];
    for (unsigned i = 0; i < type->nfields; i++) {
        struct stat_watermark *mark;
        if (!role_is_watermark(type, &type->fields[i]))
            continue;
        mark = table_at(&stat->watermarks, (uint64_t)event->type << 16 | i);
        if (mark != NULL)
            add_watermark(mark, (int64_t)role_number(event, role_place_of(&type->fields[i])), event->time);
    }
}

static void take_wait(struct stat *stat, struct stat_task *task, const struct role_of *of,
                      const struct tlog_event *event, uint64_t object)
{
    bool is_signal = (event->flags & TLOG_FLAG_SIGNAL) != 0, is_lock = of->role == ROLE_LOCK && !is_signal;
    task_block(stat, task, event->type, object, is_lock, event->time);
    if (is_lock && of->object != NULL)
        mutex_wait(stat, task, object, event->type, event->time);
}

/* An event about a mutex that is a signal. */
static void take_signal(struct stat *stat, const struct stat_cpu *cpu, struct stat_task *task, const struct role_of *of,
                        const struct tlog_event *event)
{
    uint64_t mutex = stat_of_board(stat, cpu, role_number(event, of->second));
    mutex_is_signal(stat, mutex, event->type, event->time);
    if (of->role == ROLE_LOCK)
        take_wait(stat, task, of, event, mutex);
}

static void take_task(struct stat *stat, const struct stat_cpu *cpu, struct stat_task *task, const struct role_of *of,
                      const struct tlog_event *event)
{
    bool is_of_object = of->object != NULL || of->role == ROLE_ACQUIRE || of->role == ROLE_RELEASE;
    uint64_t object = is_of_object ? stat_of_board(stat, cpu, role_number(event, of->second)) : 0;
    switch (of->role) {
    case ROLE_READY:
        task->why = task->state == STAT_BLOCKED ? task->why : NULL;
        break;
    case ROLE_END:
        task_end(stat, task, event->time);
        task_block(stat, task, event->type, 0, false, event->time);
        break;
    case ROLE_BEGIN:
        task_begin(stat, task, event->time);
        break;
    case ROLE_BLOCK:
    case ROLE_LOCK:
        take_wait(stat, task, of, event, object);
        break;
    case ROLE_GONE:
        task_gone(stat, task, event->time);
        break;
    case ROLE_NEW:
    case ROLE_MISS:
        task->created += of->role == ROLE_NEW;
        task->missed += of->role == ROLE_MISS;
        break;
    case ROLE_ACQUIRE:
        mutex_acquire(stat, task, object, event->type, event->time);
        break;
    case ROLE_RELEASE:
        mutex_release(stat, task, object, event->type, event->time);
        break;
    case ROLE_PRIORITY:
        learn_priority(task, event, of->second);
        break;
    default:
        break;
    }
}

/* An interrupt came, or came so many times. */
static void take_hits(struct stat *stat, const struct role_of *of, const struct tlog_event *event)
{
    struct stat_irq *irq = table_at(&stat->irqs, role_number(event, of->first));
    if (irq == NULL)
        return;
    irq->hits += of->role == ROLE_HIT;
    irq->counts += of->role == ROLE_HITS;
    irq->told = of->role == ROLE_HITS ? role_number(event, of->second) : irq->told;
}

/* Pass on an event that is not about one task. */
static void take_other(struct stat *stat, struct stat_cpu *cpu, const struct role_of *of,
                       const struct tlog_event *event)
{
    struct stat_task *task;
    switch (of->role) {
    case ROLE_SWITCH:
        take_switch(stat, cpu, of, event);
        break;
    case ROLE_WAKE:
        task = task_of(stat, role_number(event, of->first));
        if (task != NULL) {
            learn_name(task, event, of->name[0]);
            task_wake(stat, task, event->time);
        }
        break;
    case ROLE_ENTRY:
        cpu_enter(stat, cpu, role_number(event, of->first), event->time, (event->flags & TLOG_FLAG_TELLS) != 0);
        break;
    case ROLE_EXIT:
        cpu_exit(stat, cpu, role_number(event, of->first), event->time, role_number(event, of->second));
        break;
    case ROLE_HIT:
    case ROLE_HITS:
        take_hits(stat, of, event);
        break;
    case ROLE_WATERMARK:
        take_watermarks(stat, event);
        break;
    default:
        break;
    }
}

/* Events are missing behind that time. */
static void stat_forget(struct stat *stat, uint64_t time)
{
    if (stat->watch != NULL)
        stat->watch->lost(stat, time);
    stat->gaps++;
}

static inline void take(struct stat *stat, struct stat_cpu *cpu, const struct tlog_event *event)
{
    const struct role_of *of = &stat->roles.of[event->type];
    struct stat_task *task;
    if (of->role == ROLE_PAUSE) {
        cpu->is_paused = true;
        cpu->paused_at = event->time;
    } else if (of->role == ROLE_GAP) {
        stat_forget(stat, event->time);
        cpu_lose(stat, cpu, event->time);
    } else if (of->role >= ROLE_READY && of->role <= ROLE_PRIORITY) {
        task = subject_of(stat, cpu, of, event);
        if (task != NULL && (event->flags & TLOG_FLAG_SIGNAL) != 0)
            take_signal(stat, cpu, task, of, event);
        else if (task != NULL)
            take_task(stat, cpu, task, of, event);
    } else {
        take_other(stat, cpu, of, event);
    }
}

/* What the user wants ends or begins on a CPU. It ends on all of them at once. */
static void take_left_out(struct stat *stat, struct stat_cpu *cpu, bool begins, uint64_t time)
{
    if (begins) {
        stat_open_stretch(stat, time);
        cpu_resume(stat, cpu, time);
        return;
    }
    if (stat->in_stretch)
        stat_forget(stat, time);
    for (unsigned i = 0; i < stat->trace->ncpus; i++)
        cpu_lose(stat, &stat->cpu[i], time);
    stat_close_stretch(stat, time);
}

/* Events follow one that stopped the trace: from there on nothing was known. */
static void end_pause(struct stat *stat, struct stat_cpu *cpu)
{
    stat_forget(stat, cpu->paused_at);
    cpu_lose(stat, cpu, cpu->paused_at);
    cpu->is_paused = false;
}

/* If it is not known what runs, the task that an event belongs to does, and has since the first event. */
static void note_task(struct stat *stat, unsigned number, const struct tlog_event *event)
{
    struct stat_cpu *cpu = &stat->cpu[number];
    if (!cpu->is_known && (event->flags & TLOG_FLAG_IN_INTERRUPT) == 0
        && !trace_pid_is_unknown(stat->trace, number, event->task))
        task_has_run(stat, cpu, task_of(stat, event->task));
}

static inline void count(struct stat *stat, unsigned number, const struct tlog_event *event)
{
    struct stat_cpu *cpu = &stat->cpu[number];
    const struct role_of *of = &stat->roles.of[event->type];
    if (cpu->is_paused)
        end_pause(stat, cpu);
    if (of->role == ROLE_LEFT_OUT) {
        take_left_out(stat, cpu, role_number(event, of->first) != 0, event->time);
        return;
    }
    if (of->role != ROLE_GAP) {
        stat_open_stretch(stat, event->time);
        cpu_resume(stat, cpu, event->time);
        note_task(stat, number, event);
    }
    if (of->role != ROLE_NONE)
        take(stat, cpu, event);
}

void stat_event(struct stat *stat, unsigned number, const struct tlog_event *event)
{
    count(stat, number, event);
}

void stat_batch(struct stat *stat, unsigned number, const struct trace_batch *batch)
{
    roles_learn(&stat->roles);
    for (size_t i = 0; i < batch->n; i++)
        count(stat, number, &batch->event[i]);
}

/* ---- the writer -------------------------------------------------------------------------------------------------- */

struct stat_writer {
    struct answer *answer;
    struct stat *stat;
};

static void *open_stat(struct trace *trace, const struct trace_options *options, int fd)
{
    struct stat_writer *state = heap_calloc(1, sizeof *state);
    (void)fd;
    if (state != NULL) {
        state->answer = options->answer;
        state->stat = stat_new(trace);
    }
    if (state == NULL || state->stat == NULL) {
        trace_fail(trace, "no memory for figures of %u CPUs", trace->ncpus);
        heap_free(state);
        return NULL;
    }
    return state;
}

static int write_stat(void *writer, unsigned cpu, const struct trace_batch *batch)
{
    struct stat_writer *state = writer;
    stat_batch(state->stat, cpu, batch);
    return 0;
}

/* If the idle thread of a kernel is not context 0, the load is 100 %: tell it. */
static void tell_idle(const struct stat *stat)
{
    const struct stat_task *idle = NULL;
    char room[32];
    for (size_t i = 0; i < stat->tasks.n; i++) {
        const struct stat_task *task = stat->tasks.element[i];
        bool has_run = task->running.all > 0;
        if (has_run && task->pid == 0)
            return;
        if (has_run && text_begins(stat_task_name(stat, task, room), "idle"))
            idle = task;
    }
    if (idle != NULL)
        trace_note(stat->trace, "task %s counts as work; if it is the idle task, the firmware must log it as context 0",
                   stat_task_name(stat, idle, room));
}

static int close_stat(void *writer, bool ok)
{
    struct stat_writer *state = writer;
    if (ok) {
        struct answer *answer = state->answer;
        stat_end(state->stat);
        stat_sort(state->stat);
        tell_idle(state->stat);
        answer_begin_input(answer, state->stat->trace->input_name);
        if (answer->is_json)
            stat_show_json(answer, state->stat);
        else
            stat_show_text(answer, state->stat);
        answer_end_input(answer);
    }
    stat_free(state->stat);
    heap_free(state);
    return 0;
}

const struct trace_writer writer_stat = {
    .name = "stat",
    .description = "figures of tasks, interrupts and mutexes",
    .merged = true,
    .left_out = true,
    .open = open_stat,
    .write = write_stat,
    .close = close_stat,
};
