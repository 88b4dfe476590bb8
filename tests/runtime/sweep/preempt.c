/* preempt.c - implements preempt.h. There are no threads here: it writes to memory what the thread would have written.
 */
#include "preempt.h"

#include <stddef.h>

struct sweep_preempted sweep_preempted;

static bool is_settled(const struct tlog_chunk *chunk)
{
    return ((chunk->lap ^ chunk->cursor) & TLOG_TAG_MASK) == 0 && chunk->cursor >> TLOG_CURSOR_SHIFT == TLOG_SLOTS + 1u;
}

void sweep_preempt(void)
{
    struct tlog_chunk *home = tlog_ring_home(&tlog_cpu0);
    struct tlog_chunk *next = (struct tlog_chunk *)((uintptr_t)home + (TLOG_CHUNKS > 1 ? home->next : 0u));
    if (sweep_preempted.home != NULL || home->flags & TLOG_CHUNK_STOP || !is_settled(home) || !is_settled(next))
        return;
    sweep_preempted.home = home;
    sweep_preempted.next = next;
    sweep_preempted.home_lap = home->lap;
    sweep_preempted.home_cursor = home->cursor;
    sweep_preempted.lap = next->lap;
    next->cursor = TLOG_CURSOR_STEP | (~next->lap & TLOG_TAG_MASK);
}

void sweep_run_preempted(void)
{
    struct tlog_chunk *home = sweep_preempted.home, *next = sweep_preempted.next;
    if (home == NULL)
        return;
    if (next->lap == sweep_preempted.lap)
        next->lap = (next->lap ^ TLOG_TAG_MASK) + TLOG_LAP_STEP;
    if (tlog_ring_home(&tlog_cpu0) == home && home->lap == sweep_preempted.home_lap
        && home->cursor == sweep_preempted.home_cursor)
        tlog_cpu0.cursor = &next->cursor;
    sweep_preempted.home = NULL;
}
