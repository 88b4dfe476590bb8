/* proto.h - messages of protobuf, as they grow in memory: a tag and a value for each field.
 *
 * Each function puts something at `to` and returns the place behind it. The caller has made sure of the room: a number
 * takes PROTO_NUMBER bytes at most, a text its length and as many.
 *
 * Source: protobuf.dev, "Encoding": a tag is the field's number << 3 with the kind of value in bits 2..0; a varint has
 * 7 bits in each byte, the low ones first, and bit 7 set in all but the last.
 */
#ifndef PERFETTO_PROTO_H
#define PERFETTO_PROTO_H

#include "base/bytes.h"
#include "base/printable.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PROTO_NUMBER 15u /* bytes of a tag and a varint */

enum { PROTO_VARINT = 0, PROTO_FIXED64 = 1, PROTO_BYTES = 2 };

static inline unsigned char *proto_varint(unsigned char *to, uint64_t value)
{
    for (; value >= 0x80u; value >>= 7)
        *to++ = (unsigned char)(value | 0x80u);
    *to++ = (unsigned char)value;
    return to;
}

/* Put a whole number. The caller extends a number with a sign to 64 bits. */
static inline unsigned char *proto_number(unsigned char *to, unsigned field, uint64_t value)
{
    return proto_varint(proto_varint(to, field << 3 | PROTO_VARINT), value);
}

static inline unsigned char *proto_double(unsigned char *to, unsigned field, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    to = proto_varint(to, field << 3 | PROTO_FIXED64);
    put_le64(to, bits);
    return to + 8;
}

static inline unsigned char *proto_bytes(unsigned char *to, unsigned field, const void *from, size_t n)
{
    to = proto_varint(proto_varint(to, field << 3 | PROTO_BYTES), n);
    memcpy(to, from, n);
    return to + n;
}

/* Put a text. Protobuf wants UTF-8: a byte that is not UTF-8 becomes "?". */
static inline unsigned char *proto_chars(unsigned char *to, unsigned field, const char *text, size_t n)
{
    unsigned char *end = proto_bytes(to, field, text, n);
    utf8_mend(end - n, n);
    return end;
}

static inline unsigned char *proto_text(unsigned char *to, unsigned field, const char *text)
{
    return proto_chars(to, field, text, strlen(text));
}

/* Begin a message inside a message. Returns where its fields go; pass that to proto_end(). */
static inline unsigned char *proto_begin(unsigned char *to, unsigned field)
{
    return proto_varint(to, field << 3 | PROTO_BYTES) + 1;
}

/* The message ends at `to`: put its length before it. One byte was left for the length; if that is not enough, the
 * fields are moved. */
static inline unsigned char *proto_end(unsigned char *fields, unsigned char *to)
{
    size_t n = (size_t)(to - fields), more = 0;
    for (size_t rest = n >> 7; rest > 0; rest >>= 7)
        more++;
    if (more > 0)
        memmove(fields + more, fields, n);
    proto_varint(fields - 1, n);
    return to + more;
}

/* The same for a text that proto_begin() began; it is also made UTF-8. */
static inline unsigned char *proto_end_text(unsigned char *text, unsigned char *to)
{
    utf8_mend(text, (size_t)(to - text));
    return proto_end(text, to);
}

#endif
