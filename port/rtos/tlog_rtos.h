/* SPDX-License-Identifier: MIT */
/* tlog_rtos.h - the seven calls by which a kernel shows its tasks and objects. The ports to kernels use them:
 * port/rtos/freertos and the others beside it. For another kernel, make these calls yourself.
 *
 *     call                                               when
 *     tlog_rtos_task_create(context, name, priority)     a task is created, before it is made ready
 *     tlog_rtos_task_delete(context)                     a task is deleted, or ends
 *     tlog_rtos_switch(context)                          in the switch: that task runs from now on
 *     tlog_rtos_ready(context)                           a task becomes ready
 *     tlog_rtos_block(context, operation, kind, object)  before its switch: the running task, which has that context,
 *                                                        is going to wait
 *     tlog_rtos_priority(context, priority)              a task's priority changes, also by inheritance
 *     tlog_rtos_object(operation, kind, object, value)   anything is done to an object
 *
 * and tlog_name(kind, object, name) gives an object its name. Once, when the kernel starts, call
 * tlog_rtos_priority_order(): it tells which priorities are the more important ones.
 *
 *     argument   meaning
 *     context    number of a task, 1..65535; 0 is the idle task, on each CPU. Use the kernel's own number of the task,
 *                from a field of its control block. If there is no such field: tlog_rtos_context()
 *     operation  TLOG_RTOS_send, TLOG_RTOS_receive ...: any name of TLOG_RTOS_EVENTS or TLOG_RTOS_OPERATIONS in
 *                tlog_wire.h except fail, block and other. With | TLOG_RTOS_FAILED: it failed, or timed out
 *     kind       what the object is: TLOG_NAME_QUEUE, ..., TLOG_NAME_MUTEX, TLOG_NAME_TASK; 0: there is none
 *     object     its address, 32 bits
 *     value      see tlog_rtos_object()
 *
 * Names may come before the events or after them. The decoder shows the words that kernels use, such as give and take:
 * TLOG_RTOS_send of a semaphore shows as semaphore_give.
 *
 * README.md beside this file tells what each operation means, and which call to make for what a kernel has: one hook in
 * a switch or two, an idle thread or none, and so on.
 *
 * All calls may be made from any context, with any interrupts masked, on any CPU; none takes a lock. Each logs records
 * of one slot, and works without TLOG_TRACEEVENTS. Where S.Ha.R.K. has an event for it, the call logs that event;
 * otherwise one of family 0xF. The filter treats that family as a whole: tlog_filter(0xF, true) keeps switches,
 * wake-ups, priorities and mutexes, and suppresses all other objects, the reasons why tasks block, and, without
 * TLOG_TRACEEVENTS, own events (tlog_define.h). A port can leave out more calls when it is compiled.
 */
#ifndef TLOG_RTOS_H
#define TLOG_RTOS_H

#include "tlog.h"

TLOG_BEGIN_C

/* Added to an operation: it failed. In the trace it is an event of its own, such as queue_receive_failed. */
#define TLOG_RTOS_FAILED 0x80u

/* Added to send or receive of a mutex: the task holds it before and after the call. */
#define TLOG_RTOS_NESTED 0x40u

/* As the context of a mutex's unlock: no task. A handler unlocks it, or it is not told who. A mutex that its waiter
 * holds itself, or that no task unlocks, is a signal to the decoder: the task sleeps, and waits for no lock. */
#define TLOG_RTOS_NO_TASK 0u

/* Private, added by tlog_rtos_block(): the running task is going to wait; the value is its context. */
#define TLOG_RTOS_WAITS 0x20u

/* The context of a task whose control block has no field for it, made from the block's address. No two tasks get the
 * same one if all blocks are within 1 MiB and have 16 bytes or more; tlog_context() (tlog.h) needs a table in RAM, and
 * neither. Callable from: any context, as all of these
 * calls. */
TLOG_ALWAYS_INLINE uint32_t tlog_rtos_context(uintptr_t block)
{
    return ((uint32_t)block >> 4 & 0xFFFFu) != 0 ? (uint32_t)block >> 4 & 0xFFFFu : 1u;
}

/* For a port only: call tlog_start(), if no event opens the rings (TLOG_START) and nothing has done so. For hooks off
 * the hot paths, in which main first meets tlog: where something is created or allocated, and where the kernel starts.
 * Switches, wake-ups and interrupts do not call it. With TLOG_START=0 it is no code; else it costs a load and a
 * comparison, and the first call formats the rings, which takes 3 instructions for each slot. What a task or main logs
 * through the port behind it is recorded; interrupts that came before are dropped and counted.
 * Which hook comes first does not matter: once the rings are open, a call only compares. An application that calls
 * tlog_start() itself, at the beginning of main, loses nothing of its start-up interrupts either.
 * Callable from: main and threads. */
TLOG_ALWAYS_INLINE void tlog_rtos_begin(void)
{
#if TLOG_ENABLE
    if (tlog_ring_is_early(tlog_cpus))
        tlog_start();
#endif
}

/* A task is created. name: as in tlog_name(); NULL: none. priority: as the kernel counts. */
TLOG_INLINE void tlog_rtos_task_create(uint32_t context, const char *name, int32_t priority)
{
    tlog_rtos_begin();
    if (name != 0)
        tlog_name(TLOG_NAME_TASK, context, name);
    tlog_record_call(FTrace_EVT_task_create, context, context);
    tlog_priority(context, priority);
}

/* A task is deleted; it may run on until its switch. Its context may be given to another task. Its name stays for
 * events that are still in the ring, until other names need the room. */
TLOG_INLINE void tlog_rtos_task_delete(uint32_t context)
{
    tlog_record_call(FTrace_EVT_task_end, context, context);
    tlog_forget(TLOG_NAME_TASK, context);
}

/* That task runs from now on. A call for the task that runs already is not needed, and harmless. Inline, because every
 * switch makes this call. With -Os, too, where other events are calls: a kernel has one such place, so that flash is
 * paid only once. */
TLOG_ALWAYS_INLINE void tlog_rtos_switch(uint32_t context)
{
#if TLOG_ENABLE && !TLOG_UNOPTIMIZED
    tlog_ring_record(tlog_cpu_here(), FTrace_EVT_context_switch, context, 0);
#else
    tlog_record(FTrace_EVT_context_switch, context, 0);
#endif
}

/* A task is ready to run. It may have been ready before, for example when its priority changes: the decoder shows only
 * a task that was not ready as woken. */
TLOG_ALWAYS_INLINE void tlog_rtos_ready(uint32_t context)
{
    tlog_record_call(FTrace_EVT_task_activate, context, 0);
}

/* Tell which priorities are the more important ones: TLOG_LOWEST_FIRST, as ThreadX and Zephyr count, or
 * TLOG_HIGHEST_FIRST, as FreeRTOS and RTX5 do. The decoder compares priorities, and orders tasks, by that. It takes a
 * slot of those for names (TLOG_NAME_SLOTS), and no time after this call. */
TLOG_ALWAYS_INLINE void tlog_rtos_priority_order(const char *order)
{
    tlog_rtos_begin();
    tlog_name(TLOG_NAME_ORDER, 0, order);
}

/* A task's priority has changed. It is kept beside the names, and so known in any lap of the ring. */
TLOG_INLINE void tlog_rtos_priority(uint32_t context, int32_t priority)
{
    tlog_priority(context, priority);
}

/* Private: whether the handler of that exception is logged by tlog_irq.h on this CPU: by tlog_irq_trace(), or because
 * its vector in flash is tlog_irq_any(). A kernel's hooks of handlers ask, so that no handler is logged twice. The
 * register VTOR tells which vectors are in use; it reads as 0 on cores that have none. tlog_irq_entry is the vector of
 * what tlog_irq_trace() traces. Both are weak because firmware need not have their files.
 * Callable from: an interrupt. */
#if defined(TLOG_PORT_V7M_H) || defined(TLOG_PORT_V6M_H)
extern void (*volatile tlog_irq_entry)(void) __attribute__((weak));
void tlog_irq_any(void) __attribute__((weak));

/* Private: whether the vector of that exception is one of these two; 0: the firmware has no such function. The word of
 * a vector has bit 0 set, as the address of a function has: so both can be compared as they are. */
TLOG_INLINE bool tlog_rtos_has_vector(uint32_t exception, uintptr_t entry, uintptr_t any)
{
    const uintptr_t at = *(const volatile uint32_t *)0xE000ED08u + 4u * exception;
    const uintptr_t vector = *(const volatile uintptr_t *)at;
    return (entry != 0 && vector == entry) || (any != 0 && vector == any);
}

/* The same question for the two functions that tlog has. Mostly the firmware has neither, or has not called
 * tlog_irq_trace(): then VTOR is not read, which saves some ten instructions in each of a kernel's hooks of
 * handlers. */
TLOG_ALWAYS_INLINE bool tlog_rtos_is_traced(uint32_t exception)
{
    const uintptr_t entry = &tlog_irq_entry != 0 ? (uintptr_t)tlog_irq_entry : 0, any = (uintptr_t)tlog_irq_any;
    return __builtin_expect((entry | any) != 0, 0) && tlog_rtos_has_vector(exception, entry, any);
}
#else
#define tlog_rtos_is_traced(exception) ((void)(exception), false)
#endif

/* For a port only: as tlog_quiescent() (tlog.h), by the kernel itself. From the first call on those of the application
 * are ignored and counted. It tells that no thread of this CPU is in the middle of a call of tlog: the idle thread
 * runs, no other thread of its priority is ready, no thread that was suspended by another one while it was ready has
 * not blocked by itself since, and the scheduler is not locked. It may be called from a handler in which the scheduler
 * runs, if that has not interrupted a handler. */
#if TLOG_ENABLE
void tlog_rtos_quiescent(void);
#else
TLOG_ALWAYS_INLINE void tlog_rtos_quiescent(void)
{
}
#endif

/* For the application, where it writes the code of the idle task: call this there, in the loop, outside of any other
 * call. The port then tells that no task is in the middle of a call, if that is so. README.md says which kernels need
 * it. Harmless where none does. Callable from: the idle task; of ThreadX, a thread of the lowest priority. */
#if TLOG_ENABLE
void tlog_rtos_idle(void);
#else
TLOG_ALWAYS_INLINE void tlog_rtos_idle(void)
{
}
#endif

/* ---- the calls --------------------------------------------------------------------------------------------------- */

/* Private: the count, or the largest that fits in a record. */
TLOG_ALWAYS_INLINE uint32_t tlog_rtos_count(uint32_t value)
{
    return value < TLOG_RTOS_COUNT_MOST ? value : TLOG_RTOS_COUNT_MOST;
}

/* Private: par1 of fail, block and other. The operation is in the bits that hold a count in other events. */
#define TLOG_RTOS_REASON(operation, kind) ((uint32_t)(operation) << TLOG_RTOS_COUNT_SHIFT | (uint32_t)(kind))

/* Private: the bits that are added to an operation. */
#define TLOG_RTOS_ADDED (TLOG_RTOS_FAILED | TLOG_RTOS_NESTED | TLOG_RTOS_WAITS)

/* Private: the event that an operation shows as. */
TLOG_ALWAYS_INLINE uint32_t tlog_rtos_event(uint32_t operation)
{
    if (operation & TLOG_RTOS_FAILED)
        return TLOG_RTOS_fail;
    if (operation & TLOG_RTOS_WAITS)
        return TLOG_RTOS_block;
    return operation > TLOG_RTOS_free ? (uint32_t)TLOG_RTOS_other : operation;
}

/* Private: par1 of that event. An operation without an event of its own tells itself and the kind; create to receive
 * tell a count and the kind; the others tell their value. */
TLOG_ALWAYS_INLINE uint32_t tlog_rtos_par1(uint32_t event, uint32_t operation, uint32_t kind, uint32_t value)
{
    if (operation > TLOG_RTOS_free)
        return TLOG_RTOS_REASON(operation & ~TLOG_RTOS_ADDED, kind);
    if (event <= TLOG_RTOS_receive)
        return TLOG_RTOS_REASON(tlog_rtos_count(value), kind);
    return event >= TLOG_RTOS_allocate && value > 0xFFFFu ? 0xFFFFu : value;
}

/* Something was done to an object. Value:
 *   of create                    the size of the object, at most 2047: a larger one shows as 2047
 *   of send, receive             how many messages, tokens or bytes the object has afterwards, as the kernel counts; at
 *                                most 2047. Of a mutex, where send means unlock: the context of the task
 *   of set_bits, clear_bits, wait_bits   the bits, 16 of them. They are of an event group, whatever kind is
 *   of notify                    the context of the task that is notified; object is the index, or the value
 *   of allocate, free            the bytes, at most 65535; object is how many bytes are in use afterwards
 *   of others                    not used
 * Of tick, sleep_begin and sleep_end object is a number, and kind is 0. operation and kind should be constants: then
 * this compiles to a single call. */
TLOG_ALWAYS_INLINE void tlog_rtos_object(uint32_t operation, uint32_t kind, uintptr_t object, uint32_t value)
{
    uint32_t event = tlog_rtos_event(operation), code = event << 4 | TLOG_RTOS_FAMILY, par1 = value;
    if (__builtin_constant_p(operation) && (operation & ~TLOG_RTOS_ADDED) == TLOG_RTOS_create)
        tlog_rtos_begin();
    if (kind == TLOG_NAME_MUTEX && operation == TLOG_RTOS_send)
        code = FTrace_EVT_set_mutex_unlock;
    else if (kind == TLOG_NAME_MUTEX && operation == TLOG_RTOS_receive)
        code = FTrace_EVT_set_mutex_lock;
    else if (kind == TLOG_NAME_MUTEX && operation & TLOG_RTOS_WAITS)
        code = FTrace_EVT_set_mutex_wait;
    else
        par1 = tlog_rtos_par1(event, operation, kind, value);
    tlog_record_call(code, par1, (uint32_t)object);
}

/* Why the running task, which has that context, is going to wait. Special cases:
 * - TLOG_RTOS_suspend: the task with that context is suspended, whether it runs or not.
 * - To wait for a time only: TLOG_RTOS_delay, kind 0, and the ticks instead of the object.
 * - To wait for bits of an event group, call tlog_rtos_object() with TLOG_RTOS_wait_bits instead.
 * In the trace a task that waits for a mutex leaves in state D, others in state S. If the task does not have to wait
 * after all, call tlog_rtos_ready(). */
TLOG_ALWAYS_INLINE void tlog_rtos_block(uint32_t context, uint32_t operation, uint32_t kind, uintptr_t object)
{
    if (operation == TLOG_RTOS_suspend)
        tlog_record_call(FTrace_EVT_task_disable, context, 0);
    else if (operation == TLOG_RTOS_delay)
        tlog_record_call(TLOG_RTOS_delay << 4 | TLOG_RTOS_FAMILY, 0, (uint32_t)object);
    else
        tlog_rtos_object(operation | TLOG_RTOS_WAITS, kind, object, context);
}

/* ---- waits that are told in two places --------------------------------------------------------------------------- */

/* For kernels whose API knows the object, and whose scheduler knows whether the task really waits: between the two the
 * task may be preempted, or may find that it need not wait. A wait that is logged too early shows a ready task as
 * blocked. So the API makes a plan, and the scheduler logs it when the task leaves.
 *
 *     k_take(sem)        tlog_rtos_will_wait(&running->plan, TLOG_RTOS_receive, TLOG_NAME_SEMAPHORE, (uintptr_t)sem);
 *                        wait_in_queue(&sem->queue);
 *                        running->plan.what = 0;
 *     the switch         if (running->state != READY)
 *                            tlog_rtos_waits(number_of(running), &running->plan);
 *                        tlog_rtos_switch(number_of(next));
 *
 * Each task has a plan, in its control block or beside it, which is 0 at the beginning. */
struct tlog_rtos_plan {
    uint32_t what, object; /* code and par1 of the record that tells the wait, its par2; what is 0: there is no plan */
};

/* In the API: if the task of that plan waits next, it is for that. Arguments as of tlog_rtos_block(); operation and
 * kind should be constants. The next call replaces it; logs nothing. An API that returns sets plan->what to 0, so that
 * no later wait is told as this one. */
TLOG_ALWAYS_INLINE void tlog_rtos_will_wait(struct tlog_rtos_plan *plan, uint32_t operation, uint32_t kind,
                                            uintptr_t object)
{
    plan->object = (uint32_t)object;
    if (operation == TLOG_RTOS_suspend)
        plan->what = FTrace_EVT_task_disable << 16;
    else if (operation == TLOG_RTOS_delay)
        plan->what = (TLOG_RTOS_delay << 4 | TLOG_RTOS_FAMILY) << 16;
    else if (kind == TLOG_NAME_MUTEX)
        plan->what = FTrace_EVT_set_mutex_wait << 16;
    else
        plan->what = (TLOG_RTOS_block << 4 | TLOG_RTOS_FAMILY) << 16 | TLOG_RTOS_REASON(operation, kind);
}

/* In the scheduler, before the switch: the running task, which has that context, is not ready any more. The plan is
 * over. Without one the trace shows a wait for object 0. */
TLOG_INLINE void tlog_rtos_waits(uint32_t context, struct tlog_rtos_plan *plan)
{
    uint32_t code, par1;
    if (plan->what == 0)
        tlog_rtos_will_wait(plan, TLOG_RTOS_wait, TLOG_NAME_OBJECT, 0);
    code = plan->what >> 16;
    par1 = plan->what & 0xFFFFu;
    tlog_record_call(code, code == FTrace_EVT_set_mutex_wait || code == FTrace_EVT_task_disable ? context : par1,
                     plan->object);
    plan->what = 0;
}

TLOG_END_C

#endif
