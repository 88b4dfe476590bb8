/* evidence.h - how much of a header is as a header must be, in bits (target/FORMAT.md, 4.2). */
#ifndef NATIVE_EVIDENCE_H
#define NATIVE_EVIDENCE_H

#include "formats/native/bytes/chunk.h"

/* Evidence that proves a damaged header: in 2^32 places of memory with any content it comes about by chance once in a
 * million times. */
#define NATIVE_EVIDENCE_BITS 52u

/* Bits that are 0 in the words cursor and lap. */
#define NATIVE_LAP_ZERO 0xFCFFu

/* Whether the sizes of a chunk are possible, and the size of the image follows from them. */
bool native_sizes_agree(const struct tlog_chunk *chunk);

/* Whether this decoder knows the role of a chunk, and the kind of its contexts. */
bool native_place_is_known(const struct tlog_chunk *chunk);

/* The lowest bit of the word `needs` that this decoder does not know: it cannot read such a chunk. -1: there is
 * none. */
int native_unknown_need(const struct tlog_chunk *chunk);

/* Whether so much of TLOG_HEADER_BYTES bytes is as in a header that they may be a damaged one. That proves nothing. */
bool native_looks_like_header(const unsigned char *bytes);

/* Bytes that were lost from a header, or came into it, at most. */
#define NATIVE_HEADER_REACH 64

/* Whether words that stand where those of a header do may be its cursor and its lap, whatever its sizes are. Nothing is
 * proved of a header that was changed unless they are (target/FORMAT.md, 4.2). */
bool native_may_have_position(const unsigned char *header);

/* Whether something of a header can be changed that makes it a proved one: else nothing needs to be tried. That takes
 * little time, and is false for nearly all that firmware has among its constants. `header` has NATIVE_HEADER_REACH
 * bytes more on both sides. */
bool native_may_be_mended(const unsigned char *header);

/* The evidence in the words of a header, without that of check and address. Only those words count that `bytes` has,
 * too: words that were put into the header do not. */
unsigned native_evidence(const struct tlog_chunk *chunk, const unsigned char *bytes);

#endif
