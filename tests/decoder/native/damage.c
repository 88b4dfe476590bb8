/* damage.c - what the campaign does to dumps: see damage.h. */
#include "damage.h"

#include <string.h>

enum {
    LENGTHS = DAMAGE_ROOM, /* bytes inserted, deleted, zeroed, doubled: 1 to so many */
    WIPED = 256,           /* bytes zeroed from a place of a header on: 1 to so many */
};

const char *const damage_names[DAMAGES] = {"one bit flipped",           "cut",
                                           "1-64 bytes inserted",       "1-64 bytes deleted",
                                           "1-64 bytes zeroed",         "1-64 bytes doubled",
                                           "header: 1-256 bytes zeroed"};

static size_t count_headers(struct bytes dump)
{
    size_t n = 0, size;
    for (size_t at = 0; (at = find_image(dump, at, &size)) != SIZE_MAX; at += size)
        n++;
    return n;
}

size_t damage_cases(enum damage damage, struct bytes dump)
{
    switch (damage) {
    case FLIP:
        return 8 * dump.n;
    case CUT:
        return dump.n;
    case WIPE:
        return count_headers(dump) * HEADER * WIPED;
    default:
        return LENGTHS * dump.n;
    }
}

/* The bytes of a case that zeros bytes of a header: of each one, from each place on, so many. */
static struct range wiped(struct bytes dump, size_t number)
{
    size_t at = 0, size, n = number % WIPED + 1;
    find_image(dump, 0, &size);
    for (size_t header = number / WIPED / HEADER; header > 0; header--) {
        at = find_image(dump, at + size, &size);
    }
    at += number / WIPED % HEADER;
    return (struct range){at, at + (dump.n - at < n ? dump.n - at : n)};
}

struct range damage_range(struct bytes dump, enum damage damage, size_t number)
{
    size_t at = damage == FLIP ? number / 8 : damage == CUT ? number : number / LENGTHS, n = number % LENGTHS + 1;
    size_t left = dump.n - at < n ? dump.n - at : n;
    switch (damage) {
    case FLIP:
        return (struct range){at, at + 1};
    case CUT:
        return (struct range){at, dump.n};
    case INSERT:
    case DOUBLE:
        return (struct range){at > 0 ? at - 1 : 0, at + 1};
    case WIPE:
        return wiped(dump, number);
    default:
        return (struct range){at, at + left};
    }
}

/* Replace `gone` bytes at an offset by `come` bytes. */
static void replace(struct bytes *dump, size_t at, size_t gone, const unsigned char *by, size_t come)
{
    memmove(dump->data + at + come, dump->data + at + gone, dump->n - at - gone);
    memcpy(dump->data + at, by, come);
    dump->n += come - gone;
}

void damage_do(struct bytes *dump, enum damage damage, size_t number)
{
    unsigned char bytes[LENGTHS];
    size_t at = number / LENGTHS, n = number % LENGTHS + 1;
    size_t left = dump->n - at < n ? dump->n - at : n;
    struct range range = damage_range(*dump, damage, number);
    if (damage == FLIP) {
        dump->data[range.from] ^= (unsigned char)(1u << number % 8);
    } else if (damage == CUT) {
        dump->n = range.from;
    } else if (damage == INSERT) {
        for (size_t i = 0; i < n; i++)
            bytes[i] = (unsigned char)random64();
        replace(dump, at, 0, bytes, n);
    } else if (damage == DELETE) {
        replace(dump, at, left, bytes, 0);
    } else if (damage == DOUBLE) {
        memcpy(bytes, dump->data + at, left);
        replace(dump, at, 0, bytes, left);
    } else {
        memset(dump->data + range.from, 0, range.to - range.from);
    }
}
