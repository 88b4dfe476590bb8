/* tie.h - several sources on one timeline: that of the first source's clock.
 *
 * Sources are either merged into one output, or the first one is the host and the others are its guests
 * (model/module.h).
 */
#ifndef DECODE_TIE_H
#define DECODE_TIE_H

#include "decode/source.h"

struct decode_tie;

/* Find out how the clocks of n prepared sources, 2 to DECODE_INPUTS_MAX, belong together, and tell the user, unless
 * quiet.
 *
 * Sources to be merged get the lines that bring their times onto the timeline. Of host and guests only the host gets
 * its line; the writers' options get the host's list of guests, and for each guest what viewers are to add to its
 * times.
 *
 * Returns what these options point to: it must live as long as they do, and ends with decode_tie_free(). NULL after
 * trace_fail() of one of the sources. */
struct decode_tie *decode_tie(struct decode_source *sources, unsigned n, const struct decode_request *request);

/* NULL is allowed. */
void decode_tie_free(struct decode_tie *tie);

#endif
