/* bytes.h - little-endian numbers in memory, whatever the order and alignment of the host: one load or store each. */
#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include <stdint.h>

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

#endif
