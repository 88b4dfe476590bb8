/* input.c - the bytes a reader decodes: files are read in place, everything else is put into a temporary file first.
 *
 * Small reads are served from windows, so that a reader may ask for a header at a time.
 */
#include "io/input.h"

#include "base/heap.h"
#include "io/decompress.h"
#include "io/live/live.h"
#include "io/segments.h"
#include "io/temp_file.h"
#include "model/trace.h"
#include "os/os_file.h"
#include "os/os_socket.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

/* Both are powers of two. A window is small: headers and seals, which are read through it, are far apart. There are
 * several, since readers go back a little again and again. */
#define WINDOW_BYTES 4096u
#define WINDOWS      8u
#define PARTS        1024u /* of an input, for progress */

/* Bytes of an input from a multiple of WINDOW_BYTES on. */
struct window {
    uint64_t at;
    size_t n; /* 0: the window is empty */
    unsigned char bytes[WINDOW_BYTES];
};

struct input {
    struct trace *trace;
    const char *name;
    struct input *next;      /* see input_append() */
    struct tlog_bytes bytes; /* what a function of the caller reads; without read(), fd has the bytes */
    int fd;                  /* or -1 */
    bool own;                /* input_close() closes fd: all but standard input */
    int pipe;                /* where the rest comes from, or -1 */
    bool own_pipe;
    int spool;        /* what has come from it, while more may come; else -1. fd may be what was decompressed of it */
    uint64_t spooled; /* bytes of that */
    bool directory;
    uint64_t start;         /* offset in fd where the input begins: another program may have read from standard input */
    uint64_t size;          /* bytes of input from there */
    const char *reader;     /* see input_reader_hint() */
    struct input_gap *gaps; /* ngaps of them */
    size_t ngaps;
    struct segment *segments; /* nsegments of them, from an ELF file or --base */
    size_t nsegments;
    void *kept;          /* see input_keep() */
    bool is_read[PARTS]; /* which parts were read since input_begin_reading() */
    struct window windows[WINDOWS];
};

/* ---- opening ---------------------------------------------------------------------------------------------------- */

static void close_own(struct input *in)
{
    if (in->own && in->fd >= 0)
        os_close(in->fd);
}

/* All that will come from the pipe has come. */
static void close_pipe(struct input *in)
{
    if (in->own_pipe)
        os_close(in->pipe);
    if (in->spool >= 0 && in->spool != in->fd)
        os_close(in->spool);
    in->pipe = in->spool = -1;
    in->own_pipe = false;
}

/* Copy from the pipe until so many bytes are spooled in all, or it ends. 0, or -1 after trace_fail(). */
static int spool(struct input *in, uint64_t most)
{
    enum copy_result result = copy_bytes(in->trace, in->pipe, in->spool, most - in->spooled);
    int error = errno;
    int64_t end = os_seek(in->spool, 0, SEEK_END);
    in->spooled = end > 0 ? (uint64_t)end : 0;
    if (result == COPY_NOT_READ)
        return trace_fail(in->trace, "%s: cannot read: %s", in->name, strerror(error));
    if (result == COPY_NOT_WRITTEN)
        return trace_fail(in->trace, "%s: cannot spool to %s: %s", in->name, os_temporary_directory(), strerror(error));
    in->fd = in->spool;
    in->own = true;
    in->start = 0;
    if (result == COPY_DONE)
        close_pipe(in);
    return 0;
}

/* Begin to replace fd by a temporary file of what can be read from it. 0, or -1 after trace_fail(). */
static int open_pipe(struct input *in)
{
    uint64_t most = temp_file_most(in->trace);
    in->pipe = in->fd;
    in->own_pipe = in->own;
    in->fd = -1;
    in->spool = temp_file_open(in->trace, in->name);
    return in->spool < 0 ? -1 : spool(in, most < INPUT_FIRST ? most : INPUT_FIRST);
}

/* Find the size by seeking, which works for files and block devices alike. 0, or -1 after trace_fail(). */
static int measure(struct input *in)
{
    int64_t end = os_seek(in->fd, 0, SEEK_END);
    if (end < 0)
        return trace_fail(in->trace, "%s: cannot find its size: %s", in->name, strerror(errno));
    in->size = (uint64_t)end > in->start ? (uint64_t)end - in->start : 0;
    return 0;
}

/* Find out what fd is, and make all of its bytes readable at any offset. Files of /proc and the like have bytes
 * although their size is 0, so a file of size 0 is copied, too. 0, or -1 after trace_fail(). */
static int prepare(struct input *in)
{
    struct os_status status;
    if (!os_status_of(in->fd, &status))
        return trace_fail(in->trace, "%s: %s", in->name, strerror(errno));
    in->directory = status.kind == OS_DIRECTORY;
    if (in->directory)
        return 0;
    if (status.kind == OS_BLOCK_DEVICE || (status.kind == OS_FILE && status.size > 0)) {
        in->start = (uint64_t)os_seek(in->fd, 0, SEEK_CUR);
        return measure(in);
    }
    return open_pipe(in) == 0 ? measure(in) : -1;
}

/* Replace fd by a temporary file of what a compressed input holds. 0, or -1 after trace_fail(). */
static int replace_compressed(struct input *in)
{
    const struct compressed_file file = {in->name, input_cursor(in, 0, in->size, false),
                                         in->pipe >= 0 ? INPUT_FIRST : 0};
    int fd, result = in->directory ? 0 : decompress(in->trace, &file, &fd);
    if (result <= 0)
        return result;
    if (in->pipe < 0)
        close_own(in);
    in->fd = fd;
    in->own = true;
    in->start = 0;
    in->bytes.read = NULL;
    memset(in->windows, 0, sizeof in->windows);
    return measure(in);
}

/* Find out where on the target the input's bytes were, by what the user says or the input is. 0, or -1 after
 * trace_fail(). */
static int find_segments(struct input *in)
{
    struct trace *trace = in->trace;
    enum segments_result result = segments_read(input_cursor(in, 0, in->size, false), &in->segments, &in->nsegments);
    if (result == SEGMENTS_NO_MEMORY)
        return trace_fail(trace, "%s: no memory", in->name);
    if (result == SEGMENTS_UNKNOWN && !trace->has_base)
        trace_note(trace, "an ELF file whose program headers are damaged, or too many: they tell no address");
    if (result == SEGMENTS_TOLD && trace->has_base)
        return trace_fail(trace, "%s: an ELF file, which tells its addresses itself: --base is not for it", in->name);
    if (!trace->has_base || in->size == 0)
        return 0;
    if (in->size - 1u > UINT64_MAX - trace->base)
        return trace_fail(trace, "%s: has more bytes than there are addresses from --base=0x%" PRIx64 " on", in->name,
                          trace->base);
    in->segments = heap_alloc(sizeof *in->segments);
    if (in->segments == NULL)
        return trace_fail(trace, "%s: no memory", in->name);
    in->segments[in->nsegments++] = (struct segment){0, in->size, trace->base};
    return 0;
}

/* Get ready what fd has. 0, or -1 after trace_fail(). */
static int open_file(struct input *in)
{
    if (prepare(in) != 0 || replace_compressed(in) != 0)
        return -1;
    if (in->directory && in->trace->has_base)
        return trace_fail(in->trace, "%s: a directory: --base is not for it", in->name);
    return in->directory || in->pipe >= 0 ? 0 : find_segments(in);
}

static int open_standard(struct input *in)
{
    in->name = "standard input";
    in->own = false;
    in->fd = OS_STDIN;
    return open_file(in);
}

bool input_is_complete(const struct input *in)
{
    return in->pipe < 0;
}

/* The rest may be the end only: then the pipe has exactly as many bytes as are allowed. */
int input_complete(struct input *in)
{
    uint64_t most = temp_file_most(in->trace);
    if (in->pipe < 0)
        return 0;
    if (in->fd != in->spool)
        close_own(in);
    in->fd = in->spool;
    memset(in->windows, 0, sizeof in->windows);
    input_keep(in, NULL);
    if (spool(in, most + 1u) != 0)
        return -1;
    if (in->spooled > most)
        return trace_fail(in->trace, "%s: has more than %" PRIu64 " MiB, which --spool=MIB raises", in->name,
                          most >> 20);
    return measure(in) == 0 && replace_compressed(in) == 0 ? find_segments(in) : -1;
}

static int open_udp(struct input *in, const struct input_until *until)
{
    struct input_udp_received received;
    int socket = input_udp_listen(in->trace, in->name);
    int result;
    if (socket < 0)
        return -1;
    result = input_udp_receive(in->trace, socket, until, &received);
    os_socket_close(socket);
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

static int open_live(struct input *in, const struct input_until *until)
{
    struct live_taken taken;
    if (live_take(in->trace, in->name, until != NULL ? until->wait_ms : 0, &taken) != 0)
        return -1;
    in->fd = taken.fd;
    in->size = taken.size;
    in->segments = taken.segments;
    in->nsegments = taken.nsegments;
    in->reader = "native";
    return 0;
}

/* An input without bytes, which closes fd. NULL after trace_fail(): then fd is closed. */
static struct input *new_input(struct trace *trace, const char *name, int fd)
{
    struct input *in = heap_calloc(1, sizeof *in);
    if (in == NULL) {
        if (fd >= 0)
            os_close(fd);
        trace_fail(trace, "%s: no memory", name);
        return NULL;
    }
    in->trace = trace;
    in->name = name;
    in->fd = fd;
    in->own = true;
    in->pipe = in->spool = -1;
    return in;
}

/* The end of opening. NULL after trace_fail(): then the input is closed. */
static struct input *opened(struct input *in, int result)
{
    if (result == 0)
        return in;
    input_close(in);
    return NULL;
}

struct input *input_open_path(struct trace *trace, const char *path)
{
    int fd = os_open(path);
    struct input *in;
    if (fd < 0) {
        trace_fail(trace, "%s: %s", path, strerror(errno));
        return NULL;
    }
    in = new_input(trace, path, fd);
    return in != NULL ? opened(in, open_file(in)) : NULL;
}

bool input_is_received(const char *path)
{
    return input_udp_names(path) || live_names(path);
}

struct input *input_open(struct trace *trace, const char *path, const struct input_until *until)
{
    bool standard = strcmp(path, "-") == 0;
    struct input *in;
    if (!standard && !input_is_received(path))
        return input_open_path(trace, path);
    in = new_input(trace, path, -1);
    if (in == NULL || standard)
        return in != NULL ? opened(in, open_standard(in)) : NULL;
    return opened(in, live_names(path) ? open_live(in, until) : open_udp(in, until));
}

struct input *input_adopt(struct trace *trace, const char *name, int fd)
{
    struct input *in = new_input(trace, name, fd);
    return in != NULL ? opened(in, measure(in)) : NULL;
}

struct input *input_open_at(const struct input *directory, const char *path)
{
    struct os_status status;
    int fd = os_open_file(directory->fd, path, &status);
    if (fd < 0) {
        trace_fail(directory->trace, "%s/%s: %s", directory->name, path,
                   errno == 0 ? "not a regular file" : strerror(errno));
        return NULL;
    }
    return input_adopt(directory->trace, path, fd);
}

/* Get ready what has a size. NULL after trace_fail(): then the input is closed. */
static struct input *begin(struct input *in)
{
    return opened(in, replace_compressed(in) == 0 ? find_segments(in) : -1);
}

struct input *input_open_bytes(struct trace *trace, const struct tlog_bytes *bytes)
{
    struct input *in = new_input(trace, bytes->name, -1);
    if (in == NULL)
        return NULL;
    in->bytes = *bytes;
    in->size = bytes->size;
    return begin(in);
}

struct input *input_open_spooled(struct trace *trace, const char *name, int fd)
{
    struct input *in = input_adopt(trace, name, fd);
    return in != NULL ? begin(in) : NULL;
}

int input_append(struct input *first, const char *path)
{
    struct input *in = input_open_path(first->trace, path);
    while (first->next != NULL)
        first = first->next;
    first->next = in;
    return in != NULL ? input_complete(in) : -1;
}

struct input *input_next(const struct input *in)
{
    return in->next;
}

const char *input_name(const struct input *in)
{
    return in->name;
}

int input_directory(const struct input *in)
{
    return in->directory ? in->fd : -1;
}

void input_close(struct input *in)
{
    while (in != NULL) {
        struct input *next = in->next;
        close_pipe(in);
        close_own(in);
        heap_free(in->gaps);
        heap_free(in->segments);
        heap_free(in->kept);
        heap_free(in);
        in = next;
    }
}

void input_keep(struct input *in, void *memory)
{
    heap_free(in->kept);
    in->kept = memory;
}

void *input_kept(const struct input *in)
{
    return in->kept;
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

bool input_address(const struct input *in, uint64_t offset, uint64_t *address)
{
    return segments_address(in->segments, in->nsegments, offset, address);
}

bool input_offset(const struct input *in, uint64_t address, uint64_t *offset)
{
    return segments_offset(in->segments, in->nsegments, address, offset);
}

/* ---- reading ---------------------------------------------------------------------------------------------------- */

void input_begin_reading(struct input *in)
{
    memset(in->is_read, 0, sizeof in->is_read);
}

/* Tell of each part of the input that is read for the first time in this reading. */
static void tell_progress(struct input *in, uint64_t offset, size_t n)
{
    uint64_t part = in->size / PARTS + 1u;
    for (uint64_t i = offset / part; n > 0 && i <= (offset + n - 1u) / part; i++) {
        if (!in->is_read[i])
            trace_progress(in->trace, part, 0);
        in->is_read[i] = true;
    }
}

static size_t at_most(size_t size, uint64_t limit)
{
    return size > limit ? (size_t)limit : size;
}

/* Read bytes that the input has. Returns how many; if that is fewer, *error is why: 0 at the end. */
static size_t get(const struct input *in, uint64_t offset, void *to, size_t size, int *error)
{
    *error = 0;
    return in->bytes.read != NULL ? in->bytes.read(in->bytes.ctx, offset, to, size)
                                  : os_read_at(in->fd, in->start + offset, to, size, error);
}

/* Read size bytes that the input has, past the windows. Returns how many: fewer mean that reading failed or that the
 * file was cut meanwhile; then the input ends there from now on. */
static size_t read_at(struct input *in, uint64_t offset, unsigned char *to, size_t size)
{
    int error;
    size_t done = get(in, offset, to, size, &error);
    if (done < size) {
        trace_fail_at(in->trace, in->name, offset + done, "%s",
                      in->bytes.read != NULL ? "could not be read"
                      : error != 0           ? strerror(error)
                                             : "the file became shorter while it was read");
        in->size = offset + done;
    }
    tell_progress(in, offset, done);
    return done;
}

/* Copy bytes at offset from the window that offset is in, which is filled first if it has other bytes. Returns how
 * many: fewer than size if the window ends before. */
static size_t read_window(struct input *in, uint64_t offset, unsigned char *to, size_t size)
{
    struct window *window = &in->windows[offset / WINDOW_BYTES % WINDOWS];
    uint64_t first = offset & ~(uint64_t)(WINDOW_BYTES - 1u);
    size_t skip = (size_t)(offset - first);
    if (window->n == 0 || window->at != first) {
        window->at = first;
        window->n = read_at(in, first, window->bytes, at_most(WINDOW_BYTES, in->size - first));
    }
    if (skip >= window->n)
        return 0;
    size = at_most(size, window->n - skip);
    memcpy(to, window->bytes + skip, size);
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

size_t input_peek(const struct input *in, uint64_t offset, void *buffer, size_t size)
{
    int error;
    return offset < in->size ? get(in, offset, buffer, at_most(size, in->size - offset), &error) : 0;
}

/* What was found from an offset on; the input's end if there is nothing. other: what it is if the file system knows no
 * holes. */
static uint64_t found_from(const struct input *in, uint64_t at, int64_t found, uint64_t other)
{
    if (found < 0)
        return errno == ENXIO ? in->size : other;
    return (uint64_t)found < in->start ? at : (uint64_t)found - in->start;
}

uint64_t input_data_from(const struct input *in, uint64_t at)
{
    if (at < in->size && in->bytes.read != NULL)
        return at;
    return at < in->size ? found_from(in, at, os_data_from(in->fd, in->start + at), at) : in->size;
}

uint64_t input_hole_from(const struct input *in, uint64_t at)
{
    if (in->bytes.read != NULL)
        return in->size;
    return at < in->size ? found_from(in, at, os_hole_from(in->fd, in->start + at), in->size) : in->size;
}

/* input_read() as struct cursor wants it. */
static size_t read_for_cursor(void *file, uint64_t at, void *to, size_t size)
{
    return input_read(file, at, to, size);
}

struct cursor input_cursor(struct input *in, uint64_t from, uint64_t end, bool big)
{
    return (struct cursor){.read = read_for_cursor, .file = in, .at = from, .end = end, .big = big};
}
