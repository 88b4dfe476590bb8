/* section.c - see section.h.
 *
 *   header   id, 2 bytes; flags, 2 bytes; offset of the name in the strings section, 4 bytes; size of the content, 8
 *            bytes
 *   content  if the flags say so, compressed: compressed size, 4 bytes; real size, 4 bytes; the compressed bytes
 */
#include "formats/tracedat/write/section.h"

#include <stdlib.h>
#include <string.h>

#include "formats/tracedat/write/compress.h"
#include "formats/tracedat/write/format.h"
#include "formats/tracedat/write/options.h"
#include "formats/tracedat/write/tables.h"

/* ---- contents of the sections ------------------------------------------------------------------------------------ */

/* Each of these is the content of the section of that name. */
void tracedat_fill_headers(struct tracedat_sections *sections)
{
    tracedat_add_headers(&sections->writer->piece, sections->writer->options);
}

void tracedat_fill_ftrace_events(struct tracedat_sections *sections)
{
    tracedat_add_ftrace_events(&sections->writer->piece, sections->writer->trace);
}

void tracedat_fill_event_formats(struct tracedat_sections *sections)
{
    tracedat_add_event_formats(&sections->writer->piece, sections->writer->trace);
}

void tracedat_fill_kallsyms(struct tracedat_sections *sections)
{
    tracedat_add_kallsyms(&sections->writer->piece, sections->writer->trace);
}

void tracedat_fill_printk(struct tracedat_sections *sections)
{
    tracedat_add_printk(&sections->writer->piece, sections->writer->trace);
}

void tracedat_fill_cmdlines(struct tracedat_sections *sections)
{
    tracedat_add_cmdlines(&sections->writer->piece, sections->writer->trace);
}

/* The names stand in the order of the table, so tracedat_add_sections() can count their offsets beforehand. */
void tracedat_fill_strings(struct tracedat_sections *sections)
{
    for (unsigned i = 0; i < sections->n; i++)
        tracedat_add_string(&sections->writer->piece, sections->table[i].string);
}

void tracedat_fill_options(struct tracedat_sections *sections, void (*add_buffer)(struct tracedat_sections *sections))
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
    add_buffer(sections);
    tracedat_add_16(piece, TRACEDAT_OPTION_DONE);
    tracedat_add_32(piece, 8);
    tracedat_add_64(piece, 0); /* where further options are: nowhere */
}

/* ---- prologue and sections --------------------------------------------------------------------------------------- */

void tracedat_add_prologue7(struct tracedat_sections *sections)
{
    static const char *const methods[] = {"none", "zstd", "zlib"}; /* as enum trace_compression has them */
    struct tracedat_writer *writer = sections->writer;
    tracedat_add_prologue(&writer->piece, writer->options, "7");
    tracedat_add_string(&writer->piece, methods[writer->options->compression]);
    tracedat_add_string(&writer->piece, ""); /* the version of the compression: any */
    tracedat_add_64(&writer->piece, sections->place[TRACEDAT_SECTION_OPTIONS]);
}

/* Compress what was added to the piece from an offset on. Its compressed size and its real one stand in front of it. */
static void compress_from(struct tracedat_writer *writer, size_t at)
{
    enum trace_compression method = writer->options->compression;
    struct tracedat_piece *piece = &writer->piece;
    size_t size = piece->used - at;
    size_t room = tracedat_compress_bound(method, size);
    void *to = malloc(room);
    size_t used = to != NULL && !piece->failed ? tracedat_compress(method, to, room, piece->bytes + at, size) : 0;
    if (used == 0) {
        piece->failed = true;
    } else {
        piece->used = at;
        tracedat_add_32(piece, (uint32_t)used);
        tracedat_add_32(piece, (uint32_t)size);
        tracedat_add_bytes(piece, to, used);
    }
    free(to);
}

size_t tracedat_begin_section(struct tracedat_sections *sections, enum tracedat_section_id id, bool compressed,
                              uint32_t string)
{
    struct tracedat_piece *piece = &sections->writer->piece;
    sections->place[id] = sections->base + piece->used; /* for the option that says where the section is */
    tracedat_add_16(piece, (uint16_t)id);
    tracedat_add_16(piece, compressed ? TRACEDAT_SECTION_COMPRESSED : 0);
    tracedat_add_32(piece, string);
    tracedat_add_64(piece, 0);
    return piece->used - 8;
}

/* A section: header and content, compressed if section and file are. string: offset of its name in the strings
 * section. */
static void add_section(struct tracedat_sections *sections, const struct tracedat_section *section, uint32_t string)
{
    struct tracedat_writer *writer = sections->writer;
    bool compressed = section->compressed && writer->options->compression != TRACE_COMPRESS_NONE;
    size_t at = tracedat_begin_section(sections, section->id, compressed, string);
    section->fill(sections);
    if (compressed)
        compress_from(writer, at + 8); /* behind the size */
    tracedat_set_size_64(&writer->piece, at);
}

void tracedat_add_sections(struct tracedat_sections *sections)
{
    uint32_t string = 0;
    for (unsigned i = 0; i < sections->n; i++) {
        if (sections->table[i].fill != NULL)
            add_section(sections, &sections->table[i], string);
        string += (uint32_t)strlen(sections->table[i].string) + 1; /* also of sections that are in the file already */
    }
}
