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

struct squeeze;

/* Start a thread per core. Chunks are of up to size bytes; the numbers in front of them get that byte order. NULL when
 * there is no memory, or no thread. */
struct squeeze *squeeze_start(int fd, enum trace_compression method, size_t size, bool big_endian);

/* Where the next chunk goes. All chunks given before must be written: see squeeze_wait(). */
void squeeze_seek(struct squeeze *squeeze, uint64_t offset);

/* A buffer for the next chunk; waits until one is free. Stays the same until squeeze_give(). */
unsigned char *squeeze_buffer(struct squeeze *squeeze);

/* Take size bytes, 1 or more, that were put into the buffer. 0, or the errno of a chunk that failed. */
int squeeze_give(struct squeeze *squeeze, size_t size);

/* Wait until all is written. *end: the offset behind the last chunk; *chunks: how many since squeeze_seek(). 0, or the
 * errno of a chunk that failed; nothing is written any more after that. */
int squeeze_wait(struct squeeze *squeeze, uint64_t *end, uint32_t *chunks);

/* End the threads, after what they were given; NULL is allowed. */
void squeeze_end(struct squeeze *squeeze);

/* The most bytes that size bytes may become. */
size_t squeeze_bound(enum trace_compression method, size_t size);

/* Compress here and now into room for squeeze_bound() bytes. How many it became; 0 = no memory. */
size_t squeeze_bytes(enum trace_compression method, void *to, size_t room, const void *from, size_t size);

#endif
