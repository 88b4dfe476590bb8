/* writer.h - a trace.dat file while it is written: what the writers of all versions share.
 *
 * The words of the format are in tracedat/ids.h. The writers' own:
 *   piece   a part of the file that is put together in memory: all that is not pages (piece.h)
 *   block   memory that is filled with pages and written at once, as it is or as a chunk (blocks.h)
 *   head    what a file begins with and what is complete only at its end, so that room is kept for it
 *
 * From an event to the file: writer.c tells events of groups from the others, page.c puts them on pages, blocks.c
 * writes those, compressed if the file is. tables.c and options.c put together what is not pages; version6.c and
 * version7.c put it where the version wants it.
 */
#ifndef TRACEDAT_WRITE_WRITER_H
#define TRACEDAT_WRITE_WRITER_H

#include <stdio.h>

#include "model/module.h"
#include "formats/tracedat/write/page.h"
#include "formats/tracedat/write/piece.h"

/* A trace instance: it has the events of a group. They come between other events, but their pages lie behind those of
 * the top buffer. So they are kept in a temporary file until all events have come. */
struct tracedat_instance {
    FILE *temporary;     /* NULL: no event has come */
    uint64_t left;       /* events in it that were not read back */
    uint64_t begin, end; /* offsets in the file: of the first page, behind the last one; when the pages are there */
    struct tracedat_cpu *cpus; /* what became of the events of each CPU; NULL until the pages are there */
};

struct tracedat_writer {
    struct trace *trace;
    const struct trace_options *options;
    int fd;                             /* the caller's */
    unsigned ncpus;                     /* that the trace had at the beginning */
    struct tracedat_pages *pages;       /* of the top buffer; NULL: the file has none */
    struct tracedat_instance *instance; /* ninstances of them: instance[i] is of trace->groups[i] */
    unsigned ninstances;                /* groups that the trace had at the beginning; 0: the file has no instances */
    struct trace_batch batch;    /* with instances: events for the top buffer; later, those of an instance, read back */
    struct tracedat_piece piece; /* what is not pages */
};

/* Start a file whose pages begin at an offset, a multiple of their size; 0: it has no pages. The descriptor stays the
 * caller's. Trace and options must live as long as the writer. NULL after trace_fail(). */
struct tracedat_writer *tracedat_writer_open(struct trace *trace, const struct trace_options *options, int fd,
                                             uint64_t offset);

/* What struct trace_writer calls write. */
int tracedat_writer_write(void *state, unsigned cpu, const struct trace_batch *batch);

/* Free the writer. */
void tracedat_writer_free(struct tracedat_writer *writer);

/* Put bytes at an offset of the file. 0, or -1 after trace_fail(). */
int tracedat_writer_put(struct tracedat_writer *writer, const void *bytes, size_t size, uint64_t offset);

/* Bring all pages into the file. *top: the offset behind those of the top buffer. Behind them each instance has a free
 * page, for the header of its section, and its pages. *end: the offset behind all. 0, or -1 after trace_fail(). */
int tracedat_writer_finish_pages(struct tracedat_writer *writer, uint64_t *top, uint64_t *end);

/* Move the bytes of the file from first up to end by so many bytes towards its end. 0, or -1 after trace_fail(). */
int tracedat_writer_move(struct tracedat_writer *writer, uint64_t first, uint64_t end, uint64_t shift);

/* Bytes to keep free for a head that takes size bytes now and may grow until the end of the trace: whole pages. */
uint64_t tracedat_head_room(const struct trace *trace, const struct trace_options *options, uint64_t size);

#endif
