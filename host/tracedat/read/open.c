/* open.c - prologue, sections and options of a trace.dat file: see tracedat/read/file.h.
 *
 *   version 7   prologue | sections in any order, found through the options, of which there is a chain
 *   version 6   prologue | the tables one after another | options | a table of the CPUs' pages
 */
#include "tracedat/read/file.h"
#include "tracedat/ids.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const unsigned char magic[] = {0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g'};

enum {
    TABLES = SECTION_CMDLINES - SECTION_HEADERS + 1,
    CHAIN_MAX = 65536, /* options sections */
};

static void (*const take_table[TABLES])(struct tdfile *file, struct cursor *cursor) = {
    td_take_header_page, td_take_ftrace_formats, td_take_formats, td_take_kallsyms, td_take_printk, td_take_cmdlines,
};

static const char *const table_name[TABLES] = {"header page", "ftrace events", "event formats",
                                               "kallsyms",    "printk",        "command lines"};

bool tdfile_recognise(struct input *in)
{
    unsigned char start[sizeof magic];

    return input_read(in, 0, start, sizeof start) == sizeof start && memcmp(start, magic, sizeof magic) == 0;
}

struct cursor tdfile_cursor(const struct tdfile *file, uint64_t from, uint64_t end)
{
    uint64_t size = input_size(file->in);

    return input_cursor(file->in, from, end < size ? end : size, file->big);
}

/* ---- what lies where --------------------------------------------------------------------------------------------- */

bool tdfile_claim(struct tdfile *file, uint64_t from, uint64_t size, const char *what)
{
    uint64_t end = size <= UINT64_MAX - from ? from + size : UINT64_MAX;
    struct td_extent *more;

    for (size_t i = 0; i < file->nextents; i++) {
        const struct td_extent *other = &file->extent[i];

        if (from < other->end && other->from < end) {
            trace_damage(file->trace, from, 0, 0, "%s overlaps %s at 0x%" PRIx64, what, other->what, other->from);
            return false;
        }
    }
    more = realloc(file->extent, (file->nextents + 1u) * sizeof *more);
    if (more == NULL) {
        trace_fail(file->trace, "%s: no memory", file->trace->input_name);
        return false;
    }
    file->extent = more;
    file->extent[file->nextents++] = (struct td_extent){from, end, what};
    return true;
}

/* ---- the prologue ------------------------------------------------------------------------------------------------ */

static int bad_prologue(struct tdfile *file, uint64_t offset, const char *expected)
{
    return trace_fail(file->trace, "%s: offset 0x%" PRIx64 ": expected %s", file->trace->input_name, offset, expected);
}

static int take_version(struct tdfile *file, struct cursor *cursor)
{
    char text[8];

    if (!cursor_string(cursor, text, sizeof text) || (strcmp(text, "6") != 0 && strcmp(text, "7") != 0))
        return bad_prologue(file, sizeof magic, "version 6 or 7 of trace.dat");
    file->version = (unsigned)(text[0] - '0');
    return 0;
}

static int take_sizes(struct tdfile *file, struct cursor *cursor)
{
    uint64_t order = cursor_number(cursor, 1), size = cursor_number(cursor, 1);

    if (cursor->bad || order > 1)
        return bad_prologue(file, cursor->at, "byte order 0 or 1");
    if (size != 4 && size != 8)
        return bad_prologue(file, cursor->at - 1u, "a long of 4 or 8 bytes");
    cursor->big = file->big = order == 1;
    file->long_size = (unsigned)size;
    file->page_size = (uint32_t)cursor_number(cursor, 4);
    if (cursor->bad || file->page_size < 64u || file->page_size > TDFILE_PAGE_MAX
        || (file->page_size & (file->page_size - 1u)) != 0)
        return bad_prologue(file, cursor->at - 4u, "a page size that is a power of two, 64 bytes to 16 MiB");
    return 0;
}

static int take_compression(struct tdfile *file, struct cursor *cursor)
{
    static const char *const names[] = {[TD_NONE] = "none", [TD_ZLIB] = "zlib", [TD_ZSTD] = "zstd"};
    char name[32], version[32];
    uint64_t at = cursor->at;

    if (!cursor_string(cursor, name, sizeof name) || !cursor_string(cursor, version, sizeof version))
        return bad_prologue(file, at, "name and version of the compression");
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(name, names[i]) == 0) {
            file->compression = (enum td_compression)i;
            file->options = cursor_number(cursor, 8);
            return cursor->bad ? bad_prologue(file, cursor->at, "the offset of the options") : 0;
        }
    }
    for (char *c = name; *c != '\0'; c++)
        *c = *c >= ' ' && *c <= '~' ? *c : '?';
    return trace_fail(file->trace, "%s: offset 0x%" PRIx64 ": compressed with \"%s\"; only zlib and zstd are known",
                      file->trace->input_name, at, name);
}

/* ---- sections of version 7 --------------------------------------------------------------------------------------- */

struct section {
    uint64_t at;   /* of its content */
    uint64_t size; /* of its content in the file */
    bool compressed;
};

/* Read and check a section's header. */
static bool open_section(struct tdfile *file, uint64_t offset, unsigned id, struct section *section, const char *what)
{
    struct cursor cursor = tdfile_cursor(file, offset, UINT64_MAX);
    uint64_t real = cursor_number(&cursor, 2), flags = cursor_number(&cursor, 2);

    cursor_number(&cursor, 4); /* the name, for people only */
    section->size = cursor_number(&cursor, 8);
    section->at = cursor.at;
    section->compressed = (flags & SECTION_COMPRESSED) != 0;
    if (cursor.bad) {
        trace_damage(file->trace, offset, 0, 0, "expected a section (%s), but the file ends before", what);
        return false;
    }
    if (real != id) {
        trace_damage(file->trace, offset, 0, 0, "expected a section of id %u (%s), not of %" PRIu64, id, what, real);
        return false;
    }
    if (section->size > cursor.end - cursor.at) {
        trace_damage(file->trace, offset, 0, 0, "a section (%s) of %" PRIu64 " bytes, but only %" PRIu64 " follow",
                     what, section->size, cursor.end - cursor.at);
        section->size = cursor.end - cursor.at;
    }
    if (section->compressed && file->compression == TD_NONE) {
        trace_damage(file->trace, offset, 0, 0, "a compressed section (%s) in a file that is not compressed", what);
        return false;
    }
    return true;
}

/* The decompressed content; NULL after trace_damage(). */
static unsigned char *unpack_section(struct tdfile *file, const struct section *section, size_t *size)
{
    struct cursor cursor = tdfile_cursor(file, section->at, section->at + section->size);
    uint64_t packed_size = cursor_number(&cursor, 4);
    char *packed;
    unsigned char *bytes = NULL;

    *size = (size_t)cursor_number(&cursor, 4);
    packed = cursor_copy(&cursor, packed_size, TDFILE_SECTION_MAX);
    if (packed != NULL && *size <= TDFILE_SECTION_MAX)
        bytes = malloc(*size + 1u);
    if (bytes == NULL
        || !td_inflate(file->compression, (const unsigned char *)packed, (size_t)packed_size, bytes, *size)) {
        trace_damage(file->trace, section->at, section->size, 0, "a section that cannot be decompressed");
        free(bytes);
        bytes = NULL;
    }
    free(packed);
    return bytes;
}

/* Have the content of a section read. Where that goes wrong, the rest of it is skipped. */
static void read_section(struct tdfile *file, const struct section *section, const char *what,
                         void (*take)(struct tdfile *file, struct cursor *cursor))
{
    struct cursor cursor = tdfile_cursor(file, section->at, section->at + section->size);
    unsigned char *memory = NULL;
    size_t size;

    if (section->compressed) {
        memory = unpack_section(file, section, &size);
        if (memory == NULL)
            return;
        cursor.memory = memory;
        cursor.at = 0;
        cursor.end = size;
        cursor.origin = section->at;
    }
    take(file, &cursor);
    if (cursor.bad && !file->trace->failed)
        trace_damage(file->trace, cursor_place(&cursor), 0, 0, "%s: cut, or a number in it is wrong", what);
    free(memory);
}

static void take_tables_v7(struct tdfile *file)
{
    for (unsigned i = 0; i < TABLES; i++) {
        struct section section;

        if (file->section[i] == 0
            || !open_section(file, file->section[i], SECTION_HEADERS + i, &section, table_name[i]))
            continue;
        tdfile_claim(file, file->section[i], SECTION_HEADER + section.size, table_name[i]);
        read_section(file, &section, table_name[i], take_table[i]);
    }
}

/* ---- options ----------------------------------------------------------------------------------------------------- */

/* A section of options. The last one says where the next section is. */
static void take_options(struct tdfile *file, struct cursor *cursor)
{
    file->options = 0;
    for (;;) {
        unsigned id = (unsigned)cursor_number(cursor, 2);
        uint64_t size = cursor_number(cursor, 4);
        struct cursor content = *cursor;

        if (cursor->bad || size > cursor->end - cursor->at) {
            cursor->bad = true;
            return;
        }
        content.end = cursor->at + size;
        cursor->at += size;
        if (id == OPTION_DONE) {
            file->options = cursor_number(&content, 8);
            cursor->bad = content.bad;
            return;
        }
        tdfile_option(file, id, &content);
    }
}

static int take_chain(struct tdfile *file)
{
    for (unsigned i = 0; file->options != 0; i++) {
        uint64_t at = file->options;
        struct section section;

        file->options = 0;
        if (!open_section(file, at, SECTION_OPTIONS, &section, "options"))
            return i > 0 ? 0
                         : trace_fail(file->trace, "%s: offset 0x%" PRIx64 ": expected the options",
                                      file->trace->input_name, at);
        if (i == CHAIN_MAX || !tdfile_claim(file, at, SECTION_HEADER + section.size, "options"))
            return 0;
        read_section(file, &section, "options", take_options);
    }
    return 0;
}

/* A buffer's section tells whether its pages are compressed. */
static void look_at_buffers(struct tdfile *file)
{
    for (unsigned i = 0; i < file->nbuffers; i++) {
        struct td_buffer *buffer = &file->buffer[i];
        struct section section;

        buffer->compressed = file->compression != TD_NONE;
        if (open_section(file, buffer->section, 3, &section, "pages of a buffer"))
            buffer->compressed = section.compressed;
    }
}

static int open_v7(struct tdfile *file, struct cursor *cursor)
{
    if (take_compression(file, cursor) != 0)
        return -1;
    tdfile_claim(file, 0, cursor->at, "the prologue");
    if (file->options == 0)
        return bad_prologue(file, cursor->at - 8u, "the offset of the options, not 0");
    if (take_chain(file) != 0)
        return -1;
    look_at_buffers(file);
    take_tables_v7(file);
    return file->trace->failed ? -1 : 0;
}

/* ---- version 6 --------------------------------------------------------------------------------------------------- */

/* "options  ", "latency  " or "flyrecord", with its NUL. */
static bool take_word(struct cursor *cursor, char word[10])
{
    return cursor_get(cursor, word, 10) && word[9] == '\0';
}

/* Offset and size of the pages of each CPU. */
static void take_ranges(struct tdfile *file, struct cursor *cursor, unsigned ncpus, struct td_buffer *buffer)
{
    for (unsigned cpu = 0; cpu < ncpus; cpu++) {
        uint64_t offset = cursor_number(cursor, 8), size = cursor_number(cursor, 8);

        if (cursor->bad || !tdfile_set_range(file, buffer, cpu, offset, size))
            return;
    }
}

static void take_options_v6(struct tdfile *file, struct cursor *cursor)
{
    for (;;) {
        unsigned id = (unsigned)cursor_number(cursor, 2);
        struct cursor content;
        uint64_t size;

        if (cursor->bad || id == OPTION_DONE)
            return;
        size = cursor_number(cursor, 4);
        content = *cursor;
        if (cursor->bad || size > cursor->end - cursor->at) {
            cursor->bad = true;
            return;
        }
        content.end = cursor->at + size;
        cursor->at += size;
        tdfile_option(file, id, &content);
    }
}

/* Tables of the instances that the options named. */
static void take_instances(struct tdfile *file)
{
    for (unsigned i = 1; i < file->nbuffers; i++) {
        struct cursor cursor = tdfile_cursor(file, file->buffer[i].section, UINT64_MAX);
        char word[10];

        if (!take_word(&cursor, word) || strcmp(word, "flyrecord") != 0)
            cursor.bad = true;
        else
            take_ranges(file, &cursor, file->cpu_count, &file->buffer[i]);
        if (cursor.bad)
            trace_damage(file->trace, cursor.at, 0, 0, "expected the table of an instance's pages");
    }
}

/* Behind the table, if there is an option to say so. */
static void take_clock_v6(struct tdfile *file, struct cursor *cursor)
{
    uint64_t size = cursor_number(cursor, 8);
    char *names = cursor_copy(cursor, size, 4096);

    if (names != NULL)
        td_clock_name(&file->clock, names);
    else
        trace_damage(file->trace, cursor->at, 0, 0, "expected the names of the clocks");
    free(names);
}

static int take_end_v6(struct tdfile *file, struct cursor *cursor)
{
    struct trace *trace = file->trace;
    uint64_t cpus = cursor_number(cursor, 4);
    char word[10];

    if (cursor->bad || cpus == 0 || cpus > TDFILE_CPUS_MAX)
        return bad_prologue(file, cursor->at - 4u, "the number of CPUs, 1 to 4096");
    file->cpu_count = (unsigned)cpus;
    if (tdfile_add_buffer(file, "") == NULL)
        return -1;
    if (!take_word(cursor, word))
        word[0] = '\0';
    if (strcmp(word, "options  ") == 0) {
        take_options_v6(file, cursor);
        if (!take_word(cursor, word))
            word[0] = '\0';
    }
    if (strcmp(word, "latency  ") == 0) {
        file->has_text = true;
        return 0;
    }
    if (strcmp(word, "flyrecord") != 0)
        return bad_prologue(file, cursor->at - sizeof word, "\"flyrecord\" or \"latency\"");
    take_ranges(file, cursor, (unsigned)cpus, &file->buffer[0]);
    if (cursor->bad)
        trace_damage(trace, cursor->at, 0, 0, "the table of the CPUs' pages is cut");
    else if (file->clock.named_later)
        take_clock_v6(file, cursor);
    return 0;
}

static int open_v6(struct tdfile *file, struct cursor *cursor)
{
    for (unsigned i = 0; i < TABLES; i++) {
        uint64_t at = cursor->at;

        take_table[i](file, cursor);
        if (cursor->bad)
            return trace_fail(file->trace,
                              "%s: offset 0x%" PRIx64 ": expected %s; in version 6 what follows cannot be found",
                              file->trace->input_name, at, table_name[i]);
    }
    if (take_end_v6(file, cursor) != 0)
        return -1;
    tdfile_claim(file, 0, cursor->at, "the header");
    take_instances(file);
    return file->trace->failed ? -1 : 0;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

int tdfile_open(struct tdfile *file, struct trace *trace, struct input *in)
{
    struct cursor cursor;

    memset(file, 0, sizeof *file);
    file->trace = trace;
    file->in = in;
    file->clock.is_ns = true;
    cursor = tdfile_cursor(file, sizeof magic, UINT64_MAX);
    if (!tdfile_recognise(in))
        return bad_prologue(file, 0, "the magic of trace.dat");
    if (take_version(file, &cursor) != 0 || take_sizes(file, &cursor) != 0)
        return -1;
    if ((file->version == 6 ? open_v6(file, &cursor) : open_v7(file, &cursor)) != 0)
        return -1;
    if (file->tables.commit_size == 0) {
        trace_damage(trace, file->section[0], 0, 0,
                     "no header page that tells of the commit word: taken to have %u bytes", file->long_size);
        file->tables.commit_size = file->long_size;
    }
    td_learn_common(file);
    return 0;
}

void tdfile_free(struct tdfile *file)
{
    td_types_free(file);
    td_tables_free(&file->tables);
    td_clock_free(&file->clock);
    for (unsigned i = 0; i < file->nbuffers; i++)
        free(file->buffer[i].cpu);
    free(file->buffer);
    free(file->extent);
    free(file->uname);
}
