/* payload.c - payloads of the event model for records of a trace.dat file: see type.h.
 *
 * A payload of trace_printk() has the finished text. The kernel logs the address of the format and packs the arguments
 * so (lib/vsprintf.c, vbin_printf()): numbers of 8 bytes are aligned to 4, smaller ones to their own size; a text
 * begins where the argument before it ended. A pointer is packed as a number only where it is printed as an address or
 * as the name of a function; of all else that %p can mean the kernel packs the finished text.
 */
#include "formats/tracedat/read/tables.h"
#include "formats/tracedat/read/type.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/printable.h"
#include "base/text.h"

enum {
    HEX_MAX = 1900,     /* bytes that are told as hex; of longer ones the text ends in "..." */
    PRINTED_MAX = 2048, /* bytes of what trace_printk() printed, with the NUL */
    END_SIZE = 8,       /* bytes that are kept free behind a text: for its NUL, and for what makes whole words */
    WIDTH_MAX = 500,    /* of conversions of trace_printk(); wider and more precise ones are cut to this */
};

/* ---- trace_printk(): text and arguments -------------------------------------------------------------------------- */

struct bprint {
    const struct tracedat_file *file;
    char *to;
    size_t used, room;  /* bytes of to; room is for the NUL, too */
    struct cursor args; /* bad: more arguments were wanted than there are */
    bool unknown;       /* there was a conversion that is not known, nor what arguments it takes */
};

/* A conversion: what stands between % and the letter, and the letter. */
struct spec {
    char flags[8];
    int width, precision; /* -1: none */
    unsigned size;        /* bytes of a number */
    char letter;          /* NUL: the format ends before it */
};

/* Whether a conversion could not be done. */
static bool has_failed(const struct bprint *bprint)
{
    return bprint->args.bad || bprint->unknown;
}

/* Append n characters, or as many as there is room for. */
static void append(struct bprint *bprint, const char *from, size_t n)
{
    size_t left = bprint->room - 1u - bprint->used;
    n = n < left ? n : left;
    memcpy(bprint->to + bprint->used, from, n);
    bprint->used += n;
}

/* The next argument, a number of size bytes; 0 if it is not there. */
static uint64_t next_number(struct bprint *bprint, unsigned size)
{
    uint64_t align = size < 4u ? size : 4u;
    bprint->args.at = (bprint->args.at + align - 1u) & ~(align - 1u);
    return cursor_number(&bprint->args, size);
}

/* The next argument, a text. It ends with a NUL or with the arguments. */
static const char *next_text(struct bprint *bprint, size_t *length)
{
    size_t left = (size_t)cursor_left(&bprint->args);
    const char *text;
    *length = 0;
    if (left == 0) {
        bprint->args.bad = true;
        return "";
    }
    text = (const char *)bprint->args.memory + bprint->args.at;
    *length = text_length(text, left);
    cursor_skip(&bprint->args, *length < left ? *length + 1u : *length);
    return text;
}

/* ---- trace_printk(): conversions --------------------------------------------------------------------------------- */

/* Each read_...() below reads a part of a conversion and returns the place behind that part. */

/* A width or a precision: digits, or * for an argument that says it. */
static const char *read_number(struct bprint *bprint, const char *at, int *number)
{
    if (*at == '*') {
        *number = (int)(int32_t)next_number(bprint, 4);
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

/* What stands between % and the letter, and the letter. */
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

/* The width or precision, cut so that the text of a number has room for it. */
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
static void print_number(struct bprint *bprint, const struct spec *spec, uint64_t value)
{
    bool is_signed = spec->letter == 'd' || spec->letter == 'i';
    char format[32], text[1100];
    int n;
    if (is_signed)
        value = extend_sign(value, spec->size);
    snprintf(format, sizeof format, "%%%s*.*ll%c", spec->flags, spec->letter);
    n = snprintf(text, sizeof text, format, limit(spec->width < 0 ? 0 : spec->width), limit(spec->precision),
                 (unsigned long long)value);
    append(bprint, text, n > 0 ? (size_t)n : 0);
}

/* A text, cut to the precision and padded to the width. */
static void print_padded(struct bprint *bprint, const struct spec *spec, const char *text, size_t length)
{
    size_t width = spec->width > 0 ? (size_t)limit(spec->width) : 0;
    bool left = strchr(spec->flags, '-') != NULL;
    if (spec->precision >= 0 && (size_t)spec->precision < length)
        length = (size_t)spec->precision;
    for (size_t n = length; !left && n < width; n++)
        append(bprint, " ", 1);
    append(bprint, text, length);
    for (size_t n = length; left && n < width; n++)
        append(bprint, " ", 1);
}

/* ---- trace_printk(): pointers ------------------------------------------------------------------------------------ */

/* The name of what lies at an address, or the address. */
static void print_symbol(struct bprint *bprint, const struct spec *spec, uint64_t address, bool with_offset)
{
    const struct trace_symbol *symbol = trace_symbol_before(&bprint->file->tables.firmware, address);
    char text[256];
    if (symbol == NULL)
        snprintf(text, sizeof text, "0x%" PRIx64, address);
    else if (with_offset && address > symbol->address)
        snprintf(text, sizeof text, "%.200s+0x%" PRIx64, symbol->name, address - symbol->address);
    else
        snprintf(text, sizeof text, "%.200s", symbol->name);
    print_padded(bprint, spec, text, strlen(text));
}

/* A pointer. at: where letters may say what it points to; returns the place behind them. */
static const char *print_pointer(struct bprint *bprint, struct spec *spec, const char *at)
{
    char kind = *at;
    bool more = (kind >= '0' && kind <= '9') || (kind >= 'A' && kind <= 'Z') || (kind >= 'a' && kind <= 'z');
    char text[24];
    size_t length;
    while (more && *at != '\0' && strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", *at) != NULL)
        at++;
    if (more && strchr("sSfFxKe", kind) == NULL) {
        const char *made = next_text(bprint, &length);
        print_padded(bprint, spec, made, length);
    } else if (more && strchr("sSfF", kind) != NULL) {
        print_symbol(bprint, spec, next_number(bprint, bprint->file->long_size), kind == 'S' || kind == 'F');
    } else {
        snprintf(text, sizeof text, kind == 'x' ? "%" PRIx64 : "0x%" PRIx64,
                 next_number(bprint, bprint->file->long_size));
        print_padded(bprint, spec, text, strlen(text));
    }
    return at;
}

/* ---- trace_printk(): the whole ----------------------------------------------------------------------------------- */

/* A conversion. at: behind its %; returns the place behind the conversion. */
static const char *print_conversion(struct bprint *bprint, const char *at)
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
        print_number(bprint, &spec, next_number(bprint, spec.size));
        break;
    case 'c':
        c = (char)next_number(bprint, 1);
        print_padded(bprint, &spec, &c, 1);
        break;
    case 's':
        text = next_text(bprint, &length);
        print_padded(bprint, &spec, text, length);
        break;
    case 'p':
        return print_pointer(bprint, &spec, end);
    case '%':
        append(bprint, "%", 1);
        break;
    default:
        append(bprint, "%", 1);
        append(bprint, at, (size_t)(end - at));
        bprint->unknown = true;
        break;
    }
    return end;
}

/* The rest of a format, as it is, and all arguments in hex. */
static void print_rest(struct bprint *bprint, const char *format)
{
    append(bprint, format, strlen(format));
    append(bprint, " [", 2);
    for (uint64_t i = 0; i < bprint->args.end; i++) {
        char hex[4];
        snprintf(hex, sizeof hex, "%02x", bprint->args.memory[i]);
        append(bprint, hex, 2);
    }
    append(bprint, "]", 1);
}

size_t tracedat_bprint(const struct tracedat_file *file, char *to, size_t room, const char *format,
                       const unsigned char *args, size_t size)
{
    struct bprint bprint = {.file = file, .to = to, .room = room, .args = cursor_in_memory(args, size, file->big)};
    while (*format != '\0' && !has_failed(&bprint)) {
        size_t plain = strcspn(format, "%"), before;
        const char *from;
        append(&bprint, format, plain);
        from = format + plain;
        if (*from == '\0')
            break;
        /* What a conversion wrote before it failed is taken back. */
        before = bprint.used;
        format = print_conversion(&bprint, from + 1);
        if (has_failed(&bprint)) {
            bprint.used = before;
            print_rest(&bprint, from);
        }
    }
    to[bprint.used] = '\0';
    return bprint.used;
}

/* ---- payloads ---------------------------------------------------------------------------------------------------- */

/* A payload that is being made of a record. */
struct payload {
    const struct tracedat_file *file;
    const struct tracedat_type *type;
    const unsigned char *record;
    size_t size; /* bytes of the record */
    unsigned char *to;
    size_t used; /* bytes written at to */
};

/* ---- texts ------------------------------------------------------------------------------------------------------- */

/* Bytes that the next text may have, without its NUL. */
static size_t text_room(const struct payload *payload)
{
    return payload->used + END_SIZE < TRACEDAT_PAYLOAD_MAX ? TRACEDAT_PAYLOAD_MAX - END_SIZE - payload->used : 0;
}

/* n bytes of a text were written behind the used ones: end it with a NUL, and put into the field at an offset of the
 * payload where it is. */
static void end_text(struct payload *payload, uint32_t field, size_t n)
{
    payload->to[payload->used + n] = '\0';
    put_le32(payload->to + field, (uint32_t)payload->used | (uint32_t)(n + 1u) << 16);
    payload->used += n + 1u;
}

/* Write a text of n bytes, or less if it has a NUL. It is cut to the room there is, and then ends in "...". field, here
 * and below: offset in the payload of the 4 bytes that say where the text is. */
static void put_text(struct payload *payload, uint32_t field, const unsigned char *from, size_t n)
{
    const unsigned char *nul = n > 0 ? memchr(from, '\0', n) : NULL;
    size_t room = text_room(payload);
    n = nul != NULL ? (size_t)(nul - from) : n;
    if (n > room && room >= 3u) {
        memcpy(payload->to + payload->used + room - 3u, "...", 3);
        memcpy(payload->to + payload->used, from, room - 3u);
        n = room;
    } else if (n > room) {
        n = 0;
    } else if (n > 0) {
        memcpy(payload->to + payload->used, from, n);
    }
    end_text(payload, field, n);
}

/* Write bytes as hex. */
static void put_hex(struct payload *payload, uint32_t field, const unsigned char *from, size_t n)
{
    size_t room = text_room(payload), most = room > 3u ? (room - 3u) / 2u : 0;
    char *to = (char *)payload->to + payload->used, *at;
    most = most < HEX_MAX ? most : HEX_MAX;
    at = hex_put(to, from, n < most ? n : most);
    if (n > most && room >= 3u) {
        memcpy(at, "...", 3);
        at += 3;
    }
    end_text(payload, field, (size_t)(at - to));
}

/* Write a set of bits as the kernel does: the most significant byte first, a comma after every four: 00000000,0000000f.
 * A set that is not made of whole words, or is too long, is written as hex. */
static void put_mask(struct payload *payload, uint32_t field, const unsigned char *from, size_t n)
{
    unsigned word = payload->file->long_size;
    char *at = (char *)payload->to + payload->used;
    if (n % word != 0 || 3u * n > text_room(payload)) {
        put_hex(payload, field, from, n);
        return;
    }
    for (size_t i = n; i-- > 0;) {
        size_t place = payload->file->big ? i / word * word + (word - 1u - i % word) : i;
        at += sprintf(at, i % 4u == 0 && i > 0 ? "%02x," : "%02x", from[place]);
    }
    end_text(payload, field, (size_t)(at - (char *)payload->to) - payload->used);
}

/* Write a text, or bytes, that lie somewhere in the record. The field has the offset in its low 16 bits, and the length
 * in the high ones. */
static void put_located(struct payload *payload, const struct tracedat_field *field, uint32_t to)
{
    uint32_t place = (uint32_t)number_at(payload->record + field->offset, 4, payload->file->big);
    bool relative = field->shape == TRACEDAT_REL_LOC || field->shape == TRACEDAT_REL_LOC_HEX;
    size_t offset = (place & UINT16_MAX) + (relative ? field->offset + 4u : 0u), length = place >> 16;
    if (length > 0 && offset >= payload->size) {
        put_le32(payload->to + to, UINT32_MAX); /* nowhere: writers show ? */
        return;
    }
    if (field->shape == TRACEDAT_DATA_LOC || field->shape == TRACEDAT_REL_LOC)
        put_text(payload, to, payload->record + offset, length > 0 ? payload->size - offset : 0);
    else
        (field->mask ? put_mask : put_hex)(payload, to, payload->record + offset,
                                           length < payload->size - offset ? length : payload->size - offset);
}

/* Write the text at the address that the field has; the address if there is none. */
static void put_pointer_text(struct payload *payload, const struct tracedat_field *field, uint32_t to)
{
    uint64_t address = number_at(payload->record + field->offset, field->size, payload->file->big);
    const char *text = tracedat_printk_find(&payload->file->tables.printk, address);
    char number[24];
    if (text == NULL) {
        snprintf(number, sizeof number, "%llx", (unsigned long long)address);
        text = number;
    }
    put_text(payload, to, (const unsigned char *)text, strlen(text));
}

/* Write what lies between the field and the end of the record. */
static void put_flexible(struct payload *payload, const struct tracedat_field *field, uint32_t to)
{
    size_t offset = field->offset < payload->size ? field->offset : payload->size;
    if (field->shape == TRACEDAT_FLEXIBLE)
        put_text(payload, to, payload->record + offset, payload->size - offset);
    else
        put_hex(payload, to, payload->record + offset, payload->size - offset);
}

/* Write any field that becomes a text, except the text of trace_printk(). */
static void put_text_field(struct payload *payload, const struct tracedat_field *field, uint32_t to)
{
    if (tracedat_is_located(field->shape))
        put_located(payload, field, to);
    else if (field->shape == TRACEDAT_POINTER_TEXT)
        put_pointer_text(payload, field, to);
    else if (field->shape == TRACEDAT_HEX)
        put_hex(payload, to, payload->record + field->offset, field->size);
    else
        put_flexible(payload, field, to);
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/* Payloads are little-endian. */
static void put_number(unsigned char *to, uint64_t value, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++)
        to[i] = (unsigned char)(value >> 8u * i);
}

/* The event model wants a NUL in a char[n], and zeros behind it. The kernel leaves there what was there before. */
static void clean_chars(unsigned char *text, size_t size)
{
    unsigned char *nul = memchr(text, '\0', size - 1u);
    if (nul != NULL)
        memset(nul, 0, size - (size_t)(nul - text));
    text[size - 1u] = '\0';
}

/* Complete a field that is no text. Its bytes were copied to the payload already, in the byte order of the file. */
static void put_field(struct payload *payload, const struct tracedat_field *field, uint32_t to)
{
    uint32_t element = field->shape == TRACEDAT_ARRAY ? field->element : field->size;
    if (field->shape == TRACEDAT_CHARS) {
        clean_chars(payload->to + to, field->size);
        return;
    }
    if (field->shape == TRACEDAT_BYTES || !payload->file->big)
        return;
    for (uint32_t i = 0; i < field->size; i += element)
        put_number(payload->to + to + i, number_at(payload->record + field->offset + i, element, true), element);
}

/* ---- payloads ---------------------------------------------------------------------------------------------------- */

/* Write the text of trace_printk(). Its arguments are the record from its last field on. */
static void put_bprint(struct payload *payload, uint32_t field)
{
    uint32_t at = payload->type->format->field[1].offset;
    uint64_t address = number_at(payload->record + payload->type->fmt_at, payload->type->fmt_size, payload->file->big);
    const char *text = tracedat_printk_find(&payload->file->tables.printk, address);
    char made[PRINTED_MAX];
    if (text == NULL) {
        snprintf(made, sizeof made, "(NO FORMAT FOUND at %llx)", (unsigned long long)address);
        put_text(payload, field, (const unsigned char *)made, strlen(made));
        return;
    }
    put_text(payload, field, (const unsigned char *)made,
             tracedat_bprint(payload->file, made, sizeof made, text, payload->record + at, payload->size - at));
}

/* Complete all fields, whose bytes were copied to the payload already. */
static void put_fields(struct payload *payload)
{
    const struct tracedat_format *format = payload->type->format;
    uint32_t added = payload->type->added;
    for (unsigned i = 0; i < format->nfields; i++) {
        const struct tracedat_field *field = &format->field[i];
        uint32_t to = field->offset - format->common;
        if (!tracedat_is_text(field->shape)) {
            put_field(payload, field, to);
            continue;
        }
        if (!tracedat_is_located(field->shape)) {
            to = added;
            added += 4u;
        }
        if (payload->type->special == TRACEDAT_BPRINT)
            put_bprint(payload, to);
        else
            put_text_field(payload, field, to);
    }
}

/* Write the event id, and the whole record as hex. */
static void put_unknown(struct payload *payload)
{
    put_le32(payload->to,
             (uint32_t)number_at(payload->record + payload->file->tables.common.type_at, 2, payload->file->big));
    put_hex(payload, 4, payload->record, payload->size);
}

/* Write a record that ends before its fields do: the fields that are there, without texts. Returns the size of the
 * payload. */
static size_t put_short(struct payload *payload)
{
    uint32_t base = payload->type->format->common;
    size_t there = payload->size > base ? payload->size - base : 0;
    memset(payload->to, 0, payload->used);
    for (unsigned i = 0; i < payload->type->format->nfields; i++) {
        const struct tracedat_field *field = &payload->type->format->field[i];
        if (field->offset + field->size > payload->size || tracedat_is_text(field->shape))
            continue;
        memcpy(payload->to + field->offset - base, payload->record + field->offset, field->size);
        put_field(payload, field, field->offset - base);
    }
    return there & ~(size_t)3;
}

size_t tracedat_payload_room(const struct tracedat_type *type, size_t size)
{
    size_t room = type->type.size + type->texts * (size + 1u) + END_SIZE;
    return type->has_hex || room > TRACEDAT_PAYLOAD_MAX ? TRACEDAT_PAYLOAD_MAX : room;
}

size_t tracedat_payload_make(const struct tracedat_file *file, const struct tracedat_type *type,
                             const unsigned char *record, size_t size, unsigned char *to)
{
    struct payload payload = {file, type, record, size, to, type->type.size};
    uint32_t fixed;
    if (type->special == TRACEDAT_UNKNOWN) {
        put_unknown(&payload);
    } else if (size < type->format->fixed) {
        return put_short(&payload);
    } else {
        fixed = type->format->fixed - type->format->common;
        memcpy(to, record + type->format->common, fixed);
        memset(to + fixed, 0, type->type.size - fixed);
        if (file->big || !type->plain)
            put_fields(&payload);
    }
    while (payload.used % 4u != 0)
        to[payload.used++] = '\0';
    return payload.used;
}
