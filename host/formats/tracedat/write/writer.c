/* writer.c - see writer.h. */

#include "formats/tracedat/write/writer.h"

#include "base/heap.h"

#include <errno.h>
#include <string.h>

#include "io/temp_file.h"
#include "io/write_behind.h"
#include "formats/tracedat/write/layout.h"
#include "os/os_file.h"

enum {
    MORE_ROOM = 16384,   /* bytes for names and types that come later, beside a quarter of what is known */
    ROOM_PER_CPU = 512,  /* bytes for its counts and its place */
    MOVE_SIZE = 1 << 20, /* bytes that are moved at once */
};

/* An event in the temporary file of an instance. Only the process that wrote the file reads it, so the struct is
 * written as the compiler lays it out. */
struct saved_event {
    unsigned cpu;
    struct tlog_event event; /* its payload follows */
};

/* ---- the file ---------------------------------------------------------------------------------------------------- */

/* Make an instance for every group that the trace has now. False after trace_fail(). */
static bool make_instances(struct tracedat_writer *writer)
{
    writer->instance = heap_calloc(writer->trace->ngroups + (size_t)1, sizeof *writer->instance);
    if (writer->instance == NULL)
        return trace_fail(writer->trace, "no memory for the instances of trace.dat") == 0;
    writer->ninstances = writer->trace->ngroups;
    return true;
}

struct tracedat_writer *tracedat_writer_open(struct trace *trace, const struct trace_options *options, int fd,
                                             uint64_t offset)
{
    /* Without a frequency ticks cannot become ns, which the time of day is counted in. */
    bool timeless = (options->given & TRACE_OPTION_START_TIME) && trace->clock_hz == 0;
    struct tracedat_writer *writer = timeless ? NULL : heap_calloc(1, sizeof *writer);
    if (timeless)
        trace_fail(trace, "the clock's frequency is not known, so --start-time has no meaning; --clock-hz=N tells it");
    if (writer == NULL) {
        trace_fail(trace, "no memory for writing trace.dat");
        return NULL;
    }
    writer->trace = trace;
    writer->options = options;
    writer->fd = fd;
    writer->ncpus = trace->ncpus;
    writer->piece.big_endian = options->big_endian;
    if (offset == 0) /* the file has text in the place of pages */
        return writer;
    writer->pages = tracedat_pages_open(trace, options, fd, offset);
    if (writer->pages != NULL && (!options->instances || make_instances(writer)))
        return writer;
    tracedat_writer_free(writer);
    return NULL;
}

void tracedat_writer_free(struct tracedat_writer *writer)
{
    for (unsigned i = 0; i < writer->ninstances; i++) {
        if (writer->instance[i].temporary != NULL)
            fclose(writer->instance[i].temporary);
        heap_free(writer->instance[i].cpus);
    }
    heap_free(writer->instance);
    if (writer->pages != NULL)
        tracedat_pages_free(writer->pages);
    heap_free(writer->piece.bytes);
    heap_free(writer);
}

int tracedat_writer_put(struct tracedat_writer *writer, const void *bytes, size_t size, uint64_t offset)
{
    int error = os_write_at(writer->fd, bytes, size, offset);
    return error != 0 ? trace_fail(writer->trace, "cannot write: %s", strerror(error)) : 0;
}

uint64_t tracedat_head_room(const struct trace *trace, const struct trace_options *options, uint64_t size)
{
    return tracedat_whole_pages(options, size + size / 4 + MORE_ROOM + trace->ncpus * (uint64_t)ROOM_PER_CPU);
}

/* ---- events of instances: kept, and read back -------------------------------------------------------------------- */

/* A new temporary file; NULL after trace_fail(). */
static FILE *open_temporary(struct trace *trace)
{
    int fd = temp_file_open(trace, NULL);
    FILE *temporary = fd >= 0 ? os_stream(fd, "w+b") : NULL;
    if (fd >= 0 && temporary == NULL)
        trace_fail(trace, "cannot make a temporary file in %s: %s", os_temporary_directory(), strerror(errno));
    if (fd >= 0)
        os_close(fd);
    return temporary;
}

/* Write an event to the temporary file of its instance. 0, or -1 after trace_fail(). */
static int keep(struct tracedat_writer *writer, unsigned cpu, const struct tlog_event *event)
{
    struct tracedat_instance *instance = &writer->instance[event->group - 1u];
    struct saved_event saved;
    if (instance->temporary == NULL)
        instance->temporary = open_temporary(writer->trace);
    if (instance->temporary == NULL)
        return -1;
    memset(&saved, 0, sizeof saved); /* the bytes between members are written, too */
    saved.cpu = cpu;
    saved.event = *event;
    if (fwrite(&saved, sizeof saved, 1, instance->temporary) == 1
        && (event->size == 0 || fwrite(event->data, event->size, 1, instance->temporary) == 1)) {
        instance->left++;
        return 0;
    }
    return trace_fail(writer->trace, "cannot write a temporary file: %s", strerror(errno));
}

int tracedat_writer_write(void *state, unsigned cpu, const struct trace_batch *batch)
{
    struct tracedat_writer *writer = state;
    struct trace_batch *top = &writer->batch;
    if (writer->ninstances == 0)
        return tracedat_pages_write(writer->pages, cpu, batch);
    top->n = 0;
    for (size_t i = 0; i < batch->n; i++) { /* payloads stay in the caller's batch */
        if (batch->event[i].group == 0 || batch->event[i].group > writer->ninstances)
            top->event[top->n++] = batch->event[i];
        else if (keep(writer, cpu, &batch->event[i]) != 0)
            return -1;
    }
    return top->n > 0 ? tracedat_pages_write(writer->pages, cpu, top) : 0;
}

/* Read the next event without its payload, if there is one. False if it cannot be read. */
static bool read_event(struct tracedat_instance *instance, struct saved_event *next)
{
    return instance->left == 0 || fread(next, sizeof *next, 1, instance->temporary) == 1;
}

/* Fill the batch with the next events of one CPU. *next is the first of them; it becomes the one behind them. False if
 * the temporary file ends too early. */
static bool read_events(struct tracedat_instance *instance, struct saved_event *next, struct trace_batch *batch)
{
    unsigned cpu = next->cpu;
    unsigned char *data;
    batch->n = batch->used = 0;
    while (instance->left > 0 && next->cpu == cpu && (data = trace_batch_room(batch, next->event.size)) != NULL) {
        if (next->event.size > 0 && fread(data, next->event.size, 1, instance->temporary) != 1)
            return false;
        next->event.data = data;
        batch->event[batch->n++] = next->event;
        instance->left--;
        if (!read_event(instance, next))
            return false;
    }
    return true;
}

/* Go back to the beginning of a temporary file. The C library writes what it still holds, which may fail. 0, or -1
 * after trace_fail(). */
static int rewind_temporary(struct tracedat_writer *writer, FILE *temporary)
{
    if (fflush(temporary) == 0 && fseek(temporary, 0, SEEK_SET) == 0)
        return 0;
    return trace_fail(writer->trace, "cannot write a temporary file: %s", strerror(errno));
}

/* Tell why a temporary file could not be read. Returns -1. */
static int fail_reading(struct tracedat_writer *writer, FILE *temporary)
{
    return trace_fail(writer->trace, "cannot read a temporary file: %s",
                      ferror(temporary) ? strerror(errno) : "it ends before the events do");
}

/* ---- pages ------------------------------------------------------------------------------------------------------- */

/* Read all events of an instance back and put them on pages. 0, or -1 after trace_fail(). */
static int replay(struct tracedat_writer *writer, struct tracedat_instance *instance, struct tracedat_pages *pages)
{
    struct saved_event next;
    if (rewind_temporary(writer, instance->temporary) != 0)
        return -1;
    if (!read_event(instance, &next))
        return fail_reading(writer, instance->temporary);
    while (instance->left > 0) {
        unsigned cpu = next.cpu;
        if (!read_events(instance, &next, &writer->batch))
            return fail_reading(writer, instance->temporary);
        if (tracedat_pages_write(pages, cpu, &writer->batch) != 0)
            return -1;
    }
    return 0;
}

/* Bring the pages of an instance into the file, from instance->begin on. 0, or -1 after trace_fail(). */
static int write_pages(struct tracedat_writer *writer, struct tracedat_instance *instance)
{
    struct tracedat_pages *pages = tracedat_pages_open(writer->trace, writer->options, writer->fd, instance->begin);
    int result;
    if (pages == NULL)
        return -1;
    result = replay(writer, instance, pages);
    if (result == 0)
        result = tracedat_pages_finish(pages, &instance->end);
    for (unsigned cpu = 0; result == 0 && cpu < writer->ncpus; cpu++)
        instance->cpus[cpu] = *tracedat_pages_cpu(pages, cpu);
    tracedat_pages_free(pages);
    return result;
}

int tracedat_writer_finish_pages(struct tracedat_writer *writer, uint64_t *top, uint64_t *end)
{
    if (tracedat_pages_finish(writer->pages, top) != 0)
        return -1;
    *end = *top;
    for (unsigned i = 0; i < writer->ninstances; i++) {
        struct tracedat_instance *instance = &writer->instance[i];
        /* One page is left free in front of the first one, for the header of the section. */
        instance->begin = instance->end = *end + tracedat_page_size(writer->options);
        instance->cpus = heap_calloc(writer->ncpus + (size_t)1, sizeof *instance->cpus);
        if (instance->cpus == NULL)
            return trace_fail(writer->trace, "no memory for the instances of trace.dat");
        if (instance->temporary != NULL && write_pages(writer, instance) != 0)
            return -1;
        *end = instance->end;
    }
    return 0;
}

/* ---- moving ------------------------------------------------------------------------------------------------------ */

/* Read exactly size bytes of the file, which were written before. 0, or -1 after trace_fail(). */
static int read_back(struct tracedat_writer *writer, unsigned char *to, size_t size, uint64_t offset)
{
    int error;
    if (os_read_at(writer->fd, offset, to, size, &error) == size)
        return 0;
    return trace_fail(writer->trace, "cannot read back: %s", error != 0 ? strerror(error) : "the file is shorter");
}

/* The last bytes are moved first, because old and new places overlap. */
int tracedat_writer_move(struct tracedat_writer *writer, uint64_t first, uint64_t end, uint64_t shift)
{
    unsigned char *memory = heap_alloc(MOVE_SIZE);
    int result = memory != NULL ? 0 : trace_fail(writer->trace, "no memory for moving pages");
    while (result == 0 && end > first) {
        size_t size = end - first < MOVE_SIZE ? (size_t)(end - first) : MOVE_SIZE;
        end -= size;
        result = read_back(writer, memory, size, end);
        if (result == 0)
            result = tracedat_writer_put(writer, memory, size, end + shift);
    }
    heap_free(memory);
    return result;
}
