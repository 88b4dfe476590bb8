/* unpack.c - see unpack.h. Memory does not grow with what is decompressed, but with the window of zstd: up to 32 MiB,
 * or four times the input. */
#include "io/unpack.h"

#include "io/temp_file.h"
#include "io/write_behind.h"
#include "model/progress.h"
#include "model/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>
#include <zstd.h>

#define PIECE         65536u
#define BUDGET_LEAST  ((uint64_t)256u << 20)
#define BUDGET_FACTOR 64u

enum { WINDOW_LOG = 25, WINDOW_LOG_MOST = 31 };
enum { TAR_HEADER = 512, TAR_SUM = 148, TAR_SUM_BYTES = 8 };

struct unpacking {
    struct trace *trace;
    const struct packed_file *file;
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
static bool read_piece(struct unpacking *unpacking)
{
    const struct packed_file *file = unpacking->file;
    uint64_t left = file->size - unpacking->at;
    ssize_t n;
    do {
        n = pread(file->fd, unpacking->in, left < PIECE ? (size_t)left : PIECE, file->start + (off_t)unpacking->at);
    } while (n < 0 && errno == EINTR);
    if (n < 0)
        trace_fail(unpacking->trace, "%s: offset 0x%" PRIx64 ": %s", file->name, unpacking->at, strerror(errno));
    unpacking->used = 0;
    unpacking->n = n > 0 ? (size_t)n : 0;
    unpacking->at += unpacking->n;
    progress_bytes(unpacking->n);
    return n > 0;
}

/* Bytes that came out. Behind a member there may be zeros, which fill up a block of a tape or a disk. */
static size_t inflate_some(struct unpacking *unpacking)
{
    z_stream *gzip = &unpacking->gzip;
    int result;
    while (!unpacking->is_inside && unpacking->used < unpacking->n && unpacking->in[unpacking->used] == 0)
        unpacking->used++;
    if (!unpacking->is_inside && unpacking->used == unpacking->n)
        return 0;
    gzip->next_in = unpacking->in + unpacking->used;
    gzip->avail_in = (uInt)(unpacking->n - unpacking->used);
    gzip->next_out = unpacking->out;
    gzip->avail_out = PIECE;
    result = inflate(gzip, Z_NO_FLUSH);
    unpacking->used = unpacking->n - gzip->avail_in;
    unpacking->is_inside = result != Z_STREAM_END;
    if (result == Z_STREAM_END)
        inflateReset(gzip);
    else if (result != Z_OK && result != Z_BUF_ERROR)
        unpacking->why = gzip->msg != NULL ? gzip->msg : "not valid";
    return PIECE - gzip->avail_out;
}

static size_t decompress_some(struct unpacking *unpacking)
{
    ZSTD_inBuffer in = {unpacking->in, unpacking->n, unpacking->used};
    ZSTD_outBuffer out = {unpacking->out, PIECE, 0};
    size_t result;
    if (!unpacking->is_inside && unpacking->used == unpacking->n)
        return 0;
    result = ZSTD_decompressStream(unpacking->zstd, &out, &in);
    unpacking->used = in.pos;
    unpacking->is_inside = result != 0;
    if (ZSTD_isError(result))
        unpacking->why = ZSTD_getErrorName(result);
    return out.pos;
}

/* Decompress the next bytes into out. Returns how many: 0 at the end, where `why` is told, and after trace_fail(). */
static size_t next_bytes(struct unpacking *unpacking)
{
    while (unpacking->why == NULL) {
        size_t made = unpacking->is_zstd ? decompress_some(unpacking) : inflate_some(unpacking);
        if (made > 0)
            return made;
        if (unpacking->used < unpacking->n || unpacking->why != NULL)
            continue;
        if (!read_piece(unpacking)) {
            unpacking->why = unpacking->is_inside ? "cut short" : NULL;
            return 0;
        }
    }
    return 0;
}

/* ---- beginning --------------------------------------------------------------------------------------------------- */

/* Whether the bytes are compressed, and how. */
static bool is_packed(struct unpacking *unpacking)
{
    const unsigned char *in = unpacking->in;
    if (!read_piece(unpacking) || unpacking->n < 4)
        return false;
    unpacking->is_zstd = memcmp(in, "\x28\xB5\x2F\xFD", 4) == 0;
    return unpacking->is_zstd || (in[0] == 0x1F && in[1] == 0x8B && in[2] == 8 && in[3] < 0x20);
}

/* 0, or -1 after trace_fail(). */
static int open_stream(struct unpacking *unpacking)
{
    int log = WINDOW_LOG;
    while (log < WINDOW_LOG_MOST && (uint64_t)2u << log <= 4u * unpacking->file->size)
        log++;
    if (unpacking->is_zstd)
        unpacking->zstd = ZSTD_createDStream();
    unpacking->is_open = unpacking->is_zstd
                             ? unpacking->zstd != NULL
                                   && !ZSTD_isError(ZSTD_DCtx_setParameter(unpacking->zstd, ZSTD_d_windowLogMax, log))
                             : inflateInit2(&unpacking->gzip, 15 + 16) == Z_OK;
    return unpacking->is_open ? 0 : trace_fail(unpacking->trace, "%s: no memory to decompress", unpacking->file->name);
}

static void close_stream(struct unpacking *unpacking)
{
    if (unpacking->is_open && !unpacking->is_zstd)
        inflateEnd(&unpacking->gzip);
    ZSTD_freeDStream(unpacking->zstd);
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

/* ---- unpacking --------------------------------------------------------------------------------------------------- */

static uint64_t budget_of(const struct unpacking *unpacking)
{
    uint64_t size = unpacking->file->size,
             usual = size > UINT64_MAX / BUDGET_FACTOR ? UINT64_MAX : size * BUDGET_FACTOR;
    if (unpacking->trace->unpack_most != 0)
        return unpacking->trace->unpack_most;
    return usual > BUDGET_LEAST ? usual : BUDGET_LEAST;
}

/* Write what is in out, and all that follows. Returns how many bytes, 0 after trace_fail(). */
static uint64_t write_all(struct unpacking *unpacking, int temporary, size_t made)
{
    uint64_t total = 0, budget = budget_of(unpacking);
    const char *name = unpacking->file->name;
    for (; made > 0; made = next_bytes(unpacking)) {
        int error = total + made <= budget ? write_at(temporary, unpacking->out, made, total) : 0;
        if (error != 0)
            trace_fail(unpacking->trace, "%s: cannot spool to %s: %s", name, temp_file_directory(), strerror(error));
        else if (total + made > budget)
            trace_fail(unpacking->trace, "%s: it unpacks to more than %" PRIu64 " MiB, which --unpack=MIB raises", name,
                       budget >> 20);
        if (unpacking->trace->failed)
            return 0;
        total += made;
    }
    return unpacking->trace->failed ? 0 : total;
}

/* The end: tell what is damaged. 0, or -1 after trace_fail(). */
static int finish(struct unpacking *unpacking, uint64_t total)
{
    uint64_t at = unpacking->at - (unpacking->n - unpacking->used);
    const char *method = unpacking->is_zstd ? "zstd" : "gzip";
    if (unpacking->trace->failed)
        return -1;
    if (unpacking->why != NULL && total == 0)
        return trace_fail(unpacking->trace, "%s: offset 0x%" PRIx64 ": %s: %s: nothing could be decompressed",
                          unpacking->file->name, at, method, unpacking->why);
    if (unpacking->why != NULL)
        trace_damage(unpacking->trace, at, unpacking->file->size - at, 0, "%s: %s", method, unpacking->why);
    return 0;
}

static int unpack_all(struct unpacking *unpacking, int *temporary)
{
    size_t made = next_bytes(unpacking);
    if (is_tar(unpacking->out, made))
        return 0;
    *temporary = unpacking->trace->failed ? -1 : temp_file_open(unpacking->trace, unpacking->file->name);
    if (*temporary < 0)
        return -1;
    if (finish(unpacking, write_all(unpacking, *temporary, made)) == 0)
        return 1;
    close(*temporary);
    return -1;
}

int unpack(struct trace *trace, const struct packed_file *file, int *temporary)
{
    struct unpacking *unpacking = calloc(1, sizeof *unpacking);
    int result = 0;
    if (unpacking == NULL)
        return trace_fail(trace, "%s: no memory", file->name);
    unpacking->trace = trace;
    unpacking->file = file;
    if (is_packed(unpacking))
        result = open_stream(unpacking) == 0 ? unpack_all(unpacking, temporary) : -1;
    else if (trace->failed)
        result = -1;
    close_stream(unpacking);
    free(unpacking);
    return result;
}
