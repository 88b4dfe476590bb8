/* slices.h - the slices that are open on tracks: of tasks, and of mutexes that a task has. Lists by CPU and by board
 * tell what is open there, so a loss takes no more time than the slices that it ends. */
#ifndef PERFETTO_SLICES_H
#define PERFETTO_SLICES_H

#include "formats/perfetto/tracks.h"

/* Nothing is open. NULL: no memory. */
struct perfetto_slices *perfetto_slices_new(const struct trace *trace);
void perfetto_slices_free(struct perfetto_slices *slices, const struct trace *trace);

/* A slice of that key begins on the task's track. False: too many are open; or after trace_fail(). */
bool perfetto_slice_begin(struct perfetto *state, struct perfetto_task *task, unsigned cpu, uint64_t key);

/* The innermost slice of that key is about to end: the slices inside it end now. False: there is no slice of that key;
 * or after trace_fail(). */
bool perfetto_slice_end(struct perfetto *state, struct perfetto_task *task, uint64_t key, uint64_t time);

/* End all slices that began on a CPU, and the slices inside them, because their ends may be lost. 0, or -1 after
 * trace_fail(). */
int perfetto_slices_forget(struct perfetto *state, unsigned cpu, uint64_t time);

/* A task takes a mutex of a CPU's board, also when it has it already; it gives it back once, or as often as it took
 * it. */
void perfetto_mutex_take(struct perfetto *state, unsigned cpu, struct perfetto_track *mutex, uint32_t owner);
void perfetto_mutex_give(struct perfetto *state, unsigned cpu, struct perfetto_track *mutex);
int perfetto_mutex_give_all(struct perfetto *state, unsigned cpu, struct perfetto_track *mutex, uint64_t time);

/* End the slices of all mutexes of a CPU's board: their unlocks may be lost. 0, or -1 after trace_fail(). */
int perfetto_mutexes_forget(struct perfetto *state, unsigned cpu, uint64_t time);

#endif
