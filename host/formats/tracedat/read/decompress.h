/* decompress.h - compressed bytes of a trace.dat file, and how much a file may make of itself. */
#ifndef TRACEDAT_READ_DECOMPRESS_H
#define TRACEDAT_READ_DECOMPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- the budget -------------------------------------------------------------------------------------------------- */

/* A few bytes can decompress to gigabytes, and some lines of a table can need far more memory than they have bytes. So
 * the memory for what is kept of a file, and the bytes that are decompressed, are limited by the file's size. */
#define TRACEDAT_MEMORY         (UINT64_C(32) << 20)  /* bytes of memory for any file, */
#define TRACEDAT_MEMORY_TIMES   2u                    /* and for each byte of the file */
#define TRACEDAT_EXPANDED       (UINT64_C(256) << 20) /* bytes decompressed for any file, */
#define TRACEDAT_EXPANDED_TIMES 512u                  /* and for each byte of the file */

/* What is left. */
struct tracedat_budget {
    uint64_t memory;   /* bytes of memory */
    uint64_t expanded; /* bytes that may still be decompressed */
};

static inline struct tracedat_budget tracedat_budget_of(uint64_t file_size)
{
    return (struct tracedat_budget){TRACEDAT_MEMORY + TRACEDAT_MEMORY_TIMES * file_size,
                                    TRACEDAT_EXPANDED + TRACEDAT_EXPANDED_TIMES * file_size};
}

/* Take n bytes of what is left. False, and nothing is taken, if fewer are left. */
static inline bool tracedat_budget_take(uint64_t *left, uint64_t n)
{
    if (n > *left)
        return false;
    *left -= n;
    return true;
}

/* ---- decompressing ----------------------------------------------------------------------------------------------- */

/* How the compressed parts of a file are compressed. */
enum tracedat_compression { TRACEDAT_UNCOMPRESSED, TRACEDAT_ZLIB, TRACEDAT_ZSTD };

/* Whether this program was built with what decompresses that. */
bool tracedat_can_decompress(enum tracedat_compression how);

/* Decompress size bytes, which must become exactly to_size bytes. False if they do not, or are damaged; the memory at
 * to may then hold anything. */
bool tracedat_decompress(enum tracedat_compression how, const unsigned char *from, size_t size, unsigned char *to,
                         size_t to_size);

/* Decompress a part: leave out the first `before` bytes that come out, and put the next to_size bytes at to. This takes
 * little memory, and the time for all that comes before, too. False if the bytes are damaged, become fewer, or were
 * compressed for readers with more memory than TRACEDAT_WINDOW_MAX. */
bool tracedat_decompress_part(enum tracedat_compression how, const unsigned char *from, size_t size, uint64_t before,
                              unsigned char *to, size_t to_size);

#define TRACEDAT_WINDOW_MAX (8u << 20) /* bytes: what every reader of zstd must have */

#endif
