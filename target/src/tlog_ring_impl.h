/* SPDX-License-Identifier: MIT */
/* tlog_ring_impl.h - what the parts of the slow half of the record path share: tlog_ring.c, tlog_claim.c and others.
 *
 * Private to tlog. */
#ifndef TLOG_RING_IMPL_H
#define TLOG_RING_IMPL_H

#ifndef TLOG_H
#error "tlog: include tlog.h"
#endif

#include "tlog_form.h"

#include <stddef.h>

#if TLOG_ENABLE

/* The time in ticks. */
static inline uint64_t tlog_ring_ticks(struct tlog_cpu *cpu)
{
    const volatile struct tlog_cpu *state = cpu;
    uint32_t high, low;
    do {
        tlog_ring_tick(cpu);
        high = state->high;
        low = tlog_ring_time(cpu);
    } while ((int32_t)(high ^ low) < 0 || high != state->high);
    return (uint64_t)tlog_ring_wraps(high) << 32 | low;
}

/* The high half of an address of 64 bits; 0 of one of 32 bits. */
static TLOG_FORCE_INLINE uint32_t high_half(uintptr_t address)
{
    return (uint32_t)(address >> 16 >> 16);
}

static inline bool is_parked(uint32_t cursor)
{
    return (cursor & TLOG_TAG_MASK) == TLOG_TAG_MASK;
}

static inline bool is_full(const struct tlog_chunk *chunk, uint32_t cursor)
{
    return cursor >> TLOG_CURSOR_SHIFT > chunk->slots;
}

static inline uint32_t cursor_of(const struct tlog_chunk *chunk)
{
    return ((const volatile struct tlog_chunk *)chunk)->cursor;
}

static inline uint32_t lap_of(const struct tlog_chunk *chunk)
{
    return ((const volatile struct tlog_chunk *)chunk)->lap;
}

static inline bool is_closed(const struct tlog_chunk *chunk)
{
    uint32_t cursor = cursor_of(chunk);
    return is_parked(cursor) || is_full(chunk, cursor);
}

/* Whether the slot that the cursor stands on bears that tag. */
static inline bool slot_has_tag(const struct tlog_chunk *chunk, uint32_t cursor, uint32_t tag)
{
    const volatile uint32_t *slot = (const volatile uint32_t *)((uintptr_t)&chunk->cursor + (cursor >> 12));
    return (slot[TLOG_WORD_HEAD] & tag & TLOG_TAG_MASK) != 0;
}

/* Whether the slot was free that a cursor stood on. True also if the cursor has moved: then the caller looks again. */
static inline bool is_free(const struct tlog_chunk *chunk, uint32_t cursor, uint32_t tag)
{
    return !slot_has_tag(chunk, cursor, tag) || cursor != cursor_of(chunk);
}

/* Whether a chunk is home. Where a ring has only one chunk, that chunk is home as soon as it is open. */
static inline bool is_home(const struct tlog_cpu *cpu, const struct tlog_chunk *chunk)
{
    return (TLOG_CHUNKS == 1 && !TLOG_ARENA) || ((const volatile struct tlog_cpu *)cpu)->cursor == &chunk->cursor;
}

/* The chunk that a chunk leads to, whose cursor had that value: the chunk where logging continues. A chunk that is not
 * full and has no goal leads to itself, if the slot at the cursor is free. NULL: there is no such chunk, or it is being
 * sent. Offsets are encoded as in the header's word `next`; 0 is the chunk itself. */
static inline struct tlog_chunk *follower(const struct tlog_chunk *chunk, uint32_t cursor)
{
    const volatile struct tlog_chunk *home = chunk;
    uint32_t offset = TLOG_ARENA && is_parked(cursor) ? home->goal : 0;
    if (offset == 0 && !is_full(chunk, cursor))
        return is_free(chunk, cursor, cursor & lap_of(chunk)) ? (struct tlog_chunk *)(uintptr_t)chunk : NULL;
    if (offset == 0 && home->flags & TLOG_CHUNK_STOP)
        return NULL;
    if (offset == 0 && (TLOG_CHUNKS > 1 || TLOG_ARENA) && home->flags & TLOG_CHUNK_JTN)
        offset = home->next;
    if (TLOG_ARENA && offset == TLOG_NEXT_STOP)
        return NULL;
    struct tlog_chunk *next = (struct tlog_chunk *)((uintptr_t)chunk + (uintptr_t)(intptr_t)(int32_t)offset);
    return TLOG_ARENA && ((const volatile struct tlog_chunk *)next)->flags & TLOG_CHUNK_BUSY ? NULL : next;
}

/* The chunk with that cursor, as from tlog_ring_chunk(), but compiled to addresses relative to the cursor. What is
 * watched here is a cursor and the lap word behind it, and plain loads can have negative offsets. */
static inline struct tlog_chunk *chunk_of_cursor(uint32_t *cursor)
{
    __asm("" : "+r"(cursor));
    return (struct tlog_chunk *)(void *)((char *)cursor - TLOG_CURSOR_OFFSET);
}

/* Add to the high word of a count, whose bit 31 differs from that of its low word: see TLOG_COUNT_MIRROR. */
void tlog_ring_carry_count(uint32_t *high, const uint32_t *low);

/* The same for the laps of a chunk. It also clears stale notes of claimed slots. */
void tlog_ring_carry_laps(struct tlog_chunk *chunk);

/* Set the goal of home, the chunk that home leads to once it is parked. A dropped event (command: false) must not
 * change the goal of a chunk that is already parked. False: nothing was set. */
bool tlog_ring_set_goal(struct tlog_cpu *cpu, struct tlog_chunk *home, uint32_t goal, bool command);

/* The call that tells a CPU of a pause (tlog_pause.c). False: it is not told after all. NULL in a program that never
 * stops logging. */
extern bool (*tlog_ring_tell_pause)(struct tlog_cpu *cpu);

static inline uint32_t tlog_ring_pause_bit(const struct tlog_cpu *cpu)
{
    return TLOG_CPUS > 1 ? 1u << (cpu - tlog_cpus) : 1u;
}

static inline bool tlog_ring_is_untold(const struct tlog_cpu *cpu)
{
    return (*(volatile uint32_t *)&tlog_ring_untold & tlog_ring_pause_bit(cpu)) != 0;
}

/* Whether there is something that no record reports yet: events that were dropped, or a pause. */
bool tlog_ring_is_losing(const struct tlog_cpu *cpu);

/* Report the loss, because there is room again. False: there is no room after all. */
bool tlog_ring_report(struct tlog_cpu *cpu);

/* Reserve n emergency slots. They are filled only once, in the order of stamps, from the slot behind the end mark on.
 * False: too few are left, or the chunk is not home any more. */
#if TLOG_MINIMAL
static inline bool tlog_ring_reserve_urgent(struct tlog_cpu *cpu, uint32_t n, struct tlog_reserved *at)
{
    (void)cpu, (void)n, (void)at;
    return false;
}
#else
bool tlog_ring_reserve_urgent(struct tlog_cpu *cpu, uint32_t n, struct tlog_reserved *at);
#endif

/* Reserve n slots side by side, in any ring, in this lap or the next one; `extra` of them are no event of their own.
 * Slots are left over where there are too few side by side. The result: done; the ring has stopped, or a trigger is
 * set; or owners are in the way everywhere, or chunks are too small. (tlog_side.c) */
enum tlog_side { TLOG_SIDE_HERE, TLOG_SIDE_STOPPED, TLOG_SIDE_NOWHERE };
enum { TLOG_SIDE_TRIES = 64 };
enum tlog_side tlog_side_reserve(struct tlog_cpu *cpu, uint32_t n, uint32_t extra, struct tlog_reserved *at);

/* Fill slot i of those. The head is stored last. */
void tlog_side_fill(const struct tlog_reserved *at, uint32_t i, uint32_t head, const uint32_t words[2]);

/* Deal with an event that found no slot: it goes to an emergency slot or is dropped. */
void tlog_ring_lose(struct tlog_cpu *cpu, uint32_t par1, uint32_t par2, uint32_t code);

/* Pass the slot that home's cursor stands on, whose owner of an earlier lap has not filled it (tlog_claim.c). False:
 * this is not the place to do it; the caller drops its event. */
bool tlog_ring_pass(struct tlog_cpu *cpu, struct tlog_chunk *home);

/* In the head of a claimed slot: no note tells of it, and none will. An owner that is back overwrites it with the
 * rest. */
#define TLOG_CLAIM_UNNOTED (TLOG_SLOT_CLAIMED & ~TLOG_TAG_MASK)

static inline bool tlog_ring_is_unnoted(uint32_t head)
{
    return (~head & TLOG_SLOT_CLAIMED) == 0;
}

static TLOG_FORCE_INLINE uint32_t head_in(const uint32_t *slot)
{
    return ((const volatile uint32_t *)slot)[TLOG_WORD_HEAD];
}

/* The first slot from this one on that is not claimed, or has a note. Eight at a time: the end mark stops that, and
 * behind it the chunk goes on for as many words. */
static TLOG_FORCE_INLINE uint32_t *skip_unnoted(uint32_t *slot)
{
    const volatile uint32_t *head = slot + TLOG_WORD_HEAD;
    while (tlog_ring_is_unnoted(head[0] & head[4] & head[8] & head[12] & head[16] & head[20] & head[24] & head[28]))
        head += 32;
    while (tlog_ring_is_unnoted(*head))
        head += 4;
    return (uint32_t *)(uintptr_t)head - TLOG_WORD_HEAD;
}

/* Whether a note says that the slot on which the cursor stands was passed in that lap. */
#if TLOG_MINIMAL
/* Slots that were passed: in even laps, in odd laps; slot s is bit s % 32 of word s / 32 (tlog_minimal.c). */
#define TLOG_PASSED_WORDS ((TLOG_SLOTS + 1u) / 32u + 1u)
extern uint32_t tlog_ring_passed[2][TLOG_PASSED_WORDS];

static inline bool tlog_ring_is_noted(const struct tlog_chunk *chunk, uint32_t cursor, uint32_t lap)
{
    (void)chunk, (void)cursor, (void)lap;
    return false;
}
#else
bool tlog_ring_is_noted(const struct tlog_chunk *chunk, uint32_t cursor, uint32_t lap);
#endif

/* Park home, so that no slot is reserved there until it is opened again, in the same lap. With TLOG_ARENA only while
 * its goal is that one. False: it is not home any more, or its goal is another one. */
bool tlog_ring_park(struct tlog_cpu *cpu, struct tlog_chunk *home, uint32_t goal);

/* Keep the last stamp near the clock. The top bits of their difference tell whether a stamp is ahead of the clock
 * (TLOG_AHEAD_SHIFT): one that falls behind too far would seem to be ahead. */
static inline void tlog_ring_advance_last(struct tlog_cpu *cpu)
{
#if TLOG_UNIQUE_STAMPS
    uint32_t last, time;
    do {
        last = tlog_port_load_exclusive(&cpu->last);
        time = tlog_ring_time(cpu);
        if (time - last < 2u) {
            tlog_port_clear_exclusive();
            return;
        }
    } while (tlog_port_store_exclusive(time - 1u, &cpu->last)); /* `time` itself stays free for the next event */
#else
    (void)cpu;
#endif
}

/* A store-exclusive to a head, which an owner that comes back fills by plain stores. */
static TLOG_FORCE_INLINE uint32_t tlog_ring_replace_exclusive(uint32_t seen, uint32_t value, uint32_t *word)
{
#ifdef TLOG_PORT_REPLACE
    return tlog_port_replace_exclusive(seen, value, word);
#else
    (void)seen;
    return tlog_port_store_exclusive(value, word);
#endif
}

/* ---- when no context was in the middle of a call ----------------------------------------------------------------- */

/* Per CPU and chunk of its ring: where the chunk stood when tlog_quiescent() told last (tlog_quiescent.c): its lap,
 * modulo 2^16, << 16 | index of its cursor; 0: never, or too many laps ago. With several CPUs a second word behind it
 * has the place that waits to be told. In an arena only home's place is known. */
#define TLOG_TOLD_WORDS  (TLOG_CPUS > 1 ? 2u : 1u)
#define TLOG_TOLD_CHUNKS (TLOG_ARENA ? 1u : TLOG_CHUNKS)
extern uint32_t tlog_ring_told_at[TLOG_CPUS][TLOG_TOLD_CHUNKS * TLOG_TOLD_WORDS];
#if TLOG_ARENA
extern struct tlog_chunk *tlog_ring_told_of;
#endif

/* These words of a chunk; NULL: there are none, because another chunk of the arena was home then. */
static inline uint32_t *tlog_ring_told(const struct tlog_chunk *chunk)
{
#if TLOG_ARENA
    return *(struct tlog_chunk *volatile *)&tlog_ring_told_of == chunk ? tlog_ring_told_at[0] : NULL;
#else
    const uint32_t cpu = TLOG_CPUS > 1 ? chunk->place & 0xFFu : 0;
    const uint32_t number = TLOG_CHUNKS > 1 ? chunk->place >> 8 & 0xFFu : 0;
    return &tlog_ring_told_at[cpu][number * TLOG_TOLD_WORDS];
#endif
}

/* Whether anything was told of a chunk. */
static inline bool tlog_ring_has_told(const struct tlog_chunk *chunk)
{
    const uint32_t *word = tlog_ring_told(chunk);
    return word != NULL && *(const volatile uint32_t *)word != 0;
}

/* Whether a slot that is not filled never will be, because it was reserved before tlog_quiescent() told last. lap: the
 * chunk's lap word; reserved: that of the lap in which the slot was reserved, with the slot's number as its low
 * half. */
static inline bool tlog_ring_is_abandoned(const struct tlog_chunk *chunk, uint32_t lap, uint32_t reserved)
{
    const uint32_t *word = tlog_ring_told(chunk), told = word != NULL ? *(const volatile uint32_t *)word : 0;
    return told != 0 && (lap | TLOG_CLAIM_SLOT_MASK) - reserved > (lap | TLOG_CLAIM_SLOT_MASK) - told;
}

/* Forget places that are 2^15 laps old, because 2^16 laps look like none. Called every 2^15 laps. */
void tlog_ring_forget_told(const struct tlog_chunk *chunk);

/* Whether a chunk is in its first lap. Then nothing at its cursor and behind it means anything. */
static inline bool tlog_ring_is_first_lap(const struct tlog_chunk *chunk)
{
    return lap_of(chunk) == TLOG_LAP_FIRST && ((const volatile struct tlog_chunk *)chunk)->lap_high == 0
           && (cursor_of(chunk) & TLOG_TAG_ODD) != 0;
}

/* Whether a chunk was never opened. */
static inline bool tlog_ring_is_unopened(const struct tlog_chunk *chunk)
{
    return lap_of(chunk) == TLOG_LAP_NONE && ((const volatile struct tlog_chunk *)chunk)->lap_high == 0;
}

/* What became of an event that wanted a slot while a trigger is set: it has slots, or none, or no trigger is set. */
enum tlog_taken { TLOG_TAKEN, TLOG_TAKEN_NONE, TLOG_TAKEN_NOT_SET };

/* The calls of tlog_trigger.c, which is part of a program only if tlog_trigger() is called. The others know it by this
 * pointer, which is NULL until then. */
struct tlog_hook {
    enum tlog_taken (*take)(struct tlog_cpu *cpu, uint32_t n, struct tlog_reserved *at);
    bool (*reserve_extra)(struct tlog_cpu *cpu, uint32_t n, struct tlog_reserved *at);
    bool (*is_set)(const struct tlog_cpu *cpu);
};
extern const struct tlog_hook *tlog_ring_hook;

static inline const struct tlog_hook *tlog_ring_get_hook(void)
{
    if (!TLOG_ARENA && !TLOG_MINIMAL) {
        const struct tlog_hook *volatile *hook = &tlog_ring_hook;
        return *hook;
    }
    return NULL;
}

/* Whether a trigger is set on that CPU: then tlog_trigger.c alone opens chunks. */
static inline bool tlog_ring_is_triggered(const struct tlog_cpu *cpu)
{
    const struct tlog_hook *hook = tlog_ring_get_hook();
    return hook != NULL && hook->is_set(cpu);
}

/* Reserve n slots for an event that found no room, if that is because a trigger is set. */
static inline enum tlog_taken tlog_ring_take(struct tlog_cpu *cpu, uint32_t n, struct tlog_reserved *at)
{
    const struct tlog_hook *hook = tlog_ring_get_hook();
    return hook != NULL ? hook->take(cpu, n, at) : TLOG_TAKEN_NONE;
}

/* Reserve n slots that are no event and found no room, if that is because a trigger is set, and events are still to be
 * recorded. */
static inline bool tlog_ring_reserve_triggered(struct tlog_cpu *cpu, uint32_t n, struct tlog_reserved *at)
{
    const struct tlog_hook *hook = tlog_ring_get_hook();
    return hook != NULL && hook->is_set(cpu) && hook->reserve_extra(cpu, n, at);
}

/* Low half of the head of a slot where a lap is about to begin, and which no writer may take (tlog_trigger.c): it was
 * free, or its owner has not filled it. */
#define TLOG_BLOCKED_FREE  (TLOG_TAG_MASK | 0xFDu)
#define TLOG_BLOCKED_STUCK (TLOG_TAG_MASK | 0xFEu)

static inline bool tlog_ring_is_blocked(uint32_t head)
{
    return (head & 0xFFFFu) == TLOG_BLOCKED_FREE || (head & 0xFFFFu) == TLOG_BLOCKED_STUCK;
}

/* Count the lap that the cursor of a chunk is in, unless that is done. */
void tlog_ring_count_lap(struct tlog_chunk *chunk);

/* Fill a reserved slot with an event of class CONTROL. The head is stored last. */
static TLOG_FORCE_INLINE void tlog_ring_fill_control(const struct tlog_reserved *at, uint32_t event, uint32_t d0,
                                                     uint32_t d1)
{
    uint32_t *slot = at->slot, low = at->low;
    const uint32_t head = TLOG_EVENT_WORD(TLOG_CLASS_CONTROL, event) | (at->cursor & TLOG_TAG_MASK);
    slot[0] = d0;
    slot[1] = d1;
    slot[TLOG_WORD_LOW] = low;
    tlog_port_publish();
    *(volatile uint32_t *)(slot + TLOG_WORD_HEAD) = head;
}

/* The same for one slot, with its data. */
static inline void tlog_ring_put_triggered(struct tlog_cpu *cpu, uint32_t event, uint32_t d0, uint32_t d1)
{
    struct tlog_reserved at;
    if (tlog_ring_reserve_triggered(cpu, 1, &at))
        tlog_ring_fill_control(&at, event, d0, d1);
}

/* Keep a fact of n words, 1 to 6, in the chunk of names (tlog_name.c): it replaces the one of that kind and id. Kinds
 * from TLOG_FACT_WORDS on are such facts. Callable from: any context. */
void tlog_fact_words(uint32_t kind, uintptr_t id, const uint32_t *words, uint32_t n);

/* ---- dropping at once -------------------------------------------------------------------------------------------- */

/* Whether an event may take an emergency slot. */
static inline bool is_urgent(uint32_t code)
{
    uint32_t event = code & TLOG_RECORD_CODE;
    return code & TLOG_CODE_URGENT || (event & FTrace_family_mask) == 0 || event == FTrace_EVT_task_deadline_miss
           || event == FTrace_EVT_task_wcet_violation;
}

/* The first chunk of the ring to which home's cursor belongs. */
static TLOG_FORCE_INLINE struct tlog_chunk *first_of(const struct tlog_cpu *cpu, uint32_t *current)
{
    return TLOG_CHUNKS > 1 || TLOG_ARENA ? tlog_ring_first(cpu)
                                         : (struct tlog_chunk *)(void *)((char *)current - TLOG_CURSOR_OFFSET);
}

/* Count a dropped event in a blackout, in few instructions. It needs that home's cursor, which is parked, has that
 * value, and that the blackout is not reported yet. False: it is not so, or the clock or a count must be carried
 * over. */
static TLOG_FORCE_INLINE bool tlog_ring_count_drop(struct tlog_cpu *cpu, uint32_t *current, uint32_t cursor)
{
    struct tlog_chunk *first = first_of(cpu, current);
    const uint32_t now = tlog_port_now_at(cpu->clock);
    uint32_t count;
    if ((int32_t)(((volatile struct tlog_cpu *)cpu)->high ^ now) < 0)
        return false;
#if TLOG_UNIQUE_STAMPS
    if ((now - ((volatile struct tlog_cpu *)cpu)->last) >> (TLOG_AHEAD_SHIFT - 1u) != 0)
        return false;
#endif
    do {
        count = tlog_port_load_exclusive(&first->dropped) + 1u;
        if (count - 1u == ((volatile struct tlog_chunk *)first)->reported || *(volatile uint32_t *)current != cursor
            || count << 1 == 0) {
            tlog_port_clear_exclusive();
            return false;
        }
    } while (tlog_port_store_exclusive(count, &first->dropped));
    return true;
}

/* Drop an event at once, if home is parked, and either full without a chunk that follows it, or stopped by a trigger.
 * False: the event must go the usual way. A ring that is not open has no parked cursor. */
static TLOG_FORCE_INLINE bool tlog_ring_drop_at_once(struct tlog_cpu *cpu, uint32_t *current, uint32_t code)
{
    const struct tlog_chunk *home =
        (const struct tlog_chunk *)(const void *)((const char *)current - TLOG_CURSOR_OFFSET);
    const uint32_t cursor = *(volatile uint32_t *)current;
    if (!is_parked(cursor))
        return false;
    const uint32_t flags = TLOG_ARENA ? TLOG_CHUNK_STOP : ((const volatile struct tlog_chunk *)home)->flags;
    if (!(flags & (TLOG_CHUNK_STOP | TLOG_CHUNK_HALT)))
        return false;
    if (!is_full(home, cursor) && !(flags & TLOG_CHUNK_HALT))
        return false;
    if (TLOG_ARENA && follower(home, cursor) != NULL)
        return false;
    if ((TLOG_ARENA || TLOG_EMERGENCY_SLOTS > 0) && is_urgent(code))
        return false;
    return tlog_ring_count_drop(cpu, current, cursor);
}

#endif

#endif
