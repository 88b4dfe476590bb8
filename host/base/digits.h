/* digits.h - numbers and words put at a place in memory, without a NUL. printf() would take many times as long.
 *
 * Each put_...() returns the place behind what it put. The caller has made sure that there is room.
 */
#ifndef BASE_DIGITS_H
#define BASE_DIGITS_H

#include "base/text.h"
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

#define SHORT_BYTES 32u /* what put_short() reads and writes at least */

/* The same for texts that are rarely longer than SHORT_BYTES: a copy of constant size takes two instructions.
 * SHORT_BYTES can be read at `from` and written at `to`, even if n is less. */
static inline char *put_short(char *to, const char *from, size_t n)
{
    memcpy(to, from, SHORT_BYTES);
    if (n > SHORT_BYTES)
        memcpy(to + SHORT_BYTES, from + SHORT_BYTES, n - SHORT_BYTES);
    return to + n;
}

static inline char *put_word(char *to, const char *word)
{
    return put_bytes(to, word, strlen(word));
}

/* Put a text, cut after `most` bytes. */
static inline char *put_at_most(char *to, const char *text, size_t most)
{
    return put_bytes(to, text, text_length(text, most));
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

/* Eight digits, with zeros in front. The divisions do not wait for each other. */
static inline void put_eight(char *to, uint32_t value)
{
    uint32_t high = value / 10000u, low = value % 10000u;
    memcpy(to, digit_pairs + 2u * (high / 100u), 2);
    memcpy(to + 2, digit_pairs + 2u * (high % 100u), 2);
    memcpy(to + 4, digit_pairs + 2u * (low / 100u), 2);
    memcpy(to + 6, digit_pairs + 2u * (low % 100u), 2);
}

/* A number below 100000000. */
static inline char *put_small(char *to, uint32_t value)
{
    char *end = to + 1 + (value >= 10u) + (value >= 100u) + (value >= 1000u) + (value >= 10000u) + (value >= 100000u)
                + (value >= 1000000u) + (value >= 10000000u);
    digits_before(end, value);
    return end;
}

static inline char *put_unsigned(char *to, uint64_t value)
{
    const uint64_t eight = 100000000u, sixteen = eight * eight;
    if (value < eight)
        return put_small(to, (uint32_t)value);
    if (value >= sixteen) {
        to = put_small(to, (uint32_t)(value / sixteen));
        put_eight(to, (uint32_t)(value / eight % eight));
        to += 8;
    } else {
        to = put_small(to, (uint32_t)(value / eight));
    }
    put_eight(to, (uint32_t)(value % eight));
    return to + 8;
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
