/* tables.c - see tables.h.
 *
 * The tables are texts of the traced kernel's files in tracefs and /proc. Each is read line by line. A line that makes
 * no sense costs itself, or the rest of its table, and nothing else.
 */
#include "formats/tracedat/read/tables.h"

#include "base/heap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "formats/tracedat/read/format.h"

enum {
    FORMAT_SIZE_MAX = 1 << 20, /* bytes of a format's text */
    SYSTEM_SIZE_MAX = 64,      /* bytes of a system's name, with the NUL */
};

/* The name of a system, in a list. Formats of one system that follow each other share it. */
struct tracedat_system {
    struct tracedat_system *next;
    char name[SYSTEM_SIZE_MAX];
};

/* ---- lines ------------------------------------------------------------------------------------------------------- */

/* How many lines the text has at most. */
static size_t count_lines(const char *text)
{
    size_t n = 1;
    for (; (text = strchr(text, '\n')) != NULL; text++)
        n++;
    return n;
}

/* End the line with a NUL in the place of its newline. Returns the beginning of the next line, or the text's end. */
static char *end_line(char *line)
{
    char *newline = strchr(line, '\n');
    if (newline == NULL)
        return line + strlen(line);
    *newline = '\0';
    return newline + 1;
}

/* A text of a section, and the memory that it is in. */
struct table_text {
    char *text;   /* or NULL */
    void *memory; /* the text, or the decompressed section */
    size_t size;  /* bytes of the text */
};

/* Tell that a table is left out. what: its name. Returns false. */
static bool leave_out(struct trace *trace, const struct cursor *cursor, const char *what)
{
    trace_damage(trace, cursor_place(cursor), 0, 0, "%s: left out, because they would take too much memory", what);
    return false;
}

/* Take a text of size bytes, to be kept. One that was decompressed stays where it is; there is a byte of room behind it
 * for the NUL. False if it is too large, or, with a bad cursor, not there. */
static bool take_text(struct tracedat_tables *tables, struct trace *trace, struct cursor *cursor, uint64_t size,
                      struct table_text *text, const char *what)
{
    memset(text, 0, sizeof *text);
    if (tables->section != NULL) {
        if (!cursor_skip(cursor, size))
            return false;
        text->text = (char *)tables->section + (cursor->at - size);
        text->text[size] = '\0';
        text->memory = tables->section;
        tables->section = NULL;
    } else if (size <= cursor_left(cursor) && !tracedat_budget_take(&tables->budget->memory, size)) {
        cursor_skip(cursor, size);
        return leave_out(trace, cursor, what);
    } else {
        text->memory = text->text = cursor_copy(cursor, size, TRACEDAT_SECTION_SIZE_MAX);
    }
    text->size = (size_t)size;
    return text->text != NULL;
}

/* Free the text, and the memory that it took of the budget. */
static void drop_text(struct tracedat_tables *tables, struct table_text *text)
{
    tables->budget->memory += text->size;
    heap_free(text->memory);
}

/* Memory for n lines of a text, size bytes each. NULL after trace_fail(), or if that would be too much. */
static void *for_lines(struct tracedat_tables *tables, struct trace *trace, const struct cursor *cursor, size_t n,
                       size_t size, const char *what)
{
    void *memory;
    if (!tracedat_budget_take(&tables->budget->memory, (uint64_t)n * size)) {
        leave_out(trace, cursor, what);
        return NULL;
    }
    memory = heap_calloc(n, size);
    if (memory == NULL)
        trace_fail(trace, "%s: no memory for %s", trace->input_name, what);
    return memory;
}

/* ---- header page ------------------------------------------------------------------------------------------------- */

/* Bytes of the commit word, by the line "field: local_t commit; offset:8; size:8; ..."; 0 if it is not there. */
static unsigned commit_size(const char *text)
{
    const char *commit = strstr(text, " commit;"), *size = commit != NULL ? strstr(commit, "size:") : NULL;
    long n = size != NULL ? strtol(size + 5, NULL, 10) : 0;
    return n == 4 || n == 8 ? (unsigned)n : 0;
}

/* A text behind the name that it must have; the caller frees it. NULL, and the cursor is bad, if it is not there. */
static char *take_header(struct cursor *cursor, const char *name)
{
    char real[16];
    if (!cursor_string(cursor, real, sizeof real) || strcmp(real, name) != 0) {
        cursor->bad = true;
        return NULL;
    }
    return cursor_copy(cursor, cursor_number(cursor, 8), FORMAT_SIZE_MAX);
}

/* The first text describes a page. The second one describes the words in front of a record, which are the same in all
 * kernels so far. */
static void take_header_page(struct tracedat_tables *tables, struct trace *trace, struct cursor *cursor)
{
    char *page = take_header(cursor, "header_page");
    char *event = page != NULL ? take_header(cursor, "header_event") : NULL;
    (void)trace;
    if (page != NULL)
        tables->commit_size = commit_size(page);
    heap_free(page);
    heap_free(event);
}

/* ---- formats ----------------------------------------------------------------------------------------------------- */

/* The name, made a word, in memory that lives as long as the tables; NULL if there is no memory. A name may be kept
 * more than once, but not more often than there are formats. */
static const char *keep_system(struct tracedat_tables *tables, const char *name)
{
    struct tracedat_system *system = heap_calloc(1, sizeof *system);
    if (system == NULL)
        return NULL;
    snprintf(system->name, sizeof system->name, "%s", name);
    tracedat_make_word(system->name);
    system->next = tables->systems;
    tables->systems = system;
    return system->name;
}

/* Make room for a format of that id, at most UINT16_MAX. */
static bool grow_formats(struct tracedat_tables *tables, uint32_t id)
{
    uint32_t n = 1024;
    struct tracedat_format_text **more;
    while (n <= id)
        n *= 2u;
    if (id < tables->nformats)
        return true;
    more = heap_realloc(tables->format, n * sizeof *more);
    if (more == NULL)
        return false;
    memset(more + tables->nformats, 0, (n - tables->nformats) * sizeof *more);
    tables->format = more;
    tables->nformats = n;
    return true;
}

/* Keep a format. Its text then belongs to the tables. name: of its system, which is kept with the first format of the
 * system. False after trace_damage() or trace_fail(): the text is still the caller's. */
static bool keep_format(struct tracedat_tables *tables, struct trace *trace, struct tracedat_format_text *format,
                        const char *name)
{
    long id = tracedat_format_id(format->text);
    struct tracedat_format_text *kept = NULL;
    if (id < 0 || id > UINT16_MAX)
        trace_damage(trace, format->at, format->size, 0, "an event's format without its name or id");
    else if (!grow_formats(tables, (uint32_t)id))
        trace_fail(trace, "%s: no memory for the formats of events", trace->input_name);
    else if (tables->format[id] != NULL)
        trace_damage(trace, format->at, format->size, 0, "a second format for event %ld", id);
    else if (!tracedat_budget_take(&tables->budget->memory, format->size))
        trace_damage(trace, format->at, format->size, 0, "a format that would take too much memory");
    else if ((format->system == NULL && (format->system = keep_system(tables, name)) == NULL)
             || (kept = heap_alloc(sizeof *kept)) == NULL)
        trace_fail(trace, "%s: no memory for the formats of events", trace->input_name);
    if (kept == NULL)
        return false;
    *kept = *format;
    tables->format[id] = kept;
    return true;
}

/* Take the formats of one system: their number, then the size and the text of each. */
static void take_system(struct tracedat_tables *tables, struct trace *trace, struct cursor *cursor, const char *name)
{
    uint64_t count = cursor_number(cursor, 4);
    const char *system = NULL;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t size = cursor_number(cursor, 8);
        struct tracedat_format_text format = {.at = cursor_place(cursor)};
        format.text = cursor_copy(cursor, size, FORMAT_SIZE_MAX);
        if (format.text == NULL)
            return;
        format.size = (size_t)size;
        format.system = system;
        if (!keep_format(tables, trace, &format, name))
            heap_free(format.text);
        system = format.system;
    }
}

/* The formats of the system ftrace, whose name the section does not have. */
static void take_ftrace_formats(struct tracedat_tables *tables, struct trace *trace, struct cursor *cursor)
{
    take_system(tables, trace, cursor, "ftrace");
}

/* The number of systems, then the name and the formats of each. */
static void take_formats(struct tracedat_tables *tables, struct trace *trace, struct cursor *cursor)
{
    uint64_t count = cursor_number(cursor, 4);
    char name[SYSTEM_SIZE_MAX];
    for (uint64_t i = 0; i < count && cursor_string(cursor, name, sizeof name); i++)
        take_system(tables, trace, cursor, name);
}

void tracedat_tables_learn_common(struct tracedat_tables *tables, unsigned long_size)
{
    bool found = false;
    for (uint32_t id = 0; id < tables->nformats && !found; id++) {
        struct tracedat_format format;
        if (tables->format[id] == NULL)
            continue;
        found = tracedat_format_parse(&format, tables->format[id]->text, long_size, &tables->common);
        tracedat_format_free(&format);
    }
    if (!found)
        tables->common = (struct tracedat_common){0, 2, 2, 1, 4, 4};
}

/* ---- symbols ----------------------------------------------------------------------------------------------------- */

/* For sort(): by address; at one address against the order of the text, because for an address behind it trace-cmd
 * takes the first symbol there, and trace_symbol_before() the last one. */
static int symbol_order(const void *a, const void *b)
{
    const struct trace_symbol *left = a, *right = b;
    if (left->address != right->address)
        return left->address < right->address ? -1 : 1;
    return (left->name < right->name) - (left->name > right->name);
}

/* Take a line "ffffffff81000000 T name\t[module]" apart. The name stays where it is. False if the line is another. */
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

/* Copy the text, which is cut into names next, if there is memory for it. */
static void keep_lines(struct tracedat_tables *tables, const struct table_text *text)
{
    if (tracedat_budget_take(&tables->budget->memory, text->size))
        tables->lines = heap_alloc(text->size + 1u);
    if (tables->lines != NULL)
        memcpy(tables->lines, text->text, text->size);
}

/* Make the n symbols, which stand in so many bytes of the text, those of the firmware, unless the user gave its ELF
 * file. Each symbol ends where the next one begins. */
static void set_firmware(struct tracedat_tables *tables, struct trace *trace, size_t n, size_t bytes)
{
    sort(tables->symbols, n, sizeof *tables->symbols, symbol_order);
    for (size_t i = 0; i + 1u < n; i++)
        tables->symbols[i].size = tables->symbols[i + 1u].address - tables->symbols[i].address;
    tables->firmware.symbols = tables->symbols;
    tables->firmware.nsymbols = n;
    tables->firmware.kallsyms = tables->lines;
    tables->firmware.kallsyms_size = bytes;
    if (n > 0 && trace->firmware == NULL)
        trace->firmware = &tables->firmware;
}

/* Whether the symbol names something at its address. Marks of the compiler, such as "$t", and absolute symbols do
 * not. */
static bool names_place(const struct trace_symbol *symbol)
{
    return symbol->name[0] != '$' && symbol->type != 'a' && symbol->type != 'A';
}

/* The size of the text and the text, a line for each symbol. A line that is none ends the table. */
static void take_kallsyms(struct tracedat_tables *tables, struct trace *trace, struct cursor *cursor)
{
    static const char what[] = "the kernel's symbols";
    struct table_text text;
    char *next;
    size_t n = 0, bytes = 0;
    if (tables->kallsyms != NULL || !take_text(tables, trace, cursor, cursor_number(cursor, 4), &text, what))
        return;
    tables->symbols = for_lines(tables, trace, cursor, count_lines(text.text), sizeof *tables->symbols, what);
    if (tables->symbols == NULL) {
        drop_text(tables, &text);
        return;
    }
    tables->kallsyms = text.memory;
    keep_lines(tables, &text);
    for (char *line = text.text; *line != '\0'; line = next) {
        next = end_line(line);
        if (!take_symbol(line, &tables->symbols[n]))
            break;
        n += names_place(&tables->symbols[n]);
        bytes = (size_t)(next - text.text);
    }
    set_firmware(tables, trace, n, bytes);
}

/* ---- texts of trace_printk() ------------------------------------------------------------------------------------- */

/* For sort(): by address; at one address in the order of the section. */
static int text_order(const void *a, const void *b)
{
    const struct tracedat_printk_text *left = a, *right = b;
    if (left->address != right->address)
        return left->address < right->address ? -1 : 1;
    return (left->text > right->text) - (left->text < right->text);
}

/* What a backslash and this letter stand for; NUL if they are no escape. */
static char unescaped(char letter)
{
    static const char letters[] = "ntra\\\"'", values[] = "\n\t\r\a\\\"'";
    const char *found = strchr(letters, letter);
    return found != NULL && letter != '\0' ? values[found - letters] : '\0';
}

/* Replace the escapes in place, and leave out one newline at the end: every event is a line anyway. */
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

/* Take a line like 0xffffffff81000000 : "text" apart. The text stays where it is. False if the line is another. */
static bool take_printk_line(char *line, struct tracedat_printk_text *text)
{
    char *end;
    text->address = strtoull(line, &end, 16);
    if (end == line)
        return false;
    end = strchr(end, ':');
    if (end == NULL)
        return false;
    end += 1 + (end[1] == ' '); /* neither the blank nor quotation marks must be there */
    if (*end == '"') {
        char *last = strrchr(++end, '"');
        if (last != NULL)
            *last = '\0';
    }
    unescape(end);
    text->text = end;
    return true;
}

/* The size of the text and the text, a line for each format that is known by its address. */
static void take_printk(struct tracedat_tables *tables, struct trace *trace, struct cursor *cursor)
{
    static const char what[] = "the texts of trace_printk()";
    struct tracedat_printk *printk = &tables->printk;
    struct table_text text;
    char *next;
    if (printk->memory != NULL || !take_text(tables, trace, cursor, cursor_number(cursor, 4), &text, what))
        return;
    printk->text = for_lines(tables, trace, cursor, count_lines(text.text), sizeof *printk->text, what);
    if (printk->text == NULL) {
        drop_text(tables, &text);
        return;
    }
    printk->memory = text.memory;
    for (char *line = text.text; *line != '\0'; line = next) {
        next = end_line(line);
        printk->n += take_printk_line(line, &printk->text[printk->n]);
    }
    sort(printk->text, printk->n, sizeof *printk->text, text_order);
}

static int address_order(const void *text, const void *address)
{
    uint64_t left = ((const struct tracedat_printk_text *)text)->address, right = *(const uint64_t *)address;
    return (left > right) - (left < right);
}

const char *tracedat_printk_find(const struct tracedat_printk *printk, uint64_t address)
{
    size_t first = sort_first(printk->text, printk->n, sizeof *printk->text, &address, address_order);
    return first < printk->n && printk->text[first].address == address ? printk->text[first].text : NULL;
}

/* ---- names of tasks ---------------------------------------------------------------------------------------------- */

/* Take a line "42 name of the task". */
static void take_task(struct trace *trace, char *line)
{
    char *name;
    unsigned long pid = strtoul(line, &name, 10);
    if (name == line || pid == 0 || pid > INT32_MAX)
        return;
    name += strspn(name, " ");
    trace_set_name(trace, TRACE_NAME_TASK, (uint32_t)pid, name);
}

/* The size of the text and the text, a line for each task that has a name. */
static void take_cmdlines(struct tracedat_tables *tables, struct trace *trace, struct cursor *cursor)
{
    struct table_text text;
    char *next;
    if (!take_text(tables, trace, cursor, cursor_number(cursor, 8), &text, "the names of tasks"))
        return;
    for (char *line = text.text; *line != '\0'; line = next) {
        next = end_line(line);
        take_task(trace, line);
    }
    drop_text(tables, &text);
}

/* ---- all tables -------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name; /* for messages */
    void (*take)(struct tracedat_tables *tables, struct trace *trace, struct cursor *cursor);
} kinds[TRACEDAT_TABLES] = {
    {"header page", take_header_page}, {"ftrace events", take_ftrace_formats},
    {"event formats", take_formats},   {"kallsyms", take_kallsyms},
    {"printk", take_printk},           {"command lines", take_cmdlines},
};

const char *tracedat_table_name(unsigned number)
{
    return kinds[number].name;
}

void tracedat_tables_take(struct tracedat_tables *tables, struct trace *trace, unsigned number, struct cursor *cursor)
{
    kinds[number].take(tables, trace, cursor);
}

void tracedat_tables_free(struct tracedat_tables *tables)
{
    for (uint32_t id = 0; id < tables->nformats; id++) {
        if (tables->format[id] != NULL)
            heap_free(tables->format[id]->text);
        heap_free(tables->format[id]);
    }
    heap_free(tables->format);
    while (tables->systems != NULL) {
        struct tracedat_system *next = tables->systems->next;
        heap_free(tables->systems);
        tables->systems = next;
    }
    heap_free(tables->printk.memory);
    heap_free(tables->printk.text);
    heap_free(tables->kallsyms);
    heap_free(tables->symbols);
    heap_free(tables->lines);
}
