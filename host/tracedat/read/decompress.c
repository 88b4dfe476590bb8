/* decompress.c - see decompress.h. */
#include "tracedat/read/decompress.h"

#include <zlib.h>
#include <zstd.h>

static bool decompress_zlib(const unsigned char *from, size_t size, unsigned char *to, size_t to_size)
{
    uLongf done = (uLongf)to_size;
    return uncompress(to, &done, from, (uLong)size) == Z_OK && done == to_size;
}

bool tracedat_decompress(enum tracedat_compression how, const unsigned char *from, size_t size, unsigned char *to,
                         size_t to_size)
{
    if (how == TRACEDAT_ZLIB)
        return decompress_zlib(from, size, to, to_size);
    return how == TRACEDAT_ZSTD && ZSTD_decompress(to, to_size, from, size) == to_size;
}
