/* merge.c - see merge.h. */
#include "tool/merge.h"

#include "base/heap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A source's part in the merged trace. */
struct decode_merge_part {
    struct decode_source *source;
    unsigned first_cpu;             /* number in the merged trace of the source's CPU 0 */
    unsigned naming;                /* trace.naming of the source when its names were last copied */
    unsigned ntypes;                /* types of the source that are in type[] */
    uint16_t type[TRACE_TYPES_MAX]; /* number in the merged trace, by the number in the source's */
    uint16_t first_group;           /* what is added to the number of a group, unless that is 0 */
};

void decode_merge_name_tasks(struct decode_source *source, unsigned n)
{
    source->trace.task_base = n * DECODE_MERGE_TASKS;
    snprintf(source->trace.task_prefix, sizeof source->trace.task_prefix, "%u:", n + 1);
}

/* ---- types ------------------------------------------------------------------------------------------------------- */

/* Either may be NULL, which equals NULL only. */
static bool same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* Whether no writer could tell two types apart. Readers may make types at run time, so equal ones may have different
 * addresses. */
static bool same_type(const struct tlog_type *a, const struct tlog_type *b)
{
    if (a->means != b->means || a->size != b->size || a->nfields != b->nfields || strcmp(a->name, b->name) != 0
        || strcmp(a->system, b->system) != 0 || !same_text(a->print, b->print))
        return false;
    for (unsigned i = 0; i < a->nfields; i++) {
        const struct tlog_field *x = &a->fields[i], *y = &b->fields[i];
        if (strcmp(x->name, y->name) != 0 || x->kind != y->kind || x->offset != y->offset || x->size != y->size)
            return false;
    }
    return true;
}

/* The number in the trace of a type equal to this one, which is declared if there is none. */
static uint16_t type_like(struct trace *trace, const struct tlog_type *type)
{
    for (unsigned i = 0; i < trace->ntypes; i++) {
        if (trace->types[i] == type || same_type(trace->types[i], type))
            return (uint16_t)i;
    }
    return trace_type(trace, type);
}

/* Give the types that the source has declared since the last call their numbers in the merged trace. */
static void learn_types(struct decode_merge *merge, struct decode_merge_part *part)
{
    const struct trace *from = &part->source->trace;
    for (; part->ntypes < from->ntypes; part->ntypes++)
        part->type[part->ntypes] = type_like(merge->trace, from->types[part->ntypes]);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* Where copy_name() puts names. */
struct name_copy {
    struct trace *to;
    uint32_t base;   /* what is added to the number of a task */
    bool tasks_only; /* other names are not copied */
};

/* A callback of trace_each_new_name(). Task 0, the idle task, keeps its number. */
static void copy_name(void *ctx, enum trace_name_kind kind, uint32_t id, const char *name)
{
    const struct name_copy *copy = ctx;
    if (kind == TRACE_NAME_TASK)
        trace_set_name(copy->to, kind, id == 0 ? 0 : id + copy->base, name);
    else if (!copy->tasks_only)
        trace_set_name(copy->to, kind, id, name);
}

/* Copy the names that the source was given since the last call; not all of them, because each event may give one. Only
 * tasks get numbers of their own in the merged trace. Numbers of interrupts, mutexes and record codes may mean
 * different things on different boards; for these the merged trace has the first board's names. */
static void learn_names(struct decode_merge *merge, struct decode_merge_part *part)
{
    const struct trace *from = &part->source->trace;
    struct name_copy copy = {merge->trace, from->task_base, part != merge->parts};
    trace_each_new_name(from, part->naming, copy_name, &copy);
    part->naming = from->naming;
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

/* Declare the source's groups in the merged trace, in their order. 0, or -1 after trace_fail(). */
static int declare_groups(struct decode_merge *merge, struct decode_merge_part *part)
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

/* ---- the merged trace -------------------------------------------------------------------------------------------- */

/* Copy what the merged trace has from the first source alone. */
static void copy_first(struct trace *trace, const struct trace *first)
{
    trace->clock_hz = first->clock_hz;
    trace->clock_hz_given = first->clock_hz_given;
    trace->start_ns = first->start_ns;
    trace->functions = first->functions;
    trace->formats = first->formats;
    trace->target = first->target;
    trace->priority_order = first->priority_order;
    trace->firmware = first->firmware;
    trace->printk = first->printk;
    trace->nprintk = first->nprintk;
    trace->only_numbers = true;
}

/* Tell which CPU is of which board. 0, or -1 after trace_fail(). */
static int number_boards(struct decode_merge *merge)
{
    struct trace *trace = merge->trace;
    merge->boards = heap_calloc(trace->ncpus + 1u, sizeof *merge->boards); /* + 1: ncpus may be 0 */
    if (merge->boards == NULL)
        return trace_fail(trace, "no memory for %u CPUs", trace->ncpus);
    for (unsigned i = 0; i < merge->n; i++) {
        const struct trace *from = &merge->parts[i].source->trace;
        for (unsigned cpu = 0; cpu < from->ncpus; cpu++)
            merge->boards[merge->parts[i].first_cpu + cpu] =
                (struct trace_board){i + 1u, from->task_base, from->priority_order};
    }
    trace->boards = merge->boards;
    return 0;
}

/* First all CPUs are numbered, because declare_groups() needs the number of CPUs of the whole trace. */
int decode_merge_open(struct decode_merge *merge, struct trace *trace, struct tlog_decoder *decoders, unsigned n)
{
    merge->trace = trace;
    merge->parts = heap_calloc(n, sizeof *merge->parts);
    if (merge->parts == NULL)
        return trace_fail(trace, "no memory for %u inputs", n);
    merge->n = n;
    copy_first(trace, &decoders[0].source.trace);
    for (unsigned i = 0; i < n; i++) {
        merge->parts[i].source = &decoders[i].source;
        merge->parts[i].first_cpu = trace->ncpus;
        decoders[i].source.trace.cpu_base = trace->ncpus;
        if (decoders[i].source.trace.priority_order != trace->priority_order)
            trace->priority_order = TRACE_ORDER_UNKNOWN; /* boards differ */
        trace->ncpus += decoders[i].source.trace.ncpus;
    }
    if (number_boards(merge) != 0)
        return -1;
    for (unsigned i = 0; i < n; i++) {
        learn_types(merge, &merge->parts[i]);
        learn_names(merge, &merge->parts[i]);
        if (declare_groups(merge, &merge->parts[i]) != 0)
            return -1;
    }
    return trace->failed ? -1 : 0;
}

int decode_merge_batch(struct decode_merge *merge, const struct decode_source *source, unsigned *cpu,
                       struct trace_batch *batch)
{
    struct decode_merge_part *part = merge->parts;
    while (part->source != source)
        part++;
    *cpu += part->first_cpu;
    learn_types(merge, part);
    learn_names(merge, part);
    for (size_t i = 0; i < batch->n; i++) {
        struct tlog_event *event = &batch->event[i];
        event->type = part->type[event->type];
        event->group = event->group > 0 ? (uint16_t)(event->group + part->first_group) : 0;
    }
    return merge->trace->failed ? -1 : 0;
}

/* ---- counts ------------------------------------------------------------------------------------------------------ */

/* Add the losses of a source's CPUs to the trace and its groups. The merged trace has counts of its own for the first
 * TRACE_CPUS_COUNTED CPUs only; the losses of others are in the totals. */
static void add_cpus(struct decode_merge *merge, const struct decode_merge_part *part)
{
    const struct trace *from = &part->source->trace;
    for (unsigned i = 0; i < from->ncpus && part->first_cpu + i < TRACE_CPUS_COUNTED; i++) {
        merge->trace->counts.cpu[part->first_cpu + i] = from->counts.cpu[i];
        for (unsigned k = 0; k < from->ngroups; k++)
            trace_count_in_group(merge->trace, (uint16_t)(part->first_group + k + 1u), part->first_cpu + i,
                                 from->groups[k].overwritten[i]);
    }
}

void decode_merge_count(struct decode_merge *merge)
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
        sum->left_out += part->left_out;
        sum->derived_left_out += part->derived_left_out;
        sum->dropped += part->dropped;
        sum->overwritten += part->overwritten;
        sum->unfinished += part->unfinished;
        sum->passed += part->passed;
        sum->slots += part->slots;
        sum->damaged += part->damaged;
        sum->gaps += part->gaps;
        sum->pauses += part->pauses;
        sum->paused += part->paused;
        sum->is_uncounted |= part->is_uncounted;
        add_cpus(merge, &merge->parts[i]);
    }
}

void decode_merge_close(struct decode_merge *merge)
{
    heap_free(merge->parts);
    heap_free(merge->boards);
    merge->parts = NULL;
    merge->boards = NULL;
    merge->n = 0;
}
