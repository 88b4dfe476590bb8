/* signal_at.c - raises a signal at an exact point of a program, into which LD_PRELOAD loads this library.
 *
 * It counts the program's calls of the functions below, which read or change files, and raises signal number SIGNAL
 * just before call number SIGNAL_AT; both are environment variables. */
#define _GNU_SOURCE /* RTLD_NEXT */

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>

/* Count a call, and raise the signal if this is the one. */
static void count(void)
{
    static long calls;
    const char *at = getenv("SIGNAL_AT");
    if (at != NULL && ++calls == atol(at))
        raise(atoi(getenv("SIGNAL")));
}

/* Defines a function that replaces the one of that name in the C library: it counts, then calls the library's. */
#define COUNTED(type, name, parameters, arguments)                                                                     \
    type name parameters;                                                                                              \
    type name parameters                                                                                               \
    {                                                                                                                  \
        static type(*next) parameters;                                                                                 \
        if (next == NULL)                                                                                              \
            *(void **)&next = dlsym(RTLD_NEXT, #name);                                                                 \
        count();                                                                                                       \
        return next arguments;                                                                                         \
    }

COUNTED(ssize_t, read, (int fd, void *to, size_t size), (fd, to, size))
COUNTED(ssize_t, pread, (int fd, void *to, size_t size, off_t at), (fd, to, size, at))
COUNTED(ssize_t, pwrite, (int fd, const void *from, size_t size, off_t at), (fd, from, size, at))
COUNTED(ssize_t, pread64, (int fd, void *to, size_t size, off_t at), (fd, to, size, at))
COUNTED(ssize_t, write, (int fd, const void *from, size_t size), (fd, from, size))
COUNTED(ssize_t, pwrite64, (int fd, const void *from, size_t size, off_t at), (fd, from, size, at))
COUNTED(size_t, fwrite, (const void *from, size_t size, size_t number, FILE *file), (from, size, number, file))
COUNTED(int, fclose, (FILE * file), (file))
COUNTED(int, close, (int fd), (fd))
COUNTED(char *, mkdtemp, (char *name), (name))
COUNTED(int, mkstemp, (char *name), (name))
COUNTED(int, mkdirat, (int directory, const char *name, mode_t mode), (directory, name, mode))
COUNTED(int, fchmod, (int fd, mode_t mode), (fd, mode))
COUNTED(int, rename, (const char *from, const char *to), (from, to))
COUNTED(int, unlink, (const char *name), (name))
COUNTED(int, unlinkat, (int directory, const char *name, int flags), (directory, name, flags))
COUNTED(int, rmdir, (const char *name), (name))
