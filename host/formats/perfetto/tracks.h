/* tracks.h - the rows of a viewer on which events are drawn, and the slices that are open on them. */
#ifndef PERFETTO_TRACKS_H
#define PERFETTO_TRACKS_H

#include "formats/perfetto/tasks.h"

enum perfetto_track_kind { TRACK_MUTEX, TRACK_COUNTER };

/* A track that belongs to no task. */
struct perfetto_track {
    uint64_t key;                         /* kind, board and number */
    uint64_t uuid;                        /* 0: it is not described yet */
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

/* The track of a mutex or a counter, which is made if it is new. NULL: there are too many; or after trace_fail(). */
struct perfetto_track *perfetto_track(struct perfetto *state, enum perfetto_track_kind kind, unsigned board,
                                      uint32_t number);

/* Describe a track below another one. It is a counter's if unit is not NULL. Returns its uuid; 0 after trace_fail(). */
uint64_t perfetto_describe(struct perfetto *state, uint64_t parent, const char *name, const char *unit);

/* The uuid of the track for the events of a task, or of an interrupt, which has a pid, too. 0 after trace_fail(). */
uint64_t perfetto_task_track(struct perfetto *state, struct perfetto_task *task, bool in_interrupt);

/* Write the beginning of a slice whose name has no number. 0, or -1 after trace_fail(). */
int perfetto_put_begin(struct perfetto *state, uint64_t uuid, const char *name, uint64_t time);

/* Write the end of the innermost slice on a track. 0, or -1 after trace_fail(). */
int perfetto_put_end(struct perfetto *state, uint64_t uuid, uint64_t time);

/* ---- slices ------------------------------------------------------------------------------------------------------ */

/* Tasks have slices, one in another; a mutex has some while a task has it. Lists by CPU and by board tell which are
 * open there, so a loss takes no more time than the slices that it ends. */

/* Nothing is open. NULL: no memory. */
struct perfetto_slices *perfetto_slices_new(const struct trace *trace);
void perfetto_slices_free(struct perfetto_slices *slices, const struct trace *trace);

/* A slice begins on the task's track; its end will have the same key. False: too many are open; or after
 * trace_fail(). */
bool perfetto_slice_begin(struct perfetto *state, struct perfetto_task *task, unsigned cpu, uint64_t key);

/* The innermost slice of that key ends: write the ends of all slices inside it; the caller writes its own. False: no
 * slice has that key; or after trace_fail(). */
bool perfetto_slice_end(struct perfetto *state, struct perfetto_task *task, uint64_t key, uint64_t time);

/* Write the ends of all slices that began on a CPU, and of those inside them: their ends may be lost. 0, or -1 after
 * trace_fail(). */
int perfetto_slices_end_all(struct perfetto *state, unsigned cpu, uint64_t time);

/* Note that a task takes a mutex of a CPU's board, perhaps one that it has already; that it gives it back once; that it
 * gives it back as often as it took it. The last one also writes the ends of the mutex's slices. */
void perfetto_mutex_take(struct perfetto *state, unsigned cpu, struct perfetto_track *mutex, uint32_t owner);
void perfetto_mutex_give(struct perfetto *state, unsigned cpu, struct perfetto_track *mutex);
int perfetto_mutex_give_all(struct perfetto *state, unsigned cpu, struct perfetto_track *mutex, uint64_t time);

/* Write the ends of the slices of all mutexes of a CPU's board: their unlocks may be lost. 0, or -1 after
 * trace_fail(). */
int perfetto_mutexes_end_all(struct perfetto *state, unsigned cpu, uint64_t time);

#endif
