/* write_behind.c - writing in a thread of its own: see write_behind.h. */
#define _GNU_SOURCE       /* fallocate */
#define _FILE_OFFSET_BITS 64

#include "io/write_behind.h"

#include "io/aside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* The thread uses all of it while it writes. */
struct write_behind {
    int fd;
    struct aside *aside;
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

/* Write the bytes that were put. */
static void write_bytes(void *argument)
{
    struct write_behind *behind = argument;
    write_reserve(behind->fd, behind->size, behind->offset);
    behind->error = write_at(behind->fd, behind->bytes, behind->size, behind->offset);
}

struct write_behind *write_behind_start(int fd)
{
    struct write_behind *behind = calloc(1, sizeof *behind);
    if (behind == NULL)
        return NULL;
    behind->fd = fd;
    behind->aside = aside_start();
    if (behind->aside != NULL)
        return behind;
    free(behind);
    return NULL;
}

int write_behind_put(struct write_behind *behind, const void *bytes, size_t size, uint64_t offset)
{
    int error = write_behind_wait(behind);
    if (error != 0 || size == 0)
        return error;
    behind->bytes = bytes;
    behind->size = size;
    behind->offset = offset;
    aside_do(behind->aside, write_bytes, behind);
    return 0;
}

int write_behind_wait(struct write_behind *behind)
{
    aside_wait(behind->aside);
    return behind->error;
}

void write_behind_end(struct write_behind *behind)
{
    if (behind == NULL)
        return;
    aside_end(behind->aside);
    free(behind);
}
