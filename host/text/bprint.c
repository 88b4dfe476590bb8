/* bprint.c - see bprint.h. printk_kernel_can() says which conversions there are: d i u x X o p s and %, with lengths.
 * */
#include "text/bprint.h"

#include <stdint.h>
#include <stdio.h>

struct bprint {
    struct out *out;
    const unsigned char *args;
    size_t at, size; /* of args */
};

/* The next number of 4 or 8 bytes, which begins at a multiple of 4. Those of 4 bytes keep their sign. */
static long long take_number(struct bprint *bprint, size_t bytes)
{
    uint64_t value = 0;
    bprint->at = (bprint->at + 3u) & ~(size_t)3;
    for (size_t i = 0; i < bytes && bprint->at + i < bprint->size; i++)
        value |= (uint64_t)bprint->args[bprint->at + i] << 8u * i;
    bprint->at += bytes;
    return bytes == 4 ? (int32_t)value : (long long)value;
}

/* The next text, shown by a conversion "%...s". */
static void put_string(struct bprint *bprint, const char *conversion)
{
    const char *text = bprint->at < bprint->size ? (const char *)bprint->args + bprint->at : "";
    size_t room = bprint->at < bprint->size ? bprint->size - bprint->at : 1;
    size_t length = strnlen(text, room);
    char shown[4096];
    int n = -1;
    bprint->at += length + 1u;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    if (length < room)
        n = snprintf(shown, sizeof shown, conversion, text);
#pragma GCC diagnostic pop
    if (n > 0)
        out_printable(bprint->out, shown, (size_t)n < sizeof shown ? (size_t)n : sizeof shown - 1u);
}

/* The next number, shown by the conversion "%FLAGSLETTER"; bytes: what it has. */
static void put_number(struct bprint *bprint, const char *flags, size_t nflags, char letter, size_t bytes)
{
    char conversion[40], shown[4096];
    long long value = take_number(bprint, bytes);
    int n;
    if (letter != 'd' && letter != 'i' && bytes == 4)
        value = (long long)(uint32_t)value;
    snprintf(conversion, sizeof conversion, "%%%.*sll%c", (int)nflags, flags, letter == 'p' ? 'x' : letter);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    n = snprintf(shown, sizeof shown, conversion, value);
#pragma GCC diagnostic pop
    if (letter == 'p')
        out_bytes(bprint->out, "0x", 2);
    if (n > 0)
        out_bytes(bprint->out, shown, (size_t)n < sizeof shown ? (size_t)n : sizeof shown - 1u);
}

/* The conversion behind a percent sign, and its argument. Returns the place behind it. */
static const char *put_conversion(struct bprint *bprint, const char *at)
{
    size_t nflags = strspn(at, "#0123456789.");
    const char *letter = at + nflags + strspn(at + nflags, "lzh");
    size_t lengths = (size_t)(letter - at) - nflags;
    char conversion[40];
    if (*letter == '\0' || nflags > 20u)
        return at + strlen(at);
    if (*letter == '%') {
        out_bytes(bprint->out, "%", 1);
    } else if (*letter == 's') {
        snprintf(conversion, sizeof conversion, "%%%.*ss", (int)nflags, at);
        put_string(bprint, conversion);
    } else {
        put_number(bprint, at, nflags, *letter, lengths > 0 || *letter == 'p' ? 8 : 4);
    }
    return letter + 1;
}

void bprint_put(struct out *out, const char *format, const unsigned char *args, size_t size)
{
    struct bprint bprint = {out, args, 0, size};
    while (*format != '\0') {
        size_t n = strcspn(format, "%");
        bool ends = format[n] == '\0';
        size_t newline = ends && n > 0 && format[n - 1u] == '\n';
        out_printable(out, format, n - newline);
        if (ends)
            return;
        format = put_conversion(&bprint, format + n + 1);
    }
}
