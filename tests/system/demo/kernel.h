/* kernel.h - a small preemptive kernel for Cortex-M3 that logs its scheduling.
 *
 * Priorities are fixed, and a smaller number is more important, as in Linux: the kernel compares, logs and a viewer
 * prints the same numbers. Tasks are static and are created before kernel_start(). A task's context is its number in
 * order of creation; the idle task's is 0. There are no processes, so where an event wants a pid it gets the context.
 *
 * Which events are logged, and when
 *   task_create, set_priority, task_activate, name      a task is created
 *   task_activate                                       a blocked task becomes ready
 *   task_sleep                                          the running task blocks until a time or an event
 *   set_mutex_wait                                      the running task blocks until it can lock a mutex
 *   set_mutex_lock, set_mutex_unlock                    the running task has locked, or unlocks, a mutex
 *   set_mutex_inherit, inheritance, set_priority        a mutex's owner gets the priority of a waiter
 *   set_priority                                        the owner gets its former priority back
 *   context_switch                                      another task runs from now on
 *   task_begin_cycle, task_end_cycle                    a task calls kernel_begin_cycle(), kernel_end_cycle()
 *   task_deadline_miss                                  in the tick in which the deadline passes
 *   task_end                                            a task's function returned or called kernel_stop()
 *   interrupt_start, interrupt_end                      a device's handler runs; not SysTick and PendSV, which are part
 *                                                       of the kernel
 *
 * Interrupts: the kernel raises BASEPRI to KERNEL_MASK for short sections. Handlers of that priority or a less urgent
 * one (a larger number) may call the functions below "task or handler". The kernel never delays more urgent handlers;
 * they must not call it. All handlers may log. */
#ifndef SYSTEM_DEMO_KERNEL_H
#define SYSTEM_DEMO_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "expect.h"

/* Interrupt priorities. They use the top three bits only, because many cores have no more. */
#define KERNEL_MASK            0x40u
#define KERNEL_SYSTICK_URGENCY 0xA0u
#define KERNEL_PENDSV_URGENCY  0xE0u

#define KERNEL_TICKS_PER_SECOND 1000u
#define KERNEL_TASKS            8u
#define KERNEL_IDLE_PRIORITY    120u /* of the idle task, as in Linux; all other tasks are more important */

enum kernel_state { KERNEL_READY, KERNEL_ASLEEP, KERNEL_WAITING, KERNEL_LOCKING, KERNEL_ENDED };

struct kernel_mutex;

struct kernel_task_config {
    const char *name;
    void (*entry)(void);
    uint32_t *stack;      /* its lowest word, aligned to 8 bytes */
    uint32_t stack_words; /* an even number */
    uint32_t priority;    /* 0 .. KERNEL_IDLE_PRIORITY - 1 */
    uint32_t deadline; /* ticks allowed from a release by kernel_delay_until() to kernel_end_cycle(); 0: no deadline */
};

/* The caller provides the memory, all zero, until the kernel ends; only the kernel reads and writes the members. */
struct kernel_task {
    uint32_t *sp; /* stack pointer while the task does not run */
    uint32_t context;
    uint32_t base;     /* priority as configured */
    uint32_t priority; /* priority now, with what it inherited */
    enum kernel_state state;
    uint32_t wake;                    /* KERNEL_ASLEEP: the tick at which to wake */
    struct kernel_mutex *wanted;      /* KERNEL_LOCKING: the mutex it waits for */
    const struct kernel_event *event; /* KERNEL_WAITING: the event it waits for */
    uint32_t deadline;                /* ticks, as configured */
    uint32_t due;                     /* the tick at which the deadline passes */
    bool due_armed;                   /* a released cycle has neither ended nor missed its deadline */
};

struct kernel_mutex {
    uint32_t id;
    bool inherits;
    struct kernel_task *owner; /* NULL while unlocked */
};

/* A flag that a handler or a task raises and one task waits for. Must be zero before its first use. */
struct kernel_event {
    bool raised;
};

/* ---- before kernel_start() ---- */

/* Log the start of the trace and create the idle task. */
void kernel_init(void);

/* Create a ready task; at most KERNEL_TASKS - 1. Keeps task and the name, not config. */
void kernel_task_create(struct kernel_task *task, const struct kernel_task_config *config);

/* Create an unlocked mutex. With inherit, its owner runs at the priority of its most important waiter. */
void kernel_mutex_create(struct kernel_mutex *mutex, uint32_t id, const char *name, bool inherit);

/* Run the tasks. Returns after kernel_stop(). */
void kernel_start(void);

/* ---- task ---- */

/* End the calling task and the run: no task runs any more, and kernel_start() returns. */
_Noreturn void kernel_stop(void);

/* Block until the given tick, or return at once if it has passed. If the task has a deadline, its time begins at that
 * tick. */
void kernel_delay_until(uint32_t tick);

/* Block for a number of ticks. */
void kernel_sleep(uint32_t ticks);

/* Block until the event is raised, and clear it. Only one task may wait for an event. */
void kernel_event_wait(struct kernel_event *event);

/* Block until the mutex is free, and lock it. A task must not lock a mutex twice. */
void kernel_mutex_lock(struct kernel_mutex *mutex);
void kernel_mutex_unlock(struct kernel_mutex *mutex);

/* Log that the work of a cycle begins, or ends. The end of a cycle disarms its deadline. */
void kernel_begin_cycle(void);
void kernel_end_cycle(void);

/* ---- task or handler ---- */

/* Ticks since kernel_start(). */
uint32_t kernel_now(void);

/* Raise the event and make the task that waits for it ready. */
void kernel_event_raise(struct kernel_event *event);

/* ---- any handler: its first and last line ---- */

static inline void kernel_interrupt_enter(uint32_t number)
{
    demo_log(FTrace_EVT_interrupt_start, number, 0);
}

static inline void kernel_interrupt_exit(uint32_t number)
{
    demo_log(FTrace_EVT_interrupt_end, number, 0);
}

#endif
