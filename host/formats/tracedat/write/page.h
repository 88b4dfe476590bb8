/* page.h - puts events on the pages of a trace.dat file, CPU after CPU.
 *
 * The words of the format are in tracedat/ids.h. Further ones:
 *   mark    a flag of a page's commit word that says that events were lost before the page; where it is known how many,
 *           the count stands behind the records. Readers see a mark only with an event that opens its page, so a loss
 *           always starts a page
 *   extend  a word in front of a record with time that does not fit into the record's own word
 */
#ifndef TRACEDAT_WRITE_PAGE_H
#define TRACEDAT_WRITE_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/module.h"

/* What became of the events of a CPU in one buffer. */
struct tracedat_cpu {
    uint64_t offset; /* of the first page in the file */
    uint64_t size;   /* bytes, as the file has to say it; 0: no pages */
    uint64_t events;
    uint64_t first, last; /* times in the file's unit: ns, or ticks */
    uint64_t lost;        /* events that marks say were lost, with their counts not cut */
    bool lost_more;       /* there were losses of unknown size as well */
};

struct tracedat_pages;

/* Pages go to fd from an offset on, which is a multiple of their size. Byte order, size of a page and of a long, and
 * the unit of time are in the options. The descriptor stays the caller's, options and trace must live as long. NULL
 * after trace_fail(). */
struct tracedat_pages *tracedat_pages_open(struct trace *trace, const struct trace_options *options, int fd,
                                           uint64_t offset);

/* Append events; those of a CPU must come without others between them. 0, or -1 after trace_fail(). */
int tracedat_pages_write(struct tracedat_pages *pages, unsigned cpu, const struct trace_batch *batch);

/* Bring everything into the file. *end: the offset behind the last page. 0, or -1 after trace_fail(). */
int tracedat_pages_finish(struct tracedat_pages *pages, uint64_t *end);

/* What became of the events of a CPU, one of those that the trace had at open; complete after
 * tracedat_pages_finish(). */
const struct tracedat_cpu *tracedat_pages_cpu(const struct tracedat_pages *pages, unsigned cpu);

void tracedat_pages_free(struct tracedat_pages *pages);

#endif
