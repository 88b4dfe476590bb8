/* map.c - see map.h. Takes batches apart into slices; map_event.h explains the words, and map_event.c maps single
 * events.
 */
#include "decode/map.h"

#include "base/heap.h"
#include "decode/cross_cpu.h"
#include "decode/map_event.h"
#include "decode/map_known.h"
#include "decode/map_linux.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Most events that come out for a special one, and most bytes of their payloads. The worst one is the entry of an
 * interrupt whose exit is missing: with that, and two switches, it becomes four. */
enum {
    EVENTS_PER_EVENT = 4,
    BYTES_PER_EVENT = DECODE_ENTRY_BYTES + DECODE_EXIT_BYTES + 2 * DECODE_SWITCH_BYTES,
};

_Static_assert(TRACE_BATCH_EVENTS >= (DECODE_SLICE * EVENTS_PER_EVENT + 2 * NESTING + 1), "a slice fits into a batch");
_Static_assert((int)DECODE_ENTRY_BYTES <= (int)DECODE_SWITCH_BYTES, "most bytes for one event");

/* ---- beginning and end ------------------------------------------------------------------------------------------- */

struct decode_map *decode_map_new(struct trace *trace, enum tlog_map_mode mode)
{
    struct decode_map *map = heap_calloc(1, sizeof *map + trace->ncpus * sizeof map->cpu[0]);
    if (map == NULL)
        return NULL;
    map->handles = decode_handles_new();
    if (map->handles == NULL) {
        heap_free(map);
        return NULL;
    }
    map->trace = trace;
    map->converts = mode != TLOG_MAP_NATIVE;
    map->derives = mode == TLOG_MAP_FULL;
    for (unsigned i = 0; i < trace->ncpus; i++) {
        map->cpu[i].scheduled = trace->ran_before ? UNKNOWN_TASK : BOOT_TASK;
        map->cpu[i].raised = map->cpu[i].hint = map->cpu[i].again = NO_TASK;
    }
    if (trace->mapped)
        return map;
    if (map->converts)
        decode_map_declare_types(map);
    for (size_t i = 0; i < trace->npriorities; i++) {
        if (trace->priorities[i].task < TASKS)
            map->task[trace->priorities[i].task].priority = trace->priorities[i].priority;
    }
    if (!trace->ran_before)
        trace_set_name(trace, TRACE_NAME_TASK, BOOT_TASK, "boot");
    return map;
}

void decode_map_mark_edges(struct decode_map *map)
{
    map->marks = true;
    map->id_left_out = trace_type(map->trace, &trace_left_out_type);
}

void decode_map_use_lives(struct decode_map *map, const struct decode_lives *lives)
{
    map->lives = lives;
    map->knows_lives = true;
}

bool decode_map_meets_lives(const struct decode_map *map)
{
    return map->meets_lives;
}

void decode_map_free(struct decode_map *map)
{
    if (map == NULL)
        return;
    decode_cross_cpu_free(map->updates);
    sorted_set_free(&map->objects);
    decode_handles_free(map->handles);
    heap_free(map);
}

void decode_map_each_row(const struct decode_map *map, void (*call)(void *ctx, const struct decode_map_row *row),
                         void *ctx)
{
    for (uint32_t i = 0; i < TASKS; i++) {
        const struct task *task = &map->task[i];
        int32_t priority = map->updates != NULL ? task->final_priority : task->priority;
        if (task->ran)
            call(ctx, &(struct decode_map_row){pid_of(map, i), priority, i >= INTERRUPT_TASK && i < TRACE_LIVES_TASK});
    }
}

/* Where a type has field n, if that is a number. */
static struct place place_of(const struct tlog_type *type, unsigned n)
{
    const struct tlog_field *field;
    if (n >= type->nfields)
        return (struct place){0};
    field = &type->fields[n];
    if (field->kind > TLOG_KIND_OPTIONAL || field->size > 8)
        return (struct place){0};
    return (struct place){field->offset, (uint8_t)field->size, field->kind == TLOG_KIND_SIGNED};
}

static struct meaning meaning_of(const struct tlog_type *type)
{
    struct meaning meaning = {.kind = type->nfields > 0 ? type->fields[0].kind : TLOG_KIND_UNSIGNED,
                              .means = type->means,
                              .teller = decode_teller_of(type)};
    meaning.is_special = meaning.means != TLOG_MEANS_PLAIN || meaning.teller != DECODE_TELLS_NOTHING;
    meaning.is_of_mutex = meaning.teller >= DECODE_TELLS_WAIT;
    for (unsigned n = 0; n < DECODE_PLACES; n++)
        meaning.place[n] = place_of(type, n);
    return meaning;
}

/* Note the meaning of types that were declared since the last call. */
static void learn_types(struct decode_map *map)
{
    for (; map->ntypes < map->trace->ntypes; map->ntypes++)
        map->meaning[map->ntypes] = meaning_of(map->trace->types[map->ntypes]);
}

/* ---- slices ------------------------------------------------------------------------------------------------------ */

/* Sort the events' indices into special and plain ones. Every index is written to both lists, and the next one replaces
 * it in the list where it does not belong: so no branch depends on the event. */
static inline void sort_slice(const struct meaning *meaning, struct slice *slice)
{
    size_t n = 0;
    for (size_t i = 0; i < slice->n; i++) {
        slice->plain[i - n] = slice->special[n] = (uint16_t)i;
        n += is_special(meaning, &slice->event[i]);
    }
    slice->nspecial = n;
}

/* Copy the plain events to the places left for them. If the k-th plain event is at index i, then i - k special events
 * are before it, and that is the number of its segment. */
static inline void copy_plain(const struct slice *slice, struct trace_batch *out)
{
    struct tlog_event *to = out->event + slice->segment[0].added;
    if (slice->nspecial == 0) {
        for (size_t i = 0; i < slice->n; i++)
            copy_event(&to[i], &slice->event[i], &slice->segment[0]);
        return;
    }
    for (size_t k = 0; k < slice->n - slice->nspecial; k++) {
        size_t i = slice->plain[k];
        const struct segment *segment = &slice->segment[i - k];
        copy_event(&out->event[i + segment->added], &slice->event[i], segment);
    }
}

/* Whether out has room for whatever the events become; and for the exits of interrupts that were entered before. */
static bool has_room(const struct trace_batch *out, const struct slice *slice)
{
    size_t special = slice->nspecial;
    return out->n + slice->n + special * (EVENTS_PER_EVENT - 1) + 2u * NESTING + 1u <= TRACE_BATCH_EVENTS
           && out->used + (special + NESTING) * BYTES_PER_EVENT <= sizeof out->room;
}

/* Look in the batch for the first switch of a CPU. If it tells which task ran until then, or an event before it tells
 * who runs, and nothing is missing before it, that task has run from the beginning. */
static void look_ahead(const struct decode_map *map, struct cpu *cpu, const struct trace_batch *in, size_t at)
{
    uint32_t hint = NO_TASK;
    bool is_unknown = cpu->scheduled == UNKNOWN_TASK;
    for (; at < in->n; at++) {
        const struct tlog_event *event = &in->event[at];
        const struct meaning *meaning = &map->meaning[event->type];
        enum tlog_meaning means = meaning->means;
        bool tells = is_unknown && (event->flags & TLOG_FLAG_IN_INTERRUPT) == 0
                     && decode_tells(meaning->teller, field_value(meaning, event, 0), &hint);
        if (means == TLOG_MEANS_SWITCH_OF || tells)
            cpu->scheduled = field_value(meaning, event, tells ? 0 : 1);
        if (means == TLOG_MEANS_SWITCH || means == TLOG_MEANS_SWITCH_OF || means == TLOG_MEANS_RESUME
            || means == TLOG_MEANS_PAUSE || means == TLOG_MEANS_NO_SWITCHES || trace_class_is_gap(means) || tells)
            break;
    }
}

/* Choose what runs first on a CPU that has had no event yet: the task that the first switch tells, else boot. After a
 * loss or damage it is the unknown task, because the switch to what runs there may be missing. */
static void choose_first_task(struct decode_map *map, struct cpu *cpu, const struct trace_batch *in, size_t at)
{
    struct task *task;
    cpu->leading = 0;
    for (; at < in->n && !cpu->begun; at++) {
        enum tlog_meaning means = map->meaning[in->event[at].type].means;
        cpu->begun = means < TLOG_MEANS_LOSS;
        if (trace_class_is_gap(means))
            cpu->scheduled = UNKNOWN_TASK;
        cpu->leading += trace_class_is_gap(means);
        if (cpu->begun)
            look_ahead(map, cpu, in, at);
    }
    task = task_of(map, cpu->scheduled);
    if (task != NULL)
        task->ran |= cpu->begun;
    find_running(map, cpu);
}

/* Map the events of in from index `at` on and before `end`, slice by slice, as long as out has room. Returns the index
 * of the first event that was not mapped. */
static size_t map_slices(struct decode_map *map, struct cpu *cpu, const struct trace_batch *in, size_t at, size_t end,
                         struct trace_batch *out)
{
    struct slice slice;
    slice.n = 0;
    for (; at < end; at += slice.n) {
        slice.event = &in->event[at];
        slice.n = end - at < DECODE_SLICE ? end - at : DECODE_SLICE;
        sort_slice(map->meaning, &slice);
        if (!has_room(out, &slice))
            break;
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
static void pass(struct decode_map *map, struct cpu *cpu, const struct tlog_event *event, size_t n,
                 struct trace_batch *out)
{
    uint64_t gaps = 0, first = UINT64_MAX, last = 0;
    memcpy(out->event, event, n * sizeof event[0]);
    out->n = n;
    for (size_t i = 0; i < n; i++) {
        const struct meaning *meaning = &map->meaning[event[i].type];
        gaps += meaning->means >= TLOG_MEANS_LOSS; /* all that is no event of the input */
        map->gaps += trace_class_is_gap(meaning->means);
        if (meaning->is_of_mutex && decode_map_follow_mutex(map, cpu, meaning, &event[i], event[i].task == 0))
            out->event[i].flags |= TLOG_FLAG_SIGNAL;
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
        map->cpu[cpu].begun = true;
        pass(map, &map->cpu[cpu], &in->event[at], end - at, out);
        return end;
    }
    decode_handles_name(map->handles, map->trace, in, at, end);
    widen_span(&map->trace->counts, in->event[at].time, in->event[end - 1].time);
    if (!map->cpu[cpu].begun)
        choose_first_task(map, &map->cpu[cpu], in, at);
    at = map_slices(map, &map->cpu[cpu], in, at, end, out);
    if (map->cpu[cpu].is_paused && at < in->n)
        decode_map_resume(map, &map->cpu[cpu], out);
    return at;
}

void decode_map_edge(struct decode_map *map, unsigned cpu, const struct decode_edge *edge, struct trace_batch *out)
{
    out->n = out->used = 0;
    if (map->cpu[cpu].begun)
        decode_map_tell_edge(map, &map->cpu[cpu], edge, out);
}

/* The name of an interrupt, as a text to show. */
static const char *irq_name(const struct decode_map *map, uint32_t irq, char room[16])
{
    const char *name = trace_name(map->trace, TRACE_NAME_IRQ, irq);
    snprintf(room, 16, "%" PRIu32, irq);
    return name != NULL ? name : room;
}

void decode_map_tell(const struct decode_map *map)
{
    char room[16];
    if (map->left > map->twice)
        trace_note(map->trace,
                   "handlers that ended without an exit: %" PRIu64 ", the first one of interrupt %s; they were left by"
                   " longjmp(), or their exits are not logged",
                   map->left - map->twice, irq_name(map, map->left_first, room));
    if (map->twice > 0)
        trace_note(map->trace,
                   "interrupts that were logged twice: %" PRIu64
                   ", the first one is %s; both tlog_irq_trace() and the handler"
                   " or the kernel's port log it",
                   map->twice, irq_name(map, map->twice_first, room));
}

/* ---- one CPU after the other ------------------------------------------------------------------------------------- */

bool decode_map_record(struct decode_map *map)
{
    map->updates = decode_cross_cpu_new(map->trace->ncpus);
    map->records = true;
    map->converts = map->derives = false;
    return map->updates != NULL;
}

size_t decode_map_find_special(struct decode_map *map, unsigned cpu, const struct trace_batch *in, size_t at)
{
    size_t found = at;
    if (at == 0)
        learn_types(map);
    if (!map->cpu[cpu].begun)
        choose_first_task(map, &map->cpu[cpu], in, at);
    while (found < in->n && !is_special(map->meaning, &in->event[found]))
        found++;
    return found;
}

/* What the event itself becomes is of no interest. */
void decode_map_follow(struct decode_map *map, unsigned cpu, const struct tlog_event *event, struct trace_batch *scrap)
{
    scrap->n = 1;
    decode_map_one(map, &map->cpu[cpu], event, &scrap->event[0], scrap);
}

void decode_map_take_updates(struct decode_map *map, struct decode_map *recorder)
{
    map->updates = recorder->updates;
    map->meets_lives = recorder->meets_lives;
    recorder->updates = NULL;
    for (uint32_t i = 0; i < TASKS; i++)
        map->task[i].final_priority = recorder->task[i].priority;
    for (unsigned i = 0; i < map->trace->ncpus; i++)
        decode_map_next_update(map, &map->cpu[i]);
}
