/* merge.h - several sources as one trace, in which each CPU and each task has a number of its own.
 *
 * Tasks and groups of the second source become those of board 2: task 7, "net", becomes task 100007, "2:net"; the group
 * "log" becomes "2-log". To the tasks of source n, counted from 0, n * DECODE_MERGE_TASKS is added. The idle task is 0
 * for all boards. Clock, ELF file and target of the trace are those of the first source.
 */
#ifndef DECODE_MERGE_H
#define DECODE_MERGE_H

#include "library/decoder.h"

#define DECODE_MERGE_TASKS 100000u /* more than the highest number of a task in one source, the mapping's included */

/* All zero before decode_merge_open(). */
struct decode_merge {
    struct trace *trace;
    struct decode_merge_part *parts; /* n of them, one per source */
    unsigned n;
    struct trace_board *boards; /* of each CPU of the merged trace */
};

/* Set what is added to the numbers and names of source n's tasks, so that they differ from those of other sources. To
 * be called before the source is started. */
void decode_merge_name_tasks(struct decode_source *source, unsigned n);

/* Turn an empty trace into the merged trace of n decoders, which are started. Trace and decoders stay the caller's. 0,
 * or -1 after trace_fail() of the trace; decode_merge_close() must be called in both cases. */
int decode_merge_open(struct decode_merge *merge, struct trace *trace, struct tlog_decoder *decoders, unsigned n);

/* Turn a source's events, fresh from its mapping, into events of the merged trace: types and groups get that trace's
 * numbers, and so does the CPU. 0, or -1 after trace_fail(). */
int decode_merge_batch(struct decode_merge *merge, const struct decode_source *source, unsigned *cpu,
                       struct trace_batch *batch);

/* Add up the sources' counts for the trace. To be called once, after the last event. */
void decode_merge_count(struct decode_merge *merge);

/* Free what it owns. Allowed for one that is all zero. */
void decode_merge_close(struct decode_merge *merge);

#endif
