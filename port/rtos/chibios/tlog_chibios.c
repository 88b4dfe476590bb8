/* SPDX-License-Identifier: MIT */
/* tlog_chibios.c - what the hooks of tlog_chibios.h do. All are called with interrupts masked, but those of handlers.
 *
 * The switch tells why a thread waits: its state and its object are in the control block by then, and no thread that is
 * preempted ahead of its wait is taken for one that waits. */
#include "ch.h"

#include "tlog_irq.h"
#include "tlog_rtos.h"

#if TLOG_ENABLE

#if CH_KERNEL_MAJOR < 7
#error tlog: the hooks of this ChibiOS are others: 7 and 8 are known
#endif
#if CH_DBG_TRACE_MASK != CH_DBG_TRACE_MASK_DISABLED
#error tlog: the trace buffer of ChibiOS uses the same hooks: CH_DBG_TRACE_MASK must be CH_DBG_TRACE_MASK_DISABLED
#endif

/* The idle thread is the one with that priority, as in the kernel's own hooks. */
static bool is_idle(const thread_t *thread)
{
    return thread->hdr.pqueue.prio == IDLEPRIO;
}

static uint32_t context_of(const thread_t *thread)
{
    return is_idle(thread) ? 0 : tlog_rtos_context((uintptr_t)thread);
}

static const char *name_of(const thread_t *thread)
{
#if CH_CFG_USE_REGISTRY == TRUE
    return thread->name;
#else
    (void)thread;
    return NULL;
#endif
}

/* An inherited priority and chRegSetThreadName() have no hook: both are seen when the thread becomes ready, leaves, or
 * comes. */
static void look_at(thread_t *thread)
{
    uint32_t priority = thread->hdr.pqueue.prio;
    if (is_idle(thread))
        return;
    if (priority != thread->tlog_priority)
        tlog_rtos_priority(context_of(thread), (int32_t)priority);
    if (name_of(thread) != thread->tlog_name)
        tlog_name(TLOG_NAME_TASK, context_of(thread), name_of(thread));
    thread->tlog_priority = priority;
    thread->tlog_name = name_of(thread);
}

void tlog_chibios_create(thread_t *thread)
{
    thread->tlog_priority = thread->hdr.pqueue.prio;
    thread->tlog_name = name_of(thread);
    if (!is_idle(thread))
        tlog_rtos_task_create(context_of(thread), name_of(thread), (int32_t)thread->hdr.pqueue.prio);
}

/* The thread that calls chSysInit() becomes main() without a switch. */
void tlog_chibios_start(thread_t *running)
{
    tlog_rtos_priority_order(TLOG_HIGHEST_FIRST);
    tlog_rtos_switch(context_of(running));
}

void tlog_chibios_exit(thread_t *thread)
{
    tlog_rtos_task_delete(context_of(thread));
}

/* The thread that runs may just have given back a priority. The kernel calls this also for a thread that is preempted,
 * or that gets another place among those that are ready: such a thread has not waited. */
void tlog_chibios_ready(thread_t *thread)
{
    look_at(chThdGetSelfX());
    look_at(thread);
    if (thread->state != CH_STATE_CURRENT && thread->state != CH_STATE_READY && !is_idle(thread))
        tlog_rtos_ready(context_of(thread));
}

/* What a thread waits for, by its state. The kernel keeps the object for some states only; a thread's own messages and
 * events are those of its control block, and else object 0 stands for what is not known. */
static void tell_wait(const thread_t *thread)
{
    uint32_t context = context_of(thread);
    switch (thread->state) {
    case CH_STATE_WTMTX:
        tlog_rtos_block(context, TLOG_RTOS_receive, TLOG_NAME_MUTEX, (uintptr_t)thread->u.wtobjp);
        break;
    case CH_STATE_WTSEM:
        tlog_rtos_block(context, TLOG_RTOS_receive, TLOG_NAME_SEMAPHORE, (uintptr_t)thread->u.wtobjp);
        break;
    case CH_STATE_WTCOND:
        tlog_rtos_block(context, TLOG_RTOS_wait, TLOG_NAME_CONDITION, (uintptr_t)thread->u.wtobjp);
        break;
    case CH_STATE_SUSPENDED:
        tlog_rtos_block(context, TLOG_RTOS_wait, TLOG_NAME_OBJECT, (uintptr_t)thread->u.wtobjp);
        break;
    case CH_STATE_WTOREVT:
    case CH_STATE_WTANDEVT:
        tlog_rtos_block(context, TLOG_RTOS_wait, TLOG_NAME_EVENT_GROUP, (uintptr_t)thread);
        break;
    case CH_STATE_WTMSG:
        tlog_rtos_block(context, TLOG_RTOS_receive, TLOG_NAME_MAILBOX, (uintptr_t)thread);
        break;
    case CH_STATE_SNDMSGQ:
    case CH_STATE_SNDMSG:
        tlog_rtos_block(context, TLOG_RTOS_send, TLOG_NAME_MAILBOX, 0);
        break;
    case CH_STATE_SLEEPING:
        tlog_rtos_block(context, TLOG_RTOS_wait, TLOG_NAME_TIMER, 0);
        break;
    default: /* it waits in a queue, or for the end of a thread */
        tlog_rtos_block(context, TLOG_RTOS_wait, TLOG_NAME_OBJECT, 0);
        break;
    }
}

void tlog_chibios_switch(thread_t *next, thread_t *leaving)
{
    look_at(leaving);
    look_at(next);
    if (leaving->state != CH_STATE_READY && leaving->state != CH_STATE_FINAL && !is_idle(leaving))
        tell_wait(leaving);
    tlog_rtos_switch(context_of(next));
}

void tlog_chibios_handler(uint32_t code)
{
    uint32_t number = tlog_irq_active();
    if (!tlog_rtos_is_traced(number))
        tlog_record_call(code, number, 0);
}

#endif
