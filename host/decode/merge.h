/* merge.h - several sources as one trace: CPUs and tasks numbered through, types and names of all.
 *
 * A task of the n-th source, counted from 0, gets n * MERGE_TASKS added to its number, and "n+1:" before its name. The idle
 * task is 0 everywhere. Groups get the same prefix. Source 0's clock, ELF file and target are the trace's.
 */
#ifndef DECODE_MERGE_H
#define DECODE_MERGE_H

#include "decode/source.h"

#define MERGE_TASKS 100000u /* more than any firmware has */

struct merge {
    struct trace *trace;
    struct merge_part *parts; /* one per source */
    unsigned n;
};

/* Name tasks of the n-th source so that they can be told from those of others; before it is started. */
void merge_name_tasks(struct source *source, unsigned n);

/* Let the trace, which is empty, be that of n sources, which are started. The sources stay the caller's. 0, or -1 after
 * trace_fail() of the trace. */
int merge_open(struct merge *merge, struct trace *trace, struct source *sources, unsigned n);

/* The source and CPU there that a CPU of the trace is. */
struct source *merge_source(const struct merge *merge, unsigned *cpu);

/* Make events of a source, which were just filled into a batch, events of the trace. 0, or -1 after trace_fail(). */
int merge_batch(struct merge *merge, const struct source *source, struct trace_batch *batch);

/* Give the trace the sums of all counts. */
void merge_count(struct merge *merge);

void merge_close(struct merge *merge);

#endif
