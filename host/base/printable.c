/* printable.c - texts of an input made fit for terminals and viewers: see printable.h. Source of UTF-8: RFC 3629. */
#include "base/printable.h"

#include <stdint.h>
#include <string.h>

/* ---- UTF-8 ------------------------------------------------------------------------------------------------------- */

/* Whether that many bytes follow the first one, all of the form 10xxxxxx. */
static bool has_rest(const unsigned char *at, size_t n, size_t rest)
{
    if (rest >= n)
        return false;
    for (size_t i = 1; i <= rest; i++) {
        if ((at[i] & 0xC0u) != 0x80u)
            return false;
    }
    return true;
}

/* First bytes of characters of UTF-8 with the second bytes that may follow. Others would make a control
 * character, a form longer than needed, a surrogate, or a number above U+10FFFF. */
static const struct {
    unsigned char first, last, second, second_last, bytes;
} utf8[] = {
    {0xC2, 0xC2, 0xA0, 0xBF, 2}, {0xC3, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3},
    {0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3},
    {0xF0, 0xF0, 0x90, 0xBF, 4}, {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
};

size_t utf8_bytes(const unsigned char *at, size_t n)
{
    for (size_t i = 0; i < sizeof utf8 / sizeof *utf8; i++) {
        if (at[0] < utf8[i].first || at[0] > utf8[i].last)
            continue;
        if (!has_rest(at, n, utf8[i].bytes - 1u) || at[1] < utf8[i].second || at[1] > utf8[i].second_last)
            return 0;
        return utf8[i].bytes;
    }
    return 0;
}

/* How many bytes below 0x80 there are at the beginning, eight at a time. */
static size_t ascii_bytes(const unsigned char *at, size_t n)
{
    size_t i = 0;
    uint64_t eight;
    for (; i + sizeof eight <= n; i += sizeof eight) {
        memcpy(&eight, at + i, sizeof eight);
        if ((eight & 0x8080808080808080u) != 0)
            break;
    }
    return i;
}

void utf8_mend(unsigned char *at, size_t n)
{
    for (size_t i = ascii_bytes(at, n), bytes; i < n; i += bytes) {
        bytes = at[i] < 0x80u ? 1u : utf8_bytes(at + i, n - i);
        if (bytes == 0) {
            at[i] = '?';
            bytes = 1;
        }
    }
}

/* ---- escapes ----------------------------------------------------------------------------------------------------- */

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
    return hex_put(to, &byte, 1);
}

/* Whether a byte stays whatever is asked for, as most bytes of most texts do. */
static bool is_plain(unsigned char byte)
{
    return byte >= ' ' && byte < 0x7F && byte != '\\';
}

/* The first byte of text is not plain. Returns how many bytes from it on stay as they are: those of a character of
 * UTF-8 that is no control character, or this byte alone. 0 = it is to be escaped. */
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

char *hex_put(char *to, const unsigned char *from, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        *to++ = "0123456789abcdef"[from[i] >> 4];
        *to++ = "0123456789abcdef"[from[i] & 15u];
    }
    return to;
}
