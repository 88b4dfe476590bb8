/* crc32.h - the CRC-32 of IEEE 802.3, zlib and PNG: computed, and used to find the one byte that is wrong. */
#ifndef BASE_CRC32_H
#define BASE_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* CRC-32 of size bytes. */
uint32_t crc32_of(const unsigned char *data, size_t size);

/* CRC-32 of bytes whose CRC-32 is known, and of size more bytes behind them. */
uint32_t crc32_more(uint32_t before, const unsigned char *data, size_t size);

#define CRC32_NOWHERE UINT32_MAX

/* Which byte is wrong. */
struct crc32_error {
    uint32_t at;        /* CRC32_NOWHERE, or 0 .. size - 1: in the data; size .. size + 3: in the CRC behind them */
    unsigned char bits; /* which of its bits are wrong: exclusive-or makes the byte right */
};

/* Find the wrong byte in size bytes of data with their CRC-32, little-endian, behind them. difference: the CRC-32 of
 * the data exclusive-or the one behind them, not 0. CRC32_NOWHERE if no single wrong byte explains the difference, or
 * if each of several would. */
struct crc32_error crc32_locate(uint32_t difference, uint32_t size);

#endif
