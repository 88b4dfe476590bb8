/* names.h - the names and priorities of a dump, from its chunks of names and its records, for the trace. */
#ifndef NATIVE_NAMES_H
#define NATIVE_NAMES_H

#include "formats/native/events/decoder.h"

/* Give the trace the names of the dump, and learn the priorities. The rate of the clock may be among the facts. Returns
 * 0, or -1 after trace_fail(). */
int native_names_read(struct native_decoder *decoder, struct native_view *view);

/* Names of the past have their times in ticks: make them ns, when the scale is known. */
void native_names_scale(struct trace *trace, struct native_scale scale);

/* Give the trace the priorities that tasks had when it began. `streams`, one for each lane, are read through for that,
 * and are at their beginning before and after. Returns 0, or -1 after trace_fail(). */
int native_priorities_read(struct native_decoder *decoder, struct native_stream *streams, struct input *in);

#endif
