/* qnx_thread.c - which context a thread of QNX is, and what its task is called: see qnx_types.h. */
#include "events/qnx_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TASK_NAME 16u /* bytes that viewers show of a task's name, with the NUL */
#define ROOM      ((size_t)1 << QNX_THREADS_ROOM_BITS)
_Static_assert(QNX_THREADS_MAX <= ROOM / 2u, "threads are found after few steps");

/* A new thread stands behind its process in a chain. */
static void enlist(struct qnx_types *types, struct qnx_thread *thread)
{
    struct qnx_thread *process = qnx_thread(types, thread->pid, 0);

    if (!process->known && types->nthreads < QNX_THREADS_MAX) {
        *process = (struct qnx_thread){.pid = thread->pid, .known = true};
        types->nthreads++;
    }
    if (!process->known)
        return;
    thread->sibling = process->sibling;
    process->sibling = (uint32_t)(thread - types->thread) + 1u;
}

/* Process or thread; NULL when there are too many, or no memory. */
static struct qnx_thread *get(struct qnx_types *types, uint32_t pid, uint32_t tid)
{
    struct qnx_thread *thread;

    if (types->thread == NULL)
        types->thread = calloc(ROOM, sizeof *types->thread);
    if (types->thread == NULL) {
        trace_fail(types->trace, "%s: no memory for threads", types->trace->input_name);
        return NULL;
    }
    thread = qnx_thread(types, pid, tid);
    if (thread->known)
        return thread;
    if (types->nthreads == QNX_THREADS_MAX)
        return NULL;
    types->nthreads++;
    *thread = (struct qnx_thread){.pid = pid, .tid = tid, .known = true};
    if (tid != 0)
        enlist(types, thread);
    return thread;
}

/* The name of the thread, else of its process, and the tid, which is not to be cut off. */
static void name_task(struct qnx_types *types, const struct qnx_thread *thread)
{
    const struct qnx_thread *process = qnx_thread(types, thread->pid, 0);
    const char *name = thread->name[0] != '\0' ? thread->name : process->known ? process->name : "";
    char tid[16], text[48];
    int room;

    if (thread->context == 0 || thread->context == types->last)
        return;
    snprintf(tid, sizeof tid, ":%u", (unsigned)thread->tid);
    room = (int)(TASK_NAME - 1u - strlen(tid));
    if (name[0] != '\0')
        snprintf(text, sizeof text, "%.*s%s", room, name, tid);
    else
        snprintf(text, sizeof text, "%u%s", (unsigned)thread->pid, tid);
    trace_set_name(types->trace, TRACE_NAME_TASK, thread->context, text);
}

uint32_t qnx_new_context(struct qnx_types *types, uint32_t pid, uint32_t tid)
{
    struct qnx_thread *thread;

    if (pid == 1u && tid >= 1u && tid <= types->idle)
        return 0;
    thread = get(types, pid, tid);
    if (thread == NULL)
        return types->last;
    thread->context = types->next;
    types->next += types->next < types->last;
    if (thread->context == types->last)
        trace_set_name(types->trace, TRACE_NAME_TASK, types->last, "other threads");
    else
        name_task(types, thread);
    return thread->context;
}

/* Give the name to the process, if tid is 0, with all its threads, or to the thread. */
static void give_name(struct qnx_types *types, uint32_t pid, uint32_t tid, const char *name)
{
    struct qnx_thread *thread = get(types, pid, tid);

    if (thread == NULL)
        return;
    snprintf(thread->name, sizeof thread->name, "%.19s", name);
    if (tid != 0) {
        qnx_context(types, pid, tid);
        name_task(types, thread);
        return;
    }
    for (uint32_t i = thread->sibling; i != 0; i = types->thread[i - 1u].sibling)
        name_task(types, &types->thread[i - 1u]);
}

static void note_name(struct qnx_types *types, const struct qnx_event *event)
{
    char name[256] = "";
    size_t have = event->slots > 1u ? 8u * (event->slots - 1u) : 0;
    uint32_t first = qnx_word(event, 0), second = qnx_word(event, 1);
    const char *file;

    memcpy(name, event->data + 8, have < sizeof name - 1u ? have : sizeof name - 1u);
    file = strrchr(name, '/');
    file = file != NULL && file[1] != '\0' ? file + 1 : name;
    if (event->event == TLOG_TRACE_PROCCREATE_NAME)
        give_name(types, second, 0, file);
    else
        give_name(types, first, second, name);
}

void qnx_note(struct qnx_types *types, const struct qnx_event *event)
{
    if (event->class != TLOG_TRACE_PR_TH)
        return;
    if (event->event == TLOG_TRACE_PROCCREATE_NAME || event->event == TLOG_TRACE_PROCTHREAD_NAME)
        note_name(types, event);
    else if (event->event <= (types->release >= 8u ? 30u : TLOG_TRACE_THDESTROY))
        qnx_context(types, qnx_word(event, 0), qnx_word(event, 1));
}
