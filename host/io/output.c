/* output.c - where a writer's bytes go: see output.h. */
#define _XOPEN_SOURCE 700 /* realpath */

#include "io/output.h"
#include "io/temp_file.h"
#include "io/write_behind.h"
#include "model/message.h"
#include "model/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Those that a user or the system sends to end a program, and those of a fault in it. */
static const int ending_signals[] = {SIGHUP,  SIGINT, SIGQUIT, SIGTERM, SIGXCPU,
                                     SIGABRT, SIGBUS, SIGFPE,  SIGILL,  SIGSEGV};

#define ENDING_SIGNALS (sizeof ending_signals / sizeof ending_signals[0])
#define FIRST_FAULT    5u /* the signals from here on are those of faults */

#define UNFINISHED_MAX 8u
#define RESERVED_BYTES 262144u /* smaller writes take no less time when their blocks are reserved */

/* The names of the files and directories that the signal handler removes; free places are NULL. Changed only while
 * those signals are blocked. */
static char *volatile unfinished[UNFINISHED_MAX];

/* ---- signals ----------------------------------------------------------------------------------------------------- */

/* The signal handler. It makes system calls only: tree_remove() takes no memory. The signal then ends the program as if
 * it had not been caught, so that the exit code tells which signal it was. */
static void remove_unfinished(int number)
{
    for (size_t i = 0; i < UNFINISHED_MAX; i++) {
        if (unfinished[i] != NULL && unlink(unfinished[i]) != 0)
            tree_remove(unfinished[i]);
    }
    signal(number, SIG_DFL);
    raise(number);
}

/* Block the ending signals but for those of faults, which cannot wait. *before: what sigprocmask() needs to undo it. */
static void block_signals(sigset_t *before)
{
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < FIRST_FAULT; i++)
        sigaddset(&set, ending_signals[i]);
    sigprocmask(SIG_BLOCK, &set, before);
}

/* A signal that is ignored stays ignored: nohup and background jobs of a shell rely on it. Sanitizers catch faults
 * themselves. */
static void catch_signals(void)
{
    struct sigaction action, old;
    memset(&action, 0, sizeof action);
    action.sa_handler = remove_unfinished;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < ENDING_SIGNALS; i++) {
        if (sigaction(ending_signals[i], NULL, &old) == 0
            && (old.sa_handler == SIG_DFL || old.sa_handler == remove_unfinished))
            sigaction(ending_signals[i], &action, NULL);
    }
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is a failed write, */
    signal(SIGXFSZ, SIG_IGN); /* and so is a file that may not grow */
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

/* A name for the unfinished file, in the directory of path, so that it can be renamed to path. For mkstemp(); the
 * caller frees it. NULL: no memory. */
static char *temporary_name(const char *path)
{
    static const char suffix[] = ".tlog-decode-XXXXXX";
    const char *slash = strrchr(path, '/');
    size_t directory = slash != NULL ? (size_t)(slash - path) + 1u : 0;
    char *name = malloc(directory + sizeof suffix);
    if (name == NULL)
        return NULL;
    memcpy(name, path, directory);
    memcpy(name + directory, suffix, sizeof suffix);
    return name;
}

/* Index of a name in unfinished, or, for NULL, of a free place; UNFINISHED_MAX: there is none. */
static size_t place_of(const char *name)
{
    size_t i = 0;
    while (i < UNFINISHED_MAX && unfinished[i] != name)
        i++;
    return i;
}

/* Create the file or directory under a name made of this one. Its descriptor, or -1 with errno set. */
static int create(char *name, bool directory)
{
    if (!directory)
        return mkstemp(name);
    return mkdtemp(name) != NULL ? open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
}

/* The permissions of the output: those of the old one that it replaces, or, if that is NULL, those of any new file. */
static mode_t permissions(const struct stat *old, bool directory)
{
    mode_t mask;
    if (old != NULL)
        return (old->st_mode & 0777u) | (directory ? S_IRWXU : 0u); /* the writer creates files in it */
    mask = umask(0);                                                /* it cannot be read without a change */
    umask(mask);
    return (directory ? 0777u : 0666u) & ~mask;
}

/* Create the file or directory and have the signal handler remove it. No signal comes between the two. */
static int create_unfinished(char *name, bool directory, const struct stat *old)
{
    sigset_t before;
    int fd;
    block_signals(&before);
    fd = place_of(NULL) < UNFINISHED_MAX ? create(name, directory) : -1;
    if (fd >= 0)
        unfinished[place_of(NULL)] = name;
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (fd >= 0)
        fchmod(fd, permissions(old, directory));
    return fd;
}

/* The output is published or removed: the signal handler must not remove what has its temporary name now. */
static void forget_unfinished(struct output *output)
{
    sigset_t before;
    block_signals(&before);
    if (output->temporary != NULL && place_of(output->temporary) < UNFINISHED_MAX)
        unfinished[place_of(output->temporary)] = NULL;
    sigprocmask(SIG_SETMASK, &before, NULL);
    free(output->temporary);
    output->temporary = NULL;
}

/* Where a path leads that no file is at: it may be a link to where there is none yet. The caller frees it. NULL, with
 * errno set: an error. */
static char *end_of_links(const char *path)
{
    enum { LINKS_MOST = 40 }; /* as many as Linux follows */
    char *at = strdup(path), target[PATH_MAX];
    for (unsigned i = 0; at != NULL && i < LINKS_MOST; i++) {
        ssize_t n = readlink(at, target, sizeof target - 1u);
        const char *slash = strrchr(at, '/');
        char *next;
        if (n < 0)
            return at;
        target[n] = '\0';
        next = malloc(strlen(at) + (size_t)n + 1u);
        if (next != NULL)
            sprintf(next, "%.*s%s", target[0] != '/' && slash != NULL ? (int)(slash - at) + 1 : 0, at, target);
        free(at);
        at = next;
    }
    free(at);
    errno = ELOOP;
    return NULL;
}

/* old: status of the file that is there, or NULL. A symbolic link stays, and the file it points to is replaced. */
static int open_file(struct output *output, struct trace *trace, const char *path, const struct stat *old)
{
    output->path = old != NULL ? realpath(path, NULL) : end_of_links(path);
    if (output->path != NULL)
        output->temporary = temporary_name(output->path);
    if (output->temporary == NULL)
        return trace_fail(trace, "%s: %s", path, strerror(errno));
    if (old != NULL && access(path, W_OK) != 0)
        return trace_fail(trace, "%s: %s", path, strerror(errno));
    output->fd = create_unfinished(output->temporary, false, old);
    if (output->fd < 0)
        return trace_fail(trace, "%s: cannot create a file there: %s", path, strerror(errno));
    return 0;
}

/* A pipe, a terminal or a device. */
static int open_special(struct output *output, struct trace *trace, const char *path)
{
    output->fd = open(path, O_WRONLY | O_NOCTTY);
    if (output->fd < 0)
        return trace_fail(trace, "%s: %s", path, strerror(errno));
    return 0;
}

static int open_path(struct output *output, struct trace *trace, const char *path)
{
    size_t length = strlen(path);
    struct stat status;
    output->own = true;
    if (length == 0)
        return trace_fail(trace, "the name of the output is empty");
    if (stat(path, &status) != 0) {
        if (path[length - 1u] == '/')
            return trace_fail(trace, "%s: %s", path, strerror(EISDIR));
        return open_file(output, trace, path, NULL);
    }
    return S_ISREG(status.st_mode) ? open_file(output, trace, path, &status) : open_special(output, trace, path);
}

/* Give the writer a temporary file. Its bytes are copied to the real output in the end. */
static int write_to_temporary(struct output *output, struct trace *trace)
{
    int fd = temp_file_open(trace, output->name);
    if (fd < 0)
        return -1;
    output->final_fd = output->fd;
    output->fd = fd;
    return 0;
}

int output_open(struct output *output, struct trace *trace, const char *path, bool seeks)
{
    bool standard = path == NULL || strcmp(path, "-") == 0;
    memset(output, 0, sizeof *output);
    output->name = standard ? "standard output" : path;
    output->fd = standard ? STDOUT_FILENO : -1;
    output->final_fd = -1;
    catch_signals();
    if (!standard && open_path(output, trace, path) != 0) {
        output_discard(output);
        return -1;
    }
    if (seeks && output->temporary == NULL && write_to_temporary(output, trace) != 0) {
        output_discard(output);
        return -1;
    }
    return 0;
}

/* ---- directories ------------------------------------------------------------------------------------------------- */

/* NULL if the directory at path may be replaced, else why it may not. What is in it is listed. */
static const char *find_objection(const char *path, output_replaceable *may_replace, struct tree_list *there)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const char *objection = NULL;
    if (fd < 0)
        return strerror(errno);
    if (!may_replace(fd))
        objection = "is there and holds something else than such a trace; it stays as it is";
    else if (!tree_list_read(there, fd))
        objection = strerror(errno);
    close(fd);
    return objection;
}

/* The path without slashes at its end. If the directory exists, symbolic links are followed. The caller frees it. NULL:
 * no memory, or an error of realpath(). */
static char *directory_name(const char *path, bool exists)
{
    char *name = exists ? realpath(path, NULL) : strdup(path);
    size_t n = name != NULL ? strlen(name) : 0;
    while (n > 1 && name[n - 1u] == '/')
        name[--n] = '\0';
    return name;
}

static int begin_directory(struct output *output, struct trace *trace, const char *path,
                           output_replaceable *may_replace)
{
    struct stat status;
    bool exists = stat(path, &status) == 0;
    const char *objection = exists ? find_objection(path, may_replace, &output->there) : NULL;
    if (path[0] == '\0')
        return trace_fail(trace, "the name of the output is empty");
    if (objection != NULL)
        return trace_fail(trace, "%s: %s", path, objection);
    output->path = directory_name(path, exists);
    if (output->path != NULL)
        output->temporary = temporary_name(output->path);
    if (output->temporary == NULL)
        return trace_fail(trace, "%s: %s", path, strerror(errno));
    output->fd = create_unfinished(output->temporary, true, exists ? &status : NULL);
    if (output->fd < 0)
        return trace_fail(trace, "%s: cannot create a directory there: %s", path, strerror(errno));
    return 0;
}

int output_open_directory(struct output *output, struct trace *trace, const char *path, output_replaceable *may_replace)
{
    *output = (struct output){.name = path, .fd = -1, .final_fd = -1, .own = true, .directory = true};
    output->may_replace = may_replace;
    catch_signals();
    if (begin_directory(output, trace, path, may_replace) == 0)
        return 0;
    output_discard(output);
    return -1;
}

/* The old directory was renamed to aside. NULL if it is as it was when the output was opened; else why it may not be
 * replaced. */
static const char *find_change(const struct output *output, const char *aside)
{
    struct tree_list now = {0};
    const char *objection = find_objection(aside, output->may_replace, &now);
    if (objection == NULL && !tree_list_same(&output->there, &now))
        objection = "was changed while the trace was made; it stays as it is";
    tree_list_free(&now);
    return objection;
}

/* Remove what was in the replaced directory when the output was opened; then the directory, if it is empty. */
static void remove_replaced(const struct output *output, const char *aside)
{
    int directory = open(aside, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (directory >= 0) {
        tree_list_remove(&output->there, directory);
        close(directory);
    }
    if (rmdir(aside) != 0)
        message("%s: replaced, but what came into it meanwhile is kept in %s", output->name, aside);
}

/* The old directory was renamed to aside: give the new one its name, and remove the old one. If that cannot be, the old
 * one gets its name back. 0, or -1 after trace_fail(). */
static int exchange(const struct output *output, struct trace *trace, const char *aside)
{
    const char *objection = find_change(output, aside);
    if (objection == NULL && rename(output->temporary, output->path) != 0)
        objection = strerror(errno);
    if (objection == NULL) {
        remove_replaced(output, aside);
        return 0;
    }
    trace_fail(trace, "%s: %s", output->name, objection);
    if (rename(aside, output->path) != 0)
        message("%s: what was there is in %s", output->name, aside);
    return -1;
}

/* Rename the new directory to path. rename() does that if path is free or an empty directory. A directory that is not
 * empty is renamed first, so that nothing can come into it under its name, and then checked. 0, or -1 after
 * trace_fail(). */
static int replace_directory(const struct output *output, struct trace *trace)
{
    char *aside = NULL;
    int result = -1;
    if (rename(output->temporary, output->path) == 0)
        return 0;
    if (errno == ENOTEMPTY || errno == EEXIST)
        aside = temporary_name(output->path);
    if (aside == NULL || mkdtemp(aside) == NULL) {
        trace_fail(trace, "%s: %s", output->name, strerror(errno));
    } else if (rename(output->path, aside) != 0) {
        trace_fail(trace, "%s: %s", output->name, strerror(errno));
        rmdir(aside);
    } else {
        result = exchange(output, trace, aside);
    }
    free(aside);
    return result;
}

/* ---- questions --------------------------------------------------------------------------------------------------- */

/* The descriptor of the real output, not of a temporary file. */
static int real_fd(const struct output *output)
{
    return output->final_fd >= 0 ? output->final_fd : output->fd;
}

/* Have the file system find room for a large write at once. Pipes and the like have no offset, and need none. */
static void reserve(int fd, size_t size)
{
    off_t offset = size >= RESERVED_BYTES ? lseek(fd, 0, SEEK_CUR) : -1;
    if (offset >= 0)
        write_reserve(fd, size, (uint64_t)offset);
}

int output_put(struct trace *trace, int fd, const void *bytes, size_t size)
{
    const unsigned char *from = bytes;
    reserve(fd, size);
    while (size > 0) {
        ssize_t n = write(fd, from, size);
        if (n < 0 && errno != EINTR)
            return trace_fail(trace, "cannot write: %s", strerror(errno));
        from += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    return 0;
}

bool output_is_terminal(const struct output *output)
{
    return isatty(real_fd(output));
}

/* poll() reports POLLERR of a pipe without a reader, POLLHUP of a terminal that has hung up. */
bool output_is_closed(const struct output *output)
{
    struct pollfd poller = {.fd = real_fd(output), .events = 0};
    if (output->reader_gone)
        return true;
    return output->temporary == NULL && poll(&poller, 1, 0) == 1 && (poller.revents & (POLLERR | POLLHUP));
}

bool output_replaces(const struct output *output, const char *path)
{
    struct stat mine, other;
    return output->path != NULL && stat(output->path, &mine) == 0 && stat(path, &other) == 0
           && mine.st_dev == other.st_dev && mine.st_ino == other.st_ino;
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

/* Close the descriptors that are to be closed: that of a temporary file in any case. Not 0 if that fails: a file system
 * may delay writes until then. */
static int close_own(const struct output *output)
{
    int failed = 0;
    if (output->final_fd >= 0 || output->own)
        failed = output->fd >= 0 ? close(output->fd) : 0;
    if (output->final_fd >= 0 && output->own)
        failed |= close(output->final_fd);
    return failed;
}

/* Copy the bytes of a temporary file, if there is one, to the real output. */
static int copy_temporary(struct output *output, struct trace *trace)
{
    if (output->final_fd < 0)
        return 0;
    if (lseek(output->fd, 0, SEEK_SET) == 0 && copy_bytes(output->fd, output->final_fd, UINT64_MAX) == COPY_DONE)
        return 0;
    output->reader_gone = errno == EPIPE;
    return trace_fail(trace, "%s: cannot write: %s", output->name, strerror(errno));
}

/* Give the finished output its name. A directory takes several steps to replace: the ending signals wait until the last
 * one. 0, or -1 after trace_fail(). */
static int publish(const struct output *output, struct trace *trace)
{
    sigset_t before;
    int result = 0;
    block_signals(&before);
    if (output->directory)
        result = replace_directory(output, trace);
    else if (rename(output->temporary, output->path) != 0)
        result = trace_fail(trace, "%s: %s", output->name, strerror(errno));
    sigprocmask(SIG_SETMASK, &before, NULL);
    return result;
}

int output_finish(struct output *output, struct trace *trace)
{
    if (copy_temporary(output, trace) != 0) {
        output_discard(output);
        return -1;
    }
    if (close_own(output) != 0)
        trace_fail(trace, "%s: cannot write: %s", output->name, strerror(errno));
    output->own = false;
    output->final_fd = -1;
    if (!trace->failed && output->temporary != NULL && publish(output, trace) == 0)
        forget_unfinished(output);
    output_discard(output);
    return trace->failed ? -1 : 0;
}

void output_discard(struct output *output)
{
    close_own(output);
    if (output->temporary != NULL && place_of(output->temporary) < UNFINISHED_MAX) {
        if (output->directory)
            tree_remove(output->temporary);
        else
            unlink(output->temporary);
    }
    forget_unfinished(output);
    tree_list_free(&output->there);
    free(output->path);
    output->path = NULL;
    output->own = false;
    output->final_fd = -1;
}
