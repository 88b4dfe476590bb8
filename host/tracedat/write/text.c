/* text.c - the pieces of a trace.dat file that are put together in memory. */
#include "tracedat/write/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TEXT_ROOM = 65536, /* to begin with; it doubles */
};

void dat_put(bool big_endian, void *to, uint64_t value, unsigned size)
{
    unsigned char *bytes = to;

    for (unsigned i = 0; i < size; i++, value >>= 8)
        bytes[big_endian ? size - 1 - i : i] = (unsigned char)value;
}

/* Room for size more bytes, or NULL. */
static char *text_room(struct dat_text *text, size_t size)
{
    size_t room = text->room ? text->room : TEXT_ROOM;
    char *bytes;

    if (text->failed)
        return NULL;
    while (room - text->used < size)
        room *= 2;
    if (room != text->room) {
        bytes = realloc(text->bytes, room);
        if (!bytes) {
            text->failed = true;
            return NULL;
        }
        text->bytes = bytes;
        text->room = room;
    }
    return text->bytes + text->used;
}

void dat_add_bytes(struct dat_text *text, const void *bytes, size_t size)
{
    char *to = text_room(text, size);

    if (!to)
        return;
    memcpy(to, bytes, size);
    text->used += size;
}

void dat_add_zeros(struct dat_text *text, size_t size)
{
    char *to = text_room(text, size);

    if (!to)
        return;
    memset(to, 0, size);
    text->used += size;
}

static void add_number(struct dat_text *text, uint64_t value, unsigned size)
{
    char *to = text_room(text, size);

    if (!to)
        return;
    dat_put(text->big_endian, to, value, size);
    text->used += size;
}

void dat_add_16(struct dat_text *text, uint16_t value)
{
    add_number(text, value, 2);
}

void dat_add_32(struct dat_text *text, uint32_t value)
{
    add_number(text, value, 4);
}

void dat_add_64(struct dat_text *text, uint64_t value)
{
    add_number(text, value, 8);
}

void dat_add_text(struct dat_text *text, const char *string)
{
    dat_add_bytes(text, string, strlen(string));
}

void dat_add_string(struct dat_text *text, const char *string)
{
    dat_add_bytes(text, string, strlen(string) + 1);
}

void dat_add_format(struct dat_text *text, const char *format, ...)
{
    va_list arguments;
    int size;
    char *to;

    va_start(arguments, format);
    size = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    to = size < 0 ? NULL : text_room(text, (size_t)size + 1);
    if (!to)
        return;
    va_start(arguments, format);
    vsnprintf(to, (size_t)size + 1, format, arguments);
    va_end(arguments);
    text->used += (size_t)size;
}

void dat_set_32(struct dat_text *text, size_t at, uint32_t value)
{
    if (!text->failed)
        dat_put(text->big_endian, text->bytes + at, value, 4);
}

void dat_set_64(struct dat_text *text, size_t at, uint64_t value)
{
    if (!text->failed)
        dat_put(text->big_endian, text->bytes + at, value, 8);
}

void dat_set_size_32(struct dat_text *text, size_t at)
{
    dat_set_32(text, at, (uint32_t)(text->used - at - 4));
}

void dat_set_size_64(struct dat_text *text, size_t at)
{
    dat_set_64(text, at, text->used - at - 8);
}
