/* split.c - see split.h. A spool has the events as they came, each with its CPU and its payload; it is
 * read by the process that wrote it, so the form is the compiler's. */
#define _POSIX_C_SOURCE 200809L

#include "tracedat/write/split.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/spool.h"
#include "tracedat/write/file.h"

struct spooled {
    unsigned cpu;
    struct trace_event event; /* its payload follows */
};

struct instance {
    FILE *spool;   /* NULL: no event has come */
    uint64_t left; /* events in it that were not read back */
    uint64_t begin, end;
    struct tracedat_cpu *cpus;
};

struct tracedat_split {
    struct trace *trace;
    const struct trace_options *options;
    int fd;
    unsigned ncpus;
    unsigned n;
    struct instance *instances;
    struct trace_batch batch; /* events of one instance, or of none */
};

struct tracedat_split *tracedat_split_open(struct trace *trace, const struct trace_options *options, int fd)
{
    struct tracedat_split *split = calloc(1, sizeof *split);

    if (split) {
        split->instances = calloc(trace->ngroups + (size_t)1, sizeof *split->instances);
        split->trace = trace;
        split->options = options;
        split->fd = fd;
        split->ncpus = trace->ncpus;
        split->n = trace->ngroups;
    }
    if (split && split->instances)
        return split;
    free(split);
    trace_fail(trace, "no memory for the instances of trace.dat");
    return NULL;
}

void tracedat_split_free(struct tracedat_split *split)
{
    if (!split)
        return;
    for (unsigned i = 0; i < split->n; i++) {
        if (split->instances[i].spool)
            fclose(split->instances[i].spool);
        free(split->instances[i].cpus);
    }
    free(split->instances);
    free(split);
}

/* ---- spools ------------------------------------------------------------------------------------------------------ */

static FILE *open_spool(struct trace *trace)
{
    int fd = spool_open(trace, NULL);
    FILE *spool = fd >= 0 ? fdopen(fd, "w+b") : NULL;

    if (spool != NULL || fd < 0)
        return spool;
    trace_fail(trace, "cannot make a temporary file in %s: %s", spool_directory(), strerror(errno));
    close(fd);
    return NULL;
}

static int keep(struct tracedat_split *split, unsigned cpu, const struct trace_event *event)
{
    struct instance *instance = &split->instances[event->group - 1u];
    struct spooled spooled;

    if (!instance->spool)
        instance->spool = open_spool(split->trace);
    if (!instance->spool)
        return -1;
    memset(&spooled, 0, sizeof spooled);
    spooled.cpu = cpu;
    spooled.event = *event;
    if (fwrite(&spooled, sizeof spooled, 1, instance->spool) == 1
        && (event->size == 0 || fwrite(event->data, event->size, 1, instance->spool) == 1)) {
        instance->left++;
        return 0;
    }
    return trace_fail(split->trace, "cannot write a temporary file: %s", strerror(errno));
}

int tracedat_split_write(struct tracedat_split *split, struct tracedat_pages *pages, unsigned cpu,
                         const struct trace_batch *batch)
{
    struct trace_batch *top = &split->batch;

    top->n = 0;
    for (size_t i = 0; i < batch->n; i++) {
        if (batch->event[i].group == 0 || batch->event[i].group > split->n)
            top->event[top->n++] = batch->event[i];
        else if (keep(split, cpu, &batch->event[i]))
            return -1;
    }
    return top->n > 0 ? tracedat_pages_write(pages, cpu, top) : 0;
}

/* Whether the next event's head could be read, where there is one. */
static bool fetch_head(struct instance *instance, struct spooled *next)
{
    return instance->left == 0 || fread(next, sizeof *next, 1, instance->spool) == 1;
}

/* The next events of one CPU from a spool, of which *next is the first and becomes the one behind them. False if the spool
 * ends before the events that were written to it do. */
static bool fetch(struct instance *instance, struct spooled *next, struct trace_batch *batch)
{
    unsigned cpu = next->cpu;
    unsigned char *data;

    batch->n = batch->used = 0;
    while (instance->left > 0 && next->cpu == cpu && (data = trace_batch_room(batch, next->event.size)) != NULL) {
        if (next->event.size > 0 && fread(data, next->event.size, 1, instance->spool) != 1)
            return false;
        next->event.data = data;
        batch->event[batch->n++] = next->event;
        instance->left--;
        if (!fetch_head(instance, next))
            return false;
    }
    return true;
}

/* Go back to the beginning. What is still buffered is written now, and that may be what no longer fits. */
static int turn_back(struct tracedat_split *split, FILE *spool)
{
    if (fflush(spool) == 0 && fseek(spool, 0, SEEK_SET) == 0)
        return 0;
    return trace_fail(split->trace, "cannot write a temporary file: %s", strerror(errno));
}

static int not_read(struct tracedat_split *split, FILE *spool)
{
    return trace_fail(split->trace, "cannot read a temporary file: %s",
                      ferror(spool) ? strerror(errno) : "it ends before the events do");
}

/* ---- pages ------------------------------------------------------------------------------------------------------- */

static int replay(struct tracedat_split *split, struct instance *instance, struct tracedat_pages *pages)
{
    struct spooled next;

    if (turn_back(split, instance->spool))
        return -1;
    if (!fetch_head(instance, &next))
        return not_read(split, instance->spool);
    while (instance->left > 0) {
        unsigned cpu = next.cpu;

        if (!fetch(instance, &next, &split->batch))
            return not_read(split, instance->spool);
        if (tracedat_pages_write(pages, cpu, &split->batch))
            return -1;
    }
    return 0;
}

static int write_pages(struct tracedat_split *split, struct instance *instance)
{
    struct tracedat_pages *pages = tracedat_pages_open(split->trace, split->options, split->fd, instance->begin);
    int result;

    if (!pages)
        return -1;
    result = replay(split, instance, pages);
    if (result == 0)
        result = tracedat_pages_finish(pages, &instance->end);
    for (unsigned cpu = 0; result == 0 && cpu < split->ncpus; cpu++)
        instance->cpus[cpu] = *tracedat_pages_cpu(pages, cpu);
    tracedat_pages_free(pages);
    return result;
}

int tracedat_split_finish(struct tracedat_split *split, uint64_t *end)
{
    for (unsigned i = 0; i < split->n; i++) {
        struct instance *instance = &split->instances[i];

        instance->begin = instance->end = *end + dat_page_size(split->options);
        instance->cpus = calloc(split->ncpus + (size_t)1, sizeof *instance->cpus);
        if (!instance->cpus)
            return trace_fail(split->trace, "no memory for the instances of trace.dat");
        if (instance->spool && write_pages(split, instance))
            return -1;
        *end = instance->end;
    }
    return 0;
}

uint64_t tracedat_split_begin(const struct tracedat_split *split, unsigned group)
{
    return split->instances[group].begin;
}

uint64_t tracedat_split_end(const struct tracedat_split *split, unsigned group)
{
    return split->instances[group].end;
}

const struct tracedat_cpu *tracedat_split_cpu(const struct tracedat_split *split, unsigned group, unsigned cpu)
{
    return &split->instances[group].cpus[cpu];
}
