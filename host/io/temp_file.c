/* temp_file.c - temporary files: see temp_file.h. */
#include "io/temp_file.h"

#include "model/trace.h"
#include "os/os_file.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#define PIECE_BYTES 4096u /* read and written at a time; a pipe rarely has more */
#define SPOOL_USUAL ((uint64_t)4u << 30)

int temp_file_open(struct trace *trace, const char *name)
{
    int fd = os_temporary();
    if (fd >= 0)
        return fd;
    return trace_fail(trace, "%s%scannot make a temporary file in %s: %s", name != NULL ? name : "",
                      name != NULL ? ": " : "", os_temporary_directory(), strerror(errno));
}

uint64_t temp_file_most(const struct trace *trace)
{
    return trace->spool_most != 0 ? trace->spool_most : SPOOL_USUAL;
}

enum copy_result copy_bytes(const struct trace *trace, int from, int to, uint64_t most)
{
    unsigned char piece[PIECE_BYTES];
    for (int64_t n; most > 0; most -= (uint64_t)n) {
        n = os_read(from, piece, most < sizeof piece ? (size_t)most : sizeof piece);
        if (n <= 0)
            return n < 0 ? COPY_NOT_READ : COPY_DONE;
        errno = os_write(to, piece, (size_t)n);
        if (errno != 0)
            return COPY_NOT_WRITTEN;
        trace_progress(trace, (uint64_t)n, 0);
    }
    return COPY_ENOUGH;
}
