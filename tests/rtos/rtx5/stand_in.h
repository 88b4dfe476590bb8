/* stand_in.h - what stands in for RTX5: calls that run its hooks in its contexts and orders. Nothing is masked.
 *
 * It switches no stacks: main() plays all threads. Exceptions are real: calls of threads run in SVC, what handlers have
 * led to in PendSV, ticks in SysTick. Each call also notes what the trace must show, from what it did itself. */
#ifndef RTOS_RTX5_STAND_IN_H
#define RTOS_RTX5_STAND_IN_H

#include "rtx_os.h"

#include "rtx_evr.h"

#include "expect.h"

typedef struct {
    osRtxThread_t block;
    char state; /* in which it will leave, as trace-cmd shows it */
} thread_t;

/* Call a function as a thread's call of the kernel, or as the kernel does what handlers have led to. */
void svc(void (*function)(void *), void *argument);
void pendsv(void (*function)(void *), void *argument);

thread_t *running(void);
const char *name_of(const thread_t *thread);
uint32_t context_of(const thread_t *thread);

/* A thread; its function is osRtxIdleThread(), or another one. */
void thread_create(thread_t *thread, const char *name, int8_t priority, void (*function)(void *));
void kernel_start(thread_t *first);

/* In SVC, PendSV or SysTick. The running thread waits, for a cause that was told. To is next. */
void block(char state);
void unblock(thread_t *thread);
void preempt(thread_t *to);
void dispatch(thread_t *to);

/* From thread mode. */
void delay(uint32_t ticks, thread_t *to);
void tick_wakes(thread_t *thread);
void thread_tour(thread_t *other);
void flags_tour(thread_t *other);

/* When the port tells that no thread is in the middle of a call. Played by the running thread, which leaves to the idle
 * one, and that one. */
void idle_tour(thread_t *idle, thread_t *other);
void mutex_tour(thread_t *low);
void object_tour(thread_t *other);
void heap_tour(void);

#endif
