/* instances.c - see instances.h. A temporary file has the events as they came, each with its CPU and followed by its
 * payload. Only the process that wrote it reads it, so the structs are written as the compiler lays them out. */
#define _POSIX_C_SOURCE 200809L

#include "formats/tracedat/write/instances.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/temp_file.h"
#include "formats/tracedat/write/layout.h"

/* An event in a temporary file. */
struct saved_event {
    unsigned cpu;
    struct trace_event event; /* its payload follows */
};

struct instance {
    FILE *temporary;           /* NULL: no event has come */
    uint64_t left;             /* events in the temporary file that were not read back */
    uint64_t begin, end;       /* offsets in the file: of the first page, behind the last one */
    struct tracedat_cpu *cpus; /* what became of the events; NULL until the pages are in the file */
};

struct tracedat_instances {
    struct trace *trace;
    const struct trace_options *options;
    int fd;
    unsigned ncpus;
    unsigned n;
    struct instance *instance;
    struct trace_batch batch; /* events that go to the top buffer; later, those of an instance that were read back */
};

struct tracedat_instances *tracedat_instances_open(struct trace *trace, const struct trace_options *options, int fd)
{
    struct tracedat_instances *instances = calloc(1, sizeof *instances);
    if (instances != NULL) {
        instances->instance = calloc(trace->ngroups + (size_t)1, sizeof *instances->instance);
        instances->trace = trace;
        instances->options = options;
        instances->fd = fd;
        instances->ncpus = trace->ncpus;
        instances->n = trace->ngroups;
    }
    if (instances != NULL && instances->instance != NULL)
        return instances;
    free(instances);
    trace_fail(trace, "no memory for the instances of trace.dat");
    return NULL;
}

void tracedat_instances_free(struct tracedat_instances *instances)
{
    if (instances == NULL)
        return;
    for (unsigned i = 0; i < instances->n; i++) {
        if (instances->instance[i].temporary != NULL)
            fclose(instances->instance[i].temporary);
        free(instances->instance[i].cpus);
    }
    free(instances->instance);
    free(instances);
}

/* ---- temporary files --------------------------------------------------------------------------------------------- */

/* A new temporary file; NULL after trace_fail(). */
static FILE *open_temporary(struct trace *trace)
{
    int fd = temp_file_open(trace, NULL);
    FILE *temporary = fd >= 0 ? fdopen(fd, "w+b") : NULL;
    if (temporary != NULL || fd < 0)
        return temporary;
    trace_fail(trace, "cannot make a temporary file in %s: %s", temp_file_directory(), strerror(errno));
    close(fd);
    return NULL;
}

/* Write an event to the temporary file of its group. 0, or -1 after trace_fail(). */
static int keep(struct tracedat_instances *instances, unsigned cpu, const struct trace_event *event)
{
    struct instance *instance = &instances->instance[event->group - 1u];
    struct saved_event saved;
    if (instance->temporary == NULL)
        instance->temporary = open_temporary(instances->trace);
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
    return trace_fail(instances->trace, "cannot write a temporary file: %s", strerror(errno));
}

int tracedat_instances_write(struct tracedat_instances *instances, struct tracedat_pages *pages, unsigned cpu,
                             const struct trace_batch *batch)
{
    struct trace_batch *top = &instances->batch;
    top->n = 0;
    for (size_t i = 0; i < batch->n; i++) { /* payloads stay in the caller's batch */
        if (batch->event[i].group == 0 || batch->event[i].group > instances->n)
            top->event[top->n++] = batch->event[i];
        else if (keep(instances, cpu, &batch->event[i]) != 0)
            return -1;
    }
    return top->n > 0 ? tracedat_pages_write(pages, cpu, top) : 0;
}

/* Read the next event without its payload, if there is one. False if it cannot be read. */
static bool read_event(struct instance *instance, struct saved_event *next)
{
    return instance->left == 0 || fread(next, sizeof *next, 1, instance->temporary) == 1;
}

/* Fill the batch with the next events of one CPU. *next is the first of them, and is set to the one behind them. False
 * if the temporary file ends before the events that were written to it do. */
static bool read_events(struct instance *instance, struct saved_event *next, struct trace_batch *batch)
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

/* Go back to the beginning of a temporary file. What the C library still holds is written now, which may fail as writes
 * before. */
static int rewind_temporary(struct tracedat_instances *instances, FILE *temporary)
{
    if (fflush(temporary) == 0 && fseek(temporary, 0, SEEK_SET) == 0)
        return 0;
    return trace_fail(instances->trace, "cannot write a temporary file: %s", strerror(errno));
}

/* The temporary file could not be read. Returns -1. */
static int fail_reading(struct tracedat_instances *instances, FILE *temporary)
{
    return trace_fail(instances->trace, "cannot read a temporary file: %s",
                      ferror(temporary) ? strerror(errno) : "it ends before the events do");
}

/* ---- pages ------------------------------------------------------------------------------------------------------- */

/* Read all events of an instance back and put them on pages. 0, or -1 after trace_fail(). */
static int replay(struct tracedat_instances *instances, struct instance *instance, struct tracedat_pages *pages)
{
    struct saved_event next;
    if (rewind_temporary(instances, instance->temporary) != 0)
        return -1;
    if (!read_event(instance, &next))
        return fail_reading(instances, instance->temporary);
    while (instance->left > 0) {
        unsigned cpu = next.cpu;
        if (!read_events(instance, &next, &instances->batch))
            return fail_reading(instances, instance->temporary);
        if (tracedat_pages_write(pages, cpu, &instances->batch) != 0)
            return -1;
    }
    return 0;
}

/* Bring the pages of an instance into the file, from instance->begin on. 0, or -1 after trace_fail(). */
static int write_pages(struct tracedat_instances *instances, struct instance *instance)
{
    struct tracedat_pages *pages =
        tracedat_pages_open(instances->trace, instances->options, instances->fd, instance->begin);
    int result;
    if (pages == NULL)
        return -1;
    result = replay(instances, instance, pages);
    if (result == 0)
        result = tracedat_pages_finish(pages, &instance->end);
    for (unsigned cpu = 0; result == 0 && cpu < instances->ncpus; cpu++)
        instance->cpus[cpu] = *tracedat_pages_cpu(pages, cpu);
    tracedat_pages_free(pages);
    return result;
}

int tracedat_instances_finish(struct tracedat_instances *instances, uint64_t *end)
{
    for (unsigned i = 0; i < instances->n; i++) {
        struct instance *instance = &instances->instance[i];
        /* One page is left free in front of the first one, for the header of the section. */
        instance->begin = instance->end = *end + tracedat_page_size(instances->options);
        instance->cpus = calloc(instances->ncpus + (size_t)1, sizeof *instance->cpus);
        if (instance->cpus == NULL)
            return trace_fail(instances->trace, "no memory for the instances of trace.dat");
        if (instance->temporary != NULL && write_pages(instances, instance) != 0)
            return -1;
        *end = instance->end;
    }
    return 0;
}

uint64_t tracedat_instances_begin(const struct tracedat_instances *instances, unsigned group)
{
    return instances->instance[group].begin;
}

uint64_t tracedat_instances_end(const struct tracedat_instances *instances, unsigned group)
{
    return instances->instance[group].end;
}

const struct tracedat_cpu *tracedat_instances_cpu(const struct tracedat_instances *instances, unsigned group,
                                                  unsigned cpu)
{
    return &instances->instance[group].cpus[cpu];
}
