/* inflate.c - compressed bytes of a trace.dat file: see file.h. */
#include "tracedat/read/file.h"

#include <zlib.h>
#include <zstd.h>

static bool inflate_zlib(const unsigned char *from, size_t size, unsigned char *to, size_t to_size)
{
    uLongf done = (uLongf)to_size;

    return uncompress(to, &done, from, (uLong)size) == Z_OK && done == to_size;
}

bool td_inflate(enum td_compression how, const unsigned char *from, size_t size, unsigned char *to, size_t to_size)
{
    if (how == TD_ZLIB)
        return inflate_zlib(from, size, to, to_size);
    return how == TD_ZSTD && ZSTD_decompress(to, to_size, from, size) == to_size;
}
