/* SPDX-License-Identifier: MIT */
/* tlog_send.c - dumps: seal every chunk, and write them all to a sink. */
#include "tlog_speed.h"
#include "tlog.h"
#include "tlog_ring_impl.h"

#include <stddef.h>

#if TLOG_ENABLE

static uint32_t *group_crcs(const uint32_t *slots, uint32_t count, uint32_t *crc)
{
    while (count > 0) {
        uint32_t n = count < TLOG_GROUP_SLOTS ? count : TLOG_GROUP_SLOTS;
        *crc++ = ~tlog_ring_crc(~0u, slots, n * 4u);
        slots += n * 4u;
        count -= n;
    }
    return crc;
}

static struct tlog_seal *seal_of(const struct tlog_chunk *chunk)
{
    return (struct tlog_seal *)(void *)(tlog_chunk_claims(chunk) + 1);
}

/* Copy the header's words that change. */
static void copy_words(struct tlog_seal *at, const struct tlog_chunk *chunk)
{
    at->cursor = chunk->cursor;
    at->lap = chunk->lap;
    at->dropped = chunk->dropped;
    at->reported = chunk->reported;
    at->emergency_used = chunk->emergency_used;
    at->dropped_high = chunk->dropped_high;
    at->lap_high = chunk->lap_high;
    at->extra_high = chunk->extra_high;
    at->extra = chunk->extra;
    at->trigger = chunk->trigger;
}

/* Whoever reads the memory from now on finds no seal there. */
static void erase_seal(struct tlog_chunk *chunk)
{
    seal_of(chunk)->magic = 0;
    tlog_port_publish();
}

/* Make a seal whose magic is erased, all but the magic. Its check sum is that of a seal with the magic. */
static struct tlog_seal *make_seal(struct tlog_chunk *chunk)
{
    struct tlog_seal *at = seal_of(chunk);
    uint32_t *slots = (uint32_t *)(chunk + 1), *groups = (uint32_t *)(at + 1);
    uint32_t *stop = group_crcs(slots, chunk->slots, groups);
    stop = group_crcs(slots + (chunk->slots + 1u) * 4u, chunk->emergency, stop);
    copy_words(at, chunk);
    const uint32_t magic = TLOG_WIRE_SEAL;
    uint32_t crc = tlog_ring_crc(~0u, &magic, 1);
    crc = tlog_ring_crc(crc, &at->cursor, __builtin_offsetof(struct tlog_seal, crc) / 4u - 1u);
    crc = tlog_ring_crc(crc, tlog_chunk_claims(chunk)->note, TLOG_CLAIMS);
    at->crc = ~tlog_ring_crc(crc, groups, (uint32_t)(stop - groups));
    return at;
}

/* The seal is whole: from now on it counts. */
static void finish_seal(struct tlog_seal *at)
{
    tlog_port_publish();
    at->magic = TLOG_WIRE_SEAL;
}

/* Seal a chunk to which nobody logs. */
static void seal(struct tlog_chunk *chunk)
{
    erase_seal(chunk);
    finish_seal(make_seal(chunk));
}

/* Load the cursor after all loads that come before this in the program, and before all loads that come behind it. With
 * several CPUs a load-exclusive is a fence, but its own load may happen before the fence: so there are two of them. */
static uint32_t cursor_in_order(const struct tlog_chunk *chunk)
{
    (void)tlog_port_load_exclusive(&chunk->cursor);
    uint32_t cursor = tlog_port_load_exclusive(&chunk->cursor);
    tlog_port_clear_exclusive();
    return cursor;
}

/* Seal a chunk if it is at rest: all slots that were reserved are filled, and none is reserved until it is sealed.
 * Otherwise another CPU, or a preempted thread, is in the middle of an event. It may fill its slot while the sink
 * writes, and then the seal would not agree with the slot. */
static bool try_to_seal(struct tlog_chunk *chunk)
{
    uint32_t cursor = cursor_in_order(chunk), used = ((volatile struct tlog_chunk *)chunk)->emergency_used;
    bool rests = tlog_ring_is_finished(chunk) && cursor_in_order(chunk) == cursor;
    if (rests) {
        struct tlog_seal *at = make_seal(chunk);
        rests = at->emergency_used == used && cursor_in_order(chunk) == cursor;
        if (rests)
            finish_seal(at);
    }
    return rests;
}

/* Seal a chunk, or erase its seal. With several CPUs this waits for the others for a limited time. On one CPU only an
 * interrupt that logs in between can make a try fail. The old seal is erased first: a debugger may read the memory in
 * the middle, and must not find that seal above check sums that are new. */
static void seal_at_rest(struct tlog_chunk *chunk)
{
    int tries = TLOG_CPUS > 1 ? 100 : 4;
    erase_seal(chunk);
    while (tries > 0 && !try_to_seal(chunk))
        tries--;
}

/* Chunks of older runs are always at rest. */
static void seal_all(void)
{
#if TLOG_FORMS
    for (struct tlog_cpu *cpu = tlog_cpus; cpu < tlog_cpus + TLOG_CPUS; cpu++)
        tlog_form_settle(cpu);
#endif
    for (struct tlog_chunk *chunk = tlog_chunk_behind(NULL); chunk != NULL; chunk = tlog_chunk_behind(chunk))
        if (TLOG_RUNS == 1 || chunk->boot == tlog_ring_boot)
            seal_at_rest(chunk);
        else
            seal(chunk);
}

/* Write bytes in pieces. In between the time is kept right, because a sink may take longer than half a wrap; but a run
 * that has not begun does not begin here, because it might take the bank that is written. */
static int write_pieces(const struct tlog_sink *sink, uintptr_t at, uint32_t bytes)
{
    int result = 0;
    for (uint32_t n; bytes > 0 && result == 0; at += n, bytes -= n) {
        n = bytes < TLOG_DUMP_PIECE ? bytes : TLOG_DUMP_PIECE;
        result = sink->write(sink->ctx, (const void *)at, n);
        if (TLOG_RUNS == 1 || tlog_ring_boot != 0)
            tlog_tick();
    }
    return result;
}

int tlog_dump(const struct tlog_sink *sink)
{
    int result = 0;
    if (TLOG_HAS_COARSE) /* wraps that passed unseen are told behind the last event, or a reader could not place them */
        tlog_tick();
    tlog_pause_hold();
    seal_all();
    for (uint32_t i = 0; i < TLOG_RING_AREAS && result == 0; i++) {
        const struct tlog_area area = tlog_ring_area(i);
        if (area.begin < area.end)
            result = write_pieces(sink, area.begin, (uint32_t)(area.end - area.begin));
    }
    tlog_pause_release();
    tlog_rate_tell();
    return result;
}

#if TLOG_RUNS > 1
uint32_t tlog_old_runs(void)
{
    uint32_t runs = 0, boot = tlog_ring_boot;
    while ((boot = tlog_ring_run_before(boot)) != 0)
        runs++;
    return runs;
}

/* Write the chunks of a run. */
static int write_run(const struct tlog_sink *sink, uint32_t boot)
{
    int result = 0;
    struct tlog_chunk *chunk = tlog_chunk_behind(NULL);
    for (; chunk != NULL && result == 0; chunk = tlog_chunk_behind(chunk)) {
        if (chunk->boot != boot)
            continue;
        seal(chunk);
        result = write_pieces(sink, (uintptr_t)chunk, chunk->buf_size);
    }
    return result;
}

/* What interrupts this may log, and so begin this run. */
int tlog_last_run(const struct tlog_sink *sink)
{
    *(volatile bool *)&tlog_ring_sends = true;
    const uint32_t boot = tlog_ring_run_before(tlog_ring_boot);
    const int result = boot == 0 ? TLOG_NO_RUN : write_run(sink, boot);
    *(volatile bool *)&tlog_ring_sends = false;
    return result;
}
#endif

#endif
