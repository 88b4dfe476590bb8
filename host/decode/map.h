/* map.h - the mapping: events that Linux has too become Linux's, and each event gets the task that it belongs to.
 *
 * It stands between reader and writer, and knows neither.
 */
#ifndef DECODE_MAP_H
#define DECODE_MAP_H

#include "decode/known.h"
#include "decode/request.h"

struct decode_lives;
struct decode_map;

/* Make the mapping for a trace whose reader is open. The trace stays the caller's and must live as long. NULL: there is
 * no memory. */
struct decode_map *decode_map_new(struct trace *trace, enum tlog_map_mode mode);

/* From now on, edges are told by events of TLOG_MEANS_LEFT_OUT, too. */
void decode_map_mark_edges(struct decode_map *map);

/* Numbers of events are those of lives (lives.h); NULL: none differ. They must live as long. */
void decode_map_use_lives(struct decode_map *map, const struct decode_lives *lives);

/* Whether an event has told that a number is given again, though that was not said to be known. */
bool decode_map_meets_lives(const struct decode_map *map);

/* NULL is allowed. */
void decode_map_free(struct decode_map *map);

/* Map the events of one CPU that are in `in` from index `at` to `end` - 1. They go to out, which is emptied first.
 * Gives every event its task, and counts input events, derived events and the time span in trace->counts. Payloads in
 * out may point into in. Returns the index of the first event for which out had no room, else `end`.
 *
 * CPUs share tasks. So either the events of all CPUs come in the order of time, or the mapping has updates (below). */
size_t decode_map_batch(struct decode_map *map, unsigned cpu, const struct trace_batch *in, size_t at, size_t end,
                        struct trace_batch *out);

/* Let out, which is emptied first, tell that what the user wants begins or ends on a CPU, as model/known.h says. Does
 * nothing before the CPU's first event. */
void decode_map_edge(struct decode_map *map, unsigned cpu, const struct decode_edge *edge, struct trace_batch *out);

/* Tell the user of handlers that were left without an exit, and of interrupts that are logged twice: all events have
 * come. */
void decode_map_tell(const struct decode_map *map);

/* ---- what ran ---------------------------------------------------------------------------------------------------- */

/* A task or an interrupt that ran, with the pid that viewers get, and the last priority it had. */
struct decode_map_row {
    uint32_t pid;
    int32_t priority;
    bool is_interrupt;
};

/* Call a function for everything that ran so far, in the order of pids; but not for tasks of TRACE_MAPPED_TASK_END and
 * higher numbers. */
void decode_map_each_row(const struct decode_map *map, void (*call)(void *ctx, const struct decode_map_row *row),
                         void *ctx);

/* ---- one CPU after the other (cross_cpu.h) ----------------------------------------------------------------------- */

/* Make it a recorder of updates, which maps nothing. It needs only the special events, those that mean something to the
 * mapping: decode_map_find_special() finds them, and decode_map_follow() takes them. False: there is no memory. */
bool decode_map_record(struct decode_map *map);

/* Index of the first special event of in, from index `at` on; in->n if there is none. */
size_t decode_map_find_special(struct decode_map *map, unsigned cpu, const struct trace_batch *in, size_t at);

/* Follow a special event, in the order of time over all CPUs. scrap: a batch whose contents are lost. */
void decode_map_follow(struct decode_map *map, unsigned cpu, const struct tlog_event *event, struct trace_batch *scrap);

/* Take the updates of a recorder that has followed all events. After that, decode_map_batch() may be called for one CPU
 * after the other. */
void decode_map_take_updates(struct decode_map *map, struct decode_map *recorder);

#endif
