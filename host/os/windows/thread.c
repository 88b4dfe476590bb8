/* thread.c - threads: see os_thread.h. */
#include "os/windows/back.h"

#include "base/heap.h"
#include "os/os_thread.h"

#include <process.h>
#include <stdint.h>

struct os_thread {
    HANDLE handle;
    void (*work)(void *ctx);
    void *ctx;
};

static unsigned __stdcall run(void *argument)
{
    const struct os_thread *thread = argument;
    thread->work(thread->ctx);
    return 0;
}

struct os_thread *os_thread_start(void (*work)(void *ctx), void *ctx)
{
    struct os_thread *thread = heap_alloc(sizeof *thread);
    if (thread == NULL)
        return NULL;
    *thread = (struct os_thread){.work = work, .ctx = ctx};
    thread->handle = (HANDLE)_beginthreadex(NULL, 0, run, thread, 0, NULL);
    if (thread->handle != NULL)
        return thread;
    heap_free(thread);
    return NULL;
}

void os_thread_join(struct os_thread *thread)
{
    WaitForSingleObject(thread->handle, INFINITE);
    CloseHandle(thread->handle);
    heap_free(thread);
}

unsigned os_cpus(void)
{
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    return info.dwNumberOfProcessors < 1u ? 1u : (unsigned)info.dwNumberOfProcessors;
}

struct os_lock {
    SRWLOCK lock;
    CONDITION_VARIABLE bell;
};

struct os_lock *os_lock_new(void)
{
    struct os_lock *lock = heap_alloc(sizeof *lock);
    if (lock == NULL)
        return NULL;
    InitializeSRWLock(&lock->lock);
    InitializeConditionVariable(&lock->bell);
    return lock;
}

void os_lock_free(struct os_lock *lock)
{
    heap_free(lock);
}

void os_lock(struct os_lock *lock)
{
    AcquireSRWLockExclusive(&lock->lock);
}

void os_unlock(struct os_lock *lock)
{
    ReleaseSRWLockExclusive(&lock->lock);
}

void os_wait(struct os_lock *lock)
{
    SleepConditionVariableSRW(&lock->bell, &lock->lock, INFINITE, 0);
}

void os_ring(struct os_lock *lock)
{
    WakeAllConditionVariable(&lock->bell);
}
