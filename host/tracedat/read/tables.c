/* tables.c - see tables.h.
 *
 * The tables are texts of the traced kernel's files in tracefs and /proc, and each is read line by line: what a line
 * says that makes no sense costs that line, or the rest of its table, and nothing else.
 */
#include "tracedat/read/tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracedat/read/format.h"

enum {
    FORMAT_SIZE_MAX = 1 << 20, /* bytes of a format's text */
    SYSTEM_SIZE_MAX = 64,      /* bytes of a system's name, with the NUL */
};

/* The names of systems are in a list, because many formats share each. */
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

/* The first text describes a page. The second one, of the words in front of a record, has been the same in all
 * kernels. */
static void take_header_page(struct tracedat_tables *tables, struct trace *trace, struct cursor *cursor)
{
    char *page = take_header(cursor, "header_page");
    char *event = page != NULL ? take_header(cursor, "header_event") : NULL;
    (void)trace;
    if (page != NULL)
        tables->commit_size = commit_size(page);
    free(page);
    free(event);
}

/* ---- formats ----------------------------------------------------------------------------------------------------- */

/* The system's name as a word, in memory that lives as long as the tables; NULL if there is no memory. */
static const char *keep_system(struct tracedat_tables *tables, const char *name)
{
    struct tracedat_system *system;
    for (system = tables->systems; system != NULL; system = system->next) {
        if (strcmp(system->name, name) == 0)
            return system->name;
    }
    system = calloc(1, sizeof *system);
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
    uint32_t n = id < 1024u ? 1024u : UINT16_MAX + 1u;
    struct tracedat_format_text **more;
    if (id < tables->nformats)
        return true;
    more = realloc(tables->format, n * sizeof *more);
    if (more == NULL)
        return false;
    memset(more + tables->nformats, 0, (n - tables->nformats) * sizeof *more);
    tables->format = more;
    tables->nformats = n;
    return true;
}

/* Keep the text of a format, which belongs to the tables from now on. at: where it is in the input, for messages. */
static void keep_format(struct tracedat_tables *tables, struct trace *trace, const char *system, char *text,
                        uint64_t at)
{
    long id = tracedat_format_id(text);
    struct tracedat_format_text *format = NULL;
    if (id < 0 || id > UINT16_MAX)
        trace_damage(trace, at, strlen(text), 0, "an event's format without its name or id");
    else if (!grow_formats(tables, (uint32_t)id))
        trace_fail(trace, "%s: no memory for the formats of events", trace->input_name);
    else if (tables->format[id] != NULL)
        trace_damage(trace, at, strlen(text), 0, "a second format for event %ld", id);
    else if ((format = malloc(sizeof *format)) == NULL)
        trace_fail(trace, "%s: no memory for the formats of events", trace->input_name);
    if (format == NULL) {
        free(text);
        return;
    }
    *format = (struct tracedat_format_text){system, text, at};
    tables->format[id] = format;
}

/* Take the formats of one system: their number, then the size and the text of each. */
static void take_system(struct tracedat_tables *tables, struct trace *trace, struct cursor *cursor, const char *name)
{
    const char *system = keep_system(tables, name);
    uint64_t count = cursor_number(cursor, 4);
    for (uint64_t i = 0; i < count && system != NULL; i++) {
        uint64_t size = cursor_number(cursor, 8), at = cursor_place(cursor);
        char *text = cursor_copy(cursor, size, FORMAT_SIZE_MAX);
        if (text == NULL)
            return;
        keep_format(tables, trace, system, text, at);
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

/* For qsort(): by address. */
static int symbol_order(const void *a, const void *b)
{
    const struct trace_symbol *left = a, *right = b;
    return (left->address > right->address) - (left->address < right->address);
}

/* Take a line "ffffffff81000000 T name\t[module]" apart; the name stays where it is. False if it is no such line. */
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

/* Make an image of the n symbols, for viewers of addresses. Each symbol ends where the next one begins. An image that
 * the user gave is preferred. */
static void set_image(struct tracedat_tables *tables, struct trace *trace, size_t n)
{
    qsort(tables->symbols, n, sizeof *tables->symbols, symbol_order);
    for (size_t i = 0; i + 1u < n; i++)
        tables->symbols[i].size = tables->symbols[i + 1u].address - tables->symbols[i].address;
    tables->image.symbols = tables->symbols;
    tables->image.nsymbols = n;
    if (n > 0 && trace->image == NULL)
        trace->image = &tables->image;
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
    char *line, *next;
    size_t n = 0;
    tables->kallsyms = cursor_copy(cursor, cursor_number(cursor, 4), TRACEDAT_SECTION_SIZE_MAX);
    if (tables->kallsyms == NULL)
        return;
    tables->symbols = calloc(count_lines(tables->kallsyms), sizeof *tables->symbols);
    if (tables->symbols == NULL) {
        trace_fail(trace, "%s: no memory for symbols", trace->input_name);
        return;
    }
    for (line = tables->kallsyms; *line != '\0'; line = next) {
        next = end_line(line);
        if (!take_symbol(line, &tables->symbols[n]))
            break;
        n += names_place(&tables->symbols[n]);
    }
    set_image(tables, trace, n);
}

/* ---- texts of trace_printk() ------------------------------------------------------------------------------------- */

/* For qsort(): by address. */
static int text_order(const void *a, const void *b)
{
    const struct tracedat_printk_text *left = a, *right = b;
    return (left->address > right->address) - (left->address < right->address);
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

/* Take a line like 0xffffffff81000000 : "text" apart; the text stays where it is. False if it is no such line. */
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
    struct tracedat_printk *printk = &tables->printk;
    char *line, *next;
    printk->lines = cursor_copy(cursor, cursor_number(cursor, 4), TRACEDAT_SECTION_SIZE_MAX);
    if (printk->lines == NULL)
        return;
    printk->text = calloc(count_lines(printk->lines), sizeof *printk->text);
    if (printk->text == NULL) {
        trace_fail(trace, "%s: no memory for the texts of trace_printk()", trace->input_name);
        return;
    }
    for (line = printk->lines; *line != '\0'; line = next) {
        next = end_line(line);
        printk->n += take_printk_line(line, &printk->text[printk->n]);
    }
    qsort(printk->text, printk->n, sizeof *printk->text, text_order);
}

const char *tracedat_printk_find(const struct tracedat_printk *printk, uint64_t address)
{
    size_t low = 0, high = printk->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2u;
        if (printk->text[middle].address < address)
            low = middle + 1u;
        else
            high = middle;
    }
    return low < printk->n && printk->text[low].address == address ? printk->text[low].text : NULL;
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
    char *text = cursor_copy(cursor, cursor_number(cursor, 8), TRACEDAT_SECTION_SIZE_MAX), *next;
    (void)tables;
    for (char *line = text; line != NULL && *line != '\0'; line = next) {
        next = end_line(line);
        take_task(trace, line);
    }
    free(text);
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
            free(tables->format[id]->text);
        free(tables->format[id]);
    }
    free(tables->format);
    while (tables->systems != NULL) {
        struct tracedat_system *next = tables->systems->next;
        free(tables->systems);
        tables->systems = next;
    }
    free(tables->printk.lines);
    free(tables->printk.text);
    free(tables->kallsyms);
    free(tables->symbols);
}
