/* counters.h - which events tell the value of a counter: how much there is of something from then on. Viewers draw it
 * as a line.
 *
 * Types are known by system, name and fields: those of a trace.dat file are the same as those of the firmware.
 */
#ifndef EVENTS_COUNTERS_H
#define EVENTS_COUNTERS_H

#include "model/trace.h"

struct counter {
    const struct trace_field *field; /* its value; NULL: the event is of no counter */
    const char *name;                /* lives as long as the type */
    const char *unit;                /* NULL: the print format tells it, if anything */
    uint32_t number;                 /* the same for all types that tell of the same counter, see below */
    bool is_all;                     /* the event tells nothing else */
};

/* The counter that events of the type with that index tell of. */
struct counter counter_of(const struct trace_type *type, uint16_t index);

/* The name of the counter with a number that counter_of() has given. */
const char *counter_name(const struct trace *trace, uint32_t number);

#endif
