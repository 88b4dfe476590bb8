/* printable.c - names and texts of an input made fit for a terminal: see printable.h. */
#include "base/printable.h"

#include <string.h>

#include "base/utf8.h"

#define FIRST_LETTER 0xA0u /* bytes from 0x80 to below this one are controls, where they are no part of UTF-8 */

/* A byte as in C: \n, \t, \r, \\ or \x and two digits. */
static char *put_escape(char *to, unsigned char byte)
{
    static const char letters[] = "\n\t\r\\";
    const char *letter = memchr(letters, byte, 4);
    *to++ = '\\';
    if (letter != NULL) {
        *to++ = "ntr\\"[letter - letters];
        return to;
    }
    *to++ = 'x';
    *to++ = "0123456789abcdef"[byte >> 4];
    *to++ = "0123456789abcdef"[byte & 15u];
    return to;
}

/* How many bytes from text on, of which the first is 0x80 or more, stay as they are together: those of a character of
 * UTF-8 that is no control, or a single byte. 0 = the first byte is to be escaped. */
static size_t bytes_that_stay(const unsigned char *text, size_t n)
{
    size_t bytes = utf8_bytes(text, n);
    bool is_control = text[0] == 0xC2 && n > 1 && text[1] >= 0x80 && text[1] < FIRST_LETTER;
    return bytes > 0 || is_control ? bytes : text[0] >= FIRST_LETTER;
}

char *printable_put(char *to, const char *text, size_t n, bool backslashes)
{
    const unsigned char *from = (const unsigned char *)text;
    for (size_t i = 0; i < n && from[i] != '\0';) {
        unsigned char byte = from[i];
        size_t stay = byte >= 0x80 ? bytes_that_stay(from + i, n - i) : byte >= ' ' && byte != 0x7F;
        if (byte == '\\' && backslashes)
            stay = 0;
        for (size_t k = 0; k < stay; k++)
            *to++ = (char)from[i + k];
        if (stay == 0)
            to = put_escape(to, byte);
        i += stay > 0 ? stay : 1u;
    }
    return to;
}
