/* decode.c - see decode.h.
 *
 * A call has one source for each input, and one job for each output: one job for all decoders, or with guests a job for
 * each source.
 */
#include "tool/decode.h"

#include "base/heap.h"
#include "tool/clock_sync.h"
#include "decode/filter.h"
#include "tool/job.h"
#include "decode/map.h"
#include "tool/merge.h"
#include "tool/page.h"
#include "events/nesting.h"
#include "io/firmware/events_file.h"
#include "io/firmware/firmware.h"
#include "tool/message.h"
#include "tool/progress.h"
#include "os/os_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What one call of decode() has. */
struct call {
    const struct decode_request *request;
    struct tlog_decoder decoders[DECODE_INPUTS_MAX]; /* as many as the request has inputs, and in their order */
    unsigned ndecoders;
    struct decode_job *jobs;
    unsigned njobs;
    struct decode_clock_sync *clocks; /* of several decoders, else NULL */
    struct output session_file;       /* of --session */
    struct trace_session session;     /* the same for a writer that writes it */
};

/* ---- beginning --------------------------------------------------------------------------------------------------- */

static void init(struct call *call, const struct decode_request *request)
{
    bool guests = decode_has_guests(request);
    call->request = request;
    call->session_file.fd = call->session_file.final_fd = -1;
    call->ndecoders = request->ninputs;
    for (unsigned i = 0; i < request->ninputs; i++) {
        decode_source_init(&call->decoders[i].source, request, request->inputs[i].path, request->inputs[i].elf);
        call->decoders[i].source.more = request->inputs[i].more;
        call->decoders[i].source.nmore = request->inputs[i].nmore;
        call->decoders[i].source.bytes = request->inputs[i].bytes;
    }
    call->njobs = guests ? request->ninputs : 1;
    for (unsigned i = 0; i < call->njobs; i++)
        decode_job_init(&call->jobs[i], request, &call->decoders[i], guests ? 1 : request->ninputs,
                        request->inputs[i].guest);
    for (unsigned i = 0; !guests && request->ninputs > 1 && i < request->ninputs; i++)
        decode_merge_name_tasks(&call->decoders[i].source, i);
}

/* Open the outputs, which comes before the inputs: these may be long in coming, and may come only once. */
static int open_outputs(struct call *call)
{
    for (unsigned i = 0; i < call->njobs; i++) {
        struct decode_job *job = &call->jobs[i];
        if (job->trace->failed || decode_job_open_output(job) != 0)
            return -1;
        for (unsigned k = 0; k < call->ndecoders; k++) {
            if (decode_job_spare_input(job, &call->decoders[k].source) != 0)
                return -1;
        }
    }
    return 0;
}

static int prepare_sources(struct call *call)
{
    for (unsigned i = 0; i < call->ndecoders; i++) {
        if (decode_source_prepare(&call->decoders[i].source) != 0)
            return -1;
    }
    if (call->ndecoders == 1)
        return 0;
    call->clocks = decode_sync_clocks(call->decoders, call->ndecoders, call->request);
    return call->clocks != NULL ? 0 : -1;
}

/* Let the writer write the session. A line of GTKWave's ends where the path's would. */
static int hand_over_session(struct call *call)
{
    struct trace_session *session = &call->session;
    struct trace *trace = call->jobs->trace;
    session->fd = call->session_file.fd;
    session->path = os_whole_path(call->request->session);
    session->output = os_whole_path(call->jobs->output_path);
    if (session->path == NULL || session->output == NULL)
        return trace_fail(trace, "%s: cannot tell the whole path: %s", call->request->session, strerror(errno));
    if (strpbrk(session->path, "\r\n") != NULL || strpbrk(session->output, "\r\n") != NULL)
        return trace_fail(trace, "%s: a session cannot name a path with a line break", call->request->session);
    call->decoders->source.options.session = session;
    return 0;
}

/* Open the file of --session. */
static int open_session(struct call *call)
{
    struct decode_job *job = call->jobs;
    if (call->request->session == NULL)
        return 0;
    if (output_open(&call->session_file, job->trace, call->request->session, true) != 0)
        return -1;
    for (unsigned k = 0; k < call->ndecoders; k++) {
        const struct decode_source *source = &call->decoders[k].source;
        if (output_replaces(&call->session_file, source->path)
            || (source->elf_path != NULL && output_replaces(&call->session_file, source->elf_path)))
            return trace_fail(job->trace, "%s: is the input, and stays as it is", call->request->session);
    }
    return call->request->writer->sessions ? hand_over_session(call) : 0;
}

/* Write it, unless the writer has done that, and publish it. */
static int write_session(struct call *call)
{
    struct decode_job *job = call->jobs;
    if (call->request->session == NULL)
        return 0;
    if (!call->request->writer->sessions && decode_job_write_session(job, call->session_file.fd) != 0)
        return -1;
    return output_finish(&call->session_file, job->trace);
}

/* Whether the user sees a line of progress. Output to a terminal would get mixed up with it; but not the output of an
 * answer, which comes at the end. */
static bool shows_progress(const struct call *call)
{
    const struct decode_request *request = call->request;
    return !request->quiet && (request->options.answer != NULL || !output_is_terminal(&call->jobs->output));
}

/* Let the writer put the inputs into the page. */
static int hand_over_page(struct call *call)
{
    struct trace_page *page = call->request->page;
    if (!call->request->writer->pages)
        return 0;
    call->decoders->source.options.page = page;
    return decode_page_fill(page, call->decoders, call->ndecoders);
}

/* Write all outputs, and publish them when all are whole. The first job's output, which has the name that the user
 * gave, is published last: once it is there, so are the others. */
static int write_outputs(struct call *call)
{
    if (open_outputs(call) != 0)
        return -1;
    if (shows_progress(call))
        progress_begin();
    if (open_session(call) != 0 || prepare_sources(call) != 0 || hand_over_page(call) != 0)
        return -1;
    for (unsigned i = 0; i < call->njobs; i++) {
        if (decode_job_find_windows(&call->jobs[i]) != 0 || decode_job_write(&call->jobs[i]) != 0)
            return -1;
    }
    if (write_session(call) != 0)
        return -1;
    for (unsigned i = call->njobs; i-- > 0;) {
        if (decode_job_publish(&call->jobs[i]) != 0)
            return -1;
    }
    return 0;
}

/* ---- end --------------------------------------------------------------------------------------------------------- */

/* All is written: give warnings and summaries. */
static enum decode_exit finish_written(const struct call *call)
{
    enum decode_exit result = DECODE_WHOLE;
    for (unsigned i = 0; i < call->ndecoders; i++) {
        if (library_tell(&call->decoders[i]))
            result = DECODE_DAMAGED;
    }
    for (unsigned i = 0; i < call->njobs; i++) {
        const struct trace_counts *counts = &call->jobs[i].trace->counts;
        if (counts->gaps + counts->damaged > 0)
            result = DECODE_DAMAGED;
        if (!call->request->quiet && call->request->options.answer == NULL)
            decode_job_summarise(&call->jobs[i]);
    }
    return result;
}

/* The message of the trace that failed: a job's or a source's. */
static const char *find_error(const struct call *call)
{
    for (unsigned i = 0; i < call->njobs; i++) {
        if (call->jobs[i].trace->failed)
            return call->jobs[i].trace->error;
    }
    for (unsigned i = 0; i < call->ndecoders; i++) {
        if (call->decoders[i].source.trace.failed)
            return call->decoders[i].source.trace.error;
    }
    return "failed";
}

/* Tell the error, and leave nothing behind. If the reader of a pipe has closed it, as `head` does, that is no error to
 * be told. */
static enum decode_exit finish_failed(struct call *call)
{
    bool reader_gone = false;
    for (unsigned i = 0; i < call->njobs; i++)
        reader_gone |= call->jobs[i].reader_gone;
    if (!reader_gone)
        message_error("%s", find_error(call));
    if (call->request->error != NULL)
        snprintf(call->request->error, sizeof call->jobs->trace->error, "%s", find_error(call));
    for (unsigned i = 0; i < call->njobs; i++)
        decode_job_discard_output(&call->jobs[i]);
    output_discard(&call->session_file);
    return DECODE_NOTHING;
}

static void release(struct call *call)
{
    for (unsigned i = 0; i < call->njobs; i++)
        decode_job_release(&call->jobs[i]);
    for (unsigned i = 0; i < call->ndecoders; i++)
        library_release(&call->decoders[i]);
    decode_clock_sync_free(call->clocks);
    heap_free(call->session.path);
    heap_free(call->session.output);
    heap_free(call->jobs);
    heap_free(call);
}

enum decode_exit decode(const struct decode_request *request)
{
    struct call *call = heap_calloc(1, sizeof *call);
    enum decode_exit result;
    int written;
    if (call != NULL)
        call->jobs = heap_calloc(request->ninputs, sizeof *call->jobs);
    if (call == NULL || call->jobs == NULL) {
        heap_free(call);
        message_error("no memory");
        return DECODE_NOTHING;
    }
    init(call, request);
    written = write_outputs(call);
    progress_end();
    result = written == 0 ? finish_written(call) : finish_failed(call);
    release(call);
    return result;
}

/* ---- --save-events ----------------------------------------------------------------------------------------------- */

static int save(struct trace *trace, const char *elf, struct output *output, const char *path)
{
    if (output_open(output, trace, path, false) != 0)
        return -1;
    if (output_replaces(output, elf))
        return trace_fail(trace, "%s: is the input, and stays as it is", output->name);
    if (events_file_write(trace, output->fd) != 0)
        return -1;
    return output_finish(output, trace);
}

enum decode_exit decode_save_events(const char *elf, const char *output, bool quiet)
{
    struct output to = {.fd = -1, .final_fd = -1};
    struct trace trace;
    struct firmware_file *firmware;
    enum decode_exit result = DECODE_WHOLE;
    trace_init(&trace, elf);
    trace.quiet = quiet;
    trace.sink = &message_sink;
    firmware = firmware_open(&trace, elf);
    if (firmware == NULL || save(&trace, elf, &to, output) != 0) {
        message("%s", trace.error);
        output_discard(&to);
        result = DECODE_NOTHING;
    }
    firmware_close(firmware);
    trace_free(&trace);
    return result;
}
