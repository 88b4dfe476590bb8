/* version6.c - trace.dat version 6, for viewers that know no other: Trace Compass, GPUVis, old trace-cmds.
 *
 *   head    prologue, headers, ftrace events, event formats, kallsyms, printk, command lines, number of CPUs, options,
 *           where each CPU's pages are, clocks: one behind the other, without sections
 *   pages   CPU after CPU (page.c)
 *
 * The head is complete only when the last event has come. So room is kept for it: what it takes when the file is begun,
 * and more for names and types that come later. If it outgrows that room, the pages move. It is written last, so a file
 * that was cut short has no magic.
 */

#include "base/heap.h"
#include "formats/tracedat/write/layout.h"
#include "formats/tracedat/write/options.h"
#include "formats/tracedat/write/tables.h"
#include "formats/tracedat/write/writer.h"

struct version6 {
    struct tracedat_writer *writer;
    uint64_t reserved; /* bytes kept for the head: the pages begin behind them */
};

/* ---- head -------------------------------------------------------------------------------------------------------- */

/* Add a table. If it would be empty, it gets a line that names nothing, because Trace Compass breaks at a table without
 * lines. */
static void add_table_or(struct tracedat_piece *piece, const struct trace *trace,
                         void (*add)(struct tracedat_piece *piece, const struct trace *trace), const char *line)
{
    size_t at = piece->used;
    add(piece, trace);
    if (piece->used > at + 4)
        return;
    tracedat_add_text(piece, line);
    tracedat_set_size_32(piece, at);
}

/* The beginning of the head: all that does not depend on the events, apart from their names and types. */
static void add_metadata(struct tracedat_piece *piece, const struct trace *trace, const struct trace_options *options)
{
    tracedat_add_prologue(piece, options, "6");
    tracedat_add_headers(piece, options);
    tracedat_add_ftrace_events(piece, trace);
    tracedat_add_event_formats(piece, trace);
    add_table_or(piece, trace, tracedat_add_kallsyms, "0000000000000000 A none\n");
    add_table_or(piece, trace, tracedat_add_printk, "0x0 : \"none\"\n");
    tracedat_add_cmdlines(piece, trace);
}

/* The end of the head: where the pages of each CPU are, shift bytes behind where they were written; the clocks. */
static void add_places(struct tracedat_writer *writer, uint64_t shift)
{
    struct tracedat_piece *piece = &writer->piece;
    size_t at;
    tracedat_add_string(piece, "flyrecord");
    for (unsigned i = 0; i < writer->ncpus; i++) {
        const struct tracedat_cpu *cpu = tracedat_pages_cpu(writer->pages, i);
        tracedat_add_64(piece, cpu->size != 0 ? cpu->offset + shift : 0);
        tracedat_add_64(piece, cpu->size);
    }
    at = piece->used;
    tracedat_add_64(piece, 0);
    tracedat_add_text(piece, tracedat_clock_list(writer));
    tracedat_set_size_64(piece, at);
}

/* Make the whole head, for pages that lie shift bytes behind where they were written. */
static void make_head(struct tracedat_writer *writer, uint64_t shift)
{
    writer->piece.used = 0;
    add_metadata(&writer->piece, writer->trace, writer->options);
    tracedat_add_32(&writer->piece, writer->ncpus);
    tracedat_add_string(&writer->piece, "options  ");
    tracedat_add_options(writer);
    tracedat_add_16(&writer->piece, TRACEDAT_OPTION_DONE);
    add_places(writer, shift);
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

/* Bytes to keep for the head, measured by what can be made of it now. 0 = no memory. */
static uint64_t head_room(struct trace *trace, const struct trace_options *options)
{
    struct tracedat_piece piece = {0};
    uint64_t size;
    add_metadata(&piece, trace, options);
    size = piece.failed ? 0 : piece.used;
    heap_free(piece.bytes);
    return size != 0 ? tracedat_head_room(trace, options, size) : 0;
}

/* Keep room for the head, and begin the pages behind it. */
static void *open_writer(struct trace *trace, const struct trace_options *options, int fd)
{
    struct version6 *file = heap_calloc(1, sizeof *file);
    if (file != NULL)
        file->reserved = head_room(trace, options);
    if (file == NULL || file->reserved == 0) {
        heap_free(file);
        trace_fail(trace, "no memory for writing trace.dat");
        return NULL;
    }
    file->writer = tracedat_writer_open(trace, options, fd, file->reserved);
    if (file->writer != NULL)
        return file;
    heap_free(file);
    return NULL;
}

static int write_batch(void *state, unsigned cpu, const struct trace_batch *batch)
{
    struct version6 *file = state;
    return tracedat_writer_write(file->writer, cpu, batch);
}

/* Complete the file. 0, or -1 after trace_fail(). */
static int finish(struct version6 *file)
{
    struct tracedat_writer *writer = file->writer;
    struct tracedat_piece *piece = &writer->piece;
    uint64_t end, shift = 0;
    if (tracedat_pages_finish(writer->pages, &end) != 0)
        return -1;
    make_head(writer, 0);
    if (piece->used > file->reserved) {
        shift = tracedat_whole_pages(writer->options, piece->used) - file->reserved;
        if (tracedat_writer_move(writer, file->reserved, end, shift) != 0)
            return -1;
        make_head(writer, shift);
    }
    tracedat_add_zeros(piece, (size_t)(file->reserved + shift) - piece->used);
    if (piece->failed)
        return trace_fail(writer->trace, "no memory for the head of trace.dat");
    return tracedat_writer_put(writer, piece->bytes, piece->used, 0);
}

static int close_writer(void *state, bool ok)
{
    struct version6 *file = state;
    int result = ok ? finish(file) : 0;
    tracedat_writer_free(file->writer);
    heap_free(file);
    return result;
}

const struct trace_writer writer_tracedat6 = {
    .name = "trace.dat-v6",
    .description = "trace.dat version 6, for Trace Compass and GPUVis",
    .binary = true,
    .seeks = true,
    .earliest = TRACEDAT_EARLIEST,
    .formats = true,
    .takes = TRACE_OPTION_START_TIME | TRACE_OPTION_RAW_TSC | TRACE_OPTION_LONG_SIZE | TRACE_OPTION_ENDIAN
             | TRACE_OPTION_PAGE_SIZE | TRACE_OPTION_SESSION,
    .open = open_writer,
    .write = write_batch,
    .close = close_writer,
};
