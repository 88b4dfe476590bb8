/* SPDX-License-Identifier: MIT */
/* tlog_refuse.c - counts the calls of a CPU that may not log (TLOG_ONLY_CPU_ADDRESS, port/tlog_port.h).
 *
 * The count is that of the events which CPU 1 has dropped, in a chunk of its own behind the ring: so every reader knows
 * it. CPU 0 makes that chunk, before it opens its ring. The cores may have no atomic accesses, so each word has one
 * writer at a time:
 *     refused         only the other CPU writes it, with interrupts masked
 *     chunk->dropped  CPU 0 until it has set is_made, and then until it sees that it has stored the present count;
 *                     the other CPU behind each step of refused, once it sees is_made
 * Both look behind a fence at what the other one has stored: either CPU 0 sees the step of refused, or the other CPU
 * sees is_made. */
#include "tlog_speed.h"
#include "tlog.h"
#include "tlog_ring_impl.h"

#include <stddef.h>

#if TLOG_ENABLE && defined(TLOG_ONLY_CPU_ADDRESS)

/* The build id that the linker has put into the firmware, if the linker script defines this symbol. */
extern const uint32_t tlog_build_id[2] __attribute__((weak));

static volatile uint32_t refused;
static volatile bool is_made;

static struct tlog_chunk *chunk_of_refused(void)
{
    return (struct tlog_chunk *)(void *)(tlog_event_chunks[0] + TLOG_EVENT_WORDS);
}

/* Enter the present time as that of the first loss. The other CPU may be the first to see that the clock has passed
 * half a wrap. */
static void put_time(volatile struct tlog_chunk *chunk)
{
    const volatile struct tlog_cpu *cpu = tlog_cpus;
    const uint32_t high = cpu->high, now = tlog_port_now_at(cpu->clock);
    chunk->lost_at = now;
    chunk->lost_high = tlog_ring_wraps((int32_t)(high ^ now) < 0 ? tlog_ring_carry(high) : high);
}

__attribute__((cold, noinline)) void tlog_refuse(void)
{
    volatile struct tlog_chunk *chunk = chunk_of_refused();
    const uint32_t mask = tlog_port_mask(), count = refused + 1u;
    if (count < TLOG_COUNT_MIRROR) { /* dropped_high stays 0 */
        refused = count;
        tlog_port_fence();
        if (is_made) {
            if (chunk->dropped == 0)
                put_time(chunk);
            chunk->dropped = count;
        }
    }
    tlog_port_unmask(mask);
}

uint32_t tlog_refused(void)
{
    return refused;
}

/* Zeros, and what differs from that: in its first lap, and parked before the first of its slots. */
static void make_chunk(struct tlog_chunk *chunk)
{
    const uint32_t *pattern = tlog_cpus->ring->pattern;
    for (uint32_t *word = &chunk->magic; word < &chunk->magic + TLOG_REFUSED_WORDS; word++)
        *(volatile uint32_t *)word = 0;
    for (uint32_t i = 0; i < TLOG_PATTERN_WORDS; i++)
        (&chunk->magic)[i] = pattern[i];
    chunk->place = TLOG_RING_PLACE(1, 1, TLOG_ROLE_EVENTS);
    chunk->slots = 1;
    chunk->emergency = 0;
    chunk->buf_size = TLOG_CHUNK_BYTES(1u, 0u);
    chunk->self = (uint32_t)(uintptr_t)chunk;
    chunk->boot = tlog_ring_boot;
    chunk->build[0] = tlog_build_id != NULL ? tlog_build_id[0] : 0;
    chunk->build[1] = tlog_build_id != NULL ? tlog_build_id[1] : 0;
    chunk->flags = TLOG_CHUNK_STOP;
    chunk->cursor = TLOG_CURSOR_STEP | TLOG_TAG_MASK;
    chunk->lap = TLOG_LAP_FIRST;
    (&chunk->cursor)[4u + TLOG_WORD_HEAD] = TLOG_SLOT_EMPTY;
    (&chunk->cursor)[8u + TLOG_WORD_HEAD] = TLOG_TAG_MASK;
}

void tlog_refuse_begin(void)
{
    struct tlog_chunk *chunk = chunk_of_refused();
    uint32_t count;
    if (is_made)
        return;
    make_chunk(chunk);
    is_made = true;
    do {
        tlog_port_fence();
        count = refused;
        *(volatile uint32_t *)&chunk->dropped = count;
        tlog_port_fence();
    } while (count != refused);
    chunk->check = tlog_ring_check(chunk);
}

#endif
