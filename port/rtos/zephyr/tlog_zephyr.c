/* SPDX-License-Identifier: MIT */
/* tlog_zephyr.c - what the hooks of tlog_zephyr.h call. */
#if __has_include(<zephyr/kernel.h>)
#include <zephyr/kernel.h>
#include <zephyr/kernel_structs.h>
#else /* before 3.1 */
#include <kernel.h>
#include <kernel_structs.h>
#endif

#include "tlog_zephyr.h"

#if TLOG_ENABLE

uint32_t tlog_zephyr_messages[TLOG_CPUS];

/* Of each CPU, the thread that told why it is going to wait, until it waits. */
static const struct k_thread *told[TLOG_CPUS];

/* The idle thread has the lowest priority, which no other thread may have. */
static uint32_t context_of(const struct k_thread *thread)
{
    return thread->base.prio == K_IDLE_PRIO ? 0 : tlog_rtos_context((uintptr_t)thread);
}

void tlog_zephyr_name(struct k_thread *thread)
{
#if defined(CONFIG_THREAD_NAME)
    if (context_of(thread) != 0 && thread->name[0] != '\0')
        tlog_name(TLOG_NAME_TASK, context_of(thread), thread->name);
#else
    (void)thread;
#endif
}

/* Trap: the kernel may set the name later. */
void tlog_zephyr_create(struct k_thread *thread)
{
    if (context_of(thread) == 0) /* each CPU has one idle thread, from the start on */
        tlog_rtos_priority_order(TLOG_LOWEST_FIRST);
    tlog_rtos_task_create(context_of(thread), 0, thread->base.prio);
    tlog_zephyr_name(thread);
}

/* The scheduler calls this for every thread that ends. */
void tlog_zephyr_abort(struct k_thread *thread)
{
    tlog_rtos_task_delete(context_of(thread));
}

/* Trap: k_current_get() may be wrong here, because a thread's own storage is not switched yet. */
void tlog_zephyr_switched_in(void)
{
    tlog_rtos_switch(context_of(_current));
}

#if defined(CONFIG_USE_SWITCH) && defined(CONFIG_CPU_CORTEX_M)
/* The thread that leaves is still the running one. */
void tlog_zephyr_switched_out(void)
{
    tlog_rtos_switch(context_of(_kernel.ready_q.cache));
}
#endif

void tlog_zephyr_ready(struct k_thread *thread)
{
    tlog_rtos_ready(context_of(thread));
}

/* Called for inherited priorities, too. */
void tlog_zephyr_priority(struct k_thread *thread, int priority)
{
    tlog_rtos_priority(context_of(thread), priority);
}

/* For no time: the thread only yields. */
void tlog_zephyr_sleep(uint32_t ticks)
{
    if (ticks != 0)
        tlog_rtos_block(context_of(_current), TLOG_RTOS_delay, 0, ticks);
}

void tlog_zephyr_suspend(struct k_thread *thread)
{
    tlog_rtos_block(context_of(thread), TLOG_RTOS_suspend, TLOG_NAME_TASK, 0);
}

void tlog_zephyr_resume(struct k_thread *thread)
{
    tlog_rtos_object(TLOG_RTOS_resume, TLOG_NAME_TASK, context_of(thread), 0);
}

void tlog_zephyr_join(struct k_thread *thread)
{
    tlog_rtos_block(context_of(_current), TLOG_RTOS_join, TLOG_NAME_TASK, context_of(thread));
}

void tlog_zephyr_block(uint32_t operation, uint32_t kind, const void *object)
{
    told[tlog_cpu_number()] = _current;
    tlog_rtos_block(context_of(_current), operation, kind, (uintptr_t)object);
}

/* The kernel calls this for each wait except sleep. Trap: in k_thread_join() it does so before the hook that tells why.
 * A thread that is not the running one is a dummy, which carries a message. */
void tlog_zephyr_pend(const struct k_thread *thread)
{
    const struct k_thread **here = &told[tlog_cpu_number()];
    if (thread == _current && thread != *here)
        tlog_rtos_block(context_of(thread), TLOG_RTOS_wait, TLOG_NAME_OBJECT, 0);
    if (thread == *here)
        *here = 0;
}

void tlog_zephyr_object(uint32_t operation, uint32_t kind, const void *object, uint32_t value, int result)
{
    tlog_rtos_object(result != 0 ? operation | TLOG_RTOS_FAILED : operation, kind, (uintptr_t)object, value);
}

/* count: how often the owner has locked it; above 1 the owner holds it before and after. */
void tlog_zephyr_mutex(uint32_t operation, const void *mutex, uint32_t count, int result)
{
    uint32_t context = context_of(_current);
    tlog_zephyr_object(count > 1u && result == 0 ? operation | TLOG_RTOS_NESTED : operation, TLOG_NAME_MUTEX, mutex,
                       context, result);
}

/* Trap: the kernel checks only after this hook whether the thread may unlock the mutex. */
void tlog_zephyr_unlock(const struct k_mutex *mutex)
{
    tlog_zephyr_mutex(TLOG_RTOS_send, mutex, mutex->lock_count, mutex->owner != _current);
}

static void log_bits(uint32_t operation, const void *event, uint32_t bits)
{
    tlog_rtos_object(operation, TLOG_NAME_EVENT_GROUP, (uintptr_t)event, bits & 0xFFFFu);
}

void tlog_zephyr_wait_bits(const void *event, uint32_t bits)
{
    told[tlog_cpu_number()] = _current;
    log_bits(TLOG_RTOS_wait_bits, event, bits);
}

/* Posting events = 0 clears the bits of the mask. */
void tlog_zephyr_post(const void *event, uint32_t events, uint32_t mask)
{
    log_bits(events != 0 ? TLOG_RTOS_set_bits : TLOG_RTOS_clear_bits, event, events != 0 ? events : mask);
}

void tlog_zephyr_named_event(const char *name, uint32_t arg0, uint32_t arg1)
{
#if TLOG_TRACEEVENTS
    TLOG_PRINTK("%s: %u %u", name, (unsigned)arg0, (unsigned)arg1);
#else
    (void)name, (void)arg0, (void)arg1;
#endif
}

#endif
