/* SPDX-License-Identifier: MIT */
/* tlog_zephyr.c - what the hooks of tlog_zephyr.h call. */
#if __has_include(<zephyr/kernel.h>)
#include <zephyr/kernel.h>
#include <zephyr/kernel_structs.h>
#else /* before 3.1 */
#include <kernel.h>
#include <kernel_structs.h>
#endif

#include "../tlog_rtos_idle.h"
#include "tlog_irq.h"
#include "tlog_zephyr.h"

#if TLOG_ENABLE

uint32_t tlog_zephyr_messages[TLOG_CPUS];

/* Of each CPU, the thread that told why it is going to wait, until it waits. */
static const struct k_thread *told_why[TLOG_CPUS];

/* What a thread is going to wait for, told before the kernel takes its lock: another one may run before it waits, or it
 * need not wait. So that is logged when the kernel says that it waits. Hooks of handlers do not come here. */
struct tlog_zephyr_plan {
    const struct k_thread *thread; /* 0: free */
    uint32_t operation, kind;
    uintptr_t object;
};
static struct tlog_zephyr_plan plans[TLOG_ZEPHYR_PLANS];
uint32_t tlog_zephyr_planned;

/* The idle thread has the lowest priority, which no other thread may have. */
TLOG_ALWAYS_INLINE uint32_t context_at(const struct k_thread *thread)
{
    return thread->base.prio == K_IDLE_PRIO ? 0 : tlog_rtos_context((uintptr_t)thread);
}

static __attribute__((noinline)) uint32_t context_of(const struct k_thread *thread)
{
    return context_at(thread);
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
    if (context_of(thread) == 0) { /* each CPU has one idle thread, from the start on */
        tlog_rtos_priority_order(TLOG_LOWEST_FIRST);
#if defined(CONFIG_TLOG_ZEPHYR_IRQ_TRACE)
        (void)tlog_irq_trace(); /* if it cannot, the kernel's hooks show interrupts */
#endif
    }
    tlog_rtos_task_create(context_of(thread), 0, thread->base.prio);
    tlog_zephyr_name(thread);
}

/* ---- plans to wait ----------------------------------------------------------------------------------------------- */

/* The states in which a thread cannot run; before it has begun it leaves no CPU. Up to 4.0 one that sleeps is
 * suspended. */
#if defined(_THREAD_SLEEPING)
#define TLOG_ZEPHYR_WAITING (_THREAD_PENDING | _THREAD_SUSPENDED | _THREAD_SLEEPING)
#else
#define TLOG_ZEPHYR_WAITING (_THREAD_PENDING | _THREAD_SUSPENDED)
#endif

static bool waits(const struct k_thread *thread)
{
    return (*(const volatile uint8_t *)&thread->base.thread_state & TLOG_ZEPHYR_WAITING) != 0;
}

/* The plan of the thread, or of none: a free one; or 0. */
static struct tlog_zephyr_plan *plan_of(const struct k_thread *thread)
{
    for (uint32_t i = 0; i < TLOG_ZEPHYR_PLANS; i++) {
        if (plans[i].thread == thread)
            return &plans[i];
    }
    return 0;
}

/* Take the plan of the thread away, into taken. */
static bool take_plan(const struct k_thread *thread, struct tlog_zephyr_plan *taken)
{
    unsigned int key = irq_lock();
    struct tlog_zephyr_plan *plan = plan_of(thread);
    if (plan != 0) {
        *taken = *plan;
        plan->thread = 0;
        tlog_zephyr_planned--;
    }
    irq_unlock(key);
    return plan != 0;
}

/* The running thread is going to wait, if nothing comes between. If too many are, it shows as if it waited now. */
void tlog_zephyr_plan(uint32_t operation, uint32_t kind, uintptr_t object)
{
    const struct k_thread *thread = _current;
    unsigned int key = irq_lock();
    struct tlog_zephyr_plan *plan = plan_of(thread);
    if (plan == 0) {
        plan = plan_of(0);
        tlog_zephyr_planned += plan != 0;
    }
    if (plan != 0)
        *plan = (struct tlog_zephyr_plan){thread, operation, kind, object};
    irq_unlock(key);
    if (plan == 0)
        tlog_rtos_block(context_of(thread), operation, kind, object);
}

/* The running thread does not wait, or has waited. */
void tlog_zephyr_drop_plan(void)
{
    struct tlog_zephyr_plan plan;
    (void)take_plan(_current, &plan);
}

/* Log why the thread, which waits, does so. Returns whether it had told. */
static bool log_plan(const struct k_thread *thread)
{
    struct tlog_zephyr_plan plan;
    if (tlog_zephyr_planned == 0 || !take_plan(thread, &plan))
        return false;
    tlog_rtos_block(context_of(thread), plan.operation, plan.kind, plan.object);
    return true;
}

/* In a switch: a handler may wake the thread at any time, and may have logged that shortly before this. */
static void log_plan_of_leaving(const struct k_thread *thread)
{
    if (waits(thread) && log_plan(thread) && !waits(thread))
        tlog_rtos_ready(context_of(thread));
}

#if defined(CONFIG_TLOG_ZEPHYR_WHY)
enum { TLOG_ZEPHYR_TELLS_WHY = true };
#else
enum { TLOG_ZEPHYR_TELLS_WHY = false };
#endif

/* With several CPUs threads move to other CPUs in the middle of a call. */
#if defined(CONFIG_SMP)
enum { TLOG_ZEPHYR_TELLS_IDLE = false };
#else
enum { TLOG_ZEPHYR_TELLS_IDLE = TLOG_CPUS == 1 };
#endif

/* ---- threads ----------------------------------------------------------------------------------------------------- */

/* The thread is ready, or ends. */
static void go_on(const struct k_thread *thread)
{
    if (tlog_rtos_stopped.count == 0)
        return;
    const unsigned int key = irq_lock();
    tlog_rtos_go_on((uintptr_t)thread);
    irq_unlock(key);
}

/* Another thread or a handler suspends the thread, or has done so. Whether it was ready is not asked: when the kernel
 * takes its lock that may have changed. */
static void stop(const struct k_thread *thread)
{
    const unsigned int key = irq_lock();
    tlog_rtos_stop((uintptr_t)thread);
    irq_unlock(key);
}

/* That thread runs next. The application's code in the idle thread, for power management, runs with interrupts or the
 * scheduler locked, so the idle thread is never preempted in the middle of a call. */
static __attribute__((noinline)) void tell_idle(void)
{
    tlog_rtos_tell_idle();
}

TLOG_ALWAYS_INLINE void switch_to(const struct k_thread *thread)
{
    const uint32_t context = context_at(thread);
    tlog_rtos_switch(context);
    if (TLOG_ZEPHYR_TELLS_IDLE && __builtin_expect(context == 0, 0))
        tell_idle();
}

/* The scheduler calls this for every thread that ends. */
void tlog_zephyr_abort(struct k_thread *thread)
{
    struct tlog_zephyr_plan plan;
    go_on(thread);
    (void)take_plan(thread, &plan);
    tlog_rtos_task_delete(context_of(thread));
}

/* Trap: k_current_get() may be wrong here, because a thread's own storage is not switched yet. */
void tlog_zephyr_switched_in(void)
{
    switch_to(_current);
}

/* The thread that leaves is still the running one. */
void tlog_zephyr_switched_out(void)
{
    if (tlog_zephyr_planned != 0)
        log_plan_of_leaving(_current);
#if defined(CONFIG_USE_SWITCH) && defined(CONFIG_CPU_CORTEX_M)
    switch_to(_kernel.ready_q.cache);
#endif
}

void tlog_zephyr_ready(struct k_thread *thread)
{
    go_on(thread);
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
        tlog_zephyr_plan(TLOG_RTOS_delay, 0, ticks);
}

/* Another thread shows as suspended when it is. */
void tlog_zephyr_suspend(struct k_thread *thread)
{
    if (thread != _current || k_is_in_isr())
        stop(thread);
    if (thread == _current && TLOG_ZEPHYR_TELLS_WHY)
        tlog_zephyr_plan(TLOG_RTOS_suspend, TLOG_NAME_TASK, 0);
}

/* A handler may have resumed the thread before this call, or may do so during it. Or this call is in a handler, and the
 * running thread will leave soon. Trap: ahead of the suspension the thread may have become ready, and be forgotten as
 * stopped. */
void tlog_zephyr_suspended(struct k_thread *thread)
{
    if (thread == _current && !waits(thread))
        tlog_zephyr_drop_plan();
    if (thread == _current || !waits(thread))
        return;
    stop(thread);
    if (!TLOG_ZEPHYR_TELLS_WHY)
        return;
    tlog_rtos_block(context_of(thread), TLOG_RTOS_suspend, TLOG_NAME_TASK, 0);
    if (!waits(thread))
        tlog_rtos_ready(context_of(thread));
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
    told_why[tlog_cpu_number()] = _current;
    tlog_rtos_block(context_of(_current), operation, kind, (uintptr_t)object);
}

/* The kernel calls this for each wait except sleep. Trap: in k_thread_join() it does so before the hook that tells why.
 * A thread that is not the running one is a dummy, which carries a message. */
void tlog_zephyr_pend(const struct k_thread *thread)
{
    const struct k_thread **here = &told_why[tlog_cpu_number()];
    if (thread == _current && thread != *here && !log_plan(thread))
        tlog_rtos_block(context_of(thread), TLOG_RTOS_wait, TLOG_NAME_OBJECT, 0);
    if (thread == *here)
        *here = 0;
}

/* count: how often the owner has locked it; above 1 the owner holds it before and after. The usual case is inline. */
TLOG_ALWAYS_INLINE void log_mutex(uint32_t operation, const struct k_mutex *mutex, int result)
{
    uint32_t context = tlog_rtos_context((uintptr_t)_current); /* never the idle thread */
    if (result == 0 && mutex->lock_count <= 1u)
        tlog_record(operation == TLOG_RTOS_send ? FTrace_EVT_set_mutex_unlock : FTrace_EVT_set_mutex_lock, context,
                    (uint32_t)(uintptr_t)mutex);
    else
        tlog_zephyr_object(operation | TLOG_RTOS_NESTED, TLOG_NAME_MUTEX, mutex, context, result);
}

void tlog_zephyr_lock(const struct k_mutex *mutex, int result)
{
    log_mutex(TLOG_RTOS_receive, mutex, result);
}

/* Trap: the kernel checks only after this hook whether the thread may unlock the mutex. */
void tlog_zephyr_unlock(const struct k_mutex *mutex)
{
    log_mutex(TLOG_RTOS_send, mutex, mutex->owner != _current);
}

static void log_bits(uint32_t operation, const void *event, uint32_t bits)
{
    tlog_rtos_object(operation, TLOG_NAME_EVENT_GROUP, (uintptr_t)event, bits & 0xFFFFu);
}

void tlog_zephyr_wait_bits(const void *event, uint32_t bits)
{
    told_why[tlog_cpu_number()] = _current;
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
