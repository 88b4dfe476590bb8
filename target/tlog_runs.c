/* tlog_runs.c - what is in tlog's memory: the chunks, whether they are finished, and, with TLOG_RUNS > 1, the runs of
 * the firmware that are kept side by side, and the bank that a new run takes.
 *
 * The memory of a ring is divided into TLOG_RUNS banks, each with room for all chunks of the ring. A bank holds a run
 * if the header of its first chunk is whole and belongs to this ring; otherwise the bank is empty. These functions only
 * read. The bank and the boot id of a new run are decided with one store each (tlog_start.c), so an interrupt, or a
 * reset, finds each of them either decided or not. */
#include "tlog.h"

#include <stddef.h>

#if TLOG_ENABLE

/* The linker defines these for any section with such a name. */
extern uint32_t __start_tlog_chunks[], __stop_tlog_chunks[];

/* Whether another chunk begins inside the memory of a chunk. That one is younger, because formatting a chunk overwrites
 * all of its memory. So firmware with chunks of other sizes has run in between, and the older chunk is not whole any
 * more. */
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

/* Boot ids wrap, so they are compared by their difference. */
static bool is_before(uint32_t boot, uint32_t other)
{
    return (int32_t)(boot - other) < 0;
}

__attribute__((cold)) uint32_t tlog_ring_run_before(uint32_t limit)
{
    const struct tlog_chunk *chunk = tlog_ring_find((uintptr_t)__start_tlog_chunks);
    uint32_t newest = 0;
    for (; chunk != NULL; chunk = tlog_ring_find((uintptr_t)chunk + chunk->buf_size))
        if ((limit == 0 || is_before(chunk->boot, limit)) && (newest == 0 || is_before(newest, chunk->boot)))
            newest = chunk->boot;
    return newest;
}

/* Whether the bank that begins with this chunk holds a run of the ring: the words of the header that describe the ring
 * are those that this firmware would write. The address (self) may differ: it depends on the bank. */
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
        if (best == NULL || age > oldest) {
            best = bank;
            oldest = age;
        }
        bank = (struct tlog_chunk *)((uintptr_t)bank + bytes);
    }
    return best;
}

#endif

/* ---- whether a chunk is finished --------------------------------------------------------------------------------- */

static bool are_tagged(const struct tlog_slot *slot, uint32_t n, uint32_t tag)
{
    for (; n > 0; n--, slot++)
        if ((*(const volatile uint32_t *)slot->word & TLOG_TAG_MASK) != tag)
            return false;
    return true;
}

bool tlog_ring_is_finished(const struct tlog_chunk *chunk)
{
    const volatile struct tlog_chunk *header = chunk;
    uint32_t tag = header->lap & TLOG_TAG_MASK, before = (header->cursor >> TLOG_CURSOR_SHIFT) - 1u;
    uint32_t emergency_used = header->emergency_used;
    const struct tlog_slot *slots = tlog_chunk_slots(chunk);
    return are_tagged(slots, before, tag) && are_tagged(slots + before, chunk->slots - before, tag ^ TLOG_TAG_MASK)
           && are_tagged(tlog_chunk_emergency_slots(chunk), emergency_used, TLOG_TAG_ODD);
}

#endif
