/* mutex.h - what tlog_riot.c sees of RIOT's mutexes. The names are the kernel's. */
#ifndef RTOS_RIOT_MUTEX_H
#define RTOS_RIOT_MUTEX_H

#include <stdbool.h>

typedef struct list_node {
    struct list_node *next;
} list_node_t;

typedef struct {
    list_node_t queue;
} mutex_t;

typedef struct {
    mutex_t *mutex;
} mutex_cancel_t;

int mutex_lock_cancelable(mutex_cancel_t *cancel);
bool mutex_lock_internal(mutex_t *mutex, bool block);
void mutex_unlock(mutex_t *mutex);

#endif
