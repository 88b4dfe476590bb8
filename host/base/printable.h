/* printable.h - texts of an input made fit for terminals and viewers.
 *
 * What an input calls its files, tasks, events or symbols may be any bytes. Two things can be wrong with them:
 *   Control characters tell a terminal to do things: ESC, newlines, and the controls of 0x80 to 0x9F, which in UTF-8
 *   are two bytes. printable_put() escapes them as in C. Text in UTF-8 stays as it is, and so do other bytes from 0xA0
 *   on: other encodings have letters there.
 *   Bytes that are no UTF-8 make some viewers refuse a whole file. utf8_mend() replaces them.
 * Bytes that are no text at all are shown as hexadecimal digits.
 */
#ifndef BASE_PRINTABLE_H
#define BASE_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>

#define PRINTABLE_MOST 4u /* bytes that one byte of text becomes at most: \x1b */

/* Put a text up to its NUL, or of n bytes, at to, where there is room for PRINTABLE_MOST times as many; no NUL is
 * added. Control characters become \n, \t, \r or \xNN; with backslashes a backslash becomes two, so that the original
 * text can be made of the result. Returns the end of what was put. */
char *printable_put(char *to, const char *text, size_t n, bool backslashes);

/* Bytes of the character of UTF-8 at `at`, where n bytes are and the first one is 0x80 or above. 0: it is no character
 * of UTF-8, or a control character (U+0080 to U+009F). */
size_t utf8_bytes(const unsigned char *at, size_t n);

/* Put ? in the place of each byte from 0x80 on that belongs to no such character. */
void utf8_mend(unsigned char *at, size_t n);

/* Write two hexadecimal digits for each of n bytes, and no NUL. Returns the place behind them. */
char *hex_put(char *to, const unsigned char *from, size_t n);

#endif
