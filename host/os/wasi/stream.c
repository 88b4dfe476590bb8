/* stream.c - streams of open files, in a WebAssembly: see os_file.h. A file has one number there, which closing its
 * stream would close; so the stream has functions of its own, and its cookie is the number. */
#define _GNU_SOURCE

#include "os/os_file.h"

#include <unistd.h>

static ssize_t read_some(void *cookie, char *to, size_t size)
{
    return read((int)(intptr_t)cookie, to, size);
}

static ssize_t write_some(void *cookie, const char *from, size_t size)
{
    return write((int)(intptr_t)cookie, from, size);
}

static int seek(void *cookie, off_t *offset, int whence)
{
    *offset = lseek((int)(intptr_t)cookie, *offset, whence);
    return *offset < 0 ? -1 : 0;
}

FILE *os_stream(int file, const char *mode)
{
    return fopencookie((void *)(intptr_t)file, mode,
                       (cookie_io_functions_t){.read = read_some, .write = write_some, .seek = seek});
}
