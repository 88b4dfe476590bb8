/* map_class.h - what the mapping makes of an event of each class, and how that changes what runs. For map.c only. */
#ifndef DECODE_MAP_CLASS_H
#define DECODE_MAP_CLASS_H

#include "decode/map_state.h"

/* Map the special events of a slice, and leave room in out for the plain ones. */
void decode_map_special(struct decode_map *map, struct cpu *cpu, struct slice *slice, struct trace_batch *out);

/* Do what the class of a special event wants. from: the event; event: its copy, the last one in out, which becomes
 * Linux's event if there is one. Events that are derived from it are added to out. */
void decode_map_class(struct decode_map *map, struct cpu *cpu, const struct trace_event *from,
                      struct trace_event *event, struct trace_batch *out);

/* Find the look of the CPU for which the next news are. */
void decode_map_find_news(struct decode_map *map, struct cpu *cpu);

#endif
