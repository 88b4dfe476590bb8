/* blocks.h - writes the pages of a trace.dat file block by block: as they are, or each block compressed to a chunk.
 *
 * A block is memory that is filled with pages. While one is filled, others are written. In the file the pages of a CPU
 * lie one behind the other. If they are compressed, there is first the number of the CPU's chunks, 4 bytes, and then
 * each chunk: its compressed size and its real one, 4 bytes each, and the compressed bytes.
 *
 * The caller fills the block at tracedat_blocks_memory() and counts the bytes that it has filled: most functions take
 * that count as `filled`.
 */
#ifndef TRACEDAT_WRITE_BLOCKS_H
#define TRACEDAT_WRITE_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#include "model/module.h"

struct tracedat_blocks;

/* Begin at an offset of the file, a multiple of the page size. All that lies behind it is the blocks' until
 * tracedat_blocks_finish(). The options, which must live as long, say how pages are compressed. The descriptor stays
 * the caller's. NULL if there is no memory, or no thread. */
struct tracedat_blocks *tracedat_blocks_open(struct trace *trace, const struct trace_options *options, int fd,
                                             uint64_t offset);

/* The memory of the block that is to be filled. *room: the bytes it takes, a whole number of pages of any size. */
unsigned char *tracedat_blocks_memory(struct tracedat_blocks *blocks, size_t *room);

/* Write the block. The next one has other memory. 0, or -1 after trace_fail(). */
int tracedat_blocks_write(struct tracedat_blocks *blocks, size_t filled);

/* The next page is the first one of a CPU. Returns the offset in the file by which readers find the CPU's pages.
 * filled: bytes of the block, which belong to other CPUs. */
uint64_t tracedat_blocks_begin_cpu(struct tracedat_blocks *blocks, size_t filled);

/* All pages of the CPU that began at that offset have come. *size: bytes, as the file has to tell them. *filled: bytes
 * of the block, set to what is still in it afterwards. 0, or -1 after trace_fail(). */
int tracedat_blocks_end_cpu(struct tracedat_blocks *blocks, uint64_t begin, size_t *filled, uint64_t *size);

/* Write all that is left. *end: the offset behind the last page. 0, or -1 after trace_fail(). */
int tracedat_blocks_finish(struct tracedat_blocks *blocks, size_t filled, uint64_t *end);

/* NULL is allowed. */
void tracedat_blocks_free(struct tracedat_blocks *blocks);

/* The version of the library that compresses, as it tells it when the program runs; "" if nothing is compressed. */
const char *tracedat_compressor_version(enum trace_compression method);

/* The most bytes that size bytes may become when they are compressed. */
size_t tracedat_compress_bound(enum trace_compression method, size_t size);

/* Compress size bytes in the calling thread, into memory of tracedat_compress_bound() bytes. Returns how many they
 * became; 0: no memory. */
size_t tracedat_compress(enum trace_compression method, void *to, size_t room, const void *from, size_t size);

#endif
