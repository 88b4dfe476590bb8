/* known.h - from when to when it is known what a CPU does: what decides it. model/known.h says how the stream of events
 * tells it; map_event.c puts it there.
 */
#ifndef DECODE_KNOWN_H
#define DECODE_KNOWN_H

#include "model/trace.h"

/* ---- events that tell who runs ----------------------------------------------------------------------------------- */

/* What the first field of an event tells. A kernel may hand a mutex over to a task that waits, or take it from a task
 * that is deleted; the event then names a task that does not run. But without a switch in between that does not happen
 * twice with one task. */
enum decode_teller {
    DECODE_TELLS_NOTHING,
    DECODE_TELLS_TASK,  /* the running task logged it, and is the first field, unless that is 0 */
    DECODE_TELLS_WAIT,  /* the same: it will wait for a mutex */
    DECODE_TELLS_LOCK,  /* if two such events of a CPU have the same task, and no switch is between them, it runs */
    DECODE_TELLS_UNLOCK /* the same */
};

enum decode_teller decode_teller_of(const struct tlog_type *type);

/* Whether an event tells that the task of that number runs. *hint: the task that the one before told, which becomes
 * that number; to be set to UINT32_MAX at each switch and gap. */
static inline bool decode_tells(enum decode_teller teller, uint32_t number, uint32_t *hint)
{
    bool tells = teller != DECODE_TELLS_NOTHING && number != 0 && (teller < DECODE_TELLS_LOCK || *hint == number);
    if (teller != DECODE_TELLS_NOTHING && number != 0)
        *hint = number;
    return tells;
}

/* ---- losses ------------------------------------------------------------------------------------------------------ */

/* The time of an event, as exact as struct tlog_event has it. */
struct decode_moment {
    uint64_t time;
    uint16_t rest;
};

/* Let the losses and the damage of a CPU's batch stand where they begin: at the time of the last event before. *last:
 * that event's, for the next batch; to begin with its time is UINT64_MAX, which is none. */
void decode_known_begin_losses(const struct trace *trace, struct trace_batch *batch, struct decode_moment *last);

/* ---- what the user wants ----------------------------------------------------------------------------------------- */

/* The times from `from` to `to`, both included; none if `to` is less. */
struct decode_window {
    uint64_t from, to;
};

/* The parts of a trace that --time and --around ask for. An event is wanted if it is inside `time` and, with --around,
 * also inside one of the other windows. All zero at the beginning. */
struct decode_windows {
    struct decode_window time;    /* of --time */
    struct decode_window *around; /* of --around: n of them, with room for `room` */
    size_t n, room;
};

/* Where what the user wants begins or ends. It begins before events of that time, and ends behind them. */
struct decode_edge {
    uint64_t time;
    bool begins;
    size_t next; /* number of the edge behind it */
};

/* Find the first edge from number n on. time: the window of --time; around: those of --around, in the order of time, or
 * NULL. False: there is none. */
bool decode_known_edge(struct decode_window time, const struct decode_windows *around, size_t n,
                       struct decode_edge *edge);

#endif
