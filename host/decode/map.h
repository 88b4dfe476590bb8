/* map.h - from what firmware logged to what Linux viewers know, between reader and writer. */
#ifndef DECODE_MAP_H
#define DECODE_MAP_H

#include "model/trace.h"

enum decode_map_mode {
    DECODE_MAP_FULL,   /* Linux events where Linux has the same; derived events show interrupts as tasks of their own */
    DECODE_MAP_EXACT,  /* the same without derived events: one event out for each one in */
    DECODE_MAP_NATIVE, /* every event under its own name */
};

struct decode_map;

/* State for a trace whose reader is open. The trace stays the caller's and must live as long. NULL when memory runs
 * out. */
struct decode_map *decode_map_new(struct trace *trace, enum decode_map_mode mode);

/* NULL is allowed. */
void decode_map_free(struct decode_map *map);

/* Map events of one CPU from in to out, which is emptied first. Tells which task every event belongs to, and counts
 * input events, derived events and the time span in trace->counts. Payloads in out may point into in. Returns 0: all of
 * in is mapped; 1: out is full, call again with the same in. */
int decode_map_batch(struct decode_map *map, unsigned cpu, const struct trace_batch *in, struct trace_batch *out);

#endif
