/* report.h - what trace-cmd report -t remembers from event to event while it prints the trace.dat file of a trace: the
 * losses to be shown before the next event of a CPU, the last time of each CPU, and names of tasks that only the
 * scheduler's events tell. Times are those of the events: if the file has later ones (trace_options.later), it alone
 * has.
 */
#ifndef TEXT_REPORT_H
#define TEXT_REPORT_H

#include "model/trace.h"

struct report;

/* The trace stays the caller's. NULL: no memory. Ends with report_free(), which allows NULL. */
struct report *report_new(struct trace *trace);
void report_free(struct report *report);

/* Make room for a CPU, before the calls below get its number. 0, or -1: no memory. */
int report_cpu(struct report *report, unsigned cpu);

/* Remember a loss or damage of a CPU. */
void report_lose(struct report *report, unsigned cpu, const struct tlog_event *event);

/* Whether a loss is to be shown before the next event of a CPU. It is forgotten then. *count: events; 0 = not known. */
bool report_take_loss(struct report *report, unsigned cpu, uint64_t *count);

/* Remember the time of an event of a CPU. */
void report_pass(struct report *report, unsigned cpu, uint64_t time);

/* Whether a loss is left at the end of a CPU. *end becomes the event that the file has behind it. */
bool report_end(struct report *report, unsigned cpu, struct tlog_event *end);

/* How many CPUs there is room for. */
unsigned report_cpus(const struct report *report);

/* The name of a task: of the trace, or as an earlier event told it. */
const char *report_task(const struct report *report, uint32_t task);

/* Put the text of an event at `to`, which has room for PRINT_MOST bytes (print.h), and learn the names it tells.
 * Returns the place behind the text, or NULL: no memory. */
char *report_event(struct report *report, char *to, const struct tlog_event *event);

#endif
