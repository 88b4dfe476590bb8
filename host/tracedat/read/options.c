/* options.c - what the options of a trace.dat file say about buffers, CPUs and times: see tracedat/read/file.h.
 *
 * Options that neither place nor time an event are left alone: they describe the recording.
 */
#include "tracedat/read/file.h"
#include "tracedat/ids.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TEXT_MAX = 65536,
    BUFFERS_MAX = 1024,
};

/* ---- buffers ----------------------------------------------------------------------------------------------------- */

struct td_buffer *tdfile_add_buffer(struct tdfile *file, const char *name)
{
    struct td_buffer *more = NULL, *buffer;

    if (file->nbuffers < BUFFERS_MAX)
        more = realloc(file->buffer, (file->nbuffers + 1u) * sizeof *more);
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

static bool grow_ranges(struct tdfile *file, struct td_buffer *buffer, unsigned ncpus)
{
    struct td_range *more;

    if (ncpus <= buffer->ncpus)
        return true;
    more = realloc(buffer->cpu, ncpus * sizeof *more);
    if (more == NULL) {
        trace_fail(file->trace, "%s: no memory for %u CPUs", file->trace->input_name, ncpus);
        return false;
    }
    memset(more + buffer->ncpus, 0, (ncpus - buffer->ncpus) * sizeof *more);
    buffer->cpu = more;
    buffer->ncpus = ncpus;
    return true;
}

bool tdfile_set_range(struct tdfile *file, struct td_buffer *buffer, uint64_t cpu, uint64_t offset, uint64_t size)
{
    uint64_t end = input_size(file->in);

    if (cpu >= TDFILE_CPUS_MAX) {
        trace_damage(file->trace, offset, size, 0, "pages of CPU %" PRIu64 ": there are never so many", cpu);
        return true;
    }
    if (!grow_ranges(file, buffer, (unsigned)cpu + 1u))
        return false;
    if (size == 0)
        return true;
    if (offset >= end || size > end - offset) {
        uint64_t there = offset < end ? end - offset : 0;

        trace_damage(file->trace, offset, 0, 0,
                     "CPU %" PRIu64 " has %" PRIu64 " bytes of pages, but only %" PRIu64 " are in the file", cpu, size,
                     there);
        size = there;
    }
    if (size > 0 && tdfile_claim(file, offset, size, "pages of a CPU"))
        buffer->cpu[cpu] = (struct td_range){offset, size};
    return !file->trace->failed;
}

static struct td_buffer *find_buffer(const struct tdfile *file, const char *name)
{
    for (unsigned i = 0; i < file->nbuffers; i++) {
        if (strcmp(file->buffer[i].name, name) == 0)
            return &file->buffer[i];
    }
    return NULL;
}

static void take_cpus(struct tdfile *file, struct cursor *cursor, struct td_buffer *buffer)
{
    uint64_t count = cursor_number(cursor, 4);

    for (uint64_t i = 0; i < count; i++) {
        uint64_t cpu = cursor_number(cursor, 4), offset = cursor_number(cursor, 8), size = cursor_number(cursor, 8);

        if (cursor->bad || !tdfile_set_range(file, buffer, cpu, offset, size))
            return;
    }
}

/* The size of a page is that of the prologue for the top buffer, as trace-cmd has it. */
static void take_buffer(struct tdfile *file, struct cursor *cursor)
{
    uint64_t section = cursor_number(cursor, 8), page_size;
    char name[64], clock[64];
    struct td_buffer *buffer;

    if (!cursor_string(cursor, name, sizeof name))
        return;
    if (find_buffer(file, name) != NULL) {
        trace_damage(file->trace, cursor_place(cursor), 0, 0, "a second buffer of the same name");
        return;
    }
    buffer = tdfile_add_buffer(file, name);
    if (buffer == NULL)
        return;
    buffer->section = section;
    if (file->version == 6)
        return;
    cursor_string(cursor, clock, sizeof clock);
    page_size = cursor_number(cursor, 4);
    if (name[0] == '\0' && !file->clock.named)
        td_clock_name(&file->clock, clock);
    if (name[0] != '\0' && page_size >= 64u && page_size <= TDFILE_PAGE_MAX && (page_size & (page_size - 1u)) == 0)
        buffer->page_size = (uint32_t)page_size;
    take_cpus(file, cursor, buffer);
}

/* ---- numbers and texts ------------------------------------------------------------------------------------------- */

static char *take_text(struct cursor *cursor)
{
    return cursor_copy(cursor, cursor->end - cursor->at, TEXT_MAX);
}

/* Nanoseconds, or units of so many of them, that are added to every time. */
static void take_offset(struct tdfile *file, struct cursor *cursor, uint64_t unit)
{
    char *text = take_text(cursor);

    if (text != NULL)
        file->clock.offset += (uint64_t)strtoll(text, NULL, 0) * unit;
    free(text);
}

static void take_clock(struct tdfile *file, struct cursor *cursor)
{
    char *text = cursor->at < cursor->end ? take_text(cursor) : NULL;

    file->clock.named_later = file->version == 6;
    if (text != NULL && text[0] != '\0') {
        td_clock_name(&file->clock, text);
        file->clock.named = true;
    }
    free(text);
}

static void take_cpu_count(struct tdfile *file, struct cursor *cursor)
{
    uint64_t count = cursor_number(cursor, 4);

    if (cursor->bad || count > TDFILE_CPUS_MAX)
        trace_damage(file->trace, cursor_place(cursor), 0, 0, "a count of %" PRIu64 " CPUs", count);
    else
        file->cpu_count = (unsigned)count;
}

/* What was lost is told by marks; only here is told which of it found no room. */
static void take_cpu_stat(struct tdfile *file, struct cursor *cursor)
{
    static const char cpu_key[] = "CPU: ", dropped_key[] = "\ndropped events: ";
    char *text = take_text(cursor);
    const char *dropped = text ? strstr(text, dropped_key) : NULL;

    if (text != NULL && strncmp(text, "\nBuffer:", 8) == 0)
        file->other_stat = true;
    if (dropped != NULL && !file->other_stat && strncmp(text, cpu_key, sizeof cpu_key - 1u) == 0) {
        unsigned long cpu = strtoul(text + sizeof cpu_key - 1u, NULL, 10);

        if (cpu < TRACE_CPUS_COUNTED)
            file->dropped[cpu] = strtoull(dropped + sizeof dropped_key - 1u, NULL, 10);
    }
    free(text);
}

static void take_tsc(struct tdfile *file, struct cursor *cursor)
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

static void take_uname(struct tdfile *file, struct cursor *cursor)
{
    free(file->uname);
    file->uname = take_text(cursor);
    for (char *c = file->uname; c != NULL && *c != '\0'; c++)
        *c = *c >= ' ' && *c <= '~' ? *c : '_';
}

static void take_option(struct tdfile *file, unsigned id, struct cursor *cursor)
{
    switch (id) {
    case OPTION_DATE:
        take_offset(file, cursor, 1000);
        break;
    case OPTION_CPUSTAT:
        take_cpu_stat(file, cursor);
        break;
    case OPTION_BUFFER:
        take_buffer(file, cursor);
        break;
    case OPTION_TRACECLOCK:
        take_clock(file, cursor);
        break;
    case OPTION_UNAME:
        take_uname(file, cursor);
        break;
    case OPTION_OFFSET:
        take_offset(file, cursor, 1);
        break;
    case OPTION_CPUCOUNT:
        take_cpu_count(file, cursor);
        break;
    case OPTION_TIME_SHIFT:
        td_clock_sync(&file->clock, cursor);
        break;
    case OPTION_TSC2NSEC:
        take_tsc(file, cursor);
        break;
    case OPTION_TEXT:
        file->has_text = true;
        break;
    default:
        if (id >= SECTION_HEADERS && id <= SECTION_CMDLINES)
            file->section[id - SECTION_HEADERS] = cursor_number(cursor, 8);
        break;
    }
}

void tdfile_option(struct tdfile *file, unsigned id, struct cursor *cursor)
{
    uint64_t at = cursor_place(cursor);

    take_option(file, id, cursor);
    if (cursor->bad && !file->trace->failed)
        trace_damage(file->trace, at, 0, 0, "option %u is too short for what it says", id);
}
