/* lap_numbers.h - numbers of laps that were damaged: the other images of the ring tell what they were
 * (target/FORMAT.md, 4.5).
 */
#ifndef NATIVE_LAP_NUMBERS_H
#define NATIVE_LAP_NUMBERS_H

#include "formats/native/chunks/image.h"

/* n images of a ring. If the numbers of their laps contradict their times, and one image alone can be wrong, or if the
 * lap of an image is only guessed, give it a number with which they agree. Reports damage. Returns whether a number was
 * changed. */
bool native_lap_numbers_correct(struct trace *trace, struct native_image *images, size_t n);

#endif
