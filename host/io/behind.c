/* behind.c - see behind.h. One write at a time is on its way: the maker of the bytes has two buffers and fills the
 * other. */
#define _GNU_SOURCE       /* fallocate */
#define _FILE_OFFSET_BITS 64

#include "io/behind.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

struct behind {
    int fd;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t moved; /* bytes or ended changed */
    const void *bytes;    /* to be written; NULL: nothing is */
    size_t size;
    uint64_t offset;
    int error;
    bool ended;
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

/* Blocks for all of a write at once cost a third less than page by page. Whether there are any is for the write to say. */
static void reserve(int fd, size_t size, uint64_t offset)
{
#ifdef FALLOC_FL_KEEP_SIZE
    (void)fallocate(fd, 0, (off_t)offset, (off_t)size);
#else
    (void)fd, (void)size, (void)offset;
#endif
}

/* Called and left with the lock held, which is free during the write. */
static void write_given(struct behind *behind)
{
    int error;

    pthread_mutex_unlock(&behind->lock);
    reserve(behind->fd, behind->size, behind->offset);
    error = write_at(behind->fd, behind->bytes, behind->size, behind->offset);
    pthread_mutex_lock(&behind->lock);
    behind->error = error;
    behind->bytes = NULL;
    pthread_cond_broadcast(&behind->moved);
}

static void *serve(void *argument)
{
    struct behind *behind = argument;

    pthread_mutex_lock(&behind->lock);
    for (;;) {
        while (behind->bytes == NULL && !behind->ended)
            pthread_cond_wait(&behind->moved, &behind->lock);
        if (behind->bytes == NULL)
            break;
        write_given(behind);
    }
    pthread_mutex_unlock(&behind->lock);
    return NULL;
}

struct behind *behind_start(int fd)
{
    struct behind *behind = calloc(1, sizeof *behind);

    if (behind == NULL)
        return NULL;
    behind->fd = fd;
    pthread_mutex_init(&behind->lock, NULL);
    pthread_cond_init(&behind->moved, NULL);
    if (pthread_create(&behind->thread, NULL, serve, behind) == 0)
        return behind;
    free(behind);
    return NULL;
}

static int wait_locked(struct behind *behind)
{
    while (behind->bytes != NULL)
        pthread_cond_wait(&behind->moved, &behind->lock);
    return behind->error;
}

int behind_write(struct behind *behind, const void *bytes, size_t size, uint64_t offset)
{
    int error;

    pthread_mutex_lock(&behind->lock);
    error = wait_locked(behind);
    if (error == 0 && size > 0) {
        behind->bytes = bytes;
        behind->size = size;
        behind->offset = offset;
        pthread_cond_broadcast(&behind->moved);
    }
    pthread_mutex_unlock(&behind->lock);
    return error;
}

int behind_wait(struct behind *behind)
{
    int error;

    pthread_mutex_lock(&behind->lock);
    error = wait_locked(behind);
    pthread_mutex_unlock(&behind->lock);
    return error;
}

void behind_end(struct behind *behind)
{
    if (behind == NULL)
        return;
    pthread_mutex_lock(&behind->lock);
    behind->ended = true;
    pthread_cond_broadcast(&behind->moved);
    pthread_mutex_unlock(&behind->lock);
    pthread_join(behind->thread, NULL);
    pthread_cond_destroy(&behind->moved);
    pthread_mutex_destroy(&behind->lock);
    free(behind);
}
