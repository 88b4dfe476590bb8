/* json.c - see json.h. Sources: RFC 8259 (JSON), RFC 4180 (CSV). */
#include "formats/rows/json.h"

#include "base/printable.h"

#include <string.h>

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

/* Whether a byte is shown as it is. */
static bool is_plain(unsigned char byte)
{
    return byte >= 0x20u && byte < 0x7Fu && byte != '"' && byte != '\\';
}

/* Put a byte that cannot stand as it is. */
static char *put_escaped(char *to, unsigned char byte, bool doubled)
{
    static const char letters[] = "\nn\rr\tt\"\"\\\\";
    const char *letter = letters;
    while (*letter != '\0' && (unsigned char)*letter != byte)
        letter += 2;
    *to++ = '\\';
    if (*letter != '\0') {
        *to++ = letter[1];
        if (byte == '"' && doubled)
            *to++ = '"';
        return to;
    }
    memcpy(to, "u00", 3);
    return hex_put(to + 3, &byte, 1);
}

char *json_put(char *to, const char *text, size_t n, bool doubled)
{
    const unsigned char *at = (const unsigned char *)text, *end = at + n;
    for (;;) {
        size_t bytes;
        while (at < end && is_plain(*at))
            *to++ = (char)*at++;
        if (at == end)
            return to;
        bytes = *at >= 0x80u ? utf8_bytes(at, (size_t)(end - at)) : 0;
        if (bytes == 0)
            to = put_escaped(to, *at++, doubled);
        for (; bytes > 0; bytes--)
            *to++ = (char)*at++;
    }
}

/* How many digits stand here. */
static size_t digits(const char *at, const char *end)
{
    size_t n = 0;
    while (at + n < end && at[n] >= '0' && at[n] <= '9')
        n++;
    return n;
}

bool json_is_number(const char *text, size_t n)
{
    const char *at = text, *end = text + n;
    size_t whole;
    at += at < end && *at == '-';
    whole = digits(at, end);
    if (whole == 0 || (whole > 1u && *at == '0'))
        return false;
    at += whole;
    if (at < end && *at == '.') {
        size_t fraction = digits(at + 1, end);
        if (fraction == 0)
            return false;
        at += 1u + fraction;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        at++;
        at += at < end && (*at == '+' || *at == '-');
        return digits(at, end) > 0 && at + digits(at, end) == end;
    }
    return at == end;
}

/* ---- CSV --------------------------------------------------------------------------------------------------------- */

char *csv_put(char *to, const char *text, size_t n)
{
    bool is_quoted = false;
    for (size_t i = 0; i < n; i++)
        is_quoted = is_quoted || text[i] == ',' || text[i] == '"' || text[i] == '\r' || text[i] == '\n';
    if (!is_quoted) {
        memcpy(to, text, n);
        return to + n;
    }
    *to++ = '"';
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '"')
            *to++ = '"';
        *to++ = text[i];
    }
    *to++ = '"';
    return to;
}
