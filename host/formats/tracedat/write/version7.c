/* version7.c - trace.dat version 7, the file of trace-cmd and KernelShark.
 *
 *   first page   prologue with the place of the options | header of the flyrecord section | zeros
 *   pages        the rest of the flyrecord section, CPU after CPU (page.c)
 *   instances    for each a page with the header of its section, and its pages (instances.c)
 *   then         headers, ftrace events, events format, kallsyms, printk, command lines, options, strings
 *
 * The pages come first because names, types and counts are complete only when the last event has come. The first page
 * is written last: a file that was cut short has no magic.
 */
#include <string.h>

#include "model/message.h"
#include "formats/tracedat/write/layout.h"
#include "formats/tracedat/write/options.h"
#include "formats/tracedat/write/section.h"

/* Where the pages of a CPU are; empty: what stands for the place if there are none. Such CPUs are listed, too:
 * trace-cmd convert takes a CPU that is not in the list for CPU 0. */
static void add_cpu(struct tracedat_piece *piece, unsigned number, const struct tracedat_cpu *cpu, uint64_t empty)
{
    tracedat_add_32(piece, number);
    tracedat_add_64(piece, cpu->size != 0 ? cpu->offset : empty);
    tracedat_add_64(piece, cpu->size);
}

/* Add an option for a buffer up to the number of CPUs; section: the offset of its section. Returns what
 * tracedat_begin_option() does. */
static size_t begin_buffer(const struct tracedat_writer *writer, struct tracedat_piece *piece, uint64_t section,
                           const char *name)
{
    size_t at = tracedat_begin_option(piece, TRACEDAT_OPTION_BUFFER);
    tracedat_add_64(piece, section);
    tracedat_add_string(piece, name);
    tracedat_add_string(piece, tracedat_clock_name(writer));
    tracedat_add_32(piece, tracedat_page_size(writer->options));
    tracedat_add_32(piece, writer->ncpus);
    return at;
}

/* The header of an instance's section is on the page before its first one. */
static void add_instance(struct tracedat_writer *writer, unsigned group)
{
    uint64_t begin = tracedat_instances_begin(writer->instances, group);
    size_t at = begin_buffer(writer, &writer->piece, begin - tracedat_page_size(writer->options),
                             writer->trace->groups[group].name);
    for (unsigned i = 0; i < writer->ncpus; i++)
        add_cpu(&writer->piece, i, tracedat_instances_cpu(writer->instances, group, i), begin);
    tracedat_set_size_32(&writer->piece, at);
}

/* The top buffer, whose section begins behind the prologue, and the instances. */
static void add_buffers(struct tracedat_sections *sections)
{
    struct tracedat_writer *writer = sections->writer;
    size_t at = begin_buffer(writer, &writer->piece, TRACEDAT_PROLOGUE_SIZE, "");
    for (unsigned i = 0; i < writer->ncpus; i++)
        add_cpu(&writer->piece, i, tracedat_pages_cpu(writer->pages, i), tracedat_page_size(writer->options));
    tracedat_set_size_32(&writer->piece, at);
    for (unsigned i = 0; writer->instances != NULL && i < writer->trace->ngroups; i++)
        add_instance(writer, i);
}

/* The content of the section of options. */
static void fill_options(struct tracedat_sections *sections)
{
    tracedat_fill_options(sections, add_buffers);
}

/* The name of a buffer's section; that of an instance has the instance's name behind it. */
#define FLYRECORD_STRING "buffer flyrecord "

/* The names of the sections: of those in the table, then of those of instances. */
static void fill_strings(struct tracedat_sections *sections)
{
    const struct tracedat_writer *writer = sections->writer;
    struct tracedat_piece *piece = &sections->writer->piece;
    tracedat_fill_strings(sections);
    for (unsigned i = 0; writer->instances != NULL && i < writer->trace->ngroups; i++) {
        tracedat_add_text(piece, FLYRECORD_STRING);
        tracedat_add_string(piece, writer->trace->groups[i].name);
    }
}

/* The sections in the order of the file; the first holds the pages and is not filled here. */
static const struct tracedat_section table[] = {
    {TRACEDAT_SECTION_FLYRECORD, FLYRECORD_STRING, NULL, true},
    {TRACEDAT_SECTION_HEADERS, "headers", tracedat_fill_headers, true},
    {TRACEDAT_SECTION_FTRACE_EVENTS, "ftrace events", tracedat_fill_ftrace_events, true},
    {TRACEDAT_SECTION_EVENT_FORMATS, "events format", tracedat_fill_event_formats, true},
    {TRACEDAT_SECTION_KALLSYMS, "kallsyms", tracedat_fill_kallsyms, true},
    {TRACEDAT_SECTION_PRINTK, "printk", tracedat_fill_printk, true},
    {TRACEDAT_SECTION_CMDLINES, "command lines", tracedat_fill_cmdlines, true},
    {TRACEDAT_SECTION_OPTIONS, "options", fill_options, false},
    {TRACEDAT_SECTION_STRINGS, "strings", fill_strings, false},
};

/* Write everything that follows the pages, from sections->base on. 0, or -1 after trace_fail(). */
static int write_sections(struct tracedat_sections *sections)
{
    struct tracedat_writer *writer = sections->writer;
    tracedat_add_sections(sections);
    if (writer->piece.failed)
        return trace_fail(writer->trace, "no memory for the sections of trace.dat");
    return tracedat_writer_put(writer, writer->piece.bytes, writer->piece.used, sections->base);
}

/* Write a page at an offset of the file: what is in the piece, the header of a flyrecord section, zeros, which belong
 * to that section. end: offset behind the section; string: of its name in the strings section. 0, or -1 after
 * trace_fail(). */
static int write_header_page(struct tracedat_sections *sections, uint64_t offset, uint64_t end, uint32_t string)
{
    struct tracedat_writer *writer = sections->writer;
    struct tracedat_piece *piece = &writer->piece;
    bool compressed = writer->options->compression != TRACE_COMPRESS_NONE;
    size_t at = tracedat_begin_section(sections, TRACEDAT_SECTION_FLYRECORD, compressed, string);
    tracedat_set_64(piece, at, end - offset - piece->used);
    tracedat_add_zeros(piece, tracedat_page_size(writer->options) - piece->used);
    if (piece->failed)
        return trace_fail(writer->trace, "no memory for the pages of trace.dat");
    return tracedat_writer_put(writer, piece->bytes, piece->used, offset);
}

/* Write the pages with the headers of the instances' sections. */
static int write_instance_headers(struct tracedat_sections *sections)
{
    struct tracedat_writer *writer = sections->writer;
    uint32_t string = 0;
    for (unsigned i = 0; i < sections->n; i++)
        string += (uint32_t)strlen(sections->table[i].string) + 1;
    for (unsigned i = 0; writer->instances != NULL && i < writer->trace->ngroups; i++) {
        writer->piece.used = 0;
        if (write_header_page(sections,
                              tracedat_instances_begin(writer->instances, i) - tracedat_page_size(writer->options),
                              tracedat_instances_end(writer->instances, i), string)
            != 0)
            return -1;
        string += (uint32_t)(strlen(FLYRECORD_STRING) + strlen(writer->trace->groups[i].name)) + 1;
    }
    return 0;
}

/* Write the first page, with the magic. end: offset behind the pages of the top buffer. */
static int write_first_page(struct tracedat_sections *sections, uint64_t end)
{
    sections->writer->piece.used = 0;
    tracedat_add_prologue7(sections);
    return write_header_page(sections, 0, end, 0);
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

/* Say that widespread programs cannot read such a file. */
static void warn_of_zlib(const struct trace *trace, const struct trace_options *options)
{
    if (options->compression == TRACE_COMPRESS_ZLIB && !trace->quiet)
        message("Debian's trace-cmd and KernelShark are built without zlib and cannot open such a file; with "
                "--compress=zstd they can");
}

/* The pages begin behind the first one, which has the prologue. */
static void *open_writer(struct trace *trace, const struct trace_options *options, int fd)
{
    warn_of_zlib(trace, options);
    return tracedat_writer_open(trace, options, fd, tracedat_page_size(options));
}

/* Complete the file. 0, or -1 after trace_fail(). */
static int finish(struct tracedat_sections *sections)
{
    uint64_t top;
    if (tracedat_writer_finish_pages(sections->writer, &top, &sections->base) != 0 || write_sections(sections) != 0
        || write_instance_headers(sections) != 0)
        return -1;
    return write_first_page(sections, top);
}

static int close_writer(void *state, bool ok)
{
    struct tracedat_sections sections = {.writer = state, .table = table, .n = sizeof table / sizeof table[0]};
    int result = ok ? finish(&sections) : 0;
    tracedat_writer_free(sections.writer);
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
             | TRACE_OPTION_ENDIAN | TRACE_OPTION_PAGE_SIZE | TRACE_OPTION_INSTANCES | TRACE_OPTION_GUESTS
             | TRACE_OPTION_SESSION,
    .open = open_writer,
    .write = tracedat_writer_write,
    .close = close_writer,
};
