/* follow_watch.c - see follow_watch.h. The events go to a writer that keeps nothing but the first one. */
#include "tool/follow_watch.h"

#include "base/heap.h"
#include "model/known.h"
#include "tool/message.h"

#include <inttypes.h>
#include <string.h>

#define NS_PER_S 1000000000u

/* The writer's state. */
struct found {
    const struct trace *trace;
    bool any;
    uint64_t time;
    uint16_t type;
};

static void *open_found(struct trace *trace, const struct trace_options *options, int fd)
{
    struct found *found = heap_calloc(1, sizeof *found);
    (void)options;
    (void)fd;
    if (found != NULL)
        found->trace = trace;
    else
        trace_fail(trace, "no memory");
    return found;
}

/* The filter has left nothing in the batch but what is looked for, losses and damage. */
static int take(void *writer, unsigned cpu, const struct trace_batch *batch)
{
    struct found *found = writer;
    (void)cpu;
    for (size_t i = 0; i < batch->n && !found->any; i++) {
        const struct tlog_event *event = &batch->event[i];
        found->any = !trace_class_is_gap(found->trace->types[event->type]->means);
        found->time = event->time;
        found->type = event->type;
    }
    return 0;
}

static int flush(void *writer)
{
    (void)writer;
    return 0;
}

static int close_found(void *writer, bool ok)
{
    (void)ok;
    heap_free(writer);
    return 0;
}

int follow_watch_open(struct follow_watch *watch, const struct decode_request *request)
{
    const struct trace_writer *output = request->writer;
    watch->writer = (struct trace_writer){.name = "--until",
                                          .merged = true,
                                          .exact = output->exact,
                                          .left_out = output->left_out,
                                          .native = output->native,
                                          .formats = output->formats,
                                          .open = open_found,
                                          .write = take,
                                          .flush = flush,
                                          .close = close_found};
    watch->tells = !request->quiet;
    watch->request = *request;
    watch->request.writer = &watch->writer;
    watch->request.filter = request->follow.until;
    watch->request.selection = NULL;
    watch->request.quiet = true;
    watch->request.verbose = false;
    watch->stream.job.output.name = watch->writer.name; /* of an error */
    return follow_stream_open(&watch->stream, &watch->request);
}

static void tell_found(const struct found *found)
{
    const struct trace *trace = found->trace;
    const struct tlog_type *type = trace->types[found->type];
    if (trace->clock_hz > 0)
        message("%s: --until: %s:%s at %" PRIu64 ".%09" PRIu64 " s", trace->input_name, type->system, type->name,
                found->time / NS_PER_S, found->time % NS_PER_S);
    else
        message("%s: --until: %s:%s at %" PRIu64 " ticks", trace->input_name, type->system, type->name, found->time);
}

int follow_watch_look(struct follow_watch *watch, bool at_once, bool overtaken)
{
    const struct found *found;
    if (follow_stream_write(&watch->stream, at_once, overtaken) != 0)
        return -1;
    found = watch->stream.job.writer_state;
    if (found == NULL || !found->any)
        return 0;
    if (watch->tells)
        tell_found(found);
    return 1;
}

void follow_watch_release(struct follow_watch *watch)
{
    follow_stream_release(&watch->stream);
}
