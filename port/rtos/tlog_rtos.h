/* tlog_rtos.h - the seven calls by which a kernel shows its tasks and objects. A port to a kernel is written on them:
 * port/rtos/freertos and the others beside it. For a kernel of your own call them yourself.
 *
 *     call                                            when
 *     tlog_rtos_task_create(context, name, priority)  a task is created, before it is made ready
 *     tlog_rtos_task_delete(context)                  a task is deleted, or ends
 *     tlog_rtos_switch(context)                       that task runs from now on: in the switch, for every other task
 *     tlog_rtos_ready(context)                        a task becomes ready
 *     tlog_rtos_block(context, operation, kind, object)   the running task, which that is, is going to wait: ahead of
 *                                                     its switch
 *     tlog_rtos_priority(context, priority)           a task's priority is another one, also by inheritance
 *     tlog_rtos_object(operation, kind, object, value)    anything that is done to an object
 *
 * and tlog_name(kind, object, name) gives an object its name.
 *
 *     argument   meaning
 *     context    number of a task, 1..65535; 0 is the idle task, on each CPU. The kernel's own number of the task, in a
 *                field of its control block; no call searches. Where there is no such field: tlog_rtos_context()
 *     operation  TLOG_RTOS_send, TLOG_RTOS_receive ...: a name of TLOG_RTOS_EVENTS or TLOG_RTOS_OPERATIONS in
 *                tlog_wire.h but fail, block and other. With | TLOG_RTOS_FAILED: it failed, or its time was over
 *     kind       what the object is: TLOG_NAME_QUEUE, ..., TLOG_NAME_MUTEX, TLOG_NAME_TASK; 0: there is none
 *     object     its address, 32 bits
 *     value      see tlog_rtos_object()
 *
 * Names may come before the events or after them. Where kernels have words of their own for sending and receiving, such
 * as give and take, the decoder has them, too: TLOG_RTOS_send of a semaphore shows as semaphore_give.
 *
 * All calls may be made from any context, with any interrupts masked, on any CPU; none takes a lock. Each logs records
 * of one slot, and works without TLOG_TRACEEVENTS. They are S.Ha.R.K.'s where these say it, and else of family 0xF. The
 * filter knows that family as a whole: tlog_filter(0xF, true) leaves switches, wake-ups, priorities and mutexes, and
 * suppresses all other objects, why tasks block, and, without TLOG_TRACEEVENTS, own events (tlog_define.h). Finer steps
 * are up to the port, which leaves calls out when it is compiled.
 */
#ifndef TLOG_RTOS_H
#define TLOG_RTOS_H

#include "tlog.h"

TLOG_BEGIN_C

/* Added to an operation: it failed. In the trace it is an event of its own, such as queue_receive_failed. */
#define TLOG_RTOS_FAILED 0x80u

/* Added to send or receive of a mutex: the task holds it before and after, so nothing changes hands. */
#define TLOG_RTOS_NESTED 0x40u

/* Private, added by tlog_rtos_block(): the running task, whose context is the value, is going to wait. */
#define TLOG_RTOS_WAITS 0x20u

/* A context for a kernel whose control blocks have no field for one: made of the block's address, which no other task
 * has within 1 MiB, as long as blocks have 16 bytes or more. */
TLOG_ALWAYS_INLINE uint32_t tlog_rtos_context(uintptr_t block)
{
    return ((uint32_t)block >> 4 & 0xFFFFu) != 0 ? (uint32_t)block >> 4 & 0xFFFFu : 1u;
}

/* A task is created. name: as of tlog_name(), NULL: it has none. priority: in the kernel's own numbers. */
TLOG_INLINE void tlog_rtos_task_create(uint32_t context, const char *name, int32_t priority)
{
    if (name != 0)
        tlog_name(TLOG_NAME_TASK, context, name);
    tlog_record_call(FTrace_EVT_task_create, context, context);
    tlog_priority(context, priority);
}

/* A task is deleted; it may run on until its switch. Its context may be given to another one. Its name is kept for the
 * events of it that are left, until other names need the room.
 * Callable from: any context, as all of these calls. */
TLOG_INLINE void tlog_rtos_task_delete(uint32_t context)
{
    tlog_record_call(FTrace_EVT_task_end, context, context);
    tlog_forget(TLOG_NAME_TASK, context);
}

/* That task runs from now on. Not needed, and no harm, if it ran already. Inline: every switch takes this path. */
TLOG_ALWAYS_INLINE void tlog_rtos_switch(uint32_t context)
{
    tlog_record(FTrace_EVT_context_switch, context, 0);
}

/* A task is ready to run; also one that was ready already, as after a change of its priority: only one that was not is
 * shown as woken. */
TLOG_ALWAYS_INLINE void tlog_rtos_ready(uint32_t context)
{
    tlog_record_call(FTrace_EVT_task_activate, context, 0);
}

/* A task's priority is another one. It is kept beside the names, so that it is known in any lap of the ring. */
TLOG_INLINE void tlog_rtos_priority(uint32_t context, int32_t priority)
{
    tlog_priority(context, priority);
}

/* ---- the calls --------------------------------------------------------------------------------------------------- */

/* Private: the count that a record has room for. */
TLOG_ALWAYS_INLINE uint32_t tlog_rtos_count(uint32_t value)
{
    return value < TLOG_RTOS_COUNT_MOST ? value : TLOG_RTOS_COUNT_MOST;
}

/* Private: par1 of fail, block and other. Operations stand in the same bits as counts. */
#define TLOG_RTOS_REASON(operation, kind) ((uint32_t)(operation) << TLOG_RTOS_COUNT_SHIFT | (uint32_t)(kind))

/* Private: what is not the operation itself. */
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

/* Private: par1 of that event. What has no event of its own tells the operation and the kind, create to receive a count
 * and the kind, and the others their value. */
TLOG_ALWAYS_INLINE uint32_t tlog_rtos_par1(uint32_t event, uint32_t operation, uint32_t kind, uint32_t value)
{
    if (operation > TLOG_RTOS_free)
        return TLOG_RTOS_REASON(operation & ~TLOG_RTOS_ADDED, kind);
    if (event <= TLOG_RTOS_receive)
        return TLOG_RTOS_REASON(tlog_rtos_count(value), kind);
    return event >= TLOG_RTOS_allocate && value > 0xFFFFu ? 0xFFFFu : value;
}

/* Something was done to an object. Value:
 *   of create                    the size of the object
 *   of send, receive             how many messages, tokens or bytes there are behind it, as the kernel counts; from
 *                                2047 on that. Of a mutex, which is sent to unlock it: the context of the task
 *   of set_bits, clear_bits, wait_bits   the bits, 16 of them. They are of an event group, whatever kind is
 *   of notify                    the context of the task that is notified; object is the index, or the value
 *   of allocate, free            the bytes, from 65535 on that; object is how many are in use behind it
 *   of others                    nothing
 * Of tick, sleep_begin and sleep_end object is a number, and kind 0. The arguments but object and value should be
 * constants: then this is one call. */
TLOG_ALWAYS_INLINE void tlog_rtos_object(uint32_t operation, uint32_t kind, uintptr_t object, uint32_t value)
{
    uint32_t event = tlog_rtos_event(operation), code = event << 4 | TLOG_RTOS_FAMILY, par1 = value;
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

/* Why the running task, whose context is given, is going to wait. TLOG_RTOS_suspend: that task, whether it runs or not,
 * is suspended. For a time alone: TLOG_RTOS_delay, kind 0, and the
 * ticks in place of the object. For bits of an event group: tlog_rtos_object() with TLOG_RTOS_wait_bits. With a mutex
 * the task leaves in state D, else in state S. If it does not have to wait after all, tlog_rtos_ready() says so. */
TLOG_ALWAYS_INLINE void tlog_rtos_block(uint32_t context, uint32_t operation, uint32_t kind, uintptr_t object)
{
    if (operation == TLOG_RTOS_suspend)
        tlog_record_call(FTrace_EVT_task_disable, context, 0);
    else if (operation == TLOG_RTOS_delay)
        tlog_record_call(TLOG_RTOS_delay << 4 | TLOG_RTOS_FAMILY, 0, (uint32_t)object);
    else
        tlog_rtos_object(operation | TLOG_RTOS_WAITS, kind, object, context);
}

TLOG_END_C

#endif
