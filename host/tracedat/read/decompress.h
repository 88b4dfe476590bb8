/* decompress.h - compressed bytes of a trace.dat file. */
#ifndef TRACEDAT_READ_DECOMPRESS_H
#define TRACEDAT_READ_DECOMPRESS_H

#include <stdbool.h>
#include <stddef.h>

/* How the compressed parts of a file are compressed. */
enum tracedat_compression { TRACEDAT_UNCOMPRESSED, TRACEDAT_ZLIB, TRACEDAT_ZSTD };

/* Decompress size bytes to exactly to_size bytes. False if they are damaged or become fewer or more; to may then hold
 * anything. */
bool tracedat_decompress(enum tracedat_compression how, const unsigned char *from, size_t size, unsigned char *to,
                         size_t to_size);

#endif
