/* tlog_send.c - dumps: seal every chunk, and write them all to a sink. */
#include "tlog.h"

#include <stddef.h>

#if TLOG_ENABLE

/* The linker defines these for any section with such a name. */
extern uint32_t __start_tlog_chunks[], __stop_tlog_chunks[];

struct tlog_chunk *tlog_chunk_behind(const struct tlog_chunk *chunk)
{
    return tlog_ring_find(chunk != NULL ? (uintptr_t)chunk + chunk->buf_size : (uintptr_t)__start_tlog_chunks);
}

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

static struct tlog_seal *seal_of(struct tlog_chunk *chunk)
{
    uint32_t *slots = (uint32_t *)(chunk + 1);
    return (struct tlog_seal *)(void *)(slots + (chunk->slots + 1u + chunk->emergency) * 4u);
}

static struct tlog_seal *seal(struct tlog_chunk *chunk)
{
    struct tlog_seal *at = seal_of(chunk);
    uint32_t *slots = (uint32_t *)(chunk + 1), *groups = (uint32_t *)(at + 1);
    uint32_t *stop = group_crcs(slots, chunk->slots, groups);
    stop = group_crcs(slots + (chunk->slots + 1u) * 4u, chunk->emergency, stop);
    at->magic = TLOG_WIRE_SEAL;
    at->cursor = chunk->cursor;
    at->lap = chunk->lap;
    at->dropped = chunk->dropped;
    at->reported = chunk->reported;
    at->emergency_used = chunk->emergency_used;
    uint32_t crc = tlog_ring_crc(~0u, &at->magic, 7u);
    at->crc = ~tlog_ring_crc(crc, groups, (uint32_t)(stop - groups));
    return at;
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
    if (rests)
        rests = seal(chunk)->emergency_used == used && cursor_in_order(chunk) == cursor;
    return rests;
}

/* Seal a chunk, or erase its seal. With several CPUs this waits for the others for a limited time. On one CPU only an
 * interrupt that logs in between can make a try fail. */
static void seal_at_rest(struct tlog_chunk *chunk)
{
    int tries = TLOG_CPUS > 1 ? 100 : 4;
    while (tries > 0 && !try_to_seal(chunk))
        tries--;
    if (tries == 0)
        seal_of(chunk)->magic = 0;
}

/* Chunks of older runs are always at rest. */
static void seal_all(void)
{
    for (struct tlog_chunk *chunk = tlog_chunk_behind(NULL); chunk != NULL; chunk = tlog_chunk_behind(chunk))
        if (TLOG_RUNS == 1 || chunk->boot == tlog_ring_boot)
            seal_at_rest(chunk);
        else
            seal(chunk);
}

int tlog_dump(const struct tlog_sink *sink)
{
    const uint32_t bytes = (uint32_t)((uintptr_t)__stop_tlog_chunks - (uintptr_t)__start_tlog_chunks);
    bool was_off = (tlog_cpus->muted & TLOG_MUTED_OFF) != 0;
    tlog_disable();
    seal_all();
    int result = sink->write(sink->ctx, __start_tlog_chunks, bytes);
    if (!was_off)
        tlog_enable();
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

int tlog_last_run(const struct tlog_sink *sink)
{
    const uint32_t boot = tlog_ring_run_before(tlog_ring_boot);
    int result = 0;
    if (boot == 0)
        return TLOG_NO_RUN;
    struct tlog_chunk *chunk = tlog_chunk_behind(NULL);
    for (; chunk != NULL && result == 0; chunk = tlog_chunk_behind(chunk)) {
        if (chunk->boot != boot)
            continue;
        seal(chunk);
        result = sink->write(sink->ctx, chunk, chunk->buf_size);
    }
    return result;
}
#endif

#endif
