/* map.c - Linux's events for the classes of events it has too, and which task was running when. map_state.h explains
 * the words; map_class.c has what becomes of an event of each class. */
#include "decode/map.h"

#include <stdlib.h>
#include <string.h>

#include "decode/map_class.h"

enum {
    EVENTS_PER_EVENT = 2,                      /* most events that come out for one that goes in */
    BYTES_PER_EVENT = 2 * DECODE_SWITCH_BYTES, /* most bytes of payloads of these: two switches */
};

_Static_assert(TRACE_BATCH_EVENTS >= (DECODE_SLICE * EVENTS_PER_EVENT), "a slice fits into a batch");
_Static_assert((int)DECODE_ENTRY_BYTES <= (int)DECODE_SWITCH_BYTES, "most bytes for one event");

/* ---- beginning and end ------------------------------------------------------------------------------------------- */

struct decode_map *decode_map_new(struct trace *trace, enum decode_map_mode mode)
{
    struct decode_map *map = calloc(1, sizeof *map + trace->ncpus * sizeof map->cpu[0]);
    if (map == NULL)
        return NULL;
    map->trace = trace;
    map->converts = mode != DECODE_MAP_NATIVE;
    map->derives = mode == DECODE_MAP_FULL;
    for (unsigned i = 0; i < trace->ncpus; i++) {
        map->cpu[i].scheduled = trace->ran_before ? UNKNOWN_TASK : MAIN_TASK;
        map->cpu[i].raised = NO_TASK;
    }
    if (trace->mapped)
        return map;
    if (map->converts) {
        map->id_switch = trace_type(trace, &decode_type_switch);
        map->id_waking = trace_type(trace, &decode_type_waking);
        map->id_wakeup = trace_type(trace, &decode_type_wakeup); /* trace-cmd report --profile needs it in any case */
        map->id_entry = trace_type(trace, &decode_type_entry);
        map->id_exit = trace_type(trace, &decode_type_exit);
    }
    for (size_t i = 0; i < trace->npriorities; i++) {
        if (trace->priorities[i].task < TASKS)
            map->task[trace->priorities[i].task].priority = trace->priorities[i].priority;
    }
    if (!trace->ran_before)
        trace_set_name(trace, TRACE_NAME_TASK, MAIN_TASK, "main");
    return map;
}

void decode_map_free(struct decode_map *map)
{
    if (map != NULL)
        decode_news_free(map->news);
    free(map);
}

void decode_map_each_row(const struct decode_map *map, void (*call)(void *ctx, const struct decode_map_row *row),
                         void *ctx)
{
    for (uint32_t i = 0; i < TASKS; i++) {
        const struct task *task = &map->task[i];
        int32_t priority = map->news != NULL ? task->last : task->priority;
        if (task->ran)
            call(ctx, &(struct decode_map_row){pid_of(map, i), priority, i >= INTERRUPT_TASK});
    }
}

/* Note the meaning of types that were declared since the last call. */
static void learn_types(struct decode_map *map)
{
    for (; map->ntypes < map->trace->ntypes; map->ntypes++)
        map->meaning[map->ntypes] = meaning_of(map->trace->types[map->ntypes]);
}

/* ---- slices ------------------------------------------------------------------------------------------------------ */

/* Whether out has room for whatever n events become. */
static bool has_room(const struct trace_batch *out, size_t n)
{
    return out->n + n * EVENTS_PER_EVENT <= TRACE_BATCH_EVENTS && out->used + n * BYTES_PER_EVENT <= sizeof out->room;
}

/* The first switch of a CPU tells which task has run until then, if it tells any and nothing is missing before it. It
 * is searched in the batch. */
static void look_ahead(const struct decode_map *map, struct cpu *cpu, const struct trace_batch *in, size_t at)
{
    for (enum trace_class class; at < in->n; at++) {
        class = map->meaning[in->event[at].type].class;
        if (class == TRACE_SWITCH_OF)
            cpu->scheduled = field_value(&map->meaning[in->event[at].type], &in->event[at], 1);
        if (class == TRACE_SWITCH || class == TRACE_SWITCH_OF || class == TRACE_LOSS || class == TRACE_DAMAGE)
            break;
    }
}

/* Choose the first task of a CPU that has had no event yet, by the events that come first: that which a switch tells;
 * else main; but after a loss or damage the unknown task, because the switch to what runs there may be missing. */
static void choose_first_task(struct decode_map *map, struct cpu *cpu, const struct trace_batch *in, size_t at)
{
    struct task *task;
    for (; at < in->n && !cpu->begun; at++) {
        enum trace_class class = map->meaning[in->event[at].type].class;
        cpu->begun = class < TRACE_LOSS;
        if (class == TRACE_LOSS || class == TRACE_DAMAGE)
            cpu->scheduled = UNKNOWN_TASK;
        if (cpu->begun)
            look_ahead(map, cpu, in, at);
    }
    task = task_of(map, cpu->scheduled);
    if (task != NULL)
        task->ran |= cpu->begun;
    find_running(map, cpu);
}

/* Map the events of in from index `at` on and before `end`, slice by slice, as far as out has room. Returns the index
 * where it ended. */
static size_t map_slices(struct decode_map *map, struct cpu *cpu, const struct trace_batch *in, size_t at, size_t end,
                         struct trace_batch *out)
{
    struct slice slice;
    for (; at < end; at += slice.n) {
        slice.event = &in->event[at];
        slice.n = end - at < DECODE_SLICE ? end - at : DECODE_SLICE;
        if (!has_room(out, slice.n))
            break;
        sort_slice(map->meaning, &slice);
        decode_map_special(map, cpu, &slice, out);
        copy_plain(&slice, out);
        map->trace->counts.events += slice.n;
    }
    return at;
}

/* ---- batches ----------------------------------------------------------------------------------------------------- */

/* Widen the span of the trace's events, before the events from first to last are counted. */
static void widen_span(struct trace_counts *counts, uint64_t first, uint64_t last)
{
    if (counts->events == 0 || first < counts->first)
        counts->first = first;
    if (counts->events == 0 || last > counts->last)
        counts->last = last;
}

/* Copy and count n events of a trace that is mapped already. Their times may go back, as those of Linux's clocks do. */
static void pass(struct decode_map *map, const struct trace_event *event, size_t n, struct trace_batch *out)
{
    uint64_t gaps = 0, first = UINT64_MAX, last = 0;
    memcpy(out->event, event, n * sizeof event[0]);
    out->n = n;
    for (size_t i = 0; i < n; i++) {
        enum trace_class class = map->trace->types[event[i].type]->class;
        gaps += class >= TRACE_LOSS;
        first = event[i].time < first ? event[i].time : first;
        last = event[i].time > last ? event[i].time : last;
    }
    widen_span(&map->trace->counts, first, last);
    map->trace->counts.events += n - gaps;
}

size_t decode_map_batch(struct decode_map *map, unsigned cpu, const struct trace_batch *in, size_t at, size_t end,
                        struct trace_batch *out)
{
    out->n = out->used = 0;
    learn_types(map);
    if (at == end)
        return end;
    if (map->trace->mapped) {
        pass(map, &in->event[at], end - at, out);
        return end;
    }
    widen_span(&map->trace->counts, in->event[at].time, in->event[end - 1].time);
    if (!map->cpu[cpu].begun)
        choose_first_task(map, &map->cpu[cpu], in, at);
    return map_slices(map, &map->cpu[cpu], in, at, end, out);
}

/* ---- following --------------------------------------------------------------------------------------------------- */

bool decode_map_collect(struct decode_map *map)
{
    map->news = decode_news_new(map->trace->ncpus);
    map->collects = true;
    map->converts = map->derives = false;
    return map->news != NULL;
}

size_t decode_map_seek(struct decode_map *map, unsigned cpu, const struct trace_batch *in, size_t at)
{
    size_t found = at;
    if (at == 0)
        learn_types(map);
    if (!map->cpu[cpu].begun)
        choose_first_task(map, &map->cpu[cpu], in, at);
    while (found < in->n && map->meaning[in->event[found].type].class == TRACE_PLAIN)
        found++;
    return found;
}

/* What the event itself becomes is of no interest. */
void decode_map_follow(struct decode_map *map, unsigned cpu, const struct trace_event *event, struct trace_batch *scrap)
{
    scrap->n = 1;
    decode_map_class(map, &map->cpu[cpu], event, &scrap->event[0], scrap);
}

void decode_map_take_news(struct decode_map *map, struct decode_map *collector)
{
    map->news = collector->news;
    collector->news = NULL;
    for (uint32_t i = 0; i < TASKS; i++)
        map->task[i].last = collector->task[i].priority;
    for (unsigned i = 0; i < map->trace->ncpus; i++)
        decode_map_find_news(map, &map->cpu[i]);
}
