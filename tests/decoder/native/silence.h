/* silence.h - whether the decoder may say nothing of a header that was wiped, though events are lost: where a dump in
 * which nothing is damaged has the same bytes. For the campaign.
 */
#ifndef DECODER_NATIVE_SILENCE_H
#define DECODER_NATIVE_SILENCE_H

#include "harness.h"

/* Bytes from..to of a dump without seals were zeroed, in the header of an image and behind it. told: the ELF file tells
 * where the image is; else a dump that has not got it is like one of which nothing proves that it has. */
bool silence_is_right(struct bytes dump, size_t from, size_t to, bool told);

/* Whether bytes from..to of a dump have one of a header among them. */
bool silence_touches_header(struct bytes dump, size_t from, size_t to);

#endif
