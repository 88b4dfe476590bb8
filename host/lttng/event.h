/* event.h - events in the blocks of an LTTng trace file; the two halves of lttng/walk.h. */
#ifndef LTTNG_EVENT_H
#define LTTNG_EVENT_H

#include "lttng/walk.h"

/* Take what is at walk->at and move behind it, to walk->limit at most. True if it is an event to give out. */
bool lttng_event_take(struct lttng_walk *walk);

/* Report damage at an offset of the file, unless the walk only looks. */
void lttng_fault(struct lttng_walk *walk, uint64_t offset, uint64_t length, uint64_t count, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#endif
