/* merge.h - several sources as one trace: CPUs and tasks numbered through, types and names of all.
 *
 * A task of the n-th source, counted from 0, gets n * DECODE_MERGE_TASKS added to its number, and "n+1:" before its
 * name. The idle task is 0 everywhere. Groups get "n+1-" before their names. Source 0's clock, ELF file and target are
 * the trace's.
 */
#ifndef DECODE_MERGE_H
#define DECODE_MERGE_H

#include "decode/source.h"

#define DECODE_MERGE_TASKS 100000u /* more than the highest number of a task that a firmware or the mapping uses */

/* All zero before decode_merge_open(). */
struct decode_merge {
    struct trace *trace;
    struct decode_merge_part *parts; /* one per source */
    unsigned n;
    struct trace_board *boards; /* of each CPU of the merged trace */
};

/* Name tasks of the n-th source so that they differ from those of others. To be called before the source is started. */
void decode_merge_name_tasks(struct decode_source *source, unsigned n);

/* Make the trace, which is empty, that of n sources, which are started. Trace and sources stay the caller's. 0, or -1
 * after trace_fail() of the trace. decode_merge_close() is due in both cases. */
int decode_merge_open(struct decode_merge *merge, struct trace *trace, struct decode_source *sources, unsigned n);

/* The source that a CPU of the trace is of; *cpu becomes the CPU's number there. */
struct decode_source *decode_merge_source(const struct decode_merge *merge, unsigned *cpu);

/* Make events of a source, which were just filled into a batch, events of the trace: their types and groups get the
 * trace's numbers. 0, or -1 after trace_fail(). */
int decode_merge_batch(struct decode_merge *merge, const struct decode_source *source, struct trace_batch *batch);

/* Give the trace the sums of the sources' counts; to be called once, after the last event. */
void decode_merge_count(struct decode_merge *merge);

/* Free what it owns. Allowed for one that is all zero. */
void decode_merge_close(struct decode_merge *merge);

#endif
