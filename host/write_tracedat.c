/* write_tracedat.c - trace.dat version 7, the file of trace-cmd and KernelShark: little-endian, 64-bit, not compressed.
 *
 *   first page   prologue with the offset of the options | header of the flyrecord section | zeros
 *   pages        the rest of the flyrecord section, CPU after CPU (tracedat_page.c)
 *   then         headers, ftrace events, events format, kallsyms, printk, command lines, options, strings
 *
 * The pages come first because names and types are complete only when the last event has been seen. The first page is
 * written at the very end: a file cut short has no magic.
 *
 * Vocabulary
 *   section  id, string, size, content; all but the pages are found through the options
 *   option   id, size, data; a list of them describes the file
 *   string   the name of a section, for people only; given as its offset in the strings section
 */
#include "trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "tracedat_format.h"
#include "tracedat_page.h"
#include "tracedat_text.h"

#ifndef TLOG_VERSION
#define TLOG_VERSION "0.1.0"
#endif

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
};

enum option_id {
    OPTION_DONE = 0,
    OPTION_CPUSTAT = 2,
    OPTION_BUFFER = 3,
    OPTION_TRACECLOCK = 4,
    OPTION_UNAME = 5,
    OPTION_CPUCOUNT = 8,
    OPTION_VERSION = 9,
    OPTION_TRACEID = 11,
};

enum {
    SECTION_HEADER = 16,
    PROLOGUE_OPTIONS = 24, /* where the prologue has the offset of the options */
    PROLOGUE_SIZE = 32,
};

struct tracedat {
    struct trace *trace;
    int fd;
    unsigned ncpus;
    struct tracedat_pages *pages;
    uint64_t base;                        /* offset in the file of what follows the pages */
    uint64_t place[SECTION_CMDLINES + 1]; /* offset in the file of each section written so far */
    struct dat_text text;                 /* what follows the pages */
};

/* ---- contents of the sections ----------------------------------------------------------------------------------- */

static void fill_headers(struct tracedat *dat, struct dat_text *text)
{
    static const char page[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
                               "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
                               "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
                               "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";
    static const char event[] = "# compressed entry header\n"
                                "\ttype_len    :    5 bits\n"
                                "\ttime_delta  :   27 bits\n"
                                "\tarray       :   32 bits\n"
                                "\n"
                                "\tpadding     : type == 29\n"
                                "\ttime_extend : type == 30\n"
                                "\ttime_stamp : type == 31\n"
                                "\tdata max type_len  == 28\n";

    (void)dat;
    dat_add_string(text, "header_page");
    dat_add_64(text, sizeof page - 1);
    dat_add_text(text, page);
    dat_add_string(text, "header_event");
    dat_add_64(text, sizeof event - 1);
    dat_add_text(text, event);
}

static void fill_ftrace_events(struct tracedat *dat, struct dat_text *text)
{
    tracedat_add_ftrace_events(text, dat->trace);
}

static void fill_event_formats(struct tracedat *dat, struct dat_text *text)
{
    tracedat_add_event_formats(text, dat->trace);
}

/* Firmware addresses are looked up by readers of dumps, format strings are expanded there: both tables stay empty. */
static void fill_empty(struct tracedat *dat, struct dat_text *text)
{
    (void)dat;
    dat_add_32(text, 0);
}

/* The parser of these lines skips blanks before a name, and stops for good at a line that has none. */
static void add_task(void *ctx, uint32_t id, const char *name)
{
    name += strspn(name, " ");
    if (id != 0 && id <= INT32_MAX && name[0] != '\0')
        dat_add_format(ctx, "%" PRIu32 " %s\n", id, name);
}

static void fill_cmdlines(struct tracedat *dat, struct dat_text *text)
{
    size_t at = text->used;

    dat_add_64(text, 0);
    trace_each_name(dat->trace, TRACE_NAME_TASK, add_task, text);
    dat_set_size_64(text, at);
}

/* ---- options ---------------------------------------------------------------------------------------------------- */

/* Start an option; its size is set when what comes back is given to dat_set_size_32(). */
static size_t begin_option(struct dat_text *text, enum option_id id)
{
    dat_add_16(text, (uint16_t)id);
    dat_add_32(text, 0);
    return text->used - 4;
}

static void add_option_string(struct dat_text *text, enum option_id id, const char *string)
{
    size_t at = begin_option(text, id);

    dat_add_string(text, string);
    dat_set_size_32(text, at);
}

/* Times are ns only where the frequency is known. trace-cmd shows those of a clock it does not know as plain numbers.
 */
static const char *clock_name(const struct trace *trace)
{
    return trace->clock_hz ? "local" : "counter";
}

static void add_buffer(struct dat_text *text, const struct tracedat *dat)
{
    size_t at = begin_option(text, OPTION_BUFFER);

    dat_add_64(text, PROLOGUE_SIZE);
    dat_add_string(text, "");
    dat_add_string(text, clock_name(dat->trace));
    dat_add_32(text, TRACEDAT_PAGE_SIZE);
    dat_add_32(text, dat->ncpus);
    for (unsigned i = 0; i < dat->ncpus; i++) {
        const struct tracedat_cpu *cpu = tracedat_pages_cpu(dat->pages, i);

        dat_add_32(text, i);
        dat_add_64(text, cpu->size ? cpu->offset : TRACEDAT_PAGE_SIZE);
        dat_add_64(text, cpu->size);
    }
    dat_set_size_32(text, at);
}

static void add_seconds(struct dat_text *text, const char *what, uint64_t ns)
{
    dat_add_format(text, "%s: %" PRIu64 ".%06" PRIu64 "\n", what, ns / 1000000000, ns / 1000 % 1000000);
}

/* In the words of ftrace's statistics, where entries are what was not read and so is not in the file. */
static void add_cpu_stat(struct dat_text *text, unsigned number, const struct tracedat_cpu *cpu)
{
    size_t at = begin_option(text, OPTION_CPUSTAT);

    dat_add_format(text, "CPU: %u\nentries: 0\nbytes: %" PRIu64 "\n", number, cpu->size);
    if (cpu->events) {
        add_seconds(text, "oldest event ts", cpu->first);
        add_seconds(text, "newest event ts", cpu->last);
    }
    dat_add_format(text, "lost events: %s%" PRIu64 "\nread events: %" PRIu64, cpu->lost_more ? "more than " : "",
                   cpu->lost, cpu->events);
    dat_add_string(text, "\n");
    dat_set_size_32(text, at);
}

/* The sums over all CPUs; overrun and dropped are ftrace's words for overwritten and for found no room. */
static void add_total_stat(struct dat_text *text, const struct trace_counts *counts)
{
    size_t at = begin_option(text, OPTION_CPUSTAT);

    dat_add_format(text, "All CPUs\nentries: 0\noverrun: %" PRIu64 "\ndropped events: %" PRIu64, counts->overwritten,
                   counts->dropped);
    dat_add_format(text, "\nunfinished events: %" PRIu64 "\ndamaged events: %" PRIu64 "\ndamaged regions: %" PRIu64,
                   counts->unfinished, counts->damaged, counts->gaps);
    dat_add_format(text, "\nread events: %" PRIu64 "\nderived events: %" PRIu64, counts->events, counts->derived);
    dat_add_string(text, "\n");
    dat_set_size_32(text, at);
}

/* The same input has the same id. */
static uint64_t trace_id(const struct trace *trace)
{
    uint64_t id = trace->counts.first ^ trace->counts.last << 21 ^ trace->counts.events << 42 ^ trace->ncpus;

    id = (id ^ id >> 31) * UINT64_C(0x9E3779B97F4A7C15);
    return (id ^ id >> 29) | 1;
}

static void fill_options(struct tracedat *dat, struct dat_text *text)
{
    const struct trace *trace = dat->trace;

    for (unsigned id = SECTION_HEADERS; id <= SECTION_CMDLINES; id++) {
        dat_add_16(text, (uint16_t)id);
        dat_add_32(text, 8);
        dat_add_64(text, dat->place[id]);
    }
    dat_add_16(text, OPTION_CPUCOUNT);
    dat_add_32(text, 4);
    dat_add_32(text, dat->ncpus);
    dat_add_16(text, OPTION_TRACEID);
    dat_add_32(text, 8);
    dat_add_64(text, trace_id(trace));
    add_option_string(text, OPTION_TRACECLOCK, trace->clock_hz ? "[local] global counter" : "local global [counter]");
    add_option_string(text, OPTION_VERSION, "tlog-decode " TLOG_VERSION);
    if (trace->target)
        add_option_string(text, OPTION_UNAME, trace->target);
    for (unsigned i = 0; i < dat->ncpus; i++)
        add_cpu_stat(text, i, tracedat_pages_cpu(dat->pages, i));
    add_total_stat(text, &trace->counts);
    add_buffer(text, dat);
    dat_add_16(text, OPTION_DONE);
    dat_add_32(text, 8);
    dat_add_64(text, 0);
}

/* ---- the file --------------------------------------------------------------------------------------------------- */

static void fill_strings(struct tracedat *dat, struct dat_text *text);

/* The sections in the order of the file; the first holds the pages and is not filled here. */
static const struct section {
    enum section_id id;
    const char *string;
    void (*fill)(struct tracedat *dat, struct dat_text *text);
} sections[] = {
    {SECTION_FLYRECORD, "buffer flyrecord ", NULL},
    {SECTION_HEADERS, "headers", fill_headers},
    {SECTION_FTRACE_EVENTS, "ftrace events", fill_ftrace_events},
    {SECTION_EVENT_FORMATS, "events format", fill_event_formats},
    {SECTION_KALLSYMS, "kallsyms", fill_empty},
    {SECTION_PRINTK, "printk", fill_empty},
    {SECTION_CMDLINES, "command lines", fill_cmdlines},
    {SECTION_OPTIONS, "options", fill_options},
    {SECTION_STRINGS, "strings", fill_strings},
};

static const unsigned nsections = sizeof sections / sizeof sections[0];

static void fill_strings(struct tracedat *dat, struct dat_text *text)
{
    (void)dat;
    for (unsigned i = 0; i < nsections; i++)
        dat_add_string(text, sections[i].string);
}

static void add_section(struct tracedat *dat, const struct section *section, uint32_t string)
{
    struct dat_text *text = &dat->text;
    size_t at = text->used;

    dat->place[section->id] = dat->base + at;
    dat_add_16(text, (uint16_t)section->id);
    dat_add_16(text, 0);
    dat_add_32(text, string);
    dat_add_64(text, 0);
    section->fill(dat, text);
    dat_set_size_64(text, at + SECTION_HEADER - 8);
}

/* Everything that follows the pages. */
static int write_sections(struct tracedat *dat)
{
    uint32_t string = 0;

    for (unsigned i = 0; i < nsections; i++) {
        if (sections[i].fill)
            add_section(dat, &sections[i], string);
        string += (uint32_t)strlen(sections[i].string) + 1;
    }
    if (dat->text.failed)
        return trace_fail(dat->trace, "no memory for the sections of trace.dat");
    return tracedat_put(dat->trace, dat->fd, dat->text.bytes, dat->text.used, dat->base);
}

static int write_first_page(struct tracedat *dat)
{
    static const char prologue[] = "\x17\x08\x44tracing7\0" /* magic, version */
                                   "\0\x08\0\x10\0\0"       /* little-endian, 64 bits, page size */
                                   "none\0";                /* compression; the last NUL is its version */
    unsigned char page[TRACEDAT_PAGE_SIZE] = {0};

    _Static_assert(sizeof prologue == PROLOGUE_OPTIONS && TRACEDAT_PAGE_SIZE == 0x1000, "prologue");
    memcpy(page, prologue, sizeof prologue);
    put_le64(page + PROLOGUE_OPTIONS, dat->place[SECTION_OPTIONS]);
    put_le16(page + PROLOGUE_SIZE, SECTION_FLYRECORD);
    put_le64(page + PROLOGUE_SIZE + 8, dat->base - PROLOGUE_SIZE - SECTION_HEADER);
    return tracedat_put(dat->trace, dat->fd, page, sizeof page, 0);
}

static void *tracedat_open(struct trace *trace, int fd)
{
    struct tracedat *dat = calloc(1, sizeof *dat);

    if (!dat) {
        trace_fail(trace, "no memory for writing trace.dat");
        return NULL;
    }
    dat->trace = trace;
    dat->fd = fd;
    dat->ncpus = trace->ncpus;
    dat->pages = tracedat_pages_open(trace, fd, TRACEDAT_PAGE_SIZE);
    if (!dat->pages) {
        free(dat);
        return NULL;
    }
    return dat;
}

static int tracedat_write(void *writer, unsigned cpu, const struct trace_batch *batch)
{
    struct tracedat *dat = writer;

    return tracedat_pages_write(dat->pages, cpu, batch);
}

static int tracedat_close(void *writer, bool ok)
{
    struct tracedat *dat = writer;
    int result = 0;

    if (ok && (tracedat_pages_finish(dat->pages, &dat->base) || write_sections(dat) || write_first_page(dat)))
        result = -1;
    tracedat_pages_free(dat->pages);
    free(dat->text.bytes);
    free(dat);
    return result;
}

const struct trace_writer writer_tracedat = {
    .name = "trace.dat",
    .suffix = ".dat",
    .description = "trace.dat version 7, for trace-cmd and KernelShark",
    .binary = true,
    .seeks = true,
    .open = tracedat_open,
    .write = tracedat_write,
    .close = tracedat_close,
};
