/* names.h - names of processes and interrupts, and what else control channels hold.
 *
 * A reader of LTTng knows such names only from the events that a kernel logs when tracing starts: one for each process
 * and each interrupt, in control channels.
 */
#ifndef LTTNG_NAMES_H
#define LTTNG_NAMES_H

#include "formats/lttng/metadata.h"

/* Does the walk's event give something a name? Then set it in the trace. current: pid of the process that runs on the
 * event's CPU, or 0. */
void lttng_names_take(struct lttng_metadata *metadata, uint32_t current, const struct lttng_walk *walk);

/* Read all control channels, before any other event: so names are known also for events before those that have them. In
 * traces that tlog-decode wrote they also have the clock, and names and classes of types: see own.h. */
void lttng_names_read(struct lttng_metadata *metadata);

#endif
