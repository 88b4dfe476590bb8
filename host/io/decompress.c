/* decompress.c - see decompress.h. Memory does not grow with what is decompressed. The window of zstd takes up to 32
 * MiB, or four times the input if that is more. */
#include "io/decompress.h"

#include "base/heap.h"
#include "io/temp_file.h"
#include "model/trace.h"
#include "os/os_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>
#include <zstd.h>

#define PIECE         65536u
#define BUDGET_LEAST  ((uint64_t)256u << 20)
#define BUDGET_FACTOR 64u

enum { WINDOW_LOG_LEAST = 10, WINDOW_LOG = 25, WINDOW_LOG_MOST = 31 };
enum { TAR_HEADER = 512, TAR_SUM = 148, TAR_SUM_BYTES = 8 };

struct compressed {
    struct trace *trace;
    const struct compressed_file *file;
    uint64_t at;    /* offset in the input behind the bytes that are read */
    size_t n, used; /* bytes in `in`, and how many of them are decompressed */
    bool is_zstd, is_open;
    bool is_inside;  /* of a member, whose end is still to come */
    const char *why; /* decompressing stopped because of this; NULL: it has not, or at the end */
    z_stream gzip;
    ZSTD_DStream *zstd;
    unsigned char in[PIECE], out[PIECE];
};

/* ---- pieces ------------------------------------------------------------------------------------------------------ */

/* Read the next piece. False at the end, and after trace_fail(). */
static bool read_piece(struct compressed *stream)
{
    const struct cursor *bytes = &stream->file->bytes;
    uint64_t left = bytes->end - stream->at;
    stream->used = 0;
    stream->n = bytes->read(bytes->file, stream->at, stream->in, left < PIECE ? (size_t)left : PIECE);
    stream->at += stream->n;
    return stream->n > 0 && !stream->trace->failed;
}

/* Bytes that came out. Behind a member there may be zeros, which fill up a block of a tape or a disk. */
static size_t decompress_gzip(struct compressed *stream)
{
    z_stream *gzip = &stream->gzip;
    int result;
    while (!stream->is_inside && stream->used < stream->n && stream->in[stream->used] == 0)
        stream->used++;
    if (!stream->is_inside && stream->used == stream->n)
        return 0;
    gzip->next_in = stream->in + stream->used;
    gzip->avail_in = (uInt)(stream->n - stream->used);
    gzip->next_out = stream->out;
    gzip->avail_out = PIECE;
    result = inflate(gzip, Z_NO_FLUSH);
    stream->used = stream->n - gzip->avail_in;
    stream->is_inside = result != Z_STREAM_END;
    if (result == Z_STREAM_END)
        inflateReset(gzip);
    else if (result != Z_OK && result != Z_BUF_ERROR)
        stream->why = gzip->msg != NULL ? gzip->msg : "not valid";
    return PIECE - gzip->avail_out;
}

static size_t decompress_zstd(struct compressed *stream)
{
    ZSTD_inBuffer in = {stream->in, stream->n, stream->used};
    ZSTD_outBuffer out = {stream->out, PIECE, 0};
    size_t result;
    if (!stream->is_inside && stream->used == stream->n)
        return 0;
    result = ZSTD_decompressStream(stream->zstd, &out, &in);
    stream->used = in.pos;
    stream->is_inside = result != 0;
    if (ZSTD_isError(result))
        stream->why = ZSTD_getErrorName(result);
    return out.pos;
}

/* Decompress the next bytes into out. Returns how many: 0 at the end, where `why` is told, and after trace_fail(). */
static size_t next_bytes(struct compressed *stream)
{
    while (stream->why == NULL) {
        size_t made = stream->is_zstd ? decompress_zstd(stream) : decompress_gzip(stream);
        if (made > 0)
            return made;
        if (stream->used < stream->n || stream->why != NULL)
            continue;
        if (!read_piece(stream)) {
            stream->why = stream->is_inside ? "cut short" : NULL;
            return 0;
        }
    }
    return 0;
}

/* ---- beginning --------------------------------------------------------------------------------------------------- */

/* Whether the bytes are compressed, and how. */
static bool is_compressed(struct compressed *stream)
{
    const unsigned char *in = stream->in;
    if (!read_piece(stream) || stream->n < 4)
        return false;
    stream->is_zstd = memcmp(in, "\x28\xB5\x2F\xFD", 4) == 0;
    return stream->is_zstd || (in[0] == 0x1F && in[1] == 0x8B && in[2] == 8 && in[3] < 0x20);
}

/* 0, or -1 after trace_fail(). */
static int open_stream(struct compressed *stream)
{
    int log = WINDOW_LOG;
    while (log < WINDOW_LOG_MOST && (uint64_t)2u << log <= 4u * stream->file->bytes.end)
        log++;
    while (log > WINDOW_LOG_LEAST && (uint64_t)1u << log > heap_left())
        log--;
    if (stream->is_zstd)
        stream->zstd = ZSTD_createDStream();
    stream->is_open =
        stream->is_zstd
            ? stream->zstd != NULL && !ZSTD_isError(ZSTD_DCtx_setParameter(stream->zstd, ZSTD_d_windowLogMax, log))
            : inflateInit2(&stream->gzip, 15 + 16) == Z_OK;
    return stream->is_open ? 0 : trace_fail(stream->trace, "%s: no memory to decompress", stream->file->name);
}

static void close_stream(struct compressed *stream)
{
    if (stream->is_open && !stream->is_zstd)
        inflateEnd(&stream->gzip);
    ZSTD_freeDStream(stream->zstd);
}

/* Whether bytes begin as a tar archive does: its header has its own sum, in octal. */
static bool is_tar(const unsigned char *bytes, size_t n)
{
    char digits[TAR_SUM_BYTES + 1] = "";
    unsigned long sum = 0;
    if (n < TAR_HEADER || bytes[0] == '\0')
        return false;
    for (unsigned i = 0; i < TAR_HEADER; i++)
        sum += i >= TAR_SUM && i < TAR_SUM + TAR_SUM_BYTES ? ' ' : bytes[i];
    memcpy(digits, bytes + TAR_SUM, TAR_SUM_BYTES);
    return strtoul(digits, NULL, 8) == sum;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static uint64_t budget_of(const struct compressed *stream)
{
    uint64_t size = stream->file->bytes.end,
             usual = size > UINT64_MAX / BUDGET_FACTOR ? UINT64_MAX : size * BUDGET_FACTOR;
    if (stream->trace->unpack_most != 0)
        return stream->trace->unpack_most;
    return usual > BUDGET_LEAST ? usual : BUDGET_LEAST;
}

/* Write what is in out, and what follows: all, or enough. Returns how many bytes, 0 after trace_fail(). */
static uint64_t write_all(struct compressed *stream, int temporary, size_t made)
{
    uint64_t total = 0, budget = budget_of(stream), enough = stream->file->enough;
    const char *name = stream->file->name;
    for (; made > 0 && (enough == 0 || total < enough); made = next_bytes(stream)) {
        int error = total + made <= budget ? os_write_at(temporary, stream->out, made, total) : 0;
        if (error != 0)
            trace_fail(stream->trace, "%s: cannot spool to %s: %s", name, os_temporary_directory(), strerror(error));
        else if (total + made > budget)
            trace_fail(stream->trace, "%s: it unpacks to more than %" PRIu64 " MiB, which --unpack=MIB raises", name,
                       budget >> 20);
        if (stream->trace->failed)
            return 0;
        total += made;
    }
    return stream->trace->failed ? 0 : total;
}

/* The end: tell what is damaged. 0, or -1 after trace_fail(). */
static int finish(struct compressed *stream, uint64_t total)
{
    uint64_t at = stream->at - (stream->n - stream->used);
    const char *method = stream->is_zstd ? "zstd" : "gzip";
    if (stream->trace->failed)
        return -1;
    if (stream->why != NULL && total == 0)
        return trace_fail_at(stream->trace, stream->file->name, at, "%s: %s: nothing could be decompressed", method,
                             stream->why);
    if (stream->why != NULL && stream->file->enough == 0)
        trace_damage(stream->trace, at, stream->file->bytes.end - at, 0, "%s: %s", method, stream->why);
    return 0;
}

static int decompress_all(struct compressed *stream, int *temporary)
{
    size_t made = next_bytes(stream);
    if (is_tar(stream->out, made))
        return 0;
    *temporary = stream->trace->failed ? -1 : temp_file_open(stream->trace, stream->file->name);
    if (*temporary < 0)
        return -1;
    if (finish(stream, write_all(stream, *temporary, made)) == 0)
        return 1;
    os_close(*temporary);
    return -1;
}

int decompress(struct trace *trace, const struct compressed_file *file, int *temporary)
{
    struct compressed *stream = heap_calloc(1, sizeof *stream);
    int result = 0;
    if (stream == NULL)
        return trace_fail(trace, "%s: no memory", file->name);
    stream->trace = trace;
    stream->file = file;
    if (is_compressed(stream))
        result = open_stream(stream) == 0 ? decompress_all(stream, temporary) : -1;
    else if (trace->failed)
        result = -1;
    close_stream(stream);
    heap_free(stream);
    return result;
}

const char *decompress_block(bool is_zstd, const void *from, size_t size, void *to, size_t to_size)
{
    static const char *const damaged = "its compressed bytes are damaged";
    uLongf done = (uLongf)to_size;
    size_t result;
    if (!is_zstd && zlibVersion()[0] == '\0')
        return "this program was built without zlib";
    if (!is_zstd)
        return uncompress(to, &done, from, (uLong)size) == Z_OK && done == to_size ? NULL : damaged;
    result = ZSTD_decompress(to, to_size, from, size);
    return ZSTD_isError(result) ? ZSTD_getErrorName(result) : result == to_size ? NULL : damaged;
}
