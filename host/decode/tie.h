/* tie.h - several sources on one timeline: that of the first source's clock, which is the host's. */
#ifndef DECODE_TIE_H
#define DECODE_TIE_H

#include "decode/source.h"

struct tie;

/* Find out how the clocks of n prepared sources belong together, and say it unless quiet. If they are to be merged, all get
 * the lines that bring their times onto the timeline. Otherwise the first is the host, which gets its line and the guests'
 * names, and the guests what to add to their times: in the options of their traces. What these point to lives until
 * tie_free(). NULL after trace_fail() of one of the sources. */
struct tie *tie_sources(struct source *sources, unsigned n, const struct decode_request *request);

/* NULL is allowed. */
void tie_free(struct tie *tie);

#endif
