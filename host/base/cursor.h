/* cursor.h - numbers, texts and bytes of a structure, read one after the other and never beyond an end.
 *
 * A cursor is a place in memory, or in a file that a function reads, with the end of what may be read from there. What
 * would reach beyond the end reads as 0 and makes the cursor bad. A bad cursor stays bad and gives nothing but zeros.
 * So a caller reads a whole structure, checks once whether the cursor is bad, and only then uses what was read.
 *
 * A cursor owns nothing: the memory or the file stays the caller's and must live as long as the cursor. A cursor may be
 * copied, to come back to a place.
 */
#ifndef BASE_CURSOR_H
#define BASE_CURSOR_H

#include "base/bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cursor {
    /* Where the bytes are: in memory or, if memory is NULL, in a file of which read() gets up to size bytes at an
     * offset. read() returns how many bytes the file had there. */
    const unsigned char *memory;
    size_t (*read)(void *file, uint64_t at, void *to, size_t size);
    void *file;
    uint64_t at, end; /* offsets in memory or in the file: of the next byte, and of the first that may not be read */
    uint64_t origin;  /* for messages: offset in the input of what the memory was made of */
    bool big;         /* numbers are big-endian, else little-endian */
    bool bad;         /* bytes were asked for that are not there */
};

/* A cursor at the beginning of size bytes in memory. bytes may be NULL if size is 0. */
static inline struct cursor cursor_in_memory(const void *bytes, uint64_t size, bool big)
{
    const void *memory = bytes != NULL ? bytes : "";
    return (struct cursor){.memory = (const unsigned char *)memory, .end = size, .big = big};
}

/* Bytes from the cursor to its end; 0 if it is bad. */
static inline uint64_t cursor_left(const struct cursor *cursor)
{
    return cursor->bad || cursor->at > cursor->end ? 0 : cursor->end - cursor->at;
}

/* What cursor_get() does if the cursor is in a file, is bad, or has fewer bytes left. */
bool cursor_get_slowly(struct cursor *cursor, void *to, size_t size);

/* Copy the next size bytes to to. False if they are not there, or the file gives fewer: then the cursor is bad, and the
 * size bytes of to are 0. */
static inline bool cursor_get(struct cursor *cursor, void *to, size_t size)
{
    if (cursor->memory == NULL || cursor->bad || size > cursor_left(cursor))
        return cursor_get_slowly(cursor, to, size);
    memcpy(to, cursor->memory + cursor->at, size);
    cursor->at += size;
    return true;
}

/* The next bytes as a number, for sizes that only the input tells: 0 to 8. 0 if they are not there. */
static inline uint64_t cursor_number(struct cursor *cursor, unsigned size)
{
    unsigned char bytes[8];
    cursor_get(cursor, bytes, size);
    return number_at(bytes, size, cursor->big);
}

/* The next 2, 4 or 8 bytes as a number; 0 if they are not there. */
static inline uint16_t cursor_16(struct cursor *cursor)
{
    unsigned char bytes[2];
    cursor_get(cursor, bytes, sizeof bytes);
    return get_16(bytes, cursor->big);
}

static inline uint32_t cursor_32(struct cursor *cursor)
{
    unsigned char bytes[4];
    cursor_get(cursor, bytes, sizeof bytes);
    return get_32(bytes, cursor->big);
}

static inline uint64_t cursor_64(struct cursor *cursor)
{
    unsigned char bytes[8];
    cursor_get(cursor, bytes, sizeof bytes);
    return get_64(bytes, cursor->big);
}

/* Go on by size bytes. False, and the cursor is bad, if that is beyond its end. */
bool cursor_skip(struct cursor *cursor, uint64_t size);

/* The next size bytes where they are in memory, without a copy: they live as long as that memory. NULL, and the cursor
 * is bad, if they are not there or the cursor is in a file. */
const unsigned char *cursor_view(struct cursor *cursor, size_t size);

/* The next size bytes, and a NUL behind them, in memory that the caller frees. NULL, and the cursor is bad, if they are
 * not there, are more than limit, or memory runs out. limit keeps a damaged size from taking all memory. */
char *cursor_copy(struct cursor *cursor, uint64_t size, uint64_t limit);

/* Copy a text up to and with its NUL to to, which has room for room bytes, at least 1. False, the cursor is bad and the
 * text is empty, if there is no NUL within them and before the cursor's end. */
bool cursor_string(struct cursor *cursor, char *to, size_t room);

/* For messages: offset in the input of where the cursor is in a file, or of what its memory was made of. */
uint64_t cursor_place(const struct cursor *cursor);

#endif
