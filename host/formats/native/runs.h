/* runs.h - which run of the firmware is decoded, if a dump has images of several. */
#ifndef NATIVE_RUNS_H
#define NATIVE_RUNS_H

#include "model/trace.h"
#include "formats/native/image.h"

/* Of *n images, at least one, keep those of the run that trace->run asks for: they become the first ones, in no certain
 * order, and *n their number. Which other runs there are is told with trace_note(). Returns 0, or -1 after trace_fail()
 * if there is no such run. */
int native_keep_one_run(struct native_image *images, size_t *n, struct trace *trace);

#endif
