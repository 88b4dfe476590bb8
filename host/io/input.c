/* input.c - the bytes a reader decodes: files are read where they lie, everything else is spooled first.
 *
 * Small reads are served from one window, so that a reader may ask for a header at a time.
 */
#include "io/input.h"
#include "io/input_udp.h"
#include "model/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WINDOW_BYTES 4096u /* a power of two; headers and seals are read by it, far apart */

struct input {
    struct trace *trace;
    const char *name;
    int fd;
    bool own; /* fd is ours to close */
    bool directory;
    off_t start; /* where the input begins in fd: standard input may have been read by others before */
    uint64_t size;
    const char *reader; /* that its origin asks for, or NULL */
    struct input_gap *gaps;
    size_t ngaps;
    uint64_t window_at; /* offset of the bytes in window */
    size_t window_n;
    unsigned char window[WINDOW_BYTES];
};

/* ---- temporary files and copies --------------------------------------------------------------------------------- */

int input_temporary(const char **directory)
{
    const char *tmpdir = getenv("TMPDIR");
    char path[4096];
    int fd;

    *directory = tmpdir != NULL && tmpdir[0] != '\0' ? tmpdir : "/tmp";
    if ((size_t)snprintf(path, sizeof path, "%s/tlog-decode-XXXXXX", *directory) >= sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    fd = mkstemp(path);
    if (fd >= 0)
        unlink(path);
    return fd;
}

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

enum input_copy input_copy(int from, int to)
{
    unsigned char buffer[WINDOW_BYTES];

    for (;;) {
        ssize_t n = read(from, buffer, sizeof buffer);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return INPUT_NOT_READ;
        if (n == 0)
            return INPUT_COPIED;
        if (!write_all(to, buffer, (size_t)n))
            return INPUT_NOT_WRITTEN;
    }
}

/* ---- opening ---------------------------------------------------------------------------------------------------- */

static void close_own(struct input *in)
{
    if (in->own && in->fd >= 0)
        close(in->fd);
}

/* Replace fd by a temporary file with all that can be read from it. */
static int spool(struct input *in)
{
    const char *directory;
    int file = input_temporary(&directory);
    enum input_copy copied;

    if (file < 0)
        return trace_fail(in->trace, "%s: cannot make a temporary file in %s: %s", in->name, directory,
                          strerror(errno));
    copied = input_copy(in->fd, file);
    if (copied == INPUT_NOT_READ)
        trace_fail(in->trace, "%s: cannot read: %s", in->name, strerror(errno));
    if (copied == INPUT_NOT_WRITTEN)
        trace_fail(in->trace, "%s: cannot spool to %s: %s", in->name, directory, strerror(errno));
    close_own(in);
    in->fd = file;
    in->own = true;
    in->start = 0;
    return copied == INPUT_COPIED ? 0 : -1;
}

/* Size by seeking, which serves files and block devices alike. */
static int measure(struct input *in)
{
    off_t end = lseek(in->fd, 0, SEEK_END);

    if (end < 0)
        return trace_fail(in->trace, "%s: cannot find its size: %s", in->name, strerror(errno));
    in->size = end > in->start ? (uint64_t)(end - in->start) : 0;
    return 0;
}

/* Files of /proc and the like claim a size of 0 and yet have bytes, so an empty file is spooled as well. */
static int prepare(struct input *in)
{
    struct stat status;

    if (fstat(in->fd, &status) != 0)
        return trace_fail(in->trace, "%s: %s", in->name, strerror(errno));
    in->directory = S_ISDIR(status.st_mode);
    if (in->directory)
        return 0;
    if (S_ISBLK(status.st_mode) || (S_ISREG(status.st_mode) && status.st_size > 0)) {
        in->start = lseek(in->fd, 0, SEEK_CUR);
        return measure(in);
    }
    return spool(in) == 0 ? measure(in) : -1;
}

static int open_file(struct input *in, const char *path)
{
    bool standard = strcmp(path, "-") == 0;

    if (standard)
        in->name = "standard input";
    in->own = !standard;
    in->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC);
    if (in->fd < 0)
        return trace_fail(in->trace, "%s: %s", path, strerror(errno));
    return prepare(in);
}

static int open_udp(struct input *in, const struct input_until *until)
{
    struct udp_received received;
    int socket = input_udp_listen(in->trace, in->name);
    int result;

    if (socket < 0)
        return -1;
    result = input_udp_receive(in->trace, socket, until, &received);
    close(socket);
    if (result != 0)
        return -1;
    in->fd = received.fd;
    in->own = true;
    in->size = received.size;
    in->gaps = received.gaps;
    in->ngaps = received.ngaps;
    in->reader = "shark";
    return 0;
}

static struct input *input_new(struct trace *trace, const char *name, int fd)
{
    struct input *in = calloc(1, sizeof *in);

    if (in == NULL) {
        trace_fail(trace, "%s: no memory", name);
        return NULL;
    }
    in->trace = trace;
    in->name = name;
    in->fd = fd;
    in->own = true;
    return in;
}

struct input *input_open(struct trace *trace, const char *path, const struct input_until *until)
{
    struct input *in = input_new(trace, path, -1);

    if (in == NULL)
        return NULL;
    if ((input_udp_names(path) ? open_udp(in, until) : open_file(in, path)) != 0) {
        input_close(in);
        return NULL;
    }
    return in;
}

struct input *input_adopt(struct trace *trace, const char *name, int fd)
{
    struct input *in = input_new(trace, name, fd);

    if (in == NULL) {
        close(fd);
        return NULL;
    }
    if (measure(in) != 0) {
        input_close(in);
        return NULL;
    }
    return in;
}

struct input *input_open_at(const struct input *directory, const char *path)
{
    int fd = openat(directory->fd, path, O_RDONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;

    if (fd >= 0 && (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))) {
        close(fd);
        trace_fail(directory->trace, "%s/%s: not a regular file", directory->name, path);
        return NULL;
    }
    if (fd < 0) {
        trace_fail(directory->trace, "%s/%s: %s", directory->name, path, strerror(errno));
        return NULL;
    }
    return input_adopt(directory->trace, path, fd);
}

int input_directory(const struct input *in)
{
    return in->directory ? in->fd : -1;
}

void input_close(struct input *in)
{
    if (in == NULL)
        return;
    close_own(in);
    free(in->gaps);
    free(in);
}

const char *input_reader_hint(const struct input *in)
{
    return in->reader;
}

size_t input_gaps(const struct input *in, const struct input_gap **gaps)
{
    *gaps = in->gaps;
    return in->ngaps;
}

uint64_t input_size(const struct input *in)
{
    return in->size;
}

/* ---- reading ---------------------------------------------------------------------------------------------------- */

/* Read size bytes that the input has. Fewer mean that reading failed or the file was cut: now the input ends there. */
static size_t read_at(struct input *in, uint64_t offset, unsigned char *to, size_t size)
{
    size_t done = 0;

    while (done < size) {
        ssize_t n = pread(in->fd, to + done, size - done, in->start + (off_t)(offset + done));

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            trace_fail(in->trace, "%s: offset 0x%" PRIx64 ": %s", in->name, offset + done,
                       n < 0 ? strerror(errno) : "the file became shorter while it was read");
            in->size = offset + done;
            break;
        }
        done += (size_t)n;
    }
    return done;
}

static size_t at_most(size_t size, uint64_t limit)
{
    return size > limit ? (size_t)limit : size;
}

/* Serve a read that does not go beyond the window's end, which is filled first if need be. */
static size_t read_window(struct input *in, uint64_t offset, unsigned char *to, size_t size)
{
    uint64_t first = offset & ~(uint64_t)(WINDOW_BYTES - 1u);
    size_t skip = (size_t)(offset - first);

    if (in->window_n == 0 || in->window_at != first) {
        in->window_at = first;
        in->window_n = read_at(in, first, in->window, at_most(WINDOW_BYTES, in->size - first));
    }
    if (skip >= in->window_n)
        return 0;
    size = at_most(size, in->window_n - skip);
    memcpy(to, in->window + skip, size);
    return size;
}

size_t input_read(struct input *in, uint64_t offset, void *buffer, size_t size)
{
    unsigned char *to = buffer;
    size_t done = 0;

    if (offset >= in->size)
        return 0;
    size = at_most(size, in->size - offset);
    if (size >= WINDOW_BYTES)
        return read_at(in, offset, to, size);
    while (done < size) {
        size_t left = WINDOW_BYTES - (size_t)((offset + done) & (WINDOW_BYTES - 1u));
        size_t n = read_window(in, offset + done, to + done, at_most(size - done, left));

        if (n == 0)
            break;
        done += n;
    }
    return done;
}

static size_t read_for_cursor(void *file, uint64_t at, void *to, size_t size)
{
    return input_read(file, at, to, size);
}

struct cursor input_cursor(struct input *in, uint64_t from, uint64_t end, bool big)
{
    return (struct cursor){.read = read_for_cursor, .file = in, .at = from, .end = end, .big = big};
}
