/* text.c - the sections of a trace.dat file that hold tables of text: see tracedat/read/file.h.
 *
 * Formats of events are only filed here by their id; they are parsed when an event of theirs comes by.
 */
#include "tracedat/read/file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FORMAT_MAX = 1 << 20, SYSTEM_BYTES = 64 };

/* System names live in a list of their own: many formats share one. */
struct td_names {
    struct td_names *next;
    char name[SYSTEM_BYTES];
};

/* ---- header page ------------------------------------------------------------------------------------------------- */

/* The size of the commit word decides how a page is laid out. */
static unsigned commit_size(const char *text)
{
    const char *commit = strstr(text, " commit;"), *size = commit ? strstr(commit, "size:") : NULL;
    long n = size ? strtol(size + 5, NULL, 10) : 0;

    return n == 4 || n == 8 ? (unsigned)n : 0;
}

static char *take_header(struct cursor *cursor, const char *name)
{
    char real[16];

    if (!cursor_string(cursor, real, sizeof real) || strcmp(real, name) != 0) {
        cursor->bad = true;
        return NULL;
    }
    return cursor_copy(cursor, cursor_number(cursor, 8), FORMAT_MAX);
}

void td_take_header_page(struct tdfile *file, struct cursor *cursor)
{
    char *page = take_header(cursor, "header_page");
    char *event = page ? take_header(cursor, "header_event") : NULL;

    if (page != NULL)
        file->tables.commit_size = commit_size(page);
    free(page);
    free(event);
}

/* ---- formats ----------------------------------------------------------------------------------------------------- */

/* Characters that are no letters, digits or _ become _. */
static const char *keep_system(struct td_tables *tables, const char *system)
{
    struct td_names *names;

    for (names = tables->names; names != NULL; names = names->next) {
        if (strcmp(names->name, system) == 0)
            return names->name;
    }
    names = calloc(1, sizeof *names);
    if (names == NULL)
        return NULL;
    snprintf(names->name, sizeof names->name, "%s", system);
    for (char *c = names->name; *c != '\0'; c++) {
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", *c))
            *c = '_';
    }
    names->next = tables->names;
    tables->names = names;
    return names->name;
}

/* The common fields are those of the format with the lowest id that has any; else those of all kernels so far. */
void td_learn_common(struct tdfile *file)
{
    for (uint32_t id = 0; id < file->tables.nsources && !file->tables.has_common; id++) {
        const struct td_source *source = file->tables.source[id];
        struct td_format format;

        if (source == NULL)
            continue;
        file->tables.has_common = td_format_parse(&format, source->text, file->long_size, &file->tables.common);
        td_format_free(&format);
    }
    if (!file->tables.has_common)
        file->tables.common = (struct td_common){0, 2, 2, 1, 4, 4};
}

static bool grow_sources(struct td_tables *tables, uint32_t id)
{
    uint32_t n = id < 1024u ? 1024u : UINT16_MAX + 1u;
    struct td_source **more;

    if (id < tables->nsources)
        return true;
    more = realloc(tables->source, n * sizeof *more);
    if (more == NULL)
        return false;
    memset(more + tables->nsources, 0, (n - tables->nsources) * sizeof *more);
    tables->source = more;
    tables->nsources = n;
    return true;
}

static void file_format(struct tdfile *file, const char *system, char *text, uint64_t at)
{
    long id = td_format_id(text);
    struct td_source *source = NULL;

    if (id < 0 || id > UINT16_MAX)
        trace_damage(file->trace, at, strlen(text), 0, "an event's format without its name or id");
    else if (!grow_sources(&file->tables, (uint32_t)id))
        trace_fail(file->trace, "%s: no memory for the formats of events", file->trace->input_name);
    else if (file->tables.source[id] != NULL)
        trace_damage(file->trace, at, strlen(text), 0, "a second format for event %ld", id);
    else if ((source = malloc(sizeof *source)) == NULL)
        trace_fail(file->trace, "%s: no memory for the formats of events", file->trace->input_name);
    if (source == NULL) {
        free(text);
        return;
    }
    *source = (struct td_source){system, text, at};
    file->tables.source[id] = source;
}

/* The formats of one system. */
static void take_system(struct tdfile *file, struct cursor *cursor, const char *name)
{
    const char *system = keep_system(&file->tables, name);
    uint64_t count = cursor_number(cursor, 4);

    for (uint64_t i = 0; i < count && system != NULL; i++) {
        uint64_t size = cursor_number(cursor, 8), at = cursor_place(cursor);
        char *text = cursor_copy(cursor, size, FORMAT_MAX);

        if (text == NULL)
            return;
        file_format(file, system, text, at);
    }
}

void td_take_ftrace_formats(struct tdfile *file, struct cursor *cursor)
{
    take_system(file, cursor, "ftrace");
}

void td_take_formats(struct tdfile *file, struct cursor *cursor)
{
    uint64_t count = cursor_number(cursor, 4);
    char name[SYSTEM_BYTES];

    for (uint64_t i = 0; i < count && cursor_string(cursor, name, sizeof name); i++)
        take_system(file, cursor, name);
}

/* ---- symbols ----------------------------------------------------------------------------------------------------- */

static int symbol_order(const void *a, const void *b)
{
    const struct trace_symbol *left = a, *right = b;

    return (left->address > right->address) - (left->address < right->address);
}

/* "ffffffff81000000 T name\t[module]"; a line that is nothing like it ends the table. */
static bool take_symbol(char *line, struct trace_symbol *symbol)
{
    char *end, *name;

    symbol->address = strtoull(line, &end, 16);
    if (end == line || end[0] != ' ' || end[1] == '\0' || end[2] != ' ')
        return false;
    symbol->type = end[1];
    name = end + 3;
    name[strcspn(name, " \t")] = '\0';
    symbol->name = name;
    symbol->size = 0;
    return name[0] != '\0';
}

static size_t count_lines(const char *text)
{
    size_t n = 1;

    for (; (text = strchr(text, '\n')) != NULL; text++)
        n++;
    return n;
}

static void set_image(struct tdfile *file, size_t n)
{
    struct td_tables *tables = &file->tables;

    qsort(tables->symbols, n, sizeof *tables->symbols, symbol_order);
    for (size_t i = 0; i + 1u < n; i++)
        tables->symbols[i].size = tables->symbols[i + 1u].address - tables->symbols[i].address;
    tables->image.symbols = tables->symbols;
    tables->image.nsymbols = n;
    if (n > 0 && file->trace->image == NULL)
        file->trace->image = &tables->image;
}

/* The compiler's own marks and absolute symbols are no functions. */
static bool is_function(const struct trace_symbol *symbol)
{
    return symbol->name[0] != '$' && symbol->type != 'a' && symbol->type != 'A';
}

void td_take_kallsyms(struct tdfile *file, struct cursor *cursor)
{
    struct td_tables *tables = &file->tables;
    char *line, *next;
    size_t n = 0;

    tables->kallsyms = cursor_copy(cursor, cursor_number(cursor, 4), TDFILE_SECTION_MAX);
    if (tables->kallsyms == NULL)
        return;
    tables->symbols = calloc(count_lines(tables->kallsyms), sizeof *tables->symbols);
    if (tables->symbols == NULL) {
        trace_fail(file->trace, "%s: no memory for symbols", file->trace->input_name);
        return;
    }
    for (line = tables->kallsyms; *line != '\0'; line = next) {
        next = strchr(line, '\n');
        next = next ? next + 1 : line + strlen(line);
        if (next > line && next[-1] == '\n')
            next[-1] = '\0';
        if (!take_symbol(line, &tables->symbols[n]))
            break;
        n += is_function(&tables->symbols[n]);
    }
    set_image(file, n);
}

/* ---- texts of trace_printk() ------------------------------------------------------------------------------------- */

static int text_order(const void *a, const void *b)
{
    const struct td_text *left = a, *right = b;

    return (left->address > right->address) - (left->address < right->address);
}

static char unescaped(char letter)
{
    static const char letters[] = "ntra\\\"'", values[] = "\n\t\r\a\\\"'";
    const char *found = strchr(letters, letter);

    return found != NULL && letter != '\0' ? values[found - letters] : '\0';
}

/* Undo the escapes in place. One newline at the end is no part of the text. */
static void unescape(char *text)
{
    char *to = text;

    for (const char *from = text; *from != '\0'; from++) {
        char value = *from == '\\' ? unescaped(from[1]) : '\0';

        *to++ = value != '\0' ? value : *from;
        from += value != '\0';
    }
    if (to > text && to[-1] == '\n')
        to--;
    *to = '\0';
}

/* 0xffffffff81000000 : "text" */
static bool take_printk_line(char *line, struct td_text *text)
{
    char *end;

    text->address = strtoull(line, &end, 16);
    if (end == line)
        return false;
    end = strchr(end, ':');
    if (end == NULL)
        return false;
    end += 1 + (end[1] == ' ');
    if (*end == '"') {
        char *last = strrchr(++end, '"');

        if (last != NULL)
            *last = '\0';
    }
    unescape(end);
    text->text = end;
    return true;
}

void td_take_printk(struct tdfile *file, struct cursor *cursor)
{
    struct td_texts *texts = &file->tables.printk;
    char *line, *next;

    texts->bytes = cursor_copy(cursor, cursor_number(cursor, 4), TDFILE_SECTION_MAX);
    if (texts->bytes == NULL)
        return;
    texts->text = calloc(count_lines(texts->bytes), sizeof *texts->text);
    if (texts->text == NULL) {
        trace_fail(file->trace, "%s: no memory for the texts of trace_printk()", file->trace->input_name);
        return;
    }
    for (line = texts->bytes; *line != '\0'; line = next) {
        next = strchr(line, '\n');
        next = next ? next + 1 : line + strlen(line);
        if (next > line && next[-1] == '\n')
            next[-1] = '\0';
        texts->n += take_printk_line(line, &texts->text[texts->n]);
    }
    qsort(texts->text, texts->n, sizeof *texts->text, text_order);
}

const char *td_texts_find(const struct td_texts *texts, uint64_t address)
{
    size_t low = 0, high = texts->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2u;

        if (texts->text[middle].address < address)
            low = middle + 1u;
        else
            high = middle;
    }
    return low < texts->n && texts->text[low].address == address ? texts->text[low].text : NULL;
}

/* ---- names of tasks ---------------------------------------------------------------------------------------------- */

static void take_task(struct trace *trace, char *line)
{
    char *name;
    unsigned long pid = strtoul(line, &name, 10);

    if (name == line || pid == 0 || pid > INT32_MAX)
        return;
    name += strspn(name, " ");
    trace_set_name(trace, TRACE_NAME_TASK, (uint32_t)pid, name);
}

void td_take_cmdlines(struct tdfile *file, struct cursor *cursor)
{
    char *text = cursor_copy(cursor, cursor_number(cursor, 8), TDFILE_SECTION_MAX), *next;

    for (char *line = text; line != NULL && *line != '\0'; line = next) {
        size_t length = strcspn(line, "\n");

        next = line + length + (line[length] == '\n');
        line[length] = '\0';
        take_task(file->trace, line);
    }
    free(text);
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

void td_tables_free(struct td_tables *tables)
{
    for (uint32_t id = 0; id < tables->nsources; id++) {
        if (tables->source[id] != NULL)
            free(tables->source[id]->text);
        free(tables->source[id]);
    }
    free(tables->source);
    while (tables->names != NULL) {
        struct td_names *next = tables->names->next;

        free(tables->names);
        tables->names = next;
    }
    free(tables->printk.bytes);
    free(tables->printk.text);
    free(tables->kallsyms);
    free(tables->symbols);
}
