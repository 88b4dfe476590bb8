/* text.h - a piece of text or binary that grows. Private to the trace.dat writer.
 *
 * Numbers have the byte order of the file. Running out of memory is remembered: check failed once, at the end.
 */
#ifndef TRACEDAT_WRITE_TEXT_H
#define TRACEDAT_WRITE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero to begin with, but for big_endian; free(bytes) ends it. */
struct tracedat_piece {
    char *bytes;
    size_t used, room;
    bool big_endian;
    bool failed; /* out of memory; what it holds is of no use */
};

/* Store a number of 1 to 8 bytes. */
void tracedat_put_number(bool big_endian, void *to, uint64_t value, unsigned size);

void tracedat_add_bytes(struct tracedat_piece *piece, const void *bytes, size_t size);
void tracedat_add_16(struct tracedat_piece *piece, uint16_t value);
void tracedat_add_32(struct tracedat_piece *piece, uint32_t value);
void tracedat_add_64(struct tracedat_piece *piece, uint64_t value);

/* Without its NUL. */
void tracedat_add_text(struct tracedat_piece *piece, const char *string);

/* With its NUL. */
void tracedat_add_string(struct tracedat_piece *piece, const char *string);

/* So many zeros. */
void tracedat_add_zeros(struct tracedat_piece *piece, size_t size);

/* As printf. */
void tracedat_add_format(struct tracedat_piece *piece, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Change the number that was added at offset at of the text. */
void tracedat_set_32(struct tracedat_piece *piece, size_t at, uint32_t value);
void tracedat_set_64(struct tracedat_piece *piece, size_t at, uint64_t value);

/* Set the number at offset at to the bytes added behind it. */
void tracedat_set_size_32(struct tracedat_piece *piece, size_t at);
void tracedat_set_size_64(struct tracedat_piece *piece, size_t at);

#endif
