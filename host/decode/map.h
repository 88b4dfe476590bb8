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

/* What ran: an interrupt or a task, with the pid that viewers get, and the last priority it had. */
struct decode_map_row {
    uint32_t pid;
    int32_t priority;
    bool is_interrupt;
};

/* Call a function for everything that ran so far, in order of pid. Tasks of numbers above those whose state is followed
 * are left out. */
void decode_map_each_row(const struct decode_map *map, void (*call)(void *ctx, const struct decode_map_row *row),
                         void *ctx);

/* Map events of one CPU: those of in from index `at` on and before `end`, to out, which is emptied first. Tells which
 * task every event belongs to, and counts input events, derived events and the time span in trace->counts. Payloads in
 * out may point into in. Returns the index of the first event that found no room in out, else `end`.
 *
 * Events of all CPUs must come in the order of time, because CPUs share tasks; else the mapping needs news of tasks. */
size_t decode_map_batch(struct decode_map *map, unsigned cpu, const struct trace_batch *in, size_t at, size_t end,
                        struct trace_batch *out);

/* ---- news of tasks (news.h) -------------------------------------------------------------------------------------- */

/* Make it a collector of news: it is given events that mean something to the mapping, by the next two calls, and
 * nothing else. False when memory runs out. */
bool decode_map_collect(struct decode_map *map);

/* Index of the first event of in that means something, from index `at` on; in->n if there is none. */
size_t decode_map_seek(struct decode_map *map, unsigned cpu, const struct trace_batch *in, size_t at);

/* Follow such an event. scrap: what the collector may write to. */
void decode_map_follow(struct decode_map *map, unsigned cpu, const struct trace_event *event,
                       struct trace_batch *scrap);

/* The collector has been given all events: from now on its news are the map's, whose events may come CPU by CPU. */
void decode_map_take_news(struct decode_map *map, struct decode_map *collector);

#endif
