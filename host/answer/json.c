/* json.c - see json.h. */
#include "answer/json.h"

#include "base/digits.h"

#include <inttypes.h>
#include <string.h>

enum { KEY_BYTES = 60 };

/* ---- texts ------------------------------------------------------------------------------------------------------- */

/* How many bytes the character of UTF-8 has that begins there; 0: none does. */
static unsigned utf8_length(const unsigned char *at)
{
    unsigned length = at[0] >= 0xC2 && at[0] < 0xE0 ? 2u : (at[0] & 0xF0u) == 0xE0 ? 3u : 4u;
    if (at[0] < 0xC2 || at[0] > 0xF4)
        return 0;
    for (unsigned i = 1; i < length; i++) {
        if ((at[i] & 0xC0u) != 0x80)
            return 0;
    }
    if ((at[0] == 0xE0 && at[1] < 0xA0) || (at[0] == 0xED && at[1] > 0x9F) || (at[0] == 0xF0 && at[1] < 0x90)
        || (at[0] == 0xF4 && at[1] > 0x8F))
        return 0;
    return length;
}

/* Write a character, or what stands for it. Returns how many bytes of the text that was. */
static unsigned put_character(FILE *to, const unsigned char *at)
{
    unsigned length = at[0] < 0x80 ? 1u : utf8_length(at);
    if (at[0] == '"' || at[0] == '\\')
        fprintf(to, "\\%c", at[0]);
    else if (at[0] < ' ' || at[0] == 0x7F || (length == 2 && at[0] == 0xC2 && at[1] < 0xA0))
        fprintf(to, "\\u%04x", length == 2 ? at[1] : at[0]);
    else if (length == 0)
        fputs("\\ufffd", to);
    else
        (void)fwrite(at, 1, length, to);
    return length > 0 ? length : 1u;
}

/* How many of the first bytes stand for themselves. */
static size_t plain_bytes(const unsigned char *at)
{
    size_t n = 0;
    while (at[n] >= ' ' && at[n] < 0x7F && at[n] != '"' && at[n] != '\\')
        n++;
    return n;
}

static void put_text(FILE *to, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    putc('"', to);
    while (*at != '\0') {
        size_t n = plain_bytes(at);
        if (n > 0)
            (void)fwrite(at, 1, n, to);
        at += n > 0 ? n : put_character(to, at);
    }
    putc('"', to);
}

/* ---- structure --------------------------------------------------------------------------------------------------- */

static void new_line(struct json *json)
{
    putc('\n', json->to);
    for (unsigned i = 0; i < json->depth; i++)
        fputs("  ", json->to);
}

/* Keys are written at once where they can be: they are most of what is written. */
static void put_key(FILE *to, const char *key)
{
    char room[KEY_BYTES + 4u];
    size_t n = plain_bytes((const unsigned char *)key);
    if (key[n] != '\0' || n > KEY_BYTES) {
        put_text(to, key);
        fputs(": ", to);
        return;
    }
    room[0] = '"';
    memcpy(room + 1, key, n);
    memcpy(room + 1 + n, "\": ", 3);
    (void)fwrite(room, 1, n + 4u, to);
}

/* Write what comes before a value: a comma after the value before it, and its key. */
static void begin_value(struct json *json, const char *key)
{
    bool has = json->has[json->depth], flat = json->flat[json->depth];
    json->has[json->depth] = true;
    if (has)
        fputs(flat ? ", " : ",", json->to);
    if (json->depth > 0 && !flat)
        new_line(json);
    if (key != NULL)
        put_key(json->to, key);
}

static void open_level(struct json *json, const char *key, char bracket, bool flat)
{
    begin_value(json, key);
    putc(bracket, json->to);
    if (json->depth + 1u < JSON_DEPTH)
        json->depth++;
    json->has[json->depth] = false;
    json->flat[json->depth] = flat;
}

void json_open(struct json *json, const char *key, char bracket)
{
    open_level(json, key, bracket, json->flat[json->depth]);
}

void json_open_flat(struct json *json, const char *key, char bracket)
{
    open_level(json, key, bracket, true);
}

void json_close(struct json *json, char bracket)
{
    bool has = json->has[json->depth] && !json->flat[json->depth];
    json->depth -= json->depth > 0;
    if (has)
        new_line(json);
    putc(bracket, json->to);
    if (json->depth == 0)
        putc('\n', json->to);
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

void json_number(struct json *json, const char *key, uint64_t value)
{
    char digits[DIGITS_MOST];
    const char *end = put_unsigned(digits, value);
    begin_value(json, key);
    (void)fwrite(digits, 1, (size_t)(end - digits), json->to);
}

void json_signed(struct json *json, const char *key, int64_t value)
{
    begin_value(json, key);
    fprintf(json->to, "%" PRId64, value);
}

void json_bool(struct json *json, const char *key, bool value)
{
    begin_value(json, key);
    fputs(value ? "true" : "false", json->to);
}

void json_null(struct json *json, const char *key)
{
    begin_value(json, key);
    fputs("null", json->to);
}

void json_share(struct json *json, const char *key, double value)
{
    begin_value(json, key);
    fprintf(json->to, "%.6f", value);
}

void json_text(struct json *json, const char *key, const char *text)
{
    begin_value(json, key);
    put_text(json->to, text);
}
