/* cursor.c - numbers, texts and compressed bytes of a trace.dat file: see tracedat/read/file.h. */
#include "tracedat/read/file.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

bool td_get(struct td_cursor *cursor, void *to, size_t size)
{
    bool there = !cursor->bad && cursor->at <= cursor->end && size <= cursor->end - cursor->at;

    if (there && cursor->memory != NULL)
        memcpy(to, cursor->memory + cursor->at, size);
    else if (there)
        there = input_read(cursor->in, cursor->at, to, size) == size;
    if (!there) {
        memset(to, 0, size);
        cursor->bad = true;
        return false;
    }
    cursor->at += size;
    return true;
}

uint64_t td_load(const unsigned char *bytes, unsigned size, bool big)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < size; i++)
        value = value << 8 | bytes[big ? i : size - 1u - i];
    return value;
}

uint64_t td_number(struct td_cursor *cursor, unsigned size)
{
    unsigned char bytes[8];

    td_get(cursor, bytes, size);
    return td_load(bytes, size, cursor->big);
}

char *td_bytes(struct td_cursor *cursor, uint64_t size, uint64_t limit)
{
    char *bytes = NULL;

    if (!cursor->bad && size <= limit && cursor->at <= cursor->end && size <= cursor->end - cursor->at)
        bytes = malloc((size_t)size + 1u);
    if (bytes == NULL) {
        cursor->bad = true;
        return NULL;
    }
    bytes[size] = '\0';
    if (size > 0 && !td_get(cursor, bytes, (size_t)size)) {
        free(bytes);
        return NULL;
    }
    return bytes;
}

bool td_string(struct td_cursor *cursor, char *to, size_t room)
{
    for (size_t i = 0; i < room; i++) {
        if (!td_get(cursor, &to[i], 1))
            break;
        if (to[i] == '\0')
            return true;
    }
    cursor->bad = true;
    to[0] = '\0';
    return false;
}

uint64_t td_place(const struct td_cursor *cursor)
{
    return cursor->memory != NULL ? cursor->origin : cursor->at;
}

static bool inflate_zlib(const unsigned char *from, size_t size, unsigned char *to, size_t to_size)
{
    uLongf done = (uLongf)to_size;

    return uncompress(to, &done, from, (uLong)size) == Z_OK && done == to_size;
}

bool td_inflate(enum td_compression how, const unsigned char *from, size_t size, unsigned char *to, size_t to_size)
{
    if (how == TD_ZLIB)
        return inflate_zlib(from, size, to, to_size);
    return how == TD_ZSTD && ZSTD_decompress(to, to_size, from, size) == to_size;
}
