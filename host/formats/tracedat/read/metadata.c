/* metadata.c - reads all of a trace.dat file but its pages: prologue, sections, options; see file.h.
 *
 *   version 7   prologue | sections in any order. Options say where the others are. The prologue says where the first
 *               section of options is, and each of these where the next one is
 *   version 6   prologue | the tables one after another | options | offset and size of each CPU's pages | clocks
 *
 * Damage in version 7 costs the section that it is in. In version 6 nothing behind a damaged table can be found.
 */
#include "base/heap.h"
#include "formats/tracedat/read/clock.h"
#include "formats/tracedat/read/file.h"
#include "formats/tracedat/read/tables.h"

#include <inttypes.h>
#include <string.h>

/* What every trace.dat file begins with. The version follows, as text. */
static const unsigned char magic[] = {0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g'};

enum {
    CLOCK_NAMES_MAX = 4096,  /* bytes of the clocks' names in version 6 */
    WORD_SIZE = 10,          /* of "options  ", "latency  " and "flyrecord" with the NUL */
    OPTIONS_OFFSET_SIZE = 8, /* bytes of the prologue that say where the options are */
};

bool tracedat_recognise(struct input *in)
{
    unsigned char start[sizeof magic];
    return input_read(in, 0, start, sizeof start) == sizeof start && memcmp(start, magic, sizeof magic) == 0;
}

/* ---- the prologue ------------------------------------------------------------------------------------------------ */

/* Without what was expected at this offset of the prologue nothing can be read. Returns -1. */
static int bad_prologue(struct tracedat_file *file, uint64_t offset, const char *expected)
{
    return trace_fail_at(file->trace, file->trace->input_name, offset, "expected %s", expected);
}

/* The version, which is text: "6" or "7". All others have layouts that are not known. */
static int take_version(struct tracedat_file *file, struct cursor *cursor)
{
    char text[8];
    if (!cursor_string(cursor, text, sizeof text) || (strcmp(text, "6") != 0 && strcmp(text, "7") != 0))
        return bad_prologue(file, sizeof magic, "version 6 or 7 of trace.dat");
    file->version = (unsigned)(text[0] - '0');
    return 0;
}

/* Byte order, bytes of a long and of a page. */
static int take_sizes(struct tracedat_file *file, struct cursor *cursor)
{
    uint64_t order = cursor_number(cursor, 1), size = cursor_number(cursor, 1);
    if (cursor->bad || order > 1)
        return bad_prologue(file, cursor->at, "byte order 0 or 1");
    if (size != 4 && size != 8)
        return bad_prologue(file, cursor->at - 1u, "a long of 4 or 8 bytes");
    cursor->big = file->big = order == 1; /* of all numbers from here on */
    file->long_size = (unsigned)size;
    file->page_size = (uint32_t)cursor_number(cursor, 4);
    if (cursor->bad || file->page_size < TRACEDAT_PAGE_SIZE_MIN || file->page_size > TRACEDAT_PAGE_SIZE_MAX
        || (file->page_size & (file->page_size - 1u)) != 0)
        return bad_prologue(file, cursor->at - 4u, "a page size that is a power of two, 64 bytes to 16 MiB");
    return 0;
}

/* How the file is compressed, and where its options are. */
static int take_compression(struct tracedat_file *file, struct cursor *cursor)
{
    static const char *const names[] = {
        [TRACEDAT_UNCOMPRESSED] = "none", [TRACEDAT_ZLIB] = "zlib", [TRACEDAT_ZSTD] = "zstd"};
    char name[32], version[256]; /* any version will do */
    uint64_t at = cursor->at;
    if (!cursor_string(cursor, name, sizeof name) || !cursor_string(cursor, version, sizeof version))
        return bad_prologue(file, at, "name and version of the compression");
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(name, names[i]) == 0) {
            file->compression = (enum tracedat_compression)i;
            if (!tracedat_can_decompress(file->compression))
                return trace_fail(file->trace, "%s: compressed with %s: this program was built without it",
                                  file->trace->input_name, name);
            file->options = cursor_number(cursor, 8);
            return cursor->bad ? bad_prologue(file, cursor->at, "the offset of the options") : 0;
        }
    }
    for (char *c = name; *c != '\0'; c++)
        *c = *c >= ' ' && *c <= '~' ? *c : '?';
    return trace_fail_at(file->trace, file->trace->input_name, at,
                         "compressed with \"%s\"; only zlib and zstd are known", name);
}

/* ---- sections of version 7 --------------------------------------------------------------------------------------- */

struct section {
    uint64_t at;   /* offset of its content in the file */
    uint64_t size; /* bytes of its content in the file */
    bool compressed;
};

/* Read and check the header of a section at an offset. It must have that id. Of a section that is cut, the size becomes
 * what is left of it. what: the section, for messages. False after trace_damage(). */
static bool open_section(struct tracedat_file *file, uint64_t offset, unsigned id, struct section *section,
                         const char *what)
{
    struct cursor cursor = tracedat_file_cursor(file, offset, UINT64_MAX);
    uint64_t real = cursor_number(&cursor, 2), flags = cursor_number(&cursor, 2);
    cursor_skip(&cursor, 4); /* the name, for people only */
    section->size = cursor_number(&cursor, 8);
    section->at = cursor.at;
    section->compressed = (flags & TRACEDAT_SECTION_COMPRESSED) != 0;
    if (cursor.bad) {
        trace_damage(file->trace, offset, 0, 0, "expected a section (%s), but the file ends before", what);
        return false;
    }
    if (real != id) {
        trace_damage(file->trace, offset, 0, 0, "expected a section of id %u (%s), not of %" PRIu64, id, what, real);
        return false;
    }
    if (section->size > cursor_left(&cursor)) {
        trace_damage(file->trace, offset, 0, 0, "a section (%s) of %" PRIu64 " bytes, but only %" PRIu64 " follow",
                     what, section->size, cursor_left(&cursor));
        section->size = cursor_left(&cursor);
    }
    if (section->compressed && file->compression == TRACEDAT_UNCOMPRESSED) {
        trace_damage(file->trace, offset, 0, 0, "a compressed section (%s) in a file that is not compressed", what);
        return false;
    }
    return true;
}

/* The content of a section that is being read. */
struct content {
    struct cursor cursor;
    unsigned char *memory; /* what it was decompressed to, or NULL; with a byte of room behind it */
    size_t size;           /* bytes of that */
};

/* Decompress a section to content->memory. It must become content->size bytes. */
static bool decompress(struct tracedat_file *file, struct content *content, const char *compressed, size_t size)
{
    struct tracedat_budget *budget = &file->budget;
    bool good;
    if (content->size > TRACEDAT_SECTION_SIZE_MAX || !tracedat_budget_take(&budget->memory, content->size))
        return false;
    content->memory = tracedat_budget_take(&budget->expanded, content->size) ? heap_alloc(content->size + 1u) : NULL;
    good = content->memory != NULL
           && tracedat_decompress(file->compression, (const unsigned char *)compressed, size, content->memory,
                                  content->size);
    if (!good) {
        budget->memory += content->size;
        heap_free(content->memory);
        content->memory = NULL;
    }
    return good;
}

/* Set a cursor to the content of a section, which is decompressed if need be. A compressed content is the compressed
 * size, the real size, the compressed bytes. False after trace_damage(); else end_section() must follow. */
static bool begin_section(struct tracedat_file *file, const struct section *section, struct content *content)
{
    struct cursor *cursor = &content->cursor;
    uint64_t size;
    char *compressed;
    *content = (struct content){.cursor = tracedat_file_cursor(file, section->at, section->at + section->size)};
    if (!section->compressed)
        return true;
    size = cursor_number(cursor, 4);
    content->size = (size_t)cursor_number(cursor, 4);
    compressed = cursor_copy(cursor, size, TRACEDAT_SECTION_SIZE_MAX);
    if (compressed == NULL || !decompress(file, content, compressed, (size_t)size))
        trace_damage(file->trace, section->at, section->size, 0,
                     "a section that cannot be decompressed, or becomes too large");
    heap_free(compressed);
    if (content->memory == NULL)
        return false;
    *cursor = cursor_in_memory(content->memory, content->size, file->big);
    cursor->origin = section->at;
    return true;
}

/* The content was read, or as much of it as makes sense: report if that is not all, and free the memory. */
static void end_section(struct tracedat_file *file, struct content *content, const char *what)
{
    if (content->cursor.bad && !file->trace->failed)
        trace_damage(file->trace, cursor_place(&content->cursor), 0, 0, "%s: cut, or a number in it is wrong", what);
    if (content->memory != NULL)
        file->budget.memory += content->size;
    heap_free(content->memory);
}

/* Read all tables that the options named. A table that is missing or damaged is left out. */
static void take_tables_v7(struct tracedat_file *file)
{
    for (unsigned i = 0; i < TRACEDAT_TABLES; i++) {
        const char *name = tracedat_table_name(i);
        struct section section;
        struct content content;
        if (file->table_at[i] == 0
            || !open_section(file, file->table_at[i], TRACEDAT_SECTION_HEADERS + i, &section, name))
            continue;
        tracedat_file_claim(file, file->table_at[i], TRACEDAT_SECTION_HEADER_SIZE + section.size, name);
        if (!begin_section(file, &section, &content))
            continue;
        file->tables.section = content.memory;
        tracedat_tables_take(&file->tables, file->trace, i, &content.cursor);
        content.memory = file->tables.section; /* NULL: the table keeps it */
        end_section(file, &content, name);
    }
}

/* ---- options ----------------------------------------------------------------------------------------------------- */

/* Set *content to the next size bytes, which are the content of an option, and go behind them. False, and the cursor is
 * bad, if they are not there. */
static bool take_content(struct cursor *cursor, uint64_t size, struct cursor *content)
{
    *content = *cursor;
    if (!cursor_skip(cursor, size))
        return false;
    content->end = cursor->at;
    return true;
}

/* A section of options. The last one, DONE, says where the next section is: file->options, or 0 if there is none. */
static void take_options(struct tracedat_file *file, struct cursor *cursor)
{
    file->options = 0;
    for (;;) {
        unsigned id = (unsigned)cursor_number(cursor, 2);
        uint64_t size = cursor_number(cursor, 4);
        struct cursor content;
        if (!take_content(cursor, size, &content))
            return;
        if (id == TRACEDAT_OPTION_DONE) {
            file->options = cursor_number(&content, 8);
            cursor->bad = content.bad;
            return;
        }
        tracedat_take_option(file, id, &content);
    }
}

/* Read all sections of options, from file->options on. Each is claimed, so a chain that leads back to itself ends. 0,
 * or -1 after trace_fail() if there is not even the first one. */
static int take_chain(struct tracedat_file *file)
{
    for (bool first = true; file->options != 0; first = false) {
        uint64_t at = file->options;
        struct section section;
        struct content content;
        file->options = 0; /* unless this section says where the next one is */
        if (!open_section(file, at, TRACEDAT_SECTION_OPTIONS, &section, "options"))
            return first ? bad_prologue(file, at, "the options") : 0;
        if (!tracedat_file_claim(file, at, TRACEDAT_SECTION_HEADER_SIZE + section.size, "options"))
            return file->trace->failed ? -1 : 0;
        if (!begin_section(file, &section, &content))
            continue;
        take_options(file, &content.cursor);
        end_section(file, &content, "options");
    }
    return 0;
}

/* The header of a buffer's section tells whether its pages are compressed. Where it cannot be read, they are taken to
 * be as the rest of the file. */
static void look_at_buffers(struct tracedat_file *file)
{
    for (unsigned i = 0; i < file->nbuffers; i++) {
        struct tracedat_buffer *buffer = &file->buffer[i];
        struct section section;
        buffer->compressed = file->compression != TRACEDAT_UNCOMPRESSED;
        if (open_section(file, buffer->section, TRACEDAT_SECTION_FLYRECORD, &section, "pages of a buffer"))
            buffer->compressed = section.compressed;
    }
}

/* Version 7, from behind the size of a page on. 0, or -1 after trace_fail(). */
static int open_v7(struct tracedat_file *file, struct cursor *cursor)
{
    if (take_compression(file, cursor) != 0)
        return -1;
    tracedat_file_claim(file, 0, cursor->at, "the prologue");
    if (file->options == 0)
        return bad_prologue(file, cursor->at - OPTIONS_OFFSET_SIZE, "the offset of the options, not 0");
    if (take_chain(file) != 0)
        return -1;
    look_at_buffers(file);
    take_tables_v7(file);
    return file->trace->failed ? -1 : 0;
}

/* ---- version 6 --------------------------------------------------------------------------------------------------- */

/* Take a word of 9 letters and its NUL: "options  ", "latency  " or "flyrecord". Anything that has no NUL there becomes
 * "". */
static void take_word(struct cursor *cursor, char word[WORD_SIZE])
{
    if (!cursor_get(cursor, word, WORD_SIZE) || word[WORD_SIZE - 1] != '\0')
        word[0] = '\0';
}

/* Where the pages of each CPU are: offset and size. */
static void take_ranges(struct tracedat_file *file, struct cursor *cursor, unsigned ncpus,
                        struct tracedat_buffer *buffer)
{
    for (unsigned cpu = 0; cpu < ncpus; cpu++) {
        uint64_t offset = cursor_number(cursor, 8), size = cursor_number(cursor, 8);
        if (cursor->bad || !tracedat_file_set_range(file, buffer, cpu, offset, size))
            return;
    }
}

/* Options up to DONE, which has no size and no content here. */
static void take_options_v6(struct tracedat_file *file, struct cursor *cursor)
{
    for (;;) {
        unsigned id = (unsigned)cursor_number(cursor, 2);
        struct cursor content;
        if (cursor->bad || id == TRACEDAT_OPTION_DONE)
            return;
        if (!take_content(cursor, cursor_number(cursor, 4), &content))
            return;
        tracedat_take_option(file, id, &content);
    }
}

/* Find the pages of the instances that the options named. Buffer 0 is the top one. */
static void take_instances(struct tracedat_file *file)
{
    for (unsigned i = 1; i < file->nbuffers; i++) {
        struct cursor cursor = tracedat_file_cursor(file, file->buffer[i].section, UINT64_MAX);
        char word[WORD_SIZE];
        take_word(&cursor, word);
        if (strcmp(word, "flyrecord") != 0)
            cursor.bad = true;
        else
            take_ranges(file, &cursor, file->cpu_count, &file->buffer[i]);
        if (cursor.bad)
            trace_damage(file->trace, cursor.at, 0, 0, "expected the table of an instance's pages");
    }
}

/* The clocks' names, which stand behind the place of the pages if there is the option TRACECLOCK. */
static void take_clock_v6(struct tracedat_file *file, struct cursor *cursor)
{
    uint64_t size = cursor_number(cursor, 8);
    char *names = cursor_copy(cursor, size, CLOCK_NAMES_MAX);
    if (names != NULL)
        tracedat_clock_set_name(&file->clock, names);
    else
        trace_damage(file->trace, cursor->at, 0, 0, "expected the names of the clocks");
    heap_free(names);
}

/* What follows the tables: the number of CPUs, perhaps options, and where the pages are. 0, or -1 after
 * trace_fail(). */
static int take_end_v6(struct tracedat_file *file, struct cursor *cursor)
{
    struct trace *trace = file->trace;
    uint64_t cpus = cursor_number(cursor, 4);
    char word[WORD_SIZE];
    if (cursor->bad || cpus == 0 || cpus > TRACEDAT_CPUS_MAX)
        return bad_prologue(file, cursor->at - 4u, "the number of CPUs, 1 to 4096");
    file->cpu_count = (unsigned)cpus;
    if (tracedat_file_add_buffer(file, "") == NULL)
        return -1;
    take_word(cursor, word);
    if (strcmp(word, "options  ") == 0) {
        take_options_v6(file, cursor);
        take_word(cursor, word);
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

/* Version 6, from behind the size of a page on. 0, or -1 after trace_fail(). */
static int open_v6(struct tracedat_file *file, struct cursor *cursor)
{
    for (unsigned i = 0; i < TRACEDAT_TABLES; i++) {
        uint64_t at = cursor->at;
        tracedat_tables_take(&file->tables, file->trace, i, cursor);
        if (cursor->bad)
            return trace_fail_at(file->trace, file->trace->input_name, at,
                                 "expected %s; in version 6 what follows cannot be found", tracedat_table_name(i));
    }
    if (take_end_v6(file, cursor) != 0)
        return -1;
    tracedat_file_claim(file, 0, cursor->at, "the header");
    take_instances(file);
    return file->trace->failed ? -1 : 0;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

int tracedat_read_metadata(struct tracedat_file *file, struct trace *trace, struct input *in)
{
    struct cursor cursor;
    memset(file, 0, sizeof *file);
    file->trace = trace;
    file->in = in;
    file->clock.is_ns = true;
    file->budget = tracedat_budget_of(input_size(in));
    file->tables.budget = &file->budget;
    cursor = tracedat_file_cursor(file, sizeof magic, UINT64_MAX);
    if (!tracedat_recognise(in))
        return bad_prologue(file, 0, "the magic of trace.dat");
    if (take_version(file, &cursor) != 0 || take_sizes(file, &cursor) != 0)
        return -1;
    if ((file->version == 6 ? open_v6(file, &cursor) : open_v7(file, &cursor)) != 0)
        return -1;
    /* libtraceevent takes the commit word for a long then, too. */
    if (file->tables.commit_size == 0) {
        trace_damage(trace, file->table_at[0], 0, 0,
                     "no header page that tells of the commit word: taken to have %u bytes", file->long_size);
        file->tables.commit_size = file->long_size;
    }
    tracedat_tables_learn_common(&file->tables, file->long_size);
    return 0;
}
