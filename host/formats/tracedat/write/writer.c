/* writer.c - see writer.h. */
#define _POSIX_C_SOURCE   200809L
#define _FILE_OFFSET_BITS 64

#include "formats/tracedat/write/writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/write_behind.h"
#include "formats/tracedat/write/layout.h"

enum {
    MORE_ROOM = 16384,   /* bytes for names and types that come later, beside a quarter of what is known */
    ROOM_PER_CPU = 512,  /* bytes for its counts and its place */
    MOVE_SIZE = 1 << 20, /* bytes that are moved at once */
};

/* ---- the file ---------------------------------------------------------------------------------------------------- */

struct tracedat_writer *tracedat_writer_open(struct trace *trace, const struct trace_options *options, int fd,
                                             uint64_t offset)
{
    /* Without a frequency ticks cannot become ns, which the time of day is counted in. */
    bool timeless = (options->given & TRACE_OPTION_START_TIME) && trace->clock_hz == 0;
    struct tracedat_writer *writer = timeless ? NULL : calloc(1, sizeof *writer);
    if (timeless)
        trace_fail(trace, "the clock's frequency is not known, so --start-time has no meaning; --clock-hz=N tells it");
    if (writer == NULL) {
        trace_fail(trace, "no memory for writing trace.dat");
        return NULL;
    }
    writer->trace = trace;
    writer->options = options;
    writer->fd = fd;
    writer->ncpus = trace->ncpus;
    writer->piece.big_endian = options->big_endian;
    if (offset == 0) /* the file has text in the place of pages */
        return writer;
    writer->pages = tracedat_pages_open(trace, options, fd, offset);
    if (writer->pages != NULL && options->instances && trace->ngroups > 0)
        writer->instances = tracedat_instances_open(trace, options, fd);
    if (writer->pages != NULL && !trace->failed) /* trace_fail() tells of instances that could not be made */
        return writer;
    tracedat_writer_free(writer);
    return NULL;
}

int tracedat_writer_write(void *state, unsigned cpu, const struct trace_batch *batch)
{
    struct tracedat_writer *writer = state;
    if (writer->instances != NULL)
        return tracedat_instances_write(writer->instances, writer->pages, cpu, batch);
    return tracedat_pages_write(writer->pages, cpu, batch);
}

int tracedat_writer_finish_pages(struct tracedat_writer *writer, uint64_t *top, uint64_t *end)
{
    if (tracedat_pages_finish(writer->pages, top) != 0)
        return -1;
    *end = *top;
    return writer->instances != NULL ? tracedat_instances_finish(writer->instances, end) : 0;
}

void tracedat_writer_free(struct tracedat_writer *writer)
{
    if (writer->pages != NULL)
        tracedat_pages_free(writer->pages);
    tracedat_instances_free(writer->instances);
    free(writer->piece.bytes);
    free(writer);
}

int tracedat_writer_put(struct tracedat_writer *writer, const void *bytes, size_t size, uint64_t offset)
{
    int error = write_at(writer->fd, bytes, size, offset);
    return error != 0 ? trace_fail(writer->trace, "cannot write: %s", strerror(error)) : 0;
}

uint64_t tracedat_head_room(const struct trace *trace, const struct trace_options *options, uint64_t size)
{
    return tracedat_whole_pages(options, size + size / 4 + MORE_ROOM + trace->ncpus * (uint64_t)ROOM_PER_CPU);
}

/* ---- moving ------------------------------------------------------------------------------------------------------ */

/* Read exactly size bytes of the file, which were written before. 0, or -1 after trace_fail(). */
static int read_back(struct tracedat_writer *writer, unsigned char *to, size_t size, uint64_t offset)
{
    while (size > 0) {
        ssize_t n = pread(writer->fd, to, size, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return trace_fail(writer->trace, "cannot read back: %s", n < 0 ? strerror(errno) : "the file is shorter");
        to += n;
        size -= (size_t)n;
        offset += (uint64_t)n;
    }
    return 0;
}

/* The last bytes are moved first, because old and new places overlap. */
int tracedat_writer_move(struct tracedat_writer *writer, uint64_t first, uint64_t end, uint64_t shift)
{
    unsigned char *memory = malloc(MOVE_SIZE);
    int result = memory != NULL ? 0 : trace_fail(writer->trace, "no memory for moving pages");
    while (result == 0 && end > first) {
        size_t size = end - first < MOVE_SIZE ? (size_t)(end - first) : MOVE_SIZE;
        end -= size;
        result = read_back(writer, memory, size, end);
        if (result == 0)
            result = tracedat_writer_put(writer, memory, size, end + shift);
    }
    free(memory);
    return result;
}
