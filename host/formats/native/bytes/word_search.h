/* word_search.h - the search for the words that tell of a chunk or a region, at any byte of any memory.
 *
 * They are the fixed words of headers, heads and seals (tlog_wire.h), as they lie in a little-endian dump, and the two
 * magic numbers in the other byte order.
 */
#ifndef NATIVE_WORD_SEARCH_H
#define NATIVE_WORD_SEARCH_H

#include <stddef.h>

enum native_word {
    NATIVE_WORD_MAGIC,          /* ED B7 D6 00: a header's first word */
    NATIVE_WORD_TAG,            /* "TLOG": its second word */
    NATIVE_WORD_FORMAT,         /* 02 00 80 04 or 02 00 80 08: its third, of addresses of 4 or 8 bytes */
    NATIVE_WORD_SEAL,           /* "SEAL": a seal's first word */
    NATIVE_WORD_REGION,         /* "TLPK": the first word of a region's head */
    NATIVE_WORD_REGION_VERSION, /* 02 00 A8 00: its second word */
    NATIVE_WORD_MAGIC_BIG,      /* 00 D6 B7 ED: a header's first word in a big-endian dump */
    NATIVE_WORD_REGION_BIG,     /* "KPLT": a region's */
};

#define NATIVE_WORD_BYTES 4u /* of each word */

/* The first offset from `from` on where one of the words stands whole in the n bytes; tells which in *word. n if there
 * is none; *word is as it was then. No byte outside of the n is read. */
size_t native_word_find(const unsigned char *bytes, size_t n, size_t from, enum native_word *word);

#endif
