/* fast_path.h - stretches of ordinary events, made many at once: all but a few of a dump's events are made here.
 *
 * An event is ordinary if nothing is missing before it, its slots are sound, the scale reaches its stamp, and nothing
 * but an event is to be made of it. All other events are made one by one, by native/stream.c.
 *
 * The word: a batch is what a reader hands on (model/trace.h), a run is the life of the firmware between two resets,
 * and fast is a bit of records; so these are stretches.
 */
#ifndef NATIVE_FAST_PATH_H
#define NATIVE_FAST_PATH_H

#include "formats/native/decoder.h"

/* Add the ordinary events from stream->slot on to the batch, as many as it has room for and as need not wait for other
 * streams. Adds none if the first one is not ordinary. The caller knows that nothing is missing before the first event
 * and nothing held back, that it need not wait, and that the lap has no contexts. */
void native_fast_path(struct native_decoder *decoder, struct native_stream *stream, struct trace_batch *batch);

#endif
