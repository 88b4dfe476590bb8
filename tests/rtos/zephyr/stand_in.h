/* stand_in.h - what stands in for Zephyr: calls that run its hooks in its contexts, masks and orders.
 *
 * It switches no stacks: main() plays all threads. Exceptions are real: a switch is in PendSV, with interrupts open
 * when the hooks run; threads are made ready by threads, the tick and an interrupt, masked. A call that waits has two
 * halves, as another thread runs in between. Each call also notes what the trace must show. */
#ifndef RTOS_ZEPHYR_STAND_IN_H
#define RTOS_ZEPHYR_STAND_IN_H

#include <zephyr/kernel.h>
#include <zephyr/kernel_structs.h>
#include <zephyr/tracing/tracing.h>

#include "expect.h"

typedef struct {
    struct k_thread block;
    char state; /* in which it will leave, as trace-cmd shows it */
} thread_t;

#define ADDRESS(object) ((uint32_t)(uintptr_t)(object))

extern const k_timeout_t forever;

thread_t *running(void);
const char *name_of(const thread_t *thread);
uint32_t context_of(const thread_t *thread);

/* A thread, which is ready at once unless it is the idle one. */
void thread_create(thread_t *thread, const char *name, int8_t priority);
void kernel_start(thread_t *first);

/* The running thread leaves in that state, and is put into a queue of those that wait. */
void pend_in(char state, thread_t *to);
void switch_to(thread_t *to);

/* Masked. A thread that waited is ready; a thread's priority is another one. */
void ready(thread_t *thread);
void set_priority(thread_t *thread, int8_t priority);

/* A handler with the kernel's hooks, which calls that, masked; the tick, which has none of them. */
void interrupt(void (*function)(void *), void *argument);
void tick_wakes(thread_t *thread);

void thread_tour(thread_t *other);
void mutex_tour(thread_t *low);

/* When the port tells that no thread is in the middle of a call. */
void idle_tour(thread_t *idle, thread_t *other);
void object_tour(thread_t *other);
void memory_tour(thread_t *other);

#endif
