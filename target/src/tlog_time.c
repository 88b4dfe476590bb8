/* SPDX-License-Identifier: MIT */
/* tlog_time.c - slots that tell the time: the wraps of the clock, for traceevents, and the coarse clock.
 *
 * The coarse clock tells how often the clock has wrapped while nothing was logged. When a half wrap of the clock
 * begins, each CPU keeps what the coarse clock says: its *anchor*. Later the coarse clock tells about how many ticks
 * have passed since; the clock tells the exact number, but for whole wraps. The number of wraps is the one with which
 * the two agree best.
 *
 * An anchor has two words, and no store changes both. The second one is stored behind the first, and names the half
 * wrap that both belong to. Each is stored only while the high word still names that half wrap. All writers that anchor
 * one half wrap store the same, but for a tick of the coarse clock: so it does not matter whose words stay. */
#include "tlog_speed.h"
#include "tlog.h"
#include "tlog_ring_impl.h"

#if TLOG_ENABLE && (TLOG_TRACEEVENTS || TLOG_HAS_COARSE)

/* ---- the coarse clock -------------------------------------------------------------------------------------------- */

#if TLOG_HAS_COARSE

static inline uint32_t coarse_now(void)
{
    return (uint32_t)(TLOG_PORT_COARSE_NOW);
}

static inline uint32_t high_of(const struct tlog_cpu *cpu)
{
    return ((const volatile struct tlog_cpu *)cpu)->high;
}

/* Ticks of the clock in `coarse` ticks of the coarse clock, at most 2^61. */
static inline uint64_t clock_ticks(uint32_t coarse)
{
    const uint64_t ratio = ((uint64_t)(TLOG_RING_FREQ) << 32) / (TLOG_COARSE_HZ);
    return coarse * (ratio >> 32) + (coarse * (ratio & 0xFFFFFFFFu) >> 32);
}

/* Ticks of the coarse clock in `clock` ticks of the clock. */
static inline uint32_t coarse_ticks(uint32_t clock)
{
    const uint64_t hz = (TLOG_RING_FREQ) ? (TLOG_RING_FREQ) : 1u, ratio = ((uint64_t)(TLOG_COARSE_HZ) << 31) / hz;
    return (uint32_t)(clock * ratio >> 31);
}

/* The whole wraps of the clock up to the time `low` that a high word lacks, as the coarse clock tells. */
static uint32_t missed_wraps(const struct tlog_cpu *cpu, uint32_t high, uint32_t low)
{
    const volatile struct tlog_cpu *state = cpu;
    if ((TLOG_RING_FREQ) == 0 || state->coarse_of != ~high)
        return 0;
    const uint64_t passed = clock_ticks(coarse_now() - state->coarse) + 0x80000000u;
    const uint32_t ticks = low - (high & TLOG_HIGH_MIRROR);
    return passed < ticks ? 0 : (uint32_t)((passed - ticks) >> 32);
}

/* Keep what the coarse clock tells now about the high word. The anchor is early by one tick of the coarse clock: a
 * later look at that clock is never before it. */
static void anchor(struct tlog_cpu *cpu)
{
    const uint32_t high = high_of(cpu);
    uint32_t ticks, coarse;
    if (((volatile struct tlog_cpu *)cpu)->coarse_of == ~high)
        return;
    do {
        tlog_port_load_exclusive(&cpu->coarse);
        ticks = tlog_ring_time(cpu) - (high & TLOG_HIGH_MIRROR);
        if (high_of(cpu) != high || ticks >> 31 || ((volatile struct tlog_cpu *)cpu)->coarse_of == ~high) {
            tlog_port_clear_exclusive();
            return;
        }
        coarse = coarse_now() - coarse_ticks(ticks) - 1u;
    } while (tlog_port_store_exclusive(coarse, &cpu->coarse));
    do {
        tlog_port_load_exclusive(&cpu->coarse_of);
        if (high_of(cpu) != high) {
            tlog_port_clear_exclusive();
            return;
        }
    } while (tlog_port_store_exclusive(~high, &cpu->coarse_of));
}

/* No high word that is in use has 0 as its complement. */
void tlog_ring_forget_coarse(struct tlog_cpu *cpu)
{
    *(volatile uint32_t *)&cpu->coarse_of = 0;
}

/* As without a coarse clock (tlog_ring.c), and the wraps that were missed are added in the same step. */
__attribute__((cold)) void tlog_ring_tick(struct tlog_cpu *cpu)
{
    uint32_t high, low, next;
    tlog_ring_advance_last(cpu);
    do {
        high = tlog_port_load_exclusive(&cpu->high);
        low = tlog_ring_time(cpu);
        next = (int32_t)(high ^ low) < 0 ? tlog_ring_carry(high) : high;
        next += missed_wraps(cpu, high, low) << TLOG_WRAP_SHIFT;
        if (next == high) {
            tlog_port_clear_exclusive();
            break;
        }
    } while (tlog_port_store_exclusive(next, &cpu->high));
    anchor(cpu);
    if (tlog_ring_wraps(next) != tlog_ring_wraps(high))
        tlog_ring_tell_time(cpu);
}

/* Fill a reserved slot with the coarse clock. `coarse` was read before the slot was reserved. If so much time has
 * passed since that the two clocks of the slot would not agree, the slot is left over. */
static void fill_coarse(const struct tlog_reserved *at, uint32_t coarse)
{
    bool agree = coarse_now() - coarse <= 1u + (TLOG_COARSE_HZ) / 8u;
    tlog_ring_fill_control(at, agree ? TLOG_CONTROL_COARSE : TLOG_CONTROL_PAD, agree ? coarse : 0,
                           agree ? tlog_ring_wraps(at->high) : 0);
}

static void put_coarse(struct tlog_cpu *cpu)
{
    struct tlog_reserved at;
    uint32_t *cursor, coarse;
    do {
        cursor = ((volatile struct tlog_cpu *)cpu)->cursor;
        coarse = coarse_now();
        if (tlog_ring_reserve(cpu, cursor, &at)) {
            tlog_ring_count_extra(cursor, 1);
            fill_coarse(&at, coarse);
            return;
        }
    } while (tlog_ring_make_room(cpu, true));
    tlog_ring_put_triggered(cpu, TLOG_CONTROL_COARSE, coarse, tlog_ring_wraps(high_of(cpu)));
}

/* Whether the laps of a ring begin with slots that tell the time. */
static bool tells_time(const struct tlog_ring *ring)
{
    return (ring->pattern[TLOG_PATTERN_PLACE] >> 16 & TLOG_ROLE_MASK) != TLOG_ROLE_NAMES
           && ring->pattern[TLOG_PATTERN_SLOTS] > TLOG_LAP_SLOTS;
}

void tlog_ring_start_coarse(struct tlog_cpu *cpu)
{
    anchor(cpu);
    if (tells_time(cpu->ring))
        put_coarse(cpu);
}

#else
static inline void put_coarse(struct tlog_cpu *cpu)
{
    (void)cpu;
}
#endif

/* ---- the beginning of a lap -------------------------------------------------------------------------------------- */

/* Whether the slots at the beginning of a lap are free. */
static inline bool are_free(const volatile uint32_t *first, uint32_t tag)
{
    uint32_t seen = 0;
    for (uint32_t i = 0; i < TLOG_LAP_SLOTS; i++)
        seen |= first[4u * i + TLOG_WORD_HEAD];
    return (seen & tag) == 0;
}

/* tlog_ring.h describes this and the functions below. */
bool tlog_ring_refer(const struct tlog_cpu *cpu, struct tlog_chunk *chunk, uint32_t cursor,
                     struct tlog_reference *reference)
{
    uint32_t *first = &chunk->cursor + 4, tag = cursor & TLOG_TAG_MASK;
    reference->at = (struct tlog_reserved){first, cursor, ((const volatile struct tlog_cpu *)cpu)->high,
                                           TLOG_UNIQUE_STAMPS ? reference->at.low : tlog_port_now_at(cpu->clock)};
#if TLOG_HAS_COARSE
    reference->coarse = coarse_now();
#endif
    return cursor >> TLOG_CURSOR_SHIFT == 1u && chunk->slots > TLOG_LAP_SLOTS && are_free(first, tag);
}

/* The number of the lap that a cursor is in, modulo 2^32. The lap may not be counted yet, nor its high word be carried
 * over: that is loaded first, so that it is never ahead. */
static TLOG_FORCE_INLINE uint32_t lap_number(const struct tlog_chunk *chunk, uint32_t cursor)
{
    uint32_t high = ((const volatile struct tlog_chunk *)chunk)->lap_high, lap = lap_of(chunk);
    high += (int32_t)(high ^ lap) < 0 ? high >> 31 : 0;
    return (high << (32u - TLOG_LAP_SHIFT)) + (lap >> TLOG_LAP_SHIFT) + (((lap ^ cursor) & TLOG_TAG_MASK) != 0);
}

/* BUFFER and TIME, the first two slots of a lap. */
static TLOG_FORCE_INLINE void fill_lap(const struct tlog_chunk *chunk, const struct tlog_reserved *at)
{
    struct tlog_reserved second = *at;
    second.slot += 4;
    tlog_ring_fill_control(at, TLOG_CONTROL_BUFFER, lap_number(chunk, at->cursor), chunk->slots);
    tlog_ring_fill_control(&second, TLOG_CONTROL_TIME, tlog_ring_wraps(at->high), at->low);
}

void tlog_ring_put_reference(struct tlog_chunk *chunk, const struct tlog_reference *reference)
{
    if (TLOG_TRACEEVENTS)
        fill_lap(chunk, &reference->at);
#if TLOG_HAS_COARSE
    struct tlog_reserved last = reference->at;
    last.slot += 4u * (TLOG_LAP_SLOTS - 1u);
    fill_coarse(&last, reference->coarse);
#endif
}

/* ---- the wraps of the clock -------------------------------------------------------------------------------------- */

/* Log the wraps of the clock, unless there is no room. */
static TLOG_FORCE_INLINE void put_wraps(struct tlog_cpu *cpu, uint32_t wraps, uint32_t low)
{
    struct tlog_reserved at;
    uint32_t *cursor;
    do {
        cursor = ((volatile struct tlog_cpu *)cpu)->cursor;
        if (tlog_ring_reserve(cpu, cursor, &at)) {
            tlog_ring_count_extra(cursor, 1);
            tlog_ring_fill_control(&at, TLOG_CONTROL_TIME, wraps, low);
            return;
        }
    } while (tlog_ring_make_room(cpu, true));
    tlog_ring_put_triggered(cpu, TLOG_CONTROL_TIME, wraps, low);
}

void tlog_ring_put_time(struct tlog_cpu *cpu, uint32_t wraps)
{
    uint32_t low = tlog_ring_time(cpu);
    if (!tlog_ring_is_open(cpu))
        return;
    if (TLOG_TRACEEVENTS)
        put_wraps(cpu, wraps, low);
    put_coarse(cpu);
}

/* CPUs whose clock has wrapped while logging was disabled, a bit each. */
static uint32_t untold;

void tlog_ring_tell_time(struct tlog_cpu *cpu)
{
    const uint32_t bit = 1u << (cpu - tlog_cpus);
    if (!tlog_ring_is_off()) {
        tlog_ring_put_time(cpu, tlog_ring_wraps(((volatile struct tlog_cpu *)cpu)->high));
        return;
    }
    uint32_t before;
    do
        before = tlog_port_load_exclusive(&untold);
    while (tlog_port_store_exclusive(before | bit, &untold));
}

void tlog_ring_tell_times(void)
{
    uint32_t cpus;
    if (tlog_ring_is_off())
        return;
    do
        cpus = tlog_port_load_exclusive(&untold);
    while (tlog_port_store_exclusive(0, &untold));
    for (uint32_t i = 0; i < TLOG_CPUS; i++)
        if (cpus >> i & 1u)
            tlog_ring_put_time(&tlog_cpus[i], tlog_ring_wraps(((volatile struct tlog_cpu *)&tlog_cpus[i])->high));
}

#endif
