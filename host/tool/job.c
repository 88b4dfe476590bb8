/* job.c - see job.h.
 *
 * Some writers want the events of all CPUs in the order of time. For them the lane with the earliest event is mapped
 * and written until another lane has an earlier one. Other writers get lane after lane. Before that, all events are
 * followed once in the order of time, to find out what tasks do on several CPUs (cross_cpu.h).
 */
#include "tool/job.h"

#include "decode/lives.h"
#include "decode/map.h"
#include "decode/queue.h"
#include "decode/select.h"
#include "model/known.h"
#include "base/text.h"
#include "tool/message.h"
#include "tool/progress.h"
#include "os/os_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_S 1000000000u

/* The writer has failed. It does not know where its bytes go, so its error gets the output's name here. Always -1. */
static int writer_failed(struct decode_job *job)
{
    char error[sizeof job->trace->error];
    memcpy(error, job->trace->error, sizeof error);
    snprintf(job->trace->error, sizeof job->trace->error, "%s: %.400s", job->output.name, error);
    job->reader_gone = output_is_closed(&job->output);
    return -1;
}

/* ---- beginning --------------------------------------------------------------------------------------------------- */

/* Make the name of a guest's output: DIR/out.dat becomes DIR/out-NAME.dat. */
static void name_guest_output(struct decode_job *job, const char *output, const char *guest)
{
    const char *slash = strrchr(output, '/');
    const char *dot = strrchr(slash != NULL ? slash : output, '.');
    int stem = dot != NULL ? (int)(dot - output) : (int)strlen(output);
    if (snprintf(job->guest_path, sizeof job->guest_path, "%.*s-%s%s", stem, output, guest, dot != NULL ? dot : "")
        >= (int)sizeof job->guest_path)
        trace_fail(job->trace, "%s: the name is too long", output);
    job->output_path = job->guest_path;
}

void decode_job_init(struct decode_job *job, const struct decode_request *request, struct decode_source *sources,
                     unsigned n, const char *guest)
{
    job->request = request;
    job->sources = sources;
    job->nsources = n;
    job->trace = &sources->trace;
    job->output_path = request->output;
    job->output.fd = job->output.final_fd = -1;
    if (n > 1) {
        job->trace = &job->merged;
        trace_init(job->trace, sources->trace.input_name);
        job->trace->quiet = request->quiet;
        job->trace->sink = request->sink;
    }
    if (guest != NULL)
        name_guest_output(job, request->output, guest);
}

/* ---- output ------------------------------------------------------------------------------------------------------ */

enum { SMALL_INPUT = 64 << 20 };

/* Whether all inputs are small files. What is made of them waits in a temporary file when it goes to a pipe: so it can
 * be taken back if numbers are given again (lives.h). Larger inputs are read once more ahead instead. */
static bool is_small(const struct decode_job *job)
{
    struct os_status status;
    for (unsigned i = 0; i < job->nsources; i++) {
        if (!os_status(job->sources[i].path, &status) || status.kind != OS_FILE || status.size > SMALL_INPUT)
            return false;
    }
    return true;
}

/* Open a file or a directory, whichever the writer writes. */
static int open_place(struct decode_job *job)
{
    const struct trace_writer *writer = job->request->writer;
    const char *path = job->output_path;
    if (writer->may_replace == NULL)
        return output_open(&job->output, job->trace, path, writer->seeks || is_small(job));
    if (path == NULL || strcmp(path, "-") == 0)
        return trace_fail(job->trace, "%s is a directory: -o DIR says which", writer->name);
    return output_open_directory(&job->output, job->trace, path, writer->may_replace);
}

int decode_job_open_output(struct decode_job *job)
{
    const struct decode_request *request = job->request;
    if (open_place(job) != 0)
        return -1;
    if (request->writer->binary && !request->force && output_is_terminal(&job->output))
        return trace_fail(job->trace, "%s is binary and not for a terminal; -o FILE writes a file, --force insists",
                          request->writer->name);
    return 0;
}

int decode_job_spare_input(struct decode_job *job, const struct decode_source *source)
{
    bool is_input = output_replaces(&job->output, source->path)
                    || (source->elf_path != NULL && output_replaces(&job->output, source->elf_path));
    for (unsigned i = 0; i < source->nmore; i++)
        is_input = is_input || output_replaces(&job->output, source->more[i]);
    return is_input ? trace_fail(job->trace, "%s: is the input, and stays as it is", job->output.name) : 0;
}

int decode_job_publish(struct decode_job *job)
{
    if (output_finish(&job->output, job->trace) == 0)
        return 0;
    job->reader_gone = output_is_closed(&job->output);
    return -1;
}

void decode_job_discard_output(struct decode_job *job)
{
    output_discard(&job->output);
}

/* ---- lanes ------------------------------------------------------------------------------------------------------- */

/* The source that a CPU of the output is of; *cpu becomes the CPU's number there. */
static struct decode_source *source_of(const struct decode_job *job, unsigned *cpu)
{
    return job->nsources > 1 ? decode_merge_source(&job->merge, cpu) : job->sources;
}

static struct decode_lane *lane_of(const struct decode_job *job, unsigned cpu)
{
    struct decode_source *source = source_of(job, &cpu);
    return &source->lanes[cpu];
}

/* Map and write a lane's next event, and those after it that are earlier than `until`. 0, or -1 after trace_fail(). */
static int write_part(struct decode_job *job, unsigned cpu, uint64_t until)
{
    unsigned number = cpu;
    struct decode_source *source = source_of(job, &number);
    struct decode_lane *lane = &source->lanes[number];
    do {
        if (decode_source_map(source, number, until) != 0
            || (job->nsources > 1 && decode_merge_batch(&job->merge, source, &lane->out) != 0))
            return -1;
        if (decode_source_meets_lives(source))
            return -1;
        if (lane->out.n > 0 && job->request->writer->write(job->writer_state, cpu, &lane->out) != 0)
            return writer_failed(job);
    } while (decode_lane_has_event(lane) && decode_lane_time(lane) < until);
    return 0;
}

/* Read the next events into the CPU's lane: 1, 0 at the end, -1 on failure. */
static int fill_lane(struct decode_job *job, unsigned cpu)
{
    struct decode_source *source = source_of(job, &cpu);
    return decode_source_fill(source, cpu);
}

/* Write all events of a CPU. Its first ones may be in the lane already. */
static int write_lane(struct decode_job *job, unsigned cpu)
{
    int got = decode_lane_has_event(lane_of(job, cpu)) ? 1 : fill_lane(job, cpu);
    while (got > 0) {
        if (write_part(job, cpu, UINT64_MAX) != 0)
            return -1;
        got = fill_lane(job, cpu);
    }
    return got;
}

/* ---- writing in the order of time -------------------------------------------------------------------------------- */

/* Read the first events of all CPUs, and queue those CPUs that have any. 0, or -1 on failure. */
static int fill_all(struct decode_job *job, struct decode_queue *queue)
{
    for (unsigned cpu = 0; cpu < job->trace->ncpus; cpu++) {
        int got = fill_lane(job, cpu);
        if (got < 0)
            return -1;
        if (got > 0)
            queue->at[queue->n++] = (struct decode_queued){decode_lane_time(lane_of(job, cpu)), cpu};
    }
    decode_queue_begin(queue);
    return 0;
}

/* Write what the first CPU has before all others, and fill its lane again if it is empty. */
static int write_first(struct decode_job *job, struct decode_queue *queue)
{
    unsigned cpu = queue->at[0].cpu;
    struct decode_lane *lane = lane_of(job, cpu);
    int got = 1;
    if (write_part(job, cpu, decode_queue_second(queue)) != 0)
        return -1;
    if (!decode_lane_has_event(lane))
        got = fill_lane(job, cpu);
    decode_queue_next(queue, got > 0 || lane->edge.time != UINT64_MAX, lane);
    return got < 0 ? -1 : 0;
}

/* Whether there are only edges left, and so nothing more to come. */
static bool has_only_edges(const struct decode_job *job, const struct decode_queue *queue)
{
    for (unsigned i = 0; i < queue->n; i++) {
        if (decode_lane_has_event(lane_of(job, queue->at[i].cpu)))
            return false;
    }
    return true;
}

/* Write the events of all CPUs in the order of time. */
static int write_merged(struct decode_job *job)
{
    struct decode_queue queue = {calloc(job->trace->ncpus, sizeof *queue.at), 0};
    int result =
        queue.at != NULL ? fill_all(job, &queue) : trace_fail(job->trace, "no memory for %u CPUs", job->trace->ncpus);
    while (queue.n > 0 && result == 0) {
        if (!decode_lane_has_event(lane_of(job, queue.at[0].cpu)) && has_only_edges(job, &queue))
            break;
        result = write_first(job, &queue);
    }
    free(queue.at);
    return result;
}

static int write_events(struct decode_job *job)
{
    if (job->request->writer->merged && job->trace->ncpus > 1)
        return write_merged(job);
    for (unsigned cpu = 0; cpu < job->trace->ncpus; cpu++) {
        if (write_lane(job, cpu) != 0)
            return -1;
    }
    return 0;
}

/* ---- times that are too early for the output --------------------------------------------------------------------- */

/* When the lane's first event is, of those that were read. UINT64_MAX: none was. If there are only losses, none that
 * follows is earlier than they are. */
static uint64_t first_time(const struct trace *trace, const struct decode_lane *lane)
{
    uint64_t time = UINT64_MAX;
    for (size_t i = 0; i < lane->in.n; i++) {
        time = lane->in.event[i].time;
        if (!trace_class_is_gap(trace->types[lane->in.event[i].type]->means))
            break;
    }
    return time;
}

/* Read the first events of all CPUs, and let the writer move all times if one is earlier than its file can hold: by as
 * much as that, so that none is. What is left out plays no part, so that an event has one time in all files. Where
 * there are several inputs, clock_sync.c has done that. 0, or -1 on failure. */
static int find_later(struct decode_job *job)
{
    struct decode_source *source = job->sources;
    uint64_t earliest = job->request->writer->earliest;
    if (earliest == 0 || job->request->ninputs > 1)
        return 0;
    for (unsigned cpu = 0; cpu < source->trace.ncpus; cpu++) {
        if (decode_source_fill(source, cpu) < 0)
            return -1;
        if (first_time(&source->trace, &source->lanes[cpu]) < earliest)
            source->options.later = earliest;
    }
    return 0;
}

/* ---- what tasks do on several CPUs ------------------------------------------------------------------------------- */

/* Whether the source's mapping needs updates, because it gets one CPU after the other. */
static bool needs_updates(const struct decode_source *source)
{
    const struct trace_writer *writer = source->request->writer;
    return !writer->merged && source->trace.ncpus > 1 && !source->trace.mapped && !writer->native
           && source->request->map != TLOG_MAP_NATIVE;
}

/* Bring the CPU's lane to its next special event: 1, 0 at the end, -1 after trace_fail(). */
static int find_special(struct decode_source *source, unsigned cpu)
{
    struct decode_lane *lane = &source->lanes[cpu];
    int got = 1;
    while (got > 0) {
        lane->at = decode_map_find_special(source->map, cpu, &lane->in, lane->at);
        if (decode_lane_has_event(lane))
            break;
        got = decode_source_fill(source, cpu);
    }
    return got;
}

/* Follow the first CPU's event, and go to its next one. 0, or -1 after trace_fail(). */
static int follow_first(struct decode_source *source, struct decode_queue *queue)
{
    unsigned cpu = queue->at[0].cpu;
    struct decode_lane *lane = &source->lanes[cpu];
    int got;
    decode_map_follow(source->map, cpu, &lane->in.event[lane->at], &source->lanes[0].out);
    lane->at++;
    got = find_special(source, cpu);
    decode_queue_next(queue, got > 0, lane);
    return got < 0 || source->trace.failed ? -1 : 0;
}

/* Follow all events. 0, or -1 after trace_fail(). */
static int follow_all(struct decode_source *source, struct decode_queue *queue)
{
    if (decode_queue_fill(queue, source, find_special) != 0)
        return -1;
    while (queue->n > 0) {
        if (follow_first(source, queue) != 0)
            return -1;
    }
    return 0;
}

/* Make a second source of the same input, whose mapping records updates. 0, or -1 after trace_fail(). */
static int start_recorder(struct decode_source *second, const struct decode_source *source)
{
    struct trace *trace = &second->trace;
    decode_source_repeat(second, source, source->request);
    if (decode_source_start(second) != 0)
        return -1;
    return decode_map_record(second->map) ? 0 : trace_fail(trace, "%s: no memory for tasks", trace->input_name);
}

/* Give the mapping of a source, which is started, its updates. 0, or -1 after trace_fail(). */
static int find_updates(struct decode_source *source)
{
    struct decode_source *second = calloc(1, sizeof *second);
    struct decode_queue queue = {calloc(source->trace.ncpus, sizeof *queue.at), 0};
    int result = -1;
    if (second == NULL || queue.at == NULL) {
        free(second);
        free(queue.at);
        return trace_fail(&source->trace, "no memory for %u CPUs", source->trace.ncpus);
    }
    if (start_recorder(second, source) == 0 && follow_all(second, &queue) == 0) {
        decode_map_take_updates(source->map, second->map);
        result = 0;
    } else {
        trace_fail(&source->trace, "%s", second->trace.failed ? second->trace.error : "cannot be read twice");
    }
    free(queue.at);
    decode_source_release_repeated(second);
    free(second);
    return result;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* Tell what --verbose tells of an input. */
static void report_input(const struct decode_source *source)
{
    const struct trace *trace = &source->trace;
    char size[48] = "a directory";
    if (input_directory(source->input) < 0)
        snprintf(size, sizeof size, "%" PRIu64 " bytes", input_size(source->input));
    message("%s: %s, %s, %u CPU%s, clock %" PRIu64 " Hz, target %s", trace->input_name, source->reader->name, size,
            trace->ncpus, text_plural(trace->ncpus), trace->clock_hz,
            trace->target != NULL ? trace->target : "unknown");
}

static int start_sources(struct decode_job *job)
{
    for (unsigned i = 0; i < job->nsources; i++) {
        if (decode_source_start(&job->sources[i]) != 0)
            return -1;
        if (job->request->verbose)
            report_input(&job->sources[i]);
        if (needs_updates(&job->sources[i]) && find_updates(&job->sources[i]) != 0)
            return -1;
        if (decode_source_meets_lives(&job->sources[i]))
            return -1;
        job->sources[i].knows_lives |= needs_updates(&job->sources[i]);
        decode_source_begin_edges(&job->sources[i]);
    }
    return job->nsources > 1 ? decode_merge_open(&job->merge, job->trace, job->sources, job->nsources) : 0;
}

static int open_writer(struct decode_job *job)
{
    job->writer_state = job->request->writer->open(job->trace, &job->sources->options, job->output.fd);
    return job->writer_state != NULL ? 0 : writer_failed(job);
}

/* Close the writer if it is open. With ok false, which is for cleaning up, nothing can fail. */
static int close_writer(struct decode_job *job, bool ok)
{
    void *state = job->writer_state;
    job->writer_state = NULL;
    if (state == NULL || job->request->writer->close(state, ok) == 0 || !ok)
        return 0;
    return writer_failed(job);
}

/* Begin to show progress: from here on all inputs are read. */
static void expect_bytes(const struct decode_job *job)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < job->nsources; i++) {
        bytes += input_size(job->sources[i].input);
        input_begin_reading(job->sources[i].input);
    }
    progress_stage(bytes);
}

/* Start the sources, and write their events. 0, or -1 after trace_fail(), or if a source meets lives. */
static int write_all(struct decode_job *job)
{
    if (start_sources(job) != 0)
        return -1;
    expect_bytes(job);
    if (find_later(job) != 0 || open_writer(job) != 0)
        return -1;
    if (job->request->verbose)
        message("%s: writing %s", job->output.name, job->request->writer->name);
    return write_events(job);
}

/* ---- writing once more ------------------------------------------------------------------------------------------- */

static bool meets_lives(const struct decode_job *job)
{
    for (unsigned i = 0; i < job->nsources; i++) {
        if (job->sources[i].map != NULL && decode_source_meets_lives(&job->sources[i]))
            return true;
    }
    return false;
}

/* Whether what was written can be taken back: nobody has seen it yet. */
static bool can_begin_again(const struct decode_job *job)
{
    return job->output.temporary != NULL || job->output.final_fd >= 0 || job->request->options.answer != NULL;
}

static int find_lives(struct decode_job *job)
{
    for (unsigned i = 0; i < job->nsources; i++) {
        if (!job->sources[i].knows_lives && decode_lives_find(&job->sources[i]) != 0)
            return -1;
    }
    return 0;
}

/* Take back what was written, find the lives, and write all again. */
static int write_again(struct decode_job *job)
{
    const struct decode_request *request = job->request;
    close_writer(job, false);
    decode_merge_close(&job->merge);
    for (unsigned i = 0; i < job->nsources; i++) {
        if (decode_source_begin_again(&job->sources[i]) != 0)
            return -1;
    }
    if (job->nsources > 1) {
        trace_free(&job->merged);
        trace_init(&job->merged, job->sources->trace.input_name);
        job->merged.sink = request->sink;
    }
    if (request->options.answer == NULL) {
        output_discard(&job->output);
        if (open_place(job) != 0)
            return -1;
    }
    if (find_lives(job) != 0 || write_all(job) != 0)
        return -1;
    for (unsigned i = 0; i < job->nsources; i++)
        job->sources[i].trace.quiet = request->quiet;
    job->trace->quiet = request->quiet;
    return 0;
}

/* ---- tasks that the user names ----------------------------------------------------------------------------------- */

static void list_tasks(const struct decode_job *job, const char *like, struct decode_select_list *list)
{
    for (unsigned i = 0; i < job->nsources; i++)
        decode_select_list_tasks(job->sources[i].select, like, list);
}

/* No source has the task of --task=NAME:NUMBER: tell which ones there are. Always -1. */
static int no_such_task(const struct decode_job *job, const struct select_pattern *pattern)
{
    struct decode_select_list list = {0};
    list_tasks(job, pattern->stem, &list);
    if (list.used == 0)
        list_tasks(job, "*", &list);
    return trace_fail(job->trace, "--task=%.80s: there is no such task; there are %s", pattern->text,
                      list.text[0] != '\0' ? list.text : "none with a name");
}

/* Check that each NAME:NUMBER of --task is a task of some source, unless there are other jobs, which may have it. 0, or
 * -1 after trace_fail(). */
static int check_tasks(const struct decode_job *job)
{
    const struct decode_selection *selection = job->request->selection;
    for (unsigned i = 0; selection != NULL && i < selection->list[SELECT_TASK].n; i++) {
        const struct select_pattern *pattern = &selection->list[SELECT_TASK].pattern[i];
        bool found = pattern->stem == NULL || job->nsources < job->request->ninputs;
        for (unsigned k = 0; k < job->nsources && !found; k++)
            found = decode_select_finds_task(job->sources[k].select, i);
        if (!found)
            return no_such_task(job, pattern);
    }
    return 0;
}

int decode_job_write(struct decode_job *job)
{
    const struct trace_counts *counts = &job->trace->counts;
    int result = can_begin_again(job) ? 0 : find_lives(job);
    if (result == 0)
        result = write_all(job);
    if (result != 0 && meets_lives(job))
        result = write_again(job);
    if (result != 0)
        return -1;
    progress_erase();
    if (check_tasks(job) != 0)
        return -1;
    if (job->nsources > 1)
        decode_merge_count(&job->merge);
    if (counts->events == 0 && counts->gaps > 0)
        return trace_fail(job->trace, "%s: nothing decodable, %" PRIu64 " damaged part%s", job->trace->input_name,
                          counts->gaps, text_plural(counts->gaps));
    return close_writer(job, true);
}

/* ---- end --------------------------------------------------------------------------------------------------------- */

/* Tell by how much the times in the file are later, if they are. */
static void tell_later(const struct decode_job *job, char *to, size_t size)
{
    uint64_t later = job->sources->options.later;
    const char *unit = "ticks";
    to[0] = '\0';
    if (later == 0)
        return;
    if (job->trace->clock_hz > 0) {
        unit = later % NS_PER_S == 0 ? "s" : "us";
        later /= later % NS_PER_S == 0 ? NS_PER_S : 1000u;
    }
    snprintf(to, size, "; all times in it are %" PRIu64 " %s later", later, unit);
}

void decode_job_summarise(const struct decode_job *job)
{
    const struct trace *trace = job->trace;
    const struct trace_counts *counts = &trace->counts;
    uint64_t lost = counts->dropped + counts->overwritten, span = counts->last - counts->first;
    uint64_t written = counts->events - counts->left_out - counts->no_place;
    char derived[48] = "", losses[80] = "", unfinished[48] = "", passed[80] = "", gaps[48] = "", time[48], later[80],
         no_place[48] = "";
    snprintf(time, sizeof time, "%" PRIu64 " ticks", span);
    if (trace->clock_hz > 0)
        snprintf(time, sizeof time, "%" PRIu64 ".%03" PRIu64 " s", span / 1000000000u, span / 1000000u % 1000u);
    if (counts->derived > counts->derived_left_out)
        snprintf(derived, sizeof derived, " (+%" PRIu64 " derived)", counts->derived - counts->derived_left_out);
    if (lost > 0)
        snprintf(losses, sizeof losses, " (%" PRIu64 " dropped, %" PRIu64 " overwritten)", counts->dropped,
                 counts->overwritten);
    if (counts->unfinished > 0)
        snprintf(unfinished, sizeof unfinished, ", unfinished %" PRIu64, counts->unfinished);
    if (counts->passed > 0)
        snprintf(passed, sizeof passed, ", %" PRIu64 " slot%s of events that were never finished are passed",
                 counts->passed, text_plural(counts->passed));
    if (counts->gaps > 0)
        snprintf(gaps, sizeof gaps, " in %" PRIu64 " part%s", counts->gaps, text_plural(counts->gaps));
    if (counts->no_place > 0)
        snprintf(no_place, sizeof no_place, "; %" PRIu64 " event%s left out", counts->no_place,
                 text_plural(counts->no_place));
    tell_later(job, later, sizeof later);
    message("%s: %" PRIu64 " event%s%s, %u CPU%s, %s, lost %" PRIu64 "%s%s%s, damaged %" PRIu64 "%s%s%s",
            job->output.name, written, text_plural(written), derived, trace->ncpus, text_plural(trace->ncpus), time,
            lost, losses, unfinished, passed, counts->damaged, gaps, no_place, later);
}

void decode_job_release(struct decode_job *job)
{
    close_writer(job, false);
    decode_merge_close(&job->merge);
    trace_free(&job->merged);
    decode_windows_free(&job->windows);
}
