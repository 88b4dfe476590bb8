/* tlog_threadx.h - ThreadX 6 in the trace: threads and why they wait, queues, semaphores, mutexes, timers, event
 * flags, block and byte pools. The kernel is not patched, and nothing is called.
 *
 *   1. At the end of tx_user.h, also for assembler:
 *
 *          #include "tlog_threadx.h"
 *
 *   2. Build the kernel, all of it, again, with -DTX_INCLUDE_USER_DEFINE_FILE, and tlog_threadx.c with the firmware.
 *      Before 6.2.1 assembler files do not read tx_user.h: also -DTX_ENABLE_EXECUTION_CHANGE_NOTIFY.
 *      Trap: with it tx_thread_context_save.S and tx_thread_context_restore.S of the Cortex-M0 do not assemble. Nothing
 *      needs these two: leave them out.
 *
 * TLOG_THREADX_TIER is the highest tier that is compiled:
 *
 *   0  threads: switches, wake-ups, names, priorities, ends
 *   1  why a thread waits; suspended and resumed threads; inherited priorities; names of objects
 *   2  queues, semaphores, mutexes, event flags, block pools, timers
 *   3  byte pools, which show as the heap; handlers that call _tx_execution_isr_enter() and _exit(), as SysTick's does
 *      (TLOG_THREADX_ISR 0: leave these to tlog_irq_trace(), which shows all)
 *
 * Contexts of threads are made of their control blocks' addresses. There is no idle thread: context 0 is the time
 * in which none runs. Of event flags the lower 16 show. For the stack's end call
 * tx_thread_stack_error_notify(tlog_threadx_stack_error).
 *
 * Hooks run masked, in threads, SysTick and handlers, but _tx_execution_thread_enter() and the two of handlers,
 * which are open. tlog takes no lock, so that harms nothing. Trap: each hook of a call comes at its beginning;
 * what it leads to is concluded from the counts, and, if the thread has to wait, told when the wait is over. */
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
/* Trap: the kernel's own trace needs a buffer, which nobody gives it; so all that is left of it are the hooks. */
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

/* One function for the events of each kind of object. An event is the kernel's number of it, object and the others
 * are its fields. */
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

/* The events of an object of that kind that are told: some of creation for names, all in tier 2. */
#define TLOG_THREADX_TELLS(event, first, created)                                                                      \
    ((event) / 10u == (first) / 10u && (TLOG_THREADX_TIER >= 2 || (TLOG_THREADX_TIER >= 1 && (event) == (created))))

/* In the kernel the event is a constant: of all this one call is left, or none. */
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

/* Trap: the kernel writes no semicolon behind its hooks, and warns of variables that only these use. */
#define TX_TRACE_IN_LINE_INSERT(id, a, b, c, d, filter)                                                                \
    {                                                                                                                  \
        tlog_threadx_event((id), (uintptr_t)(a), (uintptr_t)(b), (uintptr_t)(c), (uintptr_t)(d));                      \
    }

#define TX_THREAD_STATE_CHANGE(thread, state) tlog_threadx_state((thread), (uint32_t)(state));

/* Trap: the event of an allocation comes ahead of the search, which may have to be done again. Here it has been
 * done; interrupts are open. */
#if TLOG_THREADX_TIER >= 3 && !defined(TX_BYTE_ALLOCATE_EXTENSION)
#define TX_BYTE_ALLOCATE_EXTENSION                                                                                     \
    tlog_threadx_allocate(pool_ptr, (uint32_t)memory_size, work_ptr, (uint32_t)wait_option);
#endif

TLOG_END_C

#endif
#endif
#endif
