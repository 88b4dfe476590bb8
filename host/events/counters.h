/* counters.h - which events set a counter: how much there is of something from then on, such as free memory. Viewers
 * draw it as a line.
 *
 * Types are known by system, name and fields, so the events of a trace.dat file count as those of the dump it was made
 * of.
 */
#ifndef EVENTS_COUNTERS_H
#define EVENTS_COUNTERS_H

#include "model/trace.h"

struct counter {
    const struct tlog_field *field; /* its value; NULL: the event is of no counter */
    const char *name;               /* lives as long as the type */
    const char *unit;               /* NULL: the print format tells it, if anything */
    uint32_t number;                /* the same for all types that tell of the same counter, see below */
    bool is_all;                    /* the event tells nothing but the counter */
};

/* The counter that events of a type set; index: of the type in the trace. */
struct counter counter_of(const struct tlog_type *type, uint16_t index);

/* The name of a counter, by the number that counter_of() gave. */
const char *counter_name(const struct trace *trace, uint32_t number);

#endif
