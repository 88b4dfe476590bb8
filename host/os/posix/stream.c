/* stream.c - streams of open files: see os_file.h. */
#include "os/posix/features.h"

#include "os/os_file.h"

#include <unistd.h>

FILE *os_stream(int file, const char *mode)
{
    int copy = dup(file);
    FILE *stream = copy >= 0 ? fdopen(copy, mode) : NULL;
    if (stream == NULL && copy >= 0)
        close(copy);
    return stream;
}
