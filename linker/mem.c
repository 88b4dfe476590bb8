/* SPDX-License-Identifier: MIT */
/* mem.c - the functions that a C compiler may call on its own in freestanding code. They are weak, so those of a libc
 * are used if there is one. tlog itself needs none of them. */
#include <stddef.h>
#include <stdint.h>

void *memset(void *to, int value, size_t size);
void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
int memcmp(const void *a, const void *b, size_t size);

/* The accesses are volatile: otherwise the compiler would turn the loops into calls of the functions that they are
 * in. */
typedef volatile unsigned char byte;

__attribute__((weak)) void *memset(void *to, int value, size_t size)
{
    for (byte *at = to; size > 0; size--)
        *at++ = (unsigned char)value;
    return to;
}

__attribute__((weak)) void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    const byte *source = from;
    for (byte *at = to; size > 0; size--)
        *at++ = *source++;
    return to;
}

__attribute__((weak)) void *memmove(void *to, const void *from, size_t size)
{
    if ((uintptr_t)to <= (uintptr_t)from)
        return memcpy(to, from, size);
    while (size-- > 0)
        ((byte *)to)[size] = ((const byte *)from)[size];
    return to;
}

__attribute__((weak)) int memcmp(const void *a, const void *b, size_t size)
{
    const byte *left = a, *right = b;
    for (; size > 0; size--, left++, right++)
        if (*left != *right)
            return *left - *right;
    return 0;
}
