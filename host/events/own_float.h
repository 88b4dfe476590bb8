/* own_float.h - floating point numbers of a firmware, as IEEE 754 has them: as texts, and as whole numbers for formats
 * that have no others. */
#ifndef EVENTS_OWN_FLOAT_H
#define EVENTS_OWN_FLOAT_H

#include <stddef.h>
#include <stdint.h>

#define OWN_FLOAT_TEXT 32u /* bytes of the longest text, with its NUL */

/* The number of 4 or 8 bytes, little-endian. */
double own_float_at(const unsigned char *from, unsigned size);

/* Write the shortest text that reads as this number again, of a number that had so many bytes. Returns its length. */
size_t own_float_text(char *to, double value, unsigned size);

/* The number rounded to the nearest whole one, halves away from 0; the nearest that there is, if it is too large; 0 if
 * it is none. */
int64_t own_float_round(double value);

#endif
