/* file.c - see file.h. */
#include "formats/tracedat/read/file.h"

#include "base/heap.h"
#include "base/sort.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BUFFERS_MAX = 1024,
    TEXT_SIZE_MAX = 65536, /* bytes of an option that is a text */
};

struct cursor tracedat_file_cursor(const struct tracedat_file *file, uint64_t from, uint64_t end)
{
    uint64_t size = input_size(file->in);
    return input_cursor(file->in, from, end < size ? end : size, file->big);
}

/* For the extents: those that overlap count as equal. */
static int extent_order(const void *a, const void *b)
{
    const struct tracedat_extent *left = a, *right = b;
    return (left->from >= right->end) - (left->end <= right->from);
}

bool tracedat_file_claim(struct tracedat_file *file, uint64_t from, uint64_t size, const char *what)
{
    uint64_t end = size <= UINT64_MAX - from ? from + size : UINT64_MAX; /* both may be any number */
    struct tracedat_extent extent = {from, end, what};
    const struct tracedat_extent *other;
    file->extents.size = sizeof extent;
    file->extents.order = extent_order;
    other = sorted_set_find(&file->extents, &extent);
    if (other != NULL) {
        trace_damage(file->trace, from, 0, 0, "%s overlaps %s at 0x%" PRIx64, what, other->what, other->from);
        return false;
    }
    if (!sorted_set_add(&file->extents, &extent)) {
        trace_fail(file->trace, "%s: no memory", file->trace->input_name);
        return false;
    }
    return true;
}

struct tracedat_buffer *tracedat_file_add_buffer(struct tracedat_file *file, const char *name)
{
    struct tracedat_buffer *more = NULL, *buffer;
    if (file->nbuffers < BUFFERS_MAX)
        more = heap_realloc(file->buffer, (file->nbuffers + 1u) * sizeof *more);
    if (more == NULL) {
        trace_fail(file->trace, "%s: no memory for so many trace instances", file->trace->input_name);
        return NULL;
    }
    file->buffer = more;
    buffer = &file->buffer[file->nbuffers++];
    memset(buffer, 0, sizeof *buffer);
    snprintf(buffer->name, sizeof buffer->name, "%s", name);
    buffer->page_size = file->page_size;
    return buffer;
}

static int cpu_order(const void *range, const void *cpu)
{
    unsigned left = ((const struct tracedat_range *)range)->cpu, right = *(const unsigned *)cpu;
    return (left > right) - (left < right);
}

/* Index of the CPU's range, or of the place where it belongs: mostly the end. */
static unsigned index_of(const struct tracedat_buffer *buffer, unsigned cpu)
{
    unsigned n = buffer->nranges;
    if (n == 0 || buffer->range[n - 1u].cpu < cpu)
        return n;
    return (unsigned)sort_first(buffer->range, n, sizeof *buffer->range, &cpu, cpu_order);
}

const struct tracedat_range *tracedat_file_range(const struct tracedat_buffer *buffer, unsigned cpu)
{
    unsigned i = index_of(buffer, cpu);
    return i < buffer->nranges && buffer->range[i].cpu == cpu ? &buffer->range[i] : NULL;
}

/* Make room for one more range. */
static bool make_room(struct tracedat_file *file, struct tracedat_buffer *buffer)
{
    unsigned room = buffer->range_room > 0 ? buffer->range_room * 2u : 8u;
    struct tracedat_range *more;
    if (buffer->nranges < buffer->range_room)
        return true;
    more = heap_realloc(buffer->range, room * sizeof *more);
    if (more == NULL) {
        trace_fail(file->trace, "%s: no memory for %u CPUs", file->trace->input_name, room);
        return false;
    }
    buffer->range = more;
    buffer->range_room = room;
    return true;
}

/* Add the range of a CPU that has none yet. A buffer has few ranges, so moving them is cheap. False after
 * trace_fail(). */
static bool add_range(struct tracedat_file *file, struct tracedat_buffer *buffer, const struct tracedat_range *range)
{
    unsigned i = index_of(buffer, range->cpu);
    if (!make_room(file, buffer))
        return false;
    memmove(&buffer->range[i + 1u], &buffer->range[i], (buffer->nranges - i) * sizeof *range);
    buffer->range[i] = *range;
    buffer->nranges++;
    file->nranges++;
    file->ncpus += !file->has_pages[range->cpu];
    file->has_pages[range->cpu] = true;
    return true;
}

/* Whether a file of this size may have pages of one more CPU, or one more range. */
static bool is_plausible(const struct tracedat_file *file, unsigned cpu)
{
    uint64_t cpus = TRACEDAT_CPUS + input_size(file->in) / TRACEDAT_BYTES_PER_CPU;
    return file->nranges < TRACEDAT_RANGES_MAX && (file->has_pages[cpu] || file->ncpus < cpus);
}

/* Add the range of a CPU, unless that cannot be true. False after trace_fail(). */
static bool take_range(struct tracedat_file *file, struct tracedat_buffer *buffer, const struct tracedat_range *range)
{
    if (tracedat_file_range(buffer, range->cpu) != NULL) {
        trace_damage(file->trace, range->offset, range->size, 0, "a second place for the pages of CPU %u", range->cpu);
        return true;
    }
    if (!is_plausible(file, range->cpu)) {
        trace_damage(file->trace, range->offset, range->size, 0,
                     "pages of CPU %u: a file of this size has no pages of so many CPUs", range->cpu);
        return true;
    }
    if (!tracedat_file_claim(file, range->offset, range->size, "pages of a CPU"))
        return !file->trace->failed;
    return add_range(file, buffer, range);
}

bool tracedat_file_set_range(struct tracedat_file *file, struct tracedat_buffer *buffer, uint64_t cpu, uint64_t offset,
                             uint64_t size)
{
    uint64_t end = input_size(file->in);
    if (cpu >= TRACEDAT_CPUS_MAX) {
        trace_damage(file->trace, offset, size, 0, "pages of CPU %" PRIu64 ": there are never so many", cpu);
        return true;
    }
    if (cpu >= buffer->ncpus)
        buffer->ncpus = (unsigned)cpu + 1u;
    if (size == 0) /* the CPU had no events; offset may be anything */
        return true;
    if (offset >= end || size > end - offset) {
        uint64_t there = offset < end ? end - offset : 0;
        trace_damage(file->trace, offset, 0, 0,
                     "CPU %" PRIu64 " has %" PRIu64 " bytes of pages, but only %" PRIu64 " are in the file", cpu, size,
                     there);
        size = there; /* the pages that are there are read */
    }
    if (size == 0)
        return true;
    return take_range(file, buffer, &(struct tracedat_range){offset, size, (unsigned)cpu});
}

/* ---- options: buffers -------------------------------------------------------------------------------------------- */

/* The buffer of that name, or NULL. */
static struct tracedat_buffer *find_buffer(const struct tracedat_file *file, const char *name)
{
    for (unsigned i = 0; i < file->nbuffers; i++) {
        if (strcmp(file->buffer[i].name, name) == 0)
            return &file->buffer[i];
    }
    return NULL;
}

/* The number of CPUs, then for each its number and where its pages are. */
static void take_cpus(struct tracedat_file *file, struct cursor *cursor, struct tracedat_buffer *buffer)
{
    uint64_t count = cursor_number(cursor, 4);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t cpu = cursor_number(cursor, 4), offset = cursor_number(cursor, 8), size = cursor_number(cursor, 8);
        if (cursor->bad || !tracedat_file_set_range(file, buffer, cpu, offset, size))
            return;
    }
}

/* Take the option BUFFER: where a buffer's section is, and its name; in version 7 also its clock, the size of its
 * pages, and the CPUs. The size counts for instances only: for the top buffer trace-cmd takes that of the prologue. */
static void take_buffer(struct tracedat_file *file, struct cursor *cursor)
{
    uint64_t section = cursor_number(cursor, 8), page_size;
    char name[64], clock[64];
    struct tracedat_buffer *buffer;
    if (!cursor_string(cursor, name, sizeof name))
        return;
    if (find_buffer(file, name) != NULL) {
        trace_damage(file->trace, cursor_place(cursor), 0, 0, "a second buffer of the same name");
        return;
    }
    buffer = tracedat_file_add_buffer(file, name);
    if (buffer == NULL)
        return;
    buffer->section = section;
    if (file->version == 6) /* the place of its pages is at section, and read later */
        return;
    cursor_string(cursor, clock, sizeof clock);
    page_size = cursor_number(cursor, 4);
    if (name[0] == '\0' && !file->clock.named)
        tracedat_clock_set_name(&file->clock, clock);
    if (name[0] != '\0' && page_size >= TRACEDAT_PAGE_SIZE_MIN && page_size <= TRACEDAT_PAGE_SIZE_MAX
        && (page_size & (page_size - 1u)) == 0)
        buffer->page_size = (uint32_t)page_size;
    take_cpus(file, cursor, buffer);
}

/* ---- options: numbers and texts ---------------------------------------------------------------------------------- */

/* The rest of the option as a text, which the caller frees; NULL, and the cursor is bad, if there is no memory. */
static char *take_text(struct cursor *cursor)
{
    return cursor_copy(cursor, cursor_left(cursor), TEXT_SIZE_MAX);
}

/* Take a number that is added to every time. It is a text; unit: ns that it counts in. */
static void take_offset(struct tracedat_file *file, struct cursor *cursor, uint64_t unit)
{
    char *text = take_text(cursor);
    if (text != NULL)
        file->clock.offset += (uint64_t)strtoll(text, NULL, 0) * unit;
    heap_free(text);
}

/* Take the names of the traced system's clocks; the one that was used is in brackets. In version 6 the option may be
 * empty: then the text stands behind the table of pages. */
static void take_clock(struct tracedat_file *file, struct cursor *cursor)
{
    char *text = cursor_left(cursor) > 0 ? take_text(cursor) : NULL;
    file->clock.named_later = file->version == 6;
    if (text != NULL && text[0] != '\0') {
        tracedat_clock_set_name(&file->clock, text);
        file->clock.named = true;
    }
    heap_free(text);
}

/* Take the number of CPUs of the traced system. Some of them may have no pages. */
static void take_cpu_count(struct tracedat_file *file, struct cursor *cursor)
{
    uint64_t count = cursor_number(cursor, 4);
    if (cursor->bad || count > TRACEDAT_CPUS_MAX)
        trace_damage(file->trace, cursor_place(cursor), 0, 0, "a count of %" PRIu64 " CPUs", count);
    else
        file->cpu_count = (unsigned)count;
}

/* Take the counts of a CPU, a text. How many events were lost is known from the marks on pages. Only this text tells
 * how many of them were dropped because they found no room; all others were overwritten. In front of an instance's
 * counts there is a text that names it. */
static void take_cpu_stat(struct tracedat_file *file, struct cursor *cursor)
{
    static const char cpu_key[] = "CPU: ", dropped_key[] = "\ndropped events: ";
    char *text = take_text(cursor);
    const char *dropped = text != NULL ? strstr(text, dropped_key) : NULL;
    if (text != NULL && strncmp(text, "\nBuffer:", 8) == 0)
        file->in_instance_stats = true;
    if (dropped != NULL && !file->in_instance_stats && strncmp(text, cpu_key, sizeof cpu_key - 1u) == 0) {
        unsigned long cpu = strtoul(text + sizeof cpu_key - 1u, NULL, 10);
        if (cpu < TRACE_CPUS_COUNTED)
            file->dropped[cpu] = strtoull(dropped + sizeof dropped_key - 1u, NULL, 10);
    }
    heap_free(text);
}

/* Take the numbers that make ns of ticks. Numbers that trace-cmd could not use are damage. */
static void take_tsc(struct tracedat_file *file, struct cursor *cursor)
{
    uint64_t mult = cursor_number(cursor, 4), shift = cursor_number(cursor, 4);
    if (cursor->bad || mult == 0 || mult > INT32_MAX || shift > 32) {
        trace_damage(file->trace, cursor_place(cursor), 0, 0, "a clock of %" PRIu64 " >> %" PRIu64 " ns per tick", mult,
                     shift);
        return;
    }
    file->clock.mult = (uint32_t)mult;
    file->clock.shift = (uint32_t)shift;
    file->clock.has_tsc = true;
}

/* Take the description of the traced system. */
static void take_uname(struct tracedat_file *file, struct cursor *cursor)
{
    heap_free(file->uname);
    file->uname = take_text(cursor);
    /* It is shown in messages and written to other files, so what is not printable is replaced. */
    for (char *c = file->uname; c != NULL && *c != '\0'; c++)
        *c = *c >= ' ' && *c <= '~' ? *c : '_';
}

/* Take the name and version of the program that wrote the file. */
static void take_version(struct tracedat_file *file, struct cursor *cursor)
{
    char *text = take_text(cursor);
    if (text != NULL && strstr(text, TRACEDAT_LOWEST_FIRST) != NULL)
        file->order = TRACE_LOWEST_FIRST;
    else if (text != NULL && strstr(text, TRACEDAT_HIGHEST_FIRST) != NULL)
        file->order = TRACE_HIGHEST_FIRST;
    heap_free(text);
}

/* Take the content of any option. Options 16 to 21 say where the sections of these numbers are. */
static void take_option(struct tracedat_file *file, unsigned id, struct cursor *cursor)
{
    switch (id) {
    case TRACEDAT_OPTION_DATE:
        take_offset(file, cursor, 1000);
        break;
    case TRACEDAT_OPTION_CPUSTAT:
        take_cpu_stat(file, cursor);
        break;
    case TRACEDAT_OPTION_BUFFER:
        take_buffer(file, cursor);
        break;
    case TRACEDAT_OPTION_TRACECLOCK:
        take_clock(file, cursor);
        break;
    case TRACEDAT_OPTION_UNAME:
        take_uname(file, cursor);
        break;
    case TRACEDAT_OPTION_OFFSET:
        take_offset(file, cursor, 1);
        break;
    case TRACEDAT_OPTION_CPUCOUNT:
        take_cpu_count(file, cursor);
        break;
    case TRACEDAT_OPTION_VERSION:
        take_version(file, cursor);
        break;
    case TRACEDAT_OPTION_TIME_SHIFT:
        tracedat_clock_take_sync(&file->clock, cursor, &file->budget.memory);
        break;
    case TRACEDAT_OPTION_TSC2NSEC:
        take_tsc(file, cursor);
        break;
    case TRACEDAT_OPTION_TEXT:
        file->has_text = true;
        break;
    default:
        if (id >= TRACEDAT_SECTION_HEADERS && id <= TRACEDAT_SECTION_CMDLINES)
            file->table_at[id - TRACEDAT_SECTION_HEADERS] = cursor_number(cursor, 8);
        break;
    }
}

void tracedat_take_option(struct tracedat_file *file, unsigned id, struct cursor *cursor)
{
    uint64_t at = cursor_place(cursor);
    take_option(file, id, cursor);
    if (cursor->bad && !file->trace->failed)
        trace_damage(file->trace, at, 0, 0, "option %u is too short for what it says", id);
}

void tracedat_file_free(struct tracedat_file *file)
{
    tracedat_tables_free(&file->tables);
    tracedat_clock_free(&file->clock);
    for (unsigned i = 0; i < file->nbuffers; i++)
        heap_free(file->buffer[i].range);
    heap_free(file->buffer);
    sorted_set_free(&file->extents);
    heap_free(file->uname);
}
