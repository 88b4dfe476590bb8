/* SPDX-License-Identifier: MIT */
/* tlog_riot.c - RIOT's threads and mutexes, by the calls of tlog_rtos.h. An example of a port to a kernel that has one
 * hook, of the switch (the module sched_cb): the linker wraps functions of the kernel around it, as
 * Makefile.include beside this file says. What it shows is in README.md of the folder above.
 *
 * A thread's context is its pid. Everything is logged with interrupts masked, as the kernel calls it, but for the
 * unlock of a mutex, which is told ahead. */
#include "mutex.h"
#include "sched.h"
#include "thread.h"
#include "irq.h"

#include "tlog_rtos.h"

#if TLOG_ENABLE

/* By pid: what a thread is going to wait for, as far as the API tells it. */
static struct tlog_rtos_plan plans[KERNEL_PID_LAST + 1];

/* ---- what threads wait for --------------------------------------------------------------------------------------- */

/* By the state in which a thread leaves. What is not told by a plan has the thread as its object: its messages, its
 * flags. */
static void tell_wait(const thread_t *thread)
{
    uint32_t context = (uint32_t)thread->pid;
    switch (thread->status) {
    case STATUS_MUTEX_BLOCKED:
        tlog_rtos_waits(context, &plans[context]);
        break;
    case STATUS_SLEEPING:
        tlog_rtos_block(context, TLOG_RTOS_suspend, TLOG_NAME_TASK, context);
        break;
    case STATUS_RECEIVE_BLOCKED:
    case STATUS_REPLY_BLOCKED:
        tlog_rtos_block(context, TLOG_RTOS_receive, TLOG_NAME_MAILBOX, (uintptr_t)thread);
        break;
    case STATUS_SEND_BLOCKED:
        tlog_rtos_block(context, TLOG_RTOS_send, TLOG_NAME_MAILBOX, 0);
        break;
    case STATUS_FLAG_BLOCKED_ANY:
    case STATUS_FLAG_BLOCKED_ALL:
        tlog_rtos_block(context, TLOG_RTOS_wait, TLOG_NAME_EVENT_GROUP, (uintptr_t)thread);
        break;
    default: /* a condition, a mailbox, the end */
        tlog_rtos_block(context, TLOG_RTOS_wait, TLOG_NAME_OBJECT, 0);
        break;
    }
}

/* ---- switches ---------------------------------------------------------------------------------------------------- */

static kernel_pid_t running; /* KERNEL_PID_UNDEF: none, the CPU is idle */

/* A thread that has ended leaves without a call, and its pid is free then. */
static void run(kernel_pid_t next)
{
    if (running != KERNEL_PID_UNDEF && thread_get(running) == NULL)
        tlog_rtos_task_delete((uint32_t)running);
    running = next;
    tlog_rtos_switch((uint32_t)next);
}

/* The kernel calls this twice in a switch, once for the thread that leaves and once for the next one; the other pid is
 * KERNEL_PID_UNDEF. */
static void on_switch(kernel_pid_t leaving, kernel_pid_t next)
{
    const thread_t *thread = thread_get(leaving);
    if (leaving == KERNEL_PID_UNDEF)
        run(next);
    else if (thread != NULL && thread->status < STATUS_ON_RUNQUEUE)
        tell_wait(thread);
}

/* There is no idle thread: the scheduler waits by WFI, in a loop, until there is a thread. */
void __real_sched_arch_idle(void);
void __wrap_sched_arch_idle(void);
void __wrap_sched_arch_idle(void)
{
    if (running != KERNEL_PID_UNDEF)
        run(KERNEL_PID_UNDEF);
    __real_sched_arch_idle();
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

static void create(const thread_t *thread)
{
    const char *name = thread_getname(thread->pid);
    sched_register_cb(on_switch);
    tlog_rtos_priority_order(TLOG_LOWEST_FIRST);
    tlog_rtos_task_create((uint32_t)thread->pid, name, thread->priority);
}

/* A thread becomes ready, or is going to wait, which the switch tells. The first change of a thread is its creation,
 * the last one its end, if another thread has ended it. */
void __real_sched_set_status(thread_t *thread, thread_status_t status);
void __wrap_sched_set_status(thread_t *thread, thread_status_t status);
void __wrap_sched_set_status(thread_t *thread, thread_status_t status)
{
    if (thread->status == STATUS_STOPPED)
        create(thread);
    if (status == STATUS_STOPPED)
        tlog_rtos_task_delete((uint32_t)thread->pid);
    else if (status >= STATUS_ON_RUNQUEUE && thread->status < STATUS_ON_RUNQUEUE)
        tlog_rtos_ready((uint32_t)thread->pid);
    __real_sched_set_status(thread, status);
}

/* Priorities that mutexes give and take, too. The kernel may switch inside. */
void __real_sched_change_priority(thread_t *thread, uint8_t priority);
void __wrap_sched_change_priority(thread_t *thread, uint8_t priority);
void __wrap_sched_change_priority(thread_t *thread, uint8_t priority)
{
    if (thread->priority != priority)
        tlog_rtos_priority((uint32_t)thread->pid, priority);
    __real_sched_change_priority(thread, priority);
}

/* ---- mutexes ----------------------------------------------------------------------------------------------------- */

static uint32_t running_context(void)
{
    return irq_is_in() ? TLOG_RTOS_NO_TASK : (uint32_t)thread_getpid();
}

static void tell_lock(const mutex_t *mutex)
{
    tlog_rtos_object(TLOG_RTOS_receive, TLOG_NAME_MUTEX, (uintptr_t)mutex, running_context());
}

static struct tlog_rtos_plan *plan_wait(const mutex_t *mutex)
{
    struct tlog_rtos_plan *plan = &plans[running_context()];
    tlog_rtos_will_wait(plan, TLOG_RTOS_receive, TLOG_NAME_MUTEX, (uintptr_t)mutex);
    return plan;
}

/* A mutex that is free is locked at once. Otherwise the thread waits, and has the mutex when it goes on. */
bool __real_mutex_lock_internal(mutex_t *mutex, bool block);
bool __wrap_mutex_lock_internal(mutex_t *mutex, bool block);
bool __wrap_mutex_lock_internal(mutex_t *mutex, bool block)
{
    struct tlog_rtos_plan *plan;
    unsigned state = irq_disable();
    bool is_free = mutex->queue.next == NULL, is_locked;
    if (is_free) {
        tell_lock(mutex);
        is_locked = __real_mutex_lock_internal(mutex, block);
        irq_restore(state);
        return is_locked;
    }
    irq_restore(state);
    plan = plan_wait(mutex);
    is_locked = __real_mutex_lock_internal(mutex, block);
    plan->what = 0;
    if (is_locked)
        tell_lock(mutex);
    return is_locked;
}

/* The lock of a mutex that may time out. */
int __real_mutex_lock_cancelable(mutex_cancel_t *cancel);
int __wrap_mutex_lock_cancelable(mutex_cancel_t *cancel);
int __wrap_mutex_lock_cancelable(mutex_cancel_t *cancel)
{
    struct tlog_rtos_plan *plan = plan_wait(cancel->mutex);
    int result = __real_mutex_lock_cancelable(cancel);
    plan->what = 0;
    if (result == 0)
        tell_lock(cancel->mutex);
    return result;
}

/* Handlers unlock mutexes, too: that is how a thread sleeps for a time. */
void __real_mutex_unlock(mutex_t *mutex);
void __wrap_mutex_unlock(mutex_t *mutex);
void __wrap_mutex_unlock(mutex_t *mutex)
{
    if (mutex->queue.next != NULL)
        tlog_rtos_object(TLOG_RTOS_send, TLOG_NAME_MUTEX, (uintptr_t)mutex, running_context());
    __real_mutex_unlock(mutex);
}

#endif
