/* blocks.c - see blocks.h.
 *
 * Pages that are not compressed lie in the file as they lie in the blocks, so the pages of several CPUs may share a
 * block. A chunk has pages of one CPU only, so with compression each CPU begins in a new block.
 */
#define _FILE_OFFSET_BITS 64

#include "formats/tracedat/write/blocks.h"

#include <stdlib.h>
#include <string.h>

#include "io/write_behind.h"
#include "formats/tracedat/write/compress.h"
#include "formats/tracedat/write/layout.h"
#include "formats/tracedat/write/piece.h"

enum {
    BLOCK_SIZE = 1 << 20, /* bytes of pages as they are; 16 of the largest */
    CHUNK_SIZE = 1 << 18, /* bytes; larger chunks become no smaller, and readers keep whole ones in memory */
    COUNT_SIZE = 4,       /* bytes of the number of chunks, which stands in front of them */
};

struct tracedat_blocks {
    struct trace *trace;
    const struct trace_options *options;
    int fd;
    uint64_t offset;                        /* in the file: of the block, or, if compressed, of the CPU's pages */
    struct write_behind *behind;            /* writes blocks as they are; NULL: they are compressed */
    struct tracedat_compressor *compressor; /* compresses and writes blocks; NULL: they are not compressed */
    unsigned char *block;                   /* the one being filled while the other one is written; if not compressed */
    unsigned char *memory[2];
};

/* The result of a write: 0 if there was no error, or -1 after trace_fail(). */
static int result_of(struct tracedat_blocks *blocks, int error)
{
    return error != 0 ? trace_fail(blocks->trace, "cannot write: %s", strerror(error)) : 0;
}

/* Start what writes the blocks. False if there is no memory, or no thread. */
static bool start(struct tracedat_blocks *blocks)
{
    const struct trace_options *options = blocks->options;
    if (options->compression != TRACE_COMPRESS_NONE) {
        blocks->compressor =
            tracedat_compressor_start(blocks->fd, options->compression, CHUNK_SIZE, options->big_endian);
        return blocks->compressor != NULL;
    }
    blocks->memory[0] = malloc(BLOCK_SIZE);
    blocks->memory[1] = malloc(BLOCK_SIZE);
    blocks->block = blocks->memory[0];
    blocks->behind = write_behind_start(blocks->fd);
    return blocks->memory[0] != NULL && blocks->memory[1] != NULL && blocks->behind != NULL;
}

struct tracedat_blocks *tracedat_blocks_open(struct trace *trace, const struct trace_options *options, int fd,
                                             uint64_t offset)
{
    struct tracedat_blocks *blocks = calloc(1, sizeof *blocks);
    if (blocks == NULL)
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
    if (blocks == NULL)
        return;
    write_behind_end(blocks->behind);
    tracedat_compressor_end(blocks->compressor);
    free(blocks->memory[0]);
    free(blocks->memory[1]);
    free(blocks);
}

unsigned char *tracedat_blocks_memory(struct tracedat_blocks *blocks, size_t *room)
{
    *room = blocks->compressor != NULL ? CHUNK_SIZE : BLOCK_SIZE;
    return blocks->compressor != NULL ? tracedat_compressor_memory(blocks->compressor) : blocks->block;
}

int tracedat_blocks_write(struct tracedat_blocks *blocks, size_t filled)
{
    int error;
    if (blocks->compressor != NULL) /* a chunk is not empty; a block as it is may be */
        return filled > 0 ? result_of(blocks, tracedat_compressor_give(blocks->compressor, filled)) : 0;
    /* write_behind_put() returns when the block before was written: its memory is the next one. */
    error = write_behind_put(blocks->behind, blocks->block, filled, blocks->offset);
    blocks->offset += filled;
    blocks->block = blocks->memory[blocks->block == blocks->memory[0]];
    return result_of(blocks, error);
}

uint64_t tracedat_blocks_begin_cpu(struct tracedat_blocks *blocks, size_t filled)
{
    if (blocks->compressor == NULL)
        return blocks->offset + filled;
    /* The number of chunks is known at the end of the CPU; its place is kept free. */
    tracedat_compressor_seek(blocks->compressor, blocks->offset + COUNT_SIZE);
    return blocks->offset;
}

/* Write the number of the CPU's chunks, when the last of them is written. The size of the pages leaves out the number:
 * so it is in files of trace-cmd. */
static int end_compressed(struct tracedat_blocks *blocks, size_t *filled, uint64_t *size)
{
    unsigned char count[COUNT_SIZE];
    uint32_t chunks;
    uint64_t end;
    if (tracedat_blocks_write(blocks, *filled) != 0
        || result_of(blocks, tracedat_compressor_wait(blocks->compressor, &end, &chunks)) != 0)
        return -1;
    tracedat_put_number(blocks->options->big_endian, count, chunks, COUNT_SIZE);
    *size = end - blocks->offset - COUNT_SIZE;
    *filled = 0;
    if (result_of(blocks, write_at(blocks->fd, count, COUNT_SIZE, blocks->offset)) != 0)
        return -1;
    blocks->offset = tracedat_whole_pages(blocks->options, end); /* where the next CPU begins */
    return 0;
}

int tracedat_blocks_end_cpu(struct tracedat_blocks *blocks, uint64_t begin, size_t *filled, uint64_t *size)
{
    if (blocks->compressor != NULL)
        return end_compressed(blocks, filled, size);
    *size = blocks->offset + *filled - begin;
    return 0;
}

int tracedat_blocks_finish(struct tracedat_blocks *blocks, size_t filled, uint64_t *end)
{
    if (blocks->compressor == NULL
        && (tracedat_blocks_write(blocks, filled) != 0 || result_of(blocks, write_behind_wait(blocks->behind)) != 0))
        return -1;
    *end = blocks->offset;
    return 0;
}
