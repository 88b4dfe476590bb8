/* seal.h - the seal of an image (target/FORMAT.md, 2.6): a copy of the header's changing words, and a CRC of each
 * group, which the firmware writes when the chunk is at rest. It is current as long as no more is logged.
 */
#ifndef NATIVE_SEAL_H
#define NATIVE_SEAL_H

#include "formats/native/chunks/image.h"

enum native_seal {
    NATIVE_SEAL_NONE,    /* the input ends before it, the chunk was not sealed, or slots were claimed since then */
    NATIVE_SEAL_RIGHT,   /* its CRC is right */
    NATIVE_SEAL_DAMAGED, /* several of its bytes are damaged */
};

/* Load the seal of an image with that header, and check it. One damaged byte is mended and reported; *image notes it,
 * so that every later load mends it, too. */
enum native_seal native_seal_check(struct native_view *view, struct native_image *image,
                                   const struct tlog_chunk *header);

/* Whether a seal of size bytes is there, and its CRC is right. The notes of claimed slots are in memory ahead of it. */
bool native_seal_is_right(const unsigned char *seal, size_t size);

/* Whether the words of a seal are those of the header. */
bool native_seal_is_same(const struct tlog_seal *seal, const struct tlog_chunk *header);

/* Whether a header's `cursor` and `lap` can be right as they stand, and are not those of a seal. */
bool native_seal_contradicts(const struct tlog_seal *seal, const struct native_image *image,
                             const struct tlog_chunk *header);

/* Whether nothing but its place tells that a right seal, which was loaded, is the image's: it contradicts the header,
 * and no group is as it was sealed. Loads slots. */
bool native_seal_is_strange(struct native_view *view, const struct native_image *image,
                            const struct tlog_chunk *header);

/* Compare a right seal, which was loaded, with the changing words of the header. If these are damaged, the seal's
 * replace them in *header, and that is reported. Sets image->sealed if the seal is current. Loads slots. */
void native_seal_apply(struct native_view *view, struct native_image *image, struct tlog_chunk *header);

/* Replace the changing words of a header by those that the seal tells. */
void native_seal_restore(const struct tlog_seal *seal, struct tlog_chunk *header);

#endif
