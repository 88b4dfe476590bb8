/* threadx.c - ThreadX' face of the demo's kernel, with the hooks of its threads and queue. Threads get 0. There is one
 * queue; it has one thread that sends, never while it is full, and one that receives. */
#include "tx_api.h"

#include <stddef.h>

#include "kernel.h"
#include "tx_initialize.h"
#include "tx_thread.h"
#include "tx_timer.h"
#include "tx_trace.h"

/* An event of the kernel, as its files write it. */
#define EVENT(name, a, b, c, d)                                                                                        \
    do {                                                                                                               \
        TX_TRACE_IN_LINE_INSERT(TX_TRACE_##name, a, b, c, d, 0)                                                        \
    } while (0)

enum { THREADS = 4, WORD = sizeof(ULONG) };

TX_THREAD *_tx_thread_current_ptr, *_tx_thread_execute_ptr;
TX_THREAD _tx_timer_thread;
volatile UINT _tx_thread_preempt_disable;
volatile ULONG _tx_thread_system_state = TX_INITIALIZE_IN_PROGRESS;
ULONG _tx_thread_priority_maps[TX_MAX_PRIORITIES / 32u];
volatile ULONG _tx_timer_system_clock;
VOID *_tx_initialize_unused_memory, *_tx_thread_system_stack_ptr;

static TX_THREAD *threads[THREADS]; /* the index is the context of the demo's kernel; its idle task is none of these */
static struct kernel_task tasks[THREADS];
static uint32_t created;

static struct {
    ULONG *storage, *awaits; /* awaits: where the message goes for which a thread waits */
    UINT message_words, first;
    struct kernel_event sent;
} messages;

void _tx_execution_initialize(void);
void _tx_execution_thread_enter(void);
void _tx_execution_thread_exit(void);
void _tx_timer_interrupt(void);
void kernel_tick(void);

/* ---- what the demo's kernel tells -------------------------------------------------------------------------------- */

static void switch_to(TX_THREAD *thread)
{
    _tx_thread_execute_ptr = thread;
    if (_tx_thread_current_ptr != NULL)
        _tx_execution_thread_exit();
    _tx_thread_current_ptr = thread;
    if (thread != NULL)
        _tx_execution_thread_enter();
}

static void change_state(TX_THREAD *thread, UINT state)
{
    thread->tx_thread_state = state;
    TX_THREAD_STATE_CHANGE(thread, state)
}

/* The running thread waits, for the queue or for a time. */
static void suspend(TX_THREAD *thread)
{
    TX_QUEUE *queue = thread->tx_thread_suspend_control_block;
    if (queue != NULL)
        queue->tx_queue_suspended_count = 1;
    change_state(thread, queue != NULL ? TX_QUEUE_SUSP : TX_SLEEP);
}

static void take(TX_QUEUE *queue, ULONG *message)
{
    const ULONG *from = messages.storage + messages.first * messages.message_words;
    for (UINT i = 0; i < messages.message_words; i++)
        message[i] = from[i];
    messages.first = (messages.first + 1u) % queue->tx_queue_capacity;
    queue->tx_queue_enqueued--;
    queue->tx_queue_available_storage++;
}

/* A thread that waited for a message has it before it is ready. */
static void resume(TX_THREAD *thread)
{
    const UINT state = thread->tx_thread_state;
    if (state == TX_QUEUE_SUSP) {
        TX_QUEUE *queue = thread->tx_thread_suspend_control_block;
        queue->tx_queue_suspended_count = 0;
        take(queue, messages.awaits);
        messages.awaits = NULL;
    }
    EVENT(THREAD_RESUME, thread, state, 0, 0);
    change_state(thread, TX_READY);
}

void demo_log(uint32_t code, uint32_t par1, uint32_t par2)
{
    TX_THREAD *thread = threads[par1 % THREADS];
    (void)par2;
    if (code == FTrace_EVT_context_switch)
        switch_to(thread);
    else if (thread == NULL)
        return;
    else if (code == FTrace_EVT_task_create)
        EVENT(THREAD_CREATE, thread, thread->tx_thread_priority, 0, 0);
    else if (code == FTrace_EVT_task_sleep)
        suspend(thread);
    else if (code == FTrace_EVT_task_activate)
        resume(thread);
}

/* ---- start and time ---------------------------------------------------------------------------------------------- */

/* The demo's kernel starts SysTick by itself, in the place of _tx_initialize_low_level(). */
void tx_kernel_enter(void)
{
    kernel_init();
    tx_application_define(NULL);
    _tx_execution_initialize();
    _tx_thread_system_state = 0;
    kernel_start();
}

void _tx_timer_interrupt(void)
{
    _tx_timer_system_clock = _tx_timer_system_clock + 1u;
    kernel_tick();
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

UINT tx_thread_create(TX_THREAD *thread, CHAR *name, VOID (*entry)(ULONG), ULONG input, VOID *stack, ULONG bytes,
                      UINT priority, UINT threshold, ULONG time_slice, UINT auto_start)
{
    const uintptr_t begin = ((uintptr_t)stack + 7u) & ~(uintptr_t)7u, end = ((uintptr_t)stack + bytes) & ~(uintptr_t)7u;
    (void)input, (void)threshold, (void)time_slice, (void)auto_start;
    threads[++created] = thread;
    thread->tx_thread_name = name;
    thread->tx_thread_priority = thread->tx_thread_user_priority = priority;
    thread->tx_thread_state = TX_SUSPENDED;
    const struct kernel_task_config config = {.name = name,
                                              .entry = (void (*)(void))(uintptr_t)entry,
                                              .stack = (uint32_t *)begin,
                                              .stack_words = (uint32_t)(end - begin) / WORD,
                                              .priority = priority};
    kernel_task_create(&tasks[created], &config);
    return TX_SUCCESS;
}

UINT tx_thread_sleep(ULONG ticks)
{
    TX_THREAD *self = _tx_thread_current_ptr;
    self->tx_thread_suspend_control_block = NULL;
    EVENT(THREAD_SLEEP, ticks, self->tx_thread_state, 0, 0);
    kernel_sleep(ticks);
    return TX_SUCCESS;
}

/* ---- the queue --------------------------------------------------------------------------------------------------- */

UINT tx_queue_create(TX_QUEUE *queue, CHAR *name, UINT message_words, VOID *storage, ULONG bytes)
{
    queue->tx_queue_name = name;
    queue->tx_queue_capacity = queue->tx_queue_available_storage = (UINT)(bytes / WORD / message_words);
    messages.storage = storage;
    messages.message_words = message_words;
    EVENT(QUEUE_CREATE, queue, message_words, storage, bytes);
    return TX_SUCCESS;
}

/* Stops if the queue is full. */
UINT tx_queue_send(TX_QUEUE *queue, VOID *message, ULONG wait)
{
    while (queue->tx_queue_available_storage == 0)
        ;
    TX_DISABLE
    EVENT(QUEUE_SEND, queue, message, wait, queue->tx_queue_enqueued);
    const UINT place = (messages.first + queue->tx_queue_enqueued) % queue->tx_queue_capacity;
    for (UINT i = 0; i < messages.message_words; i++)
        messages.storage[place * messages.message_words + i] = ((const ULONG *)message)[i];
    queue->tx_queue_enqueued++;
    queue->tx_queue_available_storage--;
    TX_RESTORE
    kernel_event_raise(&messages.sent);
    return TX_SUCCESS;
}

/* Takes a message, if there is one. */
static bool took(TX_QUEUE *queue, ULONG *message, ULONG wait)
{
    TX_DISABLE
    const bool is_there = queue->tx_queue_enqueued != 0;
    EVENT(QUEUE_RECEIVE, queue, message, wait, queue->tx_queue_enqueued);
    if (is_there)
        take(queue, message);
    TX_RESTORE
    return is_there;
}

/* If a message comes ahead of the wait, there is no wait, and the loop takes it. */
UINT tx_queue_receive(TX_QUEUE *queue, VOID *message, ULONG wait)
{
    while (!took(queue, message, wait)) {
        messages.awaits = message;
        _tx_thread_current_ptr->tx_thread_suspend_control_block = queue;
        kernel_event_wait(&messages.sent);
        if (messages.awaits == NULL)
            break;
    }
    return TX_SUCCESS;
}
