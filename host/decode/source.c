/* source.c - see source.h.
 *
 * Memory for events is allocated before the first one is read. Payloads are not copied: they stay where the reader or
 * the mapping put them.
 */
#include "decode/source.h"

#include "base/heap.h"
#include "decode/filter.h"
#include "decode/map.h"
#include "decode/select.h"
#include "events/nesting.h"
#include "io/firmware/firmware.h"
#include "os/os_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- choosing a reader ------------------------------------------------------------------------------------------- */

/* Whether the input is an ELF file that is no core: a firmware's, which the user has taken for its dump. */
static bool is_firmware(struct input *in)
{
    enum { TYPE = 16, CORE = 4 };
    unsigned char head[TYPE + 2];
    return input_peek(in, 0, head, sizeof head) == sizeof head && memcmp(head, "\177ELF", 4) == 0 && head[TYPE] != CORE
           && head[TYPE + 1] != CORE;
}

/* Fail, and tell what to do with a firmware's ELF file. Always -1. */
static int firmware_given(struct decode_source *source)
{
    const char *name = source->trace.input_name;
    return trace_fail(&source->trace,
                      "%s: an ELF file, which has the firmware's names, but no events: "
                      "tlog-decode --elf=%s DUMP; DUMP is a copy of the target's memory",
                      name, name);
}

/* Whether S.Ha.R.K. may have written a file of that name: trace.shark, or 0trace.dat. */
static bool is_named_as_shark(const char *name)
{
    const char *base = os_base_name(name);
    size_t n = strlen(base), digits = strspn(base, "0123456789");
    return (n > 6 && strcmp(base + n - 6, ".shark") == 0) || (digits > 0 && strcmp(base + digits, "trace.dat") == 0);
}

/* Fail with the names of all readers. Always -1. */
static int no_reader_found(struct decode_source *source)
{
    const struct trace_reader *const *readers = source->request->readers;
    char names[256] = "";
    size_t used = 0;
    for (size_t i = 0; readers[i] != NULL && used < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "",
                                 strcmp(readers[i]->name, "native") == 0 ? "tlog" : readers[i]->name);
    if (input_directory(source->input) >= 0)
        return trace_fail(&source->trace, "%s: a directory, but not a trace of any known format (%s)",
                          source->trace.input_name, names);
    if (!input_is_complete(source->input))
        return trace_fail(&source->trace,
                          "no %s dump found in the first %" PRIu64
                          " MiB of %s, which is no file: --from=NAME waits for more",
                          names, input_size(source->input) >> 20, source->trace.input_name);
    if (is_firmware(source->input))
        return firmware_given(source);
    return trace_fail(&source->trace, "no %s dump found in %s (%" PRIu64 " bytes)%s", names, source->trace.input_name,
                      input_size(source->input),
                      is_named_as_shark(source->trace.input_name) ? "; --from=shark reads it as a file of S.Ha.R.K."
                                                                  : "");
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

/* A reader that was asked for by name was not probed. Most readers read files only, and would take a directory for an
 * empty file: refuse that. 0, or -1 after trace_fail(). */
static int check_directory(struct decode_source *source)
{
    if (input_directory(source->input) < 0 || source->reader->probe(source->input) != TRACE_NOT_MINE)
        return 0;
    return trace_fail(&source->trace, "%s: a directory, but not a trace of the format %s", source->trace.input_name,
                      source->reader->name);
}

/* Whether an answer is surer than the best one so far. "Mine, but broken" is surer than "maybe". */
static bool is_surer(enum trace_probe answer, enum trace_probe best)
{
    static const unsigned char sureness[] = {
        [TRACE_NOT_MINE] = 0, [TRACE_MAYBE] = 1, [TRACE_MINE_BROKEN] = 2, [TRACE_MINE] = 3};
    return sureness[answer] > sureness[best];
}

/* Let every reader look at the input, and choose the surest one, or the first of several that are equally sure. 0, or
 * -1 after trace_fail(), also if none knows the input. */
static int probe_readers(struct decode_source *source, enum trace_probe *best)
{
    const struct trace_reader *const *readers = source->request->readers;
    *best = TRACE_NOT_MINE;
    for (size_t i = 0; readers[i] != NULL; i++) {
        enum trace_probe answer = readers[i]->probe(source->input);
        if (!is_surer(answer, *best))
            continue;
        *best = answer;
        source->reader = readers[i];
    }
    if (source->trace.failed)
        return -1;
    return *best == TRACE_NOT_MINE ? no_reader_found(source) : 0;
}

/* Choose the surest reader, which must be able to decode the input. 0, or -1 after trace_fail(). */
static int choose_surest(struct decode_source *source)
{
    enum trace_probe best;
    if (probe_readers(source, &best) != 0)
        return -1;
    if (best == TRACE_MINE_BROKEN && is_firmware(source->input))
        return firmware_given(source);
    if (best == TRACE_MINE_BROKEN)
        return trace_fail(&source->trace, "%s: a %s dump, but broken; --from=%s tries to decode it all the same",
                          source->trace.input_name, source->reader->name, source->reader->name);
    return 0;
}

/* Choose the reader that the user named, else the one that the input's origin implies (what comes by UDP is records of
 * S.Ha.R.K.), else the surest one. 0, or -1 after trace_fail(). */
static int choose_reader(struct decode_source *source)
{
    source->reader = source->request->reader;
    if (source->reader == NULL)
        source->reader = reader_named(source, input_reader_hint(source->input));
    return source->reader != NULL ? check_directory(source) : choose_surest(source);
}

/* Wait for the rest of a pipe, unless its first bytes are those of no dump. What the readers find in these is
 * forgotten: all bytes together may tell more. 0, or -1 after trace_fail(). */
static int complete_input(struct decode_source *source)
{
    enum trace_probe best;
    if (!input_is_complete(source->input) && source->request->reader == NULL && probe_readers(source, &best) != 0)
        return -1;
    return input_complete(source->input);
}

/* ---- lanes ------------------------------------------------------------------------------------------------------- */

/* With many CPUs, batches are not filled to the brim: how many events all of them together read ahead, and how many one
 * of them reads at least. */
enum { EVENTS_AHEAD = 65536, EVENTS_FEWEST = 16 };

/* Allocate the lanes. NULL: there is no memory. */
static struct decode_lane *new_lanes(unsigned ncpus)
{
    struct decode_lane *lanes = heap_calloc(ncpus + 1u, sizeof *lanes); /* + 1: ncpus may be 0 */
    unsigned enough = EVENTS_AHEAD / (ncpus + 1u);
    for (unsigned i = 0; lanes != NULL && i < ncpus; i++) {
        lanes[i].last.time = lanes[i].edge.time = UINT64_MAX;
        if (enough < TRACE_BATCH_EVENTS)
            lanes[i].in.enough = enough > EVENTS_FEWEST ? enough : EVENTS_FEWEST;
    }
    return lanes;
}

int64_t decode_clock_offset(const struct decode_clock_line *line, uint64_t time)
{
    double distance = time >= line->from ? (double)(time - line->from) : -(double)(line->from - time);
    return line->offset + decode_nearest(line->drift * distance);
}

uint64_t decode_clock_time(const struct decode_clock_line *line, uint64_t time)
{
    int64_t offset = decode_clock_offset(line, time);
    return offset < 0 && time < (uint64_t)-offset ? 0 : time + (uint64_t)offset;
}

/* Bring the times of a batch onto the first source's clock. `rest`, which counts ticks of the source's own clock within
 * a ns, has no meaning there. */
static void move_times(const struct decode_source *source, struct trace_batch *batch)
{
    for (size_t i = 0; i < batch->n; i++) {
        batch->event[i].time = decode_clock_time(&source->line, batch->event[i].time);
        batch->event[i].rest = 0;
    }
}

/* Look whether the clock moves from event to event. */
static void watch_clock(const struct trace *trace, struct decode_lane *lane)
{
    for (size_t i = 0; i < lane->in.n && !lane->has_moved; i++) {
        const struct tlog_event *event = &lane->in.event[i];
        if (trace->types[event->type]->means >= TLOG_MEANS_LOSS)
            continue;
        lane->first = lane->events == 0 ? event->time : lane->first;
        lane->has_moved = event->time != lane->first;
        lane->events++;
    }
}

int decode_source_fill(struct decode_source *source, unsigned cpu)
{
    struct decode_lane *lane = &source->lanes[cpu];
    lane->at = lane->in.n = 0;
    while (lane->in.n == 0 && !lane->ended) {
        int got;
        lane->in.used = 0;
        got = source->reader->read(source->reader_state, cpu, &lane->in);
        if (got < 0 || source->trace.failed)
            return -1;
        lane->ended = got == 0;
    }
    if (source->moves)
        move_times(source, &lane->in);
    decode_known_begin_losses(&source->trace, &lane->in, &lane->last);
    if (source->lives != NULL && decode_lives_batch(source->lives, &source->trace, cpu, &lane->lives, &lane->in) != 0)
        return -1;
    watch_clock(&source->trace, lane);
    trace_progress(&source->trace, 0, lane->in.n);
    return lane->in.n > 0;
}

/* The mapping that the user wants, unless the writer needs another one. */
static enum tlog_map_mode map_mode(const struct decode_request *request)
{
    if (request->writer->native)
        return TLOG_MAP_NATIVE;
    return request->writer->exact && request->map == TLOG_MAP_FULL ? TLOG_MAP_EXACT : request->map;
}

void decode_source_begin_edges(struct decode_source *source)
{
    if (source->select == NULL || map_mode(source->request) == TLOG_MAP_NATIVE)
        return;
    if (source->request->writer->left_out)
        decode_map_mark_edges(source->map);
    for (unsigned i = 0; i < source->trace.ncpus; i++) {
        if (!decode_select_edge(source->select, 0, &source->lanes[i].edge))
            source->lanes[i].edge.time = UINT64_MAX;
    }
}

/* Map the lane's next edge. */
static void map_edge(struct decode_source *source, unsigned cpu)
{
    struct decode_lane *lane = &source->lanes[cpu];
    decode_map_edge(source->map, cpu, &lane->edge, &lane->out);
    if (!decode_select_edge(source->select, lane->edge.next, &lane->edge))
        lane->edge.time = UINT64_MAX;
}

/* Map the lane's next event, and those that may come with it. */
static void map_events(struct decode_source *source, unsigned cpu, uint64_t until)
{
    struct decode_lane *lane = &source->lanes[cpu];
    bool is_all = until == UINT64_MAX && lane->edge.time == UINT64_MAX;
    size_t end = is_all ? lane->in.n : lane->at + 1u;
    while (end < lane->in.n && lane->in.event[end].time < until
           && !decode_lane_edge_before(lane, lane->in.event[end].time))
        end++;
    lane->at = decode_map_batch(source->map, cpu, &lane->in, lane->at, end, &lane->out);
}

int decode_source_map(struct decode_source *source, unsigned cpu, uint64_t until)
{
    struct decode_lane *lane = &source->lanes[cpu];
    if (decode_lane_at_edge(lane))
        map_edge(source, cpu);
    else
        map_events(source, cpu, until);
    if (source->trace.failed || nesting_batch(source->nesting, cpu, &lane->out, lane->in.room) != 0)
        return -1;
    if (source->select != NULL)
        decode_select_batch(source->select, cpu, &lane->out);
    if (source->filter != NULL)
        decode_filter_batch(source->filter, cpu, &lane->out);
    return 0;
}

/* ---- the firmware ------------------------------------------------------------------------------------------------ */

/* Look for the firmware's file by the build id that the input tells, and open it. */
static void look_for_firmware(struct decode_source *source, const unsigned char *build)
{
    static const unsigned char none[TRACE_BUILD_BYTES];
    const char *const *folders = source->request->elf_folders;
    if (memcmp(build, none, sizeof none) == 0)
        return;
    for (unsigned i = 0; i < 2 && source->found == NULL; i++)
        source->found = firmware_find(folders[i], build, TRACE_BUILD_BYTES);
    if (source->found != NULL)
        source->elf = firmware_open(&source->trace, source->found);
    source->trace.missed_firmware = source->found == NULL && (folders[0] != NULL || folders[1] != NULL);
    if (source->trace.missed_firmware)
        trace_note(&source->trace, "no firmware with build id %02x%02x%02x%02x%02x%02x%02x%02x in %s", build[0],
                   build[1], build[2], build[3], build[4], build[5], build[6], build[7],
                   folders[0] != NULL ? folders[0] : folders[1]);
}

/* Name exceptions after their handlers, unless the target has named them. */
static void name_interrupts(struct trace *trace)
{
    const struct trace_firmware *firmware = trace->firmware;
    for (size_t i = 0; i < firmware->nhandlers && !firmware->is_wrong; i++) {
        if (trace_name(trace, TRACE_NAME_IRQ, firmware->handlers[i].number) == NULL)
            trace_set_name(trace, TRACE_NAME_IRQ, firmware->handlers[i].number, firmware->handlers[i].name);
    }
}

/* Find the firmware's ELF file if the user gave none. That comes before the input is opened to be decoded, because a
 * reader may ask the file about what is damaged; so it is opened once more, to learn the build id. 0, or -1 after
 * trace_fail(). */
static int find_firmware(struct decode_source *source)
{
    struct trace *trace;
    void *state;
    if (source->elf != NULL || (source->request->elf_folders[0] == NULL && source->request->elf_folders[1] == NULL))
        return 0;
    trace = heap_alloc(sizeof *trace);
    if (trace == NULL)
        return trace_fail(&source->trace, "%s: no memory", source->trace.input_name);
    *trace = source->trace;
    trace->quiet = true;
    state = source->reader->open(trace, source->input);
    if (state != NULL) {
        look_for_firmware(source, trace->build);
        source->reader->close(state);
    }
    trace_free(trace);
    heap_free(trace);
    return source->trace.failed ? -1 : 0;
}

/* Give the trace, whose input the reader has opened, what the firmware's ELF file tells, and check that it is of this
 * firmware. trace: the source's, or that of a scan. */
static void know_firmware(const struct decode_source *source, struct trace *trace)
{
    if (source->elf == NULL)
        return;
    firmware_compare(source->elf, trace);
    trace->firmware = source->trace.firmware;
    trace->printk = source->trace.printk;
    trace->nprintk = source->trace.nprintk;
    name_interrupts(trace);
}

/* ---- scanning ---------------------------------------------------------------------------------------------------- */

/* A reader that is open for a scan, and where its events go. */
struct scan {
    const struct trace_reader *reader;
    void *state;         /* of the reader */
    struct trace *trace; /* of the scan alone */
    struct trace_batch *batch;
    int (*take)(void *ctx, struct trace *trace, const struct trace_batch *batch);
    void *ctx;
};

/* 0, or -1 after trace_fail() of the scan's trace. */
static int scan_cpu(const struct scan *scan, unsigned cpu)
{
    int got;
    do {
        scan->batch->n = scan->batch->used = scan->batch->enough = 0;
        got = scan->reader->read(scan->state, cpu, scan->batch);
        if (got < 0 || scan->trace->failed || scan->take(scan->ctx, scan->trace, scan->batch) != 0)
            return -1;
    } while (got > 0);
    return 0;
}

static int scan_input(struct scan *scan, struct decode_source *source)
{
    int result;
    scan->state = scan->reader->open(scan->trace, source->input);
    result = scan->state != NULL && !scan->trace->failed ? 0 : -1;
    if (result == 0)
        know_firmware(source, scan->trace);
    for (unsigned cpu = 0; result == 0 && cpu < scan->trace->ncpus; cpu++)
        result = scan_cpu(scan, cpu);
    if (scan->state != NULL)
        scan->reader->close(scan->state);
    return result;
}

/* The scan has a trace of its own, so that nothing is counted twice. That trace is quiet, because damage is told when
 * the events are given out. */
int decode_source_scan(struct decode_source *source,
                       int (*take)(void *ctx, struct trace *trace, const struct trace_batch *batch), void *ctx)
{
    struct trace *trace = heap_alloc(sizeof *trace);
    struct trace_batch *batch = heap_alloc(sizeof *batch);
    struct scan scan = {.reader = source->reader, .trace = trace, .batch = batch, .take = take, .ctx = ctx};
    if (trace == NULL || batch == NULL) {
        trace_fail(&source->trace, "%s: no memory", source->trace.input_name);
    } else {
        *trace = source->trace;
        trace->names = NULL; /* names that this copy gets are freed by trace_free() below */
        trace->quiet = true;
        if (scan_input(&scan, source) != 0)
            trace_fail(&source->trace, "%s", trace->failed ? trace->error : "cannot be read as what it seems to be");
        source->ncpus = trace->ncpus;
        source->clocked = trace->clock_hz != 0;
        source->mapped = trace->mapped;
        trace_free(trace);
    }
    heap_free(batch);
    heap_free(trace);
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
    source->trace.has_base = request->has_base;
    source->trace.base = request->base;
    source->trace.run = request->run;
    source->trace.sink = request->sink;
    source->trace.unpack_most = request->unpack_most;
    source->trace.spool_most = request->spool_most;
    source->trace.functions = request->functions;
    source->trace.typed_text = request->typed_text;
    source->knows_lives = request->writer->native;
    source->trace.formats = request->writer->formats && !options->big_endian && options->long_size != 4u;
}

/* The ELF file comes first, so that the user learns of a wrong one before a long wait for the input. */
int decode_source_prepare(struct decode_source *source)
{
    if (source->elf_path != NULL)
        source->elf = firmware_open(&source->trace, source->elf_path);
    if (source->trace.failed)
        return -1;
    if (source->input == NULL && source->bytes != NULL)
        source->input = input_open_bytes(&source->trace, source->bytes);
    else if (source->input == NULL)
        source->input = source->request->open(&source->trace, source->path, &source->request->until);
    if (source->input == NULL || complete_input(source) != 0)
        return -1;
    for (unsigned i = 0; i < source->nmore; i++) {
        if (input_append(source->input, source->more[i]) != 0)
            return -1;
    }
    if (choose_reader(source) != 0)
        return -1;
    source->trace.format = source->reader->name;
    return find_firmware(source);
}

/* Open what leaves events out, if anything does. The expression of --filter was checked when the option was taken. 0,
 * or -1 after trace_fail(). */
static int open_filters(struct decode_source *source)
{
    struct decode_filter_error error;
    if (source->request->selection != NULL) {
        source->select = decode_select_new(source->request->selection, source->windows, &source->trace);
        if (source->select == NULL)
            return trace_fail(&source->trace, "no memory for the filter");
    }
    if (source->request->filter == NULL)
        return 0;
    source->filter = decode_filter_new(source->request->filter, &source->trace, &error);
    return source->filter != NULL ? 0 : trace_fail(&source->trace, "no memory for the filter");
}

int decode_source_start(struct decode_source *source)
{
    const struct decode_request *request = source->request;
    struct trace *trace = &source->trace;
    source->reader_state = source->opened != NULL ? source->opened : source->reader->open(trace, source->input);
    source->opened = NULL;
    if (source->reader_state == NULL)
        trace->target = NULL; /* it was the reader's */
    if (source->reader_state == NULL || trace->failed)
        return trace_fail(trace, "%s: cannot be read as %s", trace->input_name, source->reader->name);
    source->map = decode_map_new(trace, map_mode(request));
    source->nesting = nesting_new(trace);
    source->lanes = new_lanes(trace->ncpus);
    if (source->map == NULL || source->nesting == NULL || source->lanes == NULL)
        return trace_fail(trace, "%s: no memory for %u CPUs", trace->input_name, trace->ncpus);
    know_firmware(source, trace);
    if (source->lives != NULL)
        decode_lives_name(source->lives, trace);
    if (source->knows_lives)
        decode_map_use_lives(source->map, source->lives);
    return open_filters(source);
}

bool decode_source_meets_lives(const struct decode_source *source)
{
    return !source->knows_lives && decode_map_meets_lives(source->map);
}

void decode_source_repeat(struct decode_source *second, const struct decode_source *first,
                          const struct decode_request *request)
{
    struct trace *trace = &second->trace;
    decode_source_init(second, request, first->path, NULL);
    trace->quiet = true;
    trace->task_base = first->trace.task_base;
    memcpy(trace->task_prefix, first->trace.task_prefix, sizeof trace->task_prefix);
    trace->firmware = first->trace.firmware;
    trace->printk = first->trace.printk;
    trace->nprintk = first->trace.nprintk;
    second->input = first->input;
    second->elf = first->elf;
    second->reader = first->reader;
    second->moves = first->moves;
    second->line = first->line;
    second->lives = first->lives;
    second->knows_lives = first->knows_lives;
}

void decode_source_release_repeated(struct decode_source *second)
{
    second->lives = NULL;
    second->input = NULL;
    second->elf = NULL;
    decode_source_release(second);
}

/* Undo decode_source_start(). */
static void stop(struct decode_source *source)
{
    decode_map_free(source->map);
    nesting_free(source->nesting);
    decode_filter_free(source->filter);
    decode_select_free(source->select);
    if (source->reader_state != NULL)
        source->reader->close(source->reader_state);
    for (unsigned i = 0; source->lanes != NULL && i < source->trace.ncpus; i++)
        heap_free(source->lanes[i].lives.room);
    heap_free(source->lanes);
    source->map = NULL;
    source->nesting = NULL;
    source->filter = NULL;
    source->select = NULL;
    source->reader_state = NULL;
    source->lanes = NULL;
    trace_free(&source->trace);
}

/* The trace keeps what it had before the source was started. */
int decode_source_begin_again(struct decode_source *source)
{
    const struct trace_options options = source->options;
    struct trace *before = heap_alloc(sizeof *before), *trace = &source->trace;
    for (unsigned cpu = 0; before != NULL && cpu < trace->ncpus; cpu++) {
        int got;
        while ((got = decode_source_fill(source, cpu)) > 0)
            continue;
        if (got < 0)
            break;
    }
    if (before == NULL || trace->failed) {
        heap_free(before);
        return trace_fail(trace, "%s: cannot be read twice", trace->input_name);
    }
    *before = *trace;
    stop(source);
    decode_source_init(source, source->request, source->path, source->elf_path);
    source->options = options;
    trace->quiet = true;
    trace->task_base = before->task_base;
    memcpy(trace->task_prefix, before->task_prefix, sizeof trace->task_prefix);
    trace->format = before->format;
    trace->missed_firmware = before->missed_firmware;
    trace->firmware = before->firmware;
    trace->printk = before->printk;
    trace->nprintk = before->nprintk;
    heap_free(before);
    return 0;
}

void decode_source_release(struct decode_source *source)
{
    stop(source);
    decode_lives_free(source->lives);
    input_close(source->input);
    firmware_close(source->elf);
    heap_free(source->found);
}
