/* output.c - where a writer's bytes go: see output.h. */
#define _XOPEN_SOURCE 700 /* realpath */

#include "output.h"
#include "input.h"
#include "trace.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const int ending_signals[] = {SIGHUP, SIGINT, SIGTERM};

#define ENDING_SIGNALS (sizeof ending_signals / sizeof ending_signals[0])

/* The file the signal handler removes. Changed only while those signals are blocked. */
static char *volatile unfinished;

/* ---- signals ----------------------------------------------------------------------------------------------------- */

static void remove_unfinished(int number)
{
    if (unfinished != NULL)
        unlink(unfinished);
    signal(number, SIG_DFL);
    raise(number);
}

static void block_signals(sigset_t *before)
{
    sigset_t set;

    sigemptyset(&set);
    for (size_t i = 0; i < ENDING_SIGNALS; i++)
        sigaddset(&set, ending_signals[i]);
    sigprocmask(SIG_BLOCK, &set, before);
}

/* A signal that is ignored stays so: nohup and background jobs rely on it. */
static void catch_signals(void)
{
    struct sigaction action, old;

    memset(&action, 0, sizeof action);
    action.sa_handler = remove_unfinished;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < ENDING_SIGNALS; i++) {
        if (sigaction(ending_signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(ending_signals[i], &action, NULL);
    }
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is a failed write, */
    signal(SIGXFSZ, SIG_IGN); /* and so is a file that may not grow */
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

/* A name for the unfinished file, in the directory of path. */
static char *temporary_name(const char *path)
{
    static const char suffix[] = ".tlog-decode-XXXXXX";
    const char *slash = strrchr(path, '/');
    size_t directory = slash ? (size_t)(slash - path) + 1u : 0;
    char *name = malloc(directory + sizeof suffix);

    if (name == NULL)
        return NULL;
    memcpy(name, path, directory);
    memcpy(name + directory, suffix, sizeof suffix);
    return name;
}

static int create_unfinished(char *name)
{
    sigset_t before;
    mode_t mask;
    int fd;

    block_signals(&before);
    fd = mkstemp(name);
    if (fd >= 0)
        unfinished = name;
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (fd >= 0) {
        mask = umask(0);
        umask(mask);
        fchmod(fd, 0666u & ~mask);
    }
    return fd;
}

/* From now on the handler has nothing to remove. */
static void forget_unfinished(struct output *output)
{
    sigset_t before;

    block_signals(&before);
    unfinished = NULL;
    sigprocmask(SIG_SETMASK, &before, NULL);
    free(output->temporary);
    output->temporary = NULL;
}

/* A file that is there keeps its place: a symbolic link stays, what it points to is replaced. */
static int open_file(struct output *output, struct trace *trace, const char *path, bool exists)
{
    output->path = exists ? realpath(path, NULL) : strdup(path);
    if (output->path != NULL)
        output->temporary = temporary_name(output->path);
    if (output->temporary == NULL)
        return trace_fail(trace, "%s: %s", path, strerror(errno));
    if (exists && access(path, W_OK) != 0)
        return trace_fail(trace, "%s: %s", path, strerror(errno));
    output->fd = create_unfinished(output->temporary);
    if (output->fd < 0)
        return trace_fail(trace, "%s: cannot create a file there: %s", path, strerror(errno));
    return 0;
}

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
        return open_file(output, trace, path, false);
    }
    return S_ISREG(status.st_mode) ? open_file(output, trace, path, true) : open_special(output, trace, path);
}

/* Let the writer have a temporary file, and keep the real output for the end. */
static int spool(struct output *output, struct trace *trace)
{
    const char *directory;
    int fd = input_temporary(&directory);

    if (fd < 0)
        return trace_fail(trace, "%s: cannot make a temporary file in %s: %s", output->name, directory,
                          strerror(errno));
    output->direct = output->fd;
    output->fd = fd;
    return 0;
}

int output_open(struct output *output, struct trace *trace, const char *path, bool seeks)
{
    bool standard = path == NULL || strcmp(path, "-") == 0;

    memset(output, 0, sizeof *output);
    output->name = standard ? "standard output" : path;
    output->fd = standard ? STDOUT_FILENO : -1;
    output->direct = -1;
    catch_signals();
    if (!standard && open_path(output, trace, path) != 0) {
        output_discard(output);
        return -1;
    }
    if (seeks && output->temporary == NULL && spool(output, trace) != 0) {
        output_discard(output);
        return -1;
    }
    return 0;
}

/* ---- questions --------------------------------------------------------------------------------------------------- */

/* The descriptor whose bytes somebody gets to see. */
static int final_fd(const struct output *output)
{
    return output->direct >= 0 ? output->direct : output->fd;
}

bool output_is_terminal(const struct output *output)
{
    return isatty(final_fd(output));
}

bool output_is_closed(const struct output *output)
{
    struct pollfd poller = {.fd = final_fd(output), .events = 0};

    if (output->gone)
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

static int close_own(const struct output *output)
{
    int failed = 0;

    if (output->direct >= 0 || output->own)
        failed = output->fd >= 0 ? close(output->fd) : 0;
    if (output->direct >= 0 && output->own)
        failed |= close(output->direct);
    return failed;
}

static int copy_spooled(struct output *output, struct trace *trace)
{
    if (output->direct < 0)
        return 0;
    if (lseek(output->fd, 0, SEEK_SET) == 0 && input_copy(output->fd, output->direct) == INPUT_COPIED)
        return 0;
    output->gone = errno == EPIPE;
    return trace_fail(trace, "%s: cannot write: %s", output->name, strerror(errno));
}

int output_finish(struct output *output, struct trace *trace)
{
    if (copy_spooled(output, trace) != 0) {
        output_discard(output);
        return -1;
    }
    if (close_own(output) != 0)
        trace_fail(trace, "%s: cannot write: %s", output->name, strerror(errno));
    output->own = false;
    output->direct = -1;
    if (!trace->failed && output->temporary != NULL && rename(output->temporary, output->path) != 0)
        trace_fail(trace, "%s: %s", output->name, strerror(errno));
    if (!trace->failed)
        forget_unfinished(output);
    output_discard(output);
    return trace->failed ? -1 : 0;
}

void output_discard(struct output *output)
{
    close_own(output);
    if (output->temporary != NULL && unfinished != NULL)
        unlink(output->temporary);
    forget_unfinished(output);
    free(output->path);
    output->path = NULL;
    output->own = false;
    output->direct = -1;
}
