/* event.h - track events: all events except those of Linux's scheduler and interrupts. */
#ifndef PERFETTO_EVENT_H
#define PERFETTO_EVENT_H

#include "formats/perfetto/shape.h"

/* Write an event of any form except those of cpu.h. time: as in packets. 0, or -1 after trace_fail(). */
int perfetto_event(struct perfetto *state, unsigned cpu, struct perfetto_shape *shape, const struct trace_event *event,
                   uint64_t time);

/* Write a loss or damage that began at `from`. It ends all slices that are open on its CPU. 0, or -1 after
 * trace_fail(). */
int perfetto_loss(struct perfetto *state, unsigned cpu, const struct perfetto_shape *shape,
                  const struct trace_event *event, uint64_t from, uint64_t time);

#endif
