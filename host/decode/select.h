/* select.h - leaves out the events that --time, --around, --task, --cpu, --event and --irq do not ask for. It
 * stands behind the mapping, as the filter does: what runs is known where a window begins. */
#ifndef DECODE_SELECT_H
#define DECODE_SELECT_H

#include "decode/select_parse.h"
#include "decode/windows.h"
#include "model/trace.h"

struct decode_select;

/* For the events of a trace whose reader is open. All stay the caller's. windows: of --time and --around (find.h), or
 * NULL if the selection names no events. NULL: no memory. */
struct decode_select *decode_select_new(const struct decode_selection *selection, const struct decode_windows *windows,
                                        struct trace *trace);

/* Whether the selection names events that decode_find() must look for. */
bool decode_select_names_events(const struct decode_selection *selection);

/* What --time says of times, for the trace's clock; an end that is not given, or an event, is the trace's. */
struct decode_window decode_select_time(const struct decode_selection *selection, const struct trace *trace);

/* Whether events of the type are of a pattern [SYSTEM:]EVENT. */
bool decode_select_is_like(const struct select_pattern *pattern, const struct trace_type *type);

/* Tell the user that no event of a trace is of a pattern, and one that has the pattern's text in its name. told: whose
 * messages are shown. */
void decode_select_tell_none(const struct trace *told, const struct trace *trace, const char *option,
                             const struct select_pattern *pattern);

/* Leave events out of a batch of one CPU, and count them. Losses and damage stay. A CPU's events must all come. */
void decode_select_batch(struct decode_select *select, unsigned cpu, struct trace_batch *batch);

/* Tell the user how many events are left, and which patterns nothing has. */
void decode_select_tell(struct decode_select *select);

/* NULL is allowed. */
void decode_select_free(struct decode_select *select);

#endif
