/* select.h - leaves out the events that --time, --around, --task, --cpu, --event and --irq do not ask for. Like the
 * filter, it comes after the mapping, so it is known what runs where a window begins. */
#ifndef DECODE_SELECT_H
#define DECODE_SELECT_H

#include "decode/select_parse.h"
#include "decode/windows.h"
#include "model/trace.h"

struct decode_select;

/* Make a selector for the events of a trace whose reader is open. All arguments stay the caller's. windows: of --time
 * and --around (find.h), or NULL if the selection names no events. Returns NULL if there is no memory. */
struct decode_select *decode_select_new(const struct decode_selection *selection, const struct decode_windows *windows,
                                        struct trace *trace);

/* Whether the selection names events that decode_find() must look for. */
bool decode_select_names_events(const struct decode_selection *selection);

/* The window of --time, for the trace's clock. An edge that is not given, or is an event, is that of the trace. */
struct decode_window decode_select_time(const struct decode_selection *selection, const struct trace *trace);

/* Whether the type's name matches a pattern [SYSTEM:]EVENT. */
bool decode_select_is_like(const struct select_pattern *pattern, const struct trace_type *type);

/* Tell the user that no event of a trace matches a pattern, and suggest a name that contains the pattern's text. told:
 * the trace whose messages are shown. */
void decode_select_tell_none(const struct trace *told, const struct trace *trace, const char *option,
                             const struct select_pattern *pattern);

/* Leave events out of a batch of one CPU, and count them. Losses and damage stay. A CPU's events must all come. */
void decode_select_batch(struct decode_select *select, unsigned cpu, struct trace_batch *batch);

/* Tell the user how many events are left, and which patterns match nothing. */
void decode_select_tell(struct decode_select *select);

/* NULL is allowed. */
void decode_select_free(struct decode_select *select);

#endif
