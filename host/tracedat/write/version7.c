/* version7.c - trace.dat version 7, the file of trace-cmd and KernelShark.
 *
 *   first page   prologue with the offset of the options | header of the flyrecord section | zeros
 *   pages        the rest of the flyrecord section, CPU after CPU (tracedat/write/page.c)
 *   instances    for each a page with a section's header, and pages (tracedat/write/split.c)
 *   then         headers, ftrace events, events format, kallsyms, printk, command lines, options, strings
 *
 * The pages come first because names, types and counts are complete only when the last event has been seen. The first
 * page is written at the very end: a file cut short has no magic.
 */
#include "model/module.h"

#include <stdio.h>
#include <string.h>

#include "tracedat/write/section.h"

/* CPUs without events are told too: converters take a CPU that is not in the list for CPU 0. */
static void add_cpu(struct dat_text *text, unsigned number, const struct tracedat_cpu *cpu, uint64_t empty)
{
    dat_add_32(text, number);
    dat_add_64(text, cpu->size ? cpu->offset : empty);
    dat_add_64(text, cpu->size);
}

/* The buffer whose section is at an offset; its pages begin a page later, or at the next one. */
static size_t begin_buffer(const struct tracedat *dat, struct dat_text *text, uint64_t section, const char *name)
{
    size_t at = tracedat_begin_option(text, OPTION_BUFFER);

    dat_add_64(text, section);
    dat_add_string(text, name);
    dat_add_string(text, tracedat_clock(dat));
    dat_add_32(text, dat_page_size(dat->options));
    dat_add_32(text, dat->ncpus);
    return at;
}

static void add_instance(struct tracedat *dat, unsigned group)
{
    uint64_t begin = tracedat_split_begin(dat->split, group);
    size_t at = begin_buffer(dat, &dat->text, begin - dat_page_size(dat->options), dat->trace->groups[group].name);

    for (unsigned i = 0; i < dat->ncpus; i++)
        add_cpu(&dat->text, i, tracedat_split_cpu(dat->split, group, i), begin);
    dat_set_size_32(&dat->text, at);
}

static void add_buffers(struct sections *sections)
{
    struct tracedat *dat = sections->dat;
    size_t at = begin_buffer(dat, &dat->text, PROLOGUE_SIZE, "");

    for (unsigned i = 0; i < dat->ncpus; i++)
        add_cpu(&dat->text, i, tracedat_pages_cpu(dat->pages, i), dat_page_size(dat->options));
    dat_set_size_32(&dat->text, at);
    for (unsigned i = 0; dat->split && i < dat->trace->ngroups; i++)
        add_instance(dat, i);
}

static void fill_options(struct sections *sections)
{
    tracedat_fill_options(sections, add_buffers);
}

#define FLYRECORD_STRING "buffer flyrecord "

static void fill_strings(struct sections *sections)
{
    const struct tracedat *dat = sections->dat;
    struct dat_text *text = &sections->dat->text;

    tracedat_fill_strings(sections);
    for (unsigned i = 0; dat->split && i < dat->trace->ngroups; i++) {
        dat_add_text(text, FLYRECORD_STRING);
        dat_add_string(text, dat->trace->groups[i].name);
    }
}

/* The sections in the order of the file; the first holds the pages and is not filled here. */
static const struct section table[] = {
    {SECTION_FLYRECORD, FLYRECORD_STRING, NULL, true},
    {SECTION_HEADERS, "headers", tracedat_fill_headers, true},
    {SECTION_FTRACE_EVENTS, "ftrace events", tracedat_fill_ftrace_events, true},
    {SECTION_EVENT_FORMATS, "events format", tracedat_fill_event_formats, true},
    {SECTION_KALLSYMS, "kallsyms", tracedat_fill_kallsyms, true},
    {SECTION_PRINTK, "printk", tracedat_fill_printk, true},
    {SECTION_CMDLINES, "command lines", tracedat_fill_cmdlines, true},
    {SECTION_OPTIONS, "options", fill_options, false},
    {SECTION_STRINGS, "strings", fill_strings, false},
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

/* A page with what is in text, the header of a flyrecord section and zeros, which belong to that section, at offset;
 * end: of the section. */
static int write_header_page(struct sections *sections, uint64_t offset, uint64_t end, uint32_t string)
{
    struct tracedat *dat = sections->dat;
    struct dat_text *text = &dat->text;
    bool compressed = dat->options->compression != TRACE_COMPRESS_NONE;
    size_t at = tracedat_begin_section(sections, SECTION_FLYRECORD, compressed, string);

    dat_set_64(text, at, end - offset - text->used);
    dat_add_zeros(text, dat_page_size(dat->options) - text->used);
    if (text->failed)
        return trace_fail(dat->trace, "no memory for the pages of trace.dat");
    return tracedat_put(dat, text->bytes, text->used, offset);
}

static int write_instance_headers(struct sections *sections)
{
    struct tracedat *dat = sections->dat;
    uint32_t string = 0;

    for (unsigned i = 0; i < sections->n; i++)
        string += (uint32_t)strlen(sections->table[i].string) + 1;
    for (unsigned i = 0; dat->split && i < dat->trace->ngroups; i++) {
        dat->text.used = 0;
        if (write_header_page(sections, tracedat_split_begin(dat->split, i) - dat_page_size(dat->options),
                              tracedat_split_end(dat->split, i), string))
            return -1;
        string += (uint32_t)(strlen(FLYRECORD_STRING) + strlen(dat->trace->groups[i].name)) + 1;
    }
    return 0;
}

/* It makes the file one. */
static int write_first_page(struct sections *sections, uint64_t end)
{
    sections->dat->text.used = 0;
    tracedat_add_prologue7(sections);
    return write_header_page(sections, 0, end, 0);
}

/* ---- the file --------------------------------------------------------------------------------------------------- */

static void warn_of_zlib(const struct trace *trace, const struct trace_options *options)
{
    if (options->compression == TRACE_COMPRESS_ZLIB && !trace->quiet)
        fprintf(stderr, "tlog-decode: Debian's trace-cmd and KernelShark are built without zlib and cannot open such a "
                        "file; with --compress=zstd they can\n");
}

static void *tracedat_open(struct trace *trace, const struct trace_options *options, int fd)
{
    warn_of_zlib(trace, options);
    return tracedat_begin(trace, options, fd, dat_page_size(options));
}

static int finish(struct sections *sections)
{
    uint64_t top;

    if (tracedat_finish_pages(sections->dat, &top, &sections->base) || write_sections(sections)
        || write_instance_headers(sections))
        return -1;
    return write_first_page(sections, top);
}

static int tracedat_close(void *writer, bool ok)
{
    struct sections sections = {.dat = writer, .table = table, .n = sizeof table / sizeof table[0]};
    int result = ok ? finish(&sections) : 0;

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
             | TRACE_OPTION_ENDIAN | TRACE_OPTION_PAGE_SIZE | TRACE_OPTION_INSTANCES | TRACE_OPTION_GUESTS,
    .open = tracedat_open,
    .write = tracedat_write,
    .close = tracedat_close,
};
