/* writer.h - a trace.dat file while it is written: what the writers of all versions share.
 *
 * The words of the format are in tracedat/ids.h. The writers' own:
 *   piece   a part of the file that is put together in memory: all that is not pages (piece.h)
 *   block   memory that is filled with pages and written at once, as it is or as a chunk (blocks.h)
 *   head    what a file begins with and what is complete only at its end, so that room is kept for it
 *
 * From an event to the file: instances.h tells events of groups from the others, page.h puts them on pages, blocks.h
 * writes those, with compress.h if the file is compressed. format.h, tables.h and options.h add to the piece. section.h
 * makes sections of version 7 of them.
 */
#ifndef TRACEDAT_WRITE_WRITER_H
#define TRACEDAT_WRITE_WRITER_H

#include "model/module.h"
#include "formats/tracedat/write/instances.h"
#include "formats/tracedat/write/page.h"
#include "formats/tracedat/write/piece.h"

struct tracedat_writer {
    struct trace *trace;
    const struct trace_options *options;
    int fd;                               /* the caller's */
    unsigned ncpus;                       /* that the trace had at the beginning */
    struct tracedat_pages *pages;         /* of the top buffer; NULL: the file has none */
    struct tracedat_instances *instances; /* NULL: the file has none */
    struct tracedat_piece piece;          /* what is not pages */
};

/* Start a file whose pages begin at an offset, a multiple of their size; 0: it has no pages. The descriptor stays the
 * caller's, trace and options must live as long. NULL after trace_fail(). */
struct tracedat_writer *tracedat_writer_open(struct trace *trace, const struct trace_options *options, int fd,
                                             uint64_t offset);

/* What struct trace_writer calls write. */
int tracedat_writer_write(void *state, unsigned cpu, const struct trace_batch *batch);

/* Free the memory. */
void tracedat_writer_free(struct tracedat_writer *writer);

/* Put bytes at an offset of the file. 0, or -1 after trace_fail(). */
int tracedat_writer_put(struct tracedat_writer *writer, const void *bytes, size_t size, uint64_t offset);

/* Bring all pages into the file, those of instances behind the others. *top: the offset behind those of the top buffer;
 * *end: the offset behind all. 0, or -1 after trace_fail(). */
int tracedat_writer_finish_pages(struct tracedat_writer *writer, uint64_t *top, uint64_t *end);

/* Move the bytes of the file from first up to end by so many bytes towards its end. 0, or -1 after trace_fail(). */
int tracedat_writer_move(struct tracedat_writer *writer, uint64_t first, uint64_t end, uint64_t shift);

/* Bytes to keep free for a head that takes size bytes now and grows until the end of the trace: whole pages. */
uint64_t tracedat_head_room(const struct trace *trace, const struct trace_options *options, uint64_t size);

#endif
