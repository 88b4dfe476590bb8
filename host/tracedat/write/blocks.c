/* sink.c - see sink.h. Pages as they are lie in the file where they lie in the buffers, so stretches
 * may share a buffer; a stretch that is compressed begins in a buffer of its own. */
#define _FILE_OFFSET_BITS 64

#include "tracedat/write/blocks.h"
#include "model/module.h"

#include <stdlib.h>
#include <string.h>

#include "io/behind.h"
#include "tracedat/write/file.h"
#include "tracedat/write/compress.h"
#include "tracedat/write/piece.h"

enum {
    BUFFER_SIZE = 1 << 20, /* of pages as they are; 16 of the largest */
    CHUNK_SIZE = 1 << 18,  /* larger ones become no smaller; readers keep whole chunks */
    COUNT_SIZE = 4,        /* of chunks, in front of them */
};

struct tracedat_blocks {
    struct trace *trace;
    const struct trace_options *options;
    int fd;
    uint64_t offset;         /* of the buffer, or of the stretch that is compressed */
    struct behind *behind;   /* or NULL: compressed */
    struct tracedat_compressor *compressor; /* or NULL: as they are */
    unsigned char *buffer;   /* the one being filled, of these: */
    unsigned char *buffers[2];
};

static int written(struct tracedat_blocks *blocks, int error)
{
    return error ? trace_fail(blocks->trace, "cannot write: %s", strerror(error)) : 0;
}

static bool start(struct tracedat_blocks *blocks)
{
    const struct trace_options *options = blocks->options;

    if (options->compression != TRACE_COMPRESS_NONE) {
        blocks->compressor = tracedat_compressor_start(blocks->fd, options->compression, CHUNK_SIZE, options->big_endian);
        return blocks->compressor != NULL;
    }
    blocks->buffers[0] = malloc(BUFFER_SIZE);
    blocks->buffers[1] = malloc(BUFFER_SIZE);
    blocks->buffer = blocks->buffers[0];
    blocks->behind = behind_start(blocks->fd);
    return blocks->buffers[0] && blocks->buffers[1] && blocks->behind;
}

struct tracedat_blocks *tracedat_blocks_open(struct trace *trace, const struct trace_options *options, int fd, uint64_t offset)
{
    struct tracedat_blocks *blocks = calloc(1, sizeof *blocks);

    if (!blocks)
        return NULL;
    blocks->trace = trace;
    blocks->options = options;
    blocks->fd = fd;
    blocks->offset = offset;
    if (start(blocks))
        return blocks;
    tracedat_blocks_free(blocks);
    return NULL;
}

void tracedat_blocks_free(struct tracedat_blocks *blocks)
{
    if (!blocks)
        return;
    behind_end(blocks->behind);
    tracedat_compressor_end(blocks->compressor);
    free(blocks->buffers[0]);
    free(blocks->buffers[1]);
    free(blocks);
}

unsigned char *tracedat_blocks_next(struct tracedat_blocks *blocks, size_t *room)
{
    *room = blocks->compressor ? CHUNK_SIZE : BUFFER_SIZE;
    return blocks->compressor ? tracedat_compressor_block(blocks->compressor) : blocks->buffer;
}

int tracedat_blocks_write(struct tracedat_blocks *blocks, size_t filled)
{
    int error;

    if (blocks->compressor)
        return filled ? written(blocks, tracedat_compressor_give(blocks->compressor, filled)) : 0;
    error = behind_write(blocks->behind, blocks->buffer, filled, blocks->offset);
    blocks->offset += filled;
    blocks->buffer = blocks->buffers[blocks->buffer == blocks->buffers[0]];
    return written(blocks, error);
}

uint64_t tracedat_blocks_begin(struct tracedat_blocks *blocks, size_t filled)
{
    if (blocks->compressor)
        tracedat_compressor_seek(blocks->compressor, blocks->offset + COUNT_SIZE);
    return blocks->compressor ? blocks->offset : blocks->offset + filled;
}

/* The size of a stretch does not count the number of its chunks: so it is in files of trace-cmd. */
static int end_squeezed(struct tracedat_blocks *blocks, size_t *filled, uint64_t *size)
{
    uint64_t page = tracedat_page_size(blocks->options);
    unsigned char count[COUNT_SIZE];
    uint32_t chunks;
    uint64_t end;

    if (tracedat_blocks_write(blocks, *filled) || written(blocks, tracedat_compressor_wait(blocks->compressor, &end, &chunks)))
        return -1;
    tracedat_put_number(blocks->options->big_endian, count, chunks, COUNT_SIZE);
    *size = end - blocks->offset - COUNT_SIZE;
    *filled = 0;
    if (written(blocks, write_at(blocks->fd, count, COUNT_SIZE, blocks->offset)))
        return -1;
    blocks->offset = (end + page - 1) / page * page;
    return 0;
}

int tracedat_blocks_end(struct tracedat_blocks *blocks, uint64_t begin, size_t *filled, uint64_t *size)
{
    if (blocks->compressor)
        return end_squeezed(blocks, filled, size);
    *size = blocks->offset + *filled - begin;
    return 0;
}

int tracedat_blocks_finish(struct tracedat_blocks *blocks, size_t filled, uint64_t *end)
{
    if (!blocks->compressor && (tracedat_blocks_write(blocks, filled) || written(blocks, behind_wait(blocks->behind))))
        return -1;
    *end = blocks->offset;
    return 0;
}
