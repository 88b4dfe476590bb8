/* events.h - events with variables of their own, and counters. */
#ifndef VCD_EVENTS_H
#define VCD_EVENTS_H

#include "formats/vcd/shape.h"

/* Write an event of the form EVENT or COUNTER. */
void vcd_event(struct vcd *vcd, unsigned cpu, const struct vcd_shape *shape, const struct trace_event *event);

#endif
