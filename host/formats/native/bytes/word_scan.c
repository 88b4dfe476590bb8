/* word_scan.c - the words of an input: see word_scan.h. */
#include "formats/native/bytes/word_scan.h"

#include <stdlib.h>
#include <string.h>

#define LEAST   ((size_t)512u)           /* bytes of a piece that is read first, or after a jump */
#define MOST    ((size_t)1u << 20)       /* the largest piece: the system copies so many bytes in the least time */
#define OVERLAP (NATIVE_WORD_BYTES - 1u) /* bytes that pieces share: a word may begin with them */

void native_word_scan_begin(struct native_word_scan *scan, struct input *in)
{
    scan->in = in;
    scan->aside = NULL;
    scan->alone = scan->is_ahead = false;
    scan->now = scan->ahead = (struct native_piece){.in = in};
}

void native_word_scan_end(struct native_word_scan *scan)
{
    aside_end(scan->aside);
    free(scan->now.room);
    free(scan->ahead.room);
}

/* Make a piece one that is still to be read: so many bytes at an offset, or, if there is no memory, fewer. */
static void prepare(struct native_word_scan *scan, struct native_piece *piece, uint64_t at, size_t size)
{
    if (size > NATIVE_PIECE_BYTES && piece->room_size < size) {
        free(piece->room);
        piece->room = malloc(size);
        piece->room_size = piece->room != NULL ? size : 0;
        size = piece->room != NULL ? size : NATIVE_PIECE_BYTES;
    }
    piece->bytes = size > NATIVE_PIECE_BYTES ? piece->room : scan->few;
    piece->at = at;
    piece->size = size;
    piece->n = 0;
}

/* What the thread does. */
static void look(void *ctx)
{
    struct native_piece *piece = ctx;
    piece->n = input_read_aside(piece->in, piece->at, piece->bytes, piece->size);
    piece->first = native_word_find(piece->bytes, piece->n, 0, &piece->word);
}

/* Where the bytes end that are to be read, if no word is looked for that begins at `to` or behind it. */
static uint64_t end_of(const struct native_word_scan *scan, uint64_t to)
{
    uint64_t end = input_size(scan->in);
    return to < end && end - to > OVERLAP ? to + OVERLAP : end;
}

/* Have the thread look at the piece behind one of the largest size, which begins at an offset, unless that is beyond
 * the end. */
static void begin_ahead(struct native_word_scan *scan, uint64_t offset, uint64_t end)
{
    uint64_t at = offset + MOST - OVERLAP;
    if (scan->alone || end < at + MOST)
        return;
    if (scan->aside == NULL)
        scan->aside = aside_start();
    prepare(scan, &scan->ahead, at, MOST);
    scan->alone = scan->aside == NULL || scan->ahead.size < MOST;
    scan->is_ahead = !scan->alone;
    if (scan->is_ahead)
        aside_do(scan->aside, look, &scan->ahead);
}

/* Whether a piece has so many bytes from an offset on. */
static bool has(const struct native_piece *piece, uint64_t offset, size_t size)
{
    return offset >= piece->at && offset - piece->at <= piece->n && piece->n - (offset - piece->at) >= size;
}

/* Have the piece that the thread has looked at, if it has the word that may begin at an offset. If not all of it could
 * be read, it is read again, by read_now(), which tells why. If there is a word in it, there are more to look for, and
 * the thread goes on reading meanwhile. */
static bool take_ahead(struct native_word_scan *scan, uint64_t offset, uint64_t to)
{
    struct native_piece now = scan->now, *ahead = &scan->ahead;
    if (!scan->is_ahead)
        return false;
    aside_wait(scan->aside);
    scan->is_ahead = false;
    if (ahead->n < ahead->size || !has(ahead, offset, NATIVE_WORD_BYTES))
        return false;
    scan->now = *ahead;
    scan->ahead = now;
    input_was_read(scan->in, scan->now.at, scan->now.n);
    if (scan->now.first < scan->now.n)
        begin_ahead(scan, scan->now.at, end_of(scan, to));
    return true;
}

/* Bytes of the next piece: more than those of this one if it begins in this one, or not far behind. */
static size_t next_size(const struct native_piece *now, uint64_t offset)
{
    bool on = offset >= now->at && offset - now->at <= 2u * now->n;
    size_t size = on ? 2u * now->size : LEAST;
    return size < LEAST ? LEAST : size < MOST ? size : MOST;
}

/* Read the piece that begins at an offset, for words ahead of `to`. */
static void read_now(struct native_word_scan *scan, uint64_t offset, uint64_t to)
{
    uint64_t size = next_size(&scan->now, offset), end = end_of(scan, to);
    struct native_piece *now = &scan->now;
    if (size == MOST)
        begin_ahead(scan, offset, end);
    size = offset > end ? 0 : size < end - offset ? size : end - offset;
    prepare(scan, now, offset, (size_t)size);
    now->n = input_read(scan->in, offset, now->bytes, now->size);
    now->first = native_word_find(now->bytes, now->n, 0, &now->word);
}

/* Find the first word in a piece from an offset on. Returns its offset in the input; without one where the next piece
 * begins. */
static uint64_t find(const struct native_piece *piece, uint64_t offset, enum native_word *word)
{
    size_t from = (size_t)(offset - piece->at), at = piece->first;
    *word = piece->word;
    if (from > piece->first)
        at = native_word_find(piece->bytes, piece->n, from, word);
    return piece->at + (at < piece->n ? at : piece->n - OVERLAP);
}

bool native_word_scan_next(struct native_word_scan *scan, uint64_t *offset, uint64_t to, enum native_word *word)
{
    const size_t least = NATIVE_WORD_BYTES;
    while (*offset < to) {
        if (!has(&scan->now, *offset, least) && !take_ahead(scan, *offset, to))
            read_now(scan, *offset, to);
        if (!has(&scan->now, *offset, least))
            return false;
        *offset = find(&scan->now, *offset, word);
        if (has(&scan->now, *offset, least))
            return *offset < to;
    }
    return false;
}

const unsigned char *native_word_scan_at(const struct native_word_scan *scan, uint64_t offset, size_t size)
{
    return has(&scan->now, offset, size) ? scan->now.bytes + (offset - scan->now.at) : NULL;
}

size_t native_word_scan_read(const struct native_word_scan *scan, uint64_t offset, void *buffer, size_t size)
{
    if (!has(&scan->now, offset, size))
        return input_read(scan->in, offset, buffer, size);
    memcpy(buffer, scan->now.bytes + (offset - scan->now.at), size);
    return size;
}
