/* clock_sync.c - see clock_sync.h.
 *
 * The sources' inputs are read once to collect marks and to see when events begin and end. Then a line is fitted to the
 * pairs of marks that each further source has in common with the first one.
 */
#include "tool/clock_sync.h"

#include "base/heap.h"
#include "base/text.h"
#include "tool/message.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_S    1000000000u
#define POINTS_MAX  100000u                  /* of one guest whose clock drifts */
#define STEP_MAX    (UINT64_C(1) << 40)      /* ns from one point to the next; a power of two */
#define FURTHER_MAX (DECODE_INPUTS_MAX - 1u) /* sources besides the first one */

/* Viewers interpolate offsets between two points in signed 64-bit arithmetic: they multiply the distance from the first
 * point by the change of the offset up to the second one, and add half of the points' distance. No such product may be
 * larger than this. */
#define PRODUCT_MAX 0x1p61

/* Source 0 is the one whose clock the others are tied to. The tables of FURTHER_MAX have no element for it: what
 * belongs to source 1 is at index 0, and so on. */
struct decode_clock_sync {
    struct tlog_decoder *decoders; /* n of them */
    unsigned n;
    const struct decode_sync_rule *rule;
    struct decode_sync_marks marks[DECODE_INPUTS_MAX];
    struct trace_guest guests[FURTHER_MAX];
    struct trace_time_shift shifts[FURTHER_MAX];
    uint64_t *times[FURTHER_MAX];  /* what shifts point to, to be freed */
    int64_t *offsets[FURTHER_MAX]; /* likewise */
};

/* ---- marks ------------------------------------------------------------------------------------------------------- */

/* Whether number_of() can read the field. */
static bool is_number(const struct tlog_field *field)
{
    return field->kind <= TLOG_KIND_OPTIONAL
           && (field->size == 1 || field->size == 2 || field->size == 4 || field->size == 8);
}

/* If events of this type are marks, their field with the number; else NULL. */
static const struct tlog_field *number_field(const struct decode_sync_rule *rule, const struct tlog_type *type)
{
    if (strcmp(type->name, rule->name) != 0 || (rule->system[0] != '\0' && strcmp(type->system, rule->system) != 0))
        return NULL;
    for (unsigned i = type->nfields; i-- > 0;) {
        const struct tlog_field *field = &type->fields[i];
        if (is_number(field) && (rule->field[0] == '\0' || strcmp(field->name, rule->field) == 0))
            return field;
    }
    return NULL;
}

/* The value of such a field. */
static uint64_t number_of(const struct tlog_event *event, const struct tlog_field *field)
{
    uint64_t number = 0;
    for (unsigned i = field->size; i-- > 0;)
        number = number << 8 | event->data[field->offset + i];
    return number;
}

/* Add a mark, unless there are DECODE_SYNC_MARKS_MAX. 0, or -1 after trace_fail(). */
static int add_mark(struct decode_sync_marks *marks, struct trace *trace, uint64_t number, uint64_t time)
{
    struct decode_sync_mark *mark;
    if (marks->n == DECODE_SYNC_MARKS_MAX)
        return 0;
    mark = heap_grow(marks->mark, marks->n, &marks->room, sizeof *mark);
    if (mark == NULL)
        return trace_fail(trace, "%s: no memory for marks", trace->input_name);
    marks->mark = mark;
    mark[marks->n++] = (struct decode_sync_mark){number, time};
    return 0;
}

/* Count an event, and let the span from `first` to `last` include its time. */
static void count(struct decode_sync_marks *marks, uint64_t time)
{
    if (marks->events == 0 || time < marks->first)
        marks->first = time;
    if (marks->events == 0 || time > marks->last)
        marks->last = time;
    marks->events++;
}

/* Where collect() puts marks. */
struct collector {
    const struct decode_sync_rule *rule;
    struct decode_sync_marks *marks;
};

/* A callback of decode_source_scan(): look for marks in a batch. 0, or -1 after trace_fail(). */
static int collect(void *ctx, struct trace *trace, const struct trace_batch *batch)
{
    const struct collector *to = ctx;
    for (size_t i = 0; i < batch->n; i++) {
        const struct tlog_event *event = &batch->event[i];
        const struct tlog_type *type = trace->types[event->type];
        const struct tlog_field *field = number_field(to->rule, type);
        if (type->means != TLOG_MEANS_LOSS && type->means != TLOG_MEANS_DAMAGE)
            count(to->marks, event->time);
        if (field != NULL && field->offset + (size_t)field->size <= event->size
            && add_mark(to->marks, trace, number_of(event, field), event->time) != 0)
            return -1;
    }
    return 0;
}

/* A comparison for qsort(). */
static int by_number(const void *a, const void *b)
{
    const struct decode_sync_mark *left = a, *right = b;
    return (left->number > right->number) - (left->number < right->number);
}

/* Sort the marks by number. If several have one number, it is not known which of them belongs to the pair, so all of
 * them are left out. Returns how many numbers that concerns. */
static size_t keep_unique(struct decode_sync_marks *marks)
{
    size_t kept = 0, repeated = 0, next;
    if (marks->n > 0)
        qsort(marks->mark, marks->n, sizeof *marks->mark, by_number);
    for (size_t i = 0; i < marks->n; i = next) {
        for (next = i + 1; next < marks->n && marks->mark[next].number == marks->mark[i].number; next++)
            ;
        if (next == i + 1)
            marks->mark[kept++] = marks->mark[i];
        else
            repeated++;
    }
    marks->n = kept;
    return repeated;
}

/* ---- fitting a line ---------------------------------------------------------------------------------------------- */

/* A pair, relative to the first pair: in long traces times need more than the 53 bits of a double to be exact to the
 * ns. */
struct pair {
    double time;   /* ns, on the clock that is to be changed */
    double offset; /* ns to be added to get the time on the other clock */
    uint64_t number;
};

/* Find the pairs of marks, which are sorted by number. *origin becomes the line through the first pair, without drift,
 * to which all pairs are relative. Returns the number of pairs. */
static size_t match(struct pair *pairs, const struct decode_sync_marks *to, const struct decode_sync_marks *from,
                    struct decode_clock_line *origin)
{
    size_t n = 0;
    for (size_t i = 0, k = 0; i < to->n && k < from->n;) {
        const struct decode_sync_mark *a = &to->mark[i], *b = &from->mark[k];
        if (a->number == b->number) {
            int64_t offset = (int64_t)(a->time - b->time);
            if (n == 0)
                *origin = (struct decode_clock_line){.offset = offset, .from = b->time};
            pairs[n++] =
                (struct pair){(double)(int64_t)(b->time - origin->from), (double)(offset - origin->offset), a->number};
        }
        i += a->number <= b->number;
        k += b->number <= a->number;
    }
    return n;
}

/* Fit the line by least squares. On entry fit->line is the origin, and there are pairs. */
static void fit_line(struct decode_sync_fit *fit, const struct pair *pairs)
{
    double n = (double)fit->pairs, time = 0, offset = 0, square = 0, product = 0;
    double first = pairs[0].time, last = first;
    for (size_t i = 0; i < fit->pairs; i++) {
        time += pairs[i].time / n;
        offset += pairs[i].offset / n;
        first = pairs[i].time < first ? pairs[i].time : first;
        last = pairs[i].time > last ? pairs[i].time : last;
    }
    for (size_t i = 0; i < fit->pairs; i++) {
        square += (pairs[i].time - time) * (pairs[i].time - time);
        product += (pairs[i].time - time) * (pairs[i].offset - offset);
    }
    fit->line.drift = square > 0 ? product / square : 0;
    fit->line.offset += decode_nearest(offset - fit->line.drift * time);
    fit->apart = fit->pairs > 1 ? (uint64_t)(last - first) / (fit->pairs - 1) : 0;
}

/* Find the pair that is furthest from the line. */
static void find_worst(struct decode_sync_fit *fit, const struct pair *pairs, const struct decode_clock_line *origin)
{
    for (size_t i = 0; i < fit->pairs; i++) {
        double line = (double)(fit->line.offset - origin->offset) + fit->line.drift * pairs[i].time;
        double distance = pairs[i].offset > line ? pairs[i].offset - line : line - pairs[i].offset;
        if (i > 0 && (uint64_t)(distance + 0.5) <= fit->worst)
            continue;
        fit->worst = (uint64_t)(distance + 0.5);
        fit->worst_number = pairs[i].number;
    }
}

/* Whether the line cannot be right. If a pair is further off than half the average time between pairs, its marks may as
 * well belong to two neighbouring pairs. */
static bool contradict(const struct decode_sync_fit *fit)
{
    return fit->line.drift > DECODE_SYNC_DRIFT_MAX || fit->line.drift < -DECODE_SYNC_DRIFT_MAX
           || (fit->pairs > 1 && fit->worst > fit->apart / 2);
}

enum decode_sync_result decode_sync_fit(struct decode_sync_fit *fit, struct decode_sync_marks *to,
                                        struct decode_sync_marks *from)
{
    struct decode_clock_line origin = {0};
    struct pair *pairs;
    memset(fit, 0, sizeof *fit);
    fit->repeated = keep_unique(to);
    fit->repeated += keep_unique(from);
    pairs = heap_alloc((to->n + 1) * sizeof *pairs);
    if (pairs == NULL)
        return DECODE_SYNC_NO_MEMORY;
    fit->pairs = match(pairs, to, from, &origin);
    fit->line = origin;
    if (fit->pairs > 0) {
        fit_line(fit, pairs);
        find_worst(fit, pairs, &origin);
    }
    heap_free(pairs);
    if (fit->pairs == 0)
        return DECODE_SYNC_NO_PAIRS;
    return contradict(fit) ? DECODE_SYNC_CONTRADICTION : DECODE_SYNC_FITS;
}

/* ---- lines of sources -------------------------------------------------------------------------------------------- */

/* Refuse a source whose times are ticks. To be merged, refuse also one whose events already have Linux's types and
 * their tasks: such tasks cannot get other numbers. 0, or -1 after trace_fail(). */
static int check(struct decode_source *source, bool merged)
{
    if (merged && source->mapped)
        return trace_fail(&source->trace, "%s: events of %s bear tasks of their own and cannot be merged",
                          source->trace.input_name, source->reader->name);
    if (!source->clocked)
        return trace_fail(&source->trace, "%s: the clock's frequency is not known; --clock-hz=N tells it",
                          source->trace.input_name);
    return 0;
}

/* Fail, because no line fits. name: of the marks' type. Always -1. */
static int fail_contradiction(struct decode_source *source, const struct decode_sync_fit *fit, const char *name)
{
    if (fit->line.drift > DECODE_SYNC_DRIFT_MAX || fit->line.drift < -DECODE_SYNC_DRIFT_MAX)
        return trace_fail(&source->trace,
                          "%s: by %zu pairs of %s the clock would be wrong by %.1f %%: not one firmware's",
                          source->trace.input_name, fit->pairs, name, fit->line.drift * 100);
    return trace_fail(&source->trace,
                      "%s: %zu pairs of %s contradict each other: number %" PRIu64 " is off by %" PRIu64
                      " ns, and they are %" PRIu64 " ns apart",
                      source->trace.input_name, fit->pairs, name, fit->worst_number, fit->worst, fit->apart);
}

static void report_fit(const struct decode_source *source, const struct decode_source *first,
                       const struct decode_sync_fit *fit, const char *name)
{
    message("%s: %zu pair%s of %s with %s: times %+" PRId64 " ns, drift %+.3f ppm, off by %" PRIu64 " ns at most",
            source->trace.input_name, fit->pairs, text_plural(fit->pairs), name, first->trace.input_name,
            fit->line.offset, fit->line.drift * 1e6, fit->worst);
    if (fit->repeated > 0)
        message("%s: %zu number%s of %s came more than once, there or in %s, and were left out",
                source->trace.input_name, fit->repeated, text_plural(fit->repeated), name, first->trace.input_name);
}

/* Find the line from source i, i > 0, to source 0. 0, or -1 after trace_fail(). */
static int find_line(struct decode_clock_sync *sync, unsigned i)
{
    struct decode_source *source = &sync->decoders[i].source, *first = &sync->decoders->source;
    const struct decode_sync_rule *rule = sync->rule;
    struct decode_sync_fit fit;
    enum decode_sync_result result;
    if (rule->fixed || rule->name[0] == '\0') {
        source->line = rule->line;
        return 0;
    }
    result = decode_sync_fit(&fit, &sync->marks[0], &sync->marks[i]);
    if (result == DECODE_SYNC_NO_MEMORY)
        return trace_fail(&source->trace, "%s: no memory for pairs", source->trace.input_name);
    if (result == DECODE_SYNC_NO_PAIRS)
        return trace_fail(&source->trace, "%s and %s have no event %s of the same number (%zu and %zu are there)",
                          first->trace.input_name, source->trace.input_name, rule->name, sync->marks[0].seen,
                          sync->marks[i].seen);
    if (result == DECODE_SYNC_CONTRADICTION)
        return fail_contradiction(source, &fit, rule->name);
    source->line = fit.line;
    if (!source->trace.quiet)
        report_fit(source, first, &fit, rule->name);
    return 0;
}

/* ---- early times ------------------------------------------------------------------------------------------------- */

/* When source i begins, by the first source's clock. */
static int64_t begin_of(const struct decode_clock_sync *sync, unsigned i)
{
    const struct decode_sync_marks *marks = &sync->marks[i];
    return (int64_t)marks->first + decode_clock_offset(&sync->decoders[i].source.line, marks->first);
}

/* By how many ns, in whole seconds, all times must become later so that no further source begins before time 0. */
static int64_t find_lead(const struct decode_clock_sync *sync)
{
    int64_t least = 0;
    for (unsigned i = 1; i < sync->n; i++) {
        if (sync->marks[i].events > 0 && begin_of(sync, i) < least)
            least = begin_of(sync, i);
    }
    return (NS_PER_S - 1 - least) / NS_PER_S * NS_PER_S;
}

/* Make all times later by that much, and note which sources' times change at all. */
static void add_lead(struct decode_clock_sync *sync)
{
    int64_t ns = find_lead(sync);
    for (unsigned i = 0; i < sync->n; i++) {
        struct decode_source *source = &sync->decoders[i].source;
        source->line.offset += ns;
        source->moves = source->line.offset != 0 || source->line.drift != 0;
    }
    if (ns > 0 && !sync->decoders[0].source.trace.quiet)
        message("%s: times are %" PRId64 " s later, because another input begins before this clock",
                sync->decoders[0].source.trace.input_name, ns / NS_PER_S);
}

/* If an event of any output, of which each guest has its own, is earlier than the writer's file can hold, or viewers
 * show it so early beside the first source, let the times in all files be a second later. So they stay those of each
 * other, and are easily told from the target's. */
static void add_later(struct decode_clock_sync *sync, const struct decode_request *request, bool merged)
{
    bool early = false;
    for (unsigned i = 0; i < sync->n; i++) {
        int64_t first = begin_of(sync, i), least = (int64_t)request->writer->earliest;
        early |= sync->marks[i].events > 0 && (first < least || (!merged && (int64_t)sync->marks[i].first < least));
    }
    for (unsigned i = 0; i < sync->n && early; i++)
        sync->decoders[i].source.options.later = NS_PER_S;
}

/* ---- guests ------------------------------------------------------------------------------------------------------ */

/* Make every bit of the result depend on many bits of the number. */
static uint64_t mix(uint64_t number)
{
    number = (number ^ number >> 31) * UINT64_C(0x9E3779B97F4A7C15);
    return number ^ number >> 29;
}

/* The id of source i's trace, never 0. It is made of what the scans found, so that the same inputs always get the same
 * ids, and of i, so that two inputs of one call differ. */
static uint64_t make_id(const struct decode_clock_sync *sync, unsigned i)
{
    uint64_t id = i + 1u;
    for (unsigned k = 0; k < sync->n; k++)
        id = mix(mix(mix(id ^ sync->marks[k].first) ^ sync->marks[k].last) ^ sync->marks[k].events << 8);
    return id | 1;
}

/* How far apart points are, in ns, so that a viewer's product stays below PRODUCT_MAX. */
static uint64_t choose_step(double drift)
{
    uint64_t step = STEP_MAX;
    while ((drift < 0 ? -drift : drift) * (double)step * (double)step > PRODUCT_MAX)
        step /= 2;
    return step;
}

/* Make the points that tell viewers what to add to times of source i, i > 0. Without drift one point is enough. Viewers
 * interpolate between points, not after the last one, so that must not be before the last event. 0, or -1 after
 * trace_fail(). */
static int make_points(struct decode_clock_sync *sync, unsigned i)
{
    struct decode_source *source = &sync->decoders[i].source;
    const struct decode_sync_marks *marks = &sync->marks[i];
    uint64_t step = choose_step(source->line.drift), span = marks->last - marks->first;
    size_t n = source->line.drift == 0 ? 1 : (size_t)(span / step) + 2u;
    uint64_t *times = heap_calloc(n, sizeof *times);
    int64_t *offsets = heap_calloc(n, sizeof *offsets);
    sync->times[i - 1u] = times;
    sync->offsets[i - 1u] = offsets;
    if (times == NULL || offsets == NULL || n > POINTS_MAX)
        return trace_fail(&source->trace, "%s: no room for what its clock drifts", source->trace.input_name);
    for (size_t k = 0; k < n; k++) {
        times[k] = marks->first + k * step + source->options.later;
        offsets[k] = decode_clock_offset(&source->line, times[k] - source->options.later);
    }
    sync->shifts[i - 1u] = (struct trace_time_shift){
        .peer = sync->decoders[0].source.options.id, .n = n, .times = times, .offsets = offsets};
    return 0;
}

/* Fill in the writers' options of the host, source 0, and of its guests. 0, or -1 after trace_fail(). */
static int set_guests(struct decode_clock_sync *sync, const struct decode_request *request)
{
    struct trace_options *host = &sync->decoders[0].source.options;
    host->id = make_id(sync, 0);
    host->guests = sync->guests;
    host->nguests = sync->n - 1u;
    for (unsigned i = 1; i < sync->n; i++) {
        struct decode_source *source = &sync->decoders[i].source;
        struct trace_options *options = &source->options;
        if (make_points(sync, i) != 0)
            return -1;
        options->id = make_id(sync, i);
        options->time_shift = &sync->shifts[i - 1u];
        options->instances = false; /* viewers do not apply a shift to instances */
        sync->guests[i - 1u] = (struct trace_guest){request->inputs[i].guest, options->id, source->ncpus};
        source->moves = false; /* viewers add the shift */
    }
    return 0;
}

/* ---- all sources ------------------------------------------------------------------------------------------------- */

/* 0, or -1 after trace_fail() of one of the sources. */
static int sync_sources(struct decode_clock_sync *sync, const struct decode_request *request)
{
    bool merged = !decode_has_guests(request);
    for (unsigned i = 0; i < sync->n; i++) {
        struct collector to = {sync->rule, &sync->marks[i]};
        if (decode_source_scan(&sync->decoders[i].source, collect, &to) != 0
            || check(&sync->decoders[i].source, merged) != 0)
            return -1;
        sync->marks[i].seen = sync->marks[i].n;
    }
    for (unsigned i = 1; i < sync->n; i++) {
        if (find_line(sync, i) != 0)
            return -1;
    }
    add_lead(sync);
    add_later(sync, request, merged);
    return merged ? 0 : set_guests(sync, request);
}

struct decode_clock_sync *decode_sync_clocks(struct tlog_decoder *decoders, unsigned n,
                                             const struct decode_request *request)
{
    static const struct decode_sync_rule none; /* no marks: the clocks are one */
    struct decode_clock_sync *sync = heap_calloc(1, sizeof *sync);
    if (sync == NULL) {
        trace_fail(&decoders->source.trace, "no memory");
        return NULL;
    }
    sync->decoders = decoders;
    sync->n = n;
    sync->rule = request->sync != NULL ? request->sync : &none;
    if (sync_sources(sync, request) == 0)
        return sync;
    decode_clock_sync_free(sync);
    return NULL;
}

void decode_clock_sync_free(struct decode_clock_sync *sync)
{
    if (sync == NULL)
        return;
    for (unsigned i = 0; i < DECODE_INPUTS_MAX; i++)
        heap_free(sync->marks[i].mark);
    for (unsigned i = 0; i < FURTHER_MAX; i++) {
        heap_free(sync->times[i]);
        heap_free(sync->offsets[i]);
    }
    heap_free(sync);
}
