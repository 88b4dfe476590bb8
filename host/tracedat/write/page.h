/* page.h - the events of a trace.dat file: ring-buffer pages, CPU after CPU. Private to the trace.dat writer.
 *
 * Byte order, size of a page and of a long, and the unit of time are in the options.
 *
 * Vocabulary
 *   page    time of its first event, commit word (a long), events; zeros fill it up
 *   commit  bytes of events on the page, and whether events were lost before it
 *   mark    that flag with, where known, the count behind the last event; readers see it only in front of an event that
 *           opens its page, so a loss always starts a page
 */
#ifndef TRACEDAT_WRITE_PAGE_H
#define TRACEDAT_WRITE_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/module.h"

enum {
    TRACEDAT_COMMON_SIZE = 8, /* fields every event starts with: id, flags, preempt count, pid */
    TRACEDAT_FIRST_ID = 1000, /* event id of type 0 */
    TRACEDAT_END_ID = TRACEDAT_FIRST_ID + (int)TRACE_TYPES_MAX, /* of the event that carries a mark at the very end */
};

/* What became of one CPU's events. */
struct tracedat_cpu {
    uint64_t offset; /* of the first page in the file */
    uint64_t size;   /* bytes, as the file has to say it; 0: no pages */
    uint64_t events;
    uint64_t first, last; /* in the file's unit: ns, or ticks */
    uint64_t lost;        /* sum of the known losses */
    bool lost_more;       /* there were losses of unknown size as well */
};

struct tracedat_pages;

/* Pages go to fd from offset on, which is a multiple of their size. NULL after trace_fail(). */
struct tracedat_pages *tracedat_pages_open(struct trace *trace, const struct trace_options *options, int fd,
                                           uint64_t offset);

/* Append events; a CPU's must come in one stretch. 0, or -1 after trace_fail(). */
int tracedat_pages_write(struct tracedat_pages *pages, unsigned cpu, const struct trace_batch *batch);

/* Bring everything into the file and give the offset behind the last page. 0, or -1 after trace_fail(). */
int tracedat_pages_finish(struct tracedat_pages *pages, uint64_t *end);

/* How CPU cpu fared, for cpu < trace->ncpus as it was at open; complete after tracedat_pages_finish(). */
const struct tracedat_cpu *tracedat_pages_cpu(const struct tracedat_pages *pages, unsigned cpu);

void tracedat_pages_free(struct tracedat_pages *pages);

#endif
