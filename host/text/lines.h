/* lines.h - events as lines of text, for files that have such lines among other things. What struct trace_writer's
 * functions do, at the place where fd is; events of all CPUs come in order of time. */
#ifndef TEXT_LINES_H
#define TEXT_LINES_H

#include "model/module.h"

void *text_lines_open(struct trace *trace, int fd);
int text_lines_write(void *writer, unsigned cpu, const struct trace_batch *batch);
int text_lines_close(void *writer, bool ok);

#endif
