/* decompress.h - inputs that are compressed as a whole, by gzip or zstd: they are decompressed into a temporary file
 * (temp_file.h); and compressed blocks, into memory. */
#ifndef IO_DECOMPRESS_H
#define IO_DECOMPRESS_H

#include "base/cursor.h"

#include <stdbool.h>
#include <stddef.h>

struct trace;

/* The bytes of an input, and its name for messages; both stay the caller's. */
struct compressed_file {
    const char *name;
    struct cursor bytes; /* all of them, from offset 0 on */
    uint64_t enough;     /* more bytes are to come: only so many are made; 0: all are there */
};

/* If the bytes begin as those of gzip or zstd do, decompress them into a temporary file, *temporary, and return 1.
 * Several members, one behind the other, become one file. If the bytes are cut or damaged, the file has what is ahead
 * of that, and trace_damage() is called, unless more bytes are to come. Returns 0 if the bytes are not compressed, or
 * are a tar archive, which its reader unpacks. Returns -1 after trace_fail(): nothing could be decompressed, or there
 * is more than trace->unpack_most allows. If that is 0, the limit is 64 times the size of the bytes, but at least 256
 * MiB. */
int decompress(struct trace *trace, const struct compressed_file *file, int *temporary);

/* Decompress what is compressed by zlib or zstd into exactly to_size bytes. Returns NULL, or why that failed. */
const char *decompress_block(bool is_zstd, const void *from, size_t size, void *to, size_t to_size);

#endif
