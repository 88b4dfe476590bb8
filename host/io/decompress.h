/* decompress.h - inputs that are compressed as a whole, by gzip or zstd: they are decompressed into a temporary file
 * (temp_file.h). */
#ifndef IO_DECOMPRESS_H
#define IO_DECOMPRESS_H

#include <stdint.h>
#include <sys/types.h>

struct trace;

/* The bytes of a file: size of them, from an offset on. name, for messages, and the descriptor stay the caller's. */
struct compressed_file {
    const char *name;
    int fd;
    off_t start;
    uint64_t size;
};

/* If the bytes begin as those of gzip or zstd do, make a temporary file of what they hold, *temporary: 1. Several
 * members one behind the other are one. What is cut or damaged is decompressed up to there, and told by trace_damage().
 * 0: not compressed, or a tar archive, which is for its reader. -1 after trace_fail(): there is more in them than
 * trace->unpack_most, or, if that is 0, than 64 times their size and 256 MiB; or nothing. */
int decompress(struct trace *trace, const struct compressed_file *file, int *temporary);

#endif
