/* source.c - see source.h.
 *
 * All memory for events is taken before the first one is read; payloads stay where the reader or the mapping put them.
 */
#include "decode/source.h"
#include "model/module.h"
#include "io/elf_image.h"
#include "events/funcgraph.h"
#include "io/input.h"
#include "decode/map.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- choosing a reader ------------------------------------------------------------------------------------------- */

/* Fail with the names of all readers. Always -1. */
static int no_reader_found(struct decode_source *source)
{
    const struct trace_reader *const *readers = source->request->readers;
    char names[256] = "";
    size_t used = 0;
    for (size_t i = 0; readers[i] != NULL && used < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "", readers[i]->name);
    if (input_directory(source->input) >= 0)
        return trace_fail(&source->trace, "%s: a directory, but not a trace of any known format (%s)",
                          source->trace.input_name, names);
    return trace_fail(&source->trace, "no %s dump found in %s (%" PRIu64 " bytes)", names, source->trace.input_name,
                      input_size(source->input));
}

/* The reader of that name, or NULL, also for no name. */
static const struct trace_reader *reader_named(const struct decode_source *source, const char *name)
{
    for (size_t i = 0; name != NULL && source->request->readers[i] != NULL; i++) {
        if (strcmp(source->request->readers[i]->name, name) == 0)
            return source->request->readers[i];
    }
    return NULL;
}

/* The reader was asked for by name and was not probed. Most readers read files only, and would find a directory to be
 * an empty file: refuse those. 0, or -1 after trace_fail(). */
static int check_directory(struct decode_source *source)
{
    if (input_directory(source->input) < 0 || source->reader->probe(source->input) != TRACE_NOT_MINE)
        return 0;
    return trace_fail(&source->trace, "%s: a directory, but not a trace of the format %s", source->trace.input_name,
                      source->reader->name);
}

/* Whether an answer is surer than the best one so far. A broken dump of one's own format is surer than a guess. */
static bool is_surer(enum trace_probe answer, enum trace_probe best)
{
    static const unsigned char sureness[] = {
        [TRACE_NOT_MINE] = 0, [TRACE_MAYBE] = 1, [TRACE_MINE_BROKEN] = 2, [TRACE_MINE] = 3};
    return sureness[answer] > sureness[best];
}

/* Let every reader look at the input, and take the surest one; of several equally sure ones the first in the table. 0,
 * or -1 after trace_fail(). */
static int probe_readers(struct decode_source *source)
{
    const struct trace_reader *const *readers = source->request->readers;
    enum trace_probe best = TRACE_NOT_MINE;
    for (size_t i = 0; readers[i] != NULL; i++) {
        enum trace_probe answer = readers[i]->probe(source->input);
        if (!is_surer(answer, best))
            continue;
        best = answer;
        source->reader = readers[i];
    }
    if (source->trace.failed)
        return -1;
    if (best == TRACE_NOT_MINE)
        return no_reader_found(source);
    if (best == TRACE_MINE_BROKEN)
        return trace_fail(&source->trace, "%s: a %s dump, but broken; --from=%s tries to decode it all the same",
                          source->trace.input_name, source->reader->name, source->reader->name);
    return 0;
}

/* The reader that the user named, else the one that the input's origin tells, else the surest one. */
static int choose_reader(struct decode_source *source)
{
    source->reader = source->request->reader;
    if (source->reader == NULL)
        source->reader = reader_named(source, input_reader_hint(source->input));
    return source->reader != NULL ? check_directory(source) : probe_readers(source);
}

/* ---- lanes ------------------------------------------------------------------------------------------------------- */

/* Change the times of a batch along the source's line. The rest, which counts ticks of the source's own clock within a
 * ns, has no meaning on the clock that the times are of from here on. */
static void move_times(const struct decode_source *source, struct trace_batch *batch)
{
    for (size_t i = 0; i < batch->n; i++) {
        batch->event[i].time = decode_sync_time(&source->line, batch->event[i].time);
        batch->event[i].rest = 0;
    }
}

/* Read the next batch of a CPU. 0, also at the end, or -1 after trace_fail(). */
static int read_batch(struct decode_source *source, unsigned cpu)
{
    struct decode_lane *lane = &source->lanes[cpu];
    int got;
    lane->in.n = lane->in.used = 0;
    got = source->reader->read(source->reader_state, cpu, &lane->in);
    if (got < 0 || source->trace.failed)
        return -1;
    if (source->moves)
        move_times(source, &lane->in);
    lane->ended = got == 0;
    return 0;
}

int decode_source_fill(struct decode_source *source, unsigned cpu)
{
    struct decode_lane *lane = &source->lanes[cpu];
    lane->at = lane->out.n = lane->out.used = 0;
    while (lane->out.n == 0 && !lane->ended) {
        if (!lane->in_is_left && read_batch(source, cpu) != 0)
            return -1;
        lane->in_is_left = decode_map_batch(source->map, cpu, &lane->in, &lane->out) != 0;
        if (source->trace.failed || funcgraph_batch(source->graph, cpu, &lane->out, lane->in.room) != 0)
            return -1;
    }
    return lane->out.n > 0;
}

/* ---- scanning ---------------------------------------------------------------------------------------------------- */

/* A reader that is open for a scan, and where its events go. */
struct scan {
    const struct trace_reader *reader;
    void *state;         /* of the reader */
    struct trace *trace; /* of the scan alone */
    struct trace_batch *batch;
    const struct decode_sync_rule *rule;
    struct decode_sync_marks *marks;
};

/* 0, or -1 after trace_fail() of the scan's trace. */
static int scan_cpu(const struct scan *scan, unsigned cpu)
{
    int got;
    do {
        scan->batch->n = scan->batch->used = 0;
        got = scan->reader->read(scan->state, cpu, scan->batch);
        if (got < 0 || scan->trace->failed || decode_sync_note(scan->marks, scan->rule, scan->trace, scan->batch) != 0)
            return -1;
    } while (got > 0);
    return 0;
}

static int scan_input(struct scan *scan, struct input *input)
{
    int result;
    scan->state = scan->reader->open(scan->trace, input);
    result = scan->state != NULL && !scan->trace->failed ? 0 : -1;
    for (unsigned cpu = 0; result == 0 && cpu < scan->trace->ncpus; cpu++)
        result = scan_cpu(scan, cpu);
    if (scan->state != NULL)
        scan->reader->close(scan->state);
    return result;
}

/* The scan has a trace of its own, so that nothing is counted twice. That trace is quiet: damage is reported when the
 * events are given out. */
int decode_source_scan(struct decode_source *source, const struct decode_sync_rule *rule,
                       struct decode_sync_marks *marks)
{
    struct trace *trace = malloc(sizeof *trace);
    struct trace_batch *batch = malloc(sizeof *batch);
    struct scan scan = {.reader = source->reader, .trace = trace, .batch = batch, .rule = rule, .marks = marks};
    if (trace == NULL || batch == NULL) {
        trace_fail(&source->trace, "%s: no memory", source->trace.input_name);
    } else {
        *trace = source->trace;
        trace->names = NULL; /* what this copy is given, trace_free() below frees again */
        trace->quiet = true;
        if (scan_input(&scan, source->input) != 0)
            trace_fail(&source->trace, "%s", trace->failed ? trace->error : "cannot be read as what it seems to be");
        source->ncpus = trace->ncpus;
        source->clocked = trace->clock_hz != 0;
        source->mapped = trace->mapped;
        trace_free(trace);
    }
    free(batch);
    free(trace);
    return source->trace.failed ? -1 : 0;
}

/* ---- beginning and end ------------------------------------------------------------------------------------------- */

void decode_source_init(struct decode_source *source, const struct decode_request *request, const char *path,
                        const char *elf_path)
{
    const struct trace_options *options = &request->options;
    source->request = request;
    source->path = path;
    source->elf_path = elf_path;
    source->options = *options;
    trace_init(&source->trace, strcmp(path, "-") == 0 ? "standard input" : path);
    source->trace.quiet = request->quiet;
    source->trace.clock_hz_given = request->clock_hz;
    source->trace.run = request->run;
    source->trace.functions = request->functions;
    source->trace.formats = request->writer->formats && !options->big_endian && options->long_size != 4u;
}

/* The ELF file comes first: the user learns of a wrong one before a long wait for the input. */
int decode_source_prepare(struct decode_source *source)
{
    if (source->elf_path != NULL)
        source->elf = elf_image_open(&source->trace, source->elf_path);
    if (source->trace.failed)
        return -1;
    source->input = input_open(&source->trace, source->path, &source->request->until);
    return source->input == NULL || choose_reader(source) != 0 ? -1 : 0;
}

int decode_source_start(struct decode_source *source)
{
    const struct decode_request *request = source->request;
    struct trace *trace = &source->trace;
    source->reader_state = source->reader->open(trace, source->input);
    if (source->reader_state == NULL || trace->failed)
        return trace_fail(trace, "%s: cannot be read as %s", trace->input_name, source->reader->name);
    source->map = decode_map_new(trace, request->writer->native ? DECODE_MAP_NATIVE : request->map);
    source->graph = funcgraph_new(trace);
    source->lanes = calloc(trace->ncpus + 1u, sizeof *source->lanes); /* + 1: ncpus may be 0 */
    if (source->map == NULL || source->graph == NULL || source->lanes == NULL)
        return trace_fail(trace, "%s: no memory for %u CPUs", trace->input_name, trace->ncpus);
    if (source->elf != NULL)
        elf_image_compare(source->elf, trace);
    return 0;
}

void decode_source_release(struct decode_source *source)
{
    decode_map_free(source->map);
    funcgraph_free(source->graph);
    if (source->reader_state != NULL)
        source->reader->close(source->reader_state);
    input_close(source->input);
    elf_image_close(source->elf);
    trace_free(&source->trace);
    free(source->lanes);
}
