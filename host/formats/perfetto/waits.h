/* waits.h - why tasks wait, as the events tell that are logged before a task waits.
 *
 * Nearly always the task itself is about to wait: the reason is written when it is switched out. But a task that is not
 * on a CPU may be suspended, too, and one that waits may be moved to another object. Linux has no such thing, and
 * viewers show the task as before. So such a wait is a slice on the task's own track, from the event to the end of the
 * wait. No event of the task itself can come in between, so slices stay one in another. */
#ifndef PERFETTO_WAITS_H
#define PERFETTO_WAITS_H

#include "formats/perfetto/bundle.h"
#include "formats/perfetto/shape.h"

/* The event tells why the task will wait, or that it no longer does. 0, or -1 after trace_fail(). */
int perfetto_wait_note(struct perfetto *state, unsigned cpu, struct perfetto_shape *shape,
                       const struct trace_event *event, struct perfetto_task *task, uint64_t time);

/* The task is switched out and waits: write why, if an event told that. 0, or -1 after trace_fail(). */
int perfetto_wait_put(struct perfetto *state, struct perfetto_bundle *bundle, struct perfetto_task *task,
                      uint64_t time);

/* The task no longer waits: end the slice if one is open. 0, or -1 after trace_fail(). */
int perfetto_wait_end(struct perfetto *state, struct perfetto_task *task, uint64_t time);

#endif
