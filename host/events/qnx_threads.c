/* qnx_threads.c - keeps the processes and threads of QNX, and names their tasks: see qnx_threads.h. */
#include "events/qnx_threads.h"

#include "base/heap.h"
#include "base/sort.h"

#include "tlog_traceevent.h"

#include <stdio.h>
#include <string.h>

#define TASK_NAME     16u /* bytes that viewers show of a task's name, with the NUL */
#define NAME_SHOWN    255 /* bytes of a name in an event */
#define NAME_BYTES    sizeof((struct qnx_thread *)NULL)->name
#define STATES_LAST_8 30u /* the last number of a thread's state from release 8 on */
#define ROOM          ((size_t)1 << QNX_THREADS_ROOM_BITS)

/* A process that has a new name in each event, and as many threads as there may be, would take minutes. */
#define CREDIT          ((uint64_t)1 << 20) /* at first */
#define CREDIT_BY_EVENT 8u

/* What an event tells of a thread or a process. */
struct qnx_note {
    uint64_t time, order;   /* order: of events of one time */
    uint32_t pid, tid;      /* tid 0: a process */
    bool is_thread, is_end; /* else of a process; else it lives */
    char name[NAME_BYTES];  /* its name; or empty */
};

_Static_assert(QNX_THREADS_MAX <= ROOM / 2u, "threads are found after few steps");

void qnx_threads_start(struct qnx_threads *threads, struct trace *trace, unsigned release, uint32_t first,
                       uint32_t last)
{
    *threads = (struct qnx_threads){.trace = trace, .release = release, .next = first, .last = last, .credit = CREDIT};
}

void qnx_threads_free(struct qnx_threads *threads)
{
    heap_free(threads->waiting);
    threads->waiting = NULL;
    for (size_t i = 0; threads->thread != NULL && i < ROOM; i++)
        heap_free(threads->thread[i].ended);
    heap_free(threads->thread);
    threads->thread = NULL;
}

/* ---- the table -------------------------------------------------------------------------------------------------- */

/* Put a new thread into the chain of its process, right behind the process. The process may be unknown until then. */
static void enlist(struct qnx_threads *threads, struct qnx_thread *thread)
{
    struct qnx_thread *process = qnx_threads_find(threads, thread->pid, 0);
    if (!process->known && threads->n < QNX_THREADS_MAX) {
        *process = (struct qnx_thread){.pid = thread->pid, .known = true, .until = UINT64_MAX};
        threads->n++;
    }
    if (!process->known)
        return;
    thread->sibling = process->sibling;
    process->sibling = (uint32_t)(thread - threads->thread) + 1u;
}

/* The process or thread, which is added if it is not there; NULL when there are too many, or after trace_fail(). */
static struct qnx_thread *get(struct qnx_threads *threads, uint32_t pid, uint32_t tid)
{
    struct qnx_thread *thread;
    if (threads->thread == NULL)
        threads->thread = heap_calloc(ROOM, sizeof *threads->thread);
    if (threads->thread == NULL) {
        trace_fail(threads->trace, "%s: no memory for threads", threads->trace->input_name);
        return NULL;
    }
    thread = qnx_threads_find(threads, pid, tid);
    if (thread->known)
        return thread;
    if (threads->n == QNX_THREADS_MAX)
        return NULL;
    threads->n++;
    *thread = (struct qnx_thread){.pid = pid, .tid = tid, .known = true, .until = UINT64_MAX};
    if (tid != 0)
        enlist(threads, thread);
    return thread;
}

/* ---- tasks ------------------------------------------------------------------------------------------------------ */

/* Name the task of a thread: after the thread, else after its process. A long name is cut so that the tid stays
 * whole. */
static void name_life(struct qnx_threads *threads, const struct qnx_thread *thread, uint32_t context, const char *name)
{
    char tid[16], text[48];
    int room;
    if (context == 0 || context == threads->last)
        return;
    snprintf(tid, sizeof tid, ":%u", (unsigned)thread->tid);
    room = (int)(TASK_NAME - 1u - strlen(tid));
    if (name[0] != '\0')
        snprintf(text, sizeof text, "%.*s%s", room, name, tid);
    else
        snprintf(text, sizeof text, "%u%s", (unsigned)thread->pid, tid);
    trace_set_name(threads->trace, TRACE_NAME_TASK, context, text);
}

/* The same for the last thread that has these numbers, if the process of these days has not begun behind its end. */
static void name_task(struct qnx_threads *threads, const struct qnx_thread *thread)
{
    const struct qnx_thread *process = qnx_threads_find(threads, thread->pid, 0);
    bool is_of_process = process->known && thread->until >= process->from;
    if (thread->name[0] != '\0' || is_of_process || thread->until == UINT64_MAX)
        name_life(threads, thread, thread->context,
                  thread->name[0] != '\0' ? thread->name
                  : is_of_process         ? process->name
                                          : "");
}

/* A process has a name: give it to the tasks of a thread's numbers that have no name of their own. */
static void name_all(struct qnx_threads *threads, const struct qnx_thread *thread, const struct qnx_thread *process)
{
    name_task(threads, thread);
    for (uint32_t i = thread->nended; i > 0 && thread->ended[i - 1u].until >= process->from; i--) {
        const struct qnx_life *life = &thread->ended[i - 1u];
        if (threads->credit == 0)
            return;
        threads->credit--;
        if (!life->named)
            name_life(threads, thread, life->context, process->name);
    }
}

uint32_t qnx_threads_new(struct qnx_threads *threads, uint32_t pid, uint32_t tid)
{
    struct qnx_thread *thread;
    if (pid == 1u && tid >= 1u && tid <= threads->idle)
        return 0;
    thread = get(threads, pid, tid);
    if (thread == NULL)
        return threads->last;
    thread->context = threads->next;
    threads->next += threads->next < threads->last;
    if (thread->context == threads->last)
        trace_set_name(threads->trace, TRACE_NAME_TASK, threads->last, "other threads");
    else
        name_task(threads, thread);
    return thread->context;
}

/* ---- lives ------------------------------------------------------------------------------------------------------ */

uint32_t qnx_threads_then(const struct qnx_threads *threads, const struct qnx_thread *thread)
{
    uint32_t low = 0, high = thread->nended;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2u;
        if (thread->ended[middle].until < threads->now)
            low = middle + 1u;
        else
            high = middle;
    }
    return low < thread->nended ? thread->ended[low].context : thread->context;
}

/* A thread has the numbers of one that has ended. If no context is left, they stay one. */
static void part(struct qnx_threads *threads, struct qnx_thread *thread)
{
    bool is_full = (thread->nended & (thread->nended - 1u)) == 0;
    size_t room = thread->nended > 0 ? 2u * (size_t)thread->nended : 1u;
    struct qnx_life *larger = is_full ? heap_realloc(thread->ended, room * sizeof *larger) : thread->ended;
    if (larger == NULL) {
        trace_fail(threads->trace, "%s: no memory for threads", threads->trace->input_name);
        return;
    }
    thread->ended = larger;
    if (threads->next == threads->last)
        return;
    thread->ended[thread->nended++] = (struct qnx_life){thread->until, thread->context, thread->name[0] != '\0'};
    thread->context = threads->next++;
}

/* An event tells that a process or thread lives. */
static void live(struct qnx_threads *threads, struct qnx_thread *thread)
{
    if (threads->now <= thread->until)
        return;
    if (thread->tid != 0)
        part(threads, thread);
    thread->name[0] = '\0';
    thread->from = thread->until + 1u;
    thread->until = UINT64_MAX;
    name_task(threads, thread);
}

static void end_life(const struct qnx_threads *threads, struct qnx_thread *thread)
{
    if (thread->until == UINT64_MAX || threads->now > thread->until)
        thread->until = threads->now;
}

static void end_process(struct qnx_threads *threads, struct qnx_thread *process)
{
    for (uint32_t i = process->sibling; i != 0 && threads->credit > 0; i = threads->thread[i - 1u].sibling) {
        if (threads->thread[i - 1u].until == UINT64_MAX)
            end_life(threads, &threads->thread[i - 1u]);
        threads->credit--;
    }
    end_life(threads, process);
}

/* ---- what events tell ------------------------------------------------------------------------------------------- */

/* Give the name to a thread, or to a process and all of its threads that have no name of their own. */
static void give_name(struct qnx_threads *threads, struct qnx_thread *thread, const char *name)
{
    snprintf(thread->name, sizeof thread->name, "%s", name);
    if (thread->tid != 0) {
        name_task(threads, thread);
        return;
    }
    for (uint32_t i = thread->sibling; i != 0 && threads->credit > 0; i = threads->thread[i - 1u].sibling) {
        threads->credit--;
        name_all(threads, &threads->thread[i - 1u], thread);
    }
}

/* The name in an event, which follows two words: of a process the path of its program, of which the last part is it. */
static void read_name(const struct qnx_event *event, bool is_path, char to[NAME_BYTES])
{
    char name[NAME_SHOWN + 1] = "";
    size_t have = event->slots > 1u ? QNX_SLOT_BYTES * (event->slots - 1u) : 0;
    const char *file;
    memcpy(name, event->data + QNX_SLOT_BYTES, have < NAME_SHOWN ? have : NAME_SHOWN);
    file = is_path ? strrchr(name, '/') : NULL;
    snprintf(to, NAME_BYTES, "%.19s", file != NULL && file[1] != '\0' ? file + 1 : name);
}

/* Events of class PR_TH up to the last state are a thread's, whose pid and tid are their first two words. Those of a
 * process have ppid and pid. False: the event tells nothing. */
static bool read_note(const struct qnx_threads *threads, const struct qnx_event *event, struct qnx_note *note)
{
    bool is_state = event->event <= (threads->release >= 8u ? STATES_LAST_8 : TLOG_TRACE_THDESTROY);
    bool is_named = event->event == TLOG_TRACE_PROCCREATE_NAME || event->event == TLOG_TRACE_PROCTHREAD_NAME;
    bool is_thread = is_state || event->event == TLOG_TRACE_PROCTHREAD_NAME;
    bool is_end = event->event == TLOG_TRACE_PROCDESTROY || event->event == TLOG_TRACE_PROCDESTROY_NAME
                  || (is_state && (event->event == TLOG_TRACE_THDEAD || event->event == TLOG_TRACE_THDESTROY));
    if (event->class != TLOG_TRACE_PR_TH || !(is_thread || is_end || is_named || event->event == TLOG_TRACE_PROCCREATE))
        return false;
    *note = (struct qnx_note){.is_thread = is_thread, .is_end = is_end};
    note->pid = qnx_word(event, is_thread ? 0 : 1);
    note->tid = is_thread ? qnx_word(event, 1) : 0;
    if (is_named)
        read_name(event, !is_thread, note->name);
    return true;
}

static void take_note(struct qnx_threads *threads, const struct qnx_note *note)
{
    struct qnx_thread *thread, *process;
    threads->credit += CREDIT_BY_EVENT;
    if (note->is_thread && (note->tid != 0 || note->name[0] == '\0')
        && qnx_threads_context(threads, note->pid, note->tid) == 0)
        return;
    thread = get(threads, note->pid, note->tid);
    if (thread == NULL)
        return;
    if (note->is_end && note->is_thread) {
        end_life(threads, thread);
        return;
    }
    if (note->is_end) {
        end_process(threads, thread);
        return;
    }
    process = qnx_threads_find(threads, note->pid, 0);
    if (process->known)
        live(threads, process);
    live(threads, thread);
    if (note->name[0] != '\0')
        give_name(threads, thread, note->name);
}

void qnx_threads_note(struct qnx_threads *threads, const struct qnx_event *event)
{
    struct qnx_note note;
    if (!threads->is_complete && read_note(threads, event, &note))
        take_note(threads, &note);
}

/* ---- the order of time ------------------------------------------------------------------------------------------ */

static int by_time(const void *a, const void *b)
{
    const struct qnx_note *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* Take the first n of the notes that wait. */
static void take_first(struct qnx_threads *threads, size_t n)
{
    sort(threads->waiting, threads->nwaiting, sizeof *threads->waiting, by_time);
    for (size_t i = 0; i < n; i++) {
        threads->now = threads->waiting[i].time;
        take_note(threads, &threads->waiting[i]);
    }
    threads->nwaiting -= n;
    memmove(threads->waiting, threads->waiting + n, threads->nwaiting * sizeof *threads->waiting);
}

void qnx_threads_survey(struct qnx_threads *threads, const struct qnx_event *event, uint64_t time)
{
    struct qnx_note note;
    if (!read_note(threads, event, &note))
        return;
    if (threads->waiting == NULL)
        threads->waiting = heap_alloc(QNX_THREADS_WAITING * sizeof *threads->waiting);
    if (threads->waiting == NULL) {
        trace_fail(threads->trace, "%s: no memory for threads", threads->trace->input_name);
        return;
    }
    note.time = time;
    note.order = threads->surveyed++;
    threads->waiting[threads->nwaiting++] = note;
    if (threads->nwaiting == QNX_THREADS_WAITING)
        take_first(threads, QNX_THREADS_WAITING / 2u);
}

void qnx_threads_complete(struct qnx_threads *threads)
{
    if (threads->waiting != NULL)
        take_first(threads, threads->nwaiting);
    threads->is_complete = true;
}
