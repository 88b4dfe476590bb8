/* map.h - from what firmware logged to what Linux viewers know, between reader and writer. */
#ifndef DECODE_MAP_H
#define DECODE_MAP_H

#include "model/trace.h"

enum map_mode {
    MAP_FULL,   /* Linux events where Linux has the same, and interrupts as tasks of their own, by derived events */
    MAP_EXACT,  /* the same without derived events: one event out for each one in */
    MAP_NATIVE, /* every event under its own name */
};

struct map;

/* State for a trace whose readers and types are known. NULL when memory runs out. */
struct map *map_new(struct trace *trace, enum map_mode mode);

void map_free(struct map *map);

/* Map events of one CPU from in to out, which is emptied first. Says which task every event belongs to, and counts
 * input events, derived events and the time span in trace->counts. Payloads in out may point into in. 0: in is used up.
 * 1: out is full; call again with the same in. */
int map_batch(struct map *map, unsigned cpu, const struct trace_batch *in, struct trace_batch *out);

#endif
