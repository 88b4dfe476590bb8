/* write_tracedat.c - trace.dat version 7, the file of trace-cmd and KernelShark.
 *
 *   first page   prologue with the offset of the options | header of the flyrecord section | zeros
 *   pages        the rest of the flyrecord section, CPU after CPU (tracedat_page.c)
 *   then         headers, ftrace events, events format, kallsyms, printk, command lines, options, strings
 *
 * The pages come first because names, types and counts are complete only when the last event has been seen. The first
 * page is written at the very end: a file cut short has no magic.
 */
#include "trace.h"

#include <stdio.h>

#include "tracedat_section.h"

/* CPUs without events are told too: converters take a CPU that is not in the list for CPU 0. */
static void add_buffer(struct sections *sections)
{
    const struct tracedat *dat = sections->dat;
    struct dat_text *text = &sections->dat->text;
    size_t at = tracedat_begin_option(text, OPTION_BUFFER);

    dat_add_64(text, PROLOGUE_SIZE);
    dat_add_string(text, "");
    dat_add_string(text, tracedat_clock(dat->trace));
    dat_add_32(text, dat_page_size(dat->trace));
    dat_add_32(text, dat->ncpus);
    for (unsigned i = 0; i < dat->ncpus; i++) {
        const struct tracedat_cpu *cpu = tracedat_pages_cpu(dat->pages, i);

        dat_add_32(text, i);
        dat_add_64(text, cpu->size ? cpu->offset : dat_page_size(dat->trace));
        dat_add_64(text, cpu->size);
    }
    dat_set_size_32(text, at);
}

static void fill_options(struct sections *sections)
{
    tracedat_fill_options(sections, add_buffer);
}

/* The sections in the order of the file; the first holds the pages and is not filled here. */
static const struct section table[] = {
    {SECTION_FLYRECORD, "buffer flyrecord ", NULL, true},
    {SECTION_HEADERS, "headers", tracedat_fill_headers, true},
    {SECTION_FTRACE_EVENTS, "ftrace events", tracedat_fill_ftrace_events, true},
    {SECTION_EVENT_FORMATS, "events format", tracedat_fill_event_formats, true},
    {SECTION_KALLSYMS, "kallsyms", tracedat_fill_kallsyms, true},
    {SECTION_PRINTK, "printk", tracedat_fill_printk, true},
    {SECTION_CMDLINES, "command lines", tracedat_fill_cmdlines, true},
    {SECTION_OPTIONS, "options", fill_options, false},
    {SECTION_STRINGS, "strings", tracedat_fill_strings, false},
};

/* Everything that follows the pages. */
static int write_sections(struct sections *sections)
{
    struct tracedat *dat = sections->dat;

    tracedat_add_sections(sections);
    if (dat->text.failed)
        return trace_fail(dat->trace, "no memory for the sections of trace.dat");
    return tracedat_put(dat, dat->text.bytes, dat->text.used, sections->base);
}

/* Prologue, header of the flyrecord section and zeros, which belong to that section. */
static int write_first_page(struct sections *sections)
{
    struct tracedat *dat = sections->dat;
    struct dat_text *text = &dat->text;
    size_t at;

    text->used = 0;
    tracedat_add_prologue7(sections);
    at = tracedat_begin_section(sections, SECTION_FLYRECORD, dat->trace->options.compression != TRACE_COMPRESS_NONE, 0);
    dat_set_64(text, at, sections->base - PROLOGUE_SIZE - SECTION_HEADER);
    dat_add_zeros(text, dat_page_size(dat->trace) - text->used);
    if (text->failed)
        return trace_fail(dat->trace, "no memory for the first page of trace.dat");
    return tracedat_put(dat, text->bytes, text->used, 0);
}

/* ---- the file --------------------------------------------------------------------------------------------------- */

static void warn_of_zlib(const struct trace *trace)
{
    if (trace->options.compression == TRACE_COMPRESS_ZLIB && !trace->quiet)
        fprintf(stderr, "tlog-decode: Debian's trace-cmd and KernelShark are built without zlib and cannot open such a "
                        "file; with --compress=zstd they can\n");
}

static void *tracedat_open(struct trace *trace, int fd)
{
    warn_of_zlib(trace);
    return tracedat_begin(trace, fd, dat_page_size(trace));
}

static int tracedat_close(void *writer, bool ok)
{
    struct sections sections = {.dat = writer, .table = table, .n = sizeof table / sizeof table[0]};
    int result = 0;

    if (ok
        && (tracedat_pages_finish(sections.dat->pages, &sections.base) || write_sections(&sections)
            || write_first_page(&sections)))
        result = -1;
    tracedat_release(sections.dat);
    return result;
}

const struct trace_writer writer_tracedat = {
    .name = "trace.dat",
    .suffix = ".dat",
    .description = "trace.dat version 7, for trace-cmd and KernelShark",
    .binary = true,
    .seeks = true,
    .formats = true,
    .takes = TRACE_OPTION_COMPRESS | TRACE_OPTION_START_TIME | TRACE_OPTION_RAW_TSC | TRACE_OPTION_LONG_SIZE
             | TRACE_OPTION_ENDIAN | TRACE_OPTION_PAGE_SIZE,
    .open = tracedat_open,
    .write = tracedat_write,
    .close = tracedat_close,
};
