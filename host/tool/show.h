/* show.h - shows an output in its viewer, as --open asks for. */
#ifndef TOOL_SHOW_H
#define TOOL_SHOW_H

#include "decode/request.h"

#include <stdbool.h>

/* Whether there is a viewer for what the writer writes. */
bool decode_has_viewer(const struct trace_writer *writer);

/* Start the viewer of the request's output, which is written; or tell what would show it. */
void decode_show(const struct decode_request *request);

#endif
