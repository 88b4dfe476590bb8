/* merge.c - see merge.h. */
#include "decode/merge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct merge_part {
    struct source *source;
    unsigned first_cpu; /* in the trace, of the source's */
    unsigned naming;    /* of the source, up to which names are in the trace */
    unsigned ntypes;    /* of the source that have a number in the trace */
    uint16_t type[TRACE_TYPES_MAX];
    uint16_t first_group; /* what is added to the number of a group */
};

void merge_name_tasks(struct source *source, unsigned n)
{
    source->trace.task_base = n * MERGE_TASKS;
    snprintf(source->trace.task_prefix, sizeof source->trace.task_prefix, "%u:", n + 1);
}

/* ---- types ------------------------------------------------------------------------------------------------------- */

static bool same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool same_type(const struct trace_type *a, const struct trace_type *b)
{
    if (a->class != b->class || a->size != b->size || a->nfields != b->nfields || strcmp(a->name, b->name) != 0
        || strcmp(a->system, b->system) != 0 || !same_text(a->print, b->print))
        return false;
    for (unsigned i = 0; i < a->nfields; i++) {
        const struct trace_field *x = &a->fields[i], *y = &b->fields[i];

        if (strcmp(x->name, y->name) != 0 || x->kind != y->kind || x->offset != y->offset || x->size != y->size)
            return false;
    }
    return true;
}

/* The number of a type like that; declares it when there is none. */
static uint16_t type_like(struct trace *trace, const struct trace_type *type)
{
    for (unsigned i = 0; i < trace->ntypes; i++) {
        if (trace->types[i] == type || same_type(trace->types[i], type))
            return (uint16_t)i;
    }
    return trace_type(trace, type);
}

static void learn_types(struct merge *merge, struct merge_part *part)
{
    const struct trace *from = &part->source->trace;

    for (; part->ntypes < from->ntypes; part->ntypes++)
        part->type[part->ntypes] = type_like(merge->trace, from->types[part->ntypes]);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

struct naming {
    struct trace *to;
    enum trace_name_kind kind;
    uint32_t base; /* added to the number of a task */
};

static void take_name(void *ctx, uint32_t id, const char *name)
{
    const struct naming *naming = ctx;

    trace_set_name(naming->to, naming->kind, id == 0 ? 0 : id + naming->base, name);
}

/* What interrupt 5 or mutex 7 is, every board has its own answer; the trace has the first one's. */
static void learn_names(struct merge *merge, struct merge_part *part)
{
    const struct trace *from = &part->source->trace;
    struct naming naming = {merge->trace, TRACE_NAME_TASK, from->task_base};

    if (part->naming == from->naming)
        return;
    part->naming = from->naming;
    trace_each_name(from, TRACE_NAME_TASK, take_name, &naming);
    naming.base = 0;
    for (unsigned kind = TRACE_NAME_TASK + 1u; part == merge->parts && kind < TRACE_NAME_KINDS; kind++) {
        naming.kind = (enum trace_name_kind)kind;
        trace_each_name(from, naming.kind, take_name, &naming);
    }
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

static int declare_groups(struct merge *merge, struct merge_part *part)
{
    const struct trace *from = &part->source->trace;
    char name[TRACE_GROUP_BYTES + 16u];

    part->first_group = (uint16_t)merge->trace->ngroups;
    for (unsigned i = 0; i < from->ngroups; i++) {
        snprintf(name, sizeof name, "%u-%s", (unsigned)(part - merge->parts) + 1u, from->groups[i].name);
        name[TRACE_GROUP_BYTES - 1u] = '\0';
        if (trace_group(merge->trace, name) == 0)
            return -1;
    }
    return 0;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

/* Everything that is the first board's. */
static void take_trace(struct trace *trace, const struct trace *first)
{
    trace->clock_hz = first->clock_hz;
    trace->clock_hz_given = first->clock_hz_given;
    trace->start_ns = first->start_ns;
    trace->functions = first->functions;
    trace->formats = first->formats;
    trace->target = first->target;
    trace->image = first->image;
    trace->printk = first->printk;
    trace->nprintk = first->nprintk;
}

int merge_open(struct merge *merge, struct trace *trace, struct source *sources, unsigned n)
{
    merge->trace = trace;
    merge->parts = calloc(n, sizeof *merge->parts);
    if (merge->parts == NULL)
        return trace_fail(trace, "no memory for %u inputs", n);
    merge->n = n;
    take_trace(trace, &sources[0].trace);
    for (unsigned i = 0; i < n; i++) {
        merge->parts[i].source = &sources[i];
        merge->parts[i].first_cpu = trace->ncpus;
        sources[i].trace.cpu_base = trace->ncpus;
        trace->ncpus += sources[i].trace.ncpus;
    }
    for (unsigned i = 0; i < n; i++) {
        learn_types(merge, &merge->parts[i]);
        learn_names(merge, &merge->parts[i]);
        if (declare_groups(merge, &merge->parts[i]) != 0)
            return -1;
    }
    return trace->failed ? -1 : 0;
}

struct source *merge_source(const struct merge *merge, unsigned *cpu)
{
    unsigned i = merge->n - 1u;

    while (merge->parts[i].first_cpu > *cpu)
        i--;
    *cpu -= merge->parts[i].first_cpu;
    return merge->parts[i].source;
}

int merge_batch(struct merge *merge, const struct source *source, struct trace_batch *batch)
{
    struct merge_part *part = merge->parts;

    while (part->source != source)
        part++;
    learn_types(merge, part);
    learn_names(merge, part);
    for (size_t i = 0; i < batch->n; i++) {
        struct trace_event *event = &batch->event[i];

        event->type = part->type[event->type];
        event->group = event->group > 0 ? (uint16_t)(event->group + part->first_group) : 0;
    }
    return merge->trace->failed ? -1 : 0;
}

/* ---- counts ------------------------------------------------------------------------------------------------------ */

static void add_cpus(struct merge *merge, const struct merge_part *part)
{
    const struct trace *from = &part->source->trace;

    for (unsigned i = 0; i < from->ncpus && part->first_cpu + i < TRACE_CPUS_COUNTED; i++) {
        if (i < TRACE_CPUS_COUNTED)
            merge->trace->counts.cpu[part->first_cpu + i] = from->counts.cpu[i];
        for (unsigned k = 0; k < from->ngroups; k++)
            trace_count_in_group(merge->trace, (uint16_t)(part->first_group + k + 1u), part->first_cpu + i,
                                 from->groups[k].overwritten[i]);
    }
}

void merge_count(struct merge *merge)
{
    struct trace_counts *sum = &merge->trace->counts;

    for (unsigned i = 0; i < merge->n; i++) {
        const struct trace_counts *part = &merge->parts[i].source->trace.counts;

        if (part->events > 0 && (sum->events == 0 || part->first < sum->first))
            sum->first = part->first;
        if (part->events > 0 && part->last > sum->last)
            sum->last = part->last;
        sum->events += part->events;
        sum->derived += part->derived;
        sum->dropped += part->dropped;
        sum->overwritten += part->overwritten;
        sum->unfinished += part->unfinished;
        sum->damaged += part->damaged;
        sum->gaps += part->gaps;
        add_cpus(merge, &merge->parts[i]);
    }
}

void merge_close(struct merge *merge)
{
    free(merge->parts);
    merge->parts = NULL;
    merge->n = 0;
}
