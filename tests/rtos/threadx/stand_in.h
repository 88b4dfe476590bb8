/* stand_in.h - what stands in for ThreadX: calls that run its hooks in its contexts, masks and orders.
 *
 * It switches no stacks: main() plays all threads. Exceptions are real: a switch is in PendSV, which also waits
 * there for a handler that makes a thread ready if none is. Each call also notes what the trace must show. */
#ifndef RTOS_THREADX_STAND_IN_H
#define RTOS_THREADX_STAND_IN_H

#include "tx_api.h"

#include "tx_thread.h"
#include "tx_timer.h"
#include "tx_trace.h"

#include "expect.h"

#include <stdbool.h>

/* An event of the kernel, as its files write it. */
#define EVENT(name, a, b, c, d)                                                                                        \
    do {                                                                                                               \
        note_hook("TX_TRACE_" #name);                                                                                  \
        TX_TRACE_IN_LINE_INSERT(TX_TRACE_##name, a, b, c, d, 0)                                                        \
    } while (0)

typedef struct {
    TX_THREAD block;
    char state; /* in which it will leave, as trace-cmd shows it */
} thread_t;

extern thread_t timer_thread;

thread_t *running(void);

/* Played by the running thread, with another one that is ready: when the port tells that no thread is in the middle of
 * a call. */
void idle_tour(thread_t *other);
uint32_t context_of(const thread_t *thread);

void thread_create(thread_t *thread, const char *name, UINT priority);

/* Switch to that thread; with NULL, to the one that `wake`, a handler, makes ready. */
void switch_to(thread_t *thread);
void idle_until(void (*handler)(void *), thread_t *wakes);

/* The running thread waits, in that state, for an object. The caller has masked interrupts. */
void suspend(UINT state, void *object, ULONG info);

/* A thread that waited is ready, with that status of its wait. */
void resume(thread_t *thread, UINT status);

/* A ready thread gets that priority. */
void pseudo_state(thread_t *thread, UINT priority);

void thread_tour(thread_t *other);
void mutex_tour(thread_t *low);
void object_tour(thread_t *other);
void pool_tour(thread_t *other);

/* What the application calls when a stack has overflowed. */
void tlog_threadx_stack_error(TX_THREAD *thread);

#endif
