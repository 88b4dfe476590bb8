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

struct version7_text {
    struct tracedat_writer *writer;
    void *lines;
    uint64_t place; /* of the section of text in the file */
};

static void add_buffer(struct tracedat_sections *sections)
{
    struct tracedat_piece *piece = &sections->writer->piece;
    size_t at = tracedat_begin_option(piece, TRACEDAT_OPTION_TEXT);

    tracedat_add_64(piece, sections->place[TRACEDAT_SECTION_TEXT]);
    tracedat_add_string(piece, "");
    tracedat_add_string(piece, tracedat_clock_name(sections->writer));
    tracedat_set_size_32(piece, at);
}

static void fill_options(struct tracedat_sections *sections)
{
    tracedat_fill_options(sections, add_buffer);
}

static const struct tracedat_section table[] = {
    {TRACEDAT_SECTION_TEXT, "buffer latency ", NULL, false},
    {TRACEDAT_SECTION_HEADERS, "headers", tracedat_fill_headers, false},
    {TRACEDAT_SECTION_FTRACE_EVENTS, "ftrace events", tracedat_fill_ftrace_events, false},
    {TRACEDAT_SECTION_EVENT_FORMATS, "events format", tracedat_fill_event_formats, false},
    {TRACEDAT_SECTION_KALLSYMS, "kallsyms", tracedat_fill_kallsyms, false},
    {TRACEDAT_SECTION_PRINTK, "printk", tracedat_fill_printk, false},
    {TRACEDAT_SECTION_CMDLINES, "command lines", tracedat_fill_cmdlines, false},
    {TRACEDAT_SECTION_OPTIONS, "options", fill_options, false},
    {TRACEDAT_SECTION_STRINGS, "strings", tracedat_fill_strings, false},
};

/* The head for a text at that place, as far as the section of zeros. */
static void make_head(struct tracedat_writer *writer, uint64_t place)
{
    struct tracedat_sections sections = {.writer = writer, .table = table, .n = sizeof table / sizeof table[0]};

    writer->piece.used = 0;
    sections.place[TRACEDAT_SECTION_TEXT] = place;
    tracedat_add_prologue7(&sections);
    tracedat_add_sections(&sections);
    tracedat_set_64(&writer->piece, PROLOGUE_OPTIONS, sections.place[TRACEDAT_SECTION_OPTIONS]);
}

/* Sections follow each other without a gap: zeros stand in one that no option tells of. */
static void end_head(struct tracedat_writer *writer, uint64_t place, uint64_t size)
{
    struct tracedat_piece *piece = &writer->piece;

    tracedat_add_16(piece, TRACEDAT_SECTION_FLYRECORD);
    tracedat_add_16(piece, 0);
    tracedat_add_32(piece, UINT32_MAX); /* no name */
    tracedat_add_64(piece, place - piece->used - 8);
    tracedat_add_zeros(piece, (size_t)place - piece->used);
    tracedat_add_16(piece, TRACEDAT_SECTION_TEXT);
    tracedat_add_16(piece, 0);
    tracedat_add_32(piece, 0);
    tracedat_add_64(piece, size);
}

static void *text_file_free(struct version7_text *file)
{
    if (file->writer)
        tracedat_writer_free(file->writer);
    free(file);
    return NULL;
}

static void *open_writer(struct trace *trace, const struct trace_options *options, int fd)
{
    struct version7_text *file = calloc(1, sizeof *file);

    if (!file) {
        trace_fail(trace, "no memory for writing trace.dat");
        return NULL;
    }
    file->writer = tracedat_writer_open(trace, options, fd, 0);
    if (!file->writer)
        return text_file_free(file);
    make_head(file->writer, 0);
    file->place = tracedat_head_room(trace, options, file->writer->piece.used);
    if (lseek(fd, (off_t)file->place + TRACEDAT_SECTION_HEADER_SIZE, SEEK_SET) < 0) {
        trace_fail(trace, "cannot write: %s", strerror(errno));
        return text_file_free(file);
    }
    file->lines = text_lines_open(trace, fd);
    return file->lines ? file : text_file_free(file);
}

static int write_batch(void *state, unsigned cpu, const struct trace_batch *batch)
{
    struct version7_text *file = state;

    return text_lines_write(file->lines, cpu, batch);
}

static int finish(struct version7_text *file)
{
    struct tracedat_writer *writer = file->writer;
    uint64_t begin = file->place + TRACEDAT_SECTION_HEADER_SIZE;
    off_t end = lseek(writer->fd, 0, SEEK_CUR);
    uint64_t place = file->place;

    if (end < 0)
        return trace_fail(writer->trace, "cannot write: %s", strerror(errno));
    make_head(writer, place);
    if (writer->piece.used + TRACEDAT_SECTION_HEADER_SIZE > place) {
        place = tracedat_whole_pages(writer->options, writer->piece.used + TRACEDAT_SECTION_HEADER_SIZE);
        if (tracedat_writer_move(writer, begin, (uint64_t)end, place - file->place))
            return -1;
        make_head(writer, place);
    }
    end_head(writer, place, (uint64_t)end - begin);
    if (writer->piece.failed)
        return trace_fail(writer->trace, "no memory for the sections of trace.dat");
    return tracedat_writer_put(writer, writer->piece.bytes, writer->piece.used, 0);
}

static int close_writer(void *state, bool ok)
{
    struct version7_text *file = state;
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
    .open = open_writer,
    .write = write_batch,
    .close = close_writer,
};
