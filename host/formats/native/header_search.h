/* header_search.h - headers of chunk images, and heads of compressed regions, among any other bytes (target/FORMAT.md,
 * 4). */
#ifndef NATIVE_HEADER_SEARCH_H
#define NATIVE_HEADER_SEARCH_H

#include "io/input.h"
#include "formats/native/chunk.h"

/* Bytes that a header or head is recognized by: a magic and the word behind it. */
#define NATIVE_PATTERNS_BYTES 8u

enum native_found {
    NATIVE_NOTHING, /* no further header in the input */
    NATIVE_HEADER,  /* a header whose contents are right */
    NATIVE_BROKEN,  /* a header that is damaged beyond repair, or one that this decoder does not know */
};

struct native_header {
    uint64_t offset;      /* in the input: of the header, or of the head of a region */
    uint32_t mended_at;   /* offset behind that of a byte that was damaged and is right in chunk, or NATIVE_MEND_NONE */
    uint32_t region_size; /* bytes that the region should have, head included; 0 if it is not compressed */
    bool intact;          /* its check is right: then it is broken because of what it says */
    char reason[112];     /* why it is broken, for a message */
    struct tlog_chunk chunk; /* the chunk's header, if the answer was NATIVE_HEADER */
};

/* The address that a header of format version 1 tells. Where that had it, version 2 has another word. */
static inline uint32_t native_self_of_version_1(const struct tlog_chunk *header)
{
    return header->slots;
}

/* Search for a header, or the head of a region, that begins at offset or behind it, but before limit. Fills *header
 * unless it returns NATIVE_NOTHING. Reads a few bytes beyond limit, as far as the input has them. */
enum native_found native_header_search(struct input *in, uint64_t offset, uint64_t limit, struct native_header *header);

#endif
