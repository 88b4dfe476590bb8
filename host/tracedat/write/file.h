/* file.h - what all versions of trace.dat have in common: the file being written, its contents, its options.
 * Private to the trace.dat writers.
 */
#ifndef TRACEDAT_WRITE_FILE_H
#define TRACEDAT_WRITE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/module.h"
#include "tracedat/ids.h"
#include "tracedat/write/page.h"
#include "tracedat/write/instances.h"
#include "tracedat/write/piece.h"

#ifndef TLOG_VERSION
#define TLOG_VERSION "0.1.0"
#endif

/* A file while it is written. */
struct tracedat_writer {
    struct trace *trace;
    const struct trace_options *options;
    int fd;
    unsigned ncpus;
    struct tracedat_pages *pages; /* NULL: the file has none */
    struct tracedat_instances *instances; /* NULL: the file has no instances */
    struct tracedat_piece piece;         /* what is not pages */
};

/* ---- layout ------------------------------------------------------------------------------------------------------ */

static inline uint32_t tracedat_page_size(const struct trace_options *options)
{
    return options->page_size ? options->page_size : 4096;
}

static inline unsigned tracedat_long_size(const struct trace_options *options)
{
    return options->long_size ? options->long_size : 8;
}

/* Whether the file has ticks for times, and says how to make ns of them. */
static inline bool tracedat_has_ticks(const struct trace *trace, const struct trace_options *options)
{
    return options->raw_tsc && trace->clock_hz != 0;
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

/* Start a file whose pages begin at an offset; 0: it has none. NULL after trace_fail(). */
struct tracedat_writer *tracedat_writer_open(struct trace *trace, const struct trace_options *options, int fd, uint64_t offset);

/* struct trace_writer's write. */
int tracedat_writer_write(void *state, unsigned cpu, const struct trace_batch *batch);

/* Free the file's memory; the descriptor stays the caller's. */
void tracedat_writer_free(struct tracedat_writer *writer);

/* Put bytes at an offset of the file. 0, or -1 after trace_fail(). */
int tracedat_writer_put(struct tracedat_writer *writer, const void *bytes, size_t size, uint64_t offset);

/* Bring all pages into the file, those of instances behind the others. *top: the offset behind those of the top buffer;
 * *end: behind all. 0, or -1 after trace_fail(). */
int tracedat_writer_finish_pages(struct tracedat_writer *writer, uint64_t *top, uint64_t *end);

/* The size of that many bytes in whole pages. */
uint64_t tracedat_whole_pages(const struct trace_options *options, uint64_t size);

/* Room for a head that takes size bytes now and grows until the end of the trace: in whole pages. */
uint64_t tracedat_head_room(const struct trace *trace, const struct trace_options *options, uint64_t size);

/* Move the bytes of the file from first to end so far behind their place. 0, or -1 after trace_fail(). */
int tracedat_writer_move(struct tracedat_writer *writer, uint64_t first, uint64_t end, uint64_t shift);

/* ---- contents: added to dat->text -------------------------------------------------------------------------------- */

/* Magic, version ("6" or "7"), byte order, sizes of long and page. */
void tracedat_add_prologue(struct tracedat_writer *writer, const char *version);

void tracedat_add_headers(struct tracedat_writer *writer);
void tracedat_add_kallsyms(struct tracedat_writer *writer);
void tracedat_add_printk(struct tracedat_writer *writer);
void tracedat_add_cmdlines(struct tracedat_writer *writer);

/* ---- options: added to dat->text, which must have all pages behind it ------------------------------------------ */

/* Start an option; its size is set when what comes back is given to tracedat_set_size_32(). */
size_t tracedat_begin_option(struct tracedat_piece *piece, enum tracedat_option_id id);

/* All options that do not depend on the version of the file. */
void tracedat_add_options(struct tracedat_writer *writer);

/* How the events' clock is called, alone and in the list of clocks. */
const char *tracedat_clock_name(const struct tracedat_writer *writer);
const char *tracedat_clock_list(const struct tracedat_writer *writer);

#endif
