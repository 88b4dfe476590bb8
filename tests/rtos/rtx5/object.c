/* object.c - the stand-in's mutexes, semaphores, message queues, flags, memory pools, timers, heap and sleep. */
#include "stand_in.h"

#include "board.h"

static thread_t *peer; /* the thread that the running one waits for */

/* An object with its name ahead of it. */
#define NAMED(type, object, called, ...)                                                                               \
    static struct {                                                                                                    \
        const char *name;                                                                                              \
        type it;                                                                                                       \
    } object = {called, {__VA_ARGS__}}

NAMED(osRtxMutex_t, mutex, "uart_mutex", osMutexPrioInherit, 0);
NAMED(osRtxSemaphore_t, semaphore, "slots", 2, 5);
NAMED(osRtxMessageQueue_t, queue, "rx_queue", {4, 0}, 0);
NAMED(osRtxEventFlags_t, flags, "events", 0);
NAMED(osRtxMemoryPool_t, pool, "packets", {3, 0});
NAMED(osRtxEventFlags_t, timer, "blink", 0); /* of a timer no member is read */

/* ---- mutexes ----------------------------------------------------------------------------------------------------- */

static void acquire(void *argument)
{
    (void)argument;
    mutex.it.owner_thread = &running()->block;
    expect("set_mutex_lock: task=%s mutex=%s", name_of(running()), mutex.name);
    RUN(EvrRtxMutexAcquired, (&mutex.it, 1));
}

static void acquire_twice(void *argument)
{
    acquire(argument);
    expect("mutex_take: mutex=%s", mutex.name);
    RUN(EvrRtxMutexAcquired, (&mutex.it, 2));
    expect("mutex_give: mutex=%s", mutex.name);
    RUN(EvrRtxMutexReleased, (&mutex.it, 1));
}

static void release(void *argument)
{
    (void)argument;
    expect("set_mutex_unlock: task=%s mutex=%s", name_of(running()), mutex.name);
    RUN(EvrRtxMutexReleased, (&mutex.it, 0));
}

static void create_mutex(void *argument)
{
    (void)argument;
    expect("mutex_create: mutex=%s", mutex.name);
    RUN(EvrRtxMutexCreated, (&mutex.it, mutex.name));
    expect("mutex_create_failed: mutex=0x0");
    RUN(EvrRtxMutexError, (0, osErrorNoMemory));
}

static void give_priority(int8_t priority)
{
    osRtxThread_t *owner = mutex.it.owner_thread;
    owner->priority = priority;
    expect("set_priority: task=%s priority=%u", owner->name, (uint32_t)priority);
}

/* The owner has the priority when the hook comes. */
static void pend_on_mutex(void *argument)
{
    give_priority(running()->block.priority);
    RUN(EvrRtxMutexAcquirePending, (&mutex.it, 100));
    expect("set_mutex_wait: task=%s mutex=%s", name_of(running()), mutex.name);
    block('D');
    dispatch(argument);
}

/* The one who releases it acquires it for the one who waits. */
static void hand_over(void *argument)
{
    thread_t *self = running(), *waiter = argument;
    release(0);
    self->block.priority = self->block.priority_base;
    unblock(waiter);
    mutex.it.owner_thread = &waiter->block;
    expect("set_priority: task=%s priority=%u", name_of(self), (uint32_t)self->block.priority);
    expect("set_mutex_lock: task=%s mutex=%s", name_of(waiter), mutex.name);
    RUN(EvrRtxMutexAcquired, (&mutex.it, 1));
    preempt(waiter);
}

static void time_out_of_mutex(void *argument)
{
    give_priority(mutex.it.owner_thread->priority_base);
    expect("mutex_take_failed: mutex=%s", mutex.name);
    RUN(EvrRtxMutexAcquireTimeout, (&mutex.it));
    unblock(argument);
    preempt(argument);
    osRtxInfo.thread.run.curr = osRtxInfo.thread.run.next;
}

/* With the kernel locked a wait is over at once, and the thread goes on. */
static void pend_while_locked(void *argument)
{
    (void)argument;
    mutex.it.attr = 0;
    RUN(EvrRtxMutexAcquirePending, (&mutex.it, 100));
    expect("mutex_take_failed: mutex=%s", mutex.name);
    RUN(EvrRtxMutexAcquireTimeout, (&mutex.it));
    expect("mutex_take_failed: mutex=%s", mutex.name);
    RUN(EvrRtxMutexNotAcquired, (&mutex.it));
}

static void destroy_mutex(void *argument)
{
    (void)argument;
    expect("mutex_delete: mutex=%s", mutex.name);
    RUN(EvrRtxMutexDestroyed, (&mutex.it));
}

/* Played by a high thread; low is ready. */
void mutex_tour(thread_t *low)
{
    thread_t *high = running();
    svc(create_mutex, 0);
    svc(acquire_twice, 0);
    svc(release, 0);
    delay(7, low);
    svc(acquire, 0);
    tick_wakes(high);
    svc(pend_on_mutex, low);
    svc(hand_over, high);
    svc(release, 0);
    delay(7, low);
    svc(acquire, 0);
    tick_wakes(high);
    svc(pend_on_mutex, low);
    in(SYSTICK, time_out_of_mutex, high);
    svc(pend_while_locked, 0);
    delay(7, low); /* a delay, and not the mutex */
    tick_wakes(high);
    svc(destroy_mutex, 0);
}

/* ---- flags ------------------------------------------------------------------------------------------------------- */

static void thread_flags_wait(void *argument)
{
    RUN(EvrRtxThreadFlagsWaitPending, (5, 0, 100));
    expect("notification_wait_block: notification=5");
    block('S');
    dispatch(argument);
}

/* From a handler: done in PendSV. */
static void thread_flags_set(void *argument)
{
    expect("task_notify: task=%s index=4", name_of(argument));
    RUN(EvrRtxThreadFlagsSetDone, (argument, 4));
}

static void thread_flags_completed(void *argument)
{
    unblock(argument);
    expect("notification_wait: notification=5");
    RUN(EvrRtxThreadFlagsWaitCompleted, (5, 0, 4, argument));
    preempt(argument);
}

static void thread_flags_fail(void *argument)
{
    (void)argument;
    expect("notification_wait_failed: notification=5");
    RUN(EvrRtxThreadFlagsWaitNotCompleted, (5, 0));
}

static void thread_flags_time_out(void *argument)
{
    expect("task_wait_failed: task=%s", name_of(argument));
    RUN(EvrRtxThreadFlagsWaitTimeout, (argument));
    unblock(argument);
    preempt(argument);
    osRtxInfo.thread.run.curr = osRtxInfo.thread.run.next;
}

static void event_flags_wait(void *argument)
{
    RUN(EvrRtxEventFlagsWaitPending, (&flags.it, 0x23, 0, 100));
    expect("event_group_wait_block: event_group=%s bits=0x23", flags.name);
    block('S');
    dispatch(argument);
}

static void event_flags_set(void *argument)
{
    flags.it.event_flags = 0x180A1u;
    unblock(argument);
    expect("event_group_wait: event_group=%s", flags.name);
    RUN(EvrRtxEventFlagsWaitCompleted, (&flags.it, 0x23, 0, 0x180A1u));
    preempt(argument);
    expect("event_group_set_bits: event_group=%s bits=0x80a1", flags.name);
    RUN(EvrRtxEventFlagsSetDone, (&flags.it, 0x180A1u));
}

static void event_flags_rest(void *argument)
{
    (void)argument;
    flags.it.event_flags = 0x18080u;
    expect("event_group_clear_bits: event_group=%s bits=0x21", flags.name);
    RUN(EvrRtxEventFlagsClearDone, (&flags.it, 0x180A1u));
    expect("event_group_wait_failed: event_group=%s", flags.name);
    RUN(EvrRtxEventFlagsWaitNotCompleted, (&flags.it, 1, 0));
    expect("event_group_delete: event_group=%s", flags.name);
    RUN(EvrRtxEventFlagsDestroyed, (&flags.it));
}

static void event_flags_create(void *argument)
{
    (void)argument;
    expect("event_group_create: event_group=%s size=0", flags.name);
    RUN(EvrRtxEventFlagsCreated, (&flags.it, flags.name));
    expect("event_group_create_failed: event_group=0x0");
    RUN(EvrRtxEventFlagsError, (0, osErrorNoMemory));
}

static void event_flags_time_out(void *argument)
{
    expect("event_group_wait_failed: event_group=%s", flags.name);
    RUN(EvrRtxEventFlagsWaitTimeout, (&flags.it));
    unblock(argument);
    preempt(argument);
    osRtxInfo.thread.run.curr = osRtxInfo.thread.run.next;
}

void flags_tour(thread_t *other)
{
    thread_t *self = running();
    svc(thread_flags_wait, other);
    in(IRQ, thread_flags_set, self);
    pendsv(thread_flags_completed, self);
    svc(thread_flags_wait, other);
    in(SYSTICK, thread_flags_time_out, self);
    svc(thread_flags_fail, 0);
    svc(event_flags_create, 0);
    svc(event_flags_wait, other);
    in(SYSTICK, event_flags_time_out, self);
    svc(event_flags_wait, other);
    svc(event_flags_set, self);
    svc(event_flags_rest, 0);
}

/* ---- semaphores -------------------------------------------------------------------------------------------------- */

static void semaphore_line(const char *what, uint32_t tokens)
{
    semaphore.it.tokens = (uint16_t)tokens;
    expect("semaphore_%s: semaphore=%s count=%u", what, semaphore.name, tokens);
}

static void semaphore_uses(void *argument)
{
    (void)argument;
    expect("semaphore_create: semaphore=%s size=5", semaphore.name);
    RUN(EvrRtxSemaphoreCreated, (&semaphore.it, semaphore.name));
    expect("semaphore_create_failed: semaphore=0x0");
    RUN(EvrRtxSemaphoreError, (0, osErrorNoMemory));
    semaphore_line("take", 1);
    RUN(EvrRtxSemaphoreAcquired, (&semaphore.it, 1));
    expect("semaphore_take_failed: semaphore=%s", semaphore.name);
    RUN(EvrRtxSemaphoreNotAcquired, (&semaphore.it));
}

static void semaphore_pend(void *argument)
{
    RUN(EvrRtxSemaphoreAcquirePending, (&semaphore.it, 100));
    expect("semaphore_take_block: semaphore=%s", semaphore.name);
    block('S');
    dispatch(argument);
}

static void semaphore_from_handler(void *argument)
{
    (void)argument;
    semaphore_line("give", 1);
    RUN(EvrRtxSemaphoreReleased, (&semaphore.it, 1));
}

static void semaphore_behind_handler(void *argument)
{
    unblock(argument);
    semaphore_line("take", 0);
    RUN(EvrRtxSemaphoreAcquired, (&semaphore.it, 0));
    preempt(argument);
}

static void semaphore_time_out(void *argument)
{
    expect("semaphore_take_failed: semaphore=%s", semaphore.name);
    RUN(EvrRtxSemaphoreAcquireTimeout, (&semaphore.it));
    unblock(argument);
    preempt(argument);
    osRtxInfo.thread.run.curr = osRtxInfo.thread.run.next;
    expect("semaphore_delete: semaphore=%s", semaphore.name);
    RUN(EvrRtxSemaphoreDestroyed, (&semaphore.it));
}

/* ---- message queues ---------------------------------------------------------------------------------------------- */

static void queue_line(const char *what, uint32_t count)
{
    queue.it.msg_count = count;
    expect("queue_%s: queue=%s waiting=%u", what, queue.name, count);
}

static void queue_uses(void *argument)
{
    (void)argument;
    expect("queue_create: queue=%s size=4", queue.name);
    RUN(EvrRtxMessageQueueCreated, (&queue.it, queue.name));
    expect("queue_create_failed: queue=0x0");
    RUN(EvrRtxMessageQueueError, (0, osErrorNoMemory));
    queue_line("send", 1);
    RUN(EvrRtxMessageQueueInserted, (&queue.it, 0));
    queue_line("receive", 0);
    RUN(EvrRtxMessageQueueRetrieved, (&queue.it, 0));
    expect("queue_send_failed: queue=%s", queue.name);
    RUN(EvrRtxMessageQueueNotInserted, (&queue.it, 0));
    expect("queue_receive_failed: queue=%s", queue.name);
    RUN(EvrRtxMessageQueueNotRetrieved, (&queue.it, 0));
    expect("queue_reset: queue=%s", queue.name);
    RUN(EvrRtxMessageQueueResetDone, (&queue.it));
}

static void queue_pend(void *argument)
{
    if (argument == 0) {
        RUN(EvrRtxMessageQueuePutPending, (&queue.it, 0, 100));
        expect("queue_send_block: queue=%s", queue.name);
    } else {
        RUN(EvrRtxMessageQueueGetPending, (&queue.it, 0, 100));
        expect("queue_receive_block: queue=%s", queue.name);
    }
    block('S');
    dispatch(peer);
}

static void queue_time_out(void *argument)
{
    if (queue.it.msg_count != 0) {
        expect("queue_send_failed: queue=%s", queue.name);
        RUN(EvrRtxMessageQueuePutTimeout, (&queue.it));
    } else {
        expect("queue_receive_failed: queue=%s", queue.name);
        RUN(EvrRtxMessageQueueGetTimeout, (&queue.it));
    }
    unblock(argument);
    preempt(argument);
    osRtxInfo.thread.run.curr = osRtxInfo.thread.run.next;
}

static void queue_destroy(void *argument)
{
    (void)argument;
    expect("queue_delete: queue=%s", queue.name);
    RUN(EvrRtxMessageQueueDestroyed, (&queue.it));
}

/* ---- memory pools, timers ---------------------------------------------------------------------------------------- */

static void pool_uses(void *argument)
{
    (void)argument;
    expect("memory_pool_create: memory_pool=%s size=3", pool.name);
    RUN(EvrRtxMemoryPoolCreated, (&pool.it, pool.name));
    expect("memory_pool_create_failed: memory_pool=0x0");
    RUN(EvrRtxMemoryPoolError, (0, osErrorNoMemory));
    pool.it.mp_info.used_blocks = 1;
    expect("memory_pool_allocate: memory_pool=%s waiting=2", pool.name);
    RUN(EvrRtxMemoryPoolAllocated, (&pool.it, 0));
    pool.it.mp_info.used_blocks = 0;
    expect("memory_pool_free: memory_pool=%s waiting=3", pool.name);
    RUN(EvrRtxMemoryPoolDeallocated, (&pool.it, 0));
    expect("memory_pool_free_failed: memory_pool=%s", pool.name);
    RUN(EvrRtxMemoryPoolFreeFailed, (&pool.it, 0));
    expect("memory_pool_allocate_failed: memory_pool=%s", pool.name);
    RUN(EvrRtxMemoryPoolAllocFailed, (&pool.it));
    RUN(EvrRtxMemoryPoolAllocPending, (&pool.it, 100));
    expect("memory_pool_allocate_block: memory_pool=%s", pool.name);
    block('S');
    dispatch(peer);
}

static void pool_time_out(void *argument)
{
    expect("memory_pool_allocate_failed: memory_pool=%s", pool.name);
    RUN(EvrRtxMemoryPoolAllocTimeout, (&pool.it));
    unblock(argument);
    preempt(argument);
    osRtxInfo.thread.run.curr = osRtxInfo.thread.run.next;
    expect("memory_pool_delete: memory_pool=%s", pool.name);
    RUN(EvrRtxMemoryPoolDestroyed, (&pool.it));
}

static void call_me(void *argument)
{
    (void)argument;
}

static void timer_uses(void *argument)
{
    (void)argument;
    expect("timer_create: timer=%s size=0", timer.name);
    RUN(EvrRtxTimerCreated, (&timer.it, timer.name));
    expect("timer_create_failed: timer=0x0");
    RUN(EvrRtxTimerError, (0, osErrorNoMemory));
    expect("timer_start: timer=%s", timer.name);
    RUN(EvrRtxTimerStarted, (&timer.it));
    expect("timer_stop: timer=%s", timer.name);
    RUN(EvrRtxTimerStopped, (&timer.it));
    expect("timer_delete: timer=%s", timer.name);
    RUN(EvrRtxTimerDestroyed, (&timer.it));
}

void object_tour(thread_t *other)
{
    thread_t *self = running();
    peer = other;
    svc(semaphore_uses, 0);
    svc(semaphore_pend, other);
    in(IRQ, semaphore_from_handler, 0);
    pendsv(semaphore_behind_handler, self);
    svc(semaphore_pend, other);
    in(SYSTICK, semaphore_time_out, self);
    svc(queue_uses, 0);
    svc(queue_pend, self);
    in(SYSTICK, queue_time_out, self);
    queue.it.msg_count = 4;
    svc(queue_pend, 0);
    in(SYSTICK, queue_time_out, self);
    svc(queue_destroy, 0);
    svc(pool_uses, 0);
    in(SYSTICK, pool_time_out, self);
    svc(timer_uses, 0);
    expect("call: function=0x%x", (uint32_t)(uintptr_t)call_me & ~1u);
    RUN(EvrRtxTimerCallback, (call_me, 0));
}

/* ---- heap, sleep ------------------------------------------------------------------------------------------------- */

static uint32_t common[2] = {4096, 16}, stacks[2] = {2048, 16}; /* size, bytes in use */

static void heap_uses(void *argument)
{
    (void)argument;
    osRtxInfo.mem.common = osRtxInfo.mem.mp_data = osRtxInfo.mem.mq_data = common;
    osRtxInfo.mem.stack = stacks;
    common[1] += 120;
    expect("heap_allocate: bytes=112 in_use=152");
    RUN(EvrRtxMemoryAlloc, (common, 112, 1, common));
    stacks[1] += 512;
    expect("heap_allocate: bytes=504 in_use=664");
    RUN(EvrRtxMemoryAlloc, (stacks, 504, 1, stacks));
    expect("allocate_failed: value=9000");
    RUN(EvrRtxMemoryAlloc, (common, 9000, 1, 0));
    common[1] -= 120;
    expect("heap_free: bytes=120 in_use=544");
    RUN(EvrRtxMemoryFree, (common, common, 1));
    RUN(EvrRtxMemoryFree, (common, common, 0)); /* of no block: fails */
}

static void sleep_begin(void *argument)
{
    (void)argument;
    expect("sleep_begin: value=%u", osRtxInfo.kernel.tick);
    RUN(EvrRtxKernelSuspended, (2000));
}

static void sleep_end(void *argument)
{
    (void)argument;
    osRtxInfo.kernel.tick += 2000;
    expect("sleep_end: value=%u", osRtxInfo.kernel.tick);
    RUN(EvrRtxKernelResumed, ());
    expect("task_stack_overflow: task=%s", name_of(running()));
    RUN(EvrRtxKernelErrorNotify, (osRtxErrorStackOverflow, running()));
    RUN(EvrRtxKernelErrorNotify, (osRtxErrorISRQueueOverflow, 0));
}

void heap_tour(void)
{
    svc(heap_uses, 0);
    svc(sleep_begin, 0);
    RUN(EvrRtxKernelResume, (2000));
    svc(sleep_end, 0);
}
