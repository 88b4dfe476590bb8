/* SPDX-License-Identifier: MIT */
/* tlog_zephyr.h - Zephyr in the trace: threads and why they wait, semaphores, mutexes, message queues, events,
 * timers, memory slabs, heaps. The kernel is not patched: zephyr_custom_tracing.h or tracing_user.h includes this
 * where the kernel's tracing hooks are defined; Kconfig.tlog has the options.
 *
 * A wait for which the kernel has no hook of its own, such as that of k_poll() or of a work queue for work, shows as
 * one for an object of any kind, 0.
 *
 * The context of a thread is made from the address of its control block; idle threads have 0. Names of threads need
 * CONFIG_THREAD_NAME; objects show as the variables that they are, by the ELF file, or else as addresses. Trap: the
 * kernel calls hooks before it takes its lock, or after it has released it, so another thread may run in between. A
 * count is what the object holds at that moment; when a semaphore is given, that is the count before. Whether a thread
 * waits is asked at the switch. Trap: in 3.1 CONFIG_UART_CONSOLE removes the kernel's switch hooks; those here stay.
 * Trap: some hooks have more arguments in newer versions; here they have "...". Trap: some hooks for waits are also
 * called when nobody waits; see TLOG_ZEPHYR_WAIT, TLOG_ZEPHYR_PLAN and tlog_zephyr_messages.
 *
 * Trap: in newer versions memory that the kernel takes for itself, as in k_msgq_alloc_init(), has no hook, but its end
 * has one. k_realloc() does not show.
 *
 * Trap: with CONFIG_USE_SWITCH on Cortex-M the kernel has a hook only where a thread leaves. The next one is in the
 * cache of its ready queue then.
 *
 * sys_trace_named_event() shows as a line of text, "name: arg0 arg1", if tlog-decode gets the ELF file. It needs
 * TLOG_TRACEEVENTS, and logs nothing without it. */
#ifndef TLOG_ZEPHYR_H
#define TLOG_ZEPHYR_H

#include "../tlog_rtos.h"

TLOG_BEGIN_C

struct k_thread;
struct k_mutex;
void tlog_zephyr_create(struct k_thread *thread);
void tlog_zephyr_name(struct k_thread *thread);
void tlog_zephyr_abort(struct k_thread *thread);
void tlog_zephyr_switched_in(void);
void tlog_zephyr_switched_out(void);
void tlog_zephyr_ready(struct k_thread *thread);
void tlog_zephyr_priority(struct k_thread *thread, int priority);
void tlog_zephyr_sleep(uint32_t ticks);
void tlog_zephyr_suspend(struct k_thread *thread);
void tlog_zephyr_suspended(struct k_thread *thread);
void tlog_zephyr_resume(struct k_thread *thread);
void tlog_zephyr_join(struct k_thread *thread);
void tlog_zephyr_pend(const struct k_thread *thread);

/* The running thread is going to wait, which shows when it does; or does not, after all: called only if any is. So many
 * threads may be preempted at the same time between the two. */
#define TLOG_ZEPHYR_PLANS 8
void tlog_zephyr_plan(uint32_t operation, uint32_t kind, uintptr_t object);
void tlog_zephyr_drop_plan(void);
extern uint32_t tlog_zephyr_planned; /* how many threads */

/* The running thread waits. */
void tlog_zephyr_block(uint32_t operation, uint32_t kind, const void *object);

/* Something was done, or failed if result is not 0. Inline: with a constant operation and kind little is left. */
TLOG_ALWAYS_INLINE void tlog_zephyr_object(uint32_t operation, uint32_t kind, const void *object, uint32_t value,
                                           int result)
{
    if (result == 0)
        tlog_rtos_object(operation, kind, (uintptr_t)object, value);
    else
        tlog_rtos_object((operation & ~TLOG_RTOS_NESTED) | TLOG_RTOS_FAILED, kind, (uintptr_t)object, value);
}

void tlog_zephyr_lock(const struct k_mutex *mutex, int result);
void tlog_zephyr_unlock(const struct k_mutex *mutex);
void tlog_zephyr_wait_bits(const void *event, uint32_t bits);
void tlog_zephyr_post(const void *event, uint32_t events, uint32_t mask);

/* Of each CPU, how many messages k_msgq_get() found. It masks interrupts from there until it waits. */
extern uint32_t tlog_zephyr_messages[TLOG_CPUS];

/* Up to TLOG_PRINTK_TEXT bytes of the name are copied. */
void tlog_zephyr_named_event(const char *name, uint32_t arg0, uint32_t arg1);

TLOG_END_C

#undef sys_trace_named_event
#if !TLOG_ENABLE
#define sys_trace_named_event(name, arg0, arg1)
#else
#define sys_trace_named_event(name, arg0, arg1) tlog_zephyr_named_event(name, arg0, arg1)

/* The first argument of a hook that may have more, and the second one, or else K_FOREVER. */
#define TLOG_ZEPHYR_FIRST(...)                  TLOG_ZEPHYR_FIRST_(__VA_ARGS__, 0)
#define TLOG_ZEPHYR_FIRST_(first, ...)          first
#define TLOG_ZEPHYR_TIMEOUT(...)                TLOG_ZEPHYR_SECOND_(__VA_ARGS__, K_FOREVER, 0)
#define TLOG_ZEPHYR_SECOND_(first, second, ...) second

/* Of hooks that the kernel calls also with K_NO_WAIT, when nobody waits, even in handlers. */
#define TLOG_ZEPHYR_WAIT(timeout, operation, kind, object)                                                             \
    ((timeout).ticks != 0 ? tlog_zephyr_block(operation, kind, object) : (void)0)

/* Trap: the kernel calls these hooks before it takes its lock. */
#define TLOG_ZEPHYR_PLAN(timeout, operation, kind, object)                                                             \
    ((timeout).ticks != 0 ? tlog_zephyr_plan(operation, kind, (uintptr_t)(object)) : (void)0)
#define TLOG_ZEPHYR_DROP_PLAN() (tlog_zephyr_planned != 0 ? tlog_zephyr_drop_plan() : (void)0)

#define TLOG_ZEPHYR_ALLOCATED(heap, memory)                                                                            \
    tlog_zephyr_object(TLOG_RTOS_receive, TLOG_NAME_HEAP, heap, 0, (memory) == 0)

/* Since the kernel has this hook, k_heap_alloc() does not call k_heap_aligned_alloc(), nor does k_malloc(). With
 * CONFIG_TRACING_USER the kernel's header has been included before. */
#if defined(CONFIG_TRACING_CUSTOM) || defined(sys_port_trace_k_heap_alloc_helper_blocking)
#define TLOG_ZEPHYR_HEAP_HELPER
#endif

/* Trap: the kernel passes the hook's text through a macro with one argument, so it may have commas only inside
 * parentheses. */
#undef sys_port_trace_k_thread_create
#define sys_port_trace_k_thread_create(new_thread) tlog_zephyr_create(new_thread)
#undef sys_port_trace_k_thread_name_set
#define sys_port_trace_k_thread_name_set(thread, ret) tlog_zephyr_name(thread)
#undef sys_port_trace_k_thread_sched_abort
#define sys_port_trace_k_thread_sched_abort(thread) tlog_zephyr_abort(thread)
#undef sys_port_trace_k_thread_switched_in
#define sys_port_trace_k_thread_switched_in() tlog_zephyr_switched_in()
#if defined(CONFIG_TLOG_ZEPHYR_WHY) || (defined(CONFIG_USE_SWITCH) && defined(CONFIG_CPU_CORTEX_M))
#undef sys_port_trace_k_thread_switched_out
#if defined(CONFIG_USE_SWITCH) && defined(CONFIG_CPU_CORTEX_M)
#define sys_port_trace_k_thread_switched_out() tlog_zephyr_switched_out()
#else
#define sys_port_trace_k_thread_switched_out() (tlog_zephyr_planned != 0 ? tlog_zephyr_switched_out() : (void)0)
#endif
#endif
#undef sys_port_trace_k_thread_sched_ready
#define sys_port_trace_k_thread_sched_ready(thread) tlog_zephyr_ready(thread)
#undef sys_port_trace_k_thread_sched_priority_set
#define sys_port_trace_k_thread_sched_priority_set(thread, prio) tlog_zephyr_priority(thread, prio)
#undef sys_port_trace_k_thread_suspend_enter
#define sys_port_trace_k_thread_suspend_enter(thread) tlog_zephyr_suspend(thread)
#undef sys_port_trace_k_thread_suspend_exit
#define sys_port_trace_k_thread_suspend_exit(thread) tlog_zephyr_suspended(thread)
#if defined(CONFIG_TLOG_ZEPHYR_WHY)
#undef sys_port_trace_k_thread_sleep_enter
#define sys_port_trace_k_thread_sleep_enter(timeout) tlog_zephyr_sleep((uint32_t)(timeout).ticks)
#undef sys_port_trace_k_thread_sleep_ticks_enter
#define sys_port_trace_k_thread_sleep_ticks_enter(timeout) tlog_zephyr_sleep((uint32_t)(timeout).ticks)
#undef sys_port_trace_k_thread_usleep_enter
#define sys_port_trace_k_thread_usleep_enter(us) tlog_zephyr_sleep((uint32_t)k_us_to_ticks_ceil64(us))
#undef sys_port_trace_k_thread_sleep_exit
#define sys_port_trace_k_thread_sleep_exit(timeout, ret) TLOG_ZEPHYR_DROP_PLAN()
#undef sys_port_trace_k_thread_sleep_ticks_exit
#define sys_port_trace_k_thread_sleep_ticks_exit(timeout, ret) TLOG_ZEPHYR_DROP_PLAN()
#undef sys_port_trace_k_thread_usleep_exit
#define sys_port_trace_k_thread_usleep_exit(us, ret) TLOG_ZEPHYR_DROP_PLAN()
#undef sys_port_trace_k_thread_resume_enter
#define sys_port_trace_k_thread_resume_enter(thread) tlog_zephyr_resume(thread)
#undef sys_port_trace_k_thread_join_blocking
#define sys_port_trace_k_thread_join_blocking(thread, timeout) tlog_zephyr_join(thread)
#undef sys_port_trace_k_thread_sched_pend
#define sys_port_trace_k_thread_sched_pend(thread) tlog_zephyr_pend(thread)
#undef sys_port_trace_k_sem_take_blocking
#define sys_port_trace_k_sem_take_blocking(sem, timeout) tlog_zephyr_block(TLOG_RTOS_receive, TLOG_NAME_SEMAPHORE, sem)
#undef sys_port_trace_k_mutex_lock_blocking
#define sys_port_trace_k_mutex_lock_blocking(mutex, timeout)                                                           \
    tlog_zephyr_block(TLOG_RTOS_receive, TLOG_NAME_MUTEX, mutex)
#undef sys_port_trace_k_msgq_put_blocking
#define sys_port_trace_k_msgq_put_blocking(msgq, timeout) tlog_zephyr_block(TLOG_RTOS_send, TLOG_NAME_QUEUE, msgq)
#undef sys_port_trace_k_msgq_get_enter
#define sys_port_trace_k_msgq_get_enter(msgq, timeout) (tlog_zephyr_messages[tlog_cpu_number()] = (msgq)->used_msgs)
#undef sys_port_trace_k_msgq_get_blocking
#define sys_port_trace_k_msgq_get_blocking(msgq, timeout)                                                              \
    (tlog_zephyr_messages[tlog_cpu_number()] == 0 ? tlog_zephyr_block(TLOG_RTOS_receive, TLOG_NAME_QUEUE, msgq)        \
                                                  : (void)0)
#undef sys_port_trace_k_msgq_put_front_blocking
#define sys_port_trace_k_msgq_put_front_blocking(msgq, timeout) tlog_zephyr_block(TLOG_RTOS_send, TLOG_NAME_QUEUE, msgq)
#undef sys_port_trace_k_queue_get_blocking
#define sys_port_trace_k_queue_get_blocking(queue, timeout)                                                            \
    TLOG_ZEPHYR_WAIT(timeout, TLOG_RTOS_receive, TLOG_NAME_QUEUE, queue)
#undef sys_port_trace_k_stack_pop_blocking
#define sys_port_trace_k_stack_pop_blocking(stack, timeout)                                                            \
    TLOG_ZEPHYR_WAIT(timeout, TLOG_RTOS_receive, TLOG_NAME_OBJECT, stack)
#undef sys_port_trace_k_mbox_message_put_blocking
#define sys_port_trace_k_mbox_message_put_blocking(mbox, timeout)                                                      \
    tlog_zephyr_block(TLOG_RTOS_send, TLOG_NAME_MAILBOX, mbox)
#undef sys_port_trace_k_mbox_get_blocking
#define sys_port_trace_k_mbox_get_blocking(mbox, timeout) tlog_zephyr_block(TLOG_RTOS_receive, TLOG_NAME_MAILBOX, mbox)
#undef sys_port_trace_k_pipe_put_blocking
#define sys_port_trace_k_pipe_put_blocking(pipe, timeout)                                                              \
    TLOG_ZEPHYR_PLAN(timeout, TLOG_RTOS_send, TLOG_NAME_PIPE, pipe)
#undef sys_port_trace_k_pipe_put_exit
#define sys_port_trace_k_pipe_put_exit(pipe, timeout, ret) ((timeout).ticks != 0 ? TLOG_ZEPHYR_DROP_PLAN() : (void)0)
#undef sys_port_trace_k_pipe_get_blocking
#define sys_port_trace_k_pipe_get_blocking(pipe, timeout) tlog_zephyr_block(TLOG_RTOS_receive, TLOG_NAME_PIPE, pipe)
#undef sys_port_trace_k_pipe_write_blocking
#define sys_port_trace_k_pipe_write_blocking(pipe, timeout) tlog_zephyr_block(TLOG_RTOS_send, TLOG_NAME_PIPE, pipe)
#undef sys_port_trace_k_pipe_read_blocking
#define sys_port_trace_k_pipe_read_blocking(pipe, timeout) tlog_zephyr_block(TLOG_RTOS_receive, TLOG_NAME_PIPE, pipe)
#undef sys_port_trace_k_mem_slab_alloc_blocking
#define sys_port_trace_k_mem_slab_alloc_blocking(slab, timeout)                                                        \
    tlog_zephyr_block(TLOG_RTOS_receive, TLOG_NAME_MEMORY_POOL, slab)
#undef sys_port_trace_k_heap_alloc_helper_blocking
#define sys_port_trace_k_heap_alloc_helper_blocking(heap, timeout)                                                     \
    tlog_zephyr_block(TLOG_RTOS_receive, TLOG_NAME_HEAP, heap)
#undef sys_port_trace_k_heap_aligned_alloc_blocking
#define sys_port_trace_k_heap_aligned_alloc_blocking(heap, timeout)                                                    \
    tlog_zephyr_block(TLOG_RTOS_receive, TLOG_NAME_HEAP, heap)
#undef sys_port_trace_k_condvar_wait_enter
#define sys_port_trace_k_condvar_wait_enter(...)                                                                       \
    TLOG_ZEPHYR_PLAN(TLOG_ZEPHYR_TIMEOUT(__VA_ARGS__), TLOG_RTOS_wait, TLOG_NAME_CONDITION,                            \
                     TLOG_ZEPHYR_FIRST(__VA_ARGS__))
#undef sys_port_trace_k_condvar_wait_exit
#define sys_port_trace_k_condvar_wait_exit(...) TLOG_ZEPHYR_DROP_PLAN()
#undef sys_port_trace_k_event_wait_blocking
#define sys_port_trace_k_event_wait_blocking(event, events, options, timeout) tlog_zephyr_wait_bits(event, events)
#undef sys_port_trace_k_timer_status_sync_blocking
#define sys_port_trace_k_timer_status_sync_blocking(timer, timeout)                                                    \
    tlog_zephyr_block(TLOG_RTOS_wait, TLOG_NAME_TIMER, timer)
#endif

#if defined(CONFIG_TLOG_ZEPHYR_OBJECTS)
#undef sys_port_trace_k_sem_init
#define sys_port_trace_k_sem_init(sem, ret) tlog_zephyr_object(TLOG_RTOS_create, TLOG_NAME_SEMAPHORE, sem, 0, ret)
#undef sys_port_trace_k_sem_take_exit
#define sys_port_trace_k_sem_take_exit(sem, timeout, ret)                                                              \
    tlog_zephyr_object(TLOG_RTOS_receive, TLOG_NAME_SEMAPHORE, sem, (sem)->count, ret)
#undef sys_port_trace_k_sem_give_enter
#define sys_port_trace_k_sem_give_enter(sem)                                                                           \
    tlog_zephyr_object(TLOG_RTOS_send, TLOG_NAME_SEMAPHORE, sem, (sem)->count, 0)
#undef sys_port_trace_k_sem_reset
#define sys_port_trace_k_sem_reset(sem) tlog_zephyr_object(TLOG_RTOS_reset, TLOG_NAME_SEMAPHORE, sem, 0, 0)
#undef sys_port_trace_k_mutex_init
#define sys_port_trace_k_mutex_init(mutex, ret) tlog_zephyr_object(TLOG_RTOS_create, TLOG_NAME_MUTEX, mutex, 0, ret)
#undef sys_port_trace_k_mutex_lock_exit
#define sys_port_trace_k_mutex_lock_exit(mutex, timeout, ret) tlog_zephyr_lock(mutex, ret)
#undef sys_port_trace_k_mutex_unlock_enter
#define sys_port_trace_k_mutex_unlock_enter(mutex) tlog_zephyr_unlock(mutex)
#undef sys_port_trace_k_msgq_init
#define sys_port_trace_k_msgq_init(msgq)                                                                               \
    tlog_zephyr_object(TLOG_RTOS_create, TLOG_NAME_QUEUE, msgq, (msgq)->max_msgs, 0)
#undef sys_port_trace_k_msgq_put_exit
#define sys_port_trace_k_msgq_put_exit(msgq, timeout, ret)                                                             \
    tlog_zephyr_object(TLOG_RTOS_send, TLOG_NAME_QUEUE, msgq, (msgq)->used_msgs, ret)
#undef sys_port_trace_k_msgq_put_front_exit
#define sys_port_trace_k_msgq_put_front_exit(msgq, timeout, ret)                                                       \
    tlog_zephyr_object(TLOG_RTOS_send, TLOG_NAME_QUEUE, msgq, (msgq)->used_msgs, ret)
#undef sys_port_trace_k_msgq_get_exit
#define sys_port_trace_k_msgq_get_exit(msgq, timeout, ret)                                                             \
    tlog_zephyr_object(TLOG_RTOS_receive, TLOG_NAME_QUEUE, msgq, (msgq)->used_msgs, ret)
#undef sys_port_trace_k_msgq_purge
#define sys_port_trace_k_msgq_purge(msgq) tlog_zephyr_object(TLOG_RTOS_reset, TLOG_NAME_QUEUE, msgq, 0, 0)
#undef sys_port_trace_k_event_init
#define sys_port_trace_k_event_init(event) tlog_zephyr_object(TLOG_RTOS_create, TLOG_NAME_EVENT_GROUP, event, 0, 0)
#undef sys_port_trace_k_event_post_enter
#define sys_port_trace_k_event_post_enter(event, events, events_mask) tlog_zephyr_post(event, events, events_mask)
#undef sys_port_trace_k_event_wait_exit
#define sys_port_trace_k_event_wait_exit(event, events, ret)                                                           \
    tlog_zephyr_object(TLOG_RTOS_wait, TLOG_NAME_EVENT_GROUP, event, 0, (ret) == 0)
#undef sys_port_trace_k_timer_init
#define sys_port_trace_k_timer_init(timer) tlog_zephyr_object(TLOG_RTOS_create, TLOG_NAME_TIMER, timer, 0, 0)
#undef sys_port_trace_k_timer_start
#define sys_port_trace_k_timer_start(...)                                                                              \
    tlog_zephyr_object(TLOG_RTOS_start, TLOG_NAME_TIMER, TLOG_ZEPHYR_FIRST(__VA_ARGS__), 0, 0)
#undef sys_port_trace_k_timer_stop
#define sys_port_trace_k_timer_stop(timer) tlog_zephyr_object(TLOG_RTOS_stop, TLOG_NAME_TIMER, timer, 0, 0)
#undef sys_port_trace_k_timer_expiry_enter
#define sys_port_trace_k_timer_expiry_enter(timer) tlog_zephyr_object(TLOG_RTOS_expire, TLOG_NAME_TIMER, timer, 0, 0)
#undef sys_port_trace_k_mem_slab_init
#define sys_port_trace_k_mem_slab_init(slab, rc)                                                                       \
    tlog_zephyr_object(TLOG_RTOS_create, TLOG_NAME_MEMORY_POOL, slab, k_mem_slab_num_free_get(slab), rc)
#undef sys_port_trace_k_mem_slab_alloc_exit
#define sys_port_trace_k_mem_slab_alloc_exit(slab, timeout, ret)                                                       \
    tlog_zephyr_object(TLOG_RTOS_receive, TLOG_NAME_MEMORY_POOL, slab, k_mem_slab_num_free_get(slab), ret)
#undef sys_port_trace_k_mem_slab_free_exit
#define sys_port_trace_k_mem_slab_free_exit(slab)                                                                      \
    tlog_zephyr_object(TLOG_RTOS_send, TLOG_NAME_MEMORY_POOL, slab, k_mem_slab_num_free_get(slab), 0)
#undef sys_port_trace_k_heap_aligned_alloc_exit
#define sys_port_trace_k_heap_aligned_alloc_exit(heap, timeout, ret) TLOG_ZEPHYR_ALLOCATED(heap, ret)
#if defined(TLOG_ZEPHYR_HEAP_HELPER)
#undef sys_port_trace_k_heap_alloc_exit
#define sys_port_trace_k_heap_alloc_exit(heap, timeout, ret) TLOG_ZEPHYR_ALLOCATED(heap, ret)
#undef sys_port_trace_k_heap_sys_k_malloc_exit
#define sys_port_trace_k_heap_sys_k_malloc_exit(heap, ret) TLOG_ZEPHYR_ALLOCATED(heap, ret)
#undef sys_port_trace_k_heap_sys_k_aligned_alloc_exit
#define sys_port_trace_k_heap_sys_k_aligned_alloc_exit(heap, ret) TLOG_ZEPHYR_ALLOCATED(heap, ret)
#endif
#undef sys_port_trace_k_heap_free
#define sys_port_trace_k_heap_free(heap) tlog_zephyr_object(TLOG_RTOS_send, TLOG_NAME_HEAP, heap, 0, 0)
#endif
#endif

#endif
