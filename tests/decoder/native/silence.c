/* silence.c - see silence.h. */
#include "silence.h"

#include <stdlib.h>
#include <string.h>

enum { RUNS = 1 << 26 }; /* older ones that are tried */

bool silence_touches_header(struct bytes dump, size_t from, size_t to)
{
    size_t size;
    for (size_t at = 0; (at = find_image(dump, at, &size)) != SIZE_MAX; at += size) {
        if (from < at + HEADER && to > at)
            return true;
    }
    return false;
}

/* A copy of the dump, in whose image at that offset a word of the header is another one; with the right check. */
static struct bytes with_word(struct bytes dump, size_t image, size_t word, uint32_t value)
{
    struct bytes copy = {malloc(dump.n), dump.n};
    memcpy(copy.data, dump.data, dump.n);
    put32(copy.data + image + word, value);
    fix_header(copy.data + image);
    return copy;
}

/* Whether the two dumps are the same, but for the bytes that were zeroed. */
static bool is_same_wiped(struct bytes dump, struct bytes other, size_t from, size_t to)
{
    bool is_same =
        memcmp(dump.data, other.data, from) == 0 && memcmp(dump.data + to, other.data + to, dump.n - to) == 0;
    bytes_free(&other);
    return is_same;
}

/* Whether both dumps are decoded to the same events and losses. */
static bool tells_the_same(struct bytes dump, struct bytes other)
{
    struct decoded a, b;
    bool is_same;
    decode_bytes(&a, dump);
    decode_bytes(&b, other);
    is_same = a.opened == b.opened && a.list.n == b.list.n;
    for (size_t i = 0; is_same && i < a.list.n; i++)
        is_same = same_item(&a.list.item[i], &b.list.item[i]);
    decoded_free(&a);
    decoded_free(&b);
    return is_same;
}

/* Whether the wiped dump tells as much as the dump without the image. */
static bool is_as_without(struct bytes dump, size_t image, size_t size, size_t from, size_t to)
{
    struct bytes wiped = {malloc(dump.n), dump.n}, without = {malloc(dump.n), dump.n - size};
    bool is_same;
    memcpy(wiped.data, dump.data, dump.n);
    memset(wiped.data + from, 0, to - from);
    memcpy(without.data, dump.data, image);
    memcpy(without.data + image, dump.data + image + size, dump.n - size - image);
    is_same = tells_the_same(wiped, without);
    bytes_free(&wiped);
    bytes_free(&without);
    return is_same;
}

/* The bits of the word at an offset that were not zeroed. */
static uint32_t left_of(size_t word, size_t from, size_t to)
{
    uint32_t left = 0;
    for (unsigned i = 0; i < 4; i++)
        left |= word + i >= from && word + i < to ? 0 : 0xFFu << 8 * i;
    return left;
}

/* Whether a chunk of an older run, which a CPU has left because it has logged nothing in this one, is the same. A word
 * adds (w ^ w >> 16) * factor to the check (FORMAT.md, 2.1). */
static bool is_as_older(struct bytes dump, size_t image, size_t from, size_t to)
{
    const uint32_t boot = get32(dump.data + image + CHUNK_BOOT), check = get32(dump.data + image + CHUNK_CHECK);
    const uint32_t boot_left = left_of(image + CHUNK_BOOT, from, to), left = left_of(image + CHUNK_CHECK, from, to);
    uint32_t factor = 1;
    for (unsigned i = 0; i <= CHUNK_BOOT / 4; i++)
        factor *= 0x9E3779B1u;
    for (uint32_t i = 1, older = boot - 1u; i <= RUNS; i++, older--) {
        uint32_t other = check + ((older ^ older >> 16) - (boot ^ boot >> 16)) * factor;
        if (((boot ^ older) & boot_left) == 0 && ((check ^ other) & left) == 0)
            return is_same_wiped(dump, with_word(dump, image, CHUNK_BOOT, older), from, to);
    }
    return false;
}

/* A chunk of an older run; one whose emergency slots were never used, so that they mean nothing; and no chunk. */
bool silence_is_right(struct bytes dump, size_t from, size_t to, bool told)
{
    size_t image = 0, size = 0;
    for (size_t at = 0, n; (at = find_image(dump, at, &n)) != SIZE_MAX && at <= from; at += n) {
        image = at;
        size = n;
    }
    return is_as_older(dump, image, from, to)
           || (get32(dump.data + image + CHUNK_EMERGENCY_USED) > 0
               && is_same_wiped(dump, with_word(dump, image, CHUNK_EMERGENCY_USED, 0), from, to))
           || (!told && is_as_without(dump, image, size, from, to));
}
