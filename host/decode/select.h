/* select.h - leaves out the events that --time, --task, --cpu, --event and --irq do not ask for. It stands
 * behind the mapping, as the filter does: what runs is known where a window begins. */
#ifndef DECODE_SELECT_H
#define DECODE_SELECT_H

#include "decode/select_parse.h"
#include "model/trace.h"

struct decode_select;

/* For the events of a trace whose reader is open. Both stay the caller's. NULL: no memory. */
struct decode_select *decode_select_new(const struct decode_selection *selection, struct trace *trace);

/* Leave events out of a batch of one CPU, and count them. Losses and damage stay. A CPU's events must all come. */
void decode_select_batch(struct decode_select *select, unsigned cpu, struct trace_batch *batch);

/* Tell the user how many events are left, and which patterns nothing has. */
void decode_select_tell(struct decode_select *select);

/* NULL is allowed. */
void decode_select_free(struct decode_select *select);

#endif
