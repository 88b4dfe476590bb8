/* SPDX-License-Identifier: MIT */
/* tlog_freertos.h - FreeRTOS, kernels 10.0 to 11.x, in the trace: tasks and why they wait, queues, semaphores, mutexes,
 * timers, event groups, stream buffers, notifications, heap, sleep. The kernel is not patched, and the application
 * calls nothing.
 *
 *   1. At the end of FreeRTOSConfig.h:
 *
 *          #ifndef __ASSEMBLER__
 *          #include "tlog_freertos.h"
 *          #endif
 *
 *   2. Compile tlog_freertos.c with the firmware, and the kernel again.
 *
 * This header turns configUSE_TRACE_FACILITY on. vQueueAddToRegistry() names queues, semaphores and mutexes; if
 * FreeRTOSConfig.h does not set the size of that registry, this header sets 16. Timers and tasks have names anyway.
 *
 * Options, the same for all files: TLOG_FREERTOS_TIER, 0..3, is the highest tier that is compiled. Or choose each group
 * by an option of its own, 0 or 1:
 *
 *   tier  group
 *   0     (always)                      tasks: switches, wake-ups, names, priorities, ends
 *   1     TLOG_FREERTOS_WHY             why a task waits; suspended and resumed tasks; inherited priorities
 *   2     TLOG_FREERTOS_QUEUES          queues, semaphores, mutexes, queue sets
 *         TLOG_FREERTOS_TIMERS          software timers, pended functions
 *         TLOG_FREERTOS_EVENT_GROUPS
 *         TLOG_FREERTOS_STREAM_BUFFERS  and message buffers
 *         TLOG_FREERTOS_NOTIFICATIONS
 *   3     TLOG_FREERTOS_HEAP            blocks allocated and freed, with the bytes in use
 *         TLOG_FREERTOS_SLEEP           tickless idle; afterwards the clock is advanced by the time it stood still
 *         TLOG_FREERTOS_ISR             SysTick, and V11's handlers that call traceISR_ENTER(), unless
 *                                       tlog_irq_trace() shows them. It shows all handlers: then 0 saves time
 *   -     TLOG_FREERTOS_TICK            every tick; no tier includes it
 *
 * TLOG_FREERTOS_REPLACE, 0 or 1: whether trace macros that FreeRTOSConfig.h defines ahead of this are replaced.
 *
 * The context of a task is its number, counted from 1 in the order of creation; idle tasks have 0. After 65535 the
 * numbers start again, without blocks of 1024 numbers in which tasks still live. The number is kept in the field of the
 * control block that the kernel reserves for tracers: do not call vTaskSetTaskNumber().
 *
 * A queue is known by its address. If a new queue gets the address of a deleted one, it bears the old name until it
 * gets its own; then events of the deleted one bear the new name, too. Of an event group's bits only the lower 16 are
 * shown.
 *
 * tlog_freertos.c defines vApplicationStackOverflowHook() and vApplicationMallocFailedHook() if the kernel calls them
 * and the application does not define them: they log and stop. In a stack overflow hook of your own call
 * tlog_freertos_stack_overflow(). An allocation that failed is logged in any case.
 *
 * If FreeRTOSConfig.h defines a trace macro of its own, the compiler warns that it is defined again, and tlog's one
 * counts; TLOG_FREERTOS_REPLACE = 1 says that this is meant. To have both, define the macro behind the #include. Of
 * each hook tlog's part is the macro TLOG_trace..., which is there in any case: it is empty with TLOG_ENABLE = 0, or if
 * its group is not compiled.
 *
 *     #undef traceTASK_SWITCHED_IN
 *     #define traceTASK_SWITCHED_IN() do { TLOG_traceTASK_SWITCHED_IN(); my_switched_in(); } while (0)
 *
 * The kernel's own files may be compiled as C99 or gnu89; tlog's need C11.
 *
 * With several cores TLOG_CPUS must be configNUMBER_OF_CORES.
 *
 * The kernel calls hooks in PendSV, in handlers, before the scheduler has started and while it is suspended, with
 * interrupts masked up to configMAX_SYSCALL_INTERRUPT_PRIORITY or not masked. tlog takes no lock, so handlers above
 * that priority may log, too.
 *
 * "Trap" in the comments below marks what one would not expect of a hook, and what this port does about it. */
#ifndef TLOG_FREERTOS_H
#define TLOG_FREERTOS_H

#include "tlog_rtos.h"

/* ---- options ----------------------------------------------------------------------------------------------------- */

#ifndef TLOG_FREERTOS_TIER
#define TLOG_FREERTOS_TIER 3
#endif
#ifndef TLOG_FREERTOS_WHY
#define TLOG_FREERTOS_WHY (TLOG_FREERTOS_TIER >= 1)
#endif
#ifndef TLOG_FREERTOS_QUEUES
#define TLOG_FREERTOS_QUEUES (TLOG_FREERTOS_TIER >= 2)
#endif
#ifndef TLOG_FREERTOS_TIMERS
#define TLOG_FREERTOS_TIMERS (TLOG_FREERTOS_TIER >= 2)
#endif
#ifndef TLOG_FREERTOS_EVENT_GROUPS
#define TLOG_FREERTOS_EVENT_GROUPS (TLOG_FREERTOS_TIER >= 2)
#endif
#ifndef TLOG_FREERTOS_STREAM_BUFFERS
#define TLOG_FREERTOS_STREAM_BUFFERS (TLOG_FREERTOS_TIER >= 2)
#endif
#ifndef TLOG_FREERTOS_NOTIFICATIONS
#define TLOG_FREERTOS_NOTIFICATIONS (TLOG_FREERTOS_TIER >= 2)
#endif
#ifndef TLOG_FREERTOS_HEAP
#define TLOG_FREERTOS_HEAP (TLOG_FREERTOS_TIER >= 3)
#endif
#ifndef TLOG_FREERTOS_SLEEP
#define TLOG_FREERTOS_SLEEP (TLOG_FREERTOS_TIER >= 3)
#endif
#ifndef TLOG_FREERTOS_ISR
#define TLOG_FREERTOS_ISR (TLOG_FREERTOS_TIER >= 3)
#endif
#ifndef TLOG_FREERTOS_TICK
#define TLOG_FREERTOS_TICK 0
#endif
#ifndef TLOG_FREERTOS_REPLACE
#define TLOG_FREERTOS_REPLACE 0
#endif

/* Give a name to what vQueueAddToRegistry() does not take. The name's text is copied. */
#if TLOG_ENABLE
#define tlog_freertos_name_group(group, name) tlog_name(TLOG_NAME_EVENT_GROUP, (uint32_t)(uintptr_t)(group), (name))
#define tlog_freertos_name_stream(buffer, name)                                                                        \
    tlog_name(TLOG_NAME_STREAM_BUFFER, (uint32_t)(uintptr_t)(buffer), (name))
#define tlog_freertos_name_message(buffer, name)                                                                       \
    tlog_name(TLOG_NAME_MESSAGE_BUFFER, (uint32_t)(uintptr_t)(buffer), (name))
#else
#define tlog_freertos_name_group(group, name)    ((void)(group), (void)(name))
#define tlog_freertos_name_stream(buffer, name)  ((void)(buffer), (void)(name))
#define tlog_freertos_name_message(buffer, name) ((void)(buffer), (void)(name))
#endif

#if !TLOG_ENABLE
/* The kernel's own empty hooks stay. */
TLOG_INLINE void tlog_freertos_stack_overflow(void *task)
{
    (void)task;
}
#else

#ifdef configUSE_TRACE_FACILITY
#undef configUSE_TRACE_FACILITY
#endif
#define configUSE_TRACE_FACILITY 1
#ifndef configQUEUE_REGISTRY_SIZE
#define configQUEUE_REGISTRY_SIZE 16
#endif

#ifdef configNUMBER_OF_CORES
#if configNUMBER_OF_CORES != TLOG_CPUS
#error "tlog: TLOG_CPUS must be configNUMBER_OF_CORES"
#endif
#endif

TLOG_BEGIN_C

/* ---- tasks ------------------------------------------------------------------------------------------------------- */

/* A task with that number of the kernel is created. Returns its context. */
uint32_t tlog_freertos_task_create(uint32_t number, const char *name, uint32_t priority);
void tlog_freertos_task_delete(uint32_t context);
void tlog_freertos_ready(uint32_t context);
void tlog_freertos_priority(uint32_t context, uint32_t priority);
void tlog_freertos_tick(uint32_t count);

/* For vApplicationStackOverflowHook(task, name): task is its first argument. The event is never lost if the ring
 * overwrites old events, or has emergency slots. */
void tlog_freertos_stack_overflow(void *task);

/* Whether the kernel is older than that version. Known in the kernel's own files only, so for constants in hooks. Trap:
 * V10.0.0 says that it is 9.0. */
#define TLOG_FREERTOS_BEFORE(major, minor)                                                                             \
    (tskKERNEL_VERSION_MAJOR < (major) || (tskKERNEL_VERSION_MAJOR == (major) && tskKERNEL_VERSION_MINOR < (minor)))

/* Trap: an idle task is known only by its priority and its name, which the kernel may cut off, like all names, and to
 * which it adds the core's number if there are several. Trap: uxTCBNumber counts deleted tasks, too, so it has no upper
 * limit. The kernel makes the task ready after this hook. */
#ifndef configIDLE_TASK_NAME
#define TLOG_FREERTOS_IDLE "IDLE"
#else
#define TLOG_FREERTOS_IDLE configIDLE_TASK_NAME
#endif
#define TLOG_traceTASK_CREATE(task)                                                                                    \
    ((task)->uxTaskNumber = tlog_freertos_task_create((uint32_t)(task)->uxTCBNumber, &(task)->pcTaskName[0],           \
                                                      (uint32_t)(task)->uxPriority))
/* Trap: a task that deletes itself runs on until its switch. Trap: before V10.3 the control block of another task is
 * free already. Interrupts are still masked, and no heap of the kernel has touched the number. */
#define TLOG_traceTASK_DELETE(task)                                                                                    \
    do {                                                                                                               \
        TLOG_FREERTOS_GOES_ON(task);                                                                                   \
        tlog_freertos_task_delete((uint32_t)(task)->uxTaskNumber);                                                     \
    } while (0)

/* Trap: this hook is also called if the same task goes on; the decoder leaves that a shark:context_switch. Trap: the
 * first call comes from vTaskStartScheduler(), and no task was switched out before. Trap: before V10.1 there is no such
 * call; the first task shows when it is switched out. Trap: with several cores pxCurrentTCB is a function call, which
 * is not allowed here. Trap: there is no hook for the first task of every core but the first core; that task shows when
 * it is switched out. */
#if TLOG_CPUS > 1
#define TLOG_traceTASK_SWITCHED_IN() tlog_freertos_switch((uint32_t)pxCurrentTCBs[portGET_CORE_ID()]->uxTaskNumber)
#define TLOG_traceTASK_SWITCHED_OUT()                                                                                  \
    tlog_freertos_first((uint32_t)pxCurrentTCBs[portGET_CORE_ID()]->uxTaskNumber, (uint32_t)portGET_CORE_ID())
void tlog_freertos_switch(uint32_t context);
#else
#define TLOG_traceTASK_SWITCHED_IN()                                                                                   \
    do {                                                                                                               \
        const uint32_t tlog_next = (uint32_t)pxCurrentTCB->uxTaskNumber;                                               \
        tlog_rtos_switch(tlog_next);                                                                                   \
        if (tlog_next == 0)                                                                                            \
            tlog_freertos_idle(TLOG_FREERTOS_IS_ALONE);                                                                \
    } while (0)
#define TLOG_traceTASK_SWITCHED_OUT()                                                                                  \
    do {                                                                                                               \
        if (TLOG_FREERTOS_BEFORE(10, 1))                                                                               \
            tlog_freertos_first((uint32_t)pxCurrentTCB->uxTaskNumber, 0);                                              \
    } while (0)
#endif
void tlog_freertos_first(uint32_t context, uint32_t core);

/* ---- the idle task ----------------------------------------------------------------------------------------------- */

/* When the idle task is switched in, and no other task of its priority is ready, the port tells that no task is in the
 * middle of a call (tlog_rtos_idle.h); with configUSE_IDLE_HOOK = 1 tlog_rtos_idle() in vApplicationIdleHook() does so,
 * and the beginning of a tickless sleep. Trap: a task of the application may have the idle task's name, and priority 0
 * when it was created. Trap: what a task suspends before the scheduler runs has not run. Trap: a handler's deferred
 * resume makes the task ready only when the scheduler goes on, and the idle task may have suspended that. With several
 * cores nothing is told: tasks move to other cores in the middle of a call. */
#if TLOG_CPUS > 1
#define TLOG_FREERTOS_STOPS(task)   ((void)0)
#define TLOG_FREERTOS_GOES_ON(task) ((void)0)
#else
void tlog_freertos_idle(bool is_alone);
void tlog_freertos_stops(const void *task);
void tlog_freertos_goes_on(const void *task);
#define TLOG_FREERTOS_READY_AT(priority) (&(pxReadyTasksLists[priority]))
#define TLOG_FREERTOS_IS_ALONE                                                                                         \
    (pxCurrentTCB->uxPriority == tskIDLE_PRIORITY                                                                      \
     && listCURRENT_LIST_LENGTH(TLOG_FREERTOS_READY_AT(tskIDLE_PRIORITY)) == 1u)
#define TLOG_FREERTOS_STOPS(task)                                                                                      \
    do {                                                                                                               \
        if (xSchedulerRunning != pdFALSE && (task) != pxCurrentTCB                                                     \
            && listIS_CONTAINED_WITHIN(TLOG_FREERTOS_READY_AT((task)->uxPriority), &(task)->xStateListItem))           \
            tlog_freertos_stops(task);                                                                                 \
    } while (0)
#define TLOG_FREERTOS_GOES_ON(task) tlog_freertos_goes_on(task)
#endif

#if TLOG_FREERTOS_WHY
void tlog_freertos_suspend(uint32_t context);
void tlog_freertos_resume(uint32_t context);
#else
#define tlog_freertos_suspend(context) ((void)0)
#define tlog_freertos_resume(context)  ((void)0)
#endif
#define TLOG_traceTASK_SUSPEND(task)                                                                                   \
    do {                                                                                                               \
        TLOG_FREERTOS_STOPS(task);                                                                                     \
        tlog_freertos_suspend((uint32_t)(task)->uxTaskNumber);                                                         \
    } while (0)

/* Trap: if a handler resumes a task while the scheduler is suspended, the task becomes ready later. */
#define TLOG_traceTASK_RESUME(task)                                                                                    \
    do {                                                                                                               \
        TLOG_FREERTOS_GOES_ON(task);                                                                                   \
        tlog_freertos_resume((uint32_t)(task)->uxTaskNumber);                                                          \
    } while (0)
#define TLOG_traceTASK_RESUME_FROM_ISR(task)      TLOG_traceTASK_RESUME(task)

/* Trap: the kernel also calls this for a task that is already ready: when its priority changes, or when the running
 * task gives a mutex back. The decoder distinguishes these from wake-ups. The hook that follows the change of the list
 * tells nothing more. */
#define TLOG_traceMOVED_TASK_TO_READY_STATE(task) tlog_freertos_ready((uint32_t)(task)->uxTaskNumber)

/* Trap: a task that has inherited a priority keeps it until it gives the mutex back. With V11 it gets the new priority
 * at once if that is higher. */
#if TLOG_FREERTOS_WHY && defined(configUSE_MUTEXES) && configUSE_MUTEXES
#define TLOG_FREERTOS_KEEPS(task, to)                                                                                  \
    ((task)->uxBasePriority != (task)->uxPriority && (tskKERNEL_VERSION_MAJOR < 11 || (to) <= (task)->uxPriority))
#else
#define TLOG_FREERTOS_KEEPS(task, to) 0
#endif
#define TLOG_traceTASK_PRIORITY_SET(task, to)                                                                          \
    do {                                                                                                               \
        if (!TLOG_FREERTOS_KEEPS(task, to))                                                                            \
            tlog_freertos_priority((uint32_t)(task)->uxTaskNumber, (uint32_t)(to));                                    \
    } while (0)

/* Trap: the count is that before the tick. Trap: when a suspended scheduler resumes, a task calls this for all missed
 * ticks at once. tlog's 64-bit time needs a call now and then, so every 64th tick will do; a tickless system needs each
 * tick. */
#define TLOG_traceTASK_INCREMENT_TICK(count)                                                                           \
    do {                                                                                                               \
        if (TLOG_FREERTOS_TICK || configUSE_TICKLESS_IDLE != 0 || ((uint32_t)(count)&63u) == 0)                        \
            tlog_freertos_tick((uint32_t)(count));                                                                     \
    } while (0)

/* ---- why a task waits -------------------------------------------------------------------------------------------- */

/* The index of a notification. Trap: before V10.4 a task has only one notification, whose hooks have no argument. */
#define TLOG_FREERTOS_INDEX(...) ((uintptr_t)(__VA_ARGS__ + 0))

#if TLOG_FREERTOS_WHY
void tlog_freertos_delay(uint32_t ticks);
void tlog_freertos_wait_bits(void *group, uint32_t bits);

/* A task is about to wait for a buffer; a task waits for a notification; a task has waited for a notification. */
void tlog_freertos_buffer_wait(const void *buffer, uint32_t is_sent, const void *task);
void tlog_freertos_notification_wait(uintptr_t index, const void *task);
void tlog_freertos_waited(uintptr_t index, const void *task);
#define TLOG_FREERTOS_BUFFER_WAIT(buffer, is_sent, waiting)                                                            \
    do {                                                                                                               \
        TLOG_FREERTOS_KNOWS_BUFFER;                                                                                    \
        tlog_freertos_buffer_wait((buffer), (is_sent), ((const StreamBuffer_t *)(buffer))->waiting);                   \
    } while (0)

/* Trap: the timer task waits by DELAY_UNTIL. If it waits for ever, the time is one tick before now, which shows as
 * ticks=4294967295 or, with 16-bit ticks, 65535. MOVED_TASK_TO_(OVERFLOW_)DELAYED_LIST repeats it and is left out. */
#define TLOG_traceTASK_DELAY()           tlog_freertos_delay((uint32_t)xTicksToDelay)
#define TLOG_traceTASK_DELAY_UNTIL(time) tlog_freertos_delay((uint32_t)(TickType_t)((time)-xTickCount))

/* Trap: if another context sends to the queue in the meantime, the task is made ready again before it is switched out.
 * Trap: a timeout shows only as a failure, when the task runs again. */
#define TLOG_traceBLOCKING_ON_QUEUE_RECEIVE(queue)                                                                     \
    do {                                                                                                               \
        TLOG_FREERTOS_KNOWS_QUEUE;                                                                                     \
        tlog_freertos_queue(TLOG_RTOS_receive | TLOG_RTOS_WAITS, (queue));                                             \
    } while (0)

#define TLOG_traceBLOCKING_ON_QUEUE_SEND(queue) tlog_freertos_queue(TLOG_RTOS_send | TLOG_RTOS_WAITS, (queue))

#define TLOG_traceBLOCKING_ON_QUEUE_PEEK(q)                 tlog_freertos_queue(TLOG_RTOS_peek | TLOG_RTOS_WAITS, (q))

/* Trap: to wait for a buffer, a task waits for a notification. The kernel calls the buffer's hook before that, while
 * the scheduler runs: other tasks may run in between, and if the notification comes first the task does not wait at
 * all. So the buffer's hook only keeps the buffer, and the notification's hook logs it. If two tasks are about to wait
 * for buffers at the same time, the buffer of one may be lost; then its notification shows. */
#define TLOG_traceBLOCKING_ON_STREAM_BUFFER_SEND(buffer)    TLOG_FREERTOS_BUFFER_WAIT(buffer, 1, xTaskWaitingToSend)
#define TLOG_traceBLOCKING_ON_STREAM_BUFFER_RECEIVE(buffer) TLOG_FREERTOS_BUFFER_WAIT(buffer, 0, xTaskWaitingToReceive)
#define TLOG_traceTASK_NOTIFY_TAKE_BLOCK(...)                                                                          \
    tlog_freertos_object(TLOG_RTOS_receive | TLOG_RTOS_WAITS, TLOG_NAME_NOTIFICATION,                                  \
                         TLOG_FREERTOS_INDEX(__VA_ARGS__), 0)
#define TLOG_FREERTOS_AT(...) TLOG_FREERTOS_INDEX(__VA_ARGS__), pxCurrentTCB

#define TLOG_traceTASK_NOTIFY_WAIT_BLOCK(...) tlog_freertos_notification_wait(TLOG_FREERTOS_AT(__VA_ARGS__))

#define TLOG_traceTASK_NOTIFY_WAIT(...)                     tlog_freertos_waited(TLOG_FREERTOS_AT(__VA_ARGS__))
#define TLOG_traceEVENT_GROUP_WAIT_BITS_BLOCK(group, bits)  tlog_freertos_wait_bits((group), (uint32_t)(bits))
#define TLOG_traceEVENT_GROUP_SYNC_BLOCK(group, set, await) tlog_freertos_wait_bits((group), (uint32_t)(await))

#define TLOG_traceTASK_PRIORITY_INHERIT(task, to) tlog_freertos_priority((uint32_t)(task)->uxTaskNumber, (uint32_t)(to))

/* Trap: before V10.4 the hook tells the base priority, also if a wait for the mutex has timed out and the task keeps
 * the priority of the next one that waits. The kernel's function for that case has the priority in a local variable of
 * this name. Elsewhere the name is this function, which nobody calls or defines: compilers do not warn of a local
 * variable that has the name of a function. */
void uxPriorityToUse(void);
#define TLOG_FREERTOS_NO_TIMEOUT                  __builtin_types_compatible_p(__typeof__(uxPriorityToUse), void(void))
#define TLOG_traceTASK_PRIORITY_DISINHERIT(task, to)                                                                   \
    tlog_freertos_priority((uint32_t)(task)->uxTaskNumber,                                                             \
                           (uint32_t) __builtin_choose_expr(TLOG_FREERTOS_NO_TIMEOUT, (to), uxPriorityToUse))
#endif

/* ---- queues, semaphores, mutexes --------------------------------------------------------------------------------- */

/* Something was done to an object. operation: TLOG_RTOS_*. */
void tlog_freertos_object(uint32_t operation, uint32_t kind, uintptr_t object, uint32_t value);

/* In hooks of what is created: tlog_rtos_begin(), if events do not open the rings. */
#if TLOG_START
void tlog_freertos_begin(void);
#define TLOG_FREERTOS_BEGIN tlog_freertos_begin()
#else
#define TLOG_FREERTOS_BEGIN (void)0
#endif

/* The same for an object of queue.c, and for a stream buffer. */
void tlog_freertos_queue(uint32_t operation, const void *queue);
void tlog_freertos_buffer(uint32_t operation, const void *buffer, uint32_t bytes);

/* Private: the kernel hides its control blocks, but has public structures of the same layout. tlog_freertos.c reads
 * these, so a hook passes only the address. Hooks are compiled where both are known: there, these check that each
 * member is where it is in the public structure. */
#define TLOG_FREERTOS_SAME(hidden, member, known, same)                                                                \
    TLOG_STATIC_ASSERT(offsetof(hidden, member) == offsetof(known, same), "tlog does not know this " #hidden)
#define TLOG_FREERTOS_KNOWS_QUEUE                                                                                      \
    TLOG_FREERTOS_SAME(Queue_t, TLOG_FREERTOS_HOLDER(pxMutexHolder), StaticQueue_t, TLOG_FREERTOS_HOLDER_THERE);       \
    TLOG_FREERTOS_SAME(Queue_t, uxMessagesWaiting, StaticQueue_t, uxDummy4[0]);                                        \
    TLOG_FREERTOS_SAME(Queue_t, uxLength, StaticQueue_t, uxDummy4[1]);                                                 \
    TLOG_FREERTOS_SAME(Queue_t, uxItemSize, StaticQueue_t, uxDummy4[2]);                                               \
    TLOG_FREERTOS_SAME(Queue_t, uxQueueNumber, StaticQueue_t, uxDummy8);                                               \
    TLOG_FREERTOS_SAME(Queue_t, ucQueueType, StaticQueue_t, ucDummy9)
/* Trap: before V10.1 the holder of a mutex has a member that other queues use, and pxMutexHolder is a macro. */
#define TLOG_FREERTOS_HOLDER(member)       TLOG_FREERTOS_HOLDER_OF(member)
#define TLOG_FREERTOS_HOLDER_OF(member)    TLOG_FREERTOS_HOLDER_##member
#define TLOG_FREERTOS_HOLDER_pcTail        pcTail
#define TLOG_FREERTOS_HOLDER_pxMutexHolder u.xSemaphore.xMutexHolder
#define TLOG_FREERTOS_HOLDER_THERE         pvDummy1[TLOG_FREERTOS_BEFORE(10, 1) ? 1 : 2]
#define TLOG_FREERTOS_KNOWS_BUFFER                                                                                     \
    TLOG_FREERTOS_SAME(StreamBuffer_t, ucFlags, StaticStreamBuffer_t, ucDummy3);                                       \
    TLOG_STATIC_ASSERT(sbFLAGS_IS_MESSAGE_BUFFER == 1, "tlog does not know this sbFLAGS_IS_MESSAGE_BUFFER")

#if TLOG_FREERTOS_QUEUES
#include "tlog_freertos_queue.h"

void tlog_freertos_queue_failed(uint32_t type);
void tlog_freertos_name_queue(const void *queue, const char *name);

void tlog_freertos_create(void *queue);

/* Trap: a binary semaphore is a queue of another type, and has no hook of its own. The hooks of CREATE_MUTEX, of
 * CREATE_COUNTING_SEMAPHORE and of their failures tell nothing more. */
#define TLOG_traceQUEUE_CREATE(queue)                                                                                  \
    do {                                                                                                               \
        TLOG_FREERTOS_KNOWS_QUEUE;                                                                                     \
        tlog_freertos_create(queue);                                                                                   \
    } while (0)
#define TLOG_traceQUEUE_CREATE_FAILED(type)        tlog_freertos_queue_failed(type)
#define TLOG_traceQUEUE_DELETE(queue)              tlog_freertos_queue(TLOG_RTOS_delete, (queue))
#define TLOG_traceQUEUE_REGISTRY_ADD(handle, name) tlog_freertos_name_queue((handle), (name))

/* From V11 on. Trap: a queue is also reset when it is created. */
#define TLOG_traceENTER_xQueueGenericReset(queue, created)                                                             \
    do {                                                                                                               \
        if ((created) == pdFALSE)                                                                                      \
            tlog_freertos_queue(TLOG_RTOS_reset, (queue));                                                             \
    } while (0)

/* Trap: the kernel calls these before it changes the count; overwriting a message does not change it. Trap: the kernel
 * gives a mutex once when it creates it, and no task holds it then. Trap: QUEUE_SET_SEND must not be defined: then the
 * kernel calls QUEUE_SEND instead. */
#define TLOG_traceQUEUE_SEND(queue)                 TLOG_FREERTOS_MOVES(tlog_freertos_send, (queue))
#define TLOG_traceQUEUE_SEND_FROM_ISR(queue)        TLOG_FREERTOS_MOVES(tlog_freertos_send, (queue))
#define TLOG_traceQUEUE_RECEIVE(queue)              TLOG_FREERTOS_MOVES(tlog_freertos_receive, (queue))
#define TLOG_traceQUEUE_RECEIVE_FROM_ISR(queue)     TLOG_FREERTOS_MOVES(tlog_freertos_receive, (queue))
#define TLOG_traceQUEUE_PEEK(queue)                 tlog_freertos_queue(TLOG_RTOS_peek, (queue))
#define TLOG_traceQUEUE_PEEK_FROM_ISR(queue)        tlog_freertos_queue(TLOG_RTOS_peek, (queue))

/* Trap: in a task, these are called when the scheduler runs again; other tasks may have run in between. */
#define TLOG_traceQUEUE_SEND_FAILED(queue)          tlog_freertos_queue(TLOG_RTOS_send | TLOG_RTOS_FAILED, (queue))
#define TLOG_traceQUEUE_SEND_FROM_ISR_FAILED(queue) tlog_freertos_queue(TLOG_RTOS_send | TLOG_RTOS_FAILED, (queue))
#define TLOG_traceQUEUE_RECEIVE_FAILED(queue)       tlog_freertos_queue(TLOG_RTOS_receive | TLOG_RTOS_FAILED, (queue))
#define TLOG_traceQUEUE_RECEIVE_FROM_ISR_FAILED(queue)                                                                 \
    tlog_freertos_queue(TLOG_RTOS_receive | TLOG_RTOS_FAILED, (queue))
#define TLOG_traceQUEUE_PEEK_FAILED(queue)           tlog_freertos_queue(TLOG_RTOS_peek | TLOG_RTOS_FAILED, (queue))
#define TLOG_traceQUEUE_PEEK_FROM_ISR_FAILED(queue)  tlog_freertos_queue(TLOG_RTOS_peek | TLOG_RTOS_FAILED, (queue))

/* Trap: only the first take and the last give of a recursive mutex change its holder; for these the kernel also calls
 * the hooks above. The hook of a take that failed tells the same as QUEUE_RECEIVE_FAILED. */
#define TLOG_traceTAKE_MUTEX_RECURSIVE(mutex)        tlog_freertos_queue(TLOG_RTOS_receive | TLOG_RTOS_NESTED, (mutex))
#define TLOG_traceGIVE_MUTEX_RECURSIVE(mutex)        tlog_freertos_queue(TLOG_RTOS_send | TLOG_RTOS_NESTED, (mutex))
#define TLOG_traceGIVE_MUTEX_RECURSIVE_FAILED(mutex) tlog_freertos_queue(TLOG_RTOS_send | TLOG_RTOS_FAILED, (mutex))
#endif

/* ---- timers ------------------------------------------------------------------------------------------------------ */

#if TLOG_FREERTOS_TIMERS
void tlog_freertos_timer_create(void *timer, const char *name, uint32_t period);
void tlog_freertos_timer(void *timer, int32_t command, uint32_t added);
void tlog_freertos_call(uintptr_t function, int32_t sent);

#define TLOG_FREERTOS_TIMER(operation, timer) tlog_freertos_object((operation), TLOG_NAME_TIMER, (uintptr_t)(timer), 0)
#define TLOG_traceTIMER_CREATE(timer)                                                                                  \
    tlog_freertos_timer_create((timer), (timer)->pcTimerName, (uint32_t)(timer)->xTimerPeriodInTicks)
#define TLOG_traceTIMER_CREATE_FAILED() TLOG_FREERTOS_TIMER(TLOG_RTOS_create | TLOG_RTOS_FAILED, 0)

/* Trap: COMMAND_SEND is called after the sending, often after COMMAND_RECEIVED. It tells more than the event of the
 * timers' queue only if the command failed. */
#define TLOG_traceTIMER_COMMAND_SEND(timer, command, value, sent)                                                      \
    do {                                                                                                               \
        if ((sent) != pdPASS)                                                                                          \
            tlog_freertos_timer((timer), (int32_t)(command), TLOG_RTOS_FAILED);                                        \
    } while (0)
#define TLOG_traceTIMER_COMMAND_RECEIVED(timer, command, value) tlog_freertos_timer((timer), (int32_t)(command), 0)
/* Trap: called before the timer's function, but behind it in V10.4 if the timer has expired before the timer task gets
 * its command. No hook tells when that function returns. */
#define TLOG_traceTIMER_EXPIRED(timer)                          TLOG_FREERTOS_TIMER(TLOG_RTOS_expire, timer)

#define TLOG_tracePEND_FUNC_CALL(function, one, two, sent) tlog_freertos_call((uintptr_t)(function), (int32_t)(sent))

#define TLOG_tracePEND_FUNC_CALL_FROM_ISR(function, one, two, sent)                                                    \
    tlog_freertos_call((uintptr_t)(function), (int32_t)(sent))
#endif

/* ---- event groups ------------------------------------------------------------------------------------------------ */

#if TLOG_FREERTOS_EVENT_GROUPS
#define TLOG_FREERTOS_GROUP(operation, group, bits)                                                                    \
    tlog_freertos_object((operation), TLOG_NAME_EVENT_GROUP, (uintptr_t)(group), (uint32_t)(bits))

#define TLOG_traceEVENT_GROUP_CREATE(group)                                                                            \
    do {                                                                                                               \
        TLOG_FREERTOS_BEGIN;                                                                                           \
        TLOG_FREERTOS_GROUP(TLOG_RTOS_create, group, 0);                                                               \
    } while (0)

#define TLOG_traceEVENT_GROUP_CREATE_FAILED() TLOG_FREERTOS_GROUP(TLOG_RTOS_create | TLOG_RTOS_FAILED, 0, 0)

#define TLOG_traceEVENT_GROUP_DELETE(group)                    TLOG_FREERTOS_GROUP(TLOG_RTOS_delete, group, 0)
#define TLOG_traceEVENT_GROUP_SET_BITS(group, bits)            TLOG_FREERTOS_GROUP(TLOG_RTOS_set_bits, group, bits)
#define TLOG_traceEVENT_GROUP_CLEAR_BITS(group, bits)          TLOG_FREERTOS_GROUP(TLOG_RTOS_clear_bits, group, bits)
/* Trap: a handler only asks the timer task, which then changes the bits. */
#define TLOG_traceEVENT_GROUP_SET_BITS_FROM_ISR(group, bits)   TLOG_FREERTOS_GROUP(TLOG_RTOS_call, group, 0)
#define TLOG_traceEVENT_GROUP_CLEAR_BITS_FROM_ISR(group, bits) TLOG_FREERTOS_GROUP(TLOG_RTOS_call, group, 0)
#define TLOG_traceEVENT_GROUP_WAIT_BITS_END(group, bits, failed)                                                       \
    TLOG_FREERTOS_GROUP(TLOG_RTOS_wait | ((failed) ? TLOG_RTOS_FAILED : 0u), group, 0)
/* Trap: the bits that a task sets to synchronize have a hook of their own. */
#define TLOG_traceEVENT_GROUP_SYNC_END(group, set, await, failed)                                                      \
    TLOG_FREERTOS_GROUP(TLOG_RTOS_sync | ((failed) ? TLOG_RTOS_FAILED : 0u), group, 0)
#endif

/* ---- stream buffers ---------------------------------------------------------------------------------------------- */

#if TLOG_FREERTOS_STREAM_BUFFERS
#define TLOG_FREERTOS_NO_BUFFER(type)                                                                                  \
    tlog_freertos_object(TLOG_RTOS_create | TLOG_RTOS_FAILED,                                                          \
                         (type) == 1 ? TLOG_NAME_MESSAGE_BUFFER : TLOG_NAME_STREAM_BUFFER, 0, 0)
#define TLOG_FREERTOS_BUFFER(operation, buffer, bytes) tlog_freertos_buffer((operation), (buffer), (uint32_t)(bytes))
#define TLOG_FREERTOS_STUCK(operation, buffer)         TLOG_FREERTOS_BUFFER((operation) | TLOG_RTOS_FAILED, buffer, 0)
/* 0 bytes in a handler are a failure, for which there is no hook of its own. */
#define TLOG_FREERTOS_MOVED(operation, buffer, bytes)                                                                  \
    TLOG_FREERTOS_BUFFER((operation) | ((bytes) == 0 ? TLOG_RTOS_FAILED : 0u), buffer, bytes)

#define TLOG_traceSTREAM_BUFFER_CREATE(buffer, type)                                                                   \
    do {                                                                                                               \
        TLOG_FREERTOS_KNOWS_BUFFER;                                                                                    \
        TLOG_FREERTOS_BEGIN;                                                                                           \
        TLOG_FREERTOS_BUFFER(TLOG_RTOS_create, buffer, ((const StreamBuffer_t *)(buffer))->xLength);                   \
    } while (0)
#define TLOG_traceSTREAM_BUFFER_CREATE_FAILED(type)              TLOG_FREERTOS_NO_BUFFER(type)
#define TLOG_traceSTREAM_BUFFER_CREATE_STATIC_FAILED(none, type) TLOG_FREERTOS_NO_BUFFER(type)
#define TLOG_traceSTREAM_BUFFER_DELETE(buffer)                   TLOG_FREERTOS_BUFFER(TLOG_RTOS_delete, buffer, 0)
#define TLOG_traceSTREAM_BUFFER_RESET(buffer)                    TLOG_FREERTOS_BUFFER(TLOG_RTOS_reset, buffer, 0)
#define TLOG_traceSTREAM_BUFFER_RESET_FROM_ISR(buffer)           TLOG_FREERTOS_BUFFER(TLOG_RTOS_reset, buffer, 0)
#define TLOG_traceSTREAM_BUFFER_SEND(buffer, bytes)              TLOG_FREERTOS_BUFFER(TLOG_RTOS_send, buffer, bytes)
#define TLOG_traceSTREAM_BUFFER_SEND_FROM_ISR(buffer, bytes)     TLOG_FREERTOS_MOVED(TLOG_RTOS_send, buffer, bytes)
#define TLOG_traceSTREAM_BUFFER_SEND_FAILED(buffer)              TLOG_FREERTOS_STUCK(TLOG_RTOS_send, buffer)
#define TLOG_traceSTREAM_BUFFER_RECEIVE(buffer, bytes)           TLOG_FREERTOS_BUFFER(TLOG_RTOS_receive, buffer, bytes)
#define TLOG_traceSTREAM_BUFFER_RECEIVE_FROM_ISR(buffer, bytes)  TLOG_FREERTOS_MOVED(TLOG_RTOS_receive, buffer, bytes)
#define TLOG_traceSTREAM_BUFFER_RECEIVE_FAILED(buffer)           TLOG_FREERTOS_STUCK(TLOG_RTOS_receive, buffer)
#endif

/* ---- notifications ----------------------------------------------------------------------------------------------- */

#if TLOG_FREERTOS_NOTIFICATIONS
/* Trap: the task that is notified is not an argument; it is in the kernel's local variable pxTCB. TAKE and WAIT are
 * called when the wait has ended, also by a timeout. */
#define TLOG_FREERTOS_NOTIFY(...)                                                                                      \
    tlog_freertos_object(TLOG_RTOS_notify, TLOG_NAME_TASK, TLOG_FREERTOS_INDEX(__VA_ARGS__),                           \
                         (uint32_t)pxTCB->uxTaskNumber)
#define TLOG_traceTASK_NOTIFY(...)               TLOG_FREERTOS_NOTIFY(__VA_ARGS__)
#define TLOG_traceTASK_NOTIFY_FROM_ISR(...)      TLOG_FREERTOS_NOTIFY(__VA_ARGS__)
#define TLOG_traceTASK_NOTIFY_GIVE_FROM_ISR(...) TLOG_FREERTOS_NOTIFY(__VA_ARGS__)
/* The value is in an array, or before V10.4 alone. */
#define TLOG_traceTASK_NOTIFY_TAKE(...)                                                                                \
    tlog_freertos_object(                                                                                              \
        TLOG_RTOS_receive, TLOG_NAME_NOTIFICATION, TLOG_FREERTOS_INDEX(__VA_ARGS__),                                   \
        ((const volatile uint32_t *)&pxCurrentTCB->ulNotifiedValue)[TLOG_FREERTOS_INDEX(__VA_ARGS__)])
#if !TLOG_FREERTOS_WHY
#define TLOG_traceTASK_NOTIFY_WAIT(...)                                                                                \
    tlog_freertos_object(TLOG_RTOS_wait, TLOG_NAME_NOTIFICATION, TLOG_FREERTOS_INDEX(__VA_ARGS__), 0)
#endif
#endif

/* ---- heap, sleep, interrupts ------------------------------------------------------------------------------------- */

#if TLOG_FREERTOS_HEAP
void tlog_freertos_heap(uint32_t operation, const void *block, uint32_t bytes);

/* Trap: a failed allocation has the block NULL. Before V11.2 the bytes are those that were asked for; then those
 * that were taken, which are 0 after a failure. The kernel tells the bytes in use; with heap_3 it does not, and 0 is
 * shown. */
#define TLOG_traceMALLOC(block, bytes) tlog_freertos_heap(TLOG_RTOS_allocate, (block), (uint32_t)(bytes))
#define TLOG_traceFREE(block, bytes)   tlog_freertos_heap(TLOG_RTOS_free, (block), (uint32_t)(bytes))
#define TLOG_traceTASK_CREATE_FAILED() tlog_freertos_object(TLOG_RTOS_create | TLOG_RTOS_FAILED, TLOG_NAME_TASK, 0, 0)
#endif

#if TLOG_FREERTOS_SLEEP
void tlog_freertos_sleep_begin(void);
void tlog_freertos_sleep_end(void);
void tlog_freertos_slept(uint32_t count);

/* The kernel calls these two around WFI, with interrupts masked. Trap: hooks of your own stay; they call the same. */
#if TLOG_SLEEP_HZ && !defined(configPRE_SLEEP_PROCESSING)
#define configPRE_SLEEP_PROCESSING(ticks) tlog_sleep_begin()
#endif
#if TLOG_SLEEP_HZ && !defined(configPOST_SLEEP_PROCESSING)
#define configPOST_SLEEP_PROCESSING(ticks) tlog_sleep_end()
#endif

/* Trap: the kernel advances its tick count between BEGIN and END, with interrupts masked. */
#define TLOG_traceLOW_POWER_IDLE_BEGIN()     tlog_freertos_sleep_begin()
#define TLOG_traceLOW_POWER_IDLE_END()       tlog_freertos_sleep_end()
#define TLOG_traceINCREASE_TICK_COUNT(ticks) tlog_freertos_slept((uint32_t)xTickCount)
#endif

#if TLOG_FREERTOS_ISR && __ARM_ARCH_PROFILE == 'M'
void tlog_freertos_isr(uint32_t code);

/* Trap: every handler that ends with portYIELD_FROM_ISR() calls EXIT, also without ENTER, and before its last
 * instructions. An EXIT without ENTER is not logged. */
#define TLOG_traceISR_ENTER()             tlog_freertos_isr(FTrace_EVT_interrupt_start)
#define TLOG_traceISR_EXIT()              tlog_freertos_isr(FTrace_EVT_interrupt_end)
#define TLOG_traceISR_EXIT_TO_SCHEDULER() tlog_freertos_isr(FTrace_EVT_interrupt_end)
#endif

TLOG_END_C

#endif
#include "tlog_freertos_hooks.h"

#endif
