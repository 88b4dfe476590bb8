/* follow_stream.h - the events of a board that is followed, as they come, into a writer that can be seen meanwhile. */
#ifndef TOOL_FOLLOW_STREAM_H
#define TOOL_FOLLOW_STREAM_H

#include "formats/native/follow/window.h"
#include "tool/job.h"

#include <stdbool.h>

/* All zero before it is opened. */
struct follow_stream {
    struct tlog_decoder decoder;
    struct decode_job job;
    struct native_window *window; /* where the images of each poll are to be put */
    bool is_started;
};

/* Make the window, for a request, which stays the caller's and must live as long. The output is not open yet:
 * decode_job_open_output(). 0, or -1 after trace_fail() of the decoder's trace. */
int follow_stream_open(struct follow_stream *stream, const struct decode_request *request);

/* The images of a poll are in the window: write what is new. at_once, overtaken: native_window_decode(). 0, or -1 after
 * trace_fail(). */
int follow_stream_write(struct follow_stream *stream, bool at_once, bool overtaken);

/* Write the end. 0, or -1 after trace_fail(). */
int follow_stream_end(struct follow_stream *stream);

/* Free all, and make it all zero. Allowed after a failure of any call. */
void follow_stream_release(struct follow_stream *stream);

#endif
