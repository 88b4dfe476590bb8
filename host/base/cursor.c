/* cursor.c - see cursor.h. */
#include "base/cursor.h"

#include <stdlib.h>

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

    if (bytes == NULL) {
        cursor->bad = true;
        return NULL;
    }
    bytes += cursor->at;
    return cursor_skip(cursor, size) ? bytes : NULL;
}

char *cursor_copy(struct cursor *cursor, uint64_t size, uint64_t limit)
{
    char *bytes = NULL;

    if (!cursor->bad && size <= limit && size <= cursor_left(cursor))
        bytes = malloc((size_t)size + 1u);
    if (bytes == NULL) {
        cursor->bad = true;
        return NULL;
    }
    bytes[size] = '\0';
    if (size > 0 && !cursor_get(cursor, bytes, (size_t)size)) {
        free(bytes);
        return NULL;
    }
    return bytes;
}

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
