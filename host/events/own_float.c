/* own_float.c - see own_float.h. */
#include "events/own_float.h"

#include "base/bytes.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WHOLE          0x1p52 /* numbers from here on have no decimals */
#define SHORT_MOST     1e9    /* numbers of so few digits are short */
#define SHORT_DECIMALS 6u     /* ... and have no more decimals */

double own_float_at(const unsigned char *from, unsigned size)
{
    uint64_t bits = size == 4u ? get_le32(from) : get_le64(from);
    uint32_t low = (uint32_t)bits;
    float single;
    double value;
    memcpy(&single, &low, sizeof single);
    memcpy(&value, &bits, sizeof value);
    return size == 4u ? (double)single : value;
}

/* Whether the text reads as the number. */
static bool is_text_of(const char *text, double value, unsigned size)
{
    return size == 4u ? (double)strtof(text, NULL) == value : strtod(text, NULL) == value;
}

/* Write a whole number below 2^63 with so many decimals, and no NUL. Returns the length. */
static size_t put_decimals(char *to, int64_t number, unsigned decimals)
{
    char digits[OWN_FLOAT_TEXT], *at = digits + sizeof digits;
    uint64_t left = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    for (unsigned i = 0; left > 0 || i <= decimals; i++, left /= 10u) {
        if (i == decimals && i > 0)
            *--at = '.';
        *--at = (char)('0' + left % 10u);
    }
    if (number < 0)
        *--at = '-';
    memcpy(to, at, (size_t)(digits + sizeof digits - at));
    return (size_t)(digits + sizeof digits - at);
}

/* Write a number that has few digits, without printf(), which takes far longer. Dividing whole numbers that a double
 * holds exactly rounds as strtod() does; and no number of so few digits is so near to the middle of two floats that
 * rounding twice could matter. Returns the length; 0: it has more digits. */
static size_t put_short(char *to, double value, unsigned size)
{
    double factor = 1;
    if (!(value > -SHORT_MOST && value < SHORT_MOST) || value == 0)
        return 0;
    for (unsigned decimals = 0; decimals <= SHORT_DECIMALS; decimals++, factor *= 10) {
        int64_t number = own_float_round(value * factor);
        double back = (double)number / factor;
        if (number < (int64_t)SHORT_MOST && -number < (int64_t)SHORT_MOST
            && (size == 4u ? (double)(float)back : back) == value)
            return put_decimals(to, number, decimals);
    }
    return 0;
}

/* Few digits are enough nearly always. */
size_t own_float_text(char *to, double value, unsigned size)
{
    int digits = size == 4u ? 6 : 15, most = size == 4u ? 9 : 17, n = (int)put_short(to, value, size);
    to[n] = '\0';
    if (n > 0)
        return (size_t)n;
    if (value != value)
        return (size_t)snprintf(to, OWN_FLOAT_TEXT, "nan");
    do {
        n = snprintf(to, OWN_FLOAT_TEXT, "%.*g", digits, value);
    } while (!is_text_of(to, value, size) && digits++ < most);
    return (size_t)n;
}

int64_t own_float_round(double value)
{
    if (value != value)
        return 0;
    if (value >= 0x1p63)
        return INT64_MAX;
    if (value < -0x1p63)
        return INT64_MIN;
    if (value >= WHOLE || value <= -WHOLE)
        return (int64_t)value;
    return (int64_t)(value < 0 ? value - 0.5 : value + 0.5);
}
