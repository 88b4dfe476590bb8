/* digits.h - numbers and words put at a place in memory, without a NUL: printf() takes many times as long.
 *
 * Each put_...() returns the place behind what it put. The caller has made sure that there is room.
 */
#ifndef BASE_DIGITS_H
#define BASE_DIGITS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define DIGITS_MOST 24u /* bytes of a 64-bit number in any form, with a sign or "0x" */

/* "00" to "99": two digits of a number are made at a time. */
static const char digit_pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
                                  "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
                                  "8081828384858687888990919293949596979899";

static inline char *put_bytes(char *to, const char *from, size_t n)
{
    memcpy(to, from, n);
    return to + n;
}

static inline char *put_word(char *to, const char *word)
{
    return put_bytes(to, word, strlen(word));
}

/* Put a number's digits before end, the last one first; at most 20. Returns where the first one is. */
static inline char *digits_before(char *end, uint64_t value)
{
    while (value >= 100u) {
        end -= 2;
        memcpy(end, digit_pairs + 2u * (value % 100u), 2);
        value /= 100u;
    }
    if (value < 10u) {
        *--end = (char)('0' + value);
        return end;
    }
    end -= 2;
    memcpy(end, digit_pairs + 2u * value, 2);
    return end;
}

/* A decimal number, right-aligned in at least width characters. */
static inline char *put_padded(char *to, uint64_t value, size_t width, char pad)
{
    char digits[20];
    char *end = digits + sizeof digits;
    char *first = digits_before(end, value);
    for (size_t n = (size_t)(end - first); n < width; n++)
        *to++ = pad;
    return put_bytes(to, first, (size_t)(end - first));
}

static inline char *put_unsigned(char *to, uint64_t value)
{
    return put_padded(to, value, 0, ' ');
}

/* A two's complement number of 64 bits. */
static inline char *put_signed(char *to, uint64_t value)
{
    if (value >> 63 == 0)
        return put_unsigned(to, value);
    *to++ = '-';
    return put_unsigned(to, 0u - value);
}

/* 0x and as many digits as the number needs. */
static inline char *put_hex(char *to, uint64_t value)
{
    int shift = 60;
    *to++ = '0';
    *to++ = 'x';
    while (shift > 0 && value >> shift == 0)
        shift -= 4;
    for (; shift >= 0; shift -= 4)
        *to++ = "0123456789abcdef"[value >> shift & 15u];
    return to;
}

#endif
