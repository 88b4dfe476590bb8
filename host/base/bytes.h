/* bytes.h - numbers in memory, of either byte order, whatever the order and the alignment of the host.
 *
 * Each function is one load or one store, and a swap of bytes where the order differs from the host's. None of them
 * checks a bound: the caller has the bytes. base/cursor.h reads numbers with a check.
 */
#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include <stdbool.h>
#include <stdint.h>

/* ---- between the host's order and little-endian ------------------------------------------------------------------ */

/* le16(), le32() and le64() turn a number of the host into one whose bytes are little-endian in memory, and back. */
static inline uint16_t le16(uint16_t value)
{
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap16(value) : value;
}

static inline uint32_t le32(uint32_t value)
{
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap32(value) : value;
}

static inline uint64_t le64(uint64_t value)
{
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap64(value) : value;
}

/* ---- little-endian ----------------------------------------------------------------------------------------------- */

/* The little-endian number in the 2, 4 or 8 bytes at from. */
static inline uint16_t get_le16(const void *from)
{
    uint16_t value;
    __builtin_memcpy(&value, from, sizeof value);
    return le16(value);
}

static inline uint32_t get_le32(const void *from)
{
    uint32_t value;
    __builtin_memcpy(&value, from, sizeof value);
    return le32(value);
}

static inline uint64_t get_le64(const void *from)
{
    uint64_t value;
    __builtin_memcpy(&value, from, sizeof value);
    return le64(value);
}

/* Store a number little-endian in the 2, 4 or 8 bytes at to. */
static inline void put_le16(void *to, uint16_t value)
{
    value = le16(value);
    __builtin_memcpy(to, &value, sizeof value);
}

static inline void put_le32(void *to, uint32_t value)
{
    value = le32(value);
    __builtin_memcpy(to, &value, sizeof value);
}

static inline void put_le64(void *to, uint64_t value)
{
    value = le64(value);
    __builtin_memcpy(to, &value, sizeof value);
}

/* ---- either order ------------------------------------------------------------------------------------------------ */

/* The number in the 2, 4 or 8 bytes at from: big-endian if big, else little-endian. */
static inline uint16_t get_16(const void *from, bool big)
{
    return big ? __builtin_bswap16(get_le16(from)) : get_le16(from);
}

static inline uint32_t get_32(const void *from, bool big)
{
    return big ? __builtin_bswap32(get_le32(from)) : get_le32(from);
}

static inline uint64_t get_64(const void *from, bool big)
{
    return big ? __builtin_bswap64(get_le64(from)) : get_le64(from);
}

/* The number in size bytes at from: 0 to 8 bytes, as the input tells. 0 bytes are the number 0. */
static inline uint64_t number_at(const unsigned char *from, unsigned size, bool big)
{
    uint64_t value = 0;
    if (size == 4u)
        return get_32(from, big);
    if (size == 8u)
        return get_64(from, big);
    for (unsigned i = 0; i < size; i++)
        value = value << 8 | from[big ? i : size - 1u - i];
    return value;
}

#endif
