/* writer.c - the format "text": nothing but lines of events, as lines.h describes them. */
#include "model/module.h"
#include "text/lines.h"

static void *text_open(struct trace *trace, const struct trace_options *options, int fd)
{
    struct text_lines *lines = text_lines_open(trace, fd);
    (void)options;
    if (lines != NULL)
        text_lines_begin(lines);
    return lines;
}

static int text_write(void *writer, unsigned cpu, const struct trace_batch *batch)
{
    return text_lines_write(writer, cpu, batch);
}

static int text_close(void *writer, bool ok)
{
    return text_lines_close(writer, ok);
}

const struct trace_writer writer_text = {
    .name = "text",
    .suffix = ".txt",
    .description = "one line per event, in the layout of trace-cmd report",
    .merged = true,
    .open = text_open,
    .write = text_write,
    .close = text_close,
};
