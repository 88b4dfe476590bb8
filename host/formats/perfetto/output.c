/* output.c - see output.h. */
#include "formats/perfetto/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum {
    BUFFER_BYTES = 1 << 20,
    PACKED_BYTES = 1 << 16,
    GZIP_BITS = 15 + 16, /* the largest window, and gzip's header */
    GZIP_MEMORY = 8,     /* zlib's default */
};

struct perfetto_file {
    struct trace *trace;
    int fd;
    bool gzip;
    z_stream stream; /* with gzip */
    unsigned char buffer[BUFFER_BYTES];
    unsigned char packed[PACKED_BYTES];
};

bool perfetto_output_open(struct perfetto_output *output, struct trace *trace, int fd, bool gzip)
{
    struct perfetto_file *file = malloc(sizeof *file);
    if (file == NULL)
        return trace_fail(trace, "no memory for the output buffer") == 0;
    memset(&file->stream, 0, sizeof file->stream);
    /* The fastest level: packets are small already, and the next levels take twice the time to save a tenth. */
    if (gzip
        && deflateInit2(&file->stream, Z_BEST_SPEED, Z_DEFLATED, GZIP_BITS, GZIP_MEMORY, Z_DEFAULT_STRATEGY) != Z_OK) {
        free(file);
        return trace_fail(trace, "no memory for compressing") == 0;
    }
    file->trace = trace;
    file->fd = fd;
    file->gzip = gzip;
    *output = (struct perfetto_output){file->buffer, file->buffer + BUFFER_BYTES, file};
    return true;
}

/* 0, or -1 after trace_fail(). */
static int write_bytes(struct perfetto_file *file, const unsigned char *from, size_t size)
{
    while (size > 0) {
        ssize_t n = write(file->fd, from, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return trace_fail(file->trace, "cannot write: %s", strerror(errno));
        from += n;
        size -= (size_t)n;
    }
    return 0;
}

/* Compress the bytes and write the result; with Z_FINISH also what zlib still holds. 0, or -1 after trace_fail(). */
static int write_packed(struct perfetto_file *file, unsigned char *from, size_t size, int how)
{
    z_stream *stream = &file->stream;
    stream->next_in = from;
    stream->avail_in = (uInt)size;
    do {
        stream->next_out = file->packed;
        stream->avail_out = PACKED_BYTES;
        deflate(stream, how);
        if (write_bytes(file, file->packed, PACKED_BYTES - stream->avail_out) != 0)
            return -1;
    } while (stream->avail_out == 0);
    return 0;
}

/* Write what is in the buffer. 0, or -1 after trace_fail(). */
static int write_buffer(struct perfetto_output *output, int how)
{
    struct perfetto_file *file = output->file;
    size_t size = (size_t)(output->at - file->buffer);
    output->at = file->buffer;
    return file->gzip ? write_packed(file, file->buffer, size, how) : write_bytes(file, file->buffer, size);
}

int perfetto_output_flush(struct perfetto_output *output, size_t bytes)
{
    if (write_buffer(output, Z_NO_FLUSH) != 0)
        return -1;
    if (bytes > BUFFER_BYTES)
        return trace_fail(output->file->trace, "an event needs a packet of up to %zu bytes", bytes);
    return 0;
}

int perfetto_output_finish(struct perfetto_output *output)
{
    return write_buffer(output, Z_FINISH);
}

void perfetto_output_free(struct perfetto_output *output)
{
    if (output->file != NULL && output->file->gzip)
        deflateEnd(&output->file->stream);
    free(output->file);
    output->file = NULL;
}
