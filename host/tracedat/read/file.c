/* file.c - see file.h. */
#include "tracedat/read/file.h"

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

bool tracedat_file_claim(struct tracedat_file *file, uint64_t from, uint64_t size, const char *what)
{
    uint64_t end = size <= UINT64_MAX - from ? from + size : UINT64_MAX; /* both may be any number */
    struct tracedat_extent *more;
    /* There are few: one for each section, and one for each CPU with pages. */
    for (size_t i = 0; i < file->nextents; i++) {
        const struct tracedat_extent *other = &file->extent[i];
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
    file->extent[file->nextents++] = (struct tracedat_extent){from, end, what};
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

/* Make room for the ranges of that many CPUs. */
static bool grow_ranges(struct tracedat_file *file, struct tracedat_buffer *buffer, unsigned ncpus)
{
    struct tracedat_range *more;
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

bool tracedat_file_set_range(struct tracedat_file *file, struct tracedat_buffer *buffer, uint64_t cpu, uint64_t offset,
                             uint64_t size)
{
    uint64_t end = input_size(file->in);
    if (cpu >= TRACEDAT_CPUS_MAX) {
        trace_damage(file->trace, offset, size, 0, "pages of CPU %" PRIu64 ": there are never so many", cpu);
        return true;
    }
    if (!grow_ranges(file, buffer, (unsigned)cpu + 1u))
        return false;
    if (size == 0) /* the CPU had no events; offset may be anything */
        return true;
    if (offset >= end || size > end - offset) {
        uint64_t there = offset < end ? end - offset : 0;
        trace_damage(file->trace, offset, 0, 0,
                     "CPU %" PRIu64 " has %" PRIu64 " bytes of pages, but only %" PRIu64 " are in the file", cpu, size,
                     there);
        size = there; /* the pages that are there are read */
    }
    if (size > 0 && tracedat_file_claim(file, offset, size, "pages of a CPU"))
        buffer->cpu[cpu] = (struct tracedat_range){offset, size};
    return !file->trace->failed;
}

void tracedat_file_free(struct tracedat_file *file)
{
    tracedat_tables_free(&file->tables);
    tracedat_clock_free(&file->clock);
    for (unsigned i = 0; i < file->nbuffers; i++)
        free(file->buffer[i].cpu);
    free(file->buffer);
    free(file->extent);
    free(file->uname);
}
