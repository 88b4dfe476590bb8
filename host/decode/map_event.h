/* map_event.h - what the mapping makes of one event. For map.c only. */
#ifndef DECODE_MAP_EVENT_H
#define DECODE_MAP_EVENT_H

#include "decode/map_state.h"

/* Map the special events of a slice into out, leave room there for the plain ones, and fill in the segments. */
void decode_map_special(struct decode_map *map, struct cpu *cpu, struct slice *slice, struct trace_batch *out);

/* Map one special event. event: its copy, the last event in out, which becomes Linux's event if there is one. Derived
 * events are added to out. */
void decode_map_one(struct decode_map *map, struct cpu *cpu, const struct trace_event *from, struct trace_event *event,
                    struct trace_batch *out);

/* Get the CPU's next update. */
void decode_map_next_update(struct decode_map *map, struct cpu *cpu);

#endif
