/* blocks.h - writes the pages of a trace.dat file block by block: as they are, or compressed, each block to a chunk.
 *
 * A block is memory that is filled with pages. While one is filled, others are written. In the file the pages of a CPU
 * lie one behind the other; compressed ones are the number of the CPU's chunks, and the chunks.
 *
 * The caller fills the block at tracedat_blocks_memory() and counts the filled bytes: where a call needs them, it gets
 * them.
 */
#ifndef TRACEDAT_WRITE_BLOCKS_H
#define TRACEDAT_WRITE_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#include "model/module.h"

struct tracedat_blocks;

/* Begin at an offset of the file, which is a multiple of the page size. What is behind it in the file belongs to the
 * blocks until tracedat_blocks_finish(). How pages are compressed is in the options, which must live as long; the
 * descriptor stays the caller's. NULL when there is no memory, or no thread. */
struct tracedat_blocks *tracedat_blocks_open(struct trace *trace, const struct trace_options *options, int fd,
                                             uint64_t offset);

/* The block that is to be filled, and how many bytes it takes: a whole number of pages of any size. */
unsigned char *tracedat_blocks_memory(struct tracedat_blocks *blocks, size_t *room);

/* Take the block that was filled; the next one is other memory. 0, or -1 after trace_fail(). */
int tracedat_blocks_write(struct tracedat_blocks *blocks, size_t filled);

/* Say that the next page is the first of a CPU. Returns its offset in the file, which readers find its pages by.
 * filled: bytes of the block, which belong to other CPUs. */
uint64_t tracedat_blocks_begin_cpu(struct tracedat_blocks *blocks, size_t filled);

/* Say that all pages are there of the CPU that began at an offset. *size: what the file has to say of their size;
 * *filled: bytes of the block, set to what is still in it afterwards. 0, or -1 after trace_fail(). */
int tracedat_blocks_end_cpu(struct tracedat_blocks *blocks, uint64_t begin, size_t *filled, uint64_t *size);

/* Bring all pages into the file. *end: the offset behind them. 0, or -1 after trace_fail(). */
int tracedat_blocks_finish(struct tracedat_blocks *blocks, size_t filled, uint64_t *end);

/* NULL is allowed. */
void tracedat_blocks_free(struct tracedat_blocks *blocks);

#endif
