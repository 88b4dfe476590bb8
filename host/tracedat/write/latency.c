/* latency.c - trace.dat version 7 with lines of text in the place of events, for whoever has trace-cmd to read
 * with and nothing that understands the events' formats.
 *
 *   head   prologue, sections, options, strings, a section of zeros up to the place of the text
 *   text   section of lines, to the end of the file
 *
 * Readers take the text up to the end of the file, so it comes last. Room is kept for the head; should it outgrow that,
 * the text moves.
 */
#define _POSIX_C_SOURCE   200809L
#define _FILE_OFFSET_BITS 64

#include "text/lines.h"
#include "model/module.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracedat/write/section.h"

enum {
    PROLOGUE_OPTIONS = 24, /* where the prologue has the place of the options */
};

struct text_file {
    struct tracedat *dat;
    void *lines;
    uint64_t place; /* of the section of text in the file */
};

static void add_buffer(struct sections *sections)
{
    struct dat_text *text = &sections->dat->text;
    size_t at = tracedat_begin_option(text, OPTION_TEXT);

    dat_add_64(text, sections->place[SECTION_TEXT]);
    dat_add_string(text, "");
    dat_add_string(text, tracedat_clock(sections->dat));
    dat_set_size_32(text, at);
}

static void fill_options(struct sections *sections)
{
    tracedat_fill_options(sections, add_buffer);
}

static const struct section table[] = {
    {SECTION_TEXT, "buffer latency ", NULL, false},
    {SECTION_HEADERS, "headers", tracedat_fill_headers, false},
    {SECTION_FTRACE_EVENTS, "ftrace events", tracedat_fill_ftrace_events, false},
    {SECTION_EVENT_FORMATS, "events format", tracedat_fill_event_formats, false},
    {SECTION_KALLSYMS, "kallsyms", tracedat_fill_kallsyms, false},
    {SECTION_PRINTK, "printk", tracedat_fill_printk, false},
    {SECTION_CMDLINES, "command lines", tracedat_fill_cmdlines, false},
    {SECTION_OPTIONS, "options", fill_options, false},
    {SECTION_STRINGS, "strings", tracedat_fill_strings, false},
};

/* The head for a text at that place, as far as the section of zeros. */
static void make_head(struct tracedat *dat, uint64_t place)
{
    struct sections sections = {.dat = dat, .table = table, .n = sizeof table / sizeof table[0]};

    dat->text.used = 0;
    sections.place[SECTION_TEXT] = place;
    tracedat_add_prologue7(&sections);
    tracedat_add_sections(&sections);
    dat_set_64(&dat->text, PROLOGUE_OPTIONS, sections.place[SECTION_OPTIONS]);
}

/* Sections follow each other without a gap: zeros stand in one that no option tells of. */
static void end_head(struct tracedat *dat, uint64_t place, uint64_t size)
{
    struct dat_text *text = &dat->text;

    dat_add_16(text, SECTION_FLYRECORD);
    dat_add_16(text, 0);
    dat_add_32(text, UINT32_MAX); /* no name */
    dat_add_64(text, place - text->used - 8);
    dat_add_zeros(text, (size_t)place - text->used);
    dat_add_16(text, SECTION_TEXT);
    dat_add_16(text, 0);
    dat_add_32(text, 0);
    dat_add_64(text, size);
}

static void *text_file_free(struct text_file *file)
{
    if (file->dat)
        tracedat_release(file->dat);
    free(file);
    return NULL;
}

static void *tracedat_text_open(struct trace *trace, const struct trace_options *options, int fd)
{
    struct text_file *file = calloc(1, sizeof *file);

    if (!file) {
        trace_fail(trace, "no memory for writing trace.dat");
        return NULL;
    }
    file->dat = tracedat_begin(trace, options, fd, 0);
    if (!file->dat)
        return text_file_free(file);
    make_head(file->dat, 0);
    file->place = tracedat_room(trace, options, file->dat->text.used);
    if (lseek(fd, (off_t)file->place + SECTION_HEADER, SEEK_SET) < 0) {
        trace_fail(trace, "cannot write: %s", strerror(errno));
        return text_file_free(file);
    }
    file->lines = text_lines_open(trace, fd);
    return file->lines ? file : text_file_free(file);
}

static int tracedat_text_write(void *writer, unsigned cpu, const struct trace_batch *batch)
{
    struct text_file *file = writer;

    return text_lines_write(file->lines, cpu, batch);
}

static int finish(struct text_file *file)
{
    struct tracedat *dat = file->dat;
    uint64_t begin = file->place + SECTION_HEADER;
    off_t end = lseek(dat->fd, 0, SEEK_CUR);
    uint64_t place = file->place;

    if (end < 0)
        return trace_fail(dat->trace, "cannot write: %s", strerror(errno));
    make_head(dat, place);
    if (dat->text.used + SECTION_HEADER > place) {
        place = tracedat_whole_pages(dat->options, dat->text.used + SECTION_HEADER);
        if (tracedat_move(dat, begin, (uint64_t)end, place - file->place))
            return -1;
        make_head(dat, place);
    }
    end_head(dat, place, (uint64_t)end - begin);
    if (dat->text.failed)
        return trace_fail(dat->trace, "no memory for the sections of trace.dat");
    return tracedat_put(dat, dat->text.bytes, dat->text.used, 0);
}

static int tracedat_text_close(void *writer, bool ok)
{
    struct text_file *file = writer;
    int result = text_lines_close(file->lines, ok);

    if (ok && result == 0)
        result = finish(file);
    text_file_free(file);
    return result;
}

const struct trace_writer writer_tracedat_text = {
    .name = "trace.dat-text",
    .description = "trace.dat version 7 with lines of text, for trace-cmd",
    .binary = true,
    .merged = true,
    .seeks = true,
    .takes = TRACE_OPTION_LONG_SIZE | TRACE_OPTION_ENDIAN | TRACE_OPTION_PAGE_SIZE,
    .open = tracedat_text_open,
    .write = tracedat_text_write,
    .close = tracedat_text_close,
};
