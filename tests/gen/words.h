/* words.h - words of a dump, and the check values over them, by target/FORMAT.md alone. For dump.c. */
#ifndef GEN_WORDS_H
#define GEN_WORDS_H

#include <stddef.h>
#include <stdint.h>

static inline void put32(unsigned char *to, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        to[i] = (unsigned char)(value >> 8 * i);
}

static inline uint32_t get32(const unsigned char *from)
{
    return (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

static uint32_t crc_table[256];

static inline void crc_prepare(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        crc_table[i] = i;
        for (int bit = 0; bit < 8; bit++)
            crc_table[i] = crc_table[i] & 1u ? crc_table[i] >> 1 ^ 0xEDB88320u : crc_table[i] >> 1;
    }
}

static inline uint32_t crc_more(uint32_t crc, const unsigned char *data, size_t n)
{
    for (crc = ~crc; n > 0; n--, data++)
        crc = crc >> 8 ^ crc_table[(crc ^ *data) & 0xFFu];
    return ~crc;
}

/* The check of a header: the sum over its first 15 words of word ^ word >> 16 times a power of a constant. */
static inline uint32_t check_of(const unsigned char *header)
{
    uint32_t sum = 0, factor = 1;
    for (unsigned i = 0; i < 15; i++) {
        uint32_t word = get32(header + (size_t)4 * i);
        factor *= 0x9E3779B1u;
        sum += (word ^ word >> 16) * factor;
    }
    return sum;
}

/* The high word of a count of 64 bits: bit 31 repeats bit 31 of the low word. */
static inline uint32_t high_of(uint64_t count)
{
    return (uint32_t)(count >> 32) | ((uint32_t)count & 0x80000000u);
}

#endif
