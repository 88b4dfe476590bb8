/* decode.c - one run of the decoder: see decode.h.
 *
 * Every CPU is a lane: the batch its reader filled, and the batch the mapping made of it. A writer that does not want
 * CPUs merged gets lane after lane. For one that does, the lane with the earliest event is written until another has
 * an earlier one. All memory is taken before the first event; payloads stay where the reader or the mapping put them.
 */
#include "decode.h"
#include "elf_image.h"
#include "funcgraph.h"
#include "input.h"
#include "output.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lane {
    struct trace_batch in;  /* from the reader */
    struct trace_batch out; /* from the mapping */
    size_t at;              /* next event of out */
    bool again;             /* the mapping has not used up in */
    bool ended;
};

struct run {
    const struct decode_request *request;
    struct trace trace;
    struct elf_image *elf;
    struct input *input;
    const struct trace_reader *reader;
    void *reader_state;
    struct map *map;
    struct funcgraph *graph;
    void *writer_state;
    struct output output;
    struct lane *lanes;
    struct trace_batch part; /* events of one lane, for a merged writer */
    bool unheard;            /* writing failed because nobody reads the output any more */
};

/* ---- messages ---------------------------------------------------------------------------------------------------- */

void decode_say(const char *format, va_list arguments)
{
    fputs("tlog-decode: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
}

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void say(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    decode_say(format, arguments);
    va_end(arguments);
}

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

/* Writers do not know where their bytes go, so their errors get the output's name here. */
static int writer_failed(struct run *run)
{
    char error[sizeof run->trace.error];

    memcpy(error, run->trace.error, sizeof error);
    snprintf(run->trace.error, sizeof run->trace.error, "%s: %.400s", run->output.name, error);
    run->unheard = output_is_closed(&run->output);
    return -1;
}

/* ---- choosing a reader ------------------------------------------------------------------------------------------- */

static int nobody_knows(struct run *run)
{
    char names[256] = "";
    size_t used = 0;

    for (size_t i = 0; run->request->readers[i] != NULL && used < sizeof names; i++)
        used +=
            (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", run->request->readers[i]->name);
    if (input_directory(run->input) >= 0)
        return trace_fail(&run->trace, "%s: a directory, but not a trace of any known format (%s)",
                          run->trace.input_name, names);
    return trace_fail(&run->trace, "no %s dump found in %s (%" PRIu64 " bytes)", names, run->trace.input_name,
                      input_size(run->input));
}

/* The reader of that name, or NULL. */
static const struct trace_reader *find_reader(const struct run *run, const char *name)
{
    for (size_t i = 0; name != NULL && run->request->readers[i] != NULL; i++) {
        if (strcmp(run->request->readers[i]->name, name) == 0)
            return run->request->readers[i];
    }
    return NULL;
}

/* A reader that was asked for may be one of files. */
static int check_directory(struct run *run)
{
    if (input_directory(run->input) < 0 || run->reader->probe(run->input) != TRACE_NOT_MINE)
        return 0;
    return trace_fail(&run->trace, "%s: a directory, but not a trace of the format %s", run->trace.input_name,
                      run->reader->name);
}

/* What was asked for, else what the input's origin tells, else the surest reader wins; among equals the first. */
static int choose_reader(struct run *run)
{
    enum trace_probe best = TRACE_NOT_MINE;

    run->reader = run->request->reader;
    if (run->reader == NULL)
        run->reader = find_reader(run, input_reader_hint(run->input));
    if (run->reader != NULL)
        return check_directory(run);
    for (size_t i = 0; run->request->readers[i] != NULL; i++) {
        enum trace_probe answer = run->request->readers[i]->probe(run->input);
        bool better = answer == TRACE_MINE || (answer == TRACE_MINE_BROKEN && best != TRACE_MINE)
                      || (answer == TRACE_MAYBE && best == TRACE_NOT_MINE);

        if (!better || best == answer)
            continue;
        best = answer;
        run->reader = run->request->readers[i];
    }
    if (run->trace.failed)
        return -1;
    if (best == TRACE_NOT_MINE)
        return nobody_knows(run);
    if (best == TRACE_MINE_BROKEN)
        return trace_fail(&run->trace, "%s: a %s dump, but broken; --from=%s tries to decode it all the same",
                          run->trace.input_name, run->reader->name, run->reader->name);
    return 0;
}

/* ---- lanes ------------------------------------------------------------------------------------------------------- */

static int lane_read(struct run *run, unsigned cpu)
{
    struct lane *lane = &run->lanes[cpu];
    int got;

    lane->in.n = lane->in.used = 0;
    got = run->reader->read(run->reader_state, cpu, &lane->in);
    if (got < 0 || run->trace.failed)
        return -1;
    lane->ended = got == 0;
    return 0;
}

/* Bring the next mapped events into the lane's out: 1, 0 at the end, -1 on failure. */
static int lane_fill(struct run *run, unsigned cpu)
{
    struct lane *lane = &run->lanes[cpu];

    lane->at = lane->out.n = lane->out.used = 0;
    while (lane->out.n == 0 && !lane->ended) {
        if (!lane->again && lane_read(run, cpu) != 0)
            return -1;
        lane->again = map_batch(run->map, cpu, &lane->in, &lane->out) != 0;
        if (run->trace.failed || funcgraph_batch(run->graph, cpu, &lane->out, lane->in.room) != 0)
            return -1;
    }
    return lane->out.n > 0;
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
        if (write_batch(run, cpu, &run->lanes[cpu].out) != 0)
            return -1;
    }
    return got;
}

/* ---- merging ----------------------------------------------------------------------------------------------------- */

static bool lane_has(const struct lane *lane)
{
    return lane->at < lane->out.n;
}

/* The lane with the earliest event, or -1, and in *until the earliest time of the others. Among equal times the lower
 * CPU comes first, so the order never depends on how events fell into batches. */
static int earliest_lane(const struct run *run, uint64_t *until)
{
    int best = -1;
    uint64_t time = 0;

    *until = UINT64_MAX;
    for (unsigned cpu = 0; cpu < run->trace.ncpus; cpu++) {
        const struct lane *lane = &run->lanes[cpu];
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
    struct lane *lane = &run->lanes[cpu];

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

    for (unsigned i = 0; i < run->trace.ncpus; i++) {
        if (lane_fill(run, i) < 0)
            return -1;
    }
    while ((cpu = earliest_lane(run, &until)) >= 0) {
        if (write_part(run, (unsigned)cpu, until) != 0)
            return -1;
        if (!lane_has(&run->lanes[cpu]) && lane_fill(run, (unsigned)cpu) < 0)
            return -1;
    }
    return 0;
}

static int write_all(struct run *run)
{
    if (run->request->writer->merged && run->trace.ncpus > 1)
        return write_merged(run);
    for (unsigned cpu = 0; cpu < run->trace.ncpus; cpu++) {
        if (write_lane(run, cpu) != 0)
            return -1;
    }
    return 0;
}

/* ---- the run ----------------------------------------------------------------------------------------------------- */

static int open_input(struct run *run)
{
    const struct decode_request *request = run->request;

    run->input = input_open_until(&run->trace, request->input, &request->until);
    if (run->input == NULL || choose_reader(run) != 0)
        return -1;
    run->trace.formats =
        request->writer->formats && !run->trace.options.big_endian && run->trace.options.long_size != 4u;
    run->reader_state = run->reader->open(&run->trace, run->input);
    if (run->reader_state == NULL || run->trace.failed)
        return trace_fail(&run->trace, "%s: cannot be read as %s", run->trace.input_name, run->reader->name);
    run->map = map_new(&run->trace, request->writer->native ? MAP_NATIVE : request->map);
    run->graph = funcgraph_new(&run->trace);
    run->lanes = calloc(run->trace.ncpus + 1u, sizeof *run->lanes);
    if (run->map == NULL || run->graph == NULL || run->lanes == NULL)
        return trace_fail(&run->trace, "%s: no memory for %u CPUs", run->trace.input_name, run->trace.ncpus);
    return 0;
}

static int open_place(struct run *run)
{
    const struct decode_request *request = run->request;
    const struct trace_writer *writer = request->writer;

    if (writer->may_replace == NULL)
        return output_open(&run->output, &run->trace, request->output, writer->seeks);
    if (request->output == NULL || strcmp(request->output, "-") == 0)
        return trace_fail(&run->trace, "%s is a directory: -o DIR says which", writer->name);
    return output_open_directory(&run->output, &run->trace, request->output, writer->may_replace);
}

/* Comes before the input, which may be long in coming and never come again. */
static int open_output(struct run *run)
{
    const struct decode_request *request = run->request;

    if (open_place(run) != 0)
        return -1;
    if (request->writer->binary && !request->force && output_is_terminal(&run->output))
        return trace_fail(&run->trace, "%s is binary and not for a terminal; -o FILE writes a file, --force insists",
                          request->writer->name);
    if (output_replaces(&run->output, request->input))
        return trace_fail(&run->trace, "%s: is the input, and stays as it is", run->output.name);
    return 0;
}

/* A wrong file is said before the input is awaited. */
static int open_elf(struct run *run)
{
    if (run->request->elf != NULL)
        run->elf = elf_image_open(&run->trace, run->request->elf);
    return run->trace.failed ? -1 : 0;
}

static int open_writer(struct run *run)
{
    run->writer_state = run->request->writer->open(&run->trace, run->output.fd);
    if (run->writer_state == NULL)
        return writer_failed(run);
    return 0;
}

static void say_input(const struct run *run)
{
    const struct trace *trace = &run->trace;
    char size[48] = "a directory";

    if (input_directory(run->input) < 0)
        snprintf(size, sizeof size, "%" PRIu64 " bytes", input_size(run->input));
    say("%s: %s, %s, %u CPU%s, clock %" PRIu64 " Hz, target %s", trace->input_name, run->reader->name, size,
        trace->ncpus, plural(trace->ncpus), trace->clock_hz, trace->target ? trace->target : "unknown");
}

static int close_writer(struct run *run, bool ok)
{
    void *state = run->writer_state;

    run->writer_state = NULL;
    if (state == NULL || run->request->writer->close(state, ok) == 0 || !ok)
        return 0;
    return writer_failed(run);
}

static int transform(struct run *run)
{
    const struct trace_counts *counts = &run->trace.counts;

    if (open_output(run) != 0 || open_elf(run) != 0 || open_input(run) != 0)
        return -1;
    if (run->elf != NULL)
        elf_image_compare(run->elf, &run->trace);
    if (run->request->verbose)
        say_input(run);
    if (open_writer(run) != 0)
        return -1;
    if (run->request->verbose)
        say("%s: writing %s", run->output.name, run->request->writer->name);
    if (write_all(run) != 0)
        return -1;
    if (counts->events == 0 && counts->gaps > 0)
        return trace_fail(&run->trace, "%s: nothing decodable, %" PRIu64 " damaged part%s", run->trace.input_name,
                          counts->gaps, plural(counts->gaps));
    if (close_writer(run, true) != 0)
        return -1;
    if (output_finish(&run->output, &run->trace) == 0)
        return 0;
    run->unheard = output_is_closed(&run->output);
    return -1;
}

static void summarise(const struct run *run)
{
    const struct trace *trace = &run->trace;
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

static void release(struct run *run)
{
    close_writer(run, false);
    map_free(run->map);
    funcgraph_free(run->graph);
    if (run->reader_state != NULL)
        run->reader->close(run->reader_state);
    input_close(run->input);
    elf_image_close(run->elf);
    trace_free(&run->trace);
    free(run->lanes);
    free(run);
}

enum decode_exit decode(const struct decode_request *request)
{
    struct run *run = calloc(1, sizeof *run);
    enum decode_exit result = DECODE_NOTHING;

    if (run == NULL) {
        say("no memory");
        return DECODE_NOTHING;
    }
    run->request = request;
    run->output.fd = run->output.direct = -1;
    trace_init(&run->trace, strcmp(request->input, "-") == 0 ? "standard input" : request->input);
    run->trace.quiet = request->quiet;
    run->trace.clock_hz_given = request->clock_hz;
    run->trace.options = request->options;
    run->trace.functions = request->functions;
    if (transform(run) == 0) {
        result = run->trace.counts.gaps + run->trace.counts.damaged > 0 ? DECODE_DAMAGED : DECODE_WHOLE;
        if (!request->quiet)
            summarise(run);
    } else {
        if (!run->unheard)
            say("%s", run->trace.error);
        output_discard(&run->output);
    }
    release(run);
    return result;
}
