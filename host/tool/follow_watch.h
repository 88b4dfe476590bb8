/* follow_watch.h - looks among the events of a board that is followed for one that --until asks for. It decodes what
 * each poll brings for itself, so that neither the output's format nor what is left out of it play a part. */
#ifndef TOOL_FOLLOW_WATCH_H
#define TOOL_FOLLOW_WATCH_H

#include "tool/follow_stream.h"

/* All zero before it is opened. */
struct follow_watch {
    struct decode_request request;
    struct trace_writer writer;
    struct follow_stream stream;
    bool tells; /* the user is told */
};

/* Look for the first event for which request->follow.until holds. Events are those that the request's --filter would
 * see. 0, or -1 after trace_fail() of the stream's trace. */
int follow_watch_open(struct follow_watch *watch, const struct decode_request *request);

/* The images of a poll are in the stream's window: look at the events that are new. 1: one was found, and the user was
 * told, unless there is --quiet; 0; -1 after trace_fail(). */
int follow_watch_look(struct follow_watch *watch, bool at_once, bool overtaken);

/* Free all, and make it all zero. */
void follow_watch_release(struct follow_watch *watch);

#endif
