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

/* Whether a byte stays whatever is asked for, as most bytes of most texts do. */
static bool is_plain(unsigned char byte)
{
    return byte >= ' ' && byte < 0x7F && byte != '\\';
}

/* How many bytes from text on, of which the first is not plain, stay as they are together: those of a character of
 * UTF-8 that is no control, or a single byte. 0 = the first byte is to be escaped. */
static size_t bytes_that_stay(const unsigned char *text, size_t n, bool backslashes)
{
    bool is_control = text[0] == 0xC2 && n > 1 && text[1] >= 0x80 && text[1] < FIRST_LETTER;
    size_t bytes = text[0] >= 0x80 ? utf8_bytes(text, n) : 0;
    if (text[0] < 0x80)
        return text[0] == '\\' && !backslashes;
    return bytes > 0 || is_control ? bytes : text[0] >= FIRST_LETTER;
}

char *printable_put(char *to, const char *text, size_t n, bool backslashes)
{
    const unsigned char *at = (const unsigned char *)text, *end = at + n;
    for (;;) {
        size_t stay;
        while (at < end && is_plain(*at))
            *to++ = (char)*at++;
        if (at == end || *at == '\0')
            return to;
        stay = bytes_that_stay(at, (size_t)(end - at), backslashes);
        if (stay == 0)
            to = put_escape(to, *at++);
        for (; stay > 0; stay--)
            *to++ = (char)*at++;
    }
}
