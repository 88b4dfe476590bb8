/* kernel.h - a small preemptive kernel for Cortex-M3, made to be traced.
 *
 * Fixed priorities, as in Linux a smaller number is more important: what the kernel compares is what it logs and what a
 * viewer prints. Tasks are static and are created before kernel_start(). A context is a task's number in order of
 * creation, 0 is the idle task; there are no processes, so a pid is a context.
 *
 * What is logged, and when
 *   task_create, set_priority, task_activate, name      a task is created
 *   task_activate                                       blocked -> ready, never otherwise
 *   task_sleep                                          the running task blocks until a time or an event
 *   set_mutex_wait                                      the running task blocks until a mutex is its own
 *   set_mutex_lock, set_mutex_unlock                    the running task has it, has it no more
 *   set_mutex_inherit, inheritance, set_priority        a mutex's owner is raised by a waiter
 *   set_priority                                        ... and falls back
 *   context_switch                                      another task than before runs from now on
 *   task_begin_cycle, task_end_cycle                    as the task says
 *   task_deadline_miss                                  in the tick in which the deadline passes
 *   task_end                                            a task's function returned, or stopped the kernel
 *   interrupt_start, interrupt_end                      a device's handler; SysTick and PendSV are the kernel itself
 *
 * Interrupts: the kernel raises BASEPRI to KERNEL_MASK for short sections. Handlers of that priority or a less urgent
 * one (larger number) may call what is marked "handler"; more urgent ones are never delayed and must not call the
 * kernel. Both may log. */
#ifndef SYSTEM_DEMO_KERNEL_H
#define SYSTEM_DEMO_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "expect.h"

/* Interrupt priorities, top three bits, as many cores have no more. */
#define KERNEL_MASK            0x40u
#define KERNEL_SYSTICK_URGENCY 0xA0u
#define KERNEL_PENDSV_URGENCY  0xE0u

#define KERNEL_TICKS_PER_SECOND 1000u
#define KERNEL_TASKS            8u
#define KERNEL_IDLE_PRIORITY    120u /* of the idle task, as in Linux; others have less */

enum kernel_state { KERNEL_READY, KERNEL_ASLEEP, KERNEL_WAITING, KERNEL_LOCKING, KERNEL_ENDED };

struct kernel_mutex;

struct kernel_task_config {
    const char *name;
    void (*entry)(void);
    uint32_t *stack;      /* lowest word, 8-aligned */
    uint32_t stack_words; /* even */
    uint32_t priority;    /* 0 .. KERNEL_IDLE_PRIORITY - 1 */
    uint32_t deadline;    /* ticks from a release by kernel_delay_until() to kernel_end_cycle(); 0 = none */
};

/* The kernel's own; zero before creation. */
struct kernel_task {
    uint32_t *sp;
    uint32_t context;
    uint32_t base;     /* priority as configured */
    uint32_t priority; /* now */
    enum kernel_state state;
    uint32_t wake;                    /* tick, while asleep */
    struct kernel_mutex *wanted;      /* while locking */
    const struct kernel_event *event; /* while waiting */
    uint32_t deadline;                /* ticks */
    uint32_t due;                     /* tick of the deadline */
    bool due_armed;                   /* a released cycle has neither ended nor missed its deadline */
};

struct kernel_mutex {
    uint32_t id;
    bool inherits;
    struct kernel_task *owner;
};

/* A flag that a handler raises and a task waits for. Zero before use. */
struct kernel_event {
    bool raised;
};

/* ---- before kernel_start() ---- */

/* Log the start of the trace and create the idle task. */
void kernel_init(void);

void kernel_task_create(struct kernel_task *task, const struct kernel_task_config *config);

/* With inherit, the owner runs at the priority of its most important waiter. */
void kernel_mutex_create(struct kernel_mutex *mutex, uint32_t id, const char *name, bool inherit);

/* Run the tasks. Returns after kernel_stop(). */
void kernel_start(void);

/* ---- task ---- */

/* End the calling task and let no other run any more. */
_Noreturn void kernel_stop(void);

/* Block until a tick; not at all when it has passed. With a deadline, that tick is the release of a cycle. */
void kernel_delay_until(uint32_t tick);

/* Block for a number of ticks. */
void kernel_sleep(uint32_t ticks);

/* Block until the event is raised, and take it. One task waits for an event. */
void kernel_event_wait(struct kernel_event *event);

void kernel_mutex_lock(struct kernel_mutex *mutex);
void kernel_mutex_unlock(struct kernel_mutex *mutex);

/* The work of a cycle begins, and is done. */
void kernel_begin_cycle(void);
void kernel_end_cycle(void);

/* ---- task or handler ---- */

uint32_t kernel_now(void);
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
