/* version7.c - trace.dat version 7, the file of trace-cmd and KernelShark: with events, and with lines of text.
 *
 * A section is
 *
 *   header   id, 2 bytes; flags, 2 bytes; offset of the name in the strings section, 4 bytes; size of the content, 8
 *            bytes
 *   content  if the flags say so, compressed: compressed size, 4 bytes; real size, 4 bytes; the compressed bytes
 *
 * With events (trace.dat) the file is
 *
 *   first page   prologue with the place of the options | header of the flyrecord section | zeros
 *   pages        the rest of the flyrecord section, CPU after CPU (page.c)
 *   instances    for each a page with the header of its section, and its pages
 *   then         headers, ftrace events, events format, kallsyms, printk, command lines, options, strings
 *
 * The pages come first because names, types and counts are complete only when the last event has come. The first page
 * is written last: a file that was cut short has no magic.
 *
 * With lines of text in the place of events (trace.dat-text) the file is for people who have trace-cmd, but no program
 * that understands the formats of the events. The format calls such a section "latency", after the tracers of Linux
 * whose output is text.
 *
 *   head   prologue, sections, options, strings, a section of zeros up to the text
 *   text   a section of lines, to the end of the file
 *
 * Readers take the text up to the end of the file, so it comes last. Room is kept for the head; if the head outgrows
 * that, the text moves.
 */

#include <errno.h>
#include <string.h>

#include "base/heap.h"
#include "text/lines.h"
#include "formats/tracedat/write/blocks.h"
#include "formats/tracedat/write/layout.h"
#include "formats/tracedat/write/options.h"
#include "formats/tracedat/write/tables.h"
#include "formats/tracedat/write/writer.h"
#include "os/os_file.h"

enum {
    OPTIONS_AT = 24, /* offset in the prologue of the place of the options, if the compressor's version is "" */
    PLACE_SIZE = 8,  /* bytes of that */
};

struct sections;

/* A section as a table has it, one row each. */
struct section {
    enum tracedat_section_id id;
    const char *string; /* what it is called in the strings section, for people only */
    bool compressed;    /* if the file is */
    /* One of these two adds its content to the piece. Both are NULL if it is written by itself. */
    void (*add)(struct tracedat_piece *piece, const struct trace *trace);
    void (*fill)(struct sections *sections);
};

/* All sections of a file, while they are made. */
struct sections {
    struct tracedat_writer *writer;
    const struct section *table;       /* in the order of their names in the strings section */
    unsigned n;                        /* of table */
    uint64_t base;                     /* offset in the file of writer->piece */
    uint64_t place[TRACEDAT_SECTIONS]; /* offset in the file of each section that was begun, by its id */
};

/* ---- sections ---------------------------------------------------------------------------------------------------- */

/* The content of the section of that name. */
static void fill_headers(struct sections *sections)
{
    tracedat_add_headers(&sections->writer->piece, sections->writer->options);
}

/* The names of all sections of the table, in its order: so add_sections() knows their offsets beforehand. */
static void fill_strings(struct sections *sections)
{
    for (unsigned i = 0; i < sections->n; i++)
        tracedat_add_string(&sections->writer->piece, sections->table[i].string);
}

/* Begin the section of options: where sections 16 to 21 are, and all options that describe the trace. */
static void begin_options(struct sections *sections)
{
    struct tracedat_piece *piece = &sections->writer->piece;
    for (unsigned id = TRACEDAT_SECTION_HEADERS; id <= TRACEDAT_SECTION_CMDLINES; id++) {
        tracedat_add_16(piece, (uint16_t)id);
        tracedat_add_32(piece, 8);
        tracedat_add_64(piece, sections->place[id]);
    }
    tracedat_add_16(piece, TRACEDAT_OPTION_CPUCOUNT);
    tracedat_add_32(piece, 4);
    tracedat_add_32(piece, sections->writer->ncpus);
    tracedat_add_options(sections->writer);
}

/* End the section of options. */
static void end_options(struct tracedat_piece *piece)
{
    tracedat_add_16(piece, TRACEDAT_OPTION_DONE);
    tracedat_add_32(piece, 8);
    tracedat_add_64(piece, 0); /* where further options are: nowhere */
}

/* Offset in the prologue of the place of the options, which is its end. */
static size_t options_at(const struct tracedat_writer *writer)
{
    return OPTIONS_AT + strlen(tracedat_compressor_version(writer->options->compression));
}

/* Add the whole prologue. The place of the options is that of their section, which was begun, or else is 0. */
static void add_prologue(struct sections *sections)
{
    static const char *const methods[] = {"none", "zstd", "zlib"}; /* as enum trace_compression has them */
    struct tracedat_writer *writer = sections->writer;
    tracedat_add_prologue(&writer->piece, writer->options, "7");
    tracedat_add_string(&writer->piece, methods[writer->options->compression]);
    tracedat_add_string(&writer->piece, tracedat_compressor_version(writer->options->compression));
    tracedat_add_64(&writer->piece, sections->place[TRACEDAT_SECTION_OPTIONS]);
}

/* Compress what was added to the piece from an offset on. Its compressed size and its real one stand in front of it. */
static void compress_from(struct tracedat_writer *writer, size_t at)
{
    enum trace_compression method = writer->options->compression;
    struct tracedat_piece *piece = &writer->piece;
    size_t size = piece->used - at;
    size_t room = tracedat_compress_bound(method, size);
    void *to = heap_alloc(room);
    size_t used = to != NULL && !piece->failed ? tracedat_compress(method, to, room, piece->bytes + at, size) : 0;
    if (used == 0) {
        piece->failed = true;
    } else {
        piece->used = at;
        tracedat_add_32(piece, (uint32_t)used);
        tracedat_add_32(piece, (uint32_t)size);
        tracedat_add_bytes(piece, to, used);
    }
    heap_free(to);
}

/* Add the header of a section. The caller adds its content, and sets its size by giving what is returned to
 * tracedat_set_size_64(). string: offset of its name in the strings section. */
static size_t begin_section(struct sections *sections, enum tracedat_section_id id, bool compressed, uint32_t string)
{
    struct tracedat_piece *piece = &sections->writer->piece;
    sections->place[id] = sections->base + piece->used; /* for the option that says where the section is */
    tracedat_add_16(piece, (uint16_t)id);
    tracedat_add_16(piece, compressed ? TRACEDAT_SECTION_COMPRESSED : 0);
    tracedat_add_32(piece, string);
    tracedat_add_64(piece, 0);
    return piece->used - 8;
}

/* Add a section: header and content, compressed if section and file are. string: as above. */
static void add_section(struct sections *sections, const struct section *section, uint32_t string)
{
    struct tracedat_writer *writer = sections->writer;
    bool compressed = section->compressed && writer->options->compression != TRACE_COMPRESS_NONE;
    size_t at = begin_section(sections, section->id, compressed, string);
    if (section->fill != NULL)
        section->fill(sections);
    else
        section->add(&writer->piece, writer->trace);
    if (compressed)
        compress_from(writer, at + 8); /* behind the size */
    tracedat_set_size_64(&writer->piece, at);
}

/* Add all sections of the table that are not written by themselves. */
static void add_sections(struct sections *sections)
{
    uint32_t string = 0;
    for (unsigned i = 0; i < sections->n; i++) {
        const struct section *section = &sections->table[i];
        if (section->fill != NULL || section->add != NULL)
            add_section(sections, section, string);
        string += (uint32_t)strlen(section->string) + 1;
    }
}

/* ---- events: where they are -------------------------------------------------------------------------------------- */

/* Where the pages of a CPU are; empty: the offset that is told if there are none. Such a CPU must be listed, too:
 * trace-cmd convert takes one that is not in the list for CPU 0. */
static void add_cpu(struct tracedat_piece *piece, unsigned number, const struct tracedat_cpu *cpu, uint64_t empty)
{
    tracedat_add_32(piece, number);
    tracedat_add_64(piece, cpu->size != 0 ? cpu->offset : empty);
    tracedat_add_64(piece, cpu->size);
}

/* Add an option for a buffer, from its beginning up to the number of CPUs; section: the offset of the buffer's section.
 * Returns what tracedat_begin_option() does. */
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

/* Offset of the section of instance i. Its header is on the page before its first one. */
static uint64_t instance_section(const struct tracedat_writer *writer, unsigned i)
{
    return writer->instance[i].begin - tracedat_page_size(writer->options);
}

static void add_instance(struct tracedat_writer *writer, unsigned i)
{
    const struct tracedat_instance *instance = &writer->instance[i];
    size_t at = begin_buffer(writer, &writer->piece, instance_section(writer, i), writer->trace->groups[i].name);
    for (unsigned cpu = 0; cpu < writer->ncpus; cpu++)
        add_cpu(&writer->piece, cpu, &instance->cpus[cpu], instance->begin);
    tracedat_set_size_32(&writer->piece, at);
}

/* The content of the section of options. The section of the top buffer begins behind the prologue. */
static void fill_event_options(struct sections *sections)
{
    struct tracedat_writer *writer = sections->writer;
    size_t at;
    begin_options(sections);
    at = begin_buffer(writer, &writer->piece, options_at(writer) + PLACE_SIZE, "");
    for (unsigned i = 0; i < writer->ncpus; i++)
        add_cpu(&writer->piece, i, tracedat_pages_cpu(writer->pages, i), tracedat_page_size(writer->options));
    tracedat_set_size_32(&writer->piece, at);
    for (unsigned i = 0; i < writer->ninstances; i++)
        add_instance(writer, i);
    end_options(&writer->piece);
}

/* The name of a buffer's section. An instance's section has the instance's name behind it. */
#define FLYRECORD_STRING "buffer flyrecord "

/* The names of the sections: of those in the table, then of those of instances. */
static void fill_event_strings(struct sections *sections)
{
    struct tracedat_writer *writer = sections->writer;
    fill_strings(sections);
    for (unsigned i = 0; i < writer->ninstances; i++) {
        tracedat_add_text(&writer->piece, FLYRECORD_STRING);
        tracedat_add_string(&writer->piece, writer->trace->groups[i].name);
    }
}

/* In the order of the file. The first one holds the pages. */
static const struct section event_sections[] = {
    {TRACEDAT_SECTION_FLYRECORD, FLYRECORD_STRING, true, NULL, NULL},
    {TRACEDAT_SECTION_HEADERS, "headers", true, NULL, fill_headers},
    {TRACEDAT_SECTION_FTRACE_EVENTS, "ftrace events", true, tracedat_add_ftrace_events, NULL},
    {TRACEDAT_SECTION_EVENT_FORMATS, "events format", true, tracedat_add_event_formats, NULL},
    {TRACEDAT_SECTION_KALLSYMS, "kallsyms", true, tracedat_add_kallsyms, NULL},
    {TRACEDAT_SECTION_PRINTK, "printk", true, tracedat_add_printk, NULL},
    {TRACEDAT_SECTION_CMDLINES, "command lines", true, tracedat_add_cmdlines, NULL},
    {TRACEDAT_SECTION_OPTIONS, "options", false, NULL, fill_event_options},
    {TRACEDAT_SECTION_STRINGS, "strings", false, NULL, fill_event_strings},
};

/* ---- events: the file -------------------------------------------------------------------------------------------- */

/* Write everything that follows the pages, from sections->base on. 0, or -1 after trace_fail(). */
static int write_sections(struct sections *sections)
{
    struct tracedat_writer *writer = sections->writer;
    add_sections(sections);
    if (writer->piece.failed)
        return trace_fail(writer->trace, "no memory for the sections of trace.dat");
    return tracedat_writer_put(writer, writer->piece.bytes, writer->piece.used, sections->base);
}

/* Write a page at an offset of the file: what is in the piece, then the header of a flyrecord section, then zeros,
 * which belong to that section. end: offset behind the section; string: that of its name in the strings section. 0, or
 * -1 after trace_fail(). */
static int write_header_page(struct sections *sections, uint64_t offset, uint64_t end, uint32_t string)
{
    struct tracedat_writer *writer = sections->writer;
    struct tracedat_piece *piece = &writer->piece;
    bool compressed = writer->options->compression != TRACE_COMPRESS_NONE;
    size_t at = begin_section(sections, TRACEDAT_SECTION_FLYRECORD, compressed, string);
    tracedat_set_64(piece, at, end - offset - piece->used);
    tracedat_add_zeros(piece, tracedat_page_size(writer->options) - piece->used);
    if (piece->failed)
        return trace_fail(writer->trace, "no memory for the pages of trace.dat");
    return tracedat_writer_put(writer, piece->bytes, piece->used, offset);
}

/* Write the pages with the headers of the instances' sections. 0, or -1 after trace_fail(). */
static int write_instance_headers(struct sections *sections)
{
    struct tracedat_writer *writer = sections->writer;
    uint32_t string = 0;
    for (unsigned i = 0; i < sections->n; i++)
        string += (uint32_t)strlen(sections->table[i].string) + 1;
    for (unsigned i = 0; i < writer->ninstances; i++) {
        writer->piece.used = 0;
        if (write_header_page(sections, instance_section(writer, i), writer->instance[i].end, string) != 0)
            return -1;
        string += (uint32_t)(strlen(FLYRECORD_STRING) + strlen(writer->trace->groups[i].name)) + 1;
    }
    return 0;
}

/* Write the first page, with the magic. end: offset behind the pages of the top buffer. 0, or -1 after trace_fail(). */
static int write_first_page(struct sections *sections, uint64_t end)
{
    sections->writer->piece.used = 0;
    add_prologue(sections);
    return write_header_page(sections, 0, end, 0);
}

/* Say that widespread programs cannot read such a file. */
static void warn_of_zlib(const struct trace *trace, const struct trace_options *options)
{
    if (options->compression == TRACE_COMPRESS_ZLIB)
        trace_tell(trace, "Debian's trace-cmd and KernelShark are built without zlib and cannot open such a file; with "
                          "--compress=zstd they can");
}

/* The pages begin behind the first one, which has the prologue. */
static void *open_events(struct trace *trace, const struct trace_options *options, int fd)
{
    warn_of_zlib(trace, options);
    return tracedat_writer_open(trace, options, fd, tracedat_page_size(options));
}

/* Complete the file. 0, or -1 after trace_fail(). */
static int finish_events(struct tracedat_writer *writer)
{
    struct sections sections = {
        .writer = writer, .table = event_sections, .n = sizeof event_sections / sizeof event_sections[0]};
    uint64_t top;
    if (tracedat_writer_finish_pages(writer, &top, &sections.base) != 0 || write_sections(&sections) != 0
        || write_instance_headers(&sections) != 0)
        return -1;
    return write_first_page(&sections, top);
}

static int close_events(void *state, bool ok)
{
    int result = ok ? finish_events(state) : 0;
    tracedat_writer_free(state);
    return result;
}

const struct trace_writer writer_tracedat = {
    .name = "trace.dat",
    .suffix = ".dat",
    .description = "trace.dat version 7, for trace-cmd and KernelShark",
    .binary = true,
    .seeks = true,
    .earliest = TRACEDAT_EARLIEST,
    .formats = true,
    .takes = TRACE_OPTION_COMPRESS | TRACE_OPTION_START_TIME | TRACE_OPTION_RAW_TSC | TRACE_OPTION_LONG_SIZE
             | TRACE_OPTION_ENDIAN | TRACE_OPTION_PAGE_SIZE | TRACE_OPTION_INSTANCES | TRACE_OPTION_GUESTS
             | TRACE_OPTION_SESSION,
    .open = open_events,
    .write = tracedat_writer_write,
    .close = close_events,
};

/* ---- text: the head ---------------------------------------------------------------------------------------------- */

struct text_file {
    struct tracedat_writer *writer;
    void *lines;    /* writes them (text/lines.h) */
    uint64_t place; /* offset in the file of the section of text */
};

/* The content of the section of options. */
static void fill_text_options(struct sections *sections)
{
    struct tracedat_piece *piece = &sections->writer->piece;
    size_t at;
    begin_options(sections);
    at = tracedat_begin_option(piece, TRACEDAT_OPTION_TEXT);
    tracedat_add_64(piece, sections->place[TRACEDAT_SECTION_TEXT]);
    tracedat_add_string(piece, "");
    tracedat_add_string(piece, tracedat_clock_name(sections->writer));
    tracedat_set_size_32(piece, at);
    end_options(piece);
}

#define TEXT_NAME  "buffer latency "
#define ZEROS_NAME sizeof TEXT_NAME /* offset of the zeros' name among the names */

/* In the order of their names. The text, and the zeros before it, come last in the file. */
static const struct section text_sections[] = {
    {TRACEDAT_SECTION_TEXT, TEXT_NAME, false, NULL, NULL},
    {TRACEDAT_SECTION_FLYRECORD, "padding", false, NULL, NULL},
    {TRACEDAT_SECTION_HEADERS, "headers", false, NULL, fill_headers},
    {TRACEDAT_SECTION_FTRACE_EVENTS, "ftrace events", false, tracedat_add_ftrace_events, NULL},
    {TRACEDAT_SECTION_EVENT_FORMATS, "events format", false, tracedat_add_event_formats, NULL},
    {TRACEDAT_SECTION_KALLSYMS, "kallsyms", false, tracedat_add_kallsyms, NULL},
    {TRACEDAT_SECTION_PRINTK, "printk", false, tracedat_add_printk, NULL},
    {TRACEDAT_SECTION_CMDLINES, "command lines", false, tracedat_add_cmdlines, NULL},
    {TRACEDAT_SECTION_OPTIONS, "options", false, NULL, fill_text_options},
    {TRACEDAT_SECTION_STRINGS, "strings", false, NULL, fill_strings},
};

/* Make the head for a text at that place, up to the section of zeros. */
static void make_head(struct tracedat_writer *writer, uint64_t place)
{
    struct sections sections = {
        .writer = writer, .table = text_sections, .n = sizeof text_sections / sizeof text_sections[0]};
    writer->piece.used = 0;
    sections.place[TRACEDAT_SECTION_TEXT] = place;
    add_prologue(&sections);
    add_sections(&sections);
    tracedat_set_64(&writer->piece, options_at(writer), sections.place[TRACEDAT_SECTION_OPTIONS]);
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

/* ---- text: the file ---------------------------------------------------------------------------------------------- */

/* Free the memory. Returns NULL. */
static void *free_text(struct text_file *file)
{
    if (file->writer != NULL)
        tracedat_writer_free(file->writer);
    heap_free(file);
    return NULL;
}

/* Measure the head with what is known now, keep room for it, and begin the lines behind it. */
static void *open_text(struct trace *trace, const struct trace_options *options, int fd)
{
    struct text_file *file = heap_calloc(1, sizeof *file);
    if (file == NULL) {
        trace_fail(trace, "no memory for writing trace.dat");
        return NULL;
    }
    file->writer = tracedat_writer_open(trace, options, fd, 0);
    if (file->writer == NULL)
        return free_text(file);
    make_head(file->writer, 0);
    file->place = tracedat_head_room(trace, options, file->writer->piece.used);
    if (os_seek(fd, (int64_t)file->place + TRACEDAT_SECTION_HEADER_SIZE, SEEK_SET) < 0) {
        trace_fail(trace, "cannot write: %s", strerror(errno));
        return free_text(file);
    }
    file->lines = text_lines_open(trace, fd, false);
    return file->lines != NULL ? file : free_text(file);
}

static int write_text(void *state, unsigned cpu, const struct trace_batch *batch)
{
    struct text_file *file = state;
    return text_lines_write(file->lines, cpu, batch);
}

/* Complete the file: write the head, if needed after moving the text. 0, or -1 after trace_fail(). */
static int finish_text(struct text_file *file)
{
    struct tracedat_writer *writer = file->writer;
    uint64_t begin = file->place + TRACEDAT_SECTION_HEADER_SIZE;
    int64_t end = os_seek(writer->fd, 0, SEEK_CUR);
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

static int close_text(void *state, bool ok)
{
    struct text_file *file = state;
    int result = text_lines_close(file->lines, ok);
    if (ok && result == 0)
        result = finish_text(file);
    free_text(file);
    return result;
}

const struct trace_writer writer_tracedat_text = {
    .name = "trace.dat-text",
    .description = "trace.dat version 7 with lines of text, for trace-cmd",
    .binary = true,
    .merged = true,
    .seeks = true,
    .takes = TRACE_OPTION_LONG_SIZE | TRACE_OPTION_ENDIAN | TRACE_OPTION_PAGE_SIZE,
    .open = open_text,
    .write = write_text,
    .close = close_text,
};
