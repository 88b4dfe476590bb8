/* options.c - see options.h. */
#include "formats/tracedat/read/options.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_SIZE_MAX = 65536 }; /* bytes of an option that is a text */

/* ---- buffers ----------------------------------------------------------------------------------------------------- */

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

/* Where a buffer's section is and its name; in version 7 also its clock, the size of its pages, and the CPUs. The size
 * is heeded for instances only: trace-cmd takes that of the prologue for the top buffer. */
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

/* ---- numbers and texts ------------------------------------------------------------------------------------------- */

/* The rest of the option as a text, which the caller frees; NULL, and the cursor is bad, if there is no memory. */
static char *take_text(struct cursor *cursor)
{
    return cursor_copy(cursor, cursor_left(cursor), TEXT_SIZE_MAX);
}

/* A number, as text, of units of so many ns. It is added to every time. */
static void take_offset(struct tracedat_file *file, struct cursor *cursor, uint64_t unit)
{
    char *text = take_text(cursor);
    if (text != NULL)
        file->clock.offset += (uint64_t)strtoll(text, NULL, 0) * unit;
    free(text);
}

/* The clocks of the traced system, the one that was used in brackets. In version 6 the option may be empty: it then
 * says that the text stands behind the table of pages. */
static void take_clock(struct tracedat_file *file, struct cursor *cursor)
{
    char *text = cursor_left(cursor) > 0 ? take_text(cursor) : NULL;
    file->clock.named_later = file->version == 6;
    if (text != NULL && text[0] != '\0') {
        tracedat_clock_set_name(&file->clock, text);
        file->clock.named = true;
    }
    free(text);
}

/* The number of CPUs of the traced system, which may be more than have pages. */
static void take_cpu_count(struct tracedat_file *file, struct cursor *cursor)
{
    uint64_t count = cursor_number(cursor, 4);
    if (cursor->bad || count > TRACEDAT_CPUS_MAX)
        trace_damage(file->trace, cursor_place(cursor), 0, 0, "a count of %" PRIu64 " CPUs", count);
    else
        file->cpu_count = (unsigned)count;
}

/* The counts of a CPU, as text. How many events were lost is known from the marks on pages. Only here it is told how
 * many of them were dropped because they found no room; all others were overwritten. Counts of an instance follow a
 * text that names it. */
static void take_cpu_stat(struct tracedat_file *file, struct cursor *cursor)
{
    static const char cpu_key[] = "CPU: ", dropped_key[] = "\ndropped events: ";
    char *text = take_text(cursor);
    const char *dropped = text != NULL ? strstr(text, dropped_key) : NULL;
    if (text != NULL && strncmp(text, "\nBuffer:", 8) == 0)
        file->other_stat = true;
    if (dropped != NULL && !file->other_stat && strncmp(text, cpu_key, sizeof cpu_key - 1u) == 0) {
        unsigned long cpu = strtoul(text + sizeof cpu_key - 1u, NULL, 10);
        if (cpu < TRACE_CPUS_COUNTED)
            file->dropped[cpu] = strtoull(dropped + sizeof dropped_key - 1u, NULL, 10);
    }
    free(text);
}

/* How to make ns of ticks. Numbers that trace-cmd could not use are damage. */
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

/* What describes the traced system. */
static void take_uname(struct tracedat_file *file, struct cursor *cursor)
{
    free(file->uname);
    file->uname = take_text(cursor);
    /* It is shown in messages and written to other files, so what is not printable is replaced. */
    for (char *c = file->uname; c != NULL && *c != '\0'; c++)
        *c = *c >= ' ' && *c <= '~' ? *c : '_';
}

/* The options 16 to 21 say where the sections of these numbers are. */
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
