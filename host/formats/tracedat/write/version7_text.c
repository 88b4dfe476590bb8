/* version7_text.c - trace.dat version 7 with lines of text in the place of events, for people who have trace-cmd and
 * nothing that understands the formats of the events. The format's name for such a section is "latency", after the
 * tracers of Linux whose output is text.
 *
 *   head   prologue, sections, options, strings, a section of zeros up to the text
 *   text   a section of lines, to the end of the file
 *
 * Readers take the text up to the end of the file, so it comes last. Room is kept for the head; if the head outgrows
 * that, the text moves.
 */
#define _POSIX_C_SOURCE   200809L
#define _FILE_OFFSET_BITS 64

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "text/lines.h"
#include "formats/tracedat/write/layout.h"
#include "formats/tracedat/write/options.h"
#include "formats/tracedat/write/section.h"

enum { OPTIONS_AT = 24 }; /* offset in the prologue of the place of the options */

struct version7_text {
    struct tracedat_writer *writer;
    void *lines;    /* writes them (text/lines.h) */
    uint64_t place; /* offset in the file of the section of text */
};

/* The option that says where the text is. */
static void add_buffer(struct tracedat_sections *sections)
{
    struct tracedat_piece *piece = &sections->writer->piece;
    size_t at = tracedat_begin_option(piece, TRACEDAT_OPTION_TEXT);
    tracedat_add_64(piece, sections->place[TRACEDAT_SECTION_TEXT]);
    tracedat_add_string(piece, "");
    tracedat_add_string(piece, tracedat_clock_name(sections->writer));
    tracedat_set_size_32(piece, at);
}

/* The content of the section of options. */
static void fill_options(struct tracedat_sections *sections)
{
    tracedat_fill_options(sections, add_buffer);
}

/* The sections in the order of their names; the text and the zeros before it are written last and not filled here. */
#define TEXT_NAME  "buffer latency "
#define ZEROS_NAME sizeof TEXT_NAME /* offset of the zeros' name among the names */

static const struct tracedat_section table[] = {
    {TRACEDAT_SECTION_TEXT, TEXT_NAME, NULL, false},
    {TRACEDAT_SECTION_FLYRECORD, "padding", NULL, false},
    {TRACEDAT_SECTION_HEADERS, "headers", tracedat_fill_headers, false},
    {TRACEDAT_SECTION_FTRACE_EVENTS, "ftrace events", tracedat_fill_ftrace_events, false},
    {TRACEDAT_SECTION_EVENT_FORMATS, "events format", tracedat_fill_event_formats, false},
    {TRACEDAT_SECTION_KALLSYMS, "kallsyms", tracedat_fill_kallsyms, false},
    {TRACEDAT_SECTION_PRINTK, "printk", tracedat_fill_printk, false},
    {TRACEDAT_SECTION_CMDLINES, "command lines", tracedat_fill_cmdlines, false},
    {TRACEDAT_SECTION_OPTIONS, "options", fill_options, false},
    {TRACEDAT_SECTION_STRINGS, "strings", tracedat_fill_strings, false},
};

/* Make the head for a text at that place, up to the section of zeros. */
static void make_head(struct tracedat_writer *writer, uint64_t place)
{
    struct tracedat_sections sections = {.writer = writer, .table = table, .n = sizeof table / sizeof table[0]};
    writer->piece.used = 0;
    sections.place[TRACEDAT_SECTION_TEXT] = place;
    tracedat_add_prologue7(&sections);
    tracedat_add_sections(&sections);
    tracedat_set_64(&writer->piece, OPTIONS_AT, sections.place[TRACEDAT_SECTION_OPTIONS]);
}

/* Add the section of zeros up to place, and there the header of the text, which has size bytes. The zeros need a
 * section because sections follow each other without gaps. No option names it, so readers leave it alone. */
static void end_head(struct tracedat_writer *writer, uint64_t place, uint64_t size)
{
    struct tracedat_piece *piece = &writer->piece;
    tracedat_add_16(piece, TRACEDAT_SECTION_FLYRECORD);
    tracedat_add_16(piece, 0);
    tracedat_add_32(piece, ZEROS_NAME);
    tracedat_add_64(piece, place - piece->used - 8);
    tracedat_add_zeros(piece, (size_t)place - piece->used);
    tracedat_add_16(piece, TRACEDAT_SECTION_TEXT);
    tracedat_add_16(piece, 0);
    tracedat_add_32(piece, 0);
    tracedat_add_64(piece, size);
}

/* Free the memory. Returns NULL. */
static void *free_file(struct version7_text *file)
{
    if (file->writer != NULL)
        tracedat_writer_free(file->writer);
    free(file);
    return NULL;
}

/* Measure the head with what is known now, keep room for it, and begin the lines behind it. */
static void *open_writer(struct trace *trace, const struct trace_options *options, int fd)
{
    struct version7_text *file = calloc(1, sizeof *file);
    if (file == NULL) {
        trace_fail(trace, "no memory for writing trace.dat");
        return NULL;
    }
    file->writer = tracedat_writer_open(trace, options, fd, 0);
    if (file->writer == NULL)
        return free_file(file);
    make_head(file->writer, 0);
    file->place = tracedat_head_room(trace, options, file->writer->piece.used);
    if (lseek(fd, (off_t)file->place + TRACEDAT_SECTION_HEADER_SIZE, SEEK_SET) < 0) {
        trace_fail(trace, "cannot write: %s", strerror(errno));
        return free_file(file);
    }
    file->lines = text_lines_open(trace, fd, false);
    return file->lines != NULL ? file : free_file(file);
}

static int write_batch(void *state, unsigned cpu, const struct trace_batch *batch)
{
    struct version7_text *file = state;
    return text_lines_write(file->lines, cpu, batch);
}

/* Complete the file: write the head, if needed after moving the text. 0, or -1 after trace_fail(). */
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
        if (tracedat_writer_move(writer, begin, (uint64_t)end, place - file->place) != 0)
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
    free_file(file);
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
