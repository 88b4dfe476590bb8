/* event.h - events that viewers draw on tracks: all but the switches, wake-ups and interrupts of cpu.h. */
#ifndef PERFETTO_EVENT_H
#define PERFETTO_EVENT_H

#include "formats/perfetto/shape.h"

/* Write an event of any form, as an instant if it is one of those of cpu.h. time: as in packets. 0, or -1 after
 * trace_fail(). */
int perfetto_event(struct perfetto *state, unsigned cpu, struct perfetto_shape *shape, const struct trace_event *event,
                   uint64_t time);

/* Write a loss or damage, which began at `from`. It ends all slices that are open on its CPU. 0, or -1 after
 * trace_fail(). */
int perfetto_loss(struct perfetto *state, unsigned cpu, const struct perfetto_shape *shape,
                  const struct trace_event *event, uint64_t from, uint64_t time);

#endif
