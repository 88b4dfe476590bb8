/* json.h - texts in JSON, and in a field of CSV. */
#ifndef ROWS_JSON_H
#define ROWS_JSON_H

#include <stdbool.h>
#include <stddef.h>

#define JSON_MOST 6u /* bytes that one byte of text becomes at most: \u001f */

/* Put a text of n bytes, without quotation marks around it. Control characters, also those of UTF-8, become \n, \t, \r
 * or \u00XX; bytes that are not UTF-8 become \u00XX. doubled: the JSON text is in a quoted field of CSV, where a
 * quotation mark is written twice. There is room for JSON_MOST * n bytes. Returns the place behind the text. */
char *json_put(char *to, const char *text, size_t n, bool doubled);

/* Put a field of CSV: in quotation marks if it has commas, quotation marks or line breaks (RFC 4180, 2.6). There is
 * room for 2 * n + 2 bytes. Returns the place behind it. */
char *csv_put(char *to, const char *text, size_t n);

/* Whether all of a text is a number as JSON writes it (RFC 8259, 6). */
bool json_is_number(const char *text, size_t n);

#endif
