/* follow_files.c - see follow_files.h. The decoding goes on from file to file; only the writer begins again. */
#include "tool/follow_files.h"

#include "base/heap.h"
#include "base/text.h"
#include "os/os_file.h"
#include "os/os_time.h"
#include "tool/message.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NS_PER_MS 1000000u

char *follow_files_name(const char *output, const char *word)
{
    const char *dot = strrchr(os_base_name(output), '.');
    int stem = dot != NULL ? (int)(dot - output) : (int)strlen(output);
    struct growing_text path = {0};
    text_add(&path, "%.*s-%s%s", stem, output, word, dot != NULL ? dot : "");
    if (!path.failed)
        return path.bytes;
    heap_free(path.bytes);
    return NULL;
}

/* The name of a file with that number. The caller frees it. NULL: no memory. */
static char *name_of(const char *output, uint32_t number)
{
    char word[16];
    snprintf(word, sizeof word, "%04" PRIu32, number);
    return follow_files_name(output, word);
}

/* Remove the file that is too old, if there is --keep. */
static void remove_old(const struct follow_files *files, const struct decode_request *request)
{
    const uint32_t keep = request->follow.keep;
    char *path = keep > 0 && files->number > keep ? name_of(request->output, files->number - keep) : NULL;
    if (path != NULL && !os_remove_in(OS_HERE, path, OS_FILE) && os_is_file(path))
        message_error("%s: cannot be removed", path);
    heap_free(path);
}

int follow_files_open(struct follow_files *files, struct follow_stream *stream)
{
    const struct decode_request *request = stream->job.request;
    struct trace *trace = &stream->decoder.source.trace;
    if (!decode_follow_rotates(&request->follow))
        return decode_job_open_output(&stream->job);
    heap_free(files->path);
    files->path = name_of(request->output, ++files->number);
    if (files->path == NULL)
        return trace_fail(trace, "%s: no memory", trace->input_name);
    files->began = os_now_ns();
    stream->job.output_path = files->path;
    return decode_job_open_output(&stream->job);
}

static bool is_full(const struct follow_files *files, const struct follow_stream *stream)
{
    const struct decode_follow *follow = &stream->job.request->follow;
    struct os_status status;
    return (follow->rotate_ms > 0 && os_now_ns() - files->began >= follow->rotate_ms * (uint64_t)NS_PER_MS)
           || (follow->rotate_bytes > 0 && os_status_of(stream->job.output.fd, &status)
               && status.size >= follow->rotate_bytes);
}

int follow_files_go_on(struct follow_files *files, struct follow_stream *stream)
{
    if (!stream->is_started || !decode_follow_rotates(&stream->job.request->follow) || !is_full(files, stream))
        return 0;
    if (follow_stream_end(stream) != 0 || follow_files_open(files, stream) != 0)
        return -1;
    remove_old(files, stream->job.request);
    return decode_job_begin(&stream->job);
}

void follow_files_release(struct follow_files *files)
{
    heap_free(files->path);
    files->path = NULL;
}
