/* stat.h - counts the figures of --stat: figures.h has them, and the words. */
#ifndef ANSWER_STAT_H
#define ANSWER_STAT_H

#include "answer/figures.h"

/* The trace must have its CPUs, and stays the caller's. NULL: no memory. */
struct stat *stat_new(struct trace *trace);

/* Count a batch; those of all CPUs must come in the order of time. 0, or -1: no memory. */
int stat_batch(struct stat *stat, unsigned cpu, const struct trace_batch *batch);

/* Call this after the last batch: it closes what has no end in the trace. */
void stat_end(struct stat *stat);

/* NULL is allowed. */
void stat_free(struct stat *stat);

#endif
