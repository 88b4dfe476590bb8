/* vectors.c - the names of exceptions: those of their handlers, out of the vector table of an Arm Cortex-M.
 *
 * The table is what a symbol or a section with a usual name holds, or else what stands at the lowest address that is
 * loaded; its second word must be a function. A handler that several exceptions share, or that is called a default one,
 * gives no name; interrupt 15 is SysTick on every Cortex-M. Of each place that may be the table at most
 * ELF_VECTORS_MOST words are read. */
#include "base/heap.h"
#include "io/firmware/elf.h"

#include "base/bytes.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    RESET = 1,
    SYSTICK = 15, /* the vectors before it may hold anything, such as a check sum */
    PLACES_MOST = ELF_TABLES_MOST + 16,
    ENTRY_MOST = 8, /* bytes of an entry in a table of handlers */
};

/* What is looked through. */
struct search {
    const struct elf_file *elf;
    const struct trace_firmware *firmware;
    unsigned places; /* that may be looked at yet: a hostile file has many */
    uint32_t words[ELF_VECTORS_MOST];
    size_t n;                                             /* words of the table; 0: not found */
    uint64_t offset;                                      /* of the table in the file */
    unsigned char entries[ENTRY_MOST * ELF_VECTORS_MOST]; /* of a table that one function of the vectors looks in */
};

/* Whether a text is in a list, whose last text is NULL. */
static bool is_among(const char *text, const char *const *list)
{
    while (*list != NULL && strcmp(*list, text) != 0)
        list++;
    return *list != NULL;
}

/* The function that a vector points to, at its first instruction; NULL if it is none. Bit 0 tells Thumb code. */
static const struct trace_symbol *function_of(const struct search *search, uint32_t vector)
{
    uint64_t offset = 1;
    const struct trace_symbol *symbol = trace_symbol_at(search->firmware, vector & ~1u, &offset);
    return (vector & 1u) != 0 && symbol != NULL && offset == 0 && strchr("TtW", symbol->type) != NULL ? symbol : NULL;
}

/* How many of n words are vectors: up to the first word that can be none. 0: this is no table. The first word is where
 * the stack ends, or its last byte. */
static size_t vectors_in(const struct search *search, size_t n)
{
    size_t i = SYSTICK;
    if (n <= SYSTICK || search->words[0] == 0 || function_of(search, search->words[RESET]) == NULL)
        return 0;
    while (i < n && (search->words[i] == 0 || function_of(search, search->words[i]) != NULL))
        i++;
    return i > SYSTICK ? i : 0;
}

/* Look whether the table stands at an offset of the file, where size bytes may belong to it. */
static void look_at(struct search *search, uint64_t offset, uint64_t size)
{
    size_t bytes = (size_t)(size < 4u * ELF_VECTORS_MOST ? size & ~3u : 4u * ELF_VECTORS_MOST);
    unsigned char table[4u * ELF_VECTORS_MOST];
    struct cursor at = search->elf->bytes;
    at.at = offset;
    if (search->n > 0 || search->places == 0 || bytes == 0)
        return;
    search->places--;
    if (!cursor_get(&at, table, bytes))
        return;
    for (size_t i = 0; i < bytes / 4u; i++)
        search->words[i] = get_32(table + 4u * i, at.big);
    search->n = vectors_in(search, bytes / 4u);
    search->offset = offset;
}

/* The offset in the file of an address: the section that it is in tells that. Cuts size to the section's end; 0: the
 * file has nothing there. */
static uint64_t offset_of(const struct search *search, uint64_t address, uint64_t *size)
{
    for (size_t i = 0; i < search->elf->nsections; i++) {
        const struct elf_section *section = &search->elf->sections[i];
        uint64_t at = address - section->address;
        if (!elf_is_loaded(section) || address < section->address || at >= section->size)
            continue;
        *size = *size < section->size - at ? *size : section->size - at;
        if (section->offset <= UINT64_MAX - at)
            return section->offset + at;
        break;
    }
    *size = 0;
    return 0;
}

/* Look at an address, where size bytes may belong to the table. */
static void look_at_address(struct search *search, uint64_t address, uint64_t size)
{
    uint64_t offset = offset_of(search, address, &size);
    look_at(search, offset, size);
}

static void look_at_sections(struct search *search)
{
    static const char *const usual[] = {".isr_vector",   ".vectors",    ".isr_vectors",
                                        ".vector_table", ".vector",     ".intvec",
                                        ".intvecs",      ".interrupts", NULL};
    for (size_t i = 0; i < search->elf->nsections && search->n == 0; i++) {
        const struct elf_section *section = &search->elf->sections[i];
        if (section->type == ELF_PROGBITS && is_among(section->name, usual))
            look_at(search, section->offset, section->size);
    }
}

/* Look at what is loaded to the lowest address of all; the table ends before the first function behind its beginning,
 * where it may have a symbol itself. */
static void look_at_lowest(struct search *search)
{
    const struct elf_segment *lowest = NULL;
    uint64_t end;
    for (size_t i = 0; i < search->elf->nsegments; i++) {
        const struct elf_segment *segment = &search->elf->segments[i];
        if (segment->type == ELF_LOAD && segment->size > 0 && (lowest == NULL || segment->physical < lowest->physical))
            lowest = segment;
    }
    if (lowest == NULL)
        return;
    end = lowest->size;
    for (size_t i = 0; i < search->firmware->nsymbols; i++) {
        const struct trace_symbol *symbol = &search->firmware->symbols[i];
        if (strchr("TtW", symbol->type) != NULL && symbol->address > lowest->address
            && symbol->address - lowest->address < end)
            end = symbol->address - lowest->address;
    }
    look_at(search, lowest->offset, end);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static bool is_shared(const struct search *search, size_t i)
{
    size_t times = 0;
    for (size_t k = RESET; k < search->n; k++)
        times += search->words[k] == search->words[i];
    return times > 1;
}

/* A part of a handler's name. */
struct part {
    const char *at;
    size_t length;
};

/* A handler's name without what all handlers' names begin or end with. */
static struct part plain(const char *name)
{
    static const char *const ends[] = {"_IRQHandler", "_irqhandler", "_Handler", "_handler", NULL};
    size_t begin = strncmp(name, "isr_", 4) == 0 && name[4] != '\0' ? 4 : 0;
    struct part part = {name + begin, strlen(name + begin)};
    for (size_t i = 0; ends[i] != NULL; i++) {
        size_t end = strlen(ends[i]);
        if (part.length > end && strcmp(part.at + part.length - end, ends[i]) == 0)
            return (struct part){part.at, part.length - end};
    }
    return part;
}

static bool is_default(const char *name)
{
    static const char *const defaults[] = {"default", "dummy",       "unused",         "unhandled",
                                           "invalid", "isr_wrapper", "z_irq_spurious", "tlog_irq_any"};
    const char *at = plain(name).at;
    at += strspn(at, "_");
    for (size_t i = 0; i < sizeof defaults / sizeof defaults[0]; i++) {
        if (text_begins(at, defaults[i]))
            return true;
    }
    return false;
}

static struct trace_handler *name_handlers(const struct search *search, size_t *n)
{
    struct trace_handler *handlers = heap_calloc(search->n + 1u, sizeof *handlers);
    for (size_t i = ELF_VECTORS_FIRST; handlers != NULL && i < search->n; i++) {
        const struct trace_symbol *symbol = function_of(search, search->words[i]);
        struct trace_handler *to = &handlers[*n];
        struct part name = {"SysTick", 7};
        if (i != SYSTICK && (symbol == NULL || is_shared(search, i) || is_default(symbol->name)))
            continue;
        if (i != SYSTICK)
            name = plain(symbol->name);
        to->number = (uint32_t)i;
        snprintf(to->name, sizeof to->name, "%.*s", (int)name.length, name.at);
        ++*n;
    }
    return handlers;
}

/* ---- tables of handlers that one function of the vectors looks in ------------------------------------------------ */

enum { FIRST_IRQ = 16 };

/* The word of each entry that points to the handler, and the interrupt of the first entry. */
struct table {
    const char *name;
    uint32_t entry_bytes, handler_at, first;
};

/* Zephyr's vectors point to _isr_wrapper, whose table has an argument and a handler for each interrupt; those of tlog's
 * users to tlog_irq_any, whose table is as the vectors are. */
static const struct table tables[] = {{"_sw_isr_table", 8, 4, FIRST_IRQ}, {"tlog_irq_handlers", 4, 0, 0}};

/* The entries of such a table, n of them. */
struct entries {
    const struct table *of;
    size_t n;
};

/* Its entries; none if the file has no such table. A symbol that tells no size goes on to the section's end. */
static struct entries entries_of(struct search *search, const struct table *table)
{
    const struct trace_firmware *firmware = search->firmware;
    const size_t most = ELF_VECTORS_MOST - table->first;
    struct entries entries = {table, 0};
    struct cursor at = search->elf->bytes;
    uint64_t size = 0, offset = 0;
    for (size_t i = 0; i < firmware->nsymbols && size == 0; i++) {
        const struct trace_symbol *symbol = &firmware->symbols[i];
        if (strcmp(symbol->name, table->name) != 0)
            continue;
        size = symbol->size > 0 ? symbol->size : (uint64_t)most * table->entry_bytes;
        offset = offset_of(search, symbol->address, &size);
    }
    size /= table->entry_bytes;
    size = size < most ? size : most;
    at.at = offset;
    if (cursor_get(&at, search->entries, (size_t)size * table->entry_bytes))
        entries.n = (size_t)size;
    return entries;
}

static uint32_t entry_at(const struct search *search, const struct entries *entries, size_t i)
{
    return get_32(search->entries + i * entries->of->entry_bytes + entries->of->handler_at, search->elf->bytes.big);
}

/* Name the interrupt of entry i after its handler; if that serves several of the n, with the interrupt's number, too.
 * Whether it has a name. */
static bool name_entry(const struct search *search, const struct entries *entries, size_t i, struct trace_handler *to)
{
    uint32_t vector = entry_at(search, entries, i);
    const struct trace_symbol *symbol = function_of(search, vector);
    struct part name;
    size_t times = 0;
    if (symbol == NULL || is_default(symbol->name))
        return false;
    for (size_t k = 0; k < entries->n; k++)
        times += entry_at(search, entries, k) == vector;
    name = plain(symbol->name);
    to->number = (uint32_t)(entries->of->first + i);
    if (times == 1)
        snprintf(to->name, sizeof to->name, "%.*s", (int)name.length, name.at);
    else
        snprintf(to->name, sizeof to->name, "%.*s_%" PRIu32, (int)(name.length < 27 ? name.length : 27), name.at,
                 to->number - FIRST_IRQ);
    return true;
}

static int by_number(const void *a, const void *b)
{
    return (int)((const struct trace_handler *)a)->number - (int)((const struct trace_handler *)b)->number;
}

/* Add handlers that such a table has, and the vectors have not. Returns the handlers, or NULL. */
static struct trace_handler *add_table(struct search *search, const struct table *table, struct trace_handler *handlers,
                                       size_t *n)
{
    struct entries entries = entries_of(search, table);
    size_t before = *n;
    struct trace_handler *more;
    if (entries.n == 0 || handlers == NULL)
        return handlers;
    more = heap_realloc(handlers, (before + entries.n) * sizeof *more);
    for (size_t i = FIRST_IRQ - table->first; more != NULL && i < entries.n; i++) {
        const struct trace_handler key = {.number = (uint32_t)(table->first + i)};
        if (bsearch(&key, more, before, sizeof *more, by_number) == NULL)
            *n += name_entry(search, &entries, i, &more[*n]);
    }
    if (more != NULL)
        qsort(more, *n, sizeof *more, by_number);
    return more != NULL ? more : handlers;
}

/* Note where the table is: the segment tells where its bytes are loaded. */
static void place_table(struct firmware_file *file, const struct search *search)
{
    for (size_t i = 0; i < search->elf->nsegments && search->n > 0; i++) {
        const struct elf_segment *segment = &search->elf->segments[i];
        if (segment->type != ELF_LOAD || search->offset < segment->offset
            || search->offset - segment->offset >= segment->size)
            continue;
        file->vectors = segment->address + (search->offset - segment->offset);
        file->nvectors = search->n;
    }
}

void elf_read_handlers(struct firmware_file *file)
{
    struct search *search = heap_calloc(1, sizeof *search);
    if (search != NULL && file->elf.machine == ELF_ARM) {
        search->elf = &file->elf;
        search->firmware = &file->firmware;
        search->places = PLACES_MOST;
        for (size_t i = 0; i < file->ntables; i++)
            look_at_address(search, file->tables[i].address, file->tables[i].size);
        look_at_sections(search);
        look_at_lowest(search);
        place_table(file, search);
        file->handlers = name_handlers(search, &file->firmware.nhandlers);
        for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
            file->handlers = add_table(search, &tables[i], file->handlers, &file->firmware.nhandlers);
        file->firmware.handlers = file->handlers;
    }
    heap_free(search);
}
