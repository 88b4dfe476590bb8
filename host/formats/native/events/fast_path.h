/* fast_path.h - ordinary events, made many at once: all but a few of a dump's events are made here.
 *
 * An event is ordinary if nothing is missing before it, its slots are sound, the scale reaches its stamp, and nothing
 * but an event is to be made of it. All other events are made one by one, by stream.c.
 */
#ifndef NATIVE_FAST_PATH_H
#define NATIVE_FAST_PATH_H

#include "formats/native/events/decoder.h"

/* Add the ordinary events from stream->slot on to the batch, up to the first one that is not ordinary, has no room, or
 * has to wait for other streams. The first event need not wait; nothing is missing before it or held back; the lap has
 * no contexts. */
void native_fast_path(struct native_decoder *decoder, struct native_stream *stream, struct trace_batch *batch);

#endif
