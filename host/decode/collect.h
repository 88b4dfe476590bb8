/* collect.h - follows the events of all CPUs of a source once in the order of time, so that the mapping can then go
 * through CPU after CPU: see news.h. */
#ifndef DECODE_COLLECT_H
#define DECODE_COLLECT_H

#include "decode/source.h"

/* Whether the source's events need that for a writer that takes one CPU after the other: it has several CPUs, and tasks
 * have states. The source is started. */
bool decode_collect_needed(const struct decode_source *source);

/* Do it. The source is started, and no event has been read. 0, or -1 after trace_fail(). */
int decode_collect(struct decode_source *source);

#endif
