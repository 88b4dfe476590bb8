/* decode.c - one run of the decoder: see decode.h.
 *
 * A run writes one file, of one source or of several that are merged; guests get a run each. A writer that does not want
 * CPUs merged gets lane after lane. For one that does, the lane with the earliest event is written until another has
 * an earlier one.
 */
#include "decode/decode.h"
#include "model/module.h"
#include "model/message.h"
#include "decode/merge.h"
#include "io/output.h"
#include "decode/source.h"
#include "decode/tie.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUNS_MAX     (DECODE_MORE + 1u)
#define STILL_EVENTS 16u /* so many at one time are no chance, even if the clock is slow */

struct run {
    const struct decode_request *request;
    struct source *sources;
    unsigned nsources;
    struct merge merge;      /* of several sources: */
    struct trace merged;     /* theirs */
    struct trace *trace;     /* what is written: merged, or the only source's */
    char path[1024];         /* of a guest's output */
    const char *output_path; /* "-" or NULL = standard output */
    void *writer_state;
    struct output output;
    struct trace_batch part; /* events of one lane, for a merged writer */
    bool unheard;            /* writing failed because nobody reads the output any more */
};

/* All that one call of the program does. */
struct session {
    const struct decode_request *request;
    struct source sources[RUNS_MAX];
    unsigned nsources;
    struct run *runs;
    unsigned nruns;
    struct tie *tie;
};

/* ---- messages ---------------------------------------------------------------------------------------------------- */

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

/* Writers do not know where their bytes go, so their errors get the output's name here. */
static int writer_failed(struct run *run)
{
    char error[sizeof run->trace->error];

    memcpy(error, run->trace->error, sizeof error);
    snprintf(run->trace->error, sizeof run->trace->error, "%s: %.400s", run->output.name, error);
    run->unheard = output_is_closed(&run->output);
    return -1;
}

/* ---- lanes ------------------------------------------------------------------------------------------------------- */

/* The source that a CPU of the file is of, and its number there. */
static struct source *source_of(const struct run *run, unsigned *cpu)
{
    return run->nsources > 1 ? merge_source(&run->merge, cpu) : run->sources;
}

static struct lane *lane_of(const struct run *run, unsigned cpu)
{
    struct source *source = source_of(run, &cpu);

    return &source->lanes[cpu];
}

/* Bring the next events into the CPU's lane: 1, 0 at the end, -1 on failure. */
static int lane_fill(struct run *run, unsigned cpu)
{
    struct source *source = source_of(run, &cpu);
    int got = source_fill(source, cpu);

    if (got > 0 && run->nsources > 1 && merge_batch(&run->merge, source, &source->lanes[cpu].out) != 0)
        return -1;
    return got;
}

static int write_batch(struct run *run, unsigned cpu, const struct trace_batch *batch)
{
    if (batch->n > 0 && run->request->writer->write(run->writer_state, cpu, batch) != 0)
        return writer_failed(run);
    return 0;
}

static int write_lane(struct run *run, unsigned cpu)
{
    int got;

    while ((got = lane_fill(run, cpu)) > 0) {
        if (write_batch(run, cpu, &lane_of(run, cpu)->out) != 0)
            return -1;
    }
    return got;
}

/* ---- merging ----------------------------------------------------------------------------------------------------- */

/* The lane with the earliest event, or -1, and in *until the earliest time of the others. Among equal times the lower
 * CPU comes first, so the order never depends on how events fell into batches. */
static int earliest_lane(const struct run *run, uint64_t *until)
{
    int best = -1;
    uint64_t time = 0;

    *until = UINT64_MAX;
    for (unsigned cpu = 0; cpu < run->trace->ncpus; cpu++) {
        const struct lane *lane = lane_of(run, cpu);
        uint64_t next = lane_has(lane) ? lane->out.event[lane->at].time : 0;

        if (!lane_has(lane))
            continue;
        if (best < 0 || next < time) {
            *until = best < 0 ? UINT64_MAX : time;
            best = (int)cpu;
            time = next;
        } else if (next < *until) {
            *until = next;
        }
    }
    return best;
}

/* Write the lane's first event and all that come before another lane's. */
static int write_part(struct run *run, unsigned cpu, uint64_t until)
{
    struct lane *lane = lane_of(run, cpu);

    run->part.n = 0;
    do {
        run->part.event[run->part.n++] = lane->out.event[lane->at++];
    } while (lane_has(lane) && lane->out.event[lane->at].time < until);
    return write_batch(run, cpu, &run->part);
}

static int write_merged(struct run *run)
{
    uint64_t until;
    int cpu;

    for (unsigned i = 0; i < run->trace->ncpus; i++) {
        if (lane_fill(run, i) < 0)
            return -1;
    }
    while ((cpu = earliest_lane(run, &until)) >= 0) {
        if (write_part(run, (unsigned)cpu, until) != 0)
            return -1;
        if (!lane_has(lane_of(run, (unsigned)cpu)) && lane_fill(run, (unsigned)cpu) < 0)
            return -1;
    }
    return 0;
}

static int write_all(struct run *run)
{
    if (run->request->writer->merged && run->trace->ncpus > 1)
        return write_merged(run);
    for (unsigned cpu = 0; cpu < run->trace->ncpus; cpu++) {
        if (write_lane(run, cpu) != 0)
            return -1;
    }
    return 0;
}

/* ---- one file ---------------------------------------------------------------------------------------------------- */

static int open_place(struct run *run)
{
    const struct trace_writer *writer = run->request->writer;
    const char *path = run->output_path;

    if (writer->may_replace == NULL)
        return output_open(&run->output, run->trace, path, writer->seeks);
    if (path == NULL || strcmp(path, "-") == 0)
        return trace_fail(run->trace, "%s is a directory: -o DIR says which", writer->name);
    return output_open_directory(&run->output, run->trace, path, writer->may_replace);
}

/* Neither a dump nor the firmware it is of may be lost. */
static bool replaces_input(const struct output *output, const struct source *source)
{
    return output_replaces(output, source->path)
           || (source->elf_path != NULL && output_replaces(output, source->elf_path));
}

/* Comes before the input, which may be long in coming and never come again. */
static int open_output(struct run *run, const struct session *session)
{
    const struct decode_request *request = run->request;

    if (open_place(run) != 0)
        return -1;
    if (request->writer->binary && !request->force && output_is_terminal(&run->output))
        return trace_fail(run->trace, "%s is binary and not for a terminal; -o FILE writes a file, --force insists",
                          request->writer->name);
    for (unsigned i = 0; i < session->nsources; i++) {
        if (replaces_input(&run->output, &session->sources[i]))
            return trace_fail(run->trace, "%s: is the input, and stays as it is", run->output.name);
    }
    return 0;
}

static void say_input(const struct source *source)
{
    const struct trace *trace = &source->trace;
    char size[48] = "a directory";

    if (input_directory(source->input) < 0)
        snprintf(size, sizeof size, "%" PRIu64 " bytes", input_size(source->input));
    message("%s: %s, %s, %u CPU%s, clock %" PRIu64 " Hz, target %s", trace->input_name, source->reader->name, size,
            trace->ncpus, plural(trace->ncpus), trace->clock_hz, trace->target ? trace->target : "unknown");
}

static int start_sources(struct run *run)
{
    for (unsigned i = 0; i < run->nsources; i++) {
        if (source_start(&run->sources[i]) != 0)
            return -1;
        if (run->request->verbose)
            say_input(&run->sources[i]);
    }
    return run->nsources > 1 ? merge_open(&run->merge, run->trace, run->sources, run->nsources) : 0;
}

static int open_writer(struct run *run)
{
    run->writer_state = run->request->writer->open(run->trace, &run->sources->options, run->output.fd);
    if (run->writer_state == NULL)
        return writer_failed(run);
    return 0;
}

static int close_writer(struct run *run, bool ok)
{
    void *state = run->writer_state;

    run->writer_state = NULL;
    if (state == NULL || run->request->writer->close(state, ok) == 0 || !ok)
        return 0;
    return writer_failed(run);
}

/* Write the whole file, which appears later. */
static int transform(struct run *run)
{
    const struct trace_counts *counts = &run->trace->counts;

    if (start_sources(run) != 0 || open_writer(run) != 0)
        return -1;
    if (run->request->verbose)
        message("%s: writing %s", run->output.name, run->request->writer->name);
    if (write_all(run) != 0)
        return -1;
    if (run->nsources > 1)
        merge_count(&run->merge);
    if (counts->events == 0 && counts->gaps > 0)
        return trace_fail(run->trace, "%s: nothing decodable, %" PRIu64 " damaged part%s", run->trace->input_name,
                          counts->gaps, plural(counts->gaps));
    return close_writer(run, true);
}

static int appear(struct run *run)
{
    if (output_finish(&run->output, run->trace) == 0)
        return 0;
    run->unheard = output_is_closed(&run->output);
    return -1;
}

static void summarise(const struct run *run)
{
    const struct trace *trace = run->trace;
    const struct trace_counts *counts = &trace->counts;
    uint64_t span = counts->last - counts->first;
    char time[48];

    if (trace->clock_hz == 0)
        snprintf(time, sizeof time, "%" PRIu64 " ticks", span);
    else
        snprintf(time, sizeof time, "%" PRIu64 ".%03" PRIu64 " s", span / 1000000000u, span / 1000000u % 1000u);
    fprintf(stderr, "tlog-decode: %s: %" PRIu64 " event%s", run->output.name, counts->events, plural(counts->events));
    if (counts->derived > 0)
        fprintf(stderr, " (+%" PRIu64 " derived)", counts->derived);
    fprintf(stderr, ", %u CPU%s, %s, lost %" PRIu64, trace->ncpus, plural(trace->ncpus), time,
            counts->dropped + counts->overwritten);
    if (counts->dropped + counts->overwritten > 0)
        fprintf(stderr, " (%" PRIu64 " dropped, %" PRIu64 " overwritten)", counts->dropped, counts->overwritten);
    if (counts->unfinished > 0)
        fprintf(stderr, ", unfinished %" PRIu64, counts->unfinished);
    fprintf(stderr, ", damaged %" PRIu64, counts->damaged);
    if (counts->gaps > 0)
        fprintf(stderr, " in %" PRIu64 " part%s", counts->gaps, plural(counts->gaps));
    fputc('\n', stderr);
}

/* A cycle counter that nobody has switched on reads the same for ever. */
static void note_still_clock(const struct source *source)
{
    const struct trace_counts *counts = &source->trace.counts;

    if (counts->events >= STILL_EVENTS && counts->first == counts->last)
        trace_note(&source->trace, "all %" PRIu64 " events bear the same time: the target's clock did not run",
                   counts->events);
}

/* ---- all files --------------------------------------------------------------------------------------------------- */

/* DIR/out.dat and the name of a guest: DIR/out-NAME.dat */
static void name_guest_file(struct run *run, const char *output, const char *guest)
{
    const char *slash = strrchr(output, '/');
    const char *dot = strrchr(slash ? slash : output, '.');
    int stem = dot ? (int)(dot - output) : (int)strlen(output);

    if (snprintf(run->path, sizeof run->path, "%.*s-%s%s", stem, output, guest, dot ? dot : "")
        >= (int)sizeof run->path)
        trace_fail(run->trace, "%s: the name is too long", output);
    run->output_path = run->path;
}

static void init_run(struct run *run, struct session *session, unsigned i, unsigned n)
{
    run->request = session->request;
    run->sources = &session->sources[i];
    run->nsources = n;
    run->trace = &run->sources->trace;
    run->output_path = session->request->output;
    run->output.fd = run->output.final_fd = -1;
    if (n > 1) {
        run->trace = &run->merged;
        trace_init(run->trace, run->sources->trace.input_name);
        run->trace->quiet = session->request->quiet;
    }
    if (i > 0)
        name_guest_file(run, session->request->output, session->request->more[i - 1u].guest);
}

static void init(struct session *session)
{
    const struct decode_request *request = session->request;
    bool guests = request->nmore > 0 && request->more[0].guest != NULL;

    session->nsources = request->nmore + 1u;
    source_init(&session->sources[0], request, request->input, request->elf);
    for (unsigned i = 0; i < request->nmore; i++)
        source_init(&session->sources[i + 1u], request, request->more[i].path, request->more[i].elf);
    session->nruns = guests ? session->nsources : 1;
    for (unsigned i = 0; i < session->nruns; i++)
        init_run(&session->runs[i], session, i, guests ? 1 : session->nsources);
    for (unsigned i = 0; !guests && session->nsources > 1 && i < session->nsources; i++)
        merge_name_tasks(&session->sources[i], i);
}

static int prepare(struct session *session)
{
    for (unsigned i = 0; i < session->nruns; i++) {
        if (session->runs[i].trace->failed || open_output(&session->runs[i], session) != 0)
            return -1;
    }
    for (unsigned i = 0; i < session->nsources; i++) {
        if (source_prepare(&session->sources[i]) != 0)
            return -1;
    }
    if (session->nsources > 1)
        session->tie = tie_sources(session->sources, session->nsources, session->request);
    return session->nsources == 1 || session->tie != NULL ? 0 : -1;
}

/* No file appears before all are whole; the one with the name that was given comes last. */
static int write_files(struct session *session)
{
    if (prepare(session) != 0)
        return -1;
    for (unsigned i = 0; i < session->nruns; i++) {
        if (transform(&session->runs[i]) != 0)
            return -1;
    }
    for (unsigned i = session->nruns; i-- > 0;) {
        if (appear(&session->runs[i]) != 0)
            return -1;
    }
    return 0;
}

static const char *error_of(const struct session *session)
{
    for (unsigned i = 0; i < session->nruns; i++) {
        if (session->runs[i].trace->failed)
            return session->runs[i].trace->error;
    }
    for (unsigned i = 0; i < session->nsources; i++) {
        if (session->sources[i].trace.failed)
            return session->sources[i].trace.error;
    }
    return "failed";
}

static enum decode_exit succeed(const struct session *session)
{
    enum decode_exit result = DECODE_WHOLE;

    for (unsigned i = 0; i < session->nsources; i++)
        note_still_clock(&session->sources[i]);
    for (unsigned i = 0; i < session->nruns; i++) {
        const struct trace_counts *counts = &session->runs[i].trace->counts;

        if (counts->gaps + counts->damaged > 0)
            result = DECODE_DAMAGED;
        if (!session->request->quiet)
            summarise(&session->runs[i]);
    }
    return result;
}

static enum decode_exit fail(struct session *session)
{
    bool unheard = false;

    for (unsigned i = 0; i < session->nruns; i++)
        unheard |= session->runs[i].unheard;
    if (!unheard)
        message("%s", error_of(session));
    for (unsigned i = 0; i < session->nruns; i++)
        output_discard(&session->runs[i].output);
    return DECODE_NOTHING;
}

static void release(struct session *session)
{
    for (unsigned i = 0; i < session->nruns; i++) {
        close_writer(&session->runs[i], false);
        merge_close(&session->runs[i].merge);
        trace_free(&session->runs[i].merged);
    }
    for (unsigned i = 0; i < session->nsources; i++)
        source_release(&session->sources[i]);
    tie_free(session->tie);
    free(session->runs);
    free(session);
}

enum decode_exit decode(const struct decode_request *request)
{
    struct session *session = calloc(1, sizeof *session);
    enum decode_exit result;

    if (session != NULL)
        session->runs = calloc(request->nmore + 1u, sizeof *session->runs);
    if (session == NULL || session->runs == NULL) {
        free(session);
        message("no memory");
        return DECODE_NOTHING;
    }
    session->request = request;
    init(session);
    result = write_files(session) == 0 ? succeed(session) : fail(session);
    release(session);
    return result;
}
