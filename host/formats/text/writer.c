/* writer.c - the formats "text" and "text-full": nothing but lines of events, as text/lines.h describes them. */
#include "model/module.h"
#include "text/lines.h"

static void *begin(struct trace *trace, int fd, bool full)
{
    struct text_lines *lines = text_lines_open(trace, fd, full);
    if (lines != NULL)
        text_lines_begin(lines);
    return lines;
}

static void *text_open(struct trace *trace, const struct trace_options *options, int fd)
{
    (void)options;
    return begin(trace, fd, false);
}

static void *full_open(struct trace *trace, const struct trace_options *options, int fd)
{
    (void)options;
    return begin(trace, fd, true);
}

static int text_write(void *writer, unsigned cpu, const struct trace_batch *batch)
{
    return text_lines_write(writer, cpu, batch);
}

static int text_flush(void *writer)
{
    return text_lines_flush(writer);
}

static int text_close(void *writer, bool ok)
{
    return text_lines_close(writer, ok);
}

const struct trace_writer writer_text = {
    .name = "text",
    .suffix = ".txt",
    .description = "the lines that trace-cmd report -t prints of trace.dat, for pagers and grep",
    .merged = true,
    .formats = true,
    .open = text_open,
    .write = text_write,
    .flush = text_flush,
    .close = text_close,
};

const struct trace_writer writer_text_full = {
    .name = "text-full",
    .description = "one line per logged event, with its system and all fields, for scripts",
    .merged = true,
    .open = full_open,
    .write = text_write,
    .flush = text_flush,
    .close = text_close,
};
