/* word_scan.h - the words of an input that tell of a chunk or a region (word_search.h), one after the other. */
#ifndef NATIVE_WORD_SCAN_H
#define NATIVE_WORD_SCAN_H

#include "io/aside.h"
#include "io/input.h"
#include "formats/native/bytes/word_search.h"

#include <stdbool.h>

#define NATIVE_PIECE_BYTES 4096u /* of a piece that needs no memory of its own */

/* A part of the input that is in memory, and its first word. */
struct native_piece {
    const struct input *in;
    uint64_t at;
    size_t size, n; /* bytes that were to be read, and bytes that were */
    size_t first;   /* offset in the bytes of the first word; n: there is none */
    enum native_word word;
    unsigned char *bytes;
    unsigned char *room; /* for many bytes: room_size */
    size_t room_size;
};

/* A piece is small where the scan begins or jumps, and larger the longer it goes on, so little is read in vain. Of the
 * largest pieces every second one is read and searched in a thread. */
struct native_word_scan {
    struct input *in;
    struct aside *aside;       /* NULL: not started */
    bool alone;                /* there is no memory for it */
    bool is_ahead;             /* the thread has been given `ahead` */
    struct native_piece now;   /* what was read last */
    struct native_piece ahead; /* what comes behind */
    unsigned char few[NATIVE_PIECE_BYTES];
};

void native_word_scan_begin(struct native_word_scan *scan, struct input *in);

/* Find the next word from an offset on, ahead of another one. Sets *offset to its own. False: there is none, or the
 * input cannot be read, which trace_fail() keeps. */
bool native_word_scan_next(struct native_word_scan *scan, uint64_t *offset, uint64_t to, enum native_word *word);

/* `size` bytes of the input at an offset, if the scan has them all in memory, or NULL. */
const unsigned char *native_word_scan_at(const struct native_word_scan *scan, uint64_t offset, size_t size);

/* Read as input_read() does, from what the scan has in memory if that is all there. */
size_t native_word_scan_read(const struct native_word_scan *scan, uint64_t offset, void *buffer, size_t size);

void native_word_scan_end(struct native_word_scan *scan);

#endif
