/* piece.h - a piece of a trace.dat file that is put together in memory, and grows.
 *
 * Numbers get the byte order of the file. If there is no memory, `failed` is set and nothing more is added; so the
 * caller checks that once, at the end.
 */
#ifndef TRACEDAT_WRITE_PIECE_H
#define TRACEDAT_WRITE_PIECE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All 0 to begin with, except big_endian. The owner frees bytes. used may be set back, to begin anew. */
struct tracedat_piece {
    char *bytes;
    size_t used, room; /* of bytes */
    bool big_endian;
    bool failed; /* there was no memory; what the piece holds is of no use */
};

/* Put a number of 1 to 8 bytes anywhere in memory, in that byte order. */
void tracedat_put_number(bool big_endian, void *to, uint64_t value, unsigned size);

/* Add size bytes. */
void tracedat_add_bytes(struct tracedat_piece *piece, const void *bytes, size_t size);

/* Add a number of 2, 4 or 8 bytes. */
void tracedat_add_16(struct tracedat_piece *piece, uint16_t value);
void tracedat_add_32(struct tracedat_piece *piece, uint32_t value);
void tracedat_add_64(struct tracedat_piece *piece, uint64_t value);

/* Add a text without its NUL. */
void tracedat_add_text(struct tracedat_piece *piece, const char *text);

/* Add a text with its NUL. */
void tracedat_add_string(struct tracedat_piece *piece, const char *string);

/* Add so many zeros. */
void tracedat_add_zeros(struct tracedat_piece *piece, size_t size);

/* Add what printf() makes of the arguments, without a NUL. */
void tracedat_add_format(struct tracedat_piece *piece, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Change a number of 4 or 8 bytes that was added before; at: its offset in the piece. */
void tracedat_set_32(struct tracedat_piece *piece, size_t at, uint32_t value);
void tracedat_set_64(struct tracedat_piece *piece, size_t at, uint64_t value);

/* Set such a number to how many bytes were added behind it. */
void tracedat_set_size_32(struct tracedat_piece *piece, size_t at);
void tracedat_set_size_64(struct tracedat_piece *piece, size_t at);

#endif
