/* SPDX-License-Identifier: MIT */
/* tlog_rtx5.c - CMSIS-RTX5 in the trace: threads and why they wait, message queues, semaphores, mutexes, timers,
 * event and thread flags, memory pools, heap, sleep. The kernel is not patched, and the application calls nothing.
 *
 *   1. Compile this file with the firmware, and link it as an object. Trap: if it were in an archive, the linker would
 *      keep the kernel's own weak functions.
 *   2. Build the kernel from its sources. Trap: its ready-made libraries are built with EVR_RTX_DISABLE, and call no
 *      hook. Leave RTE_CMSIS_View_EventRecorder undefined, and OS_EVR_* in RTX_Config.h as they are.
 *
 * TLOG_RTX5_TIER is the highest tier that is compiled; for higher ones the kernel's empty functions stay:
 *
 *   0  threads: switches, wake-ups, names, priorities, ends
 *   1  why a thread waits; suspended and resumed threads; inherited priorities; names of objects
 *   2  mutexes, semaphores, message queues, event flags, thread flags, timers, memory pools
 *   3  heap, with the bytes in use; sleep between osKernelSuspend() and osKernelResume(), after which the clock is
 *      advanced by the time it stood still
 *
 * The context of a thread is made from the address of its control block; that of the idle thread is 0. Thread flags
 * show as task_notify and notification_wait, whose index is the flags.
 *
 * Trap: interrupts are not masked in hooks, and hooks at the beginning of a call run with the thread's privilege, where
 * masking may have no effect. That does no harm: tlog takes no lock. Of the hooks here only EvrRtxTimerCallback(), in
 * the kernel's timer thread, and EvrRtxKernelResume(), in the thread that has slept, are called in thread mode; all
 * others in SVC, PendSV, SysTick or the application's handlers. Trap: there is no hook for ticks. If no event comes for
 * longer than the clock takes to wrap, time is lost; a timer may call tlog_tick() to prevent that. Trap: there is no
 * hook for handlers; tlog_irq_trace() shows them. What a handler does to an object shows in the handler, but the
 * threads that it wakes show later, in PendSV. */
#include "rtx_os.h"

#include "rtx_evr.h"

#include "../tlog_rtos_idle.h"

#if TLOG_ENABLE

#ifndef TLOG_RTX5_TIER
#define TLOG_RTX5_TIER 3
#endif

void EvrRtxKernelInitialized(void)
{
    tlog_rtos_priority_order(TLOG_HIGHEST_FIRST);
}

/* ---- interrupts -------------------------------------------------------------------------------------------------- */

/* Mask interrupts, which returns what unmask_handlers() puts back; whether they are masked. */
#if __ARM_ARCH_PROFILE == 'M'
static uint32_t mask_of_handlers(void)
{
    uint32_t mask;
    __asm volatile("mrs %0, primask" : "=r"(mask)::"memory");
    return mask;
}

static void unmask_handlers(uint32_t mask)
{
    __asm volatile("msr primask, %0" ::"r"(mask) : "memory");
}
#else
static uint32_t mask_of_handlers(void)
{
    uint32_t state;
    __asm volatile("mrs %0, cpsr" : "=r"(state)::"memory");
    return state >> 7 & 1u;
}

static void unmask_handlers(uint32_t mask)
{
    if (mask == 0)
        __asm volatile("cpsie i" ::: "memory");
}
#endif

static uint32_t mask_handlers(void)
{
    const uint32_t before = mask_of_handlers();
    __asm volatile("cpsid i" ::: "memory");
    return before;
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

/* Trap: the kernel notes which thread is idle only after the hook of its creation. So it is recognised by its
 * function. */
static uint32_t context_of(const osRtxThread_t *thread)
{
    if (thread == 0 || thread->thread_addr == (uint32_t)(uintptr_t)osRtxIdleThread)
        return 0;
    return tlog_rtos_context((uintptr_t)thread);
}

/* Trap: during a switch this is still the thread that leaves. NULL before the kernel has started. */
static const osRtxThread_t *running(void)
{
    return osRtxInfo.thread.run.curr;
}

static const osRtxThread_t *suspended, *ended; /* logged already, before the switch that follows */

/* Trap: this hook comes after the priority is set, and there is no further hook when the new thread becomes ready. */
void EvrRtxThreadCreated(osThreadId_t thread_id, uint32_t thread_addr, const char *name)
{
    const osRtxThread_t *thread = thread_id;
    uint32_t context = context_of(thread);
    (void)thread_addr;
    tlog_rtos_task_create(context, context != 0 ? name : 0, thread->priority);
    tlog_rtos_ready(context);
}

/* Trap: a thread that ends itself is destroyed after its switch; the kernel then tells that no thread is running. */
void EvrRtxThreadDestroyed(osThreadId_t thread_id)
{
    tlog_rtos_go_on((uintptr_t)thread_id);
    if (thread_id != ended)
        tlog_rtos_task_delete(context_of(thread_id));
    ended = 0;
}

/* Trap: the state of the thread that leaves is already the new one, unless it was suspended or ends. */
void EvrRtxThreadSwitched(osThreadId_t thread_id)
{
    const osRtxThread_t *leaves = running();
    if (leaves != 0 && leaves != thread_id && leaves != suspended && leaves->state == osRtxThreadRunning) {
        tlog_rtos_task_delete(context_of(leaves));
        ended = leaves;
    }
    suspended = 0;
    tlog_rtos_switch(context_of(thread_id));
}

void EvrRtxThreadUnblocked(osThreadId_t thread_id, uint32_t ret_val)
{
    (void)ret_val;
    tlog_rtos_ready(context_of(thread_id));
}

/* Whether a thread that is suspended was stopped: by another thread, or by a handler. Trap: the hook comes before the
 * kernel changes the state of a single thread, and behind that if a class of threads is suspended, which loses what the
 * thread waited for; then the thread may have been ready. */
static bool is_stopped(const osRtxThread_t *thread)
{
    const bool waits = thread->state >> 4 != 0;
    return thread->state != osRtxThreadRunning && !waits;
}

/* Trap: there is no EvrRtxThreadBlocked() for a thread that suspends itself. */
void EvrRtxThreadSuspended(osThreadId_t thread_id)
{
    if (is_stopped(thread_id))
        tlog_rtos_stop((uintptr_t)thread_id);
    suspended = thread_id;
    if (TLOG_RTX5_TIER >= 1)
        tlog_rtos_block(context_of(thread_id), TLOG_RTOS_suspend, TLOG_NAME_TASK, 0);
}

/* Trap: the thread is ready then, but EvrRtxThreadUnblocked() is not called. */
void EvrRtxThreadResumed(osThreadId_t thread_id)
{
    uint32_t context = context_of(thread_id);
    tlog_rtos_go_on((uintptr_t)thread_id);
    if (TLOG_RTX5_TIER >= 1)
        tlog_rtos_object(TLOG_RTOS_resume, TLOG_NAME_TASK, context, 0);
    tlog_rtos_ready(context);
}

/* Called by the idle thread, or in a call of the kernel that it makes. Trap: other threads may have its priority. */
static void tell_idle(void)
{
    if (running() != 0 && context_of(running()) == 0 && osRtxInfo.thread.ready.thread_list == 0)
        tlog_rtos_tell_idle();
}

/* Trap: the application writes osRtxIdleThread(), which may log. Masked, so that no other thread runs between the
 * question and the answer; without privilege the thread cannot mask, and tells nothing. */
void tlog_rtos_idle(void)
{
    const uint32_t mask = mask_handlers();
    if (mask_of_handlers() != 0)
        tell_idle();
    unmask_handlers(mask);
}

/* Trap: called for osThreadSetPriority() only. For inherited priorities see the mutexes below. */
void EvrRtxThreadPriorityUpdated(osThreadId_t thread_id, osPriority_t priority)
{
    tlog_rtos_priority(context_of(thread_id), (int32_t)priority);
}

#include "tlog_rtx5_waits.h"

/* ---- what is done to objects ------------------------------------------------------------------------------------- */

#if TLOG_RTX5_TIER >= 2

#define TLOG_RTX5_ERROR_OF(hook, id_type, kind)                                                                        \
    void hook(id_type id, int32_t status)                                                                              \
    {                                                                                                                  \
        error_of(kind, id, status);                                                                                    \
    }
TLOG_RTX5_ERROR_OF(EvrRtxMutexError, osMutexId_t, TLOG_NAME_MUTEX)
TLOG_RTX5_ERROR_OF(EvrRtxSemaphoreError, osSemaphoreId_t, TLOG_NAME_SEMAPHORE)
TLOG_RTX5_ERROR_OF(EvrRtxMessageQueueError, osMessageQueueId_t, TLOG_NAME_QUEUE)
TLOG_RTX5_ERROR_OF(EvrRtxEventFlagsError, osEventFlagsId_t, TLOG_NAME_EVENT_GROUP)
TLOG_RTX5_ERROR_OF(EvrRtxTimerError, osTimerId_t, TLOG_NAME_TIMER)
TLOG_RTX5_ERROR_OF(EvrRtxMemoryPoolError, osMemoryPoolId_t, TLOG_NAME_MEMORY_POOL)

static void object(uint32_t operation, uint32_t kind, const void *id, uint32_t value)
{
    tlog_rtos_object(operation, kind, (uintptr_t)id, value);
    if (operation == TLOG_RTOS_delete)
        tlog_forget(kind, (uintptr_t)id);
}

/* Hooks that tell nothing but an object. */
#define TLOG_RTX5_OBJECT(hook, id_type, operation, kind)                                                               \
    void hook(id_type id)                                                                                              \
    {                                                                                                                  \
        object(operation, kind, id, 0);                                                                                \
    }
TLOG_RTX5_OBJECT(EvrRtxMutexDestroyed, osMutexId_t, TLOG_RTOS_delete, TLOG_NAME_MUTEX)
TLOG_RTX5_OBJECT(EvrRtxSemaphoreDestroyed, osSemaphoreId_t, TLOG_RTOS_delete, TLOG_NAME_SEMAPHORE)
TLOG_RTX5_OBJECT(EvrRtxMessageQueueDestroyed, osMessageQueueId_t, TLOG_RTOS_delete, TLOG_NAME_QUEUE)
TLOG_RTX5_OBJECT(EvrRtxEventFlagsDestroyed, osEventFlagsId_t, TLOG_RTOS_delete, TLOG_NAME_EVENT_GROUP)
TLOG_RTX5_OBJECT(EvrRtxTimerDestroyed, osTimerId_t, TLOG_RTOS_delete, TLOG_NAME_TIMER)
TLOG_RTX5_OBJECT(EvrRtxMemoryPoolDestroyed, osMemoryPoolId_t, TLOG_RTOS_delete, TLOG_NAME_MEMORY_POOL)
TLOG_RTX5_OBJECT(EvrRtxMutexNotAcquired, osMutexId_t, TLOG_RTOS_receive | TLOG_RTOS_FAILED, TLOG_NAME_MUTEX)
TLOG_RTX5_OBJECT(EvrRtxSemaphoreNotAcquired, osSemaphoreId_t, TLOG_RTOS_receive | TLOG_RTOS_FAILED, TLOG_NAME_SEMAPHORE)
TLOG_RTX5_OBJECT(EvrRtxMemoryPoolAllocFailed, osMemoryPoolId_t, TLOG_RTOS_receive | TLOG_RTOS_FAILED,
                 TLOG_NAME_MEMORY_POOL)
TLOG_RTX5_OBJECT(EvrRtxMessageQueueResetDone, osMessageQueueId_t, TLOG_RTOS_reset, TLOG_NAME_QUEUE)
TLOG_RTX5_OBJECT(EvrRtxTimerStarted, osTimerId_t, TLOG_RTOS_start, TLOG_NAME_TIMER)
TLOG_RTX5_OBJECT(EvrRtxTimerStopped, osTimerId_t, TLOG_RTOS_stop, TLOG_NAME_TIMER)

/* Trap: lock is the count after the release; the priority is still the inherited one. */
void EvrRtxMutexReleased(osMutexId_t mutex_id, uint32_t lock)
{
    const osRtxMutex_t *mutex = mutex_id;
    object(TLOG_RTOS_send | (lock != 0 ? TLOG_RTOS_NESTED : 0), TLOG_NAME_MUTEX, mutex,
           context_of(mutex->owner_thread));
}

/* Trap: if a token goes to a waiting thread, this is called while the thread that gives it runs, and the count stays
 * the same. */
void EvrRtxSemaphoreAcquired(osSemaphoreId_t semaphore_id, uint32_t tokens)
{
    object(TLOG_RTOS_receive, TLOG_NAME_SEMAPHORE, semaphore_id, tokens);
}

void EvrRtxSemaphoreReleased(osSemaphoreId_t semaphore_id, uint32_t tokens)
{
    object(TLOG_RTOS_send, TLOG_NAME_SEMAPHORE, semaphore_id, tokens);
}

/* Trap: a message for a waiting thread is never in the queue. Trap: a message that a handler sends is logged later,
 * when it gets into the queue, and the count does not include it yet. */
void EvrRtxMessageQueueInserted(osMessageQueueId_t mq_id, const void *msg_ptr)
{
    (void)msg_ptr;
    object(TLOG_RTOS_send, TLOG_NAME_QUEUE, mq_id, ((const osRtxMessageQueue_t *)mq_id)->msg_count);
}

void EvrRtxMessageQueueRetrieved(osMessageQueueId_t mq_id, void *msg_ptr)
{
    (void)msg_ptr;
    object(TLOG_RTOS_receive, TLOG_NAME_QUEUE, mq_id, ((const osRtxMessageQueue_t *)mq_id)->msg_count);
}

void EvrRtxMessageQueueNotInserted(osMessageQueueId_t mq_id, const void *msg_ptr)
{
    (void)msg_ptr;
    object(TLOG_RTOS_send | TLOG_RTOS_FAILED, TLOG_NAME_QUEUE, mq_id, 0);
}

void EvrRtxMessageQueueNotRetrieved(osMessageQueueId_t mq_id, void *msg_ptr)
{
    (void)msg_ptr;
    object(TLOG_RTOS_receive | TLOG_RTOS_FAILED, TLOG_NAME_QUEUE, mq_id, 0);
}

/* Trap: only a hook at the beginning of the call, which runs with the thread's privilege, tells which bits are being
 * set. So this hook, which comes after threads have been woken, logs all bits that are set then. */
void EvrRtxEventFlagsSetDone(osEventFlagsId_t ef_id, uint32_t event_flags)
{
    object(TLOG_RTOS_set_bits, TLOG_NAME_EVENT_GROUP, ef_id, event_flags & 0xFFFFu);
}

/* event_flags: as they were before the call. */
void EvrRtxEventFlagsClearDone(osEventFlagsId_t ef_id, uint32_t event_flags)
{
    uint32_t cleared = event_flags & ~((const osRtxEventFlags_t *)ef_id)->event_flags;
    object(TLOG_RTOS_clear_bits, TLOG_NAME_EVENT_GROUP, ef_id, cleared & 0xFFFFu);
}

void EvrRtxEventFlagsWaitCompleted(osEventFlagsId_t ef_id, uint32_t flags, uint32_t options, uint32_t event_flags)
{
    (void)flags, (void)options, (void)event_flags;
    object(TLOG_RTOS_wait, TLOG_NAME_EVENT_GROUP, ef_id, 0);
}

void EvrRtxEventFlagsWaitNotCompleted(osEventFlagsId_t ef_id, uint32_t flags, uint32_t options)
{
    (void)flags, (void)options;
    object(TLOG_RTOS_wait | TLOG_RTOS_FAILED, TLOG_NAME_EVENT_GROUP, ef_id, 0);
}

void EvrRtxThreadFlagsSetDone(osThreadId_t thread_id, uint32_t thread_flags)
{
    object(TLOG_RTOS_notify, TLOG_NAME_TASK, (const void *)(uintptr_t)thread_flags, context_of(thread_id));
}

void EvrRtxThreadFlagsWaitCompleted(uint32_t flags, uint32_t options, uint32_t thread_flags, osThreadId_t thread_id)
{
    (void)options, (void)thread_flags, (void)thread_id;
    object(TLOG_RTOS_wait, TLOG_NAME_NOTIFICATION, (const void *)(uintptr_t)flags, 0);
}

void EvrRtxThreadFlagsWaitNotCompleted(uint32_t flags, uint32_t options)
{
    (void)options;
    object(TLOG_RTOS_wait | TLOG_RTOS_FAILED, TLOG_NAME_NOTIFICATION, (const void *)(uintptr_t)flags, 0);
}

/* Trap: the thread that waited has not run yet. */
void EvrRtxThreadJoined(osThreadId_t thread_id)
{
    object(TLOG_RTOS_join, TLOG_NAME_TASK, (const void *)(uintptr_t)context_of(thread_id), 0);
}

/* Trap: the timer is not an argument, and there is no hook after the call. */
void EvrRtxTimerCallback(osTimerFunc_t func, void *argument)
{
    (void)argument;
    object(TLOG_RTOS_call, 0, (const void *)((uintptr_t)func & ~(uintptr_t)1), 0);
}

/* The count is the number of free blocks. */
static void pool(uint32_t operation, osMemoryPoolId_t mp_id)
{
    const osRtxMpInfo_t *info = &((const osRtxMemoryPool_t *)mp_id)->mp_info;
    object(operation, TLOG_NAME_MEMORY_POOL, mp_id, info->max_blocks - info->used_blocks);
}

void EvrRtxMemoryPoolAllocated(osMemoryPoolId_t mp_id, void *block)
{
    (void)block;
    pool(TLOG_RTOS_receive, mp_id);
}

void EvrRtxMemoryPoolDeallocated(osMemoryPoolId_t mp_id, void *block)
{
    (void)block;
    pool(TLOG_RTOS_send, mp_id);
}

void EvrRtxMemoryPoolFreeFailed(osMemoryPoolId_t mp_id, void *block)
{
    (void)block;
    object(TLOG_RTOS_send | TLOG_RTOS_FAILED, TLOG_NAME_MEMORY_POOL, mp_id, 0);
}
#endif

/* ---- heap, sleep, errors ----------------------------------------------------------------------------------------- */

#if TLOG_RTX5_TIER >= 3

/* Trap: the hook does not tell the bytes in use. They are in the second word of a heap; there are up to four heaps,
 * some of which may be the same. */
static uint32_t bytes_in_use(void)
{
    const uint32_t *heaps[] = {osRtxInfo.mem.common, osRtxInfo.mem.stack, osRtxInfo.mem.mp_data, osRtxInfo.mem.mq_data};
    uint32_t all = 0;
    for (uint32_t i = 0; i < sizeof heaps / sizeof *heaps; i++) {
        if (heaps[i] != 0 && (i == 0 || heaps[i] != heaps[0]))
            all += heaps[i][1];
    }
    return all;
}

static uint32_t in_use;

void EvrRtxMemoryAlloc(void *mem, uint32_t size, uint32_t type, void *block)
{
    (void)mem, (void)type;
    tlog_rtos_begin();
    in_use = bytes_in_use();
    if (block == 0)
        tlog_record_emergency(TLOG_RTOS_fail << 4 | TLOG_RTOS_FAMILY, TLOG_RTOS_REASON(TLOG_RTOS_allocate, 0), size);
    else
        tlog_rtos_object(TLOG_RTOS_allocate, 0, in_use, size);
}

/* Trap: the hook does not tell how many bytes are freed. It is computed from the bytes in use, so it is more than were
 * asked for. */
void EvrRtxMemoryFree(void *mem, void *block, uint32_t result)
{
    uint32_t before = in_use;
    (void)mem, (void)block;
    in_use = bytes_in_use();
    if (result != 0)
        tlog_rtos_object(TLOG_RTOS_free, 0, in_use, before - in_use);
}

static uint32_t sleep_clock; /* when the sleep began */

static uint32_t clock_now(void)
{
    tlog_ring_start_all();
    return tlog_port_now_at(tlog_cpu_here()->clock);
}

void EvrRtxKernelSuspended(uint32_t sleep_ticks)
{
    (void)sleep_ticks;
    tlog_tick();
    tell_idle();
    tlog_sleep_begin();
    sleep_clock = clock_now();
    tlog_rtos_object(TLOG_RTOS_sleep_begin, 0, osRtxInfo.kernel.tick, 0);
}

/* Trap: EvrRtxKernelResumed() comes after the wake-ups and the switch that follow the sleep. So the clock is corrected
 * in this hook, at the beginning of the call, in the thread that has slept. If the clock is behind by a tick or more,
 * it stood still. */
void EvrRtxKernelResume(uint32_t sleep_ticks)
{
    uint32_t per_tick = tlog_rate_now() / osRtxConfig.tick_freq;
    int64_t missing = (int64_t)((uint64_t)sleep_ticks * per_tick) - (int64_t)(uint32_t)(clock_now() - sleep_clock);
    tlog_sleep_end();
    if (TLOG_SLEEP_HZ == 0 && per_tick != 0 && missing >= (int64_t)per_tick)
        tlog_clock_slept((uint64_t)missing >> TLOG_CLOCK_SHIFT);
    sleep_clock = clock_now();
}

void EvrRtxKernelResumed(void)
{
    tlog_rtos_object(TLOG_RTOS_sleep_end, 0, osRtxInfo.kernel.tick, 0);
}

/* For stack overflows object_id is the thread. */
void EvrRtxKernelErrorNotify(uint32_t code, void *object_id)
{
    if (code == osRtxErrorStackOverflow)
        tlog_record_emergency(TLOG_RTOS_other << 4 | TLOG_RTOS_FAMILY,
                              TLOG_RTOS_REASON(TLOG_RTOS_stack_overflow, TLOG_NAME_TASK), context_of(object_id));
}
#endif

#endif
