/* unpack.h - a compressed region (target/FORMAT.md, "Compressed region") made a chunk image again.
 *
 * The image is what tlog_dump() would have sent of the chunk: header, slots, end mark, emergency slots, and a seal that
 * is current. So whoever reads chunk images reads it like any other. What is damaged in the region is damaged in the
 * image too: its slots bear no tag of any lap, and the seal's CRC of their group is wrong in a way that no single byte
 * explains.
 */
#ifndef NATIVE_UNPACK_H
#define NATIVE_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UNPACK_HEADER_BYTES 112u

/* No damaged byte of the head had to be put right. */
#define UNPACK_INTACT UINT32_MAX

enum unpack_error {
    UNPACK_NOTHING = -1, /* there is no region: magic, version or size of the head */
    UNPACK_BROKEN = -2,  /* there was one: its head is damaged beyond repair, or says what cannot be */
    UNPACK_ROOM = -3,    /* the image is too small */
};

struct unpack_info {
    uint32_t region_size; /* bytes the region has when it is whole */
    uint32_t image_size;  /* bytes of its chunk */
    uint32_t mended_at;   /* offset of the head's byte that was damaged and is known again, or UNPACK_INTACT */
    unsigned char header[UNPACK_HEADER_BYTES]; /* what its image begins with */
};

/* What a region's head tells; size bytes are there from its magic on. One damaged byte of the head is put right. 0, or
 * UNPACK_NOTHING or UNPACK_BROKEN. */
int unpack_peek(const unsigned char *bytes, size_t size, struct unpack_info *info);

/* Make the image of a region of which size bytes are there, perhaps not all of it. Needs image_size bytes of
 * unpack_peek(). The number of groups that are lost, or a negative enum unpack_error; then nothing in the image is
 * valid. */
int unpack_region(const unsigned char *bytes, size_t size, unsigned char *image, size_t image_size);

#endif
