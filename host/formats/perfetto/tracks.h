/* tracks.h - the rows of a viewer on which events are drawn. */
#ifndef PERFETTO_TRACKS_H
#define PERFETTO_TRACKS_H

#include "formats/perfetto/tasks.h"

enum perfetto_track_kind { TRACK_MUTEX, TRACK_COUNTER };

/* A track that belongs to no task. */
struct perfetto_track {
    uint64_t key;                         /* kind, board and number */
    uint64_t uuid;                        /* 0: it was not described yet */
    uint32_t owner;                       /* of a mutex: the pid of the task that has it, if depth is not 0 */
    uint32_t depth;                       /* slices that are open on it */
    struct perfetto_track *older, *newer; /* of a mutex that a task has: the others of its board */
};

/* No tracks. NULL: no memory. */
struct perfetto_tracks *perfetto_tracks_new(void);
void perfetto_tracks_free(struct perfetto_tracks *tracks);

/* The board of a CPU, from 1; 0: there is only one board. */
static inline unsigned perfetto_board(const struct perfetto *state, unsigned cpu)
{
    return state->trace->boards != NULL ? state->trace->boards[cpu].number : 0;
}

/* Find or make a track. NULL: there are too many; or after trace_fail(). */
struct perfetto_track *perfetto_track(struct perfetto *state, enum perfetto_track_kind kind, unsigned board,
                                      uint32_t number);

/* Describe a track below another one; it is a counter if unit is not NULL. Returns its uuid; 0 after trace_fail(). */
uint64_t perfetto_describe(struct perfetto *state, uint64_t parent, const char *name, const char *unit);

/* The uuid of the track on which the task's events are, or those of an interrupt. 0 after trace_fail(). */
uint64_t perfetto_task_track(struct perfetto *state, struct perfetto_task *task, bool in_interrupt);

/* Write the end of the slice that began last on a track. 0, or -1 after trace_fail(). */
int perfetto_put_end(struct perfetto *state, uint64_t uuid, uint64_t time);

#endif
