/* compress.h - compresses chunks on all cores and writes them to the file in the order they came in. Private to
 * the trace.dat writer.
 *
 * A chunk in the file is its compressed size and its size, 4 bytes each, and the compressed bytes.
 */
#ifndef TRACEDAT_WRITE_COMPRESS_H
#define TRACEDAT_WRITE_COMPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/module.h"

struct tracedat_compressor;

/* Start a thread per core. Chunks are of up to size bytes; the numbers in front of them get that byte order. NULL when
 * there is no memory, or no thread. */
struct tracedat_compressor *tracedat_compressor_start(int fd, enum trace_compression method, size_t size, bool big_endian);

/* Where the next chunk goes. All chunks given before must be written: see tracedat_compressor_wait(). */
void tracedat_compressor_seek(struct tracedat_compressor *compressor, uint64_t offset);

/* A buffer for the next chunk; waits until one is free. Stays the same until tracedat_compressor_give(). */
unsigned char *tracedat_compressor_block(struct tracedat_compressor *compressor);

/* Take size bytes, 1 or more, that were put into the buffer. 0, or the errno of a chunk that failed. */
int tracedat_compressor_give(struct tracedat_compressor *compressor, size_t size);

/* Wait until all is written. *end: the offset behind the last chunk; *chunks: how many since tracedat_compressor_seek(). 0, or the
 * errno of a chunk that failed; nothing is written any more after that. */
int tracedat_compressor_wait(struct tracedat_compressor *compressor, uint64_t *end, uint32_t *chunks);

/* End the threads, after what they were given; NULL is allowed. */
void tracedat_compressor_end(struct tracedat_compressor *compressor);

/* The most bytes that size bytes may become. */
size_t tracedat_compress_bound(enum trace_compression method, size_t size);

/* Compress here and now into room for tracedat_compress_bound() bytes. How many it became; 0 = no memory. */
size_t tracedat_compress(enum trace_compression method, void *to, size_t room, const void *from, size_t size);

#endif
