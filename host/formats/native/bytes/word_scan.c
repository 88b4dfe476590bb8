/* word_scan.c - the words of an input: see word_scan.h. */
#include "formats/native/bytes/word_scan.h"

#include "base/heap.h"

#include <string.h>

#define LEAST   ((size_t)512u)           /* bytes of a piece that is read first, or after a jump */
#define MOST    ((size_t)1u << 20)       /* the largest piece: the system copies so many bytes in the least time */
#define OVERLAP (NATIVE_WORD_BYTES - 1u) /* bytes that pieces share: a word may begin with them */

void native_word_scan_begin(struct native_word_scan *scan, struct input *in, native_word_may_tell *may_tell)
{
    scan->in = in;
    scan->may_tell = may_tell;
    scan->at = 0;
    scan->size = scan->n = 0;
    scan->bytes = scan->few;
    scan->room = NULL;
}

void native_word_scan_end(struct native_word_scan *scan)
{
    heap_free(scan->room);
}

/* Where the bytes end that are to be read, if no word is looked for that begins at `to` or behind it. */
static uint64_t end_of(const struct native_word_scan *scan, uint64_t to)
{
    uint64_t end = input_size(scan->in);
    return to < end && end - to > OVERLAP ? to + OVERLAP : end;
}

/* Bytes of the next piece: more than those of this one if it begins in this one, or not far behind. */
static size_t next_size(const struct native_word_scan *scan, uint64_t offset)
{
    bool on = offset >= scan->at && offset - scan->at <= 2u * scan->n;
    size_t size = on ? 2u * scan->size : LEAST;
    return size < LEAST ? LEAST : size < MOST ? size : MOST;
}

/* Make room for so many bytes; if there is no memory, for fewer. Returns for how many. Room for many is for as many as
 * there may be at all: memory costs no time before it is written. */
static size_t make_room(struct native_word_scan *scan, size_t size)
{
    uint64_t all = input_size(scan->in);
    if (size > NATIVE_PIECE_BYTES && scan->room == NULL)
        scan->room = heap_alloc(all < MOST ? (size_t)all : MOST);
    if (size <= NATIVE_PIECE_BYTES || scan->room == NULL) {
        scan->bytes = scan->few;
        return size < NATIVE_PIECE_BYTES ? size : NATIVE_PIECE_BYTES;
    }
    scan->bytes = scan->room;
    return size;
}

/* Read the piece that begins at an offset, for words ahead of `to`. */
static void read_piece(struct native_word_scan *scan, uint64_t offset, uint64_t to)
{
    uint64_t end = end_of(scan, to), left = offset < end ? end - offset : 0;
    size_t size = next_size(scan, offset);
    scan->size = make_room(scan, left < size ? (size_t)left : size);
    scan->at = offset;
    scan->n = input_read(scan->in, offset, scan->bytes, scan->size);
}

/* Whether the piece has so many bytes from an offset on. */
static bool has(const struct native_word_scan *scan, uint64_t offset, size_t size)
{
    return offset >= scan->at && offset - scan->at <= scan->n && scan->n - (offset - scan->at) >= size;
}

bool native_word_scan_next(struct native_word_scan *scan, uint64_t *offset, uint64_t to, enum native_word *word)
{
    while (*offset < to) {
        size_t at;
        if (!has(scan, *offset, NATIVE_WORD_BYTES))
            read_piece(scan, *offset, to);
        if (!has(scan, *offset, NATIVE_WORD_BYTES))
            return false;
        at = (size_t)(*offset - scan->at);
        while ((at = native_word_find(scan->bytes, scan->n, at, word)) < scan->n) {
            *offset = scan->at + at++;
            if (*offset >= to || scan->may_tell(scan, *offset, *word))
                return *offset < to;
        }
        *offset = scan->at + scan->n - OVERLAP;
    }
    return false;
}

const unsigned char *native_word_scan_at(const struct native_word_scan *scan, uint64_t offset, size_t size)
{
    return has(scan, offset, size) ? scan->bytes + (offset - scan->at) : NULL;
}

size_t native_word_scan_read(const struct native_word_scan *scan, uint64_t offset, void *buffer, size_t size)
{
    if (!has(scan, offset, size))
        return input_read(scan->in, offset, buffer, size);
    memcpy(buffer, scan->bytes + (offset - scan->at), size);
    return size;
}
