/* select.h - leaves out the events that --time, --around, --task, --cpu, --event and --irq do not ask for.
 *
 * It comes after the mapping, as the filter does, so that it is known what runs when a window begins.
 */
#ifndef DECODE_SELECT_H
#define DECODE_SELECT_H

#include "decode/known.h"
#include "decode/request.h"

/* ---- windows ----------------------------------------------------------------------------------------------------- */

/* Add a window of --around. Returns NULL, or a text that tells what failed. */
const char *decode_windows_add(struct decode_windows *windows, struct decode_window window);

/* Put the windows of --around in the order of time, and join those that overlap. To be called after the last one was
 * added, before events are selected. */
void decode_windows_sort(struct decode_windows *windows);

/* Free what was added. */
void decode_windows_free(struct decode_windows *windows);

/* ---- events ------------------------------------------------------------------------------------------------------ */

struct decode_select;

/* Make a selector for the events of a trace whose reader is open. windows: what decode_job_find_windows() found; NULL
 * if the selection names no events. All arguments stay the caller's. NULL: there is no memory. */
struct decode_select *decode_select_new(const struct decode_selection *selection, const struct decode_windows *windows,
                                        struct trace *trace);

/* NULL is allowed. */
void decode_select_free(struct decode_select *select);

/* Find the first edge from number n on of what --time and --around want. False: there is none. */
bool decode_select_edge(const struct decode_select *select, size_t n, struct decode_edge *edge);

/* Remove events from a batch of one CPU, and count them. Losses and damage stay. Needs all events of the CPU, in their
 * order, because it follows which interrupts run. */
void decode_select_batch(struct decode_select *select, unsigned cpu, struct trace_batch *batch);

/* Tell the user how many events are left, and which patterns match nothing. */
void decode_select_tell(struct decode_select *select);

/* Whether a task was found that matches pattern i of --task, in events or by its name. All events must have come. */
bool decode_select_finds_task(struct decode_select *select, unsigned i);

/* Tasks as NAME:NUMBER, with commas between them. All zero at the beginning. */
struct decode_select_list {
    char text[256];
    size_t used;
    bool is_full; /* it ends with ", ..." */
};

/* Add the tasks whose names are like a pattern. */
void decode_select_list_tasks(const struct decode_select *select, const char *like, struct decode_select_list *list);

/* ---- for the search for windows ---------------------------------------------------------------------------------- */

/* Whether --time or --around names events, so that windows must be searched. */
bool decode_select_names_events(const struct decode_selection *selection);

/* The window of --time, by the trace's clock. An edge that is missing, or names an event, becomes the beginning or the
 * end of the trace. */
struct decode_window decode_select_time(const struct decode_selection *selection, const struct trace *trace);

/* Whether the type's name matches a pattern [SYSTEM:]EVENT. */
bool decode_select_is_like(const struct select_pattern *pattern, const struct tlog_type *type);

/* Tell the user that no type of a trace matches an option's pattern, and suggest one whose name contains the pattern's
 * text. reporter: the trace that shows the message. */
void decode_select_tell_none(const struct trace *reporter, const struct trace *trace, const char *option,
                             const struct select_pattern *pattern);

#endif
