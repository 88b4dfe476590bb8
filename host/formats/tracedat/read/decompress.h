/* decompress.h - compressed bytes of a trace.dat file. */
#ifndef TRACEDAT_READ_DECOMPRESS_H
#define TRACEDAT_READ_DECOMPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How the compressed parts of a file are compressed. */
enum tracedat_compression { TRACEDAT_UNCOMPRESSED, TRACEDAT_ZLIB, TRACEDAT_ZSTD };

/* Decompress size bytes to exactly to_size bytes. False if they are damaged or become fewer or more; to may then hold
 * anything. */
bool tracedat_decompress(enum tracedat_compression how, const unsigned char *from, size_t size, unsigned char *to,
                         size_t to_size);

/* Decompress size bytes, leave out what comes out first, `before` bytes, and put the next to_size bytes at to. It takes
 * as long as decompressing all that comes before, and little memory. False if they are damaged, become fewer, or have
 * been compressed for readers with more memory than TRACEDAT_WINDOW_MAX. */
bool tracedat_decompress_part(enum tracedat_compression how, const unsigned char *from, size_t size, uint64_t before,
                              unsigned char *to, size_t to_size);

#define TRACEDAT_WINDOW_MAX (8u << 20) /* bytes: what every reader of zstd must have */

#endif
