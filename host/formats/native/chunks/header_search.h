/* header_search.h - the search for what begins an image among any other bytes: headers of chunks and heads of
 * compressed regions; and for seals (target/FORMAT.md, 4).
 *
 * Only what is right as it stands is a header here. What looks like one, but is not right, is proved or not by
 * header_repair.c.
 */
#ifndef NATIVE_HEADER_SEARCH_H
#define NATIVE_HEADER_SEARCH_H

#include "io/input.h"
#include "formats/native/bytes/chunk.h"
#include "formats/native/bytes/word_scan.h"

/* What stands at a place of the input. */
enum native_found {
    NATIVE_NOTHING,
    NATIVE_HEADER,   /* a header or a head whose check is right, and that this decoder understands */
    NATIVE_FOREIGN,  /* its check is right, but it is of a format that this decoder does not know, or not all there */
    NATIVE_UNPROVED, /* it looks like a header or a head, but its check is not right */
    NATIVE_SEAL,     /* the first words of a seal */
};

/* A header, or the head of a region. */
struct native_header {
    uint64_t offset;         /* in the input */
    uint32_t region_size;    /* bytes that the region should have, head included; 0: the chunk is not compressed */
    struct tlog_chunk chunk; /* the chunk's header, if NATIVE_HEADER was returned */
    struct native_displacement displaced; /* a break in the header, or behind it */
    const char *repaired;                 /* what was wrong with it, for a message; NULL: nothing */
    uint32_t repaired_at;                 /* where: a byte of it */
    bool may_be_mended;                   /* if NATIVE_UNPROVED was returned: a change may prove it */
};

#define NATIVE_REASON_BYTES 112u

/* Find out what header or head stands at an offset of the input. Fills *header, and *chunk if NATIVE_HEADER is
 * returned. reason: room for NATIVE_REASON_BYTES, for what is wrong with it, for a message; or NULL. */
enum native_found native_header_at(struct input *in, uint64_t offset, struct native_header *header, char *reason);

struct native_places;

/* A search. */
struct native_search {
    struct input *in;
    uint64_t from, to;           /* what is still to be searched */
    uint64_t seen;               /* offset of the last header that was looked at, and 1; 0: none was */
    uint64_t begun;              /* the same, if its first three words are right; 0: they are not */
    struct native_places *known; /* what an earlier search has noted; NULL: nothing */
    size_t passed;               /* of these: so many are behind */
    struct native_places *noted; /* what this one notes, or NULL */
    struct native_word_scan scan;
};

/* Search for what begins from one offset on and ahead of another one. */
void native_search_begin(struct native_search *search, struct input *in, uint64_t from, uint64_t to);

/* Note what this search finds: a later search of the same input passes what has nothing, and need not look again at
 * what is not proved. It is the first one, and of all of the input. */
void native_search_note(struct native_search *search);

/* Find what comes next, and fill *header; of a seal only its offset. The search goes on behind its first byte, unless
 * native_search_pass() is called. */
enum native_found native_search_next(struct native_search *search, struct native_header *header);

/* Go on from an offset on. */
static inline void native_search_pass(struct native_search *search, uint64_t offset)
{
    search->from = offset > search->from ? offset : search->from;
}

void native_search_end(struct native_search *search);

#endif
