/* page.h - puts events on the pages of a trace.dat file, CPU after CPU.
 *
 * The words of the format are in tracedat/ids.h. Further ones:
 *   mark    a flag in a page's commit word: events were lost before the page. If it is known how many, the count stands
 *           behind the records. Readers see a mark only on a page that begins with an event, so the event behind a loss
 *           always begins a page
 *   extend  a word in front of a record, with time that the record's own word has no room for
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
    uint64_t size;   /* bytes of the pages, as the file has to tell them; 0: no pages */
    uint64_t events;
    uint64_t first, last; /* times in the file's unit: ns, or ticks */
    uint64_t lost;        /* events that were lost, as the marks tell; not cut as a mark's count in the file is */
    bool lost_more;       /* there were losses of unknown size, too */
};

struct tracedat_pages;

/* Begin to write pages to fd, from an offset on that is a multiple of their size. The options tell byte order, size of
 * a page and of a long, and the unit of time. The descriptor stays the caller's; options and trace must live as long.
 * NULL after trace_fail(). */
struct tracedat_pages *tracedat_pages_open(struct trace *trace, const struct trace_options *options, int fd,
                                           uint64_t offset);

/* Append events. All events of a CPU must come before those of the next one. 0, or -1 after trace_fail(). */
int tracedat_pages_write(struct tracedat_pages *pages, unsigned cpu, const struct trace_batch *batch);

/* Write all that is left. *end: the offset behind the last page. 0, or -1 after trace_fail(). */
int tracedat_pages_finish(struct tracedat_pages *pages, uint64_t *end);

/* What became of the events of a CPU; complete after tracedat_pages_finish(). */
const struct tracedat_cpu *tracedat_pages_cpu(const struct tracedat_pages *pages, unsigned cpu);

void tracedat_pages_free(struct tracedat_pages *pages);

#endif
