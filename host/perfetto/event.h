/* event.h - track events: all events but those that Linux's scheduler and interrupts have. */
#ifndef PERFETTO_EVENT_H
#define PERFETTO_EVENT_H

#include "perfetto/shape.h"

/* Write an event of any form but those of cpu.h. time: as packets have it. 0, or -1 after trace_fail(). */
int perfetto_event(struct perfetto *state, unsigned cpu, struct perfetto_shape *shape, const struct trace_event *event,
                   uint64_t time);

/* Write a loss or damage that began at `from`: it ends all that is open on its CPU. 0, or -1 after trace_fail(). */
int perfetto_loss(struct perfetto *state, unsigned cpu, const struct perfetto_shape *shape,
                  const struct trace_event *event, uint64_t from, uint64_t time);

#endif
