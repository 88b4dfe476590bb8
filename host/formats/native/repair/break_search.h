/* break_search.h - where the break of an image is that has no seal: its rear is displaced by so many bytes, as its end
 * mark or the next chunk proves (target/FORMAT.md, 4.1).
 *
 * No byte of the input is read twice: what is ahead of the break is counted from the header, what is behind it from the
 * rear. If bytes were lost, what they were stands in neither.
 */
#ifndef NATIVE_BREAK_SEARCH_H
#define NATIVE_BREAK_SEARCH_H

#include "formats/native/chunks/image.h"

/* An image with a break. */
struct native_torn {
    const struct native_image *image;
    const unsigned char *bytes; /* n bytes from the header on: as many as may belong to the image */
    size_t n;
    int32_t by; /* the rear is so many bytes further on than it should be; below 0: nearer */
};

/* The image's bytes from an offset on, where they stand if they are ahead of the break, or behind it; NULL: the input
 * has not so many of them. */
const unsigned char *native_torn_front(const struct native_torn *torn, size_t offset, size_t size);
const unsigned char *native_torn_rear(const struct native_torn *torn, size_t offset, size_t size);

/* Find the break with which the most slots on both sides of it are as they should be, and in order. If several breaks
 * are equally good, slots that differ with them are torn. False: with none of them most slots are in order, or no slot
 * is displaced. */
bool native_break_search(const struct native_torn *torn, struct native_displacement *displaced);

/* If the image has a break in the words of its header that change, change those that stand behind the break. */
void native_break_read_words(struct native_view *view, const struct native_image *image, struct tlog_chunk *header);

#endif
