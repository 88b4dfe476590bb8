/* kernel.c - what stands in for RIOT's sched.c and mutex.c. */
#include "kernel.h"

#include "expect.h"
#include "irq.h"

volatile thread_t *sched_threads[KERNEL_PID_LAST + 1];
volatile kernel_pid_t sched_active_pid;
void (*volatile kernel_handler)(void *);
void *volatile kernel_argument;
void (*kernel_meanwhile)(void);
sched_callback_t kernel_callback;

const char *thread_getname(kernel_pid_t pid)
{
    return thread_get(pid)->name;
}

void sched_register_cb(sched_callback_t to)
{
    note_hook("sched_register_cb");
    kernel_callback = to;
}

void sched_set_status(thread_t *thread, thread_status_t status)
{
    note_hook("sched_set_status");
    thread->status = status;
}

void sched_change_priority(thread_t *thread, uint8_t priority)
{
    note_hook("sched_change_priority");
    thread->priority = priority;
}

void sched_arch_idle(void)
{
    void (*handler)(void *) = kernel_handler;
    note_hook("sched_arch_idle");
    kernel_handler = NULL;
    if (handler != NULL)
        in(IRQ, handler, kernel_argument);
}

bool mutex_lock_internal(mutex_t *mutex, bool block)
{
    note_hook("mutex_lock_internal");
    if (mutex->queue.next == NULL)
        mutex->queue.next = MUTEX_LOCKED;
    else if (!block)
        return false;
    else
        kernel_meanwhile();
    return true;
}

/* It is cancelled, if the mutex is not given meanwhile. */
int mutex_lock_cancelable(mutex_cancel_t *cancel)
{
    note_hook("mutex_lock_cancelable");
    if (cancel->mutex->queue.next != NULL)
        kernel_meanwhile();
    if (cancel->mutex->queue.next != NULL)
        return -1;
    cancel->mutex->queue.next = MUTEX_LOCKED;
    return 0;
}

void mutex_unlock(mutex_t *mutex)
{
    note_hook("mutex_unlock");
    mutex->queue.next = NULL;
}
