/* write_tracedat.c - trace.dat version 7, the file of trace-cmd and KernelShark.
 *
 *   first page   prologue with the offset of the options | header of the flyrecord section | zeros
 *   pages        the rest of the flyrecord section, CPU after CPU (tracedat_page.c)
 *   then         headers, ftrace events, events format, kallsyms, printk, command lines, options, strings
 *
 * The pages come first because names, types and counts are complete only when the last event has been seen. The first
 * page is written at the very end: a file cut short has no magic.
 *
 * Vocabulary
 *   section  id, string, size, content; all but the pages are found through the options
 *   string   the name of a section, for people only; given as its offset in the strings section
 */
#include "trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracedat_file.h"
#include "tracedat_format.h"
#include "tracedat_squeeze.h"

enum section_id {
    SECTION_OPTIONS = 0,
    SECTION_FLYRECORD = 3,
    SECTION_STRINGS = 15,
    SECTION_HEADERS = 16,
    SECTION_FTRACE_EVENTS = 17,
    SECTION_EVENT_FORMATS = 18,
    SECTION_KALLSYMS = 19,
    SECTION_PRINTK = 20,
    SECTION_CMDLINES = 21,
    SECTIONS,
};

enum {
    SECTION_HEADER = 16,
    SECTION_COMPRESSED = 1, /* flag */
    PROLOGUE_OPTIONS = 24,  /* where the prologue has the offset of the options */
    PROLOGUE_SIZE = 32,
};

/* What is known while the sections behind the pages are made. */
struct sections {
    struct tracedat *dat;
    uint64_t base;            /* offset in the file of the first */
    uint64_t place[SECTIONS]; /* offset in the file of each so far */
};

/* ---- contents of the sections ----------------------------------------------------------------------------------- */

static void fill_headers(struct sections *sections)
{
    tracedat_add_headers(sections->dat);
}

static void fill_ftrace_events(struct sections *sections)
{
    tracedat_add_ftrace_events(&sections->dat->text, sections->dat->trace);
}

static void fill_event_formats(struct sections *sections)
{
    tracedat_add_event_formats(&sections->dat->text, sections->dat->trace);
}

static void fill_kallsyms(struct sections *sections)
{
    tracedat_add_kallsyms(sections->dat);
}

static void fill_printk(struct sections *sections)
{
    tracedat_add_printk(sections->dat);
}

static void fill_cmdlines(struct sections *sections)
{
    tracedat_add_cmdlines(sections->dat);
}

/* CPUs without events are told too: converters take a CPU that is not in the list for CPU 0. */
static void add_buffer(struct tracedat *dat)
{
    struct dat_text *text = &dat->text;
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
    struct dat_text *text = &sections->dat->text;

    for (unsigned id = SECTION_HEADERS; id <= SECTION_CMDLINES; id++) {
        dat_add_16(text, (uint16_t)id);
        dat_add_32(text, 8);
        dat_add_64(text, sections->place[id]);
    }
    dat_add_16(text, OPTION_CPUCOUNT);
    dat_add_32(text, 4);
    dat_add_32(text, sections->dat->ncpus);
    tracedat_add_options(sections->dat);
    add_buffer(sections->dat);
    dat_add_16(text, OPTION_DONE);
    dat_add_32(text, 8);
    dat_add_64(text, 0); /* there are no more */
}

static void fill_strings(struct sections *sections);

/* The sections in the order of the file; the first holds the pages and is not filled here. */
static const struct section {
    enum section_id id;
    const char *string;
    void (*fill)(struct sections *sections);
    bool compressed; /* in a file that is */
} sections_of_file[] = {
    {SECTION_FLYRECORD, "buffer flyrecord ", NULL, true},
    {SECTION_HEADERS, "headers", fill_headers, true},
    {SECTION_FTRACE_EVENTS, "ftrace events", fill_ftrace_events, true},
    {SECTION_EVENT_FORMATS, "events format", fill_event_formats, true},
    {SECTION_KALLSYMS, "kallsyms", fill_kallsyms, true},
    {SECTION_PRINTK, "printk", fill_printk, true},
    {SECTION_CMDLINES, "command lines", fill_cmdlines, true},
    {SECTION_OPTIONS, "options", fill_options, false},
    {SECTION_STRINGS, "strings", fill_strings, false},
};

static const unsigned nsections = sizeof sections_of_file / sizeof sections_of_file[0];

static void fill_strings(struct sections *sections)
{
    for (unsigned i = 0; i < nsections; i++)
        dat_add_string(&sections->dat->text, sections_of_file[i].string);
}

/* ---- sections ---------------------------------------------------------------------------------------------------- */

/* Compress what was added from at on; both its sizes come first. */
static void squeeze_from(struct tracedat *dat, size_t at)
{
    enum trace_compression method = dat->trace->options.compression;
    struct dat_text *text = &dat->text;
    size_t size = text->used - at;
    size_t room = squeeze_bound(method, size);
    void *to = malloc(room);
    size_t used = to && !text->failed ? squeeze_bytes(method, to, room, text->bytes + at, size) : 0;

    if (used == 0) {
        text->failed = true;
    } else {
        text->used = at;
        dat_add_32(text, (uint32_t)used);
        dat_add_32(text, (uint32_t)size);
        dat_add_bytes(text, to, used);
    }
    free(to);
}

static void add_section(struct sections *sections, const struct section *section, uint32_t string)
{
    struct tracedat *dat = sections->dat;
    struct dat_text *text = &dat->text;
    bool compressed = section->compressed && dat->trace->options.compression != TRACE_COMPRESS_NONE;
    size_t at = text->used;

    sections->place[section->id] = sections->base + at;
    dat_add_16(text, (uint16_t)section->id);
    dat_add_16(text, compressed ? SECTION_COMPRESSED : 0);
    dat_add_32(text, string);
    dat_add_64(text, 0);
    section->fill(sections);
    if (compressed)
        squeeze_from(dat, at + SECTION_HEADER);
    dat_set_size_64(text, at + SECTION_HEADER - 8);
}

/* Everything that follows the pages. */
static int write_sections(struct sections *sections)
{
    struct tracedat *dat = sections->dat;
    uint32_t string = 0;

    for (unsigned i = 0; i < nsections; i++) {
        if (sections_of_file[i].fill)
            add_section(sections, &sections_of_file[i], string);
        string += (uint32_t)strlen(sections_of_file[i].string) + 1;
    }
    if (dat->text.failed)
        return trace_fail(dat->trace, "no memory for the sections of trace.dat");
    return tracedat_put(dat, dat->text.bytes, dat->text.used, sections->base);
}

/* Prologue, zeros and the header of the flyrecord section, whose size is as wide as the pages' alignment makes it. */
static int write_first_page(struct sections *sections)
{
    static const char *const methods[] = {"none", "zstd", "zlib"};
    struct tracedat *dat = sections->dat;
    struct dat_text *text = &dat->text;
    bool compressed = dat->trace->options.compression != TRACE_COMPRESS_NONE;

    text->used = 0;
    tracedat_add_prologue(dat, "7");
    dat_add_string(text, methods[dat->trace->options.compression]);
    dat_add_string(text, ""); /* of any version */
    dat_add_64(text, sections->place[SECTION_OPTIONS]);
    dat_add_16(text, SECTION_FLYRECORD);
    dat_add_16(text, compressed ? SECTION_COMPRESSED : 0);
    dat_add_32(text, 0);
    dat_add_64(text, sections->base - PROLOGUE_SIZE - SECTION_HEADER);
    dat_add_zeros(text, dat_page_size(dat->trace) - text->used);
    if (dat->text.failed)
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
    struct sections sections = {.dat = writer};
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
    .takes = TRACE_OPTION_COMPRESS | TRACE_OPTION_START_TIME | TRACE_OPTION_RAW_TSC | TRACE_OPTION_LONG_SIZE
             | TRACE_OPTION_ENDIAN | TRACE_OPTION_PAGE_SIZE,
    .open = tracedat_open,
    .write = tracedat_write,
    .close = tracedat_close,
};
