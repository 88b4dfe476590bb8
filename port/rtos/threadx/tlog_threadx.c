/* SPDX-License-Identifier: MIT */
/* tlog_threadx.c - what the hooks of tlog_threadx.h call, and the functions that the kernel calls when it
 * switches. */
#include "tx_api.h"

#include "tx_initialize.h"
#include "tx_thread.h"
#include "tx_timer.h"
#include "tx_trace.h"

#include "../tlog_rtos_idle.h"
#include "tlog_threadx.h"

#if TLOG_ENABLE

void _tx_execution_initialize(void);
void _tx_execution_thread_enter(void);
void _tx_execution_thread_exit(void);
void _tx_execution_isr_enter(void);
void _tx_execution_isr_exit(void);
void tlog_threadx_stack_error(TX_THREAD *thread);

/* ---- threads ----------------------------------------------------------------------------------------------------- */

static uint32_t context_of(const void *thread)
{
    return thread != 0 ? tlog_rtos_context((uintptr_t)thread) : 0;
}

/* The context of the running thread; 0 while none runs, and in handlers that did not interrupt a thread. */
static uint32_t running(void)
{
    return context_of(_tx_thread_current_ptr);
}

/* Called after tx_application_define(), when what that function created has been logged already. */
void _tx_execution_initialize(void)
{
    tlog_rtos_priority_order(TLOG_LOWEST_FIRST);
}

/* Trap: interrupts are open here, so handlers may log before the switch is logged; the thread has not run yet. */
void _tx_execution_thread_enter(void)
{
    tlog_rtos_switch(running());
}

/* Trap: there is no idle thread. If no thread is ready, PendSV waits for one, and handlers interrupt PendSV meanwhile;
 * the next hook is then _tx_execution_thread_enter(). At the first start the kernel does not call this. */
void _tx_execution_thread_exit(void)
{
    if (_tx_thread_execute_ptr != 0)
        return;
    tlog_rtos_switch(0);
    if (_tx_thread_preempt_disable == 0)
        tlog_rtos_tell_idle();
}

/* Whether the running thread is the only one that is ready. */
static bool is_alone(const TX_THREAD *thread)
{
    const UINT priority = thread->tx_thread_priority;
    for (UINT i = 0; i < TX_MAX_PRIORITIES / 32u; i++) {
        const ULONG own = priority / 32u == i ? (ULONG)1 << priority % 32u : 0;
        if (_tx_thread_priority_maps[i] != own)
            return false;
    }
    return thread->tx_thread_ready_next == thread;
}

/* Of a thread of the lowest priority, which is idle then. Masked, so that no other thread runs between the question and
 * the answer. */
void tlog_rtos_idle(void)
{
    TX_INTERRUPT_SAVE_AREA
    TX_DISABLE
    if (TX_THREAD_GET_SYSTEM_STATE() == 0 && _tx_thread_preempt_disable == 0 && is_alone(_tx_thread_current_ptr))
        tlog_rtos_tell_idle();
    TX_RESTORE
}

/* The thread that runs the functions of timers. */
static bool is_timer_thread(const TX_THREAD *thread)
{
#ifdef TX_TIMER_PROCESS_IN_ISR
    (void)thread;
    return false;
#else
    return thread == &_tx_timer_thread;
#endif
}

static void create(const TX_THREAD *thread, uint32_t priority)
{
    if (is_timer_thread(thread) && TLOG_THREADX_TIER >= 1)
        tlog_name(TLOG_NAME_TIMER, (uintptr_t)thread, "any");
    tlog_rtos_task_create(context_of(thread), thread->tx_thread_name, (int32_t)priority);
}

/* CREATE: the name is in the control block. Trap: if a ready thread's priority changes, the kernel also moves it
 * through a pseudo state, where tlog_threadx_state() logs the priority; those of other threads are logged here. RESET:
 * the thread had ended, and is made again as it was created. */
void tlog_threadx_thread(uint32_t event, uintptr_t object, uintptr_t second, uintptr_t third, uintptr_t fourth)
{
    const TX_THREAD *thread = (const TX_THREAD *)object;
    (void)third;
    if (event == TX_TRACE_THREAD_CREATE)
        create(thread, (uint32_t)second);
    else if (event == TX_TRACE_THREAD_RESET)
        create(thread, (uint32_t)thread->tx_thread_user_priority);
    else if (event == TX_TRACE_THREAD_PRIORITY_CHANGE && fourth != TX_READY)
        tlog_rtos_priority(context_of(thread), (int32_t)second);
    else if (event == TX_TRACE_THREAD_SLEEP && TLOG_THREADX_TIER >= 1)
        tlog_rtos_block(running(), TLOG_RTOS_delay, 0, object); /* the ticks */
    else if (event == TX_TRACE_THREAD_RESUME_API && TLOG_THREADX_TIER >= 1)
        tlog_rtos_object(TLOG_RTOS_resume, TLOG_NAME_TASK, context_of(thread), 0);
}

/* Whether a thread that is no longer ready was stopped by another one or by a handler. Trap: a handler may suspend the
 * running thread. Before the kernel has started no thread has run. */
static bool is_stopped(const TX_THREAD *thread)
{
    const ULONG state = TX_THREAD_GET_SYSTEM_STATE();
    return state == 0 ? thread != _tx_thread_current_ptr : state < TX_INITIALIZE_IN_PROGRESS;
}

void tlog_threadx_stack_error(TX_THREAD *thread)
{
    tlog_record_emergency(TLOG_RTOS_other << 4 | TLOG_RTOS_FAMILY,
                          TLOG_RTOS_REASON(TLOG_RTOS_stack_overflow, TLOG_NAME_TASK), context_of(thread));
}

/* ---- why a thread waits ------------------------------------------------------------------------------------------ */

/* Trap: senders and receivers of a queue wait in the same state. A thread that waits while the queue is empty is a
 * receiver; the kernel concludes the same. */
static uint32_t direction(const TX_QUEUE *queue)
{
    return queue->tx_queue_enqueued == 0 ? TLOG_RTOS_receive : TLOG_RTOS_send;
}

/* Trap: if the mutex's owner waits itself, it inherits the priority of this thread without a hook; for other owners the
 * hook comes later. */
static void wait_for_mutex(const TX_THREAD *thread, const TX_MUTEX *mutex)
{
    const TX_THREAD *owner = mutex->tx_mutex_owner;
    uint32_t priority = thread->tx_thread_priority;
    if (mutex->tx_mutex_inherit && owner != 0 && priority < owner->tx_thread_user_priority)
        tlog_rtos_priority(context_of(owner), (int32_t)priority);
    tlog_rtos_block(context_of(thread), TLOG_RTOS_receive, TLOG_NAME_MUTEX, (uintptr_t)mutex);
}

/* Trap: the timer thread suspends itself to wait for the next timer. In the trace it waits for a timer called `any`. */
static void suspended(const TX_THREAD *thread)
{
    if (is_timer_thread(thread))
        tlog_rtos_block(context_of(thread), TLOG_RTOS_wait, TLOG_NAME_TIMER, (uintptr_t)thread);
    else
        tlog_rtos_block(context_of(thread), TLOG_RTOS_suspend, TLOG_NAME_TASK, 0);
}

/* Logs what a thread waits for, from its new state. TX_SLEEP is logged by its event, which has the ticks. The kernel
 * has stored the object before it calls the hook. */
static void tell_wait(const TX_THREAD *thread, uint32_t state)
{
    static const uint8_t kinds[] = {[TX_SEMAPHORE_SUSP] = TLOG_NAME_SEMAPHORE,
                                    [TX_BLOCK_MEMORY] = TLOG_NAME_MEMORY_POOL,
                                    [TX_BYTE_MEMORY] = TLOG_NAME_HEAP};
    const void *object = thread->tx_thread_suspend_control_block;
    uint32_t context = context_of(thread);
    if (state == TX_SUSPENDED)
        suspended(thread);
    else if (state == TX_QUEUE_SUSP)
        tlog_rtos_block(context, direction(object), TLOG_NAME_QUEUE, (uintptr_t)object);
    else if (state == TX_EVENT_FLAG)
        tlog_rtos_object(TLOG_RTOS_wait_bits, TLOG_NAME_EVENT_GROUP, (uintptr_t)object,
                         (uint32_t)thread->tx_thread_suspend_info & 0xFFFFu);
    else if (state == TX_MUTEX_SUSP)
        wait_for_mutex(thread, object);
    else if (state < sizeof kinds && kinds[state] != 0)
        tlog_rtos_block(context, TLOG_RTOS_receive, kinds[state], (uintptr_t)object);
    else if (state != TX_SLEEP)
        tlog_rtos_block(context, TLOG_RTOS_wait, TLOG_NAME_OBJECT, (uintptr_t)object); /* files, networks, drivers */
}

static void wait_in_state(const TX_THREAD *thread, uint32_t state)
{
    if (is_stopped(thread))
        tlog_rtos_stop((uintptr_t)thread);
    if (TLOG_THREADX_TIER >= 1)
        tell_wait(thread, state);
}

/* Trap: when the priority of a ready or running thread changes, also by inheritance, the kernel moves the thread
 * through the pseudo state TX_PRIORITY_CHANGE; the thread does not wait. Until it is ready again, no other thread
 * enters that state. */
void tlog_threadx_state(const void *changed, uint32_t state)
{
    static const TX_THREAD *changing;
    const TX_THREAD *thread = changed;
    if (state == TX_PRIORITY_CHANGE) {
        changing = thread;
    } else if (state == TX_READY && thread == changing) {
        changing = 0;
        tlog_rtos_priority(context_of(thread), (int32_t)thread->tx_thread_priority);
    } else if (state == TX_READY) {
        tlog_rtos_go_on((uintptr_t)thread);
        tlog_rtos_ready(context_of(thread));
    } else if (state == TX_COMPLETED || state == TX_TERMINATED) {
        tlog_rtos_go_on((uintptr_t)thread);
        tlog_rtos_task_delete(context_of(thread));
    } else {
        wait_in_state(thread, state);
    }
}

/* ---- what is done to objects ------------------------------------------------------------------------------------- */

#if TLOG_THREADX_TIER >= 1

/* Something was done to an object; ok: with success. */
static void tell_done(bool ok, uint32_t operation, uint32_t kind, uintptr_t object, uint32_t value)
{
    if (TLOG_THREADX_TIER < 2)
        return;
    tlog_rtos_object(ok ? operation : operation | TLOG_RTOS_FAILED, kind, object, value);
    if (operation == TLOG_RTOS_delete)
        tlog_forget(kind, object);
}

static void created(uint32_t kind, uintptr_t object, const char *name, uint32_t size)
{
    tlog_rtos_begin();
    if (name != 0)
        tlog_name(kind, object, name);
    tell_done(true, TLOG_RTOS_create, kind, object, size);
}

/* A thread is about to receive, and finds `count` items. If there is one, it receives at once. If not, it fails, or it
 * waits, which its state tells. is_refilled: another thread waits to send, so the count stays the same. */
static void receive(uint32_t kind, uintptr_t object, uint32_t count, bool waits, bool is_refilled)
{
    if (count != 0 || !waits)
        tell_done(count != 0, TLOG_RTOS_receive, kind, object, is_refilled ? count : count - 1u);
}

void tlog_threadx_block_pool(uint32_t event, uintptr_t object, uintptr_t second, uintptr_t third, uintptr_t fourth)
{
    const TX_BLOCK_POOL *pool = (const TX_BLOCK_POOL *)object;
    (void)second;
    if (event == TX_TRACE_BLOCK_POOL_CREATE)
        created(TLOG_NAME_MEMORY_POOL, object, pool->tx_block_pool_name, (uint32_t)third);
    else if (event == TX_TRACE_BLOCK_POOL_DELETE)
        tell_done(true, TLOG_RTOS_delete, TLOG_NAME_MEMORY_POOL, object, 0);
    else if (event == TX_TRACE_BLOCK_ALLOCATE)
        receive(TLOG_NAME_MEMORY_POOL, object, (uint32_t)fourth, third != TX_NO_WAIT, false);
    else if (event == TX_TRACE_BLOCK_RELEASE)
        tell_done(true, TLOG_RTOS_send, TLOG_NAME_MEMORY_POOL, object, pool->tx_block_pool_available + (third == 0));
}

/* Trap: setting flags with TX_AND clears those that are 0. Trap: the hook does not tell whether the thread may wait; if
 * it may not, its failure is not shown. */
void tlog_threadx_flags(uint32_t event, uintptr_t object, uintptr_t second, uintptr_t third, uintptr_t fourth)
{
    const TX_EVENT_FLAGS_GROUP *group = (const TX_EVENT_FLAGS_GROUP *)object;
    uint32_t flags = (uint32_t)second, found = flags & (uint32_t)third;
    if (event == TX_TRACE_EVENT_FLAGS_CREATE)
        created(TLOG_NAME_EVENT_GROUP, object, group->tx_event_flags_group_name, 0);
    else if (event == TX_TRACE_EVENT_FLAGS_DELETE)
        tell_done(true, TLOG_RTOS_delete, TLOG_NAME_EVENT_GROUP, object, 0);
    else if (event == TX_TRACE_EVENT_FLAGS_SET && third >= TX_AND)
        tell_done(true, TLOG_RTOS_clear_bits, TLOG_NAME_EVENT_GROUP, object, ~flags & 0xFFFFu);
    else if (event == TX_TRACE_EVENT_FLAGS_SET)
        tell_done(true, TLOG_RTOS_set_bits, TLOG_NAME_EVENT_GROUP, object, flags & 0xFFFFu);
    else if (event == TX_TRACE_EVENT_FLAGS_GET && found != 0 && (fourth < TX_AND || found == flags))
        tell_done(true, TLOG_RTOS_wait, TLOG_NAME_EVENT_GROUP, object, 0);
}

static void get_mutex(const TX_MUTEX *mutex, bool waits)
{
    bool is_free = mutex->tx_mutex_ownership_count == 0, is_mine = mutex->tx_mutex_owner == _tx_thread_current_ptr;
    if (is_free)
        tell_done(true, TLOG_RTOS_receive, TLOG_NAME_MUTEX, (uintptr_t)mutex, running());
    else if (is_mine)
        tell_done(true, TLOG_RTOS_receive | TLOG_RTOS_NESTED, TLOG_NAME_MUTEX, (uintptr_t)mutex, 0);
    else if (!waits)
        tell_done(false, TLOG_RTOS_receive, TLOG_NAME_MUTEX, (uintptr_t)mutex, 0);
}

/* Trap: when a thread ends, the kernel puts its mutexes, without being their owner. */
static void put_mutex(const TX_MUTEX *mutex)
{
    const TX_THREAD *owner = mutex->tx_mutex_owner;
    bool may_put = owner == _tx_thread_current_ptr || _tx_thread_preempt_disable != 0;
    if (mutex->tx_mutex_ownership_count == 0 || !may_put)
        tell_done(false, TLOG_RTOS_send, TLOG_NAME_MUTEX, (uintptr_t)mutex, 0);
    else if (mutex->tx_mutex_ownership_count > 1u)
        tell_done(true, TLOG_RTOS_send | TLOG_RTOS_NESTED, TLOG_NAME_MUTEX, (uintptr_t)mutex, 0);
    else
        tell_done(true, TLOG_RTOS_send, TLOG_NAME_MUTEX, (uintptr_t)mutex, context_of(owner));
}

void tlog_threadx_mutex(uint32_t event, uintptr_t object, uintptr_t second, uintptr_t third, uintptr_t fourth)
{
    const TX_MUTEX *mutex = (const TX_MUTEX *)object;
    (void)third, (void)fourth;
    if (event == TX_TRACE_MUTEX_CREATE)
        created(TLOG_NAME_MUTEX, object, mutex->tx_mutex_name, 0);
    else if (event == TX_TRACE_MUTEX_DELETE)
        tell_done(true, TLOG_RTOS_delete, TLOG_NAME_MUTEX, object, 0);
    else if (event == TX_TRACE_MUTEX_GET)
        get_mutex(mutex, second != TX_NO_WAIT);
    else if (event == TX_TRACE_MUTEX_PUT)
        put_mutex(mutex);
}

static void send_to_queue(const TX_QUEUE *queue, bool waits)
{
    bool has_room = queue->tx_queue_available_storage != 0, is_awaited = queue->tx_queue_suspended_count != 0;
    if (has_room || !waits)
        tell_done(has_room, TLOG_RTOS_send, TLOG_NAME_QUEUE, (uintptr_t)queue, queue->tx_queue_enqueued + !is_awaited);
}

/* Trap: a message that goes to a waiting thread is never in the queue. A message of a thread that waits to send goes
 * into the queue as soon as another one is received. */
void tlog_threadx_queue(uint32_t event, uintptr_t object, uintptr_t second, uintptr_t third, uintptr_t fourth)
{
    const TX_QUEUE *queue = (const TX_QUEUE *)object;
    (void)second;
    if (event == TX_TRACE_QUEUE_CREATE)
        created(TLOG_NAME_QUEUE, object, queue->tx_queue_name, queue->tx_queue_capacity);
    else if (event == TX_TRACE_QUEUE_DELETE)
        tell_done(true, TLOG_RTOS_delete, TLOG_NAME_QUEUE, object, 0);
    else if (event == TX_TRACE_QUEUE_FLUSH)
        tell_done(true, TLOG_RTOS_reset, TLOG_NAME_QUEUE, object, 0);
    else if (event == TX_TRACE_QUEUE_RECEIVE)
        receive(TLOG_NAME_QUEUE, object, (uint32_t)fourth, third != TX_NO_WAIT, queue->tx_queue_suspended_count != 0);
    else if (event == TX_TRACE_QUEUE_SEND || event == TX_TRACE_QUEUE_FRONT_SEND)
        send_to_queue(queue, third != TX_NO_WAIT);
}

void tlog_threadx_semaphore(uint32_t event, uintptr_t object, uintptr_t second, uintptr_t third, uintptr_t fourth)
{
    const TX_SEMAPHORE *semaphore = (const TX_SEMAPHORE *)object;
    if (event == TX_TRACE_SEMAPHORE_CREATE)
        created(TLOG_NAME_SEMAPHORE, object, semaphore->tx_semaphore_name, (uint32_t)second);
    else if (event == TX_TRACE_SEMAPHORE_DELETE)
        tell_done(true, TLOG_RTOS_delete, TLOG_NAME_SEMAPHORE, object, 0);
    else if (event == TX_TRACE_SEMAPHORE_GET)
        receive(TLOG_NAME_SEMAPHORE, object, (uint32_t)third, second != TX_NO_WAIT, false);
    else if (event == TX_TRACE_SEMAPHORE_PUT)
        tell_done(true, TLOG_RTOS_send, TLOG_NAME_SEMAPHORE, object, (uint32_t)second + (third == 0));
    else if (event == TX_TRACE_SEMAPHORE_CEILING_PUT)
        tell_done(second < fourth, TLOG_RTOS_send, TLOG_NAME_SEMAPHORE, object, (uint32_t)second + (third == 0));
}

/* Trap: there is no hook when a timer expires, neither before its function nor after it. The function runs in the timer
 * thread, which is created before all others. */
void tlog_threadx_timer(uint32_t event, uintptr_t object, uintptr_t second, uintptr_t third, uintptr_t fourth)
{
    const TX_TIMER *timer = (const TX_TIMER *)object;
    (void)third, (void)fourth;
    if (event == TX_TRACE_TIMER_CREATE)
        created(TLOG_NAME_TIMER, object, timer->tx_timer_name, (uint32_t)second);
    else if (event == TX_TRACE_TIMER_DELETE)
        tell_done(true, TLOG_RTOS_delete, TLOG_NAME_TIMER, object, 0);
    else if (event == TX_TRACE_TIMER_ACTIVATE)
        tell_done(true, TLOG_RTOS_start, TLOG_NAME_TIMER, object, 0);
    else if (event == TX_TRACE_TIMER_DEACTIVATE)
        tell_done(true, TLOG_RTOS_stop, TLOG_NAME_TIMER, object, 0);
    else if (event == TX_TRACE_TIMER_CHANGE)
        tell_done(true, TLOG_RTOS_change, TLOG_NAME_TIMER, object, 0);
}

/* ---- byte pools -------------------------------------------------------------------------------------------------- */

static uint32_t in_use(const TX_BYTE_POOL *pool)
{
    return (uint32_t)(pool->tx_byte_pool_size - pool->tx_byte_pool_available);
}

void tlog_threadx_allocate(const void *pool, uint32_t bytes, const void *block, uint32_t wait)
{
    if (block != 0)
        tlog_rtos_object(TLOG_RTOS_allocate, 0, in_use(pool), bytes);
    else if (wait == TX_NO_WAIT)
        tlog_record_emergency(TLOG_RTOS_fail << 4 | TLOG_RTOS_FAMILY, TLOG_RTOS_REASON(TLOG_RTOS_allocate, 0), bytes);
}

/* Trap: RELEASE comes before the release, and does not tell the bytes. Two words before a block is the address of the
 * next one. */
void tlog_threadx_byte_pool(uint32_t event, uintptr_t object, uintptr_t second, uintptr_t third, uintptr_t fourth)
{
    const TX_BYTE_POOL *pool = (const TX_BYTE_POOL *)object;
    (void)fourth;
    if (event == TX_TRACE_BYTE_POOL_CREATE) {
        created(TLOG_NAME_HEAP, object, pool->tx_byte_pool_name, (uint32_t)third);
    } else if (event == TX_TRACE_BYTE_POOL_DELETE) {
        tell_done(true, TLOG_RTOS_delete, TLOG_NAME_HEAP, object, 0);
    } else if (event == TX_TRACE_BYTE_RELEASE && TLOG_THREADX_TIER >= 3) {
        uintptr_t head = second - 2u * sizeof(void *);
        uint32_t bytes = (uint32_t)(*(const uintptr_t *)head - head);
        tlog_rtos_object(TLOG_RTOS_free, 0, in_use(pool) - bytes, bytes);
    }
}

/* ---- the end of a wait ------------------------------------------------------------------------------------------- */

static void end_wait_for_bytes(const TX_THREAD *thread, bool ok)
{
    uint32_t bytes = (uint32_t)thread->tx_thread_suspend_info;
    if (ok)
        tlog_rtos_object(TLOG_RTOS_allocate, 0, in_use(thread->tx_thread_suspend_control_block), bytes);
    else
        tell_done(false, TLOG_RTOS_receive, TLOG_NAME_HEAP, (uintptr_t)thread->tx_thread_suspend_control_block, 0);
}

/* Trap: there is no hook for a thread that gets what it waited for, nor for a timeout. The hook of resuming it tells
 * both; tx_thread_suspend_status says which it was. The running thread is the one that resumes it; after a timeout that
 * is the timer thread. */
void tlog_threadx_resume(uintptr_t resumed, uintptr_t old_state)
{
    const TX_THREAD *thread = (const TX_THREAD *)resumed;
    const void *object = thread->tx_thread_suspend_control_block;
    bool ok = thread->tx_thread_suspend_status == TX_SUCCESS;
    if (old_state == TX_QUEUE_SUSP)
        tell_done(ok, direction(object), TLOG_NAME_QUEUE, (uintptr_t)object,
                  ((const TX_QUEUE *)object)->tx_queue_enqueued);
    else if (old_state == TX_SEMAPHORE_SUSP)
        tell_done(ok, TLOG_RTOS_receive, TLOG_NAME_SEMAPHORE, (uintptr_t)object,
                  (uint32_t)((const TX_SEMAPHORE *)object)->tx_semaphore_count);
    else if (old_state == TX_EVENT_FLAG)
        tell_done(ok, TLOG_RTOS_wait, TLOG_NAME_EVENT_GROUP, (uintptr_t)object, 0);
    else if (old_state == TX_BLOCK_MEMORY)
        tell_done(ok, TLOG_RTOS_receive, TLOG_NAME_MEMORY_POOL, (uintptr_t)object,
                  ((const TX_BLOCK_POOL *)object)->tx_block_pool_available);
    else if (old_state == TX_BYTE_MEMORY)
        end_wait_for_bytes(thread, ok);
    else if (old_state == TX_MUTEX_SUSP)
        tell_done(ok, TLOG_RTOS_receive, TLOG_NAME_MUTEX, (uintptr_t)object, context_of(thread));
}
#endif

/* ---- handlers ---------------------------------------------------------------------------------------------------- */

#if TLOG_THREADX_ISR
static uint32_t exception(void)
{
#if __ARM_ARCH_PROFILE == 'M'
    uint32_t ipsr;
    __asm volatile("mrs %0, ipsr" : "=r"(ipsr));
    return ipsr & 0x1FFu;
#else
    return 0;
#endif
}

/* tlog_irq_trace() may log the handler, too. */
static void log_handler(uint32_t code)
{
    uint32_t number = exception();
    if (!tlog_rtos_is_traced(number))
        tlog_record_call(code, number, 0);
}
#endif

/* Trap: there is no hook for ticks, but SysTick's handler calls this. tlog's 64-bit time needs tlog_tick() now and
 * then. Trap: besides SysTick's, only those handlers call these two functions that were written to do so.
 * TX_TRACE_ISR_ENTER is not used: it would log them twice. */
void _tx_execution_isr_enter(void)
{
    if (((uint32_t)_tx_timer_system_clock & 63u) == 0)
        tlog_tick();
#if TLOG_THREADX_ISR
    log_handler(FTrace_EVT_interrupt_start);
#endif
}

void _tx_execution_isr_exit(void)
{
#if TLOG_THREADX_ISR
    log_handler(FTrace_EVT_interrupt_end);
#endif
}

#endif
