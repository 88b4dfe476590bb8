/* SPDX-License-Identifier: MIT */
/* tlog_runs.c - what is in tlog's memory: the chunks, and whether they are finished. With TLOG_RUNS > 1 also the runs
 * of the firmware that are kept side by side, and the bank that a new run takes.
 *
 * The memory of a ring is divided into TLOG_RUNS banks, each with room for all chunks of the ring. A bank holds a run
 * if the header of its first chunk is whole and belongs to this ring; otherwise it is empty. These functions only read.
 * One store each decides bank and boot id of a new run (tlog_start.c): an interrupt, or a reset, finds either of them
 * decided or not. */
#include "tlog_speed.h"
#include "tlog.h"
#include "tlog_ring_impl.h"

#include <stddef.h>

#if TLOG_ENABLE

/* ---- areas ------------------------------------------------------------------------------------------------------- */

#if TLOG_RUNS > 1
/* All is in one section. The linker script defines its beginning by a name that says what is missing, if it is. */
extern uint32_t lasting_chunks[] __asm("tlog_runs_above_1_need_INCLUDE_tlog.ld_in_the_linker_script");
extern uint32_t __stop_tlog_chunks[];

struct tlog_area tlog_ring_area(uint32_t number)
{
    (void)number;
    return (struct tlog_area){(uintptr_t)lasting_chunks, (uintptr_t)__stop_tlog_chunks};
}
#else
/* Linker scripts that have a section for the chunks define these. */
extern uint32_t __start_tlog_chunks[] __attribute__((weak)), __stop_tlog_chunks[] __attribute__((weak));
#if TLOG_ARENA
extern uint32_t __tlog_arena_start[], __tlog_arena_end[];
#endif

uint32_t *tlog_ring_names;

enum { TLOG_AREA_SECTION, TLOG_AREA_EVENTS, TLOG_AREA_NAMES, TLOG_AREA_ARENA };

struct tlog_area tlog_ring_area(uint32_t number)
{
    const struct tlog_area section = {(uintptr_t)__start_tlog_chunks, (uintptr_t)__stop_tlog_chunks};
    struct tlog_area area = section;
    if (number == TLOG_AREA_EVENTS)
        area = (struct tlog_area){(uintptr_t)tlog_event_chunks, (uintptr_t)(tlog_event_chunks + TLOG_CPUS)};
    if (number == TLOG_AREA_NAMES)
        area = (struct tlog_area){(uintptr_t)tlog_ring_names, (uintptr_t)tlog_ring_names};
    if (number == TLOG_AREA_NAMES && area.begin != 0)
        area.end += sizeof(tlog_name_chunks);
#if TLOG_ARENA
    if (number == TLOG_AREA_ARENA)
        area = (struct tlog_area){(uintptr_t)__tlog_arena_start, (uintptr_t)__tlog_arena_end};
#endif
    if (number != TLOG_AREA_SECTION && area.begin >= section.begin && area.end <= section.end)
        area.end = area.begin;
    return area;
}
#endif

/* ---- chunks ------------------------------------------------------------------------------------------------------ */

/* Whether a chunk stands there completely before address `end`. What another firmware has left may have any size and
 * stand anywhere. */
static bool is_inside(const struct tlog_chunk *chunk, uintptr_t end)
{
    return tlog_ring_is_chunk(chunk) && chunk->buf_size <= end - (uintptr_t)chunk && chunk->slots - 1u < TLOG_SLOTS_MAX
           && chunk->emergency <= TLOG_SLOTS_MAX && chunk->buf_size == TLOG_CHUNK_BYTES(chunk->slots, chunk->emergency);
}

#if TLOG_RUNS == 1
/* Whether an address is in memory of a ring that this run has not reached yet: what stands there is old. */
static bool is_unreached(uintptr_t at)
{
    for (const struct tlog_cpu *cpu = tlog_cpus; cpu < tlog_cpus + TLOG_CPUS; cpu++) {
        const uintptr_t first = (uintptr_t)cpu->ring->first, size = cpu->ring->pattern[TLOG_PATTERN_SIZE];
        if (tlog_ring_is_open(cpu) && at - first >= tlog_ring_chunks(cpu) * size && at - first < TLOG_CHUNKS * size)
            return true;
    }
    return false;
}
#else
static inline bool is_unreached(uintptr_t at)
{
    (void)at;
    return false;
}
#endif

/* Whether another chunk begins inside the memory of a chunk. That one is younger, because formatting a chunk overwrites
 * all of its memory. (With TLOG_FORMS not at once: but a chunk of this run is the youngest.) So firmware with chunks
 * of other sizes has run in between, and the older chunk is not whole any more. */
static bool is_overwritten(const struct tlog_chunk *chunk, uintptr_t end)
{
    const uintptr_t behind = (uintptr_t)chunk + chunk->buf_size;
    uintptr_t at = (uintptr_t)chunk + TLOG_SLOT_BYTES;
    if (TLOG_RUNS == 1 && chunk->boot == tlog_ring_boot)
        return false;
    while (at < behind && end - at > TLOG_HEADER_BYTES && !is_inside((const struct tlog_chunk *)at, end))
        at += TLOG_SLOT_BYTES;
    return at < behind && end - at > TLOG_HEADER_BYTES;
}

__attribute__((cold)) struct tlog_chunk *tlog_ring_find(uintptr_t at, uintptr_t end)
{
    for (; at < end && end - at > TLOG_HEADER_BYTES; at += TLOG_SLOT_BYTES) {
        struct tlog_chunk *chunk = (struct tlog_chunk *)at;
        if (is_inside(chunk, end) && !is_unreached(at) && !is_overwritten(chunk, end))
            return chunk;
    }
    return NULL;
}

struct tlog_chunk *tlog_chunk_behind(const struct tlog_chunk *chunk)
{
    const uintptr_t last = (uintptr_t)chunk;
    struct tlog_chunk *found = NULL;
    bool passed = chunk == NULL;
    for (uint32_t i = 0; i < TLOG_RING_AREAS && found == NULL; i++) {
        const struct tlog_area area = tlog_ring_area(i);
        if (passed)
            found = tlog_ring_find(area.begin, area.end);
        else if (last >= area.begin && last < area.end) {
            found = tlog_ring_find(last + chunk->buf_size, area.end);
            passed = true;
        }
    }
    return found;
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

#if TLOG_RUNS > 1

/* Boot ids wrap, so they are compared by their difference. */
static bool is_before(uint32_t boot, uint32_t other)
{
    return (int32_t)(boot - other) < 0;
}

__attribute__((cold)) uint32_t tlog_ring_run_before(uint32_t limit)
{
    const struct tlog_chunk *chunk = tlog_chunk_behind(NULL);
    uint32_t newest = 0;
    for (; chunk != NULL; chunk = tlog_chunk_behind(chunk))
        if ((limit == 0 || is_before(chunk->boot, limit)) && (newest == 0 || is_before(newest, chunk->boot)))
            newest = chunk->boot;
    return newest;
}

/* Whether the bank that begins with this chunk holds a run of the ring: the words of the header that describe the ring
 * are those that this firmware would write. The address (self) may differ: it depends on the bank. */
static bool holds_run(const struct tlog_ring *ring, const struct tlog_chunk *first)
{
    const uint32_t *word = &first->magic;
    for (uint32_t i = 0; i <= TLOG_PATTERN_SIZE; i++)
        if (word[i] != ring->pattern[i])
            return false;
    return tlog_ring_is_chunk(first);
}

static struct tlog_chunk *bank_chunk_behind(const struct tlog_ring *ring, const struct tlog_chunk *chunk,
                                            uint32_t chunks)
{
    return (struct tlog_chunk *)((uintptr_t)chunk + chunks * ring->pattern[TLOG_PATTERN_SIZE]);
}

static uint32_t chunks_in_bank(const struct tlog_ring *ring)
{
    return TLOG_CHUNKS > 1 ? ring->chunks : 1u;
}

/* The bank of a ring that holds a run, or NULL. */
static struct tlog_chunk *bank_of(const struct tlog_ring *ring, uint32_t boot)
{
    struct tlog_chunk *bank = ring->first;
    for (uint32_t i = 0; i < TLOG_RUNS; i++, bank = bank_chunk_behind(ring, bank, chunks_in_bank(ring)))
        if (bank->boot == boot && holds_run(ring, bank))
            return bank;
    return NULL;
}

/* Laps of a chunk that were begun. The last one may not be counted yet: the cursor tells. */
static uint32_t laps_begun(const struct tlog_chunk *chunk)
{
    const uint32_t tag = chunk->cursor & TLOG_TAG_MASK;
    const bool is_ahead = tag != TLOG_TAG_MASK && tag != (chunk->lap & TLOG_TAG_MASK);
    return chunk->lap_high != 0 ? UINT32_MAX : (chunk->lap >> TLOG_LAP_SHIFT) + is_ahead;
}

/* Events in a bank. If a lap has ended: more than a short run has. */
static uint32_t events_in(const struct tlog_ring *ring, const struct tlog_chunk *bank)
{
    const struct tlog_chunk *chunk = bank;
    uint32_t events = 0;
    for (uint32_t i = 0; i < chunks_in_bank(ring); i++, chunk = bank_chunk_behind(ring, chunk, 1u)) {
        const uint32_t laps = laps_begun(chunk);
        if (laps > 1u)
            return UINT32_MAX;
        events += laps == 0 ? 0 : (chunk->cursor >> TLOG_CURSOR_SHIFT) - 1u - chunk->extra;
    }
    return events;
}

/* Whether a run has ended on all CPUs within its first lap, and with few events. */
static bool is_short(uint32_t boot)
{
    for (const struct tlog_cpu *cpu = tlog_cpus; cpu < tlog_cpus + TLOG_CPUS; cpu++) {
        const struct tlog_chunk *bank = bank_of(cpu->ring, boot);
        if (bank != NULL && events_in(cpu->ring, bank) > TLOG_SHORT_RUN)
            return false;
    }
    return true;
}

/* What the banks of a ring hold. Ages are counted in runs. */
struct banks {
    struct tlog_chunk *oldest, *newest_short;
    uint32_t oldest_age, short_age, long_age; /* long_age: of the newest run that is not short */
    uint32_t shorts;                          /* short runs that are newer than that one */
    uint32_t sent;                            /* the run that is being sent, which stays; 0: none */
};

/* Add what one bank holds. The banks are looked at twice: only then it is known which short runs count. */
static void add_bank(struct banks *banks, struct tlog_chunk *bank, bool again)
{
    const uint32_t age = tlog_ring_boot - bank->boot;
    if (!again && age > banks->oldest_age) {
        banks->oldest = bank;
        banks->oldest_age = age;
    }
    if (!again && age < banks->long_age && !is_short(bank->boot))
        banks->long_age = age;
    if (again && age < banks->long_age)
        banks->shorts++;
    if (again && age < banks->long_age && age < banks->short_age && bank->boot != banks->sent) {
        banks->newest_short = bank;
        banks->short_age = age;
    }
}

bool tlog_ring_sends;

/* Of the short runs that follow the newest long one, the first one stays, if there are banks enough, and the long one
 * stays in any case, unless it has to make room while the only short one is sent. */
__attribute__((cold)) struct tlog_chunk *tlog_ring_bank(const struct tlog_ring *ring)
{
    const uint32_t sent = tlog_ring_sends ? tlog_ring_run_before(tlog_ring_boot) : 0;
    struct banks banks = {ring->first, NULL, 0, UINT32_MAX, UINT32_MAX, 0, sent};
    for (uint32_t i = 0; i < 2u * TLOG_RUNS; i++) {
        struct tlog_chunk *bank = bank_chunk_behind(ring, ring->first, i % TLOG_RUNS * chunks_in_bank(ring));
        if (!holds_run(ring, bank))
            return bank;
        add_bank(&banks, bank, i >= TLOG_RUNS);
    }
    const bool is_short_taken = banks.shorts > 1u || (banks.shorts > 0 && banks.oldest_age == banks.long_age);
    return is_short_taken && banks.newest_short != NULL ? banks.newest_short : banks.oldest;
}

/* A bank whose first chunk has lost its magic was being taken when a reset came. Its word `boot` is the number of the
 * run that it held, or already that of the run that was beginning. Neither may come again. */
uint32_t tlog_ring_newest_run(void)
{
    uint32_t newest = tlog_ring_run_before(0);
    for (const struct tlog_cpu *cpu = tlog_cpus; cpu < tlog_cpus + TLOG_CPUS; cpu++)
        for (uint32_t i = 0; i < TLOG_RUNS; i++) {
            const struct tlog_chunk *bank =
                bank_chunk_behind(cpu->ring, cpu->ring->first, i * chunks_in_bank(cpu->ring));
            if (bank->magic == 0 && bank->tag == TLOG_WIRE_TAG && (newest == 0 || is_before(newest, bank->boot)))
                newest = bank->boot;
        }
    return newest;
}

#endif

/* ---- whether a chunk is finished --------------------------------------------------------------------------------- */

/* Whether slot s, counted from 1 on, bears that tag, or both tags, or was passed in this lap. */
static bool is_done(const struct tlog_chunk *chunk, uint32_t s, uint32_t tag)
{
    uint32_t head = ((const volatile uint32_t *)&chunk->cursor)[s * 4u + TLOG_WORD_HEAD];
    return (head & tag) != 0 || tlog_ring_is_noted(chunk, s << TLOG_CURSOR_SHIFT, lap_of(chunk));
}

static bool are_done(const struct tlog_chunk *chunk, uint32_t from, uint32_t to, uint32_t tag)
{
    while (from < to && is_done(chunk, from, tag))
        from++;
    return from >= to;
}

bool tlog_ring_is_finished(const struct tlog_chunk *chunk)
{
    const volatile struct tlog_chunk *header = chunk;
    const uint32_t tag = header->lap & TLOG_TAG_MASK, index = header->cursor >> TLOG_CURSOR_SHIFT;
    const uint32_t slots = chunk->slots, urgent = slots + 2u;
    if (tlog_ring_is_emptying() && (tlog_ring_is_first_lap(chunk) || tlog_ring_is_unopened(chunk)))
        return false;
    if (TLOG_FORMS && tlog_ring_is_unopened(chunk))
        return true;
    return are_done(chunk, 1, index, tag)
           && ((TLOG_FORMS && tlog_ring_is_first_lap(chunk)) || are_done(chunk, index, slots + 1u, tag ^ TLOG_TAG_MASK))
           && are_done(chunk, urgent, urgent + header->emergency_used, TLOG_TAG_ODD);
}

#endif
