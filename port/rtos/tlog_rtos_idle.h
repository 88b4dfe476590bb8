/* SPDX-License-Identifier: MIT */
/* tlog_rtos_idle.h - for ports: an idle kernel tells that no task is in the middle of a call of tlog. Included by one
 * file of a port, which makes these calls. They must not interrupt each other.
 *
 * While the kernel is idle no task is ready, so each one left the CPU last in one of these ways:
 *
 *   it blocked by itself       in a call of the kernel, so not in the middle of a call of tlog
 *   it was deleted, or ended   it never comes back
 *   it was suspended           by another task or a handler, while it was ready: it may be in the middle of a call.
 *                              This file keeps these tasks. Once it is resumed it is ready, and the kernel not idle
 *                              until it leaves the CPU again
 *
 * Trap: an idle task whose code logs is preempted in the middle of a call like any other, and is never blocked. If the
 * application writes that code, only a call by the idle task itself can tell: tlog_rtos_idle() (tlog_rtos.h). */
#ifndef TLOG_RTOS_IDLE_H
#define TLOG_RTOS_IDLE_H

#include "tlog_rtos.h"

/* How many tasks are kept. If it is ever more, nothing is told any more. */
#define TLOG_RTOS_STOPPED 8u

/* One of so many switches to idle tells: slots of deleted tasks are used again that much later. */
#ifndef TLOG_RTOS_IDLE_TELLS
#define TLOG_RTOS_IDLE_TELLS 16u
#endif

static struct {
    uintptr_t task[TLOG_RTOS_STOPPED];
    uint32_t count;
} tlog_rtos_stopped;

static uint32_t tlog_rtos_idle_count;

TLOG_INLINE uint32_t tlog_rtos_place_of(uintptr_t task)
{
    uint32_t i = 0;
    while (i < tlog_rtos_stopped.count && tlog_rtos_stopped.task[i] != task)
        i++;
    return i;
}

/* A task was suspended by another context while it was ready, or may have been ready. Again: nothing changes. */
TLOG_INLINE void tlog_rtos_stop(uintptr_t task)
{
    if (tlog_rtos_stopped.count > TLOG_RTOS_STOPPED || tlog_rtos_place_of(task) < tlog_rtos_stopped.count)
        return;
    if (tlog_rtos_stopped.count < TLOG_RTOS_STOPPED)
        tlog_rtos_stopped.task[tlog_rtos_stopped.count] = task;
    tlog_rtos_stopped.count++;
}

/* A task is ready, or deleted. It need not have been suspended. */
TLOG_INLINE void tlog_rtos_go_on(uintptr_t task)
{
    if (tlog_rtos_stopped.count == 0 || tlog_rtos_stopped.count > TLOG_RTOS_STOPPED)
        return;
    const uint32_t i = tlog_rtos_place_of(task);
    if (i < tlog_rtos_stopped.count)
        tlog_rtos_stopped.task[i] = tlog_rtos_stopped.task[--tlog_rtos_stopped.count];
}

/* No task is ready, the scheduler is not locked, and the idle task, if there is one, is not in the middle of a call. */
TLOG_INLINE void tlog_rtos_tell_idle(void)
{
    if (tlog_rtos_stopped.count == 0 && tlog_rtos_idle_count++ % TLOG_RTOS_IDLE_TELLS == 0)
        tlog_rtos_quiescent();
}

#endif
