/* hex.h - bytes as hexadecimal digits. */
#ifndef BASE_HEX_H
#define BASE_HEX_H

#include <stddef.h>

/* Write two digits for each of n bytes, and no NUL. Returns the place behind them. */
static inline char *hex_put(char *to, const unsigned char *from, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        *to++ = "0123456789abcdef"[from[i] >> 4];
        *to++ = "0123456789abcdef"[from[i] & 15u];
    }
    return to;
}

#endif
