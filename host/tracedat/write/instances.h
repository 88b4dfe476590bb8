/* split.h - the instances of a trace.dat file: a buffer for every group of events. Private to the trace.dat
 * writers.
 *
 * Vocabulary
 *   instance  a buffer with a name beside the top buffer; it holds the events of one group, the top one those of none
 *   spool     a temporary file with a group's events: they come between others, and their pages come last
 */
#ifndef TRACEDAT_WRITE_SPLIT_H
#define TRACEDAT_WRITE_SPLIT_H

#include <stdint.h>

#include "model/module.h"
#include "tracedat/write/page.h"

struct tracedat_instances;

/* An instance for every group of the trace. NULL after trace_fail(). */
struct tracedat_instances *tracedat_instances_open(struct trace *trace, const struct trace_options *options, int fd);

/* Give events of no group to pages, and keep the others. 0, or -1 after trace_fail(). */
int tracedat_instances_write(struct tracedat_instances *instances, struct tracedat_pages *pages, unsigned cpu,
                         const struct trace_batch *batch);

/* Bring all instances into the file from *end on, which is a multiple of the page size: a page of room for a section's
 * header, then pages. *end: the offset behind the last. 0, or -1 after trace_fail(). */
int tracedat_instances_finish(struct tracedat_instances *instances, uint64_t *end);

/* After that: where the instance of trace->groups[group] begins, with its first page, and where it ends. */
uint64_t tracedat_instances_begin(const struct tracedat_instances *instances, unsigned group);
uint64_t tracedat_instances_end(const struct tracedat_instances *instances, unsigned group);

/* How a CPU fared there. */
const struct tracedat_cpu *tracedat_instances_cpu(const struct tracedat_instances *instances, unsigned group, unsigned cpu);

/* NULL is allowed. */
void tracedat_instances_free(struct tracedat_instances *instances);

#endif
