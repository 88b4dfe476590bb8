/* event.h - events that viewers draw on tracks: all but the switches, wake-ups and interrupts of cpu.h. */
#ifndef PERFETTO_EVENT_H
#define PERFETTO_EVENT_H

#include "formats/perfetto/shape.h"

/* Write an event of any form, as an instant if it is one of those of cpu.h. time: as in packets. 0, or -1 after
 * trace_fail(). */
int perfetto_event(struct perfetto *state, unsigned cpu, struct perfetto_shape *shape, const struct tlog_event *event,
                   uint64_t time);

/* Write a loss or damage, as a slice without an end. 0, or -1 after trace_fail(). */
int perfetto_loss(struct perfetto *state, unsigned cpu, const struct perfetto_shape *shape,
                  const struct tlog_event *event, uint64_t time);

/* The CPU has its next event, or none: losses before it have ended. 0, or -1 after trace_fail(). */
int perfetto_losses_end(struct perfetto *state, unsigned cpu, uint64_t time);

#endif
