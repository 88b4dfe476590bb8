/* instances.h - the instances of a trace.dat file: one for every group of events; the top buffer has the events of no
 * group.
 *
 * Events of a group come between others, but their pages lie behind those of the top buffer. So they are kept in a
 * temporary file, until all events have come.
 */
#ifndef TRACEDAT_WRITE_SPLIT_H
#define TRACEDAT_WRITE_SPLIT_H

#include <stdint.h>

#include "model/module.h"
#include "formats/tracedat/write/page.h"

struct tracedat_instances;

/* Make an instance for every group that the trace has now. The descriptor stays the caller's, trace and options must
 * live as long. NULL after trace_fail(). */
struct tracedat_instances *tracedat_instances_open(struct trace *trace, const struct trace_options *options, int fd);

/* Take events of a CPU: those of no group go on to pages, the others are kept. 0, or -1 after trace_fail(). */
int tracedat_instances_write(struct tracedat_instances *instances, struct tracedat_pages *pages, unsigned cpu,
                             const struct trace_batch *batch);

/* Bring all instances into the file from *end on, which is a multiple of the page size: for each a free page, for a
 * section's header, and its pages. *end: set to the offset behind the last. 0, or -1 after trace_fail(). */
int tracedat_instances_finish(struct tracedat_instances *instances, uint64_t *end);

/* After that: the offset of the first page of the instance of trace->groups[group], and that behind its last one. */
uint64_t tracedat_instances_begin(const struct tracedat_instances *instances, unsigned group);
uint64_t tracedat_instances_end(const struct tracedat_instances *instances, unsigned group);

/* After that: what became of the events of a CPU in that instance. */
const struct tracedat_cpu *tracedat_instances_cpu(const struct tracedat_instances *instances, unsigned group,
                                                  unsigned cpu);

/* NULL is allowed. */
void tracedat_instances_free(struct tracedat_instances *instances);

#endif
