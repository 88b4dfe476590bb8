/* text_hash.h - a hash of a text. */
#ifndef BASE_TEXT_HASH_H
#define BASE_TEXT_HASH_H

#include <stdint.h>

/* FNV-1a, 64 bits, of the characters before the NUL. */
static inline uint64_t text_hash(const char *text)
{
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    while (*text != '\0')
        hash = (hash ^ (unsigned char)*text++) * UINT64_C(0x100000001B3);
    return hash;
}

#endif
