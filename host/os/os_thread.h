/* os_thread.h - threads, and what they wait for. */
#ifndef OS_THREAD_H
#define OS_THREAD_H

#include <stdbool.h>

struct os_thread;

/* Have a thread run work(ctx). NULL: there are no threads, or no memory; the caller must do the work itself. */
struct os_thread *os_thread_start(void (*work)(void *ctx), void *ctx);

/* Wait until the thread ends, and free it. */
void os_thread_join(struct os_thread *thread);

/* How many threads can run at the same time: 1 or more. */
unsigned os_cpus(void);

/* A lock, and a bell for those who wait until something changes that it guards. */
struct os_lock;

/* NULL: no memory. The second one frees it; NULL is allowed. */
struct os_lock *os_lock_new(void);
void os_lock_free(struct os_lock *lock);

void os_lock(struct os_lock *lock);
void os_unlock(struct os_lock *lock);

/* Release the lock until the bell rings, then take it again. It may ring for nothing. */
void os_wait(struct os_lock *lock);

/* Ring: wake all who wait. */
void os_ring(struct os_lock *lock);

#endif
