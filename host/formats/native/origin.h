/* origin.h - which chunk, of which run, an image without a header is of (target/FORMAT.md, "A header that is lost").
 *
 * If the header's check is legible it decides: it is that of one of the headers which the images around the hole
 * suggest. Else both must be told: by words that are legible, or because the chunks of a ring stand side by side. */
#ifndef NATIVE_ORIGIN_H
#define NATIVE_ORIGIN_H

#include "formats/native/header_search.h"
#include "formats/native/hole.h"

/* What is legible of a header. */
struct native_legible {
    struct tlog_chunk front, rear; /* counted from its first bytes, and from what follows it; they may be the same */
};

/* Whether the word place of a header is legible: the words on both sides of it are. */
bool native_origin_has_place(const struct native_place *place, const struct tlog_chunk *header);

/* Find the header whose check is right. True: *chunk has its constant words. */
bool native_origin_check(const struct native_hole *hole, const struct native_place *place,
                         const struct native_legible *legible, struct tlog_chunk *chunk);

/* Tell the words place, boot and self by all else. has_facts: the image is one of facts. False: they are not told. */
bool native_origin_tell(const struct native_hole *hole, const struct native_place *place,
                        const struct native_legible *legible, bool has_facts, struct tlog_chunk *chunk);

#endif
