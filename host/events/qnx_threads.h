/* qnx_threads.h - processes and threads of QNX: which task each thread is, and what it is called.
 *
 * Pids of QNX are large, and a trace viewer wants one number for a task where QNX has a pid and a tid. So threads are
 * numbered in the order in which they appear in the trace, from the first number of a range on. That number is the pid
 * of the thread's task in the trace, and the value of the field "context" of the thread's events. Tasks are named
 * "name:tid" after thread or process, or "pid:tid" as long as neither has a name.
 *
 * Pids and tids are given again. A thread's life ends with THDEAD or THDESTROY, or with PROCDESTROY; what comes behind
 * that is of another thread, with a number and a name of its own.
 */
#ifndef EVENTS_QNX_THREADS_H
#define EVENTS_QNX_THREADS_H

#include "events/qnx_event.h"
#include "model/trace.h"

#define QNX_THREADS_MAX       16384u /* processes and threads that are kept */
#define QNX_THREADS_ROOM_BITS 15u    /* the table has room for twice as many */
#define QNX_THREADS_WAITING   65536u

/* A thread that had the numbers of another one before. */
struct qnx_life {
    uint64_t until;
    uint32_t context;
    bool named; /* by a name of its own */
};

struct qnx_thread {
    uint32_t pid, tid; /* as QNX has them; a process has tid 0 */
    uint32_t context;  /* 0: a process, or idle */
    /* A process and its threads are a chain: index + 1 in the table of the next thread; 0 at the end. */
    uint32_t sibling;
    bool known; /* false: this place of the table is free */
    char name[20];
    uint64_t from, until;   /* when the one before ended, plus 1; when this one does, UINT64_MAX: it lives */
    struct qnx_life *ended; /* nended of them, in the order of time; room for a power of two */
    uint32_t nended;
};

struct qnx_note;

struct qnx_threads {
    struct trace *trace;       /* gets the names of tasks */
    unsigned release;          /* of QNX: 6, 7, 8 */
    uint32_t idle;             /* threads 1 .. idle of process 1 are the CPUs' idle threads, whose context is 0 */
    uint32_t next;             /* context of the next new thread */
    uint32_t last;             /* context of all threads for which no other is left */
    struct qnx_thread *thread; /* a table with open addressing by pid and tid; NULL before the first thread */
    size_t n;                  /* processes and threads in it */
    uint64_t now;              /* time of the event, if the reader tells it: else 0, and numbers are not given again */
    bool is_complete;          /* all events were surveyed: the reader reads them again */
    struct qnx_note *waiting;  /* nwaiting of them, of events that were surveyed, for their order of time; or NULL */
    size_t nwaiting;
    uint64_t surveyed; /* notes, so far */
    uint64_t credit;   /* how many tasks may still be renamed when their process is; a bound on the time */
};

/* No thread is known. Contexts are first .. last. */
void qnx_threads_start(struct qnx_threads *threads, struct trace *trace, unsigned release, uint32_t first,
                       uint32_t last);

/* Free the table. */
void qnx_threads_free(struct qnx_threads *threads);

/* Take what an event tells of threads: that there is one, its end, or the name of a process or thread. */
void qnx_threads_note(struct qnx_threads *threads, const struct qnx_event *event);

/* The same of all events, by a reader that will read them again, at times of its own: their order may be another one,
 * by QNX_THREADS_WAITING / 2 events. Behind the last one qnx_threads_complete() is called. */
void qnx_threads_survey(struct qnx_threads *threads, const struct qnx_event *event, uint64_t time);
void qnx_threads_complete(struct qnx_threads *threads);

/* The context of a thread that was not seen before, or is idle. */
uint32_t qnx_threads_new(struct qnx_threads *threads, uint32_t pid, uint32_t tid);

/* A process or thread in the table, or the free place where it would be. The table must be there. */
static inline struct qnx_thread *qnx_threads_find(const struct qnx_threads *threads, uint32_t pid, uint32_t tid)
{
    uint64_t hash = ((uint64_t)tid << 32 | pid) * 0x9E3779B97F4A7C15u;
    struct qnx_thread *thread = &threads->thread[hash >> (64u - QNX_THREADS_ROOM_BITS)];
    while ((thread->pid != pid || thread->tid != tid) && thread->known)
        thread = thread + 1 < threads->thread + (1u << QNX_THREADS_ROOM_BITS) ? thread + 1 : threads->thread;
    return thread;
}

/* The context of the thread that had the numbers then. */
uint32_t qnx_threads_then(const struct qnx_threads *threads, const struct qnx_thread *thread);

/* The context of a thread; a new one if the thread was not seen before. */
static inline uint32_t qnx_threads_context(struct qnx_threads *threads, uint32_t pid, uint32_t tid)
{
    const struct qnx_thread *thread = threads->thread != NULL ? qnx_threads_find(threads, pid, tid) : NULL;
    if (thread == NULL || thread->context == 0)
        return qnx_threads_new(threads, pid, tid);
    return thread->nended > 0 ? qnx_threads_then(threads, thread) : thread->context;
}

#endif
