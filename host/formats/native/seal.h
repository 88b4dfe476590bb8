/* seal.h - whether an image's seal is there and right, and what it tells of the header (target/FORMAT.md, 2.6). */
#ifndef NATIVE_SEAL_H
#define NATIVE_SEAL_H

#include "formats/native/image.h"

enum native_seal {
    NATIVE_SEAL_NONE,    /* the input ends before it, the chunk was not sealed, or slots were claimed since */
    NATIVE_SEAL_RIGHT,   /* its CRC is right */
    NATIVE_SEAL_DAMAGED, /* more than one of its bytes is damaged */
};

/* Load the seal and check it. One damaged byte is mended and reported; *image notes it, so that the seal comes mended
 * whenever it is loaded. header: of the image. */
enum native_seal native_seal_look(struct native_view *view, struct native_image *image,
                                  const struct tlog_chunk *header);

/* Whether there is a seal of size bytes, with its CRC right. The notes of claimed slots stand ahead of it. */
bool native_seal_is_right(const unsigned char *seal, size_t size);

/* Compare a right seal, which was loaded, with the changing words of the header. Sets image->sealed if the seal is
 * current. Where the header's words are damaged the seal's replace them in *header, and that is reported. Loads
 * slots. */
void native_seal_apply(struct native_view *view, struct native_image *image, struct tlog_chunk *header);

/* Replace the changing words of a header by those that the seal tells. */
void native_seal_restore(const struct tlog_seal *seal, struct tlog_chunk *header);

#endif
