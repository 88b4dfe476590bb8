/* lines.h - events as lines of text, for the text writers and for trace.dat's text variant, in the layout of trace-cmd
 * report:
 *
 *             sensor-1     [000]  1234.567890123: user_event_0:         par1=4660 par2=3735928559
 *   task's name-pid        CPU    time            type                  fields, as the type's print format shows them
 *
 * Lines are those that trace-cmd report -t prints of the trace.dat file of the trace: derived events included, losses
 * and damage before the next event of their CPU, times as in the file, and names for the numbers of tasks, interrupts
 * and mutexes. Three things differ: control characters in texts are escaped; functions are not drawn as a graph; and
 * types whose print format print.h does not understand are shown as name=value.
 *
 * Full lines tell all that is known of an event, and nothing that the target did not log:
 *
 *             sensor-1     [000]  1234.567890123: shark:user_event_0: par1=4660 par2=3735928559 (irq 9)
 *
 * with the type's system, every field by its own name and number, the context, and damage told from losses.
 *
 * A loss or damage is a line of its own: "CPU:0 [17 EVENTS DROPPED]". The time is in seconds, or in ticks if the
 * trace's clock is not known.
 */
#ifndef TEXT_LINES_H
#define TEXT_LINES_H

#include "model/trace.h"

struct text_lines;

/* Lines that are written to fd from its present file offset on. fd and trace stay the caller's. NULL after
 * trace_fail(). */
struct text_lines *text_lines_open(struct trace *trace, int fd, bool full);

/* The line "cpus=N", which begins trace-cmd's output. It must be the first one. */
void text_lines_begin(struct text_lines *lines);

/* The lines of a batch of one CPU; events of all CPUs come in the order of time. 0, or -1 after trace_fail(). */
int text_lines_write(struct text_lines *lines, unsigned cpu, const struct trace_batch *batch);

/* Write what is in memory. 0, or -1 after trace_fail(). */
int text_lines_flush(struct text_lines *lines);

/* Write what is still in memory, unless ok is false, and free everything. 0, or -1 after trace_fail(). */
int text_lines_close(struct text_lines *lines, bool ok);

#endif
