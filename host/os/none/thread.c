/* thread.c - where there are no threads: see os_thread.h. */
#include "os/os_thread.h"

#include <stddef.h>

/* All that is to know of a lock: there is nobody to wait for. */
struct os_lock {
    char nothing;
};

static struct os_lock the_lock;

struct os_thread *os_thread_start(void (*work)(void *ctx), void *ctx)
{
    (void)work, (void)ctx;
    return NULL;
}

void os_thread_join(struct os_thread *thread)
{
    (void)thread;
}

unsigned os_cpus(void)
{
    return 1;
}

struct os_lock *os_lock_new(void)
{
    return &the_lock;
}

void os_lock_free(struct os_lock *lock)
{
    (void)lock;
}

void os_lock(struct os_lock *lock)
{
    (void)lock;
}

void os_unlock(struct os_lock *lock)
{
    (void)lock;
}

void os_wait(struct os_lock *lock)
{
    (void)lock;
}

void os_ring(struct os_lock *lock)
{
    (void)lock;
}
