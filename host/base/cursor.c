/* cursor.c - see cursor.h. */
#include "base/cursor.h"

#include "base/heap.h"

/* A file may end before the cursor does: if read() gives fewer bytes than asked for, none are taken. */
bool cursor_get_slowly(struct cursor *cursor, void *to, size_t size)
{
    bool there = !cursor->bad && size <= cursor_left(cursor);
    if (there && cursor->memory == NULL)
        there = cursor->read(cursor->file, cursor->at, to, size) == size;
    if (!there) {
        memset(to, 0, size);
        cursor->bad = true;
        return false;
    }
    cursor->at += size;
    return true;
}

bool cursor_skip(struct cursor *cursor, uint64_t size)
{
    if (cursor->bad || size > cursor_left(cursor)) {
        cursor->bad = true;
        return false;
    }
    cursor->at += size;
    return true;
}

const unsigned char *cursor_view(struct cursor *cursor, size_t size)
{
    const unsigned char *bytes = cursor->memory;
    if (bytes == NULL || !cursor_skip(cursor, size)) {
        cursor->bad = true;
        return NULL;
    }
    return bytes + (cursor->at - size);
}

/* The size is compared with what is left before memory is taken for it. */
char *cursor_copy(struct cursor *cursor, uint64_t size, uint64_t limit)
{
    char *bytes = NULL;
    if (!cursor->bad && size <= limit && size <= cursor_left(cursor))
        bytes = heap_alloc((size_t)size + 1u);
    if (bytes == NULL) {
        cursor->bad = true;
        return NULL;
    }
    bytes[size] = '\0';
    if (!cursor_get(cursor, bytes, (size_t)size)) {
        heap_free(bytes);
        return NULL;
    }
    return bytes;
}

/* Byte by byte, since where the text ends is not known before. input_read() serves single bytes from its window. */
bool cursor_string(struct cursor *cursor, char *to, size_t room)
{
    for (size_t i = 0; i < room; i++) {
        if (!cursor_get(cursor, &to[i], 1))
            break;
        if (to[i] == '\0')
            return true;
    }
    cursor->bad = true;
    to[0] = '\0';
    return false;
}

uint64_t cursor_place(const struct cursor *cursor)
{
    return cursor->memory != NULL ? cursor->origin : cursor->at;
}
