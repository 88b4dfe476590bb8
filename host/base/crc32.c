/* crc32.c - CRC-32: see crc32.h.
 *
 * A dump has a check value for every 512 bytes, and checking them must not take longer than decoding. Over such pieces
 * zlib reaches 2 GB/s, carry-less multiplication of 128-bit parts 8 GB/s. So x86-64 processors that have the
 * instruction PCLMULQDQ use it, and all others use zlib.
 *
 * Source of the multiplication and its constants: V. Gopal et al., "Fast CRC Computation for Generic Polynomials Using
 * PCLMULQDQ Instruction", Intel, 2009.
 */
#include "base/crc32.h"

#include <stdbool.h>
#include <zlib.h>

#define POLYNOMIAL 0xEDB88320u /* of IEEE 802.3, bits reversed */

#if defined __x86_64__
#include <immintrin.h>

/* The factors that fold a part over the next 512, 128 and 64 bits: x^(n + 32) and x^(n - 32) modulo the polynomial,
 * bits reversed, times x. barrett: the polynomial and x^64 divided by it, bits reversed, for the last step, a Barrett
 * reduction. */
static const uint64_t fold_512[2] = {0x154442BD4u, 0x1C6E41596u};
static const uint64_t fold_128[2] = {0x1751997D0u, 0x0CCAA009Eu};
static const uint64_t fold_64[2] = {0x163CD6124u, 0};
static const uint64_t barrett[2] = {0x1DB710641u, 0x1F7011641u};

/* The 16 bytes at from, at any alignment. */
__attribute__((target("pclmul,sse4.1"))) static inline __m128i load(const void *from)
{
    return _mm_loadu_si128((const __m128i *)from);
}

/* Move a part ahead by the distance that the keys are made for, and add the bytes that are there. */
__attribute__((target("pclmul,sse4.1"))) static inline __m128i fold(__m128i part, __m128i keys, __m128i next)
{
    __m128i low = _mm_clmulepi64_si128(part, keys, 0x00);
    __m128i high = _mm_clmulepi64_si128(part, keys, 0x11);
    return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

/* Reduce a part of 128 bits to the 32 bits of the remainder: over 64 bits, over 32, and by Barrett. */
__attribute__((target("pclmul,sse4.1"))) static uint32_t reduce(__m128i part)
{
    const __m128i low_32 = _mm_setr_epi32(-1, 0, -1, 0);
    __m128i keys = load(fold_128);
    __m128i t;
    part = _mm_xor_si128(_mm_srli_si128(part, 8), _mm_clmulepi64_si128(part, keys, 0x10));
    t = _mm_srli_si128(part, 4);
    part = _mm_xor_si128(t, _mm_clmulepi64_si128(_mm_and_si128(part, low_32), load(fold_64), 0x00));
    keys = load(barrett);
    t = _mm_clmulepi64_si128(_mm_and_si128(part, low_32), keys, 0x10);
    t = _mm_clmulepi64_si128(_mm_and_si128(t, low_32), keys, 0x00);
    return (uint32_t)_mm_extract_epi32(_mm_xor_si128(part, t), 1);
}

/* The CRC-32 of size bytes, a multiple of 64 and at least 64: four parts side by side, which hide the latency of the
 * multiplication, and become one at the end. */
__attribute__((target("pclmul,sse4.1"))) static uint32_t crc_by_multiplying(const unsigned char *data, size_t size)
{
    __m128i keys = load(fold_512);
    __m128i a = _mm_xor_si128(load(data), _mm_cvtsi32_si128(-1));
    __m128i b = load(data + 16), c = load(data + 32), d = load(data + 48);
    for (size_t at = 64; at < size; at += 64) {
        a = fold(a, keys, load(data + at));
        b = fold(b, keys, load(data + at + 16));
        c = fold(c, keys, load(data + at + 32));
        d = fold(d, keys, load(data + at + 48));
    }
    keys = load(fold_128);
    return ~reduce(fold(fold(fold(a, keys, b), keys, c), keys, d));
}

/* Whether this processor has the instructions. */
static bool can_multiply(void)
{
    return __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1");
}
#else
/* Never called: can_multiply() is false. */
static uint32_t crc_by_multiplying(const unsigned char *data, size_t size)
{
    return (uint32_t)crc32_z(0, data, size);
}

static bool can_multiply(void)
{
    return false;
}
#endif

/* The bytes behind the last whole 64 are left to zlib. */
uint32_t crc32_of(const unsigned char *data, size_t size)
{
    size_t whole = size & ~(size_t)63;
    if (whole == 0 || !can_multiply())
        return (uint32_t)crc32_z(0, data, size);
    return (uint32_t)crc32_z(crc_by_multiplying(data, whole), data + whole, size - whole);
}

uint32_t crc32_more(uint32_t before, const unsigned char *data, size_t size)
{
    return (uint32_t)crc32_z(before, data, size);
}

/* The CRC register as it was before eight bits of 0 went in. */
static uint32_t eight_bits_back(uint32_t value)
{
    for (int bit = 0; bit < 8; bit++)
        value = value & 0x80000000u ? (value ^ POLYNOMIAL) << 1 | 1u : value << 1;
    return value;
}

/* A wrong byte changes the lowest byte of the register, and every byte after it shifts that change on. So the change is
 * shifted back, byte by byte: at a place where only its lowest byte is left, that byte may have been wrong. The four
 * bytes of the CRC itself may be wrong, too: then the difference is in one of them. If there are two such places, it is
 * not known which of them is wrong. */
struct crc32_error crc32_locate(uint32_t difference, uint32_t size)
{
    struct crc32_error found = {CRC32_NOWHERE, 0};
    unsigned n = 0;
    for (uint32_t i = 0; i < 4; i++) {
        if ((difference & ~(0xFFu << 8 * i)) == 0) {
            found = (struct crc32_error){size + i, (unsigned char)(difference >> 8 * i)};
            n++;
        }
    }
    for (uint32_t at = size; at > 0; at--) {
        difference = eight_bits_back(difference);
        if (difference <= 0xFFu) {
            found = (struct crc32_error){at - 1u, (unsigned char)difference};
            n++;
        }
    }
    if (n != 1)
        found.at = CRC32_NOWHERE;
    return found;
}
