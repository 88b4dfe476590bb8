/* piece.c - see piece.h.
 *
 * Once there was no memory, failed stays set, and used does not grow. So sizes and offsets that callers compute from
 * used stay inside the piece.
 */
#include "formats/tracedat/write/piece.h"

#include "base/heap.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    FIRST_ROOM = 65536, /* bytes of memory to begin with; they double */
};

void tracedat_put_number(bool big_endian, void *to, uint64_t value, unsigned size)
{
    unsigned char *bytes = to;
    for (unsigned i = 0; i < size; i++, value >>= 8)
        bytes[big_endian ? size - 1 - i : i] = (unsigned char)value;
}

/* Where the next size bytes go; NULL if there is no memory for them. */
static char *more_room(struct tracedat_piece *piece, size_t size)
{
    size_t room = piece->room != 0 ? piece->room : FIRST_ROOM;
    char *bytes;
    if (piece->failed)
        return NULL;
    while (room - piece->used < size)
        room *= 2;
    if (room != piece->room) {
        bytes = heap_realloc(piece->bytes, room);
        if (bytes == NULL) {
            piece->failed = true;
            return NULL;
        }
        piece->bytes = bytes;
        piece->room = room;
    }
    return piece->bytes + piece->used;
}

void tracedat_add_bytes(struct tracedat_piece *piece, const void *bytes, size_t size)
{
    char *to = more_room(piece, size);
    if (to == NULL)
        return;
    memcpy(to, bytes, size);
    piece->used += size;
}

void tracedat_add_zeros(struct tracedat_piece *piece, size_t size)
{
    char *to = more_room(piece, size);
    if (to == NULL)
        return;
    memset(to, 0, size);
    piece->used += size;
}

static void add_number(struct tracedat_piece *piece, uint64_t value, unsigned size)
{
    char *to = more_room(piece, size);
    if (to == NULL)
        return;
    tracedat_put_number(piece->big_endian, to, value, size);
    piece->used += size;
}

void tracedat_add_16(struct tracedat_piece *piece, uint16_t value)
{
    add_number(piece, value, 2);
}

void tracedat_add_32(struct tracedat_piece *piece, uint32_t value)
{
    add_number(piece, value, 4);
}

void tracedat_add_64(struct tracedat_piece *piece, uint64_t value)
{
    add_number(piece, value, 8);
}

void tracedat_add_text(struct tracedat_piece *piece, const char *text)
{
    tracedat_add_bytes(piece, text, strlen(text));
}

void tracedat_add_string(struct tracedat_piece *piece, const char *string)
{
    tracedat_add_bytes(piece, string, strlen(string) + 1);
}

void tracedat_add_format(struct tracedat_piece *piece, const char *format, ...)
{
    va_list arguments;
    int size;
    char *to;
    va_start(arguments, format);
    size = vsnprintf(NULL, 0, format, arguments); /* only counts */
    va_end(arguments);
    to = size < 0 ? NULL : more_room(piece, (size_t)size + 1); /* with the NUL, which is not counted as used */
    if (to == NULL)
        return;
    va_start(arguments, format);
    vsnprintf(to, (size_t)size + 1, format, arguments);
    va_end(arguments);
    piece->used += (size_t)size;
}

void tracedat_set_32(struct tracedat_piece *piece, size_t at, uint32_t value)
{
    if (!piece->failed)
        tracedat_put_number(piece->big_endian, piece->bytes + at, value, 4);
}

void tracedat_set_64(struct tracedat_piece *piece, size_t at, uint64_t value)
{
    if (!piece->failed)
        tracedat_put_number(piece->big_endian, piece->bytes + at, value, 8);
}

void tracedat_set_size_32(struct tracedat_piece *piece, size_t at)
{
    tracedat_set_32(piece, at, (uint32_t)(piece->used - at - 4));
}

void tracedat_set_size_64(struct tracedat_piece *piece, size_t at)
{
    tracedat_set_64(piece, at, piece->used - at - 8);
}
