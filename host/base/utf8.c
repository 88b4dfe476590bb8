/* utf8.c - see utf8.h. Source: RFC 3629. */
#include "base/utf8.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

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
