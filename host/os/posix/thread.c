/* thread.c - threads: see os_thread.h. */
#include "os/posix/features.h"

#include "base/heap.h"
#include "os/os_thread.h"

#include <stddef.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

struct os_thread {
    pthread_t thread;
    void (*work)(void *ctx);
    void *ctx;
};

static void *run(void *argument)
{
    const struct os_thread *thread = argument;
    thread->work(thread->ctx);
    return NULL;
}

/* Signals are the first thread's. */
struct os_thread *os_thread_start(void (*work)(void *ctx), void *ctx)
{
    struct os_thread *thread = heap_alloc(sizeof *thread);
    sigset_t all, before;
    int error;
    if (thread == NULL)
        return NULL;
    *thread = (struct os_thread){.work = work, .ctx = ctx};
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    error = pthread_create(&thread->thread, NULL, run, thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error == 0)
        return thread;
    heap_free(thread);
    return NULL;
}

void os_thread_join(struct os_thread *thread)
{
    pthread_join(thread->thread, NULL);
    heap_free(thread);
}

unsigned os_cpus(void)
{
#ifdef _SC_NPROCESSORS_ONLN
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    return cpus < 1 ? 1 : (unsigned)cpus;
#else
    return 1;
#endif
}

struct os_lock {
    pthread_mutex_t mutex;
    pthread_cond_t bell;
};

struct os_lock *os_lock_new(void)
{
    struct os_lock *lock = heap_alloc(sizeof *lock);
    if (lock == NULL)
        return NULL;
    pthread_mutex_init(&lock->mutex, NULL);
    pthread_cond_init(&lock->bell, NULL);
    return lock;
}

void os_lock_free(struct os_lock *lock)
{
    if (lock == NULL)
        return;
    pthread_cond_destroy(&lock->bell);
    pthread_mutex_destroy(&lock->mutex);
    heap_free(lock);
}

void os_lock(struct os_lock *lock)
{
    pthread_mutex_lock(&lock->mutex);
}

void os_unlock(struct os_lock *lock)
{
    pthread_mutex_unlock(&lock->mutex);
}

void os_wait(struct os_lock *lock)
{
    pthread_cond_wait(&lock->bell, &lock->mutex);
}

void os_ring(struct os_lock *lock)
{
    pthread_cond_broadcast(&lock->bell);
}
