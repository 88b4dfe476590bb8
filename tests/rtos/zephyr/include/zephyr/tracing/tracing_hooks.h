/* tracing_hooks.h - the hooks that the stand-in calls, with the kernel's arguments; those that are not defined yet do
 * nothing. With CONFIG_TRACING_USER one of them is not there, and two have only the arguments that they had in early
 * versions. */
#ifndef ZEPHYR_TRACING_HOOKS_H
#define ZEPHYR_TRACING_HOOKS_H

#if defined(CONFIG_TRACING_USER)
#define sys_port_trace_k_condvar_wait_enter(condvar)
#define sys_port_trace_k_timer_start(timer)
#endif

#ifndef sys_port_trace_k_thread_create
#define sys_port_trace_k_thread_create(new_thread)
#endif
#ifndef sys_port_trace_k_thread_name_set
#define sys_port_trace_k_thread_name_set(thread, ret)
#endif
#ifndef sys_port_trace_k_thread_sched_abort
#define sys_port_trace_k_thread_sched_abort(thread)
#endif
#ifndef sys_port_trace_k_thread_switched_out
#define sys_port_trace_k_thread_switched_out()
#endif
#ifndef sys_port_trace_k_thread_switched_in
#define sys_port_trace_k_thread_switched_in()
#endif
#ifndef sys_port_trace_k_thread_sched_ready
#define sys_port_trace_k_thread_sched_ready(thread)
#endif
#ifndef sys_port_trace_k_thread_sched_priority_set
#define sys_port_trace_k_thread_sched_priority_set(thread, prio)
#endif
#ifndef sys_port_trace_k_thread_sleep_enter
#define sys_port_trace_k_thread_sleep_enter(timeout)
#endif
#ifndef sys_port_trace_k_thread_sleep_ticks_enter
#define sys_port_trace_k_thread_sleep_ticks_enter(timeout)
#endif
#ifndef sys_port_trace_k_thread_usleep_enter
#define sys_port_trace_k_thread_usleep_enter(us)
#endif
#ifndef sys_port_trace_k_thread_sleep_exit
#define sys_port_trace_k_thread_sleep_exit(timeout, ret)
#endif
#ifndef sys_port_trace_k_thread_sleep_ticks_exit
#define sys_port_trace_k_thread_sleep_ticks_exit(timeout, ret)
#endif
#ifndef sys_port_trace_k_thread_usleep_exit
#define sys_port_trace_k_thread_usleep_exit(us, ret)
#endif
#ifndef sys_port_trace_k_thread_suspend_exit
#define sys_port_trace_k_thread_suspend_exit(thread)
#endif
#ifndef sys_port_trace_k_condvar_wait_exit
#define sys_port_trace_k_condvar_wait_exit(condvar, timeout, ret)
#endif
#ifndef sys_port_trace_k_pipe_put_exit
#define sys_port_trace_k_pipe_put_exit(pipe, timeout, ret)
#endif
#ifndef sys_port_trace_k_thread_suspend_enter
#define sys_port_trace_k_thread_suspend_enter(thread)
#endif
#ifndef sys_port_trace_k_thread_resume_enter
#define sys_port_trace_k_thread_resume_enter(thread)
#endif
#ifndef sys_port_trace_k_thread_join_blocking
#define sys_port_trace_k_thread_join_blocking(thread, timeout)
#endif
#ifndef sys_port_trace_k_thread_sched_pend
#define sys_port_trace_k_thread_sched_pend(thread)
#endif
#ifndef sys_port_trace_k_sem_init
#define sys_port_trace_k_sem_init(sem, ret)
#endif
#ifndef sys_port_trace_k_sem_give_enter
#define sys_port_trace_k_sem_give_enter(sem)
#endif
#ifndef sys_port_trace_k_sem_give_exit
#define sys_port_trace_k_sem_give_exit(sem)
#endif
#ifndef sys_port_trace_k_sem_take_enter
#define sys_port_trace_k_sem_take_enter(sem, timeout)
#endif
#ifndef sys_port_trace_k_sem_take_blocking
#define sys_port_trace_k_sem_take_blocking(sem, timeout)
#endif
#ifndef sys_port_trace_k_sem_take_exit
#define sys_port_trace_k_sem_take_exit(sem, timeout, ret)
#endif
#ifndef sys_port_trace_k_sem_reset
#define sys_port_trace_k_sem_reset(sem)
#endif
#ifndef sys_port_trace_k_mutex_init
#define sys_port_trace_k_mutex_init(mutex, ret)
#endif
#ifndef sys_port_trace_k_mutex_lock_enter
#define sys_port_trace_k_mutex_lock_enter(mutex, timeout)
#endif
#ifndef sys_port_trace_k_mutex_lock_blocking
#define sys_port_trace_k_mutex_lock_blocking(mutex, timeout)
#endif
#ifndef sys_port_trace_k_mutex_lock_exit
#define sys_port_trace_k_mutex_lock_exit(mutex, timeout, ret)
#endif
#ifndef sys_port_trace_k_mutex_unlock_enter
#define sys_port_trace_k_mutex_unlock_enter(mutex)
#endif
#ifndef sys_port_trace_k_mutex_unlock_exit
#define sys_port_trace_k_mutex_unlock_exit(mutex, ret)
#endif
#ifndef sys_port_trace_k_condvar_wait_enter
#define sys_port_trace_k_condvar_wait_enter(condvar, timeout)
#endif
#ifndef sys_port_trace_k_queue_get_blocking
#define sys_port_trace_k_queue_get_blocking(queue, timeout)
#endif
#ifndef sys_port_trace_k_stack_pop_blocking
#define sys_port_trace_k_stack_pop_blocking(stack, timeout)
#endif
#ifndef sys_port_trace_k_mbox_message_put_blocking
#define sys_port_trace_k_mbox_message_put_blocking(mbox, timeout)
#endif
#ifndef sys_port_trace_k_mbox_get_blocking
#define sys_port_trace_k_mbox_get_blocking(mbox, timeout)
#endif
#ifndef sys_port_trace_k_pipe_put_blocking
#define sys_port_trace_k_pipe_put_blocking(pipe, timeout)
#endif
#ifndef sys_port_trace_k_pipe_get_blocking
#define sys_port_trace_k_pipe_get_blocking(pipe, timeout)
#endif
#ifndef sys_port_trace_k_pipe_write_blocking
#define sys_port_trace_k_pipe_write_blocking(pipe, timeout)
#endif
#ifndef sys_port_trace_k_pipe_read_blocking
#define sys_port_trace_k_pipe_read_blocking(pipe, timeout)
#endif
#ifndef sys_port_trace_k_msgq_init
#define sys_port_trace_k_msgq_init(msgq)
#endif
#ifndef sys_port_trace_k_msgq_put_enter
#define sys_port_trace_k_msgq_put_enter(msgq, timeout)
#endif
#ifndef sys_port_trace_k_msgq_put_blocking
#define sys_port_trace_k_msgq_put_blocking(msgq, timeout)
#endif
#ifndef sys_port_trace_k_msgq_put_exit
#define sys_port_trace_k_msgq_put_exit(msgq, timeout, ret)
#endif
#ifndef sys_port_trace_k_msgq_put_front_blocking
#define sys_port_trace_k_msgq_put_front_blocking(msgq, timeout)
#endif
#ifndef sys_port_trace_k_msgq_put_front_exit
#define sys_port_trace_k_msgq_put_front_exit(msgq, timeout, ret)
#endif
#ifndef sys_port_trace_k_msgq_get_enter
#define sys_port_trace_k_msgq_get_enter(msgq, timeout)
#endif
#ifndef sys_port_trace_k_msgq_get_blocking
#define sys_port_trace_k_msgq_get_blocking(msgq, timeout)
#endif
#ifndef sys_port_trace_k_msgq_get_exit
#define sys_port_trace_k_msgq_get_exit(msgq, timeout, ret)
#endif
#ifndef sys_port_trace_k_msgq_purge
#define sys_port_trace_k_msgq_purge(msgq)
#endif
#ifndef sys_port_trace_k_mem_slab_init
#define sys_port_trace_k_mem_slab_init(slab, rc)
#endif
#ifndef sys_port_trace_k_mem_slab_alloc_blocking
#define sys_port_trace_k_mem_slab_alloc_blocking(slab, timeout)
#endif
#ifndef sys_port_trace_k_mem_slab_alloc_exit
#define sys_port_trace_k_mem_slab_alloc_exit(slab, timeout, ret)
#endif
#ifndef sys_port_trace_k_mem_slab_free_exit
#define sys_port_trace_k_mem_slab_free_exit(slab)
#endif
#if !defined(CONFIG_TRACING_USER) && !defined(sys_port_trace_k_heap_alloc_helper_blocking)
#define sys_port_trace_k_heap_alloc_helper_blocking(heap, timeout)
#endif
#ifndef sys_port_trace_k_heap_aligned_alloc_blocking
#define sys_port_trace_k_heap_aligned_alloc_blocking(heap, timeout)
#endif
#ifndef sys_port_trace_k_heap_alloc_exit
#define sys_port_trace_k_heap_alloc_exit(heap, timeout, ret)
#endif
#ifndef sys_port_trace_k_heap_aligned_alloc_exit
#define sys_port_trace_k_heap_aligned_alloc_exit(heap, timeout, ret)
#endif
#ifndef sys_port_trace_k_heap_sys_k_malloc_exit
#define sys_port_trace_k_heap_sys_k_malloc_exit(heap, ret)
#endif
#ifndef sys_port_trace_k_heap_sys_k_aligned_alloc_exit
#define sys_port_trace_k_heap_sys_k_aligned_alloc_exit(heap, ret)
#endif
#ifndef sys_port_trace_k_heap_free
#define sys_port_trace_k_heap_free(heap)
#endif
#ifndef sys_port_trace_k_timer_init
#define sys_port_trace_k_timer_init(timer)
#endif
#ifndef sys_port_trace_k_timer_start
#define sys_port_trace_k_timer_start(timer, duration, period)
#endif
#ifndef sys_port_trace_k_timer_stop
#define sys_port_trace_k_timer_stop(timer)
#endif
#ifndef sys_port_trace_k_timer_status_sync_blocking
#define sys_port_trace_k_timer_status_sync_blocking(timer, timeout)
#endif
#ifndef sys_port_trace_k_timer_expiry_enter
#define sys_port_trace_k_timer_expiry_enter(timer)
#endif
#ifndef sys_port_trace_k_event_init
#define sys_port_trace_k_event_init(event)
#endif
#ifndef sys_port_trace_k_event_post_enter
#define sys_port_trace_k_event_post_enter(event, events, events_mask)
#endif
#ifndef sys_port_trace_k_event_wait_blocking
#define sys_port_trace_k_event_wait_blocking(event, events, options, timeout)
#endif
#ifndef sys_port_trace_k_event_wait_exit
#define sys_port_trace_k_event_wait_exit(event, events, ret)
#endif

#endif
