/* temp_file.c - temporary files: see temp_file.h. */
#include "io/temp_file.h"

#include "model/progress.h"
#include "model/trace.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_BYTES  4096u /* longest path that Linux opens, with its NUL */
#define PIECE_BYTES 4096u /* read and written at a time; a pipe rarely has more */
#define SPOOL_USUAL ((uint64_t)4u << 30)

const char *temp_file_directory(void)
{
    const char *directory = getenv("TMPDIR");
    return directory != NULL && directory[0] != '\0' ? directory : "/tmp";
}

int temp_file_create(void)
{
    char path[PATH_BYTES];
    int fd;
    if ((size_t)snprintf(path, sizeof path, "%s/tlog-decode-XXXXXX", temp_file_directory()) >= sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    fd = mkstemp(path);
    if (fd >= 0)
        unlink(path);
    return fd;
}

int temp_file_open(struct trace *trace, const char *name)
{
    int fd = temp_file_create();
    if (fd >= 0)
        return fd;
    return trace_fail(trace, "%s%scannot make a temporary file in %s: %s", name != NULL ? name : "",
                      name != NULL ? ": " : "", temp_file_directory(), strerror(errno));
}

uint64_t temp_file_most(const struct trace *trace)
{
    return trace->spool_most != 0 ? trace->spool_most : SPOOL_USUAL;
}

/* write() until all is written: it may write less, above all to a pipe. False with errno set. */
static bool write_all(int fd, const unsigned char *data, size_t size)
{
    while (size > 0) {
        ssize_t n = write(fd, data, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        data += n;
        size -= (size_t)n;
    }
    return true;
}

enum copy_result copy_bytes(int from, int to, uint64_t most)
{
    unsigned char piece[PIECE_BYTES];
    for (ssize_t n; most > 0; most -= (uint64_t)n) {
        n = read(from, piece, most < sizeof piece ? (size_t)most : sizeof piece);
        if (n < 0 && errno == EINTR)
            n = 0;
        else if (n < 0)
            return COPY_NOT_READ;
        else if (n == 0)
            return COPY_DONE;
        if (!write_all(to, piece, (size_t)n))
            return COPY_NOT_WRITTEN;
        progress_bytes((uint64_t)n);
    }
    return COPY_ENOUGH;
}
