/* rate_search.h - the marks of a clock whose rate changes, in all laps of a dump, and the holes in which one may be
 * lost. */
#ifndef NATIVE_RATE_SEARCH_H
#define NATIVE_RATE_SEARCH_H

#include "formats/native/events/stream.h"

/* Collect the marks and holes of all lanes, beside the marks that were added to decoder->rates. streams: one for each
 * lane, started, and started again after that. Reports marks that are damaged; other damage is reported when the laps
 * are decoded. Returns 0, or -1 after trace_fail(). */
int native_rate_search(struct native_decoder *decoder, struct native_stream *streams, struct input *in);

#endif
