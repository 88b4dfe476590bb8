/* stand_in.h - what stands in for the kernel: control blocks with the members that hooks read, and calls that run the
 * hooks in the contexts, under the masks and in the order in which FreeRTOS runs them. STAND_IN is 10 or 11, the
 * version, and STAND_IN_MINOR what follows it: with 10 the shapes of 10.0, 10.3 and 10.4 differ.
 *
 * It switches no stacks: main() plays all tasks, and says who runs. Exceptions are real: a switch is in PendSV, ticks
 * in SysTick, and handlers in an external interrupt. Each call also notes what the trace must show of it, from what it
 * did itself; expected.txt has that, and ran.txt the hooks that were run. */
#ifndef RTOS_FREERTOS_STAND_IN_H
#define RTOS_FREERTOS_STAND_IN_H

#include "FreeRTOS.h"

#include "task.h"

#include "expect.h"

/* The version as one number. */
#define KERNEL (STAND_IN * 100 + STAND_IN_MINOR)

/* The index of the notification that a tour uses beside 0, and an index as the argument of a hook. Before V10.4 a task
 * has only one, and the hooks have no argument. */
#if KERNEL < 1004
#define SECOND         0u
#define INDEX(index)   ()
#define NOTIFIED(task) (&(task)->ulNotifiedValue)
#else
#define SECOND         1u
#define INDEX(index)   (index)
#define NOTIFIED(task) ((task)->ulNotifiedValue)
#endif

typedef struct tskTaskControlBlock {
    char pcTaskName[configMAX_TASK_NAME_LEN];
    UBaseType_t uxPriority, uxBasePriority, uxTCBNumber, uxTaskNumber;
    ListItem_t xStateListItem;
    uint32_t context; /* that the trace must show */
#if KERNEL < 1004
    uint32_t ulNotifiedValue;
#else
    uint32_t ulNotifiedValue[2];
#endif
    char state; /* in which it will leave, as trace-cmd shows it */
} TCB_t;

extern TCB_t *volatile pxCurrentTCB;
extern volatile TickType_t xTickCount;
extern List_t pxReadyTasksLists[5]; /* by priority; only the tour of the idle task keeps them */
extern BaseType_t xSchedulerRunning;

/* ---- tasks ------------------------------------------------------------------------------------------------------- */

void task_create(TCB_t *task, const char *name, UBaseType_t priority);

/* The kernel's number of the next task that is created, and the context by which the trace must show it. */
void task_number(UBaseType_t number, uint32_t context);
void task_delete(TCB_t *task);

/* Also of a task that has inherited a priority: it keeps that one. */
void task_set_priority(TCB_t *task, UBaseType_t to);
void scheduler_start(TCB_t *first);
void switch_to(TCB_t *task);

/* The task becomes ready. The caller has masked interrupts. */
void make_ready(TCB_t *task);

/* Run hooks of notifications, delays and others of tasks. */
void task_tour(TCB_t *other);

/* Played by the idle task, with another one: when the port tells that no task is in the middle of a call. */
void idle_tour(TCB_t *other);

/* So many ticks in SysTick, or that the scheduler had missed. wakes: a task that the last one wakes, or NULL. */
void tick(uint32_t ticks, TCB_t *wakes);
void tick_catch_up(uint32_t ticks);

/* Sleep so many ticks, with the clock of the trace halted; or with the clock going on, until the tick behind them,
 * which comes while the count is still that from ahead of the sleep. */
void sleep_for(uint32_t ticks);
void doze_for(uint32_t ticks);

/* ---- objects ----------------------------------------------------------------------------------------------------- */

void queue_tour(TCB_t *low, TCB_t *high);
void timer_tour(void);
void group_tour(void);
void buffer_tour(TCB_t *other);
void heap_tour(void);

/* A block of the heap. */
void *heap_take(uint32_t bytes);

#endif
