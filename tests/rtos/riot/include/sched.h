/* sched.h - what tlog_riot.c sees of RIOT's scheduler. The names are the kernel's. */
#ifndef RTOS_RIOT_SCHED_H
#define RTOS_RIOT_SCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KERNEL_PID_UNDEF 0
#define KERNEL_PID_LAST  32

typedef int16_t kernel_pid_t;

typedef enum {
    STATUS_STOPPED,
    STATUS_ZOMBIE,
    STATUS_SLEEPING,
    STATUS_MUTEX_BLOCKED,
    STATUS_RECEIVE_BLOCKED,
    STATUS_SEND_BLOCKED,
    STATUS_REPLY_BLOCKED,
    STATUS_FLAG_BLOCKED_ANY,
    STATUS_FLAG_BLOCKED_ALL,
    STATUS_MBOX_BLOCKED,
    STATUS_COND_BLOCKED,
    STATUS_RUNNING,
    STATUS_PENDING,
    STATUS_NUMOF
} thread_status_t;

#define STATUS_ON_RUNQUEUE STATUS_RUNNING

typedef void (*sched_callback_t)(kernel_pid_t active, kernel_pid_t next);
struct _thread;

void sched_register_cb(sched_callback_t callback);
void sched_set_status(struct _thread *thread, thread_status_t status);
void sched_change_priority(struct _thread *thread, uint8_t priority);
void sched_arch_idle(void);

#endif
