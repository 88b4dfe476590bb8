/* tracks.h - the lines of a viewer on which events are drawn, and the slices that are open on them. */
#ifndef PERFETTO_TRACKS_H
#define PERFETTO_TRACKS_H

#include "perfetto/tasks.h"

enum perfetto_track_kind { TRACK_MUTEX, TRACK_COUNTER, TRACK_LOSSES };

/* A track that is no task's. */
struct perfetto_track {
    uint64_t key;   /* kind, board and number; 0: the place in the table is free */
    uint64_t uuid;  /* 0: it was not described yet */
    uint32_t owner; /* of a mutex: the pid of the task that has it, if depth is not 0 */
    uint32_t depth; /* slices that are open on it */
};

/* No tracks. NULL: no memory. */
struct perfetto_tracks *perfetto_tracks_new(void);
void perfetto_tracks_free(struct perfetto_tracks *tracks);

/* The board, from 1, that a CPU is of; 0: there is one alone. */
static inline unsigned perfetto_board(const struct perfetto *state, unsigned cpu)
{
    return state->trace->boards != NULL ? state->trace->boards[cpu].number : 0;
}

/* Find or make a track. NULL: there are too many; or after trace_fail(). The pointer is good until the next call. */
struct perfetto_track *perfetto_track(struct perfetto *state, enum perfetto_track_kind kind, unsigned board,
                                      uint32_t number);

/* Describe a track below another one: a counter, if unit is not NULL. Returns its uuid; 0 after trace_fail(). */
uint64_t perfetto_describe(struct perfetto *state, uint64_t parent, const char *name, const char *unit);

/* The uuid of the track on which the task's events are, or those of an interrupt. 0 after trace_fail(). */
uint64_t perfetto_task_track(struct perfetto *state, struct perfetto_task *task, bool in_interrupt);

/* The end of the slice that began last on a track. 0, or -1 after trace_fail(). */
int perfetto_put_end(struct perfetto *state, uint64_t uuid, uint64_t time);

/* ---- slices of tasks --------------------------------------------------------------------------------------------- */

/* A slice of that key begins on the task's track. False: too many are open; or after trace_fail(). */
bool perfetto_slice_begin(struct perfetto *state, struct perfetto_task *task, unsigned cpu, uint64_t key);

/* The innermost slice of that key is to end: those that began in it end now. False: there is none; or after
 * trace_fail(). */
bool perfetto_slice_end(struct perfetto *state, struct perfetto_task *task, uint64_t key, uint64_t time);

/* End all slices that began on a CPU, and those in them: their ends may be lost. 0, or -1 after trace_fail(). */
int perfetto_slices_forget(struct perfetto *state, unsigned cpu, uint64_t time);

/* End the slices of all mutexes of a CPU's board: their unlocks may be lost. 0, or -1 after trace_fail(). */
int perfetto_mutexes_forget(struct perfetto *state, unsigned cpu, uint64_t time);

#endif
