/* SPDX-License-Identifier: MIT */
/* tlog_threadx.h - ThreadX 6 in the trace: threads and why they wait, queues, semaphores, mutexes, timers, event
 * flags, block and byte pools. The kernel is not patched, and the application calls nothing.
 *
 *   1. At the end of tx_user.h, also for assembler:
 *
 *          #include "tlog_threadx.h"
 *
 *   2. Build the whole kernel again with -DTX_INCLUDE_USER_DEFINE_FILE, and tlog_threadx.c with the firmware. Before
 *      6.2.1 assembler files do not read tx_user.h: also give -DTX_ENABLE_EXECUTION_CHANGE_NOTIFY.
 *      Trap: with that option tx_thread_context_save.S and tx_thread_context_restore.S of the Cortex-M0 do not
 *      assemble. Nothing needs these two files: leave them out.
 *
 * TLOG_THREADX_TIER is the highest tier that is compiled:
 *
 *   0  threads: switches, wake-ups, names, priorities, ends
 *   1  why a thread waits; suspended and resumed threads; inherited priorities; names of objects
 *   2  queues, semaphores, mutexes, event flags, block pools, timers
 *   3  byte pools, which show as the heap; handlers that call _tx_execution_isr_enter() and _exit(), as SysTick's does,
 *      unless tlog_irq_trace() shows them (it shows all handlers: then TLOG_THREADX_ISR set to 0 saves time)
 *
 * The context of a thread is made from the address of its control block. There is no idle thread: context 0 is the time
 * in which no thread runs. Of event flags only the lower 16 are shown. To log stack overflows, call
 * tx_thread_stack_error_notify(tlog_threadx_stack_error).
 *
 * The kernel calls hooks in threads, SysTick and handlers, with interrupts masked; only _tx_execution_thread_enter(),
 * _tx_execution_isr_enter() and _tx_execution_isr_exit() are called with interrupts open. tlog takes no lock, so this
 * does no harm. Trap: each service of the kernel calls its hook at its beginning. The result is concluded from the
 * object's counts, or, if the thread has to wait, logged when the wait is over. */
#ifndef TLOG_THREADX_H
#define TLOG_THREADX_H

#ifndef TLOG_THREADX_TIER
#define TLOG_THREADX_TIER 3
#endif
#ifndef TLOG_THREADX_ISR
#define TLOG_THREADX_ISR (TLOG_THREADX_TIER >= 3)
#endif
#ifndef TX_ENABLE_EXECUTION_CHANGE_NOTIFY
#define TX_ENABLE_EXECUTION_CHANGE_NOTIFY
#endif
/* Trap: the hooks are part of the kernel's own trace. That trace needs a buffer, which nobody gives it, so it records
 * nothing itself. */
#ifndef TX_ENABLE_EVENT_TRACE
#define TX_ENABLE_EVENT_TRACE
#endif

#ifndef __ASSEMBLER__

#include "../tlog_rtos.h"

#if !TLOG_ENABLE
#define TX_TRACE_IN_LINE_INSERT(id, a, b, c, d, filter)                                                                \
    {                                                                                                                  \
        (void)(a), (void)(b), (void)(c), (void)(d);                                                                    \
    }
#else

TLOG_BEGIN_C

/* One function for each kind of object. event is the kernel's number of the event; object, second, third and fourth are
 * its fields. */
void tlog_threadx_thread(uint32_t event, uintptr_t object, uintptr_t second, uintptr_t third, uintptr_t fourth);
void tlog_threadx_block_pool(uint32_t event, uintptr_t object, uintptr_t second, uintptr_t third, uintptr_t fourth);
void tlog_threadx_byte_pool(uint32_t event, uintptr_t object, uintptr_t second, uintptr_t third, uintptr_t fourth);
void tlog_threadx_flags(uint32_t event, uintptr_t object, uintptr_t second, uintptr_t third, uintptr_t fourth);
void tlog_threadx_mutex(uint32_t event, uintptr_t object, uintptr_t second, uintptr_t third, uintptr_t fourth);
void tlog_threadx_queue(uint32_t event, uintptr_t object, uintptr_t second, uintptr_t third, uintptr_t fourth);
void tlog_threadx_semaphore(uint32_t event, uintptr_t object, uintptr_t second, uintptr_t third, uintptr_t fourth);
void tlog_threadx_timer(uint32_t event, uintptr_t object, uintptr_t second, uintptr_t third, uintptr_t fourth);
void tlog_threadx_resume(uintptr_t thread, uintptr_t old_state);
void tlog_threadx_state(const void *thread, uint32_t state);
void tlog_threadx_allocate(const void *pool, uint32_t bytes, const void *block, uint32_t wait);

/* Whether an event of that kind of object is passed on: in tier 1 only creation, which gives the name; in tier 2
 * all. */
#define TLOG_THREADX_TELLS(event, first, created)                                                                      \
    ((event) / 10u == (first) / 10u && (TLOG_THREADX_TIER >= 2 || (TLOG_THREADX_TIER >= 1 && (event) == (created))))

/* event is a constant where the kernel calls this, so it compiles to one call, or to none. */
TLOG_ALWAYS_INLINE void tlog_threadx_event(uint32_t event, uintptr_t object, uintptr_t second, uintptr_t third,
                                           uintptr_t fourth)
{
    if (event / 10u == 10u || event / 10u == 11u)
        tlog_threadx_thread(event, object, second, third, fourth);
    else if (TLOG_THREADX_TELLS(event, 10u, 11u))
        tlog_threadx_block_pool(event, object, second, third, fourth);
    else if (TLOG_THREADX_TELLS(event, 20u, 21u))
        tlog_threadx_byte_pool(event, object, second, third, fourth);
    else if (TLOG_THREADX_TELLS(event, 30u, 30u))
        tlog_threadx_flags(event, object, second, third, fourth);
    else if (TLOG_THREADX_TELLS(event, 50u, 50u))
        tlog_threadx_mutex(event, object, second, third, fourth);
    else if (TLOG_THREADX_TELLS(event, 60u, 60u))
        tlog_threadx_queue(event, object, second, third, fourth);
    else if (TLOG_THREADX_TELLS(event, 80u, 81u))
        tlog_threadx_semaphore(event, object, second, third, fourth);
    else if (TLOG_THREADX_TELLS(event, 120u, 124u))
        tlog_threadx_timer(event, object, second, third, fourth);
    else if (TLOG_THREADX_TIER >= 2 && event == 1u)
        tlog_threadx_resume(object, second);
}

/* Trap: the kernel writes no semicolon after its hooks, and some of its variables are used by hooks only. */
#define TX_TRACE_IN_LINE_INSERT(id, a, b, c, d, filter)                                                                \
    {                                                                                                                  \
        tlog_threadx_event((id), (uintptr_t)(a), (uintptr_t)(b), (uintptr_t)(c), (uintptr_t)(d));                      \
    }

/* With TX_LOW_POWER the kernel calls these two around WFI, with interrupts masked. Trap: macros of your own stay; they
 * call the same. */
#if TLOG_SLEEP_HZ && !defined(TX_LOW_POWER_USER_ENTER)
#define TX_LOW_POWER_USER_ENTER tlog_sleep_begin()
#endif
#if TLOG_SLEEP_HZ && !defined(TX_LOW_POWER_USER_EXIT)
#define TX_LOW_POWER_USER_EXIT tlog_sleep_end()
#endif

#define TX_THREAD_STATE_CHANGE(thread, state) tlog_threadx_state((thread), (uint32_t)(state));

/* Trap: the kernel's event of an allocation comes before the search for a block, which may have to be repeated. This
 * hook comes after the search; interrupts are open. */
#if TLOG_THREADX_TIER >= 3 && !defined(TX_BYTE_ALLOCATE_EXTENSION)
#define TX_BYTE_ALLOCATE_EXTENSION                                                                                     \
    tlog_threadx_allocate(pool_ptr, (uint32_t)memory_size, work_ptr, (uint32_t)wait_option);
#endif

TLOG_END_C

#endif
#endif
#endif
