/* tie.c - see tie.h.
 *
 * Index i is that of a source, 0 to n - 1; what only further sources have is at i - 1 in its table.
 */
#include "decode/tie.h"
#include "model/module.h"
#include "model/message.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_S   1000000000u
#define TIME_LEAST 1000u                    /* ns; the earliest time that viewers take as one */
#define POINTS_MAX 100000u                  /* points of one guest whose clock drifts */
#define STEP_MAX   (UINT64_C(1) << 40)      /* ns from one point to the next; a power of two */
#define REST_MAX   (DECODE_INPUTS_MAX - 1u) /* further sources */

/* Largest product in a reader's computation, which has 64 bits with a sign. Between two points a reader multiplies
 * the distance from the first one by what the offset changes up to the second one, and adds half of the points'
 * distance. */
#define PRODUCT_MAX 0x1p61

struct decode_tie {
    struct decode_source *sources;
    unsigned n;
    const struct decode_sync_rule *rule;
    struct decode_sync_marks marks[DECODE_INPUTS_MAX];
    struct trace_guest guests[REST_MAX];
    struct trace_shift shifts[REST_MAX];
    uint64_t *times[REST_MAX];  /* of the points of shifts: what is to be freed */
    int64_t *offsets[REST_MAX]; /* likewise */
};

/* ---- lines ------------------------------------------------------------------------------------------------------- */

/* Refuse a source whose times are ticks, and one to be merged whose reader gives events their tasks: those cannot be
 * numbered through. 0, or -1 after trace_fail(). */
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

/* Fail with the reason why no line fits. name: of the marks' type. Always -1. */
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
            source->trace.input_name, fit->pairs, fit->pairs == 1 ? "" : "s", name, first->trace.input_name,
            fit->line.offset, fit->line.drift * 1e6, fit->worst);
    if (fit->repeated > 0)
        message("%s: %zu number%s of %s came more than once, there or in %s, and were left out",
                source->trace.input_name, fit->repeated, fit->repeated == 1 ? "" : "s", name, first->trace.input_name);
}

/* Find the line of the i-th source, i > 0, to the first one's clock. 0, or -1 after trace_fail(). */
static int find_line(struct decode_tie *tie, unsigned i)
{
    struct decode_source *source = &tie->sources[i], *first = tie->sources;
    const struct decode_sync_rule *rule = tie->rule;
    struct decode_sync_fit fit;
    enum decode_sync_result result;
    if (rule->fixed || rule->name[0] == '\0') {
        source->line = rule->line;
        return 0;
    }
    result = decode_sync_fit(&fit, &tie->marks[0], &tie->marks[i]);
    if (result == DECODE_SYNC_NO_MEMORY)
        return trace_fail(&source->trace, "%s: no memory for pairs", source->trace.input_name);
    if (result == DECODE_SYNC_NO_PAIRS)
        return trace_fail(&source->trace, "%s and %s have no event %s of the same number (%zu and %zu are there)",
                          first->trace.input_name, source->trace.input_name, rule->name, tie->marks[0].seen,
                          tie->marks[i].seen);
    if (result == DECODE_SYNC_CONTRADICTION)
        return fail_contradiction(source, &fit, rule->name);
    source->line = fit.line;
    if (!source->trace.quiet)
        report_fit(source, first, &fit, rule->name);
    return 0;
}

/* ---- early times ------------------------------------------------------------------------------------------------- */

/* How many ns, whole seconds, all times must be later so that no further source has an event before TIME_LEAST. */
static int64_t find_lead(const struct decode_tie *tie)
{
    int64_t least = TIME_LEAST;
    for (unsigned i = 1; i < tie->n; i++) {
        const struct decode_sync_marks *marks = &tie->marks[i];
        int64_t first = (int64_t)marks->first + decode_sync_offset(&tie->sources[i].line, marks->first);
        if (marks->events > 0 && first < least)
            least = first;
    }
    return (TIME_LEAST - least + NS_PER_S - 1) / NS_PER_S * NS_PER_S;
}

/* Make all times later by that, and note which sources' times change at all. */
static void add_lead(struct decode_tie *tie)
{
    int64_t ns = find_lead(tie);
    for (unsigned i = 0; i < tie->n; i++) {
        struct decode_source *source = &tie->sources[i];
        source->line.offset += ns;
        source->moves = source->line.offset != 0 || source->line.drift != 0;
    }
    if (ns > 0 && !tie->sources[0].trace.quiet)
        message("%s: times are %" PRId64 " s later, because another input begins before this clock",
                tie->sources[0].trace.input_name, ns / NS_PER_S);
}

/* ---- guests ------------------------------------------------------------------------------------------------------ */

/* Spread each bit of the number over all others. */
static uint64_t mix(uint64_t number)
{
    number = (number ^ number >> 31) * UINT64_C(0x9E3779B97F4A7C15);
    return number ^ number >> 29;
}

/* Make the id of the i-th source's trace of what the scans found: the same inputs always get the same ids, and two
 * inputs of one call get different ones. Never 0. */
static uint64_t make_id(const struct decode_tie *tie, unsigned i)
{
    uint64_t id = i + 1u;
    for (unsigned k = 0; k < tie->n; k++)
        id = mix(mix(mix(id ^ tie->marks[k].first) ^ tie->marks[k].last) ^ tie->marks[k].events << 8);
    return id | 1;
}

/* The distance of points, in ns, with which a reader's product stays below PRODUCT_MAX. */
static uint64_t choose_step(double drift)
{
    uint64_t step = STEP_MAX;
    while ((drift < 0 ? -drift : drift) * (double)step * (double)step > PRODUCT_MAX)
        step /= 2;
    return step;
}

/* Make the points of the i-th source's shift, i > 0. Readers interpolate between points, so a drift needs several, of
 * which the last one is not before the last event. 0, or -1 after trace_fail(). */
static int make_points(struct decode_tie *tie, unsigned i)
{
    struct decode_source *source = &tie->sources[i];
    const struct decode_sync_marks *marks = &tie->marks[i];
    uint64_t step = choose_step(source->line.drift), span = marks->last - marks->first;
    size_t n = source->line.drift == 0 ? 1 : (size_t)(span / step) + 2u;
    uint64_t *times = calloc(n, sizeof *times);
    int64_t *offsets = calloc(n, sizeof *offsets);
    tie->times[i - 1u] = times;
    tie->offsets[i - 1u] = offsets;
    if (times == NULL || offsets == NULL || n > POINTS_MAX)
        return trace_fail(&source->trace, "%s: no room for what its clock drifts", source->trace.input_name);
    for (size_t k = 0; k < n; k++) {
        times[k] = marks->first + k * step;
        offsets[k] = decode_sync_offset(&source->line, times[k]);
    }
    tie->shifts[i - 1u] =
        (struct trace_shift){.peer = tie->sources[0].options.id, .n = n, .times = times, .offsets = offsets};
    return 0;
}

/* Fill in the writers' options of the host, which is the first source, and of the guests, which are the others. 0, or
 * -1 after trace_fail(). */
static int tie_guests(struct decode_tie *tie, const struct decode_request *request)
{
    struct trace_options *host = &tie->sources[0].options;
    host->id = make_id(tie, 0);
    host->guests = tie->guests;
    host->nguests = tie->n - 1u;
    for (unsigned i = 1; i < tie->n; i++) {
        struct decode_source *source = &tie->sources[i];
        struct trace_options *options = &source->options;
        if (make_points(tie, i) != 0)
            return -1;
        options->id = make_id(tie, i);
        options->shift = &tie->shifts[i - 1u];
        options->instances = false; /* viewers do not apply a shift to instances */
        tie->guests[i - 1u] = (struct trace_guest){request->inputs[i].guest, options->id, source->ncpus};
        source->moves = false; /* its output has the times of its own clock */
    }
    return 0;
}

/* ---- all sources ------------------------------------------------------------------------------------------------- */

/* 0, or -1 after trace_fail() of one of the sources. */
static int tie_sources(struct decode_tie *tie, const struct decode_request *request)
{
    bool merged = !decode_has_guests(request);
    for (unsigned i = 0; i < tie->n; i++) {
        if (decode_source_scan(&tie->sources[i], tie->rule, &tie->marks[i]) != 0
            || check(&tie->sources[i], merged) != 0)
            return -1;
        tie->marks[i].seen = tie->marks[i].n;
    }
    for (unsigned i = 1; i < tie->n; i++) {
        if (find_line(tie, i) != 0)
            return -1;
    }
    add_lead(tie);
    return merged ? 0 : tie_guests(tie, request);
}

struct decode_tie *decode_tie(struct decode_source *sources, unsigned n, const struct decode_request *request)
{
    static const struct decode_sync_rule none; /* no event is a mark, and the line adds nothing */
    struct decode_tie *tie = calloc(1, sizeof *tie);
    if (tie == NULL) {
        trace_fail(&sources->trace, "no memory");
        return NULL;
    }
    tie->sources = sources;
    tie->n = n;
    tie->rule = request->sync != NULL ? request->sync : &none;
    if (tie_sources(tie, request) == 0)
        return tie;
    decode_tie_free(tie);
    return NULL;
}

void decode_tie_free(struct decode_tie *tie)
{
    if (tie == NULL)
        return;
    for (unsigned i = 0; i < DECODE_INPUTS_MAX; i++)
        decode_sync_marks_free(&tie->marks[i]);
    for (unsigned i = 0; i < REST_MAX; i++) {
        free(tie->times[i]);
        free(tie->offsets[i]);
    }
    free(tie);
}
