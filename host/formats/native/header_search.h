/* header_search.h - the search for headers of chunk images, and heads of compressed regions, among any other bytes
 * (target/FORMAT.md, 4).
 */
#ifndef NATIVE_HEADER_SEARCH_H
#define NATIVE_HEADER_SEARCH_H

#include "io/input.h"
#include "formats/native/chunk.h"

/* Bytes that a header or head is recognized by: its magic and the word behind it. */
#define NATIVE_PATTERNS_BYTES 8u

/* What a search has come to. */
enum native_found {
    NATIVE_NOTHING, /* there is no further header */
    NATIVE_HEADER,  /* a header that is right, perhaps after a byte was mended */
    NATIVE_BROKEN,  /* a header that is damaged beyond repair, or of a format that this decoder does not know */
};

/* A header that was found among other bytes; or one that header_repair.c has made. */
struct native_header {
    uint64_t offset;         /* in the input: of the header, or of the head of a region */
    uint32_t mended_at;      /* number of the byte that was damaged and is mended in chunk, or NATIVE_MEND_NONE */
    uint32_t region_size;    /* bytes that the region should have, head included; 0: the chunk is not compressed */
    bool intact;             /* its check is right: then, if it is broken, that is because of what it says */
    char reason[112];        /* why it is broken, for a message */
    struct tlog_chunk chunk; /* the chunk's header, if NATIVE_HEADER was returned */
};

/* The address of a chunk of format version 1. It stands where version 2 has another word. */
static inline uint32_t native_self_of_version_1(const struct tlog_chunk *header)
{
    return header->slots;
}

/* Search the input for a header, or the head of a region, that begins from `offset` on and ahead of `limit`. Fills
 * *header unless it returns NATIVE_NOTHING. Reads a few bytes beyond limit, as far as the input has them. */
enum native_found native_header_search(struct input *in, uint64_t offset, uint64_t limit, struct native_header *header);

#endif
