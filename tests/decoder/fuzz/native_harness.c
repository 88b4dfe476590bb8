/* native.c - makes dumps of what a fuzzer invents: see fuzz.h. It puts headers, seals and regions right, and wipes some
 * of these headers again.
 */
#include "fuzz.h"

#include <string.h>
#include <zlib.h>

static void put32(uint8_t *at, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static uint32_t get32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* The check of a header, of whose first 15 words `from` has all but the first two. */
static uint32_t check_of(const uint8_t *from)
{
    static const uint8_t begin[8] = {0xED, 0xB7, 0xD6, 0x00, 'T', 'L', 'O', 'G'};
    uint32_t sum = 0, factor = 1;
    for (unsigned i = 0; i < 15; i++) {
        uint32_t word = get32(i < 2 ? begin + 4 * i : from + 4 * (i - 2));
        factor *= 0x9E3779B1u;
        sum += (word ^ word >> 16) * factor;
    }
    return sum;
}

enum { WISHES = 36, SEALED = 1, WIPED = 2 }; /* bits of an unused word of a header: what is to be done to it */

/* Give an image of so many slots a seal with the right CRCs, if there is room for it. */
static void fix_seal(uint8_t *image, size_t size, uint32_t slots)
{
    static const uint8_t words[] = {112, 116, 120, 104, 72, 92, 96, 100, 124, 88};
    size_t groups = (slots + 31u) / 32u, at = 128u + 16u * (slots + 1u) + 32u;
    uint8_t *seal = image + at;
    uLong crc;
    if (at + 48u + 4u * groups > size)
        return;
    memcpy(seal, "SEAL", 4);
    for (size_t i = 0; i < sizeof words; i++)
        memcpy(seal + 4u + 4u * i, image + words[i], 4);
    for (size_t i = 0; i < groups; i++) {
        size_t left = 16u * (slots - 32u * i);
        put32(seal + 48u + 4u * i, (uint32_t)crc32(0, image + 128u + 512u * i, (uInt)(left < 512u ? left : 512u)));
    }
    crc = crc32(crc32(0, seal, 44), seal - 32, 32);
    put32(seal + 44, (uint32_t)crc32(crc, seal + 48, (uInt)(4u * groups)));
}

/* Wipe the headers that wish it. */
static void wipe_headers(uint8_t *data, size_t size)
{
    for (size_t at = 0; at + 128 <= size; at++) {
        if (memcmp(data + at, "\xED\xB7\xD6\x00TLOG", 8) == 0 && (data[at + WISHES] & WIPED) != 0)
            memset(data + at, 0, 8u + data[at + WISHES] % 121u);
    }
}

/* Give every header the right check, and a size that fits its number of slots, of which it has 100 at most. */
static void fix_headers(uint8_t *data, size_t size)
{
    for (size_t at = 0; at + 128 <= size; at++) {
        uint32_t slots, groups;
        if (memcmp(data + at, "\xED\xB7\xD6\x00TLOG", 8) != 0)
            continue;
        slots = data[at + 16] % 100u + 1u;
        groups = (slots + 31u) / 32u;
        put32(data + at + 8, 0x04800002u);
        put32(data + at + 16, slots);
        put32(data + at + 20, 0);
        put32(data + at + 24, 128 + 16 * (slots + 1) + 32 + 48 + (groups + 3) / 4 * 16);
        put32(data + at + 60, check_of(data + at + 8));
        if (data[at + WISHES] & SEALED)
            fix_seal(data + at, size - at, slots);
    }
}

/* Give the groups of a region the right numbers and CRCs, as far as there is room for them. Returns where they end. */
static size_t fix_groups(uint8_t *region, size_t size, uint32_t slots)
{
    uLong seed = crc32(0, region + 12, 152);
    size_t at = 168;
    for (uint32_t group = 0; group < (slots + 31u) / 32u; group++) {
        uint32_t left = slots - 32u * group, words = region[at] % (4u * (left < 32u ? left : 32u)) + 1u;
        if (at + 8u + 4u * words > size)
            break;
        put32(region + at, words | (get32(region + at) & 0xFF00u) | group << 16);
        put32(region + at + 4u + 4u * words, (uint32_t)crc32(crc32(seed, region + at + 4, 4u * words), region + at, 4));
        at += 8u + 4u * words;
        if (at >= size)
            break;
    }
    return at;
}

/* Give every compressed region a head with the right CRCs, and sizes that fit its number of slots. */
static void fix_regions(uint8_t *data, size_t size)
{
    for (size_t at = 0; at + 169 <= size; at++) {
        uint8_t *region = data + at;
        uint32_t slots, groups;
        size_t end;
        if (memcmp(region, "TLPK", 4) != 0)
            continue;
        slots = region[20] % 100u + 1u;
        groups = (slots + 31u) / 32u;
        put32(region + 4, 0x00A80002u);
        put32(region + 12, 0x04800002u);
        put32(region + 20, slots);
        put32(region + 24, 0);
        put32(region + 28, 128 + 16 * (slots + 1) + 32 + 48 + (groups + 3) / 4 * 16);
        put32(region + 64, check_of(region + 12));
        end = fix_groups(region, size - at, slots);
        put32(region + 8, (uint32_t)(end > 168u + 8u * groups ? end : 172u + 8u * groups));
        put32(region + 164, (uint32_t)crc32(0, region, 164));
    }
}

void fuzz_shape_native(uint8_t *data, size_t size, unsigned shape)
{
    if (shape % FUZZ_SHAPES == 0)
        return;
    fix_headers(data, size);
    fix_regions(data, size);
    if (shape % FUZZ_SHAPES == 2u)
        wipe_headers(data, size);
}
