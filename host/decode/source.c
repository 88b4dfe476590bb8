/* source.c - see source.h. All memory is taken before the first event; payloads stay where the reader or the mapping put
 * them. */
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

static int nobody_knows(struct source *source)
{
    char names[256] = "";
    size_t used = 0;

    for (size_t i = 0; source->request->readers[i] != NULL && used < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "",
                                 source->request->readers[i]->name);
    if (input_directory(source->input) >= 0)
        return trace_fail(&source->trace, "%s: a directory, but not a trace of any known format (%s)",
                          source->trace.input_name, names);
    return trace_fail(&source->trace, "no %s dump found in %s (%" PRIu64 " bytes)", names, source->trace.input_name,
                      input_size(source->input));
}

/* The reader of that name, or NULL. */
static const struct trace_reader *find_reader(const struct source *source, const char *name)
{
    for (size_t i = 0; name != NULL && source->request->readers[i] != NULL; i++) {
        if (strcmp(source->request->readers[i]->name, name) == 0)
            return source->request->readers[i];
    }
    return NULL;
}

/* A reader that was asked for may be one of files. */
static int check_directory(struct source *source)
{
    if (input_directory(source->input) < 0 || source->reader->probe(source->input) != TRACE_NOT_MINE)
        return 0;
    return trace_fail(&source->trace, "%s: a directory, but not a trace of the format %s", source->trace.input_name,
                      source->reader->name);
}

/* What was asked for, else what the input's origin tells, else the surest reader wins; among equals the first. */
static int choose_reader(struct source *source)
{
    enum trace_probe best = TRACE_NOT_MINE;

    source->reader = source->request->reader;
    if (source->reader == NULL)
        source->reader = find_reader(source, input_reader_hint(source->input));
    if (source->reader != NULL)
        return check_directory(source);
    for (size_t i = 0; source->request->readers[i] != NULL; i++) {
        enum trace_probe answer = source->request->readers[i]->probe(source->input);
        bool better = answer == TRACE_MINE || (answer == TRACE_MINE_BROKEN && best != TRACE_MINE)
                      || (answer == TRACE_MAYBE && best == TRACE_NOT_MINE);

        if (!better || best == answer)
            continue;
        best = answer;
        source->reader = source->request->readers[i];
    }
    if (source->trace.failed)
        return -1;
    if (best == TRACE_NOT_MINE)
        return nobody_knows(source);
    if (best == TRACE_MINE_BROKEN)
        return trace_fail(&source->trace, "%s: a %s dump, but broken; --from=%s tries to decode it all the same",
                          source->trace.input_name, source->reader->name, source->reader->name);
    return 0;
}

/* ---- lanes ------------------------------------------------------------------------------------------------------- */

/* A clock that others are compared with has no parts of a ns. */
static void move_times(const struct source *source, struct trace_batch *batch)
{
    for (size_t i = 0; i < batch->n; i++) {
        batch->event[i].time = sync_time(&source->line, batch->event[i].time);
        batch->event[i].rest = 0;
    }
}

static int lane_read(struct source *source, unsigned cpu)
{
    struct lane *lane = &source->lanes[cpu];
    int got;

    lane->in.n = lane->in.used = 0;
    got = source->reader->read(source->state, cpu, &lane->in);
    if (got < 0 || source->trace.failed)
        return -1;
    if (source->moved)
        move_times(source, &lane->in);
    lane->ended = got == 0;
    return 0;
}

int source_fill(struct source *source, unsigned cpu)
{
    struct lane *lane = &source->lanes[cpu];

    lane->at = lane->out.n = lane->out.used = 0;
    while (lane->out.n == 0 && !lane->ended) {
        if (!lane->again && lane_read(source, cpu) != 0)
            return -1;
        lane->again = map_batch(source->map, cpu, &lane->in, &lane->out) != 0;
        if (source->trace.failed || funcgraph_batch(source->graph, cpu, &lane->out, lane->in.room) != 0)
            return -1;
    }
    return lane->out.n > 0;
}

/* ---- a look ahead ------------------------------------------------------------------------------------------------ */

static int scan_cpu(const struct source *source, struct trace *trace, void *state, unsigned cpu,
                    const struct sync_rule *rule, struct sync_marks *marks, struct trace_batch *batch)
{
    int got;

    do {
        batch->n = batch->used = 0;
        got = source->reader->read(state, cpu, batch);
        if (got < 0 || trace->failed || sync_note(marks, rule, trace, batch) != 0)
            return -1;
    } while (got > 0);
    return 0;
}

static int scan(const struct source *source, struct trace *trace, const struct sync_rule *rule,
                struct sync_marks *marks, struct trace_batch *batch)
{
    void *state = source->reader->open(trace, source->input);
    int result = state != NULL && !trace->failed ? 0 : -1;

    for (unsigned cpu = 0; result == 0 && cpu < trace->ncpus; cpu++)
        result = scan_cpu(source, trace, state, cpu, rule, marks, batch);
    if (state != NULL)
        source->reader->close(state);
    return result;
}

/* What is damaged is said when events are given out: this look is quiet. */
int source_scan(struct source *source, const struct sync_rule *rule, struct sync_marks *marks)
{
    struct trace *trace = malloc(sizeof *trace);
    struct trace_batch *batch = malloc(sizeof *batch);
    int result = trace && batch ? 0 : trace_fail(&source->trace, "%s: no memory", source->trace.input_name);

    if (result == 0) {
        *trace = source->trace;
        trace->names = NULL;
        trace->quiet = true;
        if (scan(source, trace, rule, marks, batch) != 0)
            result = trace_fail(&source->trace, "%s",
                                trace->failed ? trace->error : "cannot be read as what it seems to be");
        source->ncpus = trace->ncpus;
        source->clocked = trace->clock_hz != 0;
        source->mapped = trace->mapped;
        trace_free(trace);
    }
    free(batch);
    free(trace);
    return source->trace.failed ? -1 : result;
}

/* ---- beginning and end ------------------------------------------------------------------------------------------- */

void source_init(struct source *source, const struct decode_request *request, const char *path, const char *elf_path)
{
    source->request = request;
    source->path = path;
    source->elf_path = elf_path;
    trace_init(&source->trace, strcmp(path, "-") == 0 ? "standard input" : path);
    source->trace.quiet = request->quiet;
    source->trace.clock_hz_given = request->clock_hz;
    source->options = request->options;
    source->trace.run = request->run;
    source->trace.functions = request->functions;
    source->trace.formats =
        request->writer->formats && !request->options.big_endian && request->options.long_size != 4u;
}

/* A wrong ELF file is said before the input is awaited. */
int source_prepare(struct source *source)
{
    if (source->elf_path != NULL)
        source->elf = elf_image_open(&source->trace, source->elf_path);
    if (source->trace.failed)
        return -1;
    source->input = input_open(&source->trace, source->path, &source->request->until);
    return source->input == NULL || choose_reader(source) != 0 ? -1 : 0;
}

int source_start(struct source *source)
{
    const struct decode_request *request = source->request;
    struct trace *trace = &source->trace;

    source->state = source->reader->open(trace, source->input);
    if (source->state == NULL || trace->failed)
        return trace_fail(trace, "%s: cannot be read as %s", trace->input_name, source->reader->name);
    source->map = map_new(trace, request->writer->native ? MAP_NATIVE : request->map);
    source->graph = funcgraph_new(trace);
    source->lanes = calloc(trace->ncpus + 1u, sizeof *source->lanes);
    if (source->map == NULL || source->graph == NULL || source->lanes == NULL)
        return trace_fail(trace, "%s: no memory for %u CPUs", trace->input_name, trace->ncpus);
    if (source->elf != NULL)
        elf_image_compare(source->elf, trace);
    return 0;
}

void source_release(struct source *source)
{
    map_free(source->map);
    funcgraph_free(source->graph);
    if (source->state != NULL)
        source->reader->close(source->state);
    input_close(source->input);
    elf_image_close(source->elf);
    trace_free(&source->trace);
    free(source->lanes);
}
