/* tie.c - see tie.h. */
#include "decode/tie.h"
#include "model/module.h"
#include "model/message.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_S   1000000000u
#define TIME_LEAST 1000u   /* viewers do not like times before that */
#define POINTS_MAX 100000u /* of a clock that drifts */
#define REACH                                                                                                          \
    0x1p61 /* what a reader can hold of the product it makes of a distance and what the offset changes in it */
#define STEP_MOST (UINT64_C(1) << 40)

struct tie {
    struct source *sources;
    unsigned n;
    const struct sync_rule *rule;
    struct sync_marks marks[DECODE_MORE + 1u];
    struct trace_guest guests[DECODE_MORE];
    struct trace_shift shifts[DECODE_MORE];
    uint64_t *times[DECODE_MORE];
    int64_t *offsets[DECODE_MORE];
};

/* ---- lines ------------------------------------------------------------------------------------------------------- */

/* The clock is known, and the tasks are those that the firmware numbered. */
static int check(struct source *source, bool merged)
{
    if (merged && source->mapped)
        return trace_fail(&source->trace, "%s: events of %s bear tasks of their own and cannot be merged",
                          source->trace.input_name, source->reader->name);
    if (!source->clocked)
        return trace_fail(&source->trace, "%s: the clock's frequency is not known; --clock-hz=N tells it",
                          source->trace.input_name);
    return 0;
}

static int contradiction(struct source *source, const struct sync_fit *fit, const char *name)
{
    if (fit->line.drift > SYNC_DRIFT_MAX || fit->line.drift < -SYNC_DRIFT_MAX)
        return trace_fail(&source->trace,
                          "%s: by %zu pairs of %s the clock would be wrong by %.1f %%: not one firmware's",
                          source->trace.input_name, fit->pairs, name, fit->line.drift * 100);
    return trace_fail(&source->trace,
                      "%s: %zu pairs of %s contradict each other: number %" PRIu64 " is off by %" PRIu64
                      " ns, and they are %" PRIu64 " ns apart",
                      source->trace.input_name, fit->pairs, name, fit->worst_number, fit->worst, fit->apart);
}

static void say_fit(const struct source *source, const struct source *first, const struct sync_fit *fit,
                    const char *name)
{
    message("%s: %zu pair%s of %s with %s: times %+" PRId64 " ns, drift %+.3f ppm, off by %" PRIu64 " ns at most",
            source->trace.input_name, fit->pairs, fit->pairs == 1 ? "" : "s", name, first->trace.input_name,
            fit->line.offset, fit->line.drift * 1e6, fit->worst);
    if (fit->repeated > 0)
        message("%s: %zu number%s of %s came more than once, there or in %s, and were left out",
                source->trace.input_name, fit->repeated, fit->repeated == 1 ? "" : "s", name, first->trace.input_name);
}

/* Find the line of the i-th source, i > 0. */
static int find_line(struct tie *tie, unsigned i)
{
    struct source *source = &tie->sources[i], *first = tie->sources;
    struct sync_fit fit;
    enum sync_result result;

    if (tie->rule->fixed || tie->rule->name[0] == '\0') {
        source->line = tie->rule->line;
        return 0;
    }
    result = sync_fit(&fit, &tie->marks[0], &tie->marks[i]);
    if (result == SYNC_NO_MEMORY)
        return trace_fail(&source->trace, "%s: no memory for pairs", source->trace.input_name);
    if (result == SYNC_NO_PAIRS)
        return trace_fail(&source->trace, "%s and %s have no event %s of the same number (%zu and %zu are there)",
                          first->trace.input_name, source->trace.input_name, tie->rule->name, tie->marks[0].seen,
                          tie->marks[i].seen);
    if (result == SYNC_CONTRADICTION)
        return contradiction(source, &fit, tie->rule->name);
    source->line = fit.line;
    if (!source->trace.quiet)
        say_fit(source, first, &fit, tie->rule->name);
    return 0;
}

/* How much later all times must be, so that none is too early for a viewer: whole seconds. */
static int64_t find_lead(const struct tie *tie)
{
    int64_t least = TIME_LEAST;

    for (unsigned i = 0; i < tie->n; i++) {
        const struct sync_marks *marks = &tie->marks[i];
        int64_t first = (int64_t)marks->first + sync_offset(&tie->sources[i].line, marks->first);

        if (i > 0 && marks->events > 0 && first < least)
            least = first;
    }
    return (TIME_LEAST - least + NS_PER_S - 1) / NS_PER_S * NS_PER_S;
}

static void lead(struct tie *tie)
{
    int64_t ns = find_lead(tie);

    for (unsigned i = 0; i < tie->n; i++) {
        tie->sources[i].line.offset += ns;
        tie->sources[i].moved = tie->sources[i].line.offset != 0 || tie->sources[i].line.drift != 0;
    }
    if (ns > 0 && !tie->sources[0].trace.quiet)
        message("%s: times are %" PRId64 " s later, because another input begins before this clock",
                tie->sources[0].trace.input_name, ns / NS_PER_S);
}

/* ---- guests ------------------------------------------------------------------------------------------------------ */

static uint64_t mix(uint64_t id)
{
    id = (id ^ id >> 31) * UINT64_C(0x9E3779B97F4A7C15);
    return id ^ id >> 29;
}

/* The same inputs have the same ids, and those of two inputs are two. */
static uint64_t id_of(const struct tie *tie, unsigned i)
{
    uint64_t id = i + 1u;

    for (unsigned k = 0; k < tie->n; k++)
        id = mix(mix(mix(id ^ tie->marks[k].first) ^ tie->marks[k].last) ^ tie->marks[k].events << 8);
    return id | 1;
}

/* From one point to the next, so that what a reader computes between them is exact. */
static uint64_t step_of(double drift)
{
    uint64_t step = STEP_MOST;

    while ((drift < 0 ? -drift : drift) * (double)step * (double)step > REACH)
        step /= 2;
    return step;
}

static int make_points(struct tie *tie, unsigned i, const struct sync_line *line, const struct sync_marks *marks)
{
    struct trace_shift *shift = &tie->shifts[i];
    uint64_t step = step_of(line->drift), span = marks->last - marks->first;
    size_t n = line->drift == 0 ? 1 : (size_t)(span / step) + 2u;
    uint64_t *times = calloc(n, sizeof *times);
    int64_t *offsets = calloc(n, sizeof *offsets);

    shift->times = tie->times[i] = times;
    shift->offsets = tie->offsets[i] = offsets;
    shift->n = n;
    if (times == NULL || offsets == NULL || n > POINTS_MAX)
        return trace_fail(&tie->sources[i + 1u].trace, "%s: no room for what its clock drifts",
                          tie->sources[i + 1u].trace.input_name);
    for (size_t k = 0; k < n; k++) {
        times[k] = marks->first + k * step;
        offsets[k] = sync_offset(line, times[k]);
    }
    return 0;
}

static int tie_guests(struct tie *tie, const struct decode_request *request)
{
    struct trace_options *host = &tie->sources[0].options;

    host->id = id_of(tie, 0);
    host->guests = tie->guests;
    host->nguests = tie->n - 1u;
    for (unsigned i = 0; i + 1u < tie->n; i++) {
        struct source *source = &tie->sources[i + 1u];
        struct trace_options *options = &source->options;

        options->id = id_of(tie, i + 1u);
        options->instances = false; /* readers do not shift those */
        options->shift = &tie->shifts[i];
        tie->guests[i] = (struct trace_guest){request->more[i].guest, options->id, source->ncpus};
        tie->shifts[i].peer = host->id;
        if (make_points(tie, i, &source->line, &tie->marks[i + 1u]) != 0)
            return -1;
        source->moved = false; /* its file has its own times */
    }
    return 0;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static int tie_all(struct tie *tie, const struct decode_request *request)
{
    bool merged = request->more[0].guest == NULL;

    for (unsigned i = 0; i < tie->n; i++) {
        if (source_scan(&tie->sources[i], tie->rule, &tie->marks[i]) != 0 || check(&tie->sources[i], merged) != 0)
            return -1;
        tie->marks[i].seen = tie->marks[i].n;
    }
    for (unsigned i = 1; i < tie->n; i++) {
        if (find_line(tie, i) != 0)
            return -1;
    }
    lead(tie);
    return merged ? 0 : tie_guests(tie, request);
}

struct tie *tie_sources(struct source *sources, unsigned n, const struct decode_request *request)
{
    static const struct sync_rule none;
    struct tie *tie = calloc(1, sizeof *tie);

    if (tie == NULL) {
        trace_fail(&sources->trace, "no memory");
        return NULL;
    }
    tie->sources = sources;
    tie->n = n;
    tie->rule = request->sync ? request->sync : &none;
    if (tie_all(tie, request) == 0)
        return tie;
    tie_free(tie);
    return NULL;
}

void tie_free(struct tie *tie)
{
    if (tie == NULL)
        return;
    for (unsigned i = 0; i <= DECODE_MORE; i++)
        sync_marks_free(&tie->marks[i]);
    for (unsigned i = 0; i < DECODE_MORE; i++) {
        free(tie->times[i]);
        free(tie->offsets[i]);
    }
    free(tie);
}
