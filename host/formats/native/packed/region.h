/* region.h - a compressed region (target/FORMAT.md, 7) made the image of its chunk again.
 *
 * The image is the one that tlog_dump() would have sent of the chunk: header, slots, end mark, emergency slots, and a
 * current seal. The rest of the reader treats it like any other image. A group that is lost in the region is damaged in
 * the image: its slots bear no tag, so they are of no lap, and its CRC in the seal is wrong in a way that no single
 * damaged byte explains.
 */
#ifndef NATIVE_REGION_H
#define NATIVE_REGION_H

#include "formats/native/bytes/chunk.h"

#include <stddef.h>

enum native_region_error {
    NATIVE_REGION_NONE = -1,   /* there is no region: the head's magic, version or size is another one */
    NATIVE_REGION_BROKEN = -2, /* the head is damaged beyond repair, or its words contradict each other */
    NATIVE_REGION_ROOM = -3,   /* the memory for the image is too small */
};

/* What the head of a region tells. */
struct native_region {
    uint32_t size;           /* bytes the region has when it is whole, head included */
    uint32_t mended_at;      /* offset of a byte of the head that was damaged and is mended, or NATIVE_MEND_NONE */
    struct tlog_chunk chunk; /* header of the chunk; chunk.buf_size is the size of its image */
};

/* Read the head of a region, of which size bytes are there. One damaged byte of the head is mended. Returns 0 and fills
 * *region, or returns NATIVE_REGION_NONE or NATIVE_REGION_BROKEN. */
int native_region_read_head(const unsigned char *bytes, size_t size, struct native_region *region);

/* Make the image of a region, of which size bytes are there, perhaps not all. The image has room for image_size bytes,
 * and needs chunk.buf_size. Returns how many groups are lost, or a negative enum native_region_error: then nothing in
 * the image is valid. */
int native_region_unpack(const unsigned char *bytes, size_t size, unsigned char *image, size_t image_size);

#endif
