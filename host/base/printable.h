/* printable.h - names and texts of an input made fit for a terminal.
 *
 * What an input calls its files, tasks, events or symbols may hold control characters, with which a terminal is told to
 * do things: ESC, newlines, and the controls of 0x80 to 0x9F, which in UTF-8 are two bytes. They are escaped as in C.
 * Text in UTF-8 stays as it is, and so do other bytes from 0xA0 on: other encodings have letters there.
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

#endif
