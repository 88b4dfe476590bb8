/* thread.h - what tlog_riot.c sees of RIOT's threads. The names are the kernel's. */
#ifndef RTOS_RIOT_THREAD_H
#define RTOS_RIOT_THREAD_H

#include "sched.h"

typedef struct _thread {
    thread_status_t status;
    uint8_t priority;
    kernel_pid_t pid;
    const char *name;
} thread_t;

extern volatile thread_t *sched_threads[KERNEL_PID_LAST + 1];
extern volatile kernel_pid_t sched_active_pid;

static inline thread_t *thread_get(kernel_pid_t pid)
{
    return (thread_t *)(uintptr_t)sched_threads[pid];
}

static inline kernel_pid_t thread_getpid(void)
{
    return sched_active_pid;
}

const char *thread_getname(kernel_pid_t pid);

#endif
