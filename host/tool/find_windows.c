/* find_windows.c - finds the events that --time and --around name: decode_job_find_windows() of job.h.
 *
 * For this the inputs are read one time more. A job of its own writes them to a writer that only looks at events, and
 * gets those of all boards and CPUs in the order of time.
 */
#include "base/heap.h"
#include "tool/job.h"

#include <string.h>

/* What a type means to the two options. */
struct meaning {
    bool is_known, is_from, is_to, is_around;
    uint64_t ahead, behind; /* the longest times of all patterns of --around that it matches */
};

struct decode_finder {
    const struct decode_selection *selection;
    struct decode_windows *windows;
    struct trace_writer writer;
    struct trace *trace;          /* of the events that are searched; it is quiet */
    const struct trace *reporter; /* the job's trace, which shows messages */
    bool has_from, has_to;        /* the edges of --time are numbers, or were found */
    bool found[SELECT_PATTERNS];  /* an event matches this pattern of --around */
    const char *why;              /* why it failed; NULL = it has not */
    struct meaning of[TRACE_TYPES_MAX];
};

/* ---- events ------------------------------------------------------------------------------------------------------ */

/* Losses and damage stand for missing events. No pattern matches them. */
static const struct meaning *meaning_of(struct decode_finder *finder, unsigned index)
{
    const struct decode_selection *selection = finder->selection;
    const struct tlog_type *type = finder->trace->types[index];
    struct meaning *of = &finder->of[index];
    if (of->is_known)
        return of;
    of->is_known = true;
    if (type->means == TLOG_MEANS_LOSS || type->means == TLOG_MEANS_DAMAGE)
        return of;
    of->is_from = selection->from.is_event && decode_select_is_like(&selection->from.event, type);
    of->is_to = selection->to.is_event && decode_select_is_like(&selection->to.event, type);
    for (unsigned i = 0; i < selection->list[SELECT_AROUND].n; i++) {
        const struct select_pattern *pattern = &selection->list[SELECT_AROUND].pattern[i];
        if (!decode_select_is_like(pattern, type))
            continue;
        finder->found[i] = of->is_around = true;
        of->ahead = pattern->ahead > of->ahead ? pattern->ahead : of->ahead;
        of->behind = pattern->behind > of->behind ? pattern->behind : of->behind;
    }
    return of;
}

/* Note the first event that --time may begin with, and the first one after it that it may end with. */
static void note_edge(struct decode_finder *finder, const struct meaning *of, uint64_t time)
{
    struct decode_window *window = &finder->windows->time;
    if (!finder->has_from && of->is_from) {
        window->from = time;
        finder->has_from = true;
    } else if (finder->has_from && !finder->has_to && of->is_to && time >= window->from) {
        window->to = time;
        finder->has_to = true;
    }
}

/* Add the window around an event. 0, or -1 after trace_fail(). */
static int note_around(struct decode_finder *finder, const struct meaning *of, uint64_t time)
{
    struct decode_window window = {time > of->ahead ? time - of->ahead : 0,
                                   time < UINT64_MAX - of->behind ? time + of->behind : UINT64_MAX};
    finder->why = decode_windows_add(finder->windows, window);
    return finder->why == NULL ? 0 : trace_fail(finder->trace, "%s", finder->why);
}

static int look_at_batch(void *writer, unsigned cpu, const struct trace_batch *batch)
{
    struct decode_finder *finder = writer;
    (void)cpu;
    for (size_t i = 0; i < batch->n; i++) {
        const struct tlog_event *event = &batch->event[i];
        const struct meaning *of = meaning_of(finder, event->type);
        if ((event->flags & TLOG_FLAG_DERIVED) != 0)
            continue;
        note_edge(finder, of, event->time);
        if (of->is_around && note_around(finder, of, event->time) != 0)
            return -1;
    }
    return 0;
}

/* When the writer is opened, the clock is known, and so are the edges that are numbers. */
static void *open_finder(struct trace *trace, const struct trace_options *options, int fd)
{
    struct decode_finder *finder = options->finder;
    const struct decode_selection *selection = finder->selection;
    (void)fd;
    finder->trace = trace;
    finder->has_from = !selection->from.is_event;
    finder->has_to = !selection->to.is_event;
    if (selection->list[SELECT_AROUND].n > 0 && trace->clock_hz == 0) {
        finder->why = "the clock's frequency is not known, so --around has no meaning; --clock-hz=N tells it";
        trace_fail(trace, "%s", finder->why);
        return NULL;
    }
    finder->windows->time = decode_select_time(selection, trace);
    return finder;
}

/* Tell the user what was not found. */
static void tell(struct decode_finder *finder)
{
    const struct decode_selection *selection = finder->selection;
    const char *time = selection->list[SELECT_TIME].pattern[0].text;
    if (!finder->has_from) {
        finder->windows->time = (struct decode_window){1, 0};
        trace_note(finder->reporter, "--time=%s: there is no event that it could begin with", time);
    } else if (!finder->has_to) {
        trace_note(finder->reporter, "--time=%s: there is no event that it could end with; it goes on to the end",
                   time);
    }
    for (unsigned i = 0; i < selection->list[SELECT_AROUND].n; i++) {
        if (!finder->found[i])
            decode_select_tell_none(finder->reporter, finder->trace, "around",
                                    &selection->list[SELECT_AROUND].pattern[i]);
    }
}

static int close_finder(void *writer, bool ok)
{
    if (ok)
        tell(writer);
    return 0;
}

/* ---- reading the inputs ------------------------------------------------------------------------------------------ */

/* Write all events of the sources' inputs, for a request whose writer looks at them. */
static void read_events(struct decode_request *request, struct tlog_decoder *decoders, unsigned n)
{
    struct tlog_decoder *second = heap_calloc(n, sizeof *second);
    struct decode_job *job = heap_calloc(1, sizeof *job);
    if (second != NULL && job != NULL) {
        for (unsigned i = 0; i < n; i++)
            decode_source_repeat(&second[i].source, &decoders[i].source, request);
        decode_job_init(job, request, second, n, NULL);
        job->output.name = "";
        decode_job_write(job);
        decode_job_release(job);
        for (unsigned i = 0; i < n; i++)
            library_release_repeated(&second[i]);
    }
    heap_free(job);
    heap_free(second);
}

/* The writer has the properties of the job's own writer, so that events have the same names. If the inputs cannot be
 * read, the real job will fail for the same reason, and tell it. */
static void find(struct decode_finder *finder, struct decode_job *job, struct decode_request *second)
{
    finder->writer = *job->request->writer;
    finder->writer.merged = true;
    finder->writer.open = open_finder;
    finder->writer.write = look_at_batch;
    finder->writer.close = close_finder;
    *second = *job->request;
    second->writer = &finder->writer;
    second->options.finder = finder;
    second->selection = NULL;
    second->filter = NULL;
    second->quiet = true;
    second->verbose = false;
    finder->reporter = job->trace;
    read_events(second, job->decoders, job->ndecoders);
    decode_windows_sort(finder->windows);
}

int decode_job_find_windows(struct decode_job *job)
{
    const struct decode_selection *selection = job->request->selection;
    struct decode_finder *finder;
    struct decode_request *second;
    const char *why = "no memory for windows";
    if (selection == NULL || !decode_select_names_events(selection))
        return 0;
    finder = heap_calloc(1, sizeof *finder);
    second = heap_alloc(sizeof *second);
    if (finder != NULL && second != NULL) {
        finder->selection = selection;
        finder->windows = &job->windows;
        find(finder, job, second);
        why = finder->why;
    }
    for (unsigned i = 0; i < job->ndecoders; i++)
        job->decoders[i].source.windows = &job->windows;
    heap_free(finder);
    heap_free(second);
    return why != NULL ? trace_fail(job->trace, "%s", why) : 0;
}
