/* kernel.h - the stand-in for RIOT: its orders, and the notes of what the trace must show. It switches no stacks:
 * main() plays all threads. The functions that tlog_riot.c wraps are in a file of their own, as in the kernel. */
#ifndef RTOS_RIOT_KERNEL_H
#define RTOS_RIOT_KERNEL_H

#include "mutex.h"
#include "thread.h"

#define MUTEX_LOCKED ((list_node_t *)-1)

/* The kernel's part of a switch: what was running leaves, next runs; while there is none, it waits for handlers. */
void kernel_switch(thread_t *next);

extern sched_callback_t kernel_callback;

/* What other threads do while one waits for a mutex, until it has it. */
extern void (*kernel_meanwhile)(void);

/* What a handler does while the CPU is idle; NULL: nothing. It runs once. */
extern void (*volatile kernel_handler)(void *);
extern void *volatile kernel_argument;

#endif
