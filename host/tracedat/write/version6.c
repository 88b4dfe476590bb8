/* version6.c - trace.dat version 6, for viewers that know no other: Trace Compass, GPUVis, old trace-cmds.
 *
 *   head     prologue, headers, ftrace events, event formats, kallsyms, printk, command lines, number of CPUs, options,
 *            table of the CPUs' pages, clocks: one behind the other, without sections
 *   pages    CPU after CPU (tracedat/write/page.c)
 *
 * The head is complete only when the last event has been seen, so room is kept for it: what it takes when the file is
 * begun, and some for names and types that come later. Should it outgrow that, the pages move. It is written at the very
 * end: a file cut short has no magic.
 */
#include "model/module.h"

#include <stdlib.h>

#include "tracedat/write/file.h"
#include "tracedat/write/format.h"

struct tracedat6 {
    struct tracedat *dat;
    uint64_t reserved; /* where the pages begin */
};

/* ---- head -------------------------------------------------------------------------------------------------------- */

/* Trace Compass breaks at a table without lines. */
static void add_table_or(struct tracedat *dat, void (*add)(struct tracedat *dat), const char *line)
{
    struct dat_text *text = &dat->text;
    size_t at = text->used;

    add(dat);
    if (text->used > at + 4)
        return;
    dat_add_text(text, line);
    dat_set_size_32(text, at);
}

static void add_metadata(struct tracedat *dat)
{
    tracedat_add_prologue(dat, "6");
    tracedat_add_headers(dat);
    tracedat_add_ftrace_events(&dat->text, dat->trace);
    tracedat_add_event_formats(&dat->text, dat->trace);
    add_table_or(dat, tracedat_add_kallsyms, "0000000000000000 A none\n");
    add_table_or(dat, tracedat_add_printk, "0x0 : \"none\"\n");
    tracedat_add_cmdlines(dat);
}

static void add_table(struct tracedat *dat, uint64_t shift)
{
    struct dat_text *text = &dat->text;
    size_t at;

    dat_add_string(text, "flyrecord");
    for (unsigned i = 0; i < dat->ncpus; i++) {
        const struct tracedat_cpu *cpu = tracedat_pages_cpu(dat->pages, i);

        dat_add_64(text, cpu->size ? cpu->offset + shift : 0);
        dat_add_64(text, cpu->size);
    }
    at = text->used;
    dat_add_64(text, 0);
    dat_add_text(text, tracedat_clocks(dat));
    dat_set_size_64(text, at);
}

/* The whole head, with the pages so far behind the place where they were written. */
static void make_head(struct tracedat *dat, uint64_t shift)
{
    dat->text.used = 0;
    add_metadata(dat);
    dat_add_32(&dat->text, dat->ncpus);
    dat_add_string(&dat->text, "options  ");
    tracedat_add_options(dat);
    dat_add_16(&dat->text, OPTION_DONE);
    add_table(dat, shift);
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

/* Room for the head, measured by one that is made now. 0 = no memory. */
static uint64_t head_room(struct trace *trace, const struct trace_options *options)
{
    struct tracedat measure = {.trace = trace, .options = options};
    uint64_t size;

    add_metadata(&measure);
    size = measure.text.failed ? 0 : measure.text.used;
    free(measure.text.bytes);
    return size ? tracedat_room(trace, options, size) : 0;
}

static void *tracedat6_open(struct trace *trace, const struct trace_options *options, int fd)
{
    struct tracedat6 *file = calloc(1, sizeof *file);

    if (file)
        file->reserved = head_room(trace, options);
    if (!file || file->reserved == 0) {
        free(file);
        trace_fail(trace, "no memory for writing trace.dat");
        return NULL;
    }
    file->dat = tracedat_begin(trace, options, fd, file->reserved);
    if (file->dat)
        return file;
    free(file);
    return NULL;
}

static int tracedat6_write(void *writer, unsigned cpu, const struct trace_batch *batch)
{
    struct tracedat6 *file = writer;

    return tracedat_write(file->dat, cpu, batch);
}

static int finish(struct tracedat6 *file)
{
    struct tracedat *dat = file->dat;
    struct dat_text *text = &dat->text;
    uint64_t end, shift = 0;

    if (tracedat_pages_finish(dat->pages, &end))
        return -1;
    make_head(dat, 0);
    if (text->used > file->reserved) {
        shift = tracedat_whole_pages(dat->options, text->used) - file->reserved;
        if (tracedat_move(dat, file->reserved, end, shift))
            return -1;
        make_head(dat, shift);
    }
    dat_add_zeros(text, (size_t)(file->reserved + shift) - text->used);
    if (text->failed)
        return trace_fail(dat->trace, "no memory for the head of trace.dat");
    return tracedat_put(dat, text->bytes, text->used, 0);
}

static int tracedat6_close(void *writer, bool ok)
{
    struct tracedat6 *file = writer;
    int result = ok ? finish(file) : 0;

    tracedat_release(file->dat);
    free(file);
    return result;
}

const struct trace_writer writer_tracedat6 = {
    .name = "trace.dat-v6",
    .description = "trace.dat version 6, for Trace Compass and GPUVis",
    .binary = true,
    .seeks = true,
    .formats = true,
    .takes = TRACE_OPTION_START_TIME | TRACE_OPTION_RAW_TSC | TRACE_OPTION_LONG_SIZE | TRACE_OPTION_ENDIAN
             | TRACE_OPTION_PAGE_SIZE,
    .open = tracedat6_open,
    .write = tracedat6_write,
    .close = tracedat6_close,
};
