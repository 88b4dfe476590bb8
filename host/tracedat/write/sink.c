/* sink.c - see sink.h. Pages as they are lie in the file where they lie in the buffers, so stretches
 * may share a buffer; a stretch that is compressed begins in a buffer of its own. */
#define _FILE_OFFSET_BITS 64

#include "tracedat/write/sink.h"
#include "model/module.h"

#include <stdlib.h>
#include <string.h>

#include "io/write_behind.h"
#include "tracedat/write/file.h"
#include "tracedat/write/compress.h"
#include "tracedat/write/text.h"

enum {
    BUFFER_SIZE = 1 << 20, /* of pages as they are; 16 of the largest */
    CHUNK_SIZE = 1 << 18,  /* larger ones become no smaller; readers keep whole chunks */
    COUNT_SIZE = 4,        /* of chunks, in front of them */
};

struct dat_sink {
    struct trace *trace;
    const struct trace_options *options;
    int fd;
    uint64_t offset;         /* of the buffer, or of the stretch that is compressed */
    struct write_behind *behind;   /* or NULL: compressed */
    struct squeeze *squeeze; /* or NULL: as they are */
    unsigned char *buffer;   /* the one being filled, of these: */
    unsigned char *buffers[2];
};

static int written(struct dat_sink *sink, int error)
{
    return error ? trace_fail(sink->trace, "cannot write: %s", strerror(error)) : 0;
}

static bool start(struct dat_sink *sink)
{
    const struct trace_options *options = sink->options;

    if (options->compression != TRACE_COMPRESS_NONE) {
        sink->squeeze = squeeze_start(sink->fd, options->compression, CHUNK_SIZE, options->big_endian);
        return sink->squeeze != NULL;
    }
    sink->buffers[0] = malloc(BUFFER_SIZE);
    sink->buffers[1] = malloc(BUFFER_SIZE);
    sink->buffer = sink->buffers[0];
    sink->behind = write_behind_start(sink->fd);
    return sink->buffers[0] && sink->buffers[1] && sink->behind;
}

struct dat_sink *dat_sink_open(struct trace *trace, const struct trace_options *options, int fd, uint64_t offset)
{
    struct dat_sink *sink = calloc(1, sizeof *sink);

    if (!sink)
        return NULL;
    sink->trace = trace;
    sink->options = options;
    sink->fd = fd;
    sink->offset = offset;
    if (start(sink))
        return sink;
    dat_sink_free(sink);
    return NULL;
}

void dat_sink_free(struct dat_sink *sink)
{
    if (!sink)
        return;
    write_behind_end(sink->behind);
    squeeze_end(sink->squeeze);
    free(sink->buffers[0]);
    free(sink->buffers[1]);
    free(sink);
}

unsigned char *dat_sink_buffer(struct dat_sink *sink, size_t *room)
{
    *room = sink->squeeze ? CHUNK_SIZE : BUFFER_SIZE;
    return sink->squeeze ? squeeze_buffer(sink->squeeze) : sink->buffer;
}

int dat_sink_write(struct dat_sink *sink, size_t filled)
{
    int error;

    if (sink->squeeze)
        return filled ? written(sink, squeeze_give(sink->squeeze, filled)) : 0;
    error = write_behind_put(sink->behind, sink->buffer, filled, sink->offset);
    sink->offset += filled;
    sink->buffer = sink->buffers[sink->buffer == sink->buffers[0]];
    return written(sink, error);
}

uint64_t dat_sink_begin(struct dat_sink *sink, size_t filled)
{
    if (sink->squeeze)
        squeeze_seek(sink->squeeze, sink->offset + COUNT_SIZE);
    return sink->squeeze ? sink->offset : sink->offset + filled;
}

/* The size of a stretch does not count the number of its chunks: so it is in files of trace-cmd. */
static int end_squeezed(struct dat_sink *sink, size_t *filled, uint64_t *size)
{
    uint64_t page = dat_page_size(sink->options);
    unsigned char count[COUNT_SIZE];
    uint32_t chunks;
    uint64_t end;

    if (dat_sink_write(sink, *filled) || written(sink, squeeze_wait(sink->squeeze, &end, &chunks)))
        return -1;
    dat_put(sink->options->big_endian, count, chunks, COUNT_SIZE);
    *size = end - sink->offset - COUNT_SIZE;
    *filled = 0;
    if (written(sink, write_at(sink->fd, count, COUNT_SIZE, sink->offset)))
        return -1;
    sink->offset = (end + page - 1) / page * page;
    return 0;
}

int dat_sink_end(struct dat_sink *sink, uint64_t begin, size_t *filled, uint64_t *size)
{
    if (sink->squeeze)
        return end_squeezed(sink, filled, size);
    *size = sink->offset + *filled - begin;
    return 0;
}

int dat_sink_finish(struct dat_sink *sink, size_t filled, uint64_t *end)
{
    if (!sink->squeeze && (dat_sink_write(sink, filled) || written(sink, write_behind_wait(sink->behind))))
        return -1;
    *end = sink->offset;
    return 0;
}
