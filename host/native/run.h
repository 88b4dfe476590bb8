/* run.h - runs of ordinary events: all but a few of a dump's events are made here.
 *
 * Ordinary are events before which nothing is missing, whose slots are sound, whose time the scale reaches, and of which
 * nothing is to be made but an event: all others are taken one by one, by native/stream.c. Private to the native reader.
 */
#ifndef NATIVE_RUN_H
#define NATIVE_RUN_H

#include "native/stream.h"

/* Add the ordinary events from stream->slot on to the batch, as long as they fit and need not wait. The first one, if it
 * is ordinary, need not. Nothing is missing before it, and nothing held back. */
void native_run(struct native_decoder *decoder, struct native_stream *stream, struct trace_batch *batch);

#endif
