/* SPDX-License-Identifier: MIT */
/* tlog_rtx5_waits.h - why a thread waits, who has a mutex, and objects' names: a part of tlog_rtx5.c, which alone
 * includes it. */
#ifndef TLOG_RTX5_WAITS_H
#define TLOG_RTX5_WAITS_H

/* ---- why a thread waits ------------------------------------------------------------------------------------------ */

#if TLOG_RTX5_TIER >= 1

/* Trap: the hook that tells the cause of a wait comes before EvrRtxThreadBlocked(). If the kernel is locked, the thread
 * does not wait but has a timeout at once. So the cause is kept here until EvrRtxThreadBlocked() is called. */
static struct {
    uint32_t operation, kind, bits;
    uintptr_t object;
} cause;

static void will_wait(uint32_t operation, uint32_t kind, const void *object)
{
    cause.operation = operation;
    cause.kind = kind;
    cause.object = (uintptr_t)object;
}

/* An operation failed. If its thread was about to wait, it does not wait. */
static void failed(uint32_t operation, uint32_t kind, const void *object)
{
    cause.operation = 0;
    if (TLOG_RTX5_TIER >= 2)
        tlog_rtos_object(operation | TLOG_RTOS_FAILED, kind, (uintptr_t)object, 0);
}

/* Trap: EvrRtxDelayStarted() comes after the switch, so a wait without a cause is taken for a delay. */
void EvrRtxThreadBlocked(osThreadId_t thread_id, uint32_t timeout)
{
    uint32_t context = context_of(thread_id);
    if (cause.operation == 0)
        tlog_rtos_block(context, TLOG_RTOS_delay, 0, timeout);
    else if (cause.operation == TLOG_RTOS_wait_bits)
        tlog_rtos_object(TLOG_RTOS_wait_bits, TLOG_NAME_EVENT_GROUP, cause.object, cause.bits);
    else
        tlog_rtos_block(context, cause.operation, cause.kind, cause.object);
    cause.operation = 0;
}

/* Private to this file: hooks that only keep a cause. */
#define TLOG_RTX5_WILL_WAIT(hook, id_type, operation, kind)                                                            \
    void hook(id_type id, uint32_t timeout)                                                                            \
    {                                                                                                                  \
        (void)timeout;                                                                                                 \
        will_wait(operation, kind, id);                                                                                \
    }
TLOG_RTX5_WILL_WAIT(EvrRtxSemaphoreAcquirePending, osSemaphoreId_t, TLOG_RTOS_receive, TLOG_NAME_SEMAPHORE)
TLOG_RTX5_WILL_WAIT(EvrRtxMemoryPoolAllocPending, osMemoryPoolId_t, TLOG_RTOS_receive, TLOG_NAME_MEMORY_POOL)

void EvrRtxMessageQueueGetPending(osMessageQueueId_t mq_id, void *msg_ptr, uint32_t timeout)
{
    (void)msg_ptr, (void)timeout;
    will_wait(TLOG_RTOS_receive, TLOG_NAME_QUEUE, mq_id);
}

void EvrRtxMessageQueuePutPending(osMessageQueueId_t mq_id, const void *msg_ptr, uint32_t timeout)
{
    (void)msg_ptr, (void)timeout;
    will_wait(TLOG_RTOS_send, TLOG_NAME_QUEUE, mq_id);
}

void EvrRtxEventFlagsWaitPending(osEventFlagsId_t ef_id, uint32_t flags, uint32_t options, uint32_t timeout)
{
    (void)options, (void)timeout;
    will_wait(TLOG_RTOS_wait_bits, TLOG_NAME_EVENT_GROUP, ef_id);
    cause.bits = flags;
}

void EvrRtxThreadFlagsWaitPending(uint32_t flags, uint32_t options, uint32_t timeout)
{
    (void)options, (void)timeout;
    will_wait(TLOG_RTOS_wait, TLOG_NAME_NOTIFICATION, (const void *)(uintptr_t)flags);
}

void EvrRtxThreadJoinPending(osThreadId_t thread_id)
{
    will_wait(TLOG_RTOS_join, TLOG_NAME_TASK, (const void *)(uintptr_t)context_of(thread_id));
}

/* ---- mutexes ----------------------------------------------------------------------------------------------------- */

static void tell_priority(const osRtxThread_t *thread)
{
    tlog_rtos_priority(context_of(thread), thread->priority);
}

/* Trap: there is no hook for inherited priorities. When this hook comes, the owner has already inherited. */
void EvrRtxMutexAcquirePending(osMutexId_t mutex_id, uint32_t timeout)
{
    const osRtxMutex_t *mutex = mutex_id;
    (void)timeout;
    if ((mutex->attr & osMutexPrioInherit) != 0 && mutex->owner_thread->priority != mutex->owner_thread->priority_base)
        tell_priority(mutex->owner_thread);
    will_wait(TLOG_RTOS_receive, TLOG_NAME_MUTEX, mutex);
}

/* If the owner inherited its priority from the thread that had the timeout, it has already lost it here. */
void EvrRtxMutexAcquireTimeout(osMutexId_t mutex_id)
{
    const osRtxMutex_t *mutex = mutex_id;
    if ((mutex->attr & osMutexPrioInherit) != 0 && cause.operation == 0)
        tell_priority(mutex->owner_thread);
    failed(TLOG_RTOS_receive, TLOG_NAME_MUTEX, mutex);
}

/* Trap: if the new owner had to wait, this is called while the thread that releases the mutex runs. The running thread
 * has just lost its inherited priority, if its priority is below the new owner's. */
void EvrRtxMutexAcquired(osMutexId_t mutex_id, uint32_t lock)
{
    const osRtxMutex_t *mutex = mutex_id;
    const osRtxThread_t *thread = running(), *owner = mutex->owner_thread;
    if (thread != 0 && thread != owner && (mutex->attr & osMutexPrioInherit) != 0 && thread->priority < owner->priority)
        tell_priority(thread);
    if (TLOG_RTX5_TIER < 2)
        return;
    if (lock == 1u)
        tlog_rtos_object(TLOG_RTOS_receive, TLOG_NAME_MUTEX, (uintptr_t)mutex, context_of(owner));
    else
        tlog_rtos_object(TLOG_RTOS_receive | TLOG_RTOS_NESTED, TLOG_NAME_MUTEX, (uintptr_t)mutex, 0);
}

/* ---- objects' names ---------------------------------------------------------------------------------------------- */

static void created(uint32_t kind, const void *object, const char *name, uint32_t size)
{
    tlog_rtos_begin();
    if (name != 0)
        tlog_name(kind, (uintptr_t)object, name);
    if (TLOG_RTX5_TIER >= 2)
        tlog_rtos_object(TLOG_RTOS_create, kind, (uintptr_t)object, size);
}

void EvrRtxMutexCreated(osMutexId_t mutex_id, const char *name)
{
    created(TLOG_NAME_MUTEX, mutex_id, name, 0);
}

void EvrRtxSemaphoreCreated(osSemaphoreId_t semaphore_id, const char *name)
{
    created(TLOG_NAME_SEMAPHORE, semaphore_id, name, ((const osRtxSemaphore_t *)semaphore_id)->max_tokens);
}

void EvrRtxMessageQueueCreated(osMessageQueueId_t mq_id, const char *name)
{
    created(TLOG_NAME_QUEUE, mq_id, name, ((const osRtxMessageQueue_t *)mq_id)->mp_info.max_blocks);
}

void EvrRtxEventFlagsCreated(osEventFlagsId_t ef_id, const char *name)
{
    created(TLOG_NAME_EVENT_GROUP, ef_id, name, 0);
}

void EvrRtxTimerCreated(osTimerId_t timer_id, const char *name)
{
    created(TLOG_NAME_TIMER, timer_id, name, 0);
}

void EvrRtxMemoryPoolCreated(osMemoryPoolId_t mp_id, const char *name)
{
    created(TLOG_NAME_MEMORY_POOL, mp_id, name, ((const osRtxMemoryPool_t *)mp_id)->mp_info.max_blocks);
}

/* A wait that timed out, or that was not allowed to begin. Trap: the hook of a timeout comes in SysTick, before the
 * wake-up. */
#define TLOG_RTX5_FAILED(hook, id_type, operation, kind)                                                               \
    void hook(id_type id)                                                                                              \
    {                                                                                                                  \
        failed(operation, kind, id);                                                                                   \
    }
TLOG_RTX5_FAILED(EvrRtxSemaphoreAcquireTimeout, osSemaphoreId_t, TLOG_RTOS_receive, TLOG_NAME_SEMAPHORE)
TLOG_RTX5_FAILED(EvrRtxMessageQueueGetTimeout, osMessageQueueId_t, TLOG_RTOS_receive, TLOG_NAME_QUEUE)
TLOG_RTX5_FAILED(EvrRtxMessageQueuePutTimeout, osMessageQueueId_t, TLOG_RTOS_send, TLOG_NAME_QUEUE)
TLOG_RTX5_FAILED(EvrRtxEventFlagsWaitTimeout, osEventFlagsId_t, TLOG_RTOS_wait, TLOG_NAME_EVENT_GROUP)
TLOG_RTX5_FAILED(EvrRtxMemoryPoolAllocTimeout, osMemoryPoolId_t, TLOG_RTOS_receive, TLOG_NAME_MEMORY_POOL)

void EvrRtxThreadFlagsWaitTimeout(osThreadId_t thread_id)
{
    failed(TLOG_RTOS_wait, TLOG_NAME_TASK, (const void *)(uintptr_t)context_of(thread_id));
}

/* Trap: all errors of a kind of object share one hook. osErrorNoMemory without an object means that creating one
 * failed. */
static void error_of(uint32_t kind, const void *object, int32_t status)
{
    cause.operation = 0;
    if (object == 0 && status == (int32_t)osErrorNoMemory)
        failed(TLOG_RTOS_create, kind, 0);
}

void EvrRtxThreadError(osThreadId_t thread_id, int32_t status)
{
    error_of(TLOG_NAME_TASK, thread_id, status);
}
#endif

#endif
