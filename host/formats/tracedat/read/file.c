/* file.c - see file.h. */
#include "formats/tracedat/read/file.h"

#include "base/sort.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFERS_MAX = 1024 };

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

static int cpu_order(const void *range, const void *cpu)
{
    unsigned left = ((const struct tracedat_range *)range)->cpu, right = *(const unsigned *)cpu;
    return (left > right) - (left < right);
}

/* Index of the CPU's range, or where it belongs: mostly that is the end. */
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
    more = realloc(buffer->range, room * sizeof *more);
    if (more == NULL) {
        trace_fail(file->trace, "%s: no memory for %u CPUs", file->trace->input_name, room);
        return false;
    }
    buffer->range = more;
    buffer->range_room = room;
    return true;
}

/* Add a range of a CPU that has none. A buffer has few, so they may be moved. False after trace_fail(). */
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

/* Whether there may be pages of that CPU beside those that there are. */
static bool is_plausible(const struct tracedat_file *file, unsigned cpu)
{
    uint64_t cpus = TRACEDAT_CPUS + input_size(file->in) / TRACEDAT_BYTES_PER_CPU;
    return file->nranges < TRACEDAT_RANGES_MAX && (file->has_pages[cpu] || file->ncpus < cpus);
}

/* Add the pages of a CPU if they can be. False after trace_fail(). */
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

void tracedat_file_free(struct tracedat_file *file)
{
    tracedat_tables_free(&file->tables);
    tracedat_clock_free(&file->clock);
    for (unsigned i = 0; i < file->nbuffers; i++)
        free(file->buffer[i].range);
    free(file->buffer);
    sorted_set_free(&file->extents);
    free(file->uname);
}
