/* follow_stream.c - see follow_stream.h. */
#include "tool/follow_stream.h"

#include "io/firmware/firmware.h"

#include <string.h>

int follow_stream_open(struct follow_stream *stream, const struct decode_request *request)
{
    struct decode_source *source = &stream->decoder.source;
    struct trace *trace = &source->trace;
    decode_source_init(source, request, request->inputs[0].path, request->inputs[0].elf);
    source->knows_lives = true;
    if (source->elf_path != NULL)
        source->elf = firmware_open(trace, source->elf_path);
    if (trace->failed)
        return -1;
    source->reader = &native_window_reader;
    trace->format = source->reader->name;
    stream->window = native_window_new(trace);
    if (stream->window == NULL)
        return trace_fail(trace, "%s: no memory", trace->input_name);
    source->opened = stream->window;
    decode_job_init(&stream->job, request, &stream->decoder, 1, NULL);
    return 0;
}

int follow_stream_write(struct follow_stream *stream, bool at_once, bool overtaken)
{
    int decoded = native_window_decode(stream->window, at_once, overtaken);
    if (decoded <= 0)
        return decoded;
    if (!stream->is_started && (library_start(&stream->decoder) != 0 || decode_job_begin(&stream->job) != 0))
        return -1;
    stream->is_started = true;
    return decode_job_go_on(&stream->job);
}

int follow_stream_end(struct follow_stream *stream)
{
    if (stream->is_started && decode_job_end(&stream->job) != 0)
        return -1;
    return decode_job_publish(&stream->job);
}

void follow_stream_release(struct follow_stream *stream)
{
    struct decode_source *source = &stream->decoder.source;
    if (stream->job.trace != NULL) {
        decode_job_discard_output(&stream->job);
        decode_job_release(&stream->job);
    }
    if (source->opened != NULL)
        native_window_reader.close(source->opened);
    library_release(&stream->decoder);
    memset(stream, 0, sizeof *stream);
}
