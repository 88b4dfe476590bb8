/* zlib.h - stands in for the header of zlib in a build without it: nothing succeeds, and the version is "". Only the
 * CRC-32 is there. It has no more of zlib's names than the decoder uses. */
#ifndef OS_NONE_ZLIB_H
#define OS_NONE_ZLIB_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef unsigned char Bytef;
typedef unsigned uInt;
typedef unsigned long uLong, uLongf;

typedef struct {
    const Bytef *next_in;
    Bytef *next_out;
    uInt avail_in, avail_out;
    const char *msg;
} z_stream;

#define z_const const

enum { Z_OK = 0, Z_STREAM_END = 1, Z_BUF_ERROR = -5, Z_VERSION_ERROR = -6 };
enum { Z_NO_FLUSH, Z_FINISH, Z_BEST_SPEED, Z_DEFAULT_COMPRESSION, Z_DEFLATED, Z_DEFAULT_STRATEGY };

#define zlibVersion() ""

#define inflateInit(stream)       ((void)(stream), Z_VERSION_ERROR)
#define inflateInit2(stream, how) ((void)(stream), Z_OK)
#define inflateReset(stream)      ((void)(stream))
#define inflateEnd(stream)        ((void)(stream))
#define deflateEnd(stream)        ((void)(stream))
#define deflate(stream, how)      ((void)(stream), (void)(how))
#define compressBound(size)       (size)

#define deflateInit2(stream, level, method, bits, memory, strategy) ((void)(stream), Z_VERSION_ERROR)

#define compress2(to, room, from, size, level) ((void)(to), (void)(room), (void)(from), (void)(size), Z_VERSION_ERROR)
#define uncompress(to, room, from, size)       compress2(to, room, from, size, 0)

static inline int inflate(z_stream *stream, int how)
{
    (void)how;
    stream->msg = "this program was built without zlib";
    return Z_VERSION_ERROR;
}

enum { CRC_STEP = 8 }; /* bytes at a time */

/* What a byte adds to the CRC of what precedes it, with 0 to 7 more bytes behind. */
static inline const uint32_t (*crc32_tables(void))[256]
{
    static uint32_t tables[CRC_STEP][256];
    if (tables[0][1] != 0)
        return (const uint32_t(*)[256])tables;
    for (uint32_t byte = 0; byte < 256; byte++) {
        tables[0][byte] = byte;
        for (int bit = 0; bit < 8; bit++)
            tables[0][byte] = tables[0][byte] >> 1 ^ (tables[0][byte] & 1u ? 0xEDB88320u : 0);
    }
    for (unsigned more = 1; more < CRC_STEP; more++) {
        for (unsigned byte = 0; byte < 256; byte++)
            tables[more][byte] = tables[more - 1u][byte] >> 8 ^ tables[0][tables[more - 1u][byte] & 0xFFu];
    }
    return (const uint32_t(*)[256])tables;
}

static inline uLong crc32_z(uLong before, const Bytef *data, size_t size)
{
    const uint32_t(*tables)[256] = crc32_tables();
    uint32_t crc = ~(uint32_t)before;
    for (; size >= CRC_STEP; data += CRC_STEP, size -= CRC_STEP) {
        uint32_t low =
            crc ^ ((uint32_t)data[0] | (uint32_t)data[1] << 8 | (uint32_t)data[2] << 16 | (uint32_t)data[3] << 24);
        crc = tables[7][low & 0xFFu] ^ tables[6][low >> 8 & 0xFFu] ^ tables[5][low >> 16 & 0xFFu] ^ tables[4][low >> 24]
              ^ tables[3][data[4]] ^ tables[2][data[5]] ^ tables[1][data[6]] ^ tables[0][data[7]];
    }
    for (; size > 0; data++, size--)
        crc = crc >> 8 ^ tables[0][(crc ^ *data) & 0xFFu];
    return ~crc;
}

#endif
