/* word_scan.h - the words of an input, in order: a piece at a time is read and searched.
 *
 * Other memory has many such words that tell of nothing: constants of our own code. Whether one may tell of something,
 * by the bytes around it, is judged while it is searched.
 */
#ifndef NATIVE_WORD_SCAN_H
#define NATIVE_WORD_SCAN_H

#include "io/input.h"
#include "formats/native/bytes/word_search.h"

#include <stdbool.h>

#define NATIVE_PIECE_BYTES 4096u /* of a piece that needs no memory of its own */

struct native_word_scan;

/* Whether a word at an offset, which the scan has in memory, may tell of something. */
typedef bool native_word_may_tell(const struct native_word_scan *scan, uint64_t offset, enum native_word word);

/* A piece is small where the scan begins or jumps, and larger the longer it goes on, so little is read in vain. */
struct native_word_scan {
    struct input *in;
    native_word_may_tell *may_tell;
    uint64_t at; /* the piece that was read last: n bytes of the input, size were to be read */
    size_t size, n;
    unsigned char *bytes;
    unsigned char *room; /* for many bytes, or NULL */
    unsigned char few[NATIVE_PIECE_BYTES];
};

void native_word_scan_begin(struct native_word_scan *scan, struct input *in, native_word_may_tell *may_tell);

/* Find the next word that may tell of something, from an offset on, ahead of another one. Sets *offset to its own.
 * False: there is none, or the input cannot be read, which trace_fail() keeps. */
bool native_word_scan_next(struct native_word_scan *scan, uint64_t *offset, uint64_t to, enum native_word *word);

/* `size` bytes of the input at an offset, if the scan has them all in memory, or NULL. */
const unsigned char *native_word_scan_at(const struct native_word_scan *scan, uint64_t offset, size_t size);

/* Read as input_read() does, from what the scan has in memory if that is all there. */
size_t native_word_scan_read(const struct native_word_scan *scan, uint64_t offset, void *buffer, size_t size);

void native_word_scan_end(struct native_word_scan *scan);

#endif
