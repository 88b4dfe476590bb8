/* qnx_threads.c - keeps the processes and threads of QNX, and names their tasks: see qnx_threads.h. */
#include "events/qnx_threads.h"

#include "tlog_traceevent.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TASK_NAME     16u /* bytes that viewers show of a task's name, with the NUL */
#define NAME_SHOWN    255 /* bytes of a name in an event */
#define STATES_LAST_8 30u /* the last number of a thread's state from release 8 on */
#define ROOM          ((size_t)1 << QNX_THREADS_ROOM_BITS)

/* A process that has a new name in each event, and as many threads as there may be, would take minutes. */
#define CREDIT          ((uint64_t)1 << 20) /* at first */
#define CREDIT_BY_EVENT 8u

_Static_assert(QNX_THREADS_MAX <= ROOM / 2u, "threads are found after few steps");

void qnx_threads_start(struct qnx_threads *threads, struct trace *trace, unsigned release, uint32_t first,
                       uint32_t last)
{
    *threads = (struct qnx_threads){.trace = trace, .release = release, .next = first, .last = last, .credit = CREDIT};
}

void qnx_threads_free(struct qnx_threads *threads)
{
    free(threads->thread);
    threads->thread = NULL;
}

/* ---- the table -------------------------------------------------------------------------------------------------- */

/* Put a new thread into the chain of its process, right behind the process. The process may be unknown until then. */
static void enlist(struct qnx_threads *threads, struct qnx_thread *thread)
{
    struct qnx_thread *process = qnx_threads_find(threads, thread->pid, 0);
    if (!process->known && threads->n < QNX_THREADS_MAX) {
        *process = (struct qnx_thread){.pid = thread->pid, .known = true};
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
        threads->thread = calloc(ROOM, sizeof *threads->thread);
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
    *thread = (struct qnx_thread){.pid = pid, .tid = tid, .known = true};
    if (tid != 0)
        enlist(threads, thread);
    return thread;
}

/* ---- tasks ------------------------------------------------------------------------------------------------------ */

/* Name the task of a thread: after the thread, else after its process. A long name is cut so that the tid stays
 * whole. */
static void name_task(struct qnx_threads *threads, const struct qnx_thread *thread)
{
    const struct qnx_thread *process = qnx_threads_find(threads, thread->pid, 0);
    const char *name = thread->name[0] != '\0' ? thread->name : process->known ? process->name : "";
    char tid[16], text[48];
    int room;
    if (thread->context == 0 || thread->context == threads->last)
        return;
    snprintf(tid, sizeof tid, ":%u", (unsigned)thread->tid);
    room = (int)(TASK_NAME - 1u - strlen(tid));
    if (name[0] != '\0')
        snprintf(text, sizeof text, "%.*s%s", room, name, tid);
    else
        snprintf(text, sizeof text, "%u%s", (unsigned)thread->pid, tid);
    trace_set_name(threads->trace, TRACE_NAME_TASK, thread->context, text);
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

/* ---- what events tell ------------------------------------------------------------------------------------------- */

/* Give the name to a thread; with tid 0 to the process and all of its threads that have no name of their own. */
static void give_name(struct qnx_threads *threads, uint32_t pid, uint32_t tid, const char *name)
{
    struct qnx_thread *thread = get(threads, pid, tid);
    if (thread == NULL)
        return;
    snprintf(thread->name, sizeof thread->name, "%.19s", name);
    if (tid != 0) {
        qnx_threads_context(threads, pid, tid);
        name_task(threads, thread);
        return;
    }
    for (uint32_t i = thread->sibling; i != 0 && threads->credit > 0; i = threads->thread[i - 1u].sibling) {
        name_task(threads, &threads->thread[i - 1u]);
        threads->credit--;
    }
}

/* An event with a name: of a process the path of its program, of which the last part is the name; or of a thread. The
 * words before the name are ppid and pid, or pid and tid. */
static void note_name(struct qnx_threads *threads, const struct qnx_event *event)
{
    char name[NAME_SHOWN + 1] = "";
    size_t have = event->slots > 1u ? QNX_SLOT_BYTES * (event->slots - 1u) : 0;
    uint32_t first = qnx_word(event, 0), second = qnx_word(event, 1);
    const char *file;
    memcpy(name, event->data + QNX_SLOT_BYTES, have < NAME_SHOWN ? have : NAME_SHOWN);
    file = strrchr(name, '/');
    file = file != NULL && file[1] != '\0' ? file + 1 : name;
    if (event->event == TLOG_TRACE_PROCCREATE_NAME)
        give_name(threads, second, 0, file);
    else
        give_name(threads, first, second, name);
}

/* Events of class PR_TH up to the last state are a thread's, whose pid and tid are their first two words. */
void qnx_threads_note(struct qnx_threads *threads, const struct qnx_event *event)
{
    if (event->class != TLOG_TRACE_PR_TH)
        return;
    threads->credit += CREDIT_BY_EVENT;
    if (event->event == TLOG_TRACE_PROCCREATE_NAME || event->event == TLOG_TRACE_PROCTHREAD_NAME)
        note_name(threads, event);
    else if (event->event <= (threads->release >= 8u ? STATES_LAST_8 : TLOG_TRACE_THDESTROY))
        qnx_threads_context(threads, qnx_word(event, 0), qnx_word(event, 1));
}
