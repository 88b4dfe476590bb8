/* job.c - see job.h.
 *
 * Some writers want the events of all CPUs in the order of time. For them the decoder with the earliest events is read
 * until another one has earlier ones. Other writers get CPU after CPU.
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
    const char *dot = strrchr(os_base_name(output), '.');
    int stem = dot != NULL ? (int)(dot - output) : (int)strlen(output);
    if (snprintf(job->guest_path, sizeof job->guest_path, "%.*s-%s%s", stem, output, guest, dot != NULL ? dot : "")
        >= (int)sizeof job->guest_path)
        trace_fail(job->trace, "%s: the name is too long", output);
    job->output_path = job->guest_path;
}

void decode_job_init(struct decode_job *job, const struct decode_request *request, struct tlog_decoder *decoders,
                     unsigned n, const char *guest)
{
    job->request = request;
    job->decoders = decoders;
    job->ndecoders = n;
    job->trace = &decoders->source.trace;
    job->output_path = request->output;
    job->output.fd = job->output.final_fd = -1;
    if (n > 1) {
        job->trace = &job->merged;
        trace_init(job->trace, decoders->source.trace.input_name);
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
    for (unsigned i = 0; i < job->ndecoders; i++) {
        if (!os_status(job->decoders[i].source.path, &status) || status.kind != OS_FILE || status.size > SMALL_INPUT)
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

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* Write the events that a decoder gave out for a CPU. 0, or -1 after trace_fail(). */
static int write_batch(struct decode_job *job, const struct tlog_decoder *decoder, unsigned cpu,
                       struct trace_batch *batch)
{
    if (job->ndecoders > 1 && decode_merge_batch(&job->merge, &decoder->source, &cpu, batch) != 0)
        return -1;
    return batch->n == 0 || job->request->writer->write(job->writer_state, cpu, batch) == 0 ? 0 : writer_failed(job);
}

/* Write all events of a decoder, CPU after CPU. 0, or -1 on failure. */
static int write_cpus(struct decode_job *job, struct tlog_decoder *decoder)
{
    struct trace_batch *batch;
    for (unsigned cpu = 0; cpu < decoder->source.trace.ncpus; cpu++) {
        enum tlog_result got;
        while ((got = library_next_of(decoder, cpu, &batch)) == TLOG_EVENTS) {
            if (write_batch(job, decoder, cpu, batch) != 0)
                return -1;
        }
        if (got == TLOG_FAILED)
            return -1;
    }
    return 0;
}

/* Find the decoder with the earliest events, the first one of several: NULL if none has any. *until becomes the time of
 * the other decoders' earliest ones. 0, or -1 on failure. */
static int find_first(const struct decode_job *job, struct tlog_decoder **first, uint64_t *until)
{
    uint64_t earliest = 0, time;
    bool has_events = false;
    *first = NULL;
    *until = UINT64_MAX;
    for (unsigned i = 0; i < job->ndecoders; i++) {
        int got = library_look(&job->decoders[i], &time);
        if (got < 0)
            return -1;
        if (got == 0)
            continue;
        has_events = has_events || library_has_events(&job->decoders[i]);
        if (*first == NULL || time < earliest) {
            *until = *first != NULL ? earliest : *until;
            *first = &job->decoders[i];
            earliest = time;
        } else if (time < *until) {
            *until = time;
        }
    }
    *first = has_events ? *first : NULL;
    return 0;
}

/* Write the events of all CPUs in the order of time. 0, or -1 on failure. */
static int write_merged(struct decode_job *job)
{
    struct tlog_decoder *first;
    struct trace_batch *batch;
    uint64_t until;
    unsigned cpu;
    for (;;) {
        if (find_first(job, &first, &until) != 0)
            return -1;
        if (first == NULL)
            return 0;
        if (library_next(first, until, &cpu, &batch) == TLOG_FAILED || write_batch(job, first, cpu, batch) != 0)
            return -1;
    }
}

static int write_events(struct decode_job *job)
{
    if (job->request->writer->merged && job->trace->ncpus > 1)
        return write_merged(job);
    for (unsigned i = 0; i < job->ndecoders; i++) {
        if (write_cpus(job, &job->decoders[i]) != 0)
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
    struct decode_source *source = &job->decoders->source;
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

/* ---- all of it --------------------------------------------------------------------------------------------------- */

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
    for (unsigned i = 0; i < job->ndecoders; i++) {
        if (library_start(&job->decoders[i]) != 0)
            return -1;
        if (job->request->verbose)
            report_input(&job->decoders[i].source);
    }
    return job->ndecoders > 1 ? decode_merge_open(&job->merge, job->trace, job->decoders, job->ndecoders) : 0;
}

static int open_writer(struct decode_job *job)
{
    job->writer_state = job->request->writer->open(job->trace, &job->decoders->source.options, job->output.fd);
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
    for (unsigned i = 0; i < job->ndecoders; i++) {
        bytes += input_size(job->decoders[i].source.input);
        input_begin_reading(job->decoders[i].source.input);
    }
    progress_stage(bytes);
}

/* Start the decoders, and write their events. 0, or -1 after trace_fail(), or if a source meets lives. */
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

/* ---- bit by bit -------------------------------------------------------------------------------------------------- */

int decode_job_begin(struct decode_job *job)
{
    return open_writer(job);
}

int decode_job_go_on(struct decode_job *job)
{
    decode_source_resume(&job->decoders->source);
    library_begin_again(job->decoders);
    if (write_events(job) != 0)
        return -1;
    return job->request->writer->flush(job->writer_state) == 0 ? 0 : writer_failed(job);
}

int decode_job_end(struct decode_job *job)
{
    return close_writer(job, true);
}

/* ---- writing once more ------------------------------------------------------------------------------------------- */

static bool meets_lives(const struct decode_job *job)
{
    for (unsigned i = 0; i < job->ndecoders; i++) {
        if (job->decoders[i].source.map != NULL && decode_source_meets_lives(&job->decoders[i].source))
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
    for (unsigned i = 0; i < job->ndecoders; i++) {
        if (!job->decoders[i].source.knows_lives && decode_lives_find(&job->decoders[i].source) != 0)
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
    for (unsigned i = 0; i < job->ndecoders; i++) {
        library_begin_again(&job->decoders[i]);
        if (decode_source_begin_again(&job->decoders[i].source) != 0)
            return -1;
    }
    if (job->ndecoders > 1) {
        trace_free(&job->merged);
        trace_init(&job->merged, job->decoders->source.trace.input_name);
        job->merged.sink = request->sink;
    }
    if (request->options.answer == NULL) {
        output_discard(&job->output);
        if (open_place(job) != 0)
            return -1;
    }
    if (find_lives(job) != 0 || write_all(job) != 0)
        return -1;
    for (unsigned i = 0; i < job->ndecoders; i++)
        job->decoders[i].source.trace.quiet = request->quiet;
    job->trace->quiet = request->quiet;
    return 0;
}

/* ---- tasks that the user names ----------------------------------------------------------------------------------- */

static void list_tasks(const struct decode_job *job, const char *like, struct decode_select_list *list)
{
    for (unsigned i = 0; i < job->ndecoders; i++)
        decode_select_list_tasks(job->decoders[i].source.select, like, list);
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
        bool found = pattern->stem == NULL || job->ndecoders < job->request->ninputs;
        for (unsigned k = 0; k < job->ndecoders && !found; k++)
            found = decode_select_finds_task(job->decoders[k].source.select, i);
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
    if (job->ndecoders > 1)
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
    uint64_t later = job->decoders->source.options.later;
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
