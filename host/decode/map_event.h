/* map_event.h - what the mapping makes of one event. For map.c only. */
#ifndef DECODE_MAP_EVENT_H
#define DECODE_MAP_EVENT_H

#include "decode/map_state.h"

/* Map the special events of a slice into out, leave room there for the plain ones, and fill in the segments. */
void decode_map_special(struct decode_map *map, struct cpu *cpu, struct slice *slice, struct trace_batch *out);

/* Map one special event. event: its copy, the last event in out, which becomes Linux's event if there is one. Derived
 * events are added to out. */
void decode_map_one(struct decode_map *map, struct cpu *cpu, const struct tlog_event *from, struct tlog_event *event,
                    struct trace_batch *out);

/* Follow who holds a mutex, by an event about it. Returns whether it is a signal there: its waiter holds it itself, or
 * a handler unlocked it and no task has taken it since; so are that unlock, and the lock of the waiter behind it.
 * is_idle: the idle task runs. Of two with one hash the later one counts. */
bool decode_map_follow_mutex(struct decode_map *map, struct cpu *cpu, const struct meaning *meaning,
                             const struct tlog_event *event, bool is_idle);

/* Get the CPU's next update. */
void decode_map_next_update(struct decode_map *map, struct cpu *cpu);

#endif
