/* write_behind.c - writing in a thread of its own: see write_behind.h. */
#define _GNU_SOURCE       /* fallocate */
#define _FILE_OFFSET_BITS 64

#include "io/write_behind.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

/* All but the thread is used only with the lock held. The thread releases it while it writes: then nobody else changes
 * any of it. */
struct write_behind {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed; /* writing or ended is another one */
    bool writing;           /* these bytes are to be written, or being written */
    bool ended;             /* the thread ends after the write */
    int fd;
    const void *bytes;
    size_t size;
    uint64_t offset;
    int error; /* errno of the write that failed, or 0 */
};

int write_at(int fd, const void *bytes, size_t size, uint64_t offset)
{
    const unsigned char *from = bytes;
    while (size > 0) {
        ssize_t done = pwrite(fd, from, size, (off_t)offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return done < 0 ? errno : ENOSPC;
        from += done;
        size -= (size_t)done;
        offset += (uint64_t)done;
    }
    return 0;
}

/* An error is ignored: if the blocks are not to be had, the write itself fails and tells why. */
void write_reserve(int fd, size_t size, uint64_t offset)
{
#ifdef FALLOC_FL_KEEP_SIZE
    (void)fallocate(fd, FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)size);
#else
    (void)fd, (void)size, (void)offset;
#endif
}

/* What the thread runs. */
static void *run(void *argument)
{
    struct write_behind *behind = argument;
    pthread_mutex_lock(&behind->lock);
    for (;;) {
        while (!behind->writing && !behind->ended)
            pthread_cond_wait(&behind->changed, &behind->lock);
        if (!behind->writing)
            break;
        pthread_mutex_unlock(&behind->lock);
        write_reserve(behind->fd, behind->size, behind->offset);
        behind->error = write_at(behind->fd, behind->bytes, behind->size, behind->offset);
        pthread_mutex_lock(&behind->lock);
        behind->writing = false;
        pthread_cond_broadcast(&behind->changed);
    }
    pthread_mutex_unlock(&behind->lock);
    return NULL;
}

struct write_behind *write_behind_start(int fd)
{
    struct write_behind *behind = calloc(1, sizeof *behind);
    if (behind == NULL)
        return NULL;
    behind->fd = fd;
    pthread_mutex_init(&behind->lock, NULL);
    pthread_cond_init(&behind->changed, NULL);
    if (pthread_create(&behind->thread, NULL, run, behind) == 0)
        return behind;
    free(behind);
    return NULL;
}

/* Wait for the write on its way. The lock is held by the caller. */
static int wait_with_lock(struct write_behind *behind)
{
    while (behind->writing)
        pthread_cond_wait(&behind->changed, &behind->lock);
    return behind->error;
}

int write_behind_put(struct write_behind *behind, const void *bytes, size_t size, uint64_t offset)
{
    int error;
    pthread_mutex_lock(&behind->lock);
    error = wait_with_lock(behind);
    if (error == 0 && size > 0) {
        behind->bytes = bytes;
        behind->size = size;
        behind->offset = offset;
        behind->writing = true;
        pthread_cond_broadcast(&behind->changed);
    }
    pthread_mutex_unlock(&behind->lock);
    return error;
}

int write_behind_wait(struct write_behind *behind)
{
    int error;
    pthread_mutex_lock(&behind->lock);
    error = wait_with_lock(behind);
    pthread_mutex_unlock(&behind->lock);
    return error;
}

void write_behind_end(struct write_behind *behind)
{
    if (behind == NULL)
        return;
    pthread_mutex_lock(&behind->lock);
    behind->ended = true;
    pthread_cond_broadcast(&behind->changed);
    pthread_mutex_unlock(&behind->lock);
    pthread_join(behind->thread, NULL);
    pthread_cond_destroy(&behind->changed);
    pthread_mutex_destroy(&behind->lock);
    free(behind);
}
