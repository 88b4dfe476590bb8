/* write_behind.c - writing in a thread of its own: see write_behind.h. */
#include "io/write_behind.h"

#include "base/heap.h"
#include "os/os_file.h"
#include "os/os_thread.h"

#include <stddef.h>
#include <stdbool.h>

/* All but the thread is used only with the lock held. The thread releases it while it writes: then nobody else changes
 * any of it. */
struct write_behind {
    struct os_thread *thread; /* NULL: there is none, and the bytes are written when they are put */
    struct os_lock *lock;     /* rings when writing or ended is another one */
    bool writing;             /* these bytes are to be written, or being written */
    bool ended;               /* the thread ends after the write */
    int fd;
    const void *bytes;
    size_t size;
    uint64_t offset;
    int error; /* errno of the write that failed, or 0 */
};

/* Write the bytes that were put. */
static void write_now(struct write_behind *behind)
{
    os_reserve(behind->fd, behind->size, behind->offset);
    behind->error = os_write_at(behind->fd, behind->bytes, behind->size, behind->offset);
}

/* What the thread runs. */
static void run(void *argument)
{
    struct write_behind *behind = argument;
    os_lock(behind->lock);
    for (;;) {
        while (!behind->writing && !behind->ended)
            os_wait(behind->lock);
        if (!behind->writing)
            break;
        os_unlock(behind->lock);
        write_now(behind);
        os_lock(behind->lock);
        behind->writing = false;
        os_ring(behind->lock);
    }
    os_unlock(behind->lock);
}

struct write_behind *write_behind_start(int fd)
{
    struct write_behind *behind = heap_calloc(1, sizeof *behind);
    if (behind == NULL)
        return NULL;
    behind->fd = fd;
    behind->lock = os_lock_new();
    if (behind->lock == NULL) {
        heap_free(behind);
        return NULL;
    }
    behind->thread = os_thread_start(run, behind);
    return behind;
}

/* Wait for the write on its way. The lock is held by the caller. */
static int wait_with_lock(struct write_behind *behind)
{
    while (behind->writing)
        os_wait(behind->lock);
    return behind->error;
}

int write_behind_put(struct write_behind *behind, const void *bytes, size_t size, uint64_t offset)
{
    int error;
    os_lock(behind->lock);
    error = wait_with_lock(behind);
    if (error == 0 && size > 0) {
        behind->bytes = bytes;
        behind->size = size;
        behind->offset = offset;
        behind->writing = behind->thread != NULL;
        os_ring(behind->lock);
    }
    os_unlock(behind->lock);
    if (error == 0 && size > 0 && behind->thread == NULL)
        write_now(behind);
    return error;
}

int write_behind_wait(struct write_behind *behind)
{
    int error;
    os_lock(behind->lock);
    error = wait_with_lock(behind);
    os_unlock(behind->lock);
    return error;
}

void write_behind_end(struct write_behind *behind)
{
    if (behind == NULL)
        return;
    os_lock(behind->lock);
    behind->ended = true;
    os_ring(behind->lock);
    os_unlock(behind->lock);
    if (behind->thread != NULL)
        os_thread_join(behind->thread);
    os_lock_free(behind->lock);
    heap_free(behind);
}
