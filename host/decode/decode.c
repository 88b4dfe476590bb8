/* decode.c - see decode.h.
 *
 * One call has one job, of one source or of several that are merged; with guests it has a job for each source.
 */
#include "decode/decode.h"
#include "decode/filter.h"
#include "decode/find.h"
#include "decode/job.h"
#include "decode/kernelshark.h"
#include "decode/merge.h"
#include "decode/select.h"
#include "decode/source.h"
#include "decode/tie.h"
#include "events/spans.h"
#include "model/message.h"
#include "model/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* So many events at one time mean that the clock stood still: a clock that is merely slow does not give a whole trace
 * of so many events one and the same time. */
#define STILL_EVENTS 16u

/* All that one call of decode() has. */
struct session {
    const struct decode_request *request;
    struct decode_source sources[DECODE_INPUTS_MAX]; /* as many as the request has inputs, and in their order */
    unsigned nsources;
    struct decode_job *jobs;
    unsigned njobs;
    struct decode_tie *tie;    /* of several sources, else NULL */
    struct output kernelshark; /* the file of --session */
};

/* ---- beginning --------------------------------------------------------------------------------------------------- */

static void init(struct session *session, const struct decode_request *request)
{
    bool guests = decode_has_guests(request);
    session->request = request;
    session->kernelshark.fd = session->kernelshark.final_fd = -1;
    session->nsources = request->ninputs;
    for (unsigned i = 0; i < request->ninputs; i++)
        decode_source_init(&session->sources[i], request, request->inputs[i].path, request->inputs[i].elf);
    session->njobs = guests ? request->ninputs : 1;
    for (unsigned i = 0; i < session->njobs; i++)
        decode_job_init(&session->jobs[i], request, &session->sources[i], guests ? 1 : request->ninputs,
                        request->inputs[i].guest);
    for (unsigned i = 0; !guests && request->ninputs > 1 && i < request->ninputs; i++)
        decode_merge_name_tasks(&session->sources[i], i);
}

/* Outputs are opened first: the input may be long in coming, and may come only once. */
static int open_outputs(struct session *session)
{
    for (unsigned i = 0; i < session->njobs; i++) {
        struct decode_job *job = &session->jobs[i];
        if (job->trace->failed || decode_job_open_output(job) != 0)
            return -1;
        for (unsigned k = 0; k < session->nsources; k++) {
            if (decode_job_spare_input(job, &session->sources[k]) != 0)
                return -1;
        }
    }
    return 0;
}

static int prepare_sources(struct session *session)
{
    for (unsigned i = 0; i < session->nsources; i++) {
        if (decode_source_prepare(&session->sources[i]) != 0)
            return -1;
    }
    if (session->nsources == 1)
        return 0;
    session->tie = decode_tie(session->sources, session->nsources, session->request);
    return session->tie != NULL ? 0 : -1;
}

/* Open the file of --session. */
static int open_kernelshark(struct session *session)
{
    struct decode_job *job = session->jobs;
    if (session->request->session == NULL)
        return 0;
    if (output_open(&session->kernelshark, job->trace, session->request->session, true) != 0)
        return -1;
    for (unsigned k = 0; k < session->nsources; k++) {
        const struct decode_source *source = &session->sources[k];
        if (output_replaces(&session->kernelshark, source->path)
            || (source->elf_path != NULL && output_replaces(&session->kernelshark, source->elf_path)))
            return trace_fail(job->trace, "%s: is the input, and stays as it is", session->request->session);
    }
    return 0;
}

/* Fill and publish it. */
static int write_kernelshark(struct session *session)
{
    struct decode_job *job = session->jobs;
    if (session->request->session == NULL)
        return 0;
    if (decode_kernelshark_write(job, session->kernelshark.fd) != 0)
        return -1;
    return output_finish(&session->kernelshark, job->trace);
}

/* A line that is rewritten would be among the lines of an output to a terminal. Those of an answer come at the end. */
static bool shows_progress(const struct session *session)
{
    const struct decode_request *request = session->request;
    return !request->quiet && (request->options.answer != NULL || !output_is_terminal(&session->jobs->output));
}

/* Write all outputs, and publish them only when all are whole. The first job's, which has the name that the user gave,
 * is published last: where it is, the others are. */
static int write_outputs(struct session *session)
{
    if (open_outputs(session) != 0)
        return -1;
    if (shows_progress(session))
        progress_begin();
    if (open_kernelshark(session) != 0 || prepare_sources(session) != 0)
        return -1;
    for (unsigned i = 0; i < session->njobs; i++) {
        if (decode_find(&session->jobs[i]) != 0 || decode_job_write(&session->jobs[i]) != 0)
            return -1;
    }
    if (write_kernelshark(session) != 0)
        return -1;
    for (unsigned i = session->njobs; i-- > 0;) {
        if (decode_job_publish(&session->jobs[i]) != 0)
            return -1;
    }
    return 0;
}

/* ---- end --------------------------------------------------------------------------------------------------------- */

/* Warn of a clock that stood still: a cycle counter that was never switched on always reads the same. */
static void note_still_clock(const struct decode_source *source)
{
    const struct trace_counts *counts = &source->trace.counts;
    if (counts->events >= STILL_EVENTS && counts->first == counts->last)
        trace_note(&source->trace, "all %" PRIu64 " events bear the same time: the target's clock did not run",
                   counts->events);
}

/* Tell what is worth telling of a source's events, now that all have come. Returns whether names in them are those of
 * another firmware. */
static bool tell_of_events(const struct decode_source *source)
{
    note_still_clock(source);
    spans_tell(source->spans);
    if (source->select != NULL)
        decode_select_tell(source->select);
    if (source->filter != NULL)
        decode_filter_tell(source->filter);
    return source->trace.firmware != NULL && source->trace.firmware->is_wrong;
}

/* All is written: give warnings and summaries. */
static enum decode_exit finish_written(const struct session *session)
{
    enum decode_exit result = DECODE_WHOLE;
    for (unsigned i = 0; i < session->nsources; i++) {
        if (tell_of_events(&session->sources[i]))
            result = DECODE_DAMAGED;
    }
    for (unsigned i = 0; i < session->njobs; i++) {
        const struct trace_counts *counts = &session->jobs[i].trace->counts;
        if (counts->gaps + counts->damaged > 0)
            result = DECODE_DAMAGED;
        if (!session->request->quiet && session->request->options.answer == NULL)
            decode_job_summarise(&session->jobs[i]);
    }
    return result;
}

/* The message of what failed. There is one trace that failed; a job of one source shares the source's. */
static const char *find_error(const struct session *session)
{
    for (unsigned i = 0; i < session->njobs; i++) {
        if (session->jobs[i].trace->failed)
            return session->jobs[i].trace->error;
    }
    for (unsigned i = 0; i < session->nsources; i++) {
        if (session->sources[i].trace.failed)
            return session->sources[i].trace.error;
    }
    return "failed";
}

/* Tell the error, and leave nothing behind. That the reader of a pipe has closed it, as `head` does, is no error to
 * tell. */
static enum decode_exit finish_failed(struct session *session)
{
    bool reader_gone = false;
    for (unsigned i = 0; i < session->njobs; i++)
        reader_gone |= session->jobs[i].reader_gone;
    if (!reader_gone)
        message_error("%s", find_error(session));
    if (session->request->error != NULL)
        snprintf(session->request->error, sizeof session->jobs->trace->error, "%s", find_error(session));
    for (unsigned i = 0; i < session->njobs; i++)
        decode_job_discard_output(&session->jobs[i]);
    output_discard(&session->kernelshark);
    return DECODE_NOTHING;
}

static void release(struct session *session)
{
    for (unsigned i = 0; i < session->njobs; i++)
        decode_job_release(&session->jobs[i]);
    for (unsigned i = 0; i < session->nsources; i++)
        decode_source_release(&session->sources[i]);
    decode_tie_free(session->tie);
    free(session->jobs);
    free(session);
}

enum decode_exit decode(const struct decode_request *request)
{
    struct session *session = calloc(1, sizeof *session);
    enum decode_exit result;
    int written;
    if (session != NULL)
        session->jobs = calloc(request->ninputs, sizeof *session->jobs);
    if (session == NULL || session->jobs == NULL) {
        free(session);
        message_error("no memory");
        return DECODE_NOTHING;
    }
    init(session, request);
    written = write_outputs(session);
    progress_end();
    result = written == 0 ? finish_written(session) : finish_failed(session);
    release(session);
    return result;
}
