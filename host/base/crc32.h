/* crc32.h - the CRC-32 of IEEE 802.3, zlib and PNG: made, checked, and asked which byte is wrong. */
#ifndef BASE_CRC32_H
#define BASE_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* CRC-32 of size bytes. */
uint32_t crc32_of(const unsigned char *data, size_t size);

#define CRC32_NOWHERE UINT32_MAX

struct crc32_error {
    uint32_t at;        /* CRC32_NOWHERE: not one byte */
    unsigned char bits; /* what to exclusive-or to the byte there */
};

/* size bytes have a CRC-32 that differs from the right one in exactly the bits of difference (not 0). The only byte
 * that can be wrong, if it is one; at 0 .. size - 1 is in the data, size .. size + 3 in the little-endian CRC behind
 * them. */
struct crc32_error crc32_locate(uint32_t difference, uint32_t size);

#endif
