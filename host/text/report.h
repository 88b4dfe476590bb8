/* report.h - what trace-cmd report -t knows while it prints the trace.dat file of a trace: which losses the next event
 * of a CPU shows, times as the file has them, and names of tasks that only the scheduler's events tell.
 */
#ifndef TEXT_REPORT_H
#define TEXT_REPORT_H

#include "model/trace.h"

struct report;

/* The trace stays the caller's. NULL: no memory. Ends with report_free(), which allows NULL. */
struct report *report_new(struct trace *trace);
void report_free(struct report *report);

/* Make room for a CPU: before the calls below get it. 0, or -1: no memory. */
int report_cpu(struct report *report, unsigned cpu);

/* Remember a loss or damage. */
void report_lose(struct report *report, unsigned cpu, const struct trace_event *event);

/* Whether there is a loss to be told before the next event, which is forgotten then. *count: of events; 0 = not known.
 * */
bool report_take_loss(struct report *report, unsigned cpu, uint64_t *count);

/* The time that the next event of a CPU has in the file. */
uint64_t report_time(struct report *report, unsigned cpu, uint64_t time);

/* Whether a loss is left at the end of a CPU: *end becomes the event that the file has behind it. */
bool report_end(struct report *report, unsigned cpu, struct trace_event *end);

/* CPUs from 0 on that there may be losses of. */
unsigned report_cpus(const struct report *report);

/* The name of a task: of the trace, or told by an event before. */
const char *report_task(const struct report *report, uint32_t task);

/* Put the text of an event at `to`, which has room for PRINT_MOST bytes (print.h), and learn the names it tells.
 * Returns the place behind the text, or NULL: no memory. */
char *report_event(struct report *report, char *to, const struct trace_event *event);

#endif
