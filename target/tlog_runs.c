/* tlog_runs.c - what is in memory: the chunks, and, with TLOG_RUNS > 1, which runs of the firmware there are side by side and
 * where the new one goes.
 *
 * The memory of a ring is so many banks, each with room for all its chunks. A bank holds a run when the header of its first
 * chunk is whole and is of this ring; else it is empty. All of that is read only: the bank and the number of the run are
 * decided with one store each (tlog_start.c), so an interrupt, or a reset, finds them decided or not. */
#include "tlog.h"

#include <stddef.h>

#if TLOG_ENABLE

extern uint32_t __start_tlog_chunks[], __stop_tlog_chunks[];

/* Whether another chunk stands in a chunk's memory. That is the younger one: making a chunk leaves nothing of what was
 * there. So firmware with chunks of other sizes has run before this one, and that chunk is no longer whole. */
static bool is_overwritten(const struct tlog_chunk *chunk, uintptr_t end)
{
    const uintptr_t behind = (uintptr_t)chunk + chunk->buf_size;
    uintptr_t at = (uintptr_t)chunk + TLOG_SLOT_BYTES;
    while (at < behind && end - at > TLOG_HEADER_BYTES && !tlog_ring_is_inside((const struct tlog_chunk *)at, end))
        at += TLOG_SLOT_BYTES;
    return at < behind && end - at > TLOG_HEADER_BYTES;
}

__attribute__((cold)) struct tlog_chunk *tlog_ring_find(uintptr_t at)
{
    const uintptr_t end = (uintptr_t)__stop_tlog_chunks;
    for (; at < end && end - at > TLOG_HEADER_BYTES; at += TLOG_SLOT_BYTES) {
        struct tlog_chunk *chunk = (struct tlog_chunk *)at;
        if (tlog_ring_is_inside(chunk, end) && !is_overwritten(chunk, end))
            return chunk;
    }
    return NULL;
}

#if TLOG_RUNS > 1

/* Numbers of runs wrap. */
static bool is_before(uint32_t boot, uint32_t other)
{
    return (int32_t)(boot - other) < 0;
}

__attribute__((cold)) uint32_t tlog_ring_run_before(uint32_t limit)
{
    const struct tlog_chunk *chunk = tlog_ring_find((uintptr_t)__start_tlog_chunks);
    uint32_t newest = 0;
    for (; chunk; chunk = tlog_ring_find((uintptr_t)chunk + chunk->buf_size))
        if ((limit == 0 || is_before(chunk->boot, limit)) && (newest == 0 || is_before(newest, chunk->boot)))
            newest = chunk->boot;
    return newest;
}

/* Whether a run of this ring is there: all that its header says of it is what this run would say. */
static bool holds_run(const struct tlog_ring *ring, const struct tlog_chunk *first)
{
    const uint32_t *word = &first->magic;
    for (uint32_t i = 0; i < 8u; i++)
        if (i != __builtin_offsetof(struct tlog_chunk, self) / 4u && word[i] != ring->pattern[i])
            return false;
    return tlog_ring_is_chunk(first);
}

__attribute__((cold)) struct tlog_chunk *tlog_ring_bank(const struct tlog_ring *ring)
{
    const uint32_t bytes = (TLOG_CHUNKS > 1 ? ring->chunks : 1u) * ring->pattern[7];
    struct tlog_chunk *best = NULL, *bank = ring->first;
    uint32_t oldest = 0;
    for (uint32_t i = 0; i < TLOG_RUNS; i++) {
        uint32_t age = holds_run(ring, bank) ? tlog_ring_boot - bank->boot : UINT32_MAX;
        if (!best || age > oldest) {
            best = bank;
            oldest = age;
        }
        bank = (struct tlog_chunk *)((uintptr_t)bank + bytes);
    }
    return best;
}

#endif

#endif
