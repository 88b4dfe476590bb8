/* image_parse.h - from a header to a chunk image: how much of it there is, and whether the changing words of the header
 * are right.
 */
#ifndef NATIVE_IMAGE_PARSE_H
#define NATIVE_IMAGE_PARSE_H

#include "formats/native/chunks/header_search.h"
#include "formats/native/chunks/image.h"
#include "formats/native/chunks/seal.h"
#include "formats/native/chunks/write_position.h"

/* Make *image of a header: whether its seal is current, which laps its slots hold, and about when these were. Reports
 * the damage it meets. Loads bytes into the view. Returns 1; 0 if nothing shows the image's end, or parts of its region
 * are lost: then only its constant words are known, and image_end.c finds out how much of it there is; or -1 after
 * trace_fail(). */
int native_image_parse(struct native_view *view, const struct native_header *header, struct native_image *image);

/* The image tells that its chunk was never opened, but other chunks of its ring tell that it was. If its slots are of
 * an even lap, take them for lap 2, and report damage. */
void native_image_set_opened(struct native_view *view, struct native_image *image);

/* Whether a header is left over from an earlier run, in memory of the ring whose first chunk an image shows, and which
 * that image's run has not reached yet: then it has the address that belongs to its place, and another chunk of the
 * ring stands beside the first one. Takes what it looks at from the view's budget. */
bool native_image_has_left_over(struct native_view *view, const struct native_image *first,
                                const struct native_header *header);

/* ---- parts of it, for images whose end is damaged ---------------------------------------------------------------- */

/* Take the constant words of a header, and have room for the image. Returns 0, or -1 after trace_fail(). */
int native_image_begin(struct native_view *view, const struct native_header *header, struct native_image *image);

/* How much of the image there is is known: find out all else. *header has the image's changing words. */
void native_image_finish(struct native_view *view, struct native_image *image, const struct tlog_chunk *header);

/* How many of size bytes from the image's offset on the input has. */
uint32_t native_image_in_input(const struct native_view *view, const struct native_image *image, uint32_t size);

/* The first slot that the firmware may not have formatted: slot 1 of a chunk that was never opened, the one at the
 * cursor in lap 1. 0: all slots are formatted. Any bytes may stand in a slot that is not formatted. */
uint32_t native_image_first_unformatted(const struct native_image *image, const struct native_position *position);

/* The number of the slot that is the end mark: it follows the last slot, or, as long as the first slots of lap 1 are
 * filled, it is not far behind the cursor. 0: there is none. */
uint32_t native_image_find_mark(struct native_view *view, const struct native_image *image,
                                const struct native_position *position);

/* Whether the slots up to number `last` are an image's: at most `wrong` of the last ones do not bear the tag that they
 * should, and at most half of them. */
bool native_image_has_slots(struct native_view *view, const struct native_image *image,
                            const struct native_position *position, uint32_t last, uint32_t wrong);

/* The same of all slots that were written. */
static inline bool native_image_has_last_slots(struct native_view *view, const struct native_image *image,
                                               const struct native_position *position, uint32_t wrong)
{
    uint32_t first = native_image_first_unformatted(image, position);
    return native_image_has_slots(view, image, position, first > 0 ? first - 1u : image->layout.slots, wrong);
}

/* Find out about when each part of an image was. Loads slots. */
void native_image_find_stamps(struct native_view *view, struct native_image *image);

/* Report what is damaged at the end of an image that is there to its last byte. */
void native_image_report_end(struct native_view *view, const struct native_image *image, enum native_seal seal,
                             bool marked);

#endif
