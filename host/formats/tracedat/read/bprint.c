/* bprint.c - see bprint.h.
 *
 * The kernel packs arguments so (lib/vsprintf.c, vbin_printf()): numbers of 8 bytes are aligned to 4, smaller ones to
 * their own size; a text begins where the argument before it ended. A pointer is packed as a number only where it is
 * printed as an address or as the name of a function; of all else that %p can mean the kernel packs the finished text.
 */
#include "formats/tracedat/read/bprint.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH_MAX = 500 }; /* wider and more precise conversions are cut to this */

struct bprint {
    const struct tracedat_file *file;
    char *to;
    size_t used, room;  /* bytes of to; room is for the NUL, too */
    struct cursor args; /* bad: more arguments were wanted than there are */
    bool unknown;       /* there was a conversion of which not even the arguments' sizes are known */
};

/* A conversion: what stands between % and the letter, and the letter. */
struct spec {
    char flags[8];
    int width, precision; /* -1: none */
    unsigned size;        /* bytes of a number */
    char letter;          /* NUL: the format ends before it */
};

/* Whether a conversion could not be done. */
static bool failed(const struct bprint *bprint)
{
    return bprint->args.bad || bprint->unknown;
}

/* Append n characters, or as many as there is room for. */
static void put(struct bprint *bprint, const char *from, size_t n)
{
    size_t left = bprint->room - 1u - bprint->used;
    n = n < left ? n : left;
    memcpy(bprint->to + bprint->used, from, n);
    bprint->used += n;
}

/* The next argument, a number of size bytes; 0 if it is not there. */
static uint64_t take(struct bprint *bprint, unsigned size)
{
    uint64_t align = size < 4u ? size : 4u;
    bprint->args.at = (bprint->args.at + align - 1u) & ~(align - 1u);
    return cursor_number(&bprint->args, size);
}

/* The next argument, a text. It ends with a NUL or with the arguments. */
static const char *take_text(struct bprint *bprint, size_t *length)
{
    size_t left = (size_t)cursor_left(&bprint->args);
    const char *text;
    *length = 0;
    if (left == 0) {
        bprint->args.bad = true;
        return "";
    }
    text = (const char *)bprint->args.memory + bprint->args.at;
    *length = strnlen(text, left);
    cursor_skip(&bprint->args, *length < left ? *length + 1u : *length);
    return text;
}

/* ---- conversions ------------------------------------------------------------------------------------------------- */

/* Each read_...() below reads a part of a conversion and returns the place behind that part. */

/* A width or a precision: digits, or * for an argument that says it. */
static const char *read_number(struct bprint *bprint, const char *at, int *number)
{
    if (*at == '*') {
        *number = (int)(int32_t)take(bprint, 4);
        return at + 1;
    }
    for (*number = 0; *at >= '0' && *at <= '9'; at++)
        *number = *number < 1000 ? *number * 10 + (*at - '0') : *number;
    return at;
}

/* Bytes of a number, by the letters in front of the conversion: h, hh, l, ll, L, z, t. */
static const char *read_size(const struct bprint *bprint, const char *at, unsigned *size)
{
    unsigned longs = bprint->file->long_size;
    *size = 4;
    for (; *at != '\0' && strchr("hlLzt", *at) != NULL; at++) {
        if (*at == 'h')
            *size = *size == 2 ? 1 : 2;
        else if (*at == 'l')
            *size = *size == longs && at[-1] == 'l' ? 8 : longs;
        else
            *size = *at == 'L' ? 8 : longs;
    }
    return at;
}

/* All between % and the letter, and the letter. */
static const char *read_spec(struct bprint *bprint, const char *at, struct spec *spec)
{
    size_t flags = strspn(at, "-+ #0");
    memset(spec, 0, sizeof *spec);
    memcpy(spec->flags, at, flags < sizeof spec->flags ? flags : sizeof spec->flags - 1u);
    spec->width = spec->precision = -1;
    at += flags;
    if (*at == '*' || (*at >= '0' && *at <= '9'))
        at = read_number(bprint, at, &spec->width);
    if (*at == '.')
        at = read_number(bprint, at + 1, &spec->precision);
    at = read_size(bprint, at, &spec->size);
    spec->letter = *at;
    return *at != '\0' ? at + 1 : at;
}

/* A width or precision that the text of a number has room for. */
static int limit(int n)
{
    return n > WIDTH_MAX ? WIDTH_MAX : n < -WIDTH_MAX ? -WIDTH_MAX : n;
}

/* A number of size bytes with its sign extended to 8 bytes. */
static uint64_t extend_sign(uint64_t value, unsigned size)
{
    if (size == 1)
        return (uint64_t)(int8_t)value;
    if (size == 2)
        return (uint64_t)(int16_t)value;
    return size == 4 ? (uint64_t)(int32_t)value : value;
}

/* A number, by the C library's printf() with the same flags, width and precision. */
static void put_number(struct bprint *bprint, const struct spec *spec, uint64_t value)
{
    bool is_signed = spec->letter == 'd' || spec->letter == 'i';
    char format[32], text[1100];
    int n;
    if (is_signed)
        value = extend_sign(value, spec->size);
    snprintf(format, sizeof format, "%%%s*.*ll%c", spec->flags, spec->letter);
    n = snprintf(text, sizeof text, format, limit(spec->width < 0 ? 0 : spec->width), limit(spec->precision),
                 (unsigned long long)value);
    put(bprint, text, n > 0 ? (size_t)n : 0);
}

/* A text, cut to the precision and padded to the width. */
static void put_padded(struct bprint *bprint, const struct spec *spec, const char *text, size_t length)
{
    size_t width = spec->width > 0 ? (size_t)limit(spec->width) : 0;
    bool left = strchr(spec->flags, '-') != NULL;
    if (spec->precision >= 0 && (size_t)spec->precision < length)
        length = (size_t)spec->precision;
    for (size_t n = length; !left && n < width; n++)
        put(bprint, " ", 1);
    put(bprint, text, length);
    for (size_t n = length; left && n < width; n++)
        put(bprint, " ", 1);
}

/* ---- pointers ---------------------------------------------------------------------------------------------------- */

/* The name of what lies at an address, or the address. */
static void put_symbol(struct bprint *bprint, const struct spec *spec, uint64_t address, bool with_offset)
{
    const struct trace_symbol *symbol = trace_symbol_before(&bprint->file->tables.firmware, address);
    char text[256];
    if (symbol == NULL)
        snprintf(text, sizeof text, "0x%" PRIx64, address);
    else if (with_offset)
        snprintf(text, sizeof text, "%.200s+0x%" PRIx64, symbol->name, address - symbol->address);
    else
        snprintf(text, sizeof text, "%.200s", symbol->name);
    put_padded(bprint, spec, text, strlen(text));
}

/* A pointer. at: where letters may say what it points to; returns the place behind them. */
static const char *put_pointer(struct bprint *bprint, struct spec *spec, const char *at)
{
    char kind = *at;
    bool more = (kind >= '0' && kind <= '9') || (kind >= 'A' && kind <= 'Z') || (kind >= 'a' && kind <= 'z');
    char text[24];
    size_t length;
    while (more && *at != '\0' && strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", *at) != NULL)
        at++;
    if (more && strchr("sSfFxKe", kind) == NULL) {
        const char *made = take_text(bprint, &length);
        put_padded(bprint, spec, made, length);
    } else if (more && strchr("sSfF", kind) != NULL) {
        put_symbol(bprint, spec, take(bprint, bprint->file->long_size), kind == 'S' || kind == 'F');
    } else {
        snprintf(text, sizeof text, kind == 'x' ? "%" PRIx64 : "0x%" PRIx64, take(bprint, bprint->file->long_size));
        put_padded(bprint, spec, text, strlen(text));
    }
    return at;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

/* A conversion. at: behind its %; returns the place behind the conversion. */
static const char *put_conversion(struct bprint *bprint, const char *at)
{
    struct spec spec;
    const char *text, *end = read_spec(bprint, at, &spec);
    size_t length;
    char c;
    switch (spec.letter) {
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o':
        put_number(bprint, &spec, take(bprint, spec.size));
        break;
    case 'c':
        c = (char)take(bprint, 1);
        put_padded(bprint, &spec, &c, 1);
        break;
    case 's':
        text = take_text(bprint, &length);
        put_padded(bprint, &spec, text, length);
        break;
    case 'p':
        return put_pointer(bprint, &spec, end);
    case '%':
        put(bprint, "%", 1);
        break;
    default:
        put(bprint, "%", 1);
        put(bprint, at, (size_t)(end - at));
        bprint->unknown = true;
        break;
    }
    return end;
}

/* The rest of a format, as it is, and all arguments in hex. */
static void put_rest(struct bprint *bprint, const char *format)
{
    put(bprint, format, strlen(format));
    put(bprint, " [", 2);
    for (uint64_t i = 0; i < bprint->args.end; i++) {
        char hex[4];
        snprintf(hex, sizeof hex, "%02x", bprint->args.memory[i]);
        put(bprint, hex, 2);
    }
    put(bprint, "]", 1);
}

size_t tracedat_bprint(const struct tracedat_file *file, char *to, size_t room, const char *format,
                       const unsigned char *args, size_t size)
{
    struct bprint bprint = {.file = file, .to = to, .room = room, .args = cursor_in_memory(args, size, file->big)};
    while (*format != '\0' && !failed(&bprint)) {
        size_t plain = strcspn(format, "%"), before;
        const char *from;
        put(&bprint, format, plain);
        from = format + plain;
        if (*from == '\0')
            break;
        /* What a conversion wrote before it failed is taken back. */
        before = bprint.used;
        format = put_conversion(&bprint, from + 1);
        if (failed(&bprint)) {
            bprint.used = before;
            put_rest(&bprint, from);
        }
    }
    to[bprint.used] = '\0';
    return bprint.used;
}
