/* compress.h - compresses chunks on all cores of this machine and writes them to the file in the order they came in.
 *
 * A chunk in the file is its compressed size and its real one, 4 bytes each, and the compressed bytes.
 */
#ifndef TRACEDAT_WRITE_COMPRESS_H
#define TRACEDAT_WRITE_COMPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/module.h"

struct tracedat_compressor;

/* Start a thread per core. Chunks are of up to size bytes; their sizes in the file get that byte order. The descriptor
 * stays the caller's. NULL when there is no memory, or no thread. */
struct tracedat_compressor *tracedat_compressor_start(int fd, enum trace_compression method, size_t size,
                                                      bool big_endian);

/* Say where in the file the next chunk goes. All chunks given before must be written: see
 * tracedat_compressor_wait(). */
void tracedat_compressor_seek(struct tracedat_compressor *compressor, uint64_t offset);

/* Memory for the bytes of the next chunk, as many as a chunk may have; waits until some is free. The same until
 * tracedat_compressor_give(). It stays the compressor's. */
unsigned char *tracedat_compressor_memory(struct tracedat_compressor *compressor);

/* Give a chunk of size bytes, 1 or more, that were put into that memory. 0, or the errno of a chunk that failed. */
int tracedat_compressor_give(struct tracedat_compressor *compressor, size_t size);

/* Wait until all is written. *end: the offset behind the last chunk; *chunks: how many since
 * tracedat_compressor_seek(). 0, or the errno of a chunk that failed; nothing is written any more after that. */
int tracedat_compressor_wait(struct tracedat_compressor *compressor, uint64_t *end, uint32_t *chunks);

/* End the threads when they have done what they were given, and free all; NULL is allowed. */
void tracedat_compressor_end(struct tracedat_compressor *compressor);

/* The most bytes that size bytes may become. */
size_t tracedat_compress_bound(enum trace_compression method, size_t size);

/* Compress size bytes in the calling thread, into memory of tracedat_compress_bound() bytes. Returns how many they
 * became; 0 = no memory. */
size_t tracedat_compress(enum trace_compression method, void *to, size_t room, const void *from, size_t size);

#endif
