/* cursor.h - numbers, texts and bytes read one after the other, never beyond an end.
 *
 * A cursor stands in memory, or in a file that is read by a function. What would go beyond the end reads as 0, and makes the
 * cursor bad: it then gives nothing but zeros. So a caller reads a whole structure and asks once, at the end, whether the
 * cursor is bad.
 */
#ifndef BASE_CURSOR_H
#define BASE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cursor {
    const unsigned char *memory; /* or NULL: what read() gets */
    /* Get up to size bytes at an offset; returns how many there were. */
    size_t (*read)(void *file, uint64_t at, void *to, size_t size);
    void *file;
    uint64_t at, end; /* offsets in memory or file */
    uint64_t origin;  /* of memory: offset in the input of what it was made of, for messages */
    bool big;         /* numbers are big-endian */
    bool bad;         /* something was wanted that is not there */
};

/* size = 1, 2, 4 or 8 bytes in memory as a number. */
static inline uint64_t number_at(const unsigned char *bytes, unsigned size, bool big)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < size; i++)
        value = value << 8 | bytes[big ? i : size - 1u - i];
    return value;
}

/* A cursor at the beginning of size bytes in memory, which stay the caller's. */
static inline struct cursor cursor_in_memory(const void *bytes, uint64_t size, bool big)
{
    return (struct cursor){.memory = (const unsigned char *)bytes, .end = size, .big = big};
}

/* Bytes from the cursor to its end; 0 if it is bad. */
static inline uint64_t cursor_left(const struct cursor *cursor)
{
    return cursor->bad || cursor->at > cursor->end ? 0 : cursor->end - cursor->at;
}

/* Get size bytes from a file, or fewer: then the cursor is bad, and all of to is 0. */
bool cursor_get_slowly(struct cursor *cursor, void *to, size_t size);

/* Get the next size bytes. False if they are not there: then all of to is 0. */
static inline bool cursor_get(struct cursor *cursor, void *to, size_t size)
{
    if (cursor->memory == NULL || size > cursor_left(cursor))
        return cursor_get_slowly(cursor, to, size);
    memcpy(to, cursor->memory + cursor->at, size);
    cursor->at += size;
    return true;
}

/* The next 1, 2, 4 or 8 bytes as a number; 0 if they are not there. */
static inline uint64_t cursor_number(struct cursor *cursor, unsigned size)
{
    unsigned char bytes[8];

    cursor_get(cursor, bytes, size);
    return number_at(bytes, size, cursor->big);
}

static inline uint16_t cursor_16(struct cursor *cursor)
{
    return (uint16_t)cursor_number(cursor, 2);
}

static inline uint32_t cursor_32(struct cursor *cursor)
{
    return (uint32_t)cursor_number(cursor, 4);
}

static inline uint64_t cursor_64(struct cursor *cursor)
{
    return cursor_number(cursor, 8);
}

/* Go size bytes on. False, and the cursor is bad, if that is beyond its end. */
bool cursor_skip(struct cursor *cursor, uint64_t size);

/* The next size bytes in memory, without a copy; NULL if they are not there, or the cursor is in a file. */
const unsigned char *cursor_view(struct cursor *cursor, size_t size);

/* The next size bytes, and a NUL, in memory that the caller frees; NULL if they are not there, or beyond the limit. */
char *cursor_copy(struct cursor *cursor, uint64_t size, uint64_t limit);

/* A NUL-terminated text of less than room bytes; false, and the text is empty, if there is none. */
bool cursor_string(struct cursor *cursor, char *to, size_t room);

/* Offset in the input of where the cursor is, or of what its memory was made of. */
uint64_t cursor_place(const struct cursor *cursor);

#endif
