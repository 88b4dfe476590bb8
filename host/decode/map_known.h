/* map_known.h - how the mapping puts into the stream of events what is not known, as model/known.h says. For map.c and
 * map_event.c only.
 */
#ifndef DECODE_MAP_KNOWN_H
#define DECODE_MAP_KNOWN_H

#include "decode/map_state.h"

/* The event, the last one in out, tells which task runs, and belongs to that task itself; 0: it does not tell. If it
 * was not known what ran, that ends here. Returns the event, which a switch may have moved. */
struct tlog_event *decode_map_running(struct decode_map *map, struct cpu *cpu, struct tlog_event *event,
                                      uint32_t number, struct trace_batch *out);

/* Take what an event tells about who runs, if that is not known. Returns the event. */
struct tlog_event *decode_map_teller(struct decode_map *map, struct cpu *cpu, enum decode_teller teller,
                                     struct tlog_event *event, uint32_t number, struct trace_batch *out);

/* The event, the last one in out, tells that of the interrupts that seem to run only `depth` do: the handlers of those
 * inside of them were left without an exit. Returns the event. */
struct tlog_event *decode_map_leave(struct decode_map *map, struct cpu *cpu, struct tlog_event *event, unsigned depth,
                                    struct trace_batch *out);

/* The event is a loss or damage. */
void decode_map_gap(struct decode_map *map, struct cpu *cpu, struct tlog_event *event, struct trace_batch *out);

/* The event tells that switches were not logged before it, or are not from there on. */
void decode_map_no_switches(struct decode_map *map, struct cpu *cpu, struct tlog_event *event, struct trace_batch *out);

/* The event tells that logging stops. */
static inline void decode_map_pause(struct cpu *cpu, const struct tlog_event *event)
{
    cpu->is_paused = true;
    cpu->paused_at = event->time;
}

/* Behind a pause comes an event: what ran in between is not known. */
void decode_map_resume(struct decode_map *map, struct cpu *cpu, struct trace_batch *out);

/* Let out, which is empty, tell that what the user wants begins or ends on a CPU: what runs there, and then is unknown.
 */
void decode_map_tell_edge(struct decode_map *map, struct cpu *cpu, const struct decode_edge *edge,
                          struct trace_batch *out);

#endif
