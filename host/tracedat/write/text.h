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
struct dat_text {
    char *bytes;
    size_t used, room;
    bool big_endian;
    bool failed; /* out of memory; what it holds is of no use */
};

/* Store a number of 1 to 8 bytes. */
void dat_put(bool big_endian, void *to, uint64_t value, unsigned size);

void dat_add_bytes(struct dat_text *text, const void *bytes, size_t size);
void dat_add_16(struct dat_text *text, uint16_t value);
void dat_add_32(struct dat_text *text, uint32_t value);
void dat_add_64(struct dat_text *text, uint64_t value);

/* Without its NUL. */
void dat_add_text(struct dat_text *text, const char *string);

/* With its NUL. */
void dat_add_string(struct dat_text *text, const char *string);

/* So many zeros. */
void dat_add_zeros(struct dat_text *text, size_t size);

/* As printf. */
void dat_add_format(struct dat_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Change the number that was added at offset at of the text. */
void dat_set_32(struct dat_text *text, size_t at, uint32_t value);
void dat_set_64(struct dat_text *text, size_t at, uint64_t value);

/* Set the number at offset at to the bytes added behind it. */
void dat_set_size_32(struct dat_text *text, size_t at);
void dat_set_size_64(struct dat_text *text, size_t at);

#endif
