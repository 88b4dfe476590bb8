/* missing.c - what wasi-libc lacks of POSIX: see missing.h. And streams of open files, for which it lacks dup(). */
#define _GNU_SOURCE /* getentropy() and fopencookie(), which are in no POSIX */

#include "os/wasi/missing.h"

#include "os/os_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Only the environment can tell the directory that the program was started in, from which names are meant. Without it
 * that is the root. */
__attribute__((constructor)) static void go_there(void)
{
    const char *directory = getenv("PWD");
    if (directory != NULL)
        (void)chdir(directory);
}

/* Choose the last six characters. False: there is nothing to choose them by. */
static bool choose(char *pattern)
{
    static const char digits[] = "0123456789abcdefghijklmnopqrstuv";
    unsigned char random[6];
    if (getentropy(random, sizeof random) != 0)
        return false;
    for (size_t i = 0; i < sizeof random; i++)
        pattern[strlen(pattern) - sizeof random + i] = digits[random[i] % 32u];
    return true;
}

int mkstemp(char *pattern)
{
    int file;
    do {
        file = choose(pattern) ? open(pattern, O_RDWR | O_CREAT | O_EXCL, 0600) : -1;
    } while (file < 0 && errno == EEXIST);
    return file;
}

char *mkdtemp(char *pattern)
{
    int result;
    do {
        result = choose(pattern) ? mkdir(pattern, 0700) : -1;
    } while (result != 0 && errno == EEXIST);
    return result == 0 ? pattern : NULL;
}

/* Links within a path cannot be told; os_real_path() then follows the one at its end. */
char *realpath(const char *path, char *resolved)
{
    (void)path, (void)resolved;
    errno = ENOSYS;
    return NULL;
}

unsigned umask(unsigned mask)
{
    (void)mask;
    return 0;
}

int fchmod(int file, unsigned permissions)
{
    (void)file, (void)permissions;
    return 0;
}

/* ---- streams, see os_file.h -------------------------------------------------------------------------------------- */

/* Closing a stream of the C library closes its file, too. So the stream has functions of its own, and its cookie is the
 * number of the file. */
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
