/* describe.h - the control channels of a trace that is written, which describe its events and give names. */
#ifndef LTTNG_DESCRIBE_H
#define LTTNG_DESCRIBE_H

#include "formats/lttng/output.h"

/* Lowest id of an ordinary event's marker: those below are the markers of control channels. */
uint32_t lttng_describe_first_id(void);

/* Write all control channels, after all events: only then is it known which markers and CPUs there are. 0, or -1 after
 * trace_fail(). */
int lttng_describe(struct lttng_output *output);

#endif
